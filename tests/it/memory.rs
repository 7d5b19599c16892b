//! Memory does not grow with the input: the highest resident size of a run over far more than it may hold.

use std::fs;
use std::io::Write as _;
use std::thread;

use serde_json::Value;

use crate::run;

/// Bytes of input, well above what the run may hold.
const INPUT_BYTES: usize = 200 << 20;
/// Bytes of a line, its end included.
const LINE_BYTES: usize = 1024;
/// KiB that a run may reside in. Measured: 100 MiB, of which the compiler and the engine take most before the first record.
const RESIDENT_KIB_MAX: u64 = 200 << 10;

#[test]
fn a_run_over_200_mib_keeps_its_memory() {
    if !cfg!(target_os = "linux") {
        eprintln!("skipped: only Linux tells a process's highest resident size");
        return;
    }
    // The emits go nowhere, but for the last ones, which say that all before them is done.
    let program = run("faulty").args(&["--partitions", "4", "--output", "out=/dev/null"]);
    let mut live = program.args(&["--quiet"]).spawn();
    let mut stdin = live.stdin.take().unwrap();
    let writing = thread::spawn(move || {
        let lines = format!("{}\n", "x".repeat(LINE_BYTES - 1)).repeat(1024);
        for _ in 0..INPUT_BYTES / lines.len() {
            stdin.write_all(lines.as_bytes()).unwrap();
        }
        stdin.write_all(&b"both\n".repeat(4)).unwrap();
        stdin
    });
    for _ in 0..4 {
        let last = serde_json::from_str::<Value>(&live.line()).unwrap();
        assert_eq!(last["value"], "both");
    }
    let stdin = writing.join().unwrap();
    let peak = highest_resident_kib(live.id());
    live.stdin = Some(stdin);
    assert_eq!(live.end().code, Some(0));
    eprintln!("at most {} MiB resident", peak >> 10);
    assert!(peak < RESIDENT_KIB_MAX, "{} MiB resident over an input of {} MiB", peak >> 10, INPUT_BYTES >> 20);
    assert!(peak > 10 << 10, "{peak} KiB cannot be true");
}

/// `VmHWM` of a process that is alive.
fn highest_resident_kib(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a line VmHWM");
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
