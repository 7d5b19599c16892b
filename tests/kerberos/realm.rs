//! A realm with a KDC, made by the script `realm`, and a Kafka with a listener for it; both end with this process.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::thread;

use streamlet_tests::fixtures;
use streamlet_tests::kafka::Broker;

/// With what the script ends where a program of Kerberos is missing.
const NOT_INSTALLED: i32 = 3;

/// Both, for all tests.
pub(crate) struct Realm {
    /// The script, which ends the KDC and removes everything when its standard input ends.
    _keeper: Child,
    said: BTreeMap<String, String>,
    pub(crate) broker: Broker,
}

impl Realm {
    /// The one of this process. None where a program is missing, which is then said with the name of the test: past the
    /// capture of its output, as it would pass in silence.
    pub(crate) fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Result<Realm, String>> = OnceLock::new();
        let shared = SHARED.get_or_init(Self::start).as_ref();
        let not_run = |reason: &String| {
            let thread = thread::current();
            let _ = writeln!(std::io::stderr(), "not run: {}: {reason}", thread.name().unwrap_or("a test"));
        };
        shared.map_err(not_run).ok()
    }

    fn start() -> Result<Self, String> {
        let mut command = Command::new(fixtures::repository().join("tests/kerberos/realm"));
        // Ctrl-C is for the tests; the KDC goes after them.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut keeper = command.spawn().expect("the script starts");
        let lines = BufReader::new(keeper.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
        let pair = |line: String| line.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
        let said = lines.filter_map(pair).collect::<BTreeMap<_, _>>();
        let Some(directory) = said.get("KAFKA") else { return Err(refused(keeper)) };
        let broker = Broker::with_kerberos(Path::new(directory))?;
        Ok(Self { _keeper: keeper, said, broker })
    }

    /// What the script says under a name.
    pub(crate) fn said(&self, name: &str) -> &str {
        self.said.get(name).unwrap_or_else(|| panic!("the script says {name}"))
    }

    /// What the KDC has logged.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.said("LOG")).expect("the KDC logs")
    }
}

/// Why the script makes none.
fn refused(mut keeper: Child) -> String {
    drop(keeper.stdin.take());
    let mut said = String::new();
    let _ = keeper.stderr.take().expect("a pipe").read_to_string(&mut said);
    let status = keeper.wait().expect("the script ends");
    assert!(status.code() == Some(NOT_INSTALLED), "no realm can be made:\n{said}");
    said.trim().to_owned()
}
