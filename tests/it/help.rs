//! `--help` as it is printed, by command. `UPDATE_SNAPSHOTS=1 cargo test` writes the files anew.

use std::path::Path;

use streamlet_tests::snapshots;

use crate::streamlet;

#[track_caller]
fn check(arguments: &[&str], file: &str) {
    let ran = streamlet().args(arguments).args(&["--help"]).run();
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    snapshots::check(Path::new("tests/it/snapshots").join(file), &ran.stdout);
}

#[test]
fn of_the_program() {
    check(&[], "help.txt");
}

#[test]
fn of_serve() {
    check(&["serve"], "help-serve.txt");
}

#[test]
fn of_run() {
    check(&["run"], "help-run.txt");
}

#[test]
fn of_descriptor() {
    check(&["descriptor"], "help-descriptor.txt");
}

#[test]
fn of_compile() {
    check(&["compile"], "help-compile.txt");
}

#[test]
fn of_bench() {
    check(&["bench"], "help-bench.txt");
}

#[test]
fn of_kafka_check() {
    check(&["kafka", "check"], "help-kafka-check.txt");
}

#[test]
fn every_flag_but_the_repeatable_ones_names_its_twin_in_the_environment() {
    for command in ["serve", "run", "descriptor", "compile", "bench", "kafka check"] {
        let words = command.split(' ').chain(["--help"]).collect::<Vec<_>>();
        let help = streamlet().args(&words).run().stdout;
        let flags = help.split("\n      --").skip(1);
        for flag in flags.chain(help.split("\n  -").skip(1)) {
            let name = flag.split([' ', '\n']).next().unwrap();
            let alone =
                ["input", "output", "inlet", "outlet", "set", "env", "dir", "out", "check", "compare", "h,", "V,"]
                    .contains(&name);
            // The platform has names of its own for what its sidecar has too.
            let is_the_platforms = flag.contains("[env: FLOW_");
            assert!(
                alone || is_the_platforms || flag.contains("[env: STREAMLET_"),
                "--{name} of {command} has no twin"
            );
        }
    }
}

#[test]
fn the_version_is_the_packages() {
    let ran = streamlet().args(&["--version"]).run();
    assert_eq!((ran.code, ran.stdout), (Some(0), format!("streamlet {}\n", env!("CARGO_PKG_VERSION"))));
}
