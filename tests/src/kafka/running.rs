//! A streamlet that runs on Kafka, from outside: its log, progress, state files, health, and how it ends.

use std::fs;
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::Value;

use super::{until, within};
use crate::program::Program;

/// A process and what it has said so far. It is killed with this value.
#[derive(Debug)]
pub struct Running {
    child: Child,
    directory: PathBuf,
    progress: Lines,
    log: Lines,
    reading: Vec<JoinHandle<()>>,
}

/// Lines that grow.
type Lines = Arc<Mutex<Vec<String>>>;

/// An end, with everything that was said before.
#[derive(Debug)]
pub struct Ended {
    /// The exit code; none if a signal ended it.
    pub code: Option<i32>,
    /// The lines of its log.
    pub log: Vec<String>,
    /// The lines of its progress.
    pub progress: Vec<Value>,
}

impl Running {
    /// Starts `program`, a `streamlet run` with a component, on the files in `directory`.
    pub(super) fn start(program: Program, directory: PathBuf) -> Self {
        let state = directory.join("state");
        let mut command = program
            .args(&["--json", "--metrics-port", "0", "--config-dir"])
            .arg(&directory)
            .args(&["--state-dir"])
            .arg(state)
            .into_command();
        for name in ["FLOW_CONFIG_DIR", "FLOW_STATE_DIR", "FLOW_METRICS_PORT", "FLOW_STALL_WARNING_AFTER"] {
            command.env_remove(name);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let (stdout, stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        let (progress, log) = (Lines::default(), Lines::default());
        let reading = vec![keep(stdout, &progress), keep(stderr, &log)];
        Self { child, directory, progress, log, reading }
    }

    /// Whether `ready` is there.
    pub fn is_ready(&self) -> bool {
        self.state_file("ready").exists()
    }

    /// A file that it keeps for probes.
    pub fn state_file(&self, name: &str) -> PathBuf {
        self.directory.join("state").join(name)
    }

    /// Where its configuration is.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Waits until `ready` is there.
    ///
    /// # Panics
    /// It does not come.
    #[track_caller]
    pub fn wait_ready(&self) {
        self.wait("ready", || self.is_ready().then_some(()));
    }

    /// Waits until `look` finds something of it.
    ///
    /// # Panics
    /// It does not.
    #[track_caller]
    pub fn wait<T>(&self, what: &str, look: impl FnMut() -> Option<T>) -> T {
        until(what, look)
    }

    /// Everything it has logged.
    pub fn log(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }

    /// How many lines of its log have this in them.
    pub fn logged(&self, part: &str) -> usize {
        self.log.lock().unwrap().iter().filter(|line| line.contains(part)).count()
    }

    /// The first line of its log that has this in it, once it comes.
    ///
    /// # Panics
    /// None comes.
    #[track_caller]
    pub fn wait_for(&self, part: &str) -> String {
        self.wait(&format!("a line with {part:?}"), || {
            self.log.lock().unwrap().iter().find(|line| line.contains(part)).cloned()
        })
    }

    /// What it says at a path of its port for metrics and health: status and body.
    ///
    /// # Panics
    /// It does not answer.
    #[track_caller]
    pub fn get(&self, path: &str) -> (u16, String) {
        let line = self.wait_for("metrics and health are served");
        let (_, rest) = line.split_once("address=").expect("the line names the address");
        let mut stream = TcpStream::connect(rest.split(' ').next().unwrap()).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    /// The value of a metric, such as `streamlet_ready` or `name{inlet="in"}`; none if it is not there.
    #[track_caller]
    pub fn metric(&self, series: &str) -> Option<f64> {
        let (_, text) = self.get("/metrics");
        let value = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' ').map(str::to_owned))?;
        Some(value.parse().unwrap())
    }

    /// Conversations that it has begun.
    #[track_caller]
    pub fn conversations(&self) -> f64 {
        self.metric("streamlet_conversations_total").expect("a metric")
    }

    /// Asks it to end, with SIGTERM.
    ///
    /// # Panics
    /// There is no `kill`.
    pub fn terminate(&self) {
        let status = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        assert!(status.expect("there is `kill`").success());
    }

    /// Ends it with SIGKILL.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks it to end, and waits for that.
    ///
    /// # Panics
    /// It does not.
    #[track_caller]
    pub fn stop(self) -> Ended {
        self.terminate();
        self.end()
    }

    /// Whether it still runs.
    ///
    /// # Panics
    /// The system cannot say.
    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// It does not come.
    #[track_caller]
    pub fn end(mut self) -> Ended {
        let status = within(Duration::from_secs(30), "the end", || self.child.try_wait().unwrap());
        for reading in self.reading.drain(..) {
            reading.join().unwrap();
        }
        let lines = self.progress.lock().unwrap();
        let progress = lines.iter().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
        Ended { code: status.code(), log: self.log(), progress }
    }
}

/// What it has logged is told if its test fails.
impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if thread::panicking() {
            eprintln!("the log of a streamlet:\n{}", self.log().join("\n"));
        }
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// Keeps what is read, line by line.
fn keep(from: impl Read + Send + 'static, lines: &Lines) -> JoinHandle<()> {
    let lines = Arc::clone(lines);
    thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            lines.lock().unwrap().push(line);
        }
    })
}
