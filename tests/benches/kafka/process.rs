//! What is measured, as a process of its own.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use streamlet_host::sidecar::BatchCaps;
use streamlet_host::sidecar::kafka::{PortTopic, QuickFlags, Settings};
use streamlet_tests::guests;
use streamlet_tests::kafka::{Broker, Group, Topic};

/// How long a drain may take.
const PATIENCE: Duration = Duration::from_mins(5);
/// How often is looked how far it is.
const INTERVAL: Duration = Duration::from_millis(20);

/// Who is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    Floor,
    Run,
    ExactlyOnce,
}

impl Subject {
    pub(crate) const ALL: [Self; 3] = [Self::Floor, Self::Run, Self::ExactlyOnce];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Floor => "floor",
            Self::Run => "run",
            Self::ExactlyOnce => "run exactly once",
        }
    }
}

/// One of them, running.
pub(crate) struct Process {
    child: Child,
    group: Group,
    began: Instant,
}

/// What a drain took.
pub(crate) struct Drained {
    pub(crate) elapsed: Duration,
    pub(crate) processor: Duration,
    /// Records in it.
    pub(crate) records: usize,
}

/// The settings of both, which the product's flags give.
pub(crate) fn settings(broker: &str, group: &str, input: &str, outputs: &[String]) -> Settings {
    let [valid, review] = outputs else { panic!("two outputs") };
    let topic = |port: &str, topic: &str| PortTopic { port: Some(port.into()), topic: topic.into() };
    let flags = QuickFlags {
        bootstrap: broker.into(),
        inlets: vec![topic("in", input)],
        outlets: vec![topic("valid", valid), topic("review", review)],
        group: Some(group.into()),
        parameters: Vec::new(),
        caps: BatchCaps::default(),
    };
    let descriptor = include_str!("../../../examples/cart-router/flow/descriptor.json");
    Settings::from_flags(&flags, &streamlet_protocol::json::from_json(descriptor).unwrap()).unwrap()
}

impl Process {
    pub(crate) fn start(subject: Subject, broker: &Broker, input: &Topic, outputs: &[Topic; 2]) -> Self {
        let group = broker.group("bench");
        let [valid, review] = outputs.each_ref().map(Topic::name);
        let mut command = match subject {
            Subject::Floor => {
                let mut command = Command::new(std::env::current_exe().unwrap());
                command.args(["floor", broker.address(), group.name(), input.name(), valid, review]);
                command
            }
            Subject::Run | Subject::ExactlyOnce => {
                let mut command = Command::new(env!("CARGO_BIN_EXE_streamlet-under-test"));
                command.arg("run").arg(guests::component("cart-router")).args(["--bootstrap", broker.address()]);
                command.args(["--inlet", input.name(), "--group", group.name(), "--quiet", "--log", "warn"]);
                command.args(["--outlet", &format!("valid={valid}"), "--outlet", &format!("review={review}")]);
                if subject == Subject::ExactlyOnce {
                    command.arg("--exactly-once");
                }
                command
            }
        };
        let began = Instant::now();
        Self { child: command.stdin(Stdio::null()).spawn().unwrap(), group, began }
    }

    /// What a drain takes from the first tenth of the records to the last one: starting, compiling and joining the group
    /// are not in it. What is committed counts.
    pub(crate) fn drain(self, records: usize, input: &Topic) -> Drained {
        let first = self.wait_for(records / 10, input);
        let began = (Instant::now(), self.processor());
        let last = self.wait_for(records, input);
        Drained {
            elapsed: began.0.elapsed(),
            processor: self.processor().saturating_sub(began.1),
            records: last - first,
        }
    }

    /// Waits until so many records are committed, and gives how many are.
    fn wait_for(&self, records: usize, input: &Topic) -> usize {
        loop {
            let committed = input.committed(&self.group).iter().flatten().sum::<i64>();
            let committed = usize::try_from(committed).unwrap();
            if committed >= records {
                return committed;
            }
            assert!(self.began.elapsed() < PATIENCE, "{committed} of {records} committed");
            std::thread::sleep(INTERVAL);
        }
    }

    /// Time on processors so far, of all its threads.
    fn processor(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        let fields = stat.rsplit(')').next().unwrap().split_whitespace().collect::<Vec<_>>();
        // utime and stime, in hundredths of a second on every Linux of today.
        let ticks = [fields[11], fields[12]].map(|ticks| ticks.parse::<u64>().unwrap()).iter().sum::<u64>();
        Duration::from_millis(ticks * 10)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
