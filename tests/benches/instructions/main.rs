//! Processor instructions a record: of reading a message, checking an output, writing emits, and a whole batch in process
//! through a component. They are counted, not timed, by valgrind, so that a busy machine changes nothing; what they are
//! held against is in `expected.json` beside this file, and a rise of more than 5 % is an error.
//!
//! ```sh
//! cargo test --workspace --bench instructions                 # compares
//! cargo test --workspace --bench instructions -- --accept     # writes the figures anew
//! cargo bench -p streamlet-tests --bench instructions         # optimised as a release is: only prints
//! ```
//!
//! It needs `valgrind` (on Debian: `apt-get install valgrind`). The program runs itself under it twice for each figure,
//! the second time with twice as many rounds; the difference is theirs alone. Figures depend on the compiler and on the
//! profile: those in the file are of the profile that tests have. A figure that has fallen by more than 5 % is told, so
//! that the gain is written down.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a measurement stops at what should not be, and prints"
)]

mod work;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use work::Work;

/// How much a figure may rise.
const RISE_MAX: f64 = 0.05;
/// The product's allocator, whose instructions count as well.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let arguments = std::env::args().skip(1).filter(|argument| argument != "--bench").collect::<Vec<_>>();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => compare(false),
        ["--accept"] => compare(true),
        ["work", name, rounds] => Work::named(name).run(rounds.parse().unwrap()),
        other => panic!("{other:?} instead of --accept"),
    }
}

fn compare(accept: bool) {
    let file = streamlet_tests::fixtures::repository().join("tests/benches/instructions/expected.json");
    // Built once, outside of valgrind.
    let component = streamlet_tests::guests::component("workload");
    let found = Work::ALL.map(|work| (work.name(), instructions_each(work, &component))).into_iter();
    let found = found.collect::<BTreeMap<_, _>>();
    if accept {
        std::fs::write(&file, serde_json::to_string_pretty(&found).unwrap() + "\n").unwrap();
        return;
    }
    let expected = std::fs::read(&file).unwrap();
    let expected = serde_json::from_slice::<BTreeMap<String, f64>>(&expected).unwrap();
    let is_comparable = cfg!(debug_assertions);
    println!("{:<28} {:>12} {:>12} {:>8}", "instructions a record", "found", "expected", "change");
    let mut risen = Vec::new();
    for (name, found) in found {
        let expected = *expected.get(name).unwrap_or_else(|| panic!("{name} is not in {}", file.display()));
        let change = found / expected - 1.0;
        if is_comparable {
            println!("{name:<28} {found:>12.1} {expected:>12.1} {:>+7.1}%", change * 100.0);
        } else {
            println!("{name:<28} {found:>12.1}");
        }
        match change {
            _ if !is_comparable => {}
            change if change > RISE_MAX => risen.push(name),
            change if change < -RISE_MAX => println!("  fallen: write it down with `-- --accept`"),
            _ => {}
        }
    }
    assert!(
        risen.is_empty(),
        "more instructions than 5 % over the figures of tests/benches/instructions/expected.json: {}; if that is what \
         it has to cost, accept it with `cargo test --workspace --bench instructions -- --accept` and say why in the \
         commit",
        risen.join(", ")
    );
}

/// The difference of two runs of which the second does twice as much.
fn instructions_each(work: Work, component: &Path) -> f64 {
    let rounds = work.rounds();
    let [once, twice] = [rounds, 2 * rounds].map(|rounds| instructions(work, rounds, component));
    (twice - once) as f64 / (rounds * work::RECORDS) as f64
}

fn instructions(work: Work, rounds: usize, component: &Path) -> u64 {
    let scratch = tempfile::tempdir().unwrap();
    let out: PathBuf = scratch.path().join("callgrind.out");
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--read-inline-info=no"]);
    valgrind.arg(format!("--callgrind-out-file={}", out.display())).arg(std::env::current_exe().unwrap());
    valgrind.args(["work", work.name(), &rounds.to_string()]).env(work::COMPONENT, component);
    let ended = valgrind.output().expect("there is `valgrind`: on Debian, `apt-get install valgrind`");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{}: {said}", work.name());
    let collected = said.lines().find_map(|line| line.split_once("Collected :")).expect("a count");
    collected.1.trim().parse().unwrap()
}
