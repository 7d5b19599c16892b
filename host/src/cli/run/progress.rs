//! Tells a run on Kafka while it lasts: one live line per inlet for people, or JSON lines for programs.

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::console::Console;
use crate::sidecar::kafka::{Monitor, State};

/// How often the lines are renewed, for people and for programs.
const INTERVALS: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(1));
/// Columns of a line where the terminal does not say how wide it is.
const COLUMNS: usize = 79;
/// Lines that may wait for a program to read.
const WAITING_LINES_MAX: usize = 16;
/// How long the last one may take.
const FINISH_WAIT: Duration = Duration::from_secs(1);

/// Who is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    /// Somebody at a terminal.
    Person,
    /// A program that reads standard output.
    Program,
    Nobody,
}

/// A line for programs.
#[derive(Serialize)]
struct Line<'a> {
    event: &'static str,
    elapsed_ms: u128,
    ready: bool,
    inlets: Vec<Inlet<'a>>,
    /// Emits written, by outlet.
    emits: std::collections::BTreeMap<&'a str, u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trouble: Option<&'a str>,
}

#[derive(Serialize)]
struct Inlet<'a> {
    #[serde(rename = "inlet")]
    name: &'a str,
    partitions: usize,
    records: u64,
    batches: u64,
    /// Emits written of its records.
    emits: u64,
    set_aside: u64,
    failures: u64,
    lag: Option<u64>,
    in_flight: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    failing_partition: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_error: Option<&'a str>,
}

/// Tells until it is dropped.
pub(super) async fn tell(told: Told, console: Console, printer: Arc<Printer>, monitor: Arc<Monitor>, began: Instant) {
    let interval = match told {
        Told::Person => INTERVALS.0,
        Told::Program => INTERVALS.1,
        Told::Nobody => return,
    };
    let mut ticks = tokio::time::interval(interval);
    let mut last = (Instant::now(), monitor.state());
    loop {
        ticks.tick().await;
        let state = monitor.state();
        if told == Told::Person {
            console.progress(&lines(&state, &last.1, last.0.elapsed(), columns()).join("\n"));
        } else {
            printer.print(&state, "progress", began);
        }
        last = (Instant::now(), state);
    }
}

/// Prints lines for programs, from a thread of its own: one that pauses its reading keeps nobody else waiting. Lines that
/// it does not take in time are left out.
#[derive(Debug)]
pub(super) struct Printer {
    lines: SyncSender<Vec<u8>>,
    is_idle: Arc<AtomicBool>,
}

impl Printer {
    pub(super) fn new() -> Self {
        let (lines, received) = sync_channel::<Vec<u8>>(WAITING_LINES_MAX);
        let is_idle = Arc::new(AtomicBool::new(true));
        let idle = Arc::clone(&is_idle);
        // Without the thread nothing is printed, which is all that can be done.
        let _ = std::thread::Builder::new().name("progress".into()).spawn(move || {
            for line in received {
                // One who has closed it does not want to know.
                let _ = std::io::stdout().write_all(&line);
                idle.store(true, Ordering::Release);
            }
        });
        Self { lines, is_idle }
    }

    /// Prints a line.
    pub(super) fn print(&self, state: &State, event: &'static str, began: Instant) {
        if let Ok(mut line) = serde_json::to_vec(&Line::of(state, event, began)) {
            line.push(b'\n');
            self.is_idle.store(false, Ordering::Release);
            let _ = self.lines.try_send(line);
        }
    }

    /// Waits until the last line is taken, for a while.
    pub(super) fn finish(&self) {
        let began = Instant::now();
        while !self.is_idle.load(Ordering::Acquire) && began.elapsed() < FINISH_WAIT {
            std::thread::sleep(FINISH_WAIT / 100);
        }
    }
}

impl<'a> Line<'a> {
    fn of(state: &'a State, event: &'static str, began: Instant) -> Self {
        let inlets = state.inlets.iter().map(|inlet| Inlet {
            name: &inlet.name,
            partitions: inlet.partitions,
            records: inlet.records,
            batches: inlet.batches,
            emits: inlet.emits,
            set_aside: inlet.set_aside,
            failures: inlet.failures,
            lag: inlet.lag,
            in_flight: inlet.in_flight,
            failing_partition: inlet.failing.as_ref().map(|(partition, _)| *partition),
            last_error: inlet.failing.as_ref().map(|(_, error)| error.as_str()),
        });
        Self {
            event,
            elapsed_ms: began.elapsed().as_millis(),
            ready: state.is_ready,
            inlets: inlets.collect(),
            emits: state.emits.iter().map(|(outlet, count)| (outlet.as_str(), *count)).collect(),
            trouble: state.trouble.as_deref(),
        }
    }
}

/// A line per inlet, with its last error behind it, and one for what is wrong with Kafka.
fn lines(state: &State, last: &State, since: Duration, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for (index, inlet) in state.inlets.iter().enumerate() {
        let before = last.inlets.get(index).map_or(0, |inlet| inlet.records);
        let rate = per_second(inlet.records.saturating_sub(before), since);
        let lag = inlet.lag.map_or_else(|| "?".into(), |lag| lag.to_string());
        let mut line = format!(
            "{}: {} records in ({rate}/s), {} emits out, lag {lag}, in flight {}",
            inlet.name, inlet.records, inlet.emits, inlet.in_flight
        );
        if let Some((partition, error)) = &inlet.failing {
            let _ = write!(line, "; partition {partition}: {error}");
        }
        lines.push(line);
    }
    if !state.is_ready {
        lines.push(match &state.trouble {
            Some(trouble) => format!("not ready: {trouble}"),
            None => "not ready: waiting for topics and partitions".into(),
        });
    }
    lines.iter().map(|line| line.chars().filter(|character| !character.is_control()).take(columns).collect()).collect()
}

/// Columns that a line may take: it must stay on one line of the terminal.
fn columns() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stderr());
    size.map_or(COLUMNS, |size| usize::from(size.ws_col).max(20) - 1)
}

/// The summary of a run, on one line.
pub(super) fn summary(state: &State, elapsed: Duration) -> String {
    let records = state.inlets.iter().map(|inlet| inlet.records).sum::<u64>();
    let batches = state.inlets.iter().map(|inlet| inlet.batches).sum::<u64>();
    let failures = state.inlets.iter().map(|inlet| inlet.failures).sum::<u64>();
    let set_aside = state.inlets.iter().map(|inlet| inlet.set_aside).sum::<u64>();
    let emits = state.emits.iter().map(|(_, count)| count).sum::<u64>();
    let by_outlet = state.emits.iter().map(|(outlet, count)| format!("{outlet} {count}")).collect::<Vec<_>>();
    let mut summary = format!("{records} records in {batches} batches: {emits} emits ({})", by_outlet.join(", "));
    if set_aside > 0 {
        let _ = write!(summary, ", {set_aside} poison records set aside");
    }
    if failures > 0 {
        let _ = write!(summary, ", {failures} tries failed");
    }
    summary + &format!(", {} records/s", per_second(records, elapsed))
}

fn per_second(count: u64, elapsed: Duration) -> u128 {
    u128::from(count) * 1000 / elapsed.as_millis().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sidecar::kafka::InletState;

    #[test]
    fn an_inlet_is_one_line_that_fits_a_terminal() {
        let inlet = InletState {
            name: "in".into(),
            partitions: 2,
            records: 150,
            batches: 3,
            emits: 60,
            set_aside: 0,
            failures: 1,
            lag: Some(7),
            in_flight: 1,
            failing: Some((3, "the streamlet failed the batch: it is\nlong ".repeat(9))),
        };
        let before = State {
            is_ready: true,
            inlets: vec![InletState { records: 50, ..inlet.clone() }],
            emits: vec![("valid".into(), 60)],
            trouble: None,
        };
        let now = State { inlets: vec![inlet], is_ready: false, trouble: Some("no broker".into()), ..before.clone() };
        assert_eq!(
            lines(&now, &before, Duration::from_millis(500), 100),
            [
                "in: 150 records in (200/s), 60 emits out, lag 7, in flight 1; partition 3: the streamlet failed the ",
                "not ready: no broker"
            ]
        );
        assert_eq!(lines(&now, &before, Duration::from_millis(500), 10), ["in: 150 re", "not ready:"]);
    }
}
