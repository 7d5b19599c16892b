//! A node of Kafka, as the tests' script starts it: one for the whole process, or one that a test may kill.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use rdkafka::ClientConfig;

use super::listener::{self, Access, Listener};
use super::tap::Tap;
use super::until;
use crate::fixtures;

/// How long a start may take; fetching Kafka for the first time is in it.
const STARTS_WITHIN: Duration = Duration::from_mins(10);
/// What Kafka says of partitions whose markers it skips.
const SKIPPED_MARKERS: &str = "these partitions are likely deleted already and hence can be skipped";
/// With what the script ends where Java or Maven are missing.
const NOT_INSTALLED: i32 = 3;

/// A running node, with a tap before two listeners of its own.
#[derive(Debug)]
pub struct Broker {
    /// The script, which stops the node when its standard input ends: with this value, or with this process.
    keeper: Child,
    directory: PathBuf,
    node: BTreeMap<String, String>,
    tap: Tap,
    sasl_tap: Tap,
    is_shared: bool,
}

impl Broker {
    /// The node that all tests of this process share, started by the first; nobody may stop it. None where there can be
    /// no Kafka, which is then said with the name of the test.
    ///
    /// # Panics
    /// It does not start, with `CI` set.
    pub fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Result<Broker, String>> = OnceLock::new();
        SHARED.get_or_init(|| Self::start(true, None)).as_ref().map_err(|reason| not_run(reason)).ok()
    }

    /// A node for one test alone, which may kill it. None as with [`Broker::shared`].
    ///
    /// # Panics
    /// As [`Broker::shared`].
    pub fn own() -> Option<Self> {
        Self::start(false, None).map_err(|reason| not_run(&reason)).ok()
    }

    /// A node for one program's tests with one more listener, for Kerberos, with what `tests/kerberos/realm` put into
    /// `realm`. The error is why there can be no Kafka.
    ///
    /// # Errors
    /// As [`Broker::shared`] gives none.
    ///
    /// # Panics
    /// As [`Broker::shared`].
    pub fn with_kerberos(realm: &Path) -> Result<Self, String> {
        Self::start(false, Some(realm))
    }

    fn start(is_shared: bool, realm: Option<&Path>) -> Result<Self, String> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let (id, number) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let directory = std::env::temp_dir().join(format!("streamlet-tests-kafka-{id}-{number}"));
        let (tap, sasl_tap) = (Tap::bind(is_shared), Tap::bind(is_shared));
        let mut command = script("start", &directory);
        command.args(["--attached", "--port", "0"]);
        command.args(["--listener", &format!("TAPPED=PLAINTEXT:{}", tap.port())]);
        command.args(["--listener", &format!("SASL_TAPPED=SASL_PLAINTEXT:{}", sasl_tap.port())]);
        if let Some(realm) = realm {
            command.arg("--kerberos").arg(realm);
        }
        // Ctrl-C is for the tests; the node goes after them.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut keeper = command.spawn().expect("the script starts");
        let lines = lines(&mut keeper);
        let node = lines
            .iter()
            .filter_map(|line| line.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect::<BTreeMap<_, _>>();
        let (Some(tapped), Some(sasl_tapped)) = (node.get("TAPPED"), node.get("SASL_TAPPED")) else {
            return Err(refused(keeper));
        };
        tap.lead_to(tapped);
        sasl_tap.lead_to(sasl_tapped);
        Ok(Self { keeper, directory, node, tap, sasl_tap, is_shared })
    }

    /// The address of `PLAINTEXT`.
    pub fn address(&self) -> &str {
        self.address_of(Listener::Plaintext)
    }

    /// The address of a listener.
    ///
    /// # Panics
    /// The script has not said it.
    pub fn address_of(&self, listener: Listener) -> &str {
        self.named(listener.protocol())
    }

    /// The address of the listener for Kerberos.
    ///
    /// # Panics
    /// It was started without.
    pub fn kerberos_address(&self) -> &str {
        self.named("KERBEROS")
    }

    /// The file of the authority that signed its certificate.
    pub fn ca(&self) -> &Path {
        Path::new(self.named("CA"))
    }

    /// Whom SASL lets in.
    pub fn username(&self) -> &str {
        self.named("USERNAME")
    }

    /// With what.
    pub fn password(&self) -> &str {
        self.named("PASSWORD")
    }

    fn named(&self, name: &str) -> &str {
        self.node.get(name).unwrap_or_else(|| panic!("the script says {name}"))
    }

    /// Settings of a client through a listener.
    pub fn client(&self, listener: Listener) -> ClientConfig {
        self.client_at(listener, self.address_of(listener))
    }

    /// Settings of a client through a listener that is reached at another address, such as a tap's.
    pub fn client_at(&self, listener: Listener, address: &str) -> ClientConfig {
        let access = Access { address, ca: self.named("CA"), username: self.username(), password: self.password() };
        listener::client(listener, &access)
    }

    /// The tap that clients of its address, and what they learn there, go through; without SASL.
    pub fn tap(&self) -> &Tap {
        &self.tap
    }

    /// As [`Broker::tap`], with SASL.
    pub fn sasl_tap(&self) -> &Tap {
        &self.sasl_tap
    }

    /// What the node has logged since it was started last.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.directory.join("log")).unwrap_or_default()
    }

    /// Transactions whose markers the node has skipped, by its own log of all its lives.
    ///
    /// A coordinator that was killed between a transaction's decision and its markers finds no leader for the partitions
    /// while the one node there is comes back, takes them for deleted, and calls the transaction complete (Apache Kafka
    /// 4.4). Its partitions then hold a transaction that nobody ends, and its group offsets that nobody decides.
    pub fn skipped_markers(&self) -> usize {
        let before = std::fs::read_to_string(self.directory.join("log.before")).unwrap_or_default();
        [before, self.log()].iter().map(|log| log.matches(SKIPPED_MARKERS).count()).sum()
    }

    /// Copies what it has on disk, and what it has logged, into a directory; it goes on running.
    ///
    /// # Panics
    /// It cannot be copied.
    pub fn keep(&self, into: &Path) {
        for name in ["data", "log", "log.before"] {
            let from = self.directory.join(name);
            if from.exists() {
                let copied = Command::new("cp").arg("-r").arg(&from).arg(into).status().expect("cp starts");
                assert!(copied.success(), "{} is not copied", from.display());
            }
        }
    }

    /// Ends it with SIGKILL; [`Broker::restart`] brings it back.
    ///
    /// # Panics
    /// It is the shared one.
    pub fn kill(&self) {
        self.call("kill");
        // Its last threads may hold its ports for a moment longer.
        until("nobody to listen", || TcpStream::connect(self.address()).is_err().then_some(()));
    }

    /// Starts it on the same data and ports; if it runs, it is ended in good order first.
    ///
    /// # Panics
    /// It is the shared one, or does not start.
    pub fn restart(&self) {
        self.call("restart");
    }

    fn call(&self, command: &str) {
        assert!(!self.is_shared, "other tests need the shared broker; take one of your own");
        let output = script(command, &self.directory).stdin(Stdio::null()).output().expect("the script starts");
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

/// A name for a topic, a group or a client that no other test of this process has.
pub(super) fn unique(name: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("{name}-{}", COUNT.fetch_add(1, Ordering::Relaxed))
}

fn script(command: &str, directory: &Path) -> Command {
    let mut script = Command::new(fixtures::repository().join("tests/kafka/kafka"));
    script.args([command, "--dir"]).arg(directory);
    script
}

/// What the script prints, until it closes its standard output.
fn lines(keeper: &mut Child) -> Vec<String> {
    let stdout = BufReader::new(keeper.stdout.take().expect("a pipe"));
    let (sender, received) = channel();
    thread::spawn(move || {
        // Whoever does not wait any more has said why.
        let _ = sender.send(stdout.lines().map_while(Result::ok).collect::<Vec<_>>());
    });
    received.recv_timeout(STARTS_WITHIN).unwrap_or_else(|_| {
        let _ = keeper.kill();
        panic!("Kafka does not start within {STARTS_WITHIN:?}")
    })
}

/// Why the script refuses to start one. What is missing on the machine is a reason everywhere, anything else a failure in
/// CI.
fn refused(mut keeper: Child) -> String {
    drop(keeper.stdin.take());
    let mut said = String::new();
    let _ = keeper.stderr.take().expect("a pipe").read_to_string(&mut said);
    let status = keeper.wait().expect("the script ends");
    let is_missing = status.code() == Some(NOT_INSTALLED);
    assert!(is_missing || std::env::var_os("CI").is_none(), "Kafka does not start:\n{said}");
    said.trim().to_owned()
}

fn not_run(reason: &str) {
    let thread = thread::current();
    eprintln!("not run: {}: {reason}", thread.name().unwrap_or("a test"));
}
