//! How a call into a guest can end other than well, and what its author reads about it.

use std::time::Duration;

use wasmtime::{Trap as WasmTrap, WasmBacktrace};
use wasmtime_wasi::{I32Exit, ResourceTableError};

use super::instance::DESCRIPTOR_BYTES_MAX;
use super::limits::{Limits, Refusal};
use super::log::begins_a_panic;
use super::output::OutputFault;
use super::text::{self, bounded, cut, printable};
use super::wasi::RESOURCES_MAX;
use crate::batch::Cause;

/// Bytes of a message that a guest may fail with; the rest is cut.
const MESSAGE_BYTES_MAX: usize = 8 * 1024;
/// Parts of the engine's words for bytes that it cannot read as the type they should have.
const UNREADABLE: [&str; 6] = [
    "out of bounds of memory",
    "not aligned",
    "discriminant",
    "invalid utf-8",
    "realloc return",
    "converted to `char`",
];
/// Bytes of a failure's first line.
const HEADLINE_BYTES_MAX: usize = 1024;

/// Why a call gave no result. After all but [`Ended::Refused`] the instance is dead.
#[derive(Debug)]
pub enum Ended {
    /// `process` answered with an error, blaming a record by its index if it could.
    Refused {
        /// The guest's words, bounded.
        message: String,
        /// Index in the batch of the record to blame; never past its end.
        at: Option<usize>,
    },
    /// `start` answered with an error.
    NotStarted(String),
    /// The guest's code ended.
    Trapped(Box<Trap>),
    /// The output broke the contract, or grew past its limit.
    Broke(OutputFault),
    /// The guest ran for too long.
    TimedOut {
        /// The export that was running.
        export: &'static str,
        /// What it was allowed.
        deadline: Duration,
        /// The last lines of its standard error.
        last_words: Vec<String>,
    },
    /// The host could not make an instance.
    Host(wasmtime::Error),
}

/// How a guest's code ended.
#[derive(Debug)]
pub struct Trap {
    /// The export that was running.
    export: &'static str,
    /// What the guest was refused during the call, if anything.
    refusal: Option<Refusal>,
    limits: Limits,
    /// The last lines of its standard error.
    last_words: Vec<String>,
    error: wasmtime::Error,
}

impl Trap {
    pub(super) fn new(
        export: &'static str,
        refusal: Option<Refusal>,
        limits: Limits,
        last_words: Vec<String>,
        error: wasmtime::Error,
    ) -> Self {
        Self { export, refusal, limits, last_words, error }
    }
}

/// An end in words: what failed, why on one line, and the rest.
#[derive(Debug)]
pub struct Told {
    /// Who is at fault.
    pub cause: Cause,
    /// What failed, without place or reason.
    pub what: String,
    /// Why, on one line, bounded.
    pub why: String,
    /// Everything else, bounded.
    pub detail: String,
    /// The record to blame.
    pub blamed: Option<Blamed>,
}

/// A record to blame, as the guest named it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blamed {
    /// By its index in the batch, in a failure.
    Index(usize),
    /// By its offset, in the report of a panic.
    Offset(i64),
}

impl Ended {
    /// Tells the end to the guest's author.
    pub fn told(&self) -> Told {
        let (cause, what, text) = match self {
            Self::Refused { message, .. } => (Cause::Refused, "the streamlet failed the batch".into(), message.clone()),
            Self::NotStarted(message) => (Cause::NotStarted, "the streamlet failed to start".into(), message.clone()),
            Self::Trapped(trap) => return trap.told(),
            Self::Broke(fault @ OutputFault::TooLarge { .. }) => (
                Cause::Limited,
                "the streamlet ran into a limit".into(),
                format!("{fault}; emit less, or raise it with --output-bytes"),
            ),
            Self::Broke(fault) => {
                (Cause::Broke, "the streamlet broke its contract with the host".into(), fault.to_string())
            }
            Self::TimedOut { export, deadline, last_words: _ } => {
                let (cause, advice) = match *export {
                    "process" => (Cause::TimedOut, "do less in a batch, or raise it with --batch-deadline"),
                    _ => (Cause::NotStarted, "do less before the first batch, or raise it with --start-deadline"),
                };
                let limit = format!("`{export}` took longer than its deadline of {deadline:?}; {advice}");
                (cause, "the streamlet ran into a limit".into(), limit)
            }
            Self::Host(error) => (Cause::Host, "the host cannot run the streamlet".into(), format!("{error:#}")),
        };
        let (why, mut detail) = split(&text);
        if let Self::TimedOut { last_words, .. } = self {
            push_last_words(&mut detail, last_words);
        }
        let blamed = if let Self::Refused { at, .. } = self { at.map(Blamed::Index) } else { None };
        Told { cause, what, why, detail, blamed }
    }
}

impl Trap {
    fn told(&self) -> Told {
        let trapped = || format!("the streamlet trapped in `{}`", self.export);
        let limited = || "the streamlet ran into a limit".to_owned();
        let (cause, what, text) = if let Some(report) = self.panic_report() {
            (Cause::Trapped, "the streamlet panicked".into(), report)
        } else if let Some(refusal) = self.refusal {
            (Cause::Limited, limited(), refused(refusal))
        } else if self.is_over_hostcall_fuel() {
            (Cause::Limited, limited(), self.handed_over())
        } else if let Some(unreadable) = self.unreadable() {
            (Cause::Broke, format!("the streamlet broke its contract with the host in `{}`", self.export), unreadable)
        } else {
            (Cause::Trapped, trapped(), self.reason())
        };
        let cause = if self.export == "process" { cause } else { Cause::NotStarted };
        let (why, mut detail) = split(&text);
        // An allocator that is refused aborts; any other end may have a reason of its own.
        let trap = self.error.downcast_ref::<WasmTrap>();
        if self.refusal.is_some() && trap.is_some_and(|trap| *trap != WasmTrap::UnreachableCodeReached) {
            push_line(&mut detail, &format!("later, in `{}`: {}", self.export, self.reason()));
        }
        if !why.starts_with("panicked at ") {
            push_last_words(&mut detail, &self.last_words);
        }
        let frames = self.error.downcast_ref::<WasmBacktrace>().map(backtrace).unwrap_or_default();
        if !frames.is_empty() {
            push_line(&mut detail, "backtrace, innermost first:");
            for frame in frames {
                push_line(&mut detail, &format!("  {frame}"));
            }
        }
        let blamed = blamed_offset(&why).map(Blamed::Offset);
        Told { cause, what, why, detail, blamed }
    }

    /// The guest's own report, if it died of a panic: compiled code aborts or exits then. Any other trap is not the
    /// consequence of whatever was written before.
    fn panic_report(&self) -> Option<String> {
        match self.error.downcast_ref::<WasmTrap>() {
            None if self.error.downcast_ref::<I32Exit>().is_none() => None,
            None | Some(WasmTrap::UnreachableCodeReached) => panic_report(&self.last_words),
            Some(_) => None,
        }
    }

    /// Whether more bytes came back than the engine may copy. The engine has no type for it.
    fn is_over_hostcall_fuel(&self) -> bool {
        self.error.root_cause().to_string().contains("fuel allocated for hostcalls")
    }

    /// The limit to what comes back at once, which is another for each export.
    fn handed_over(&self) -> String {
        match self.export {
            "describe" => format!(
                "its descriptor is larger than {DESCRIPTOR_BYTES_MAX} bytes; declare fewer ports and parameters, or with \
                 shorter texts"
            ),
            "start" => "it failed with a text larger than any that is passed on; say less".into(),
            _ => format!(
                "it handed over more than its output limit of {} bytes at once; emit less, or raise it with \
                 --output-bytes",
                self.limits.output_bytes_max
            ),
        }
    }

    /// What the engine could not read of what the guest handed over. The engine has no type for it, but no code of the
    /// guest's has a part in it.
    fn unreadable(&self) -> Option<String> {
        let error = self.error.root_cause();
        if error.is::<WasmTrap>() || error.is::<I32Exit>() {
            return None;
        }
        let words = error.to_string();
        UNREADABLE.iter().any(|known| words.contains(known)).then(|| {
            format!(
                "what it handed over cannot be read: {words}; its memory was overwritten, or its bindings are not those \
                 of this contract"
            )
        })
    }

    /// Why the engine ended it.
    fn reason(&self) -> String {
        if let Some(I32Exit(code)) = self.error.downcast_ref() {
            // The contract of WASI 0.2 knows no codes: either all was well, or not.
            return format!("it exited{} instead of returning", if *code == 0 { "" } else { ", with a failure," });
        }
        match self.error.downcast_ref::<WasmTrap>() {
            Some(WasmTrap::MemoryOutOfBounds) => {
                "it accessed memory out of bounds; in compiled code that is a wild pointer, or a recursion so deep that \
                 the stack left its memory"
                    .into()
            }
            Some(WasmTrap::StackOverflow) => "it used up its stack of 1 MiB; recurse less deeply".into(),
            Some(WasmTrap::UnreachableCodeReached) => {
                "it reached an `unreachable` instruction, which is how compiled code aborts".into()
            }
            Some(trap) => {
                let words = trap.to_string();
                words.strip_prefix("wasm trap: ").map_or(words.clone(), |trap| format!("its code failed: {trap}"))
            }
            None if matches!(self.error.downcast_ref(), Some(ResourceTableError::Full)) => {
                format!("it holds more than {RESOURCES_MAX} files, streams and pollables at once; drop some")
            }
            None => format!("{:#}", self.error.root_cause()),
        }
    }
}

fn refused(refusal: Refusal) -> String {
    match refusal {
        Refusal::Memory { asked_bytes, limit_bytes } => format!(
            "it asked for {asked_bytes} bytes of memory in all, over its limit of {limit_bytes}; use less, or raise it \
             with --guest-memory"
        ),
        Refusal::Table { asked_elements, limit_elements } => format!(
            "it asked for {asked_elements} table elements in all, over its limit of {limit_elements}; use fewer, or \
             raise it with --guest-table-elements"
        ),
    }
}

/// The report of a panic in the last words: `panicked at PLACE: MESSAGE`, whatever stands before it dropped. Rust's own
/// hook puts the message on the line after the place, the SDK's on the same one.
fn panic_report(last_words: &[String]) -> Option<String> {
    let start = last_words.iter().rposition(|line| begins_a_panic(line))?;
    let mut lines = last_words.iter().skip(start).filter(|line| !is_advice_of_std(line));
    let first = lines.next()?;
    let (_, place) = first.split_once("panicked at ")?;
    let mut report = format!("panicked at {place}");
    if place.ends_with(':') {
        report.push(' ');
        report.push_str(lines.next().map_or("", String::as_str));
    }
    for line in lines {
        push_line(&mut report, line);
    }
    Some(report)
}

/// Rust's standard library advises a variable that a guest does not get, and that would show nothing.
fn is_advice_of_std(line: &str) -> bool {
    line.starts_with("note: run with `RUST_BACKTRACE")
}

/// The offset in a panic's report, as `process` of the contract words it: a guest that dies cannot answer with an index.
fn blamed_offset(report: &str) -> Option<i64> {
    let (_, rest) = report.strip_prefix("panicked at ")?.split_once(" while processing the record at offset ")?;
    rest.split_once(' ')?.0.parse().ok()
}

/// The frames of the guest's own code, a recursion's folded. Those of the language's panic machinery say nothing about
/// the streamlet.
fn backtrace(backtrace: &WasmBacktrace) -> Vec<String> {
    let is_machinery = |frame: &String| {
        let name = frame.trim_start_matches(['<', '&']);
        if ["exit", "_Exit", "exit_exit"].contains(&name) {
            return true;
        }
        ["std::", "core::", "alloc::", "__rust", "rust_", "_rust", "__rustc", "abort", "_abort"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
    };
    let named = backtrace.frames().iter().filter_map(|frame| {
        let name = text::name(&format!("{:#}", rustc_demangle::demangle(frame.func_name()?)));
        let line = frame.symbols().iter().find_map(|symbol| Some((symbol.file()?, symbol.line()?)));
        Some(line.map_or(name.clone(), |(file, line)| format!("{name} ({}:{line})", text::name(file))))
    });
    let mut folded = Vec::<(String, usize)>::new();
    for frame in named.filter(|frame| !is_machinery(frame)) {
        match folded.last_mut() {
            Some((last, times)) if *last == frame => *times += 1,
            _ => folded.push((frame, 1)),
        }
    }
    let line = |(frame, times)| if times == 1 { frame } else { format!("{frame}, {times} times") };
    folded.into_iter().map(line).collect()
}

/// A text's first line and the rest, both printable and bounded.
fn split(text: &str) -> (String, String) {
    let mut lines = text.lines().map(|line| printable(line.as_bytes()));
    let first = lines.next().unwrap_or_default();
    let (headline, overflow) = cut(&first, HEADLINE_BYTES_MAX);
    let mut rest = match overflow {
        "" => String::new(),
        // That it was cut before is said already.
        _ if overflow.starts_with('…') => overflow.to_owned(),
        _ => format!("…{overflow}"),
    };
    lines.for_each(|line| push_line(&mut rest, &line));
    (headline, bounded(rest.trim_end(), MESSAGE_BYTES_MAX))
}

/// What the guest wrote to standard error before its end, if anything.
fn push_last_words(detail: &mut String, last_words: &[String]) {
    let mut lines = last_words.iter().filter(|line| !is_advice_of_std(line)).peekable();
    if lines.peek().is_some() {
        push_line(detail, "the last it wrote to standard error:");
    }
    for line in lines {
        push_line(detail, &format!("  {line}"));
    }
}

fn push_line(text: &mut String, line: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(line);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(lines: &[&str]) -> Option<String> {
        panic_report(&lines.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn a_panic_is_found_in_either_form() {
        let sdk = "panicked at src/lib.rs:21:9 while processing the record at offset 17 of inlet \"in\": boom";
        assert_eq!(report(&["chatter", sdk]).as_deref(), Some(sdk));
        assert_eq!(
            report(&[
                "",
                "thread '<unnamed>' panicked at src/lib.rs:2:1:",
                "boom",
                "note: run with `RUST_BACKTRACE=1`…"
            ])
            .as_deref(),
            Some("panicked at src/lib.rs:2:1: boom")
        );
        assert_eq!(
            report(&["panicked at a:1:1: one", "two", "three"]).as_deref(),
            Some("panicked at a:1:1: one\ntwo\nthree")
        );
        assert_eq!(blamed_offset(sdk), Some(17));
        assert_eq!(blamed_offset("panicked at src/lib.rs:2:1: boom"), None);
        assert_eq!(report(&["memory allocation of 9 bytes failed"]), None);
    }

    #[test]
    fn a_refusal_has_a_bounded_first_line_and_a_bounded_rest() {
        let message = format!("{}\n{}", "é".repeat(4000), "y".repeat(100_000));
        let told = Ended::Refused { message, at: None }.told();
        assert!(told.why.len() <= HEADLINE_BYTES_MAX + "…".len() && told.why.ends_with('…'));
        assert!(told.detail.len() <= MESSAGE_BYTES_MAX + 40, "{}", told.detail.len());
    }
}
