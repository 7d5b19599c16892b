//! The members of one group, as processes.

use std::fmt;
use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use streamlet_tests::guests;
use streamlet_tests::kafka::{Broker, Group as Name, Record, Topic};

use crate::random::Random;

/// Members that are to be there, and that may be.
const MEMBERS: (usize, usize) = (2, 3);
/// How long a group waits for a member that says nothing.
const SESSION: Duration = Duration::from_secs(6);
/// How long a member that is stopped may take.
const STOPS_WITHIN: Duration = Duration::from_secs(30);
/// How long the outcome of a transaction that was left open may take: its time-out, and until that is looked for.
const VISIBLE_WITHIN: Duration = Duration::from_mins(1);
/// How often is looked.
const INTERVAL: Duration = Duration::from_millis(100);

/// How a group delivers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    AtLeastOnce,
    ExactlyOnce,
}

impl Mode {
    pub(crate) const ALL: [Self; 2] = [Self::AtLeastOnce, Self::ExactlyOnce];
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AtLeastOnce => "at least once",
            Self::ExactlyOnce => "exactly once",
        })
    }
}

/// A group, its topics and its members.
pub(crate) struct Group {
    mode: Mode,
    name: Name,
    arguments: Vec<String>,
    outputs: [Topic; 2],
    members: Vec<Child>,
    logs: tempfile::TempDir,
    started: usize,
}

impl Group {
    pub(crate) fn start(mode: Mode, broker: &Broker, input: &Topic) -> Self {
        let outputs = [broker.topic("even", crate::PARTITIONS), broker.topic("odd", crate::PARTITIONS)];
        let name = broker.group("chaos");
        let component = guests::component("flaky");
        let logs = tempfile::tempdir().unwrap();
        let directory = logs.path();
        std::fs::write(directory.join("streamlet.conf"), conf(mode, broker, &name, input, &outputs)).unwrap();
        let described = Command::new(env!("CARGO_BIN_EXE_streamlet-under-test"))
            .args(["descriptor", component.to_str().unwrap(), "--out"])
            .arg(directory.join("descriptor.json"))
            .status();
        assert!(described.unwrap().success(), "the guest is described");
        let flags = ["--max-backoff", "2 s", "--log-format", "json", "--config-dir", directory.to_str().unwrap()];
        let mut arguments = ["run", component.to_str().unwrap()].map(str::to_owned).to_vec();
        arguments.extend(flags.map(str::to_owned));
        if mode == Mode::ExactlyOnce {
            arguments.push("--exactly-once".to_owned());
        }
        let mut group = Self { mode, name, arguments, outputs, members: Vec::new(), logs, started: 0 };
        group.mend();
        group
    }

    pub(crate) fn mode(&self) -> Mode {
        self.mode
    }

    /// There are as many members as there are to be.
    pub(crate) fn mend(&mut self) {
        while self.members.len() < MEMBERS.0 {
            self.add();
        }
    }

    fn add(&mut self) {
        let log = File::create(self.logs.path().join(self.started.to_string())).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_streamlet-under-test"));
        command.args(&self.arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        self.members.push(command.spawn().unwrap());
        self.started += 1;
    }

    /// One more member, if there may be one.
    pub(crate) fn join(&mut self) -> bool {
        let may_join = self.members.len() < MEMBERS.1;
        if may_join {
            self.add();
        }
        may_join
    }

    /// A member dies without a word, and another one comes in its place.
    pub(crate) fn kill_one(&mut self, random: &mut Random) {
        let mut member = self.take(random);
        member.kill().unwrap();
        member.wait().unwrap();
        self.mend();
    }

    /// A member is asked to leave, and another one comes in its place.
    pub(crate) fn stop_one(&mut self, random: &mut Random) {
        let member = self.take(random);
        stopped(member);
        self.mend();
    }

    /// A member stands still for longer than its group waits for it, and then goes on as if nothing had been.
    pub(crate) fn freeze_one(&mut self, random: &mut Random) {
        let last = u64::try_from(self.members.len()).unwrap() - 1;
        let member = &self.members[usize::try_from(random.between(0, last)).unwrap()];
        signal(member, "-STOP");
        thread::sleep(SESSION + Duration::from_secs(2));
        signal(member, "-CONT");
    }

    fn take(&mut self, random: &mut Random) -> Child {
        let last = u64::try_from(self.members.len()).unwrap() - 1;
        self.members.swap_remove(usize::try_from(random.between(0, last)).unwrap())
    }

    /// Records of transactions that were aborted: members were killed while they had one open.
    pub(crate) fn aborted(&self, committed: &[Vec<Record>; 2]) -> usize {
        let all = self.outputs.iter().map(|topic| topic.read_uncommitted().len()).sum::<usize>();
        all - committed.iter().map(Vec::len).sum::<usize>()
    }

    /// Waits until everything is processed.
    pub(crate) fn settle(&self, input: &Topic, patience: Duration) {
        let began = Instant::now();
        loop {
            let (ends, committed) = (input.ends(), input.committed(&self.name));
            if committed.iter().zip(&ends).all(|(committed, end)| committed.unwrap_or(0) == *end) {
                return;
            }
            assert!(
                began.elapsed() < patience,
                "{}: {committed:?} of {ends:?} are committed\n{}",
                self.mode,
                self.log()
            );
            thread::sleep(INTERVAL);
        }
    }

    /// Batches that failed, by what members have logged.
    pub(crate) fn faults(&self) -> usize {
        let log = self.log();
        log.matches("\"message\":\"batch failed\"").count() + log.matches("\"message\":\"conversation void\"").count()
    }

    fn log(&self) -> String {
        let of = |member: usize| std::fs::read_to_string(self.logs.path().join(member.to_string())).unwrap();
        (0..self.started).map(of).collect()
    }

    /// Copies what members have logged, and were told, to a directory of the group's name within this one.
    pub(crate) fn keep(&self, directory: &Path) {
        let logs = directory.join(self.mode.to_string().replace(' ', "-"));
        std::fs::create_dir_all(&logs).unwrap();
        for entry in std::fs::read_dir(self.logs.path()).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), logs.join(entry.file_name())).unwrap();
        }
    }

    pub(crate) fn stop(&mut self) {
        self.members.drain(..).for_each(stopped);
    }

    /// What stands at its outlets, even numbers, then odd ones, once it is so many records or more. What a member that
    /// was killed had open hides what comes after it until the coordinator gives it up.
    pub(crate) fn outputs(&self, expected: usize) -> [Vec<Record>; 2] {
        let began = Instant::now();
        loop {
            let outputs = self.outputs.each_ref().map(Topic::read);
            if outputs.iter().map(Vec::len).sum::<usize>() >= expected || began.elapsed() > VISIBLE_WITHIN {
                return outputs;
            }
            thread::sleep(INTERVAL);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        for member in &mut self.members {
            let _ = member.kill();
            let _ = member.wait();
        }
    }
}

/// What the members are told. `odds`: of a thousand batches so many fail, trap and are slow.
fn conf(mode: Mode, broker: &Broker, group: &Name, input: &Topic, [even, odd]: &[Topic; 2]) -> String {
    // One of each protocol.
    let strategy = match mode {
        Mode::AtLeastOnce => "range",
        Mode::ExactlyOnce => "cooperativesticky",
    };
    let (address, group, session) = (broker.address(), group.name(), SESSION.as_millis());
    let [input, even, odd] = [input, even, odd].map(Topic::name);
    format!(
        r#"
        flow {{
          pipeline = chaos, streamlet = flaky, config {{ odds = 5 }}
          inlets.in {{
            topic = {input}, group = {group}, bootstrap.servers = "{address}"
            consumer-config {{ session.timeout.ms = {session}, partition.assignment.strategy = {strategy} }}
          }}
          outlets {{
            even {{ topic = {even}, bootstrap.servers = "{address}" }}
            odd  {{ topic = {odd}, bootstrap.servers = "{address}" }}
          }}
        }}"#
    )
}

fn signal(member: &Child, signal: &str) {
    let sent = Command::new("kill").args([signal, &member.id().to_string()]).status().unwrap();
    assert!(sent.success(), "a member has ended by itself");
}

/// Asks a member to end, and waits.
///
/// One that gave something up, being slow, says so by its exit code: nothing is lost by that.
fn stopped(mut member: Child) {
    signal(&member, "-TERM");
    let began = Instant::now();
    let status = loop {
        if let Some(status) = member.try_wait().unwrap() {
            break status;
        }
        if began.elapsed() > STOPS_WITHIN {
            let _ = member.kill();
            let _ = member.wait();
            panic!("a member does not end when it is asked to");
        }
        thread::sleep(INTERVAL);
    };
    assert!(matches!(status.code(), Some(0 | 1)), "a member ends with {status}");
}
