//! All cases side by side, and the page of what their authors read.

use std::fmt::Write as _;
use std::sync::Arc;

use streamlet_tests::snapshots;
use tokio::task::JoinSet;

use super::cases::{Case, all};
use super::ward::Ward;

/// How often a character is repeated before the page only counts it.
const REPEATED_MAX: usize = 40;
/// How many lines of a kind follow each other before the page only counts them.
const LINES_MAX: usize = 4;

const INTRODUCTION: &str = "# Evil guests

What the author of a wrong or malicious streamlet reads, for everything such a streamlet may do. Written by the tests
(`tests/it/evil.rs`), which run each beside a well-behaved lane whose answers stay right: `UPDATE_SNAPSHOTS=1 cargo test
-p streamlet-tests --test it evil` writes it anew. The limits are 2 s for a batch and for a start, 256 MiB of memory,
10,000 table elements and 8 MiB of output. Guests of a name are below `tests/guests`; those in the text format are cases of
`tests/it/evil/cases/text.rs`. A batch has three records, at offsets 10 to 12, and the second one says what to do.
";

#[test]
fn what_authors_read() {
    // As the binary's: see host/src/main.rs.
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().event_interval(1).build().unwrap();
    let page = runtime.block_on(page());
    snapshots::check("tests/evil.md", &page);
}

async fn page() -> String {
    let ward = Arc::new(Ward::new());
    let good = ward.good_lane().await;
    let (mut table, mut texts) = (String::new(), String::new());
    for section in all() {
        let _ = write!(texts, "\n## {}\n", section.title);
        for cases in section.cases.chunks(section.at_once) {
            for (case, text) in cases.iter().zip(read_at_once(&ward, cases).await) {
                let guest = case.guest();
                let _ = writeln!(table, "| {guest} | {} | {} |", case.does, end(&text));
                let _ = write!(texts, "\n**{}** ({guest})\n\n```text\n{}\n```\n", case.does, folded(&text));
            }
        }
    }
    let batches = good.stop().await;
    assert!(batches > 1000, "the good lane ran {batches} batches");
    format!("{INTRODUCTION}\n| guest | does | ends in |\n|---|---|---|\n{table}{texts}")
}

/// What is read about cases that run at once, in their order.
async fn read_at_once(ward: &Arc<Ward>, cases: &[Case]) -> Vec<String> {
    let mut reading = JoinSet::new();
    for (index, case) in cases.iter().cloned().enumerate() {
        let ward = Arc::clone(ward);
        reading.spawn(async move { (index, ward.read(&case).await) });
    }
    let mut read = reading.join_all().await;
    read.sort_unstable();
    read.into_iter().map(|(_, text)| text).collect()
}

/// What the text begins with: what happened, without place and reason.
fn end(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    let refused = line.strip_prefix("component \"evil.wasm\" ").and_then(|rest| rest.split([':', ';']).next());
    let what = line.split(" (inlet").next().unwrap_or_default().split(" at offset").next().unwrap_or_default();
    refused.unwrap_or(what).trim_start_matches('(').trim_end_matches(')')
}

/// The text with repetitions counted instead of shown.
fn folded(text: &str) -> String {
    let (mut folded, mut same) = (Vec::new(), 0);
    let lines = text.lines().collect::<Vec<_>>();
    for (index, line) in lines.iter().enumerate() {
        let kind = |line: &str| line.replace(|character: char| character.is_ascii_digit(), "");
        same =
            if index > 0 && lines.get(index - 1).is_some_and(|last| kind(last) == kind(line)) { same + 1 } else { 0 };
        if same < LINES_MAX {
            folded.push(folded_line(line));
        } else if same == LINES_MAX {
            folded.push(String::new());
        }
        if same >= LINES_MAX {
            let more = format!("[{} more lines of this kind]", same + 1 - LINES_MAX);
            *folded.last_mut().unwrap() = more;
        }
    }
    folded.join("\n")
}

fn folded_line(line: &str) -> String {
    let mut folded = String::new();
    let mut rest = line.chars().peekable();
    while let Some(character) = rest.next() {
        let mut times = 1;
        while rest.next_if_eq(&character).is_some() {
            times += 1;
        }
        match times {
            0..=REPEATED_MAX => folded.extend(std::iter::repeat_n(character, times)),
            _ => drop(write!(folded, "[{times} times {character:?}]")),
        }
    }
    folded
}
