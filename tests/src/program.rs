//! The binary as a black box: arguments and bytes in, bytes and an exit code out, and nothing may hang.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long a run may take before it counts as hanging.
const PATIENCE: Duration = Duration::from_mins(1);

/// A run to be.
#[derive(Debug)]
pub struct Program {
    command: Command,
    input: Vec<u8>,
}

/// A run that has ended.
#[derive(Debug)]
pub struct Ran {
    /// The exit code; none if a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Program {
    /// The binary at `path` under its own name, with nothing of the product's in its environment and a terminal of fixed
    /// width.
    pub fn at(path: impl AsRef<Path>) -> Self {
        let mut command = Command::new(path.as_ref());
        command.arg0("streamlet").env("COLUMNS", "100");
        let is_ours = |name: &str| name.starts_with("STREAMLET_") || name.starts_with("FLOW_");
        for (name, _) in std::env::vars_os().filter(|(name, _)| is_ours(&name.to_string_lossy())) {
            command.env_remove(name);
        }
        command.env("XDG_CACHE_HOME", cache_home());
        Self { command, input: Vec::new() }
    }

    /// With one more argument.
    #[must_use]
    pub fn arg(mut self, argument: impl Into<PathBuf>) -> Self {
        self.command.arg(argument.into());
        self
    }

    /// With more arguments.
    #[must_use]
    pub fn args(mut self, arguments: &[&str]) -> Self {
        self.command.args(arguments);
        self
    }

    /// With this on its standard input, which then ends.
    #[must_use]
    pub fn input(self, input: impl AsRef<[u8]>) -> Self {
        Self { input: input.as_ref().to_vec(), ..self }
    }

    /// In this directory.
    #[must_use]
    pub fn within(mut self, directory: &Path) -> Self {
        self.command.current_dir(directory);
        self
    }

    /// With this in its environment.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Without this in its environment.
    #[must_use]
    pub fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// The command, for whoever wants to run it otherwise.
    pub(crate) fn into_command(self) -> Command {
        self.command
    }

    /// Runs it to its end.
    ///
    /// # Panics
    /// It hangs.
    pub fn run(mut self) -> Ran {
        let input = std::mem::take(&mut self.input);
        let mut live = self.spawn();
        let mut stdin = live.stdin.take().unwrap();
        // A run that reads nothing closes the pipe.
        let writing = thread::spawn(move || drop(stdin.write_all(&input)));
        let ran = live.end();
        writing.join().unwrap();
        ran
    }

    /// Starts it with its standard input open.
    ///
    /// # Panics
    /// It cannot be started.
    pub fn spawn(mut self) -> Live {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().expect("the binary starts");
        let (sender, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let reading = thread::spawn(move || {
            // Whoever does not look at the lines any more wants none.
            let _ = stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line));
        });
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let (sender, error_lines) = channel();
        let errors = thread::spawn(move || {
            let mut text = String::new();
            let mut start = 0;
            while stderr.read_line(&mut text).expect("standard error is text") > 0 {
                // Whoever waits for the end wants the whole text alone.
                let _ = sender.send(text[start..].trim_end().to_owned());
                start = text.len();
            }
            text
        });
        Live { stdin: child.stdin.take(), child, lines, error_lines, reading, errors: Some(errors) }
    }
}

/// Where the binary keeps what it compiles, for all tests together: beside the tests' own program, not in the home of
/// whoever runs them.
fn cache_home() -> PathBuf {
    let program = std::env::current_exe().expect("the tests are a program");
    program.with_file_name("streamlet-tests-cache")
}

/// A run that lasts.
#[derive(Debug)]
pub struct Live {
    /// Its standard input, until it is taken or dropped.
    pub stdin: Option<ChildStdin>,
    child: Child,
    lines: Receiver<String>,
    error_lines: Receiver<String>,
    reading: JoinHandle<()>,
    errors: Option<JoinHandle<String>>,
}

impl Live {
    /// Its process's id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Writes to its standard input.
    ///
    /// # Panics
    /// It does not read any more.
    pub fn write(&mut self, text: impl AsRef<[u8]>) {
        self.stdin.as_mut().expect("its input is open").write_all(text.as_ref()).expect("it reads");
    }

    /// The next line of its standard output.
    ///
    /// # Panics
    /// None comes.
    pub fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("a line comes")
    }

    /// The next line of its standard error, which is in what [`Live::end`] returns all the same.
    ///
    /// # Panics
    /// None comes.
    pub fn error_line(&self) -> String {
        self.error_lines.recv_timeout(PATIENCE).expect("a line comes")
    }

    /// Whether nothing comes for this long.
    pub fn is_silent(&self, time: Duration) -> bool {
        self.lines.recv_timeout(time).is_err()
    }

    /// Sends it a signal, such as `INT`.
    ///
    /// # Panics
    /// There is no `kill`.
    pub fn signal(&self, name: &str) {
        let status = Command::new("kill").args([&format!("-{name}"), &self.id().to_string()]).status();
        assert!(status.expect("there is `kill`").success());
    }

    /// Waits for its end; lines that were taken before are not in what is returned.
    ///
    /// # Panics
    /// It hangs.
    pub fn end(mut self) -> Ran {
        drop(self.stdin.take());
        self.wait()
    }

    /// As [`Live::end`], with the standard input left open.
    ///
    /// # Panics
    /// It hangs.
    pub fn wait(mut self) -> Ran {
        let began = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if began.elapsed() > PATIENCE {
                self.child.kill().unwrap();
                let stderr = self.errors.take().map(JoinHandle::join);
                panic!("it hangs; standard error: {stderr:?}");
            }
            thread::sleep(Duration::from_millis(2));
        };
        let lines = self.lines.iter().map(|line| line + "\n").collect();
        self.reading.join().unwrap();
        let stderr = self.errors.take().map(|errors| errors.join().unwrap()).unwrap_or_default();
        Ran { code: status.code(), stdout: lines, stderr }
    }
}
