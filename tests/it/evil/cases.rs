//! Every evil there is a guest for: who does it, what it is told, and what that is.

mod text;

use streamlet_tests::text_guests::Places;

/// Cases of one kind.
pub(super) struct Section {
    pub(super) title: &'static str,
    /// How many run at once: those that wait for a deadline may, those that use up something else may not, or time runs
    /// out before it does.
    pub(super) at_once: usize,
    pub(super) cases: Vec<Case>,
}

/// A guest, what it is told, and what it does then.
#[derive(Clone)]
pub(super) struct Case {
    pub(super) guest: Guest,
    /// What the second of three records says.
    pub(super) word: &'static str,
    /// The parameter `start`.
    pub(super) start: &'static str,
    pub(super) does: &'static str,
}

/// Where a component comes from.
#[derive(Clone)]
pub(super) enum Guest {
    /// Of `tests/guests`.
    Package(&'static str),
    /// `raw`, with another word behind its marker `describe:`.
    Patched(&'static str),
    /// In the text format.
    Text(Box<Places>),
}

impl Case {
    fn told(package: &'static str, word: &'static str, does: &'static str) -> Self {
        Self { guest: Guest::Package(package), word, start: "ok", does }
    }

    fn started(package: &'static str, start: &'static str, does: &'static str) -> Self {
        Self { guest: Guest::Package(package), word: "echo", start, does }
    }

    fn described(marker: &'static str, does: &'static str) -> Self {
        Self { guest: Guest::Patched(marker), word: "echo", start: "ok", does }
    }

    fn text(places: Places, does: &'static str) -> Self {
        Self { guest: Guest::Text(Box::new(places)), word: "echo", start: "ok", does }
    }

    /// Who it is and what it is told, for the page.
    pub(super) fn guest(&self) -> String {
        match &self.guest {
            Guest::Package(package) if self.start != "ok" => format!("`{package}`, start `{}`", self.start),
            Guest::Package(package) => format!("`{package}`, `{}`", self.word),
            Guest::Patched(marker) => format!("`raw`, describe `{marker}`"),
            Guest::Text(_) => "text format".into(),
        }
    }
}

/// All cases.
pub(super) fn all() -> Vec<Section> {
    let section = |title, at_once, cases| Section { title, at_once, cases };
    vec![
        section("Time", 4, time()),
        section("Memory and tables", 1, memory()),
        section("The end of an instance", 1, ends()),
        section("Standard output and error", 3, floods()),
        section("Output", 1, output()),
        section("Output tables that break the contract", 1, tables()),
        section("Answers that are none", 1, text::answers()),
        section("Describing", 3, describing()),
        section("Starting", 3, starting()),
        section("What was not granted", 1, probes()),
        section("Calls that cost the host", 3, text::calls()),
    ]
}

fn time() -> Vec<Case> {
    let mut cases = vec![
        Case::told("evil", "loop", "loops for ever"),
        Case::told("faulty", "sleep", "sleeps for an hour"),
        Case::told("evil", "fill", "fills 192 MiB over and over"),
        Case::told("evil", "copy", "copies 12 MiB over and over"),
        Case::told("evil", "hold", "allocates and frees 96 MiB over and over"),
    ];
    cases.extend(text::time());
    cases
}

fn memory() -> Vec<Case> {
    let mut cases = vec![
        Case::told("evil", "gibibyte", "allocates 1 GiB at once"),
        Case::told("faulty", "allocate", "allocates 1 MiB for ever"),
        Case::told("faulty", "allocate-politely", "allocates until it is refused, and takes that well"),
        Case::told("evil", "growths", "grows its memory 10,000 times by a page, then insists"),
    ];
    cases.extend(text::memory());
    cases
}

fn ends() -> Vec<Case> {
    let mut cases = vec![
        Case::told("faulty", "recurse", "recurses for ever, with frames of numbers"),
        Case::told("faulty", "recurse-largely", "recurses for ever, with frames in memory"),
        Case::told("faulty", "abort", "aborts"),
        Case::told("faulty", "exit", "exits with 0 inside of `process`"),
        Case::told("faulty", "exit-7", "exits with 7 inside of `process`"),
        Case::told("faulty", "panic", "panics"),
        Case::told("faulty", "panic-lines", "panics with three lines"),
        Case::told("faulty", "panic-long", "panics with 1 MiB of text"),
        Case::told("evil", "panic-in-panic", "panics while it words its panic"),
        Case::told("faulty", "fail-long", "fails with 1 MB of text"),
        Case::told("faulty", "fail-controls", "fails with terminal sequences"),
        Case::told("raw", "fail-at-99", "fails and blames a record that does not exist"),
    ];
    cases.extend(text::ends());
    cases
}

fn floods() -> Vec<Case> {
    vec![
        Case::told("evil", "lines", "writes 10 GiB of lines to standard output"),
        Case::told("evil", "line", "writes a line without an end to standard output"),
        Case::told("evil", "error-line", "writes a line without an end to standard error"),
        Case::told("evil", "error-lines", "writes lines to standard error for ever"),
        Case::told("evil", "no-text", "writes what is no text, with terminal sequences"),
        Case::told("evil", "last-words", "writes 10,000 lines of all kinds, then aborts"),
    ]
}

fn output() -> Vec<Case> {
    let mut cases = vec![
        Case::told("evil", "emits", "forwards a record 100 million times"),
        Case::told("faulty", "large-flushed", "emits 72 MiB in parts"),
        Case::told("faulty", "large-at-once", "emits 72 MiB at once"),
        Case::told("raw", "flush-bad", "flushes a good part, then a bad one"),
    ];
    cases.extend(text::output());
    cases
}

fn tables() -> Vec<Case> {
    let raw = |word, does| Case::told("raw", word, does);
    vec![
        raw("emits-uneven", "has a table of emits with 7 words"),
        raw("headers-uneven", "has a table of headers with 3 words"),
        raw("outlet-undeclared", "emits to an outlet that it did not declare"),
        raw("source-out-of-range", "names a source record that does not exist"),
        raw("source-none-key", "takes a key from no source"),
        raw("source-none-value", "takes a value from no source"),
        raw("source-none-headers", "takes headers from no source"),
        raw("key-out-of-range", "has a key past the arena"),
        raw("value-out-of-range", "has an empty value past the arena"),
        raw("value-wraps-around", "has a value whose end overflows"),
        raw("headers-out-of-range", "has more headers than the table"),
        raw("headers-wrap-around", "has headers whose end overflows"),
        raw("header-name-out-of-range", "has a header name past the arena"),
        raw("header-value-out-of-range", "has a header value past the arena"),
        raw("header-name-not-text", "has a header name that is not UTF-8"),
        raw("header-name-none", "has a header without a name"),
    ]
}

fn describing() -> Vec<Case> {
    let mut cases = vec![
        Case::described("endless", "loops in `describe`"),
        Case::described("trapped", "aborts in `describe`"),
        Case::described("invalid", "breaks a rule in every part of its descriptor"),
    ];
    cases.extend(text::describing());
    cases
}

fn starting() -> Vec<Case> {
    let mut cases = vec![
        Case::started("faulty", "fail", "fails in `start`"),
        Case::started("faulty", "panic", "panics in `start`"),
        Case::started("evil", "abort", "aborts in `start`"),
        Case::started("faulty", "loop", "loops in `start`"),
        Case::started("evil", "sleep", "takes an hour to start"),
        Case::started("evil", "flood", "writes 10 GiB of lines in `start`"),
        Case::started("evil", "allocate", "allocates 1 GiB in `start`"),
    ];
    cases.extend(text::starting());
    cases
}

fn probes() -> Vec<Case> {
    vec![
        Case::told("evil", "environment", "looks for variables, arguments, a directory and input"),
        Case::told("evil", "files", "looks for files"),
        Case::told("evil", "network", "looks for a network"),
    ]
}
