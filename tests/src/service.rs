//! `streamlet serve` as a pod runs it: a process with a port and a log, killed when the test is done with it.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::figures::stat_hundredths;
use crate::program::Program;
use crate::sidecar::Sidecar;

/// How long a line of the log, or an end, may take to come.
const PATIENCE: Duration = Duration::from_secs(30);
/// Lines of guests that are kept of the log: some of them flood it.
const GUEST_LINES_MAX: usize = 1000;

/// A serving process.
#[derive(Debug)]
pub struct Service {
    child: Child,
    address: String,
    log: Arc<Log>,
}

#[derive(Debug, Default)]
struct Log {
    lines: Mutex<Vec<String>>,
    grown: Condvar,
}

impl Service {
    /// Starts `program`, a `streamlet serve` without a port, and waits until it is ready.
    ///
    /// # Panics
    /// It does not get ready.
    pub fn start(program: Program) -> Self {
        let mut service = Self::spawn(program, 0);
        let line = service.wait_for(": ready ");
        let (_, rest) = line.split_once("address=").expect("the line names the address");
        rest.split(' ').next().unwrap().clone_into(&mut service.address);
        service
    }

    /// Starts `program` on a free port, without waiting for anything.
    pub fn begin(program: Program) -> Self {
        let port = free_port();
        let mut service = Self::spawn(program, port);
        service.address = format!("127.0.0.1:{port}");
        service
    }

    fn spawn(program: Program, port: u16) -> Self {
        let mut command = program.args(&["--port", &port.to_string()]).into_command();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).env_remove("FLOW_PROCESS_PORT");
        let mut child = command.spawn().expect("the binary starts");
        let mut stderr = BufReader::with_capacity(64 << 10, child.stderr.take().unwrap());
        let log = Arc::new(Log::default());
        let written = Arc::clone(&log);
        thread::spawn(move || {
            let (mut line, mut guests) = (String::new(), 0);
            while stderr.read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
                let is_guests = line.contains(" guest: ");
                guests += usize::from(is_guests);
                if !is_guests || guests <= GUEST_LINES_MAX {
                    written.lines.lock().unwrap().push(line.trim_end_matches('\n').to_owned());
                    written.grown.notify_all();
                }
                line.clear();
            }
        });
        Self { child, address: String::new(), log }
    }

    /// Its address, `host:port`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// A connection as the sidecar makes one.
    ///
    /// # Panics
    /// Nobody listens.
    pub async fn dial(&self) -> Sidecar {
        Sidecar::dial(&self.address).await
    }

    /// Everything it has logged.
    pub fn log(&self) -> String {
        self.log.lines.lock().unwrap().join("\n")
    }

    /// The first line of its log that has this in it, once it comes.
    ///
    /// # Panics
    /// None comes.
    pub fn wait_for(&self, part: &str) -> String {
        let began = Instant::now();
        let mut lines = self.log.lines.lock().unwrap();
        loop {
            if let Some(line) = lines.iter().find(|line| line.contains(part)) {
                return line.clone();
            }
            assert!(began.elapsed() < PATIENCE, "no line has {part:?}:\n{}", lines.join("\n"));
            lines = self.log.grown.wait_timeout(lines, Duration::from_millis(100)).unwrap().0;
        }
    }

    /// Sends it a signal, such as `TERM`.
    ///
    /// # Panics
    /// There is no `kill`.
    pub fn signal(&self, name: &str) {
        let status = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status();
        assert!(status.expect("there is `kill`").success());
    }

    /// Whether it still runs.
    ///
    /// # Panics
    /// The system cannot say.
    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Its exit code, which has to come within `time`; none if a signal ended it.
    ///
    /// # Panics
    /// It runs on.
    pub fn end(&mut self, time: Duration) -> Option<i32> {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(began.elapsed() < time, "it runs on after {time:?}; its log:\n{}", self.log());
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Bytes of its resident memory.
    ///
    /// # Panics
    /// The system cannot say.
    pub fn resident_bytes(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a line VmRSS");
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
    }

    /// The processor time that its live threads have used.
    ///
    /// # Panics
    /// The system cannot say.
    pub fn processor_time(&self) -> Duration {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap();
        let nanos = tasks.filter_map(|task| {
            // A thread may end while they are read.
            let told = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
            told.split(' ').next()?.parse::<u64>().ok()
        });
        Duration::from_nanos(nanos.sum())
    }

    /// The processor time it has used, in the system's ticks of a hundredth of a second.
    ///
    /// # Panics
    /// The system cannot say.
    pub fn processor_hundredths(&self) -> u64 {
        // Behind the name: user time is the 12th field, system time the 13th.
        stat_hundredths(&self.child.id().to_string(), 11)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A port that was free a moment ago.
///
/// # Panics
/// There is none.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
