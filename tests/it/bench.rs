//! `streamlet bench`: what it prints, and what it refuses.

use std::path::Path;

use serde_json::Value;
use streamlet_tests::program::Program;
use streamlet_tests::{fixtures, guests};

use crate::streamlet;

/// With few records, so that a test does not last.
fn bench(package: &str) -> Program {
    let small = [("RECORDS", "500"), ("BATCH", "10")].map(|(name, value)| (format!("STREAMLET_BENCH_{name}"), value));
    let bench = streamlet().args(&["bench"]).arg(guests::component(package)).env("STREAMLET_PARTITIONS", "2");
    small.into_iter().fold(bench, |bench, (name, value)| bench.env(&name, value))
}

#[test]
fn the_table_has_both_doors_and_where_the_time_goes() {
    let ran = bench("cart-router").run();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let table = ran.stdout;
    assert!(table.starts_with(
        "500 made-up records of 1024 B with 3 headers, batches of up to 10, 2 partitions of inlet \"in\"; medians\n"
    ));
    let figures = |name: &str| {
        let line = table.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_else(|| panic!("{name}: {table}"));
        line.split_whitespace().filter_map(|figure| figure.parse::<f64>().ok()).collect::<Vec<_>>()
    };
    for name in ["records/s", "MB/s of values", "CPU ns/record", "batch p50 us", "batch p99 us", "batch max us"] {
        let figures = figures(name);
        assert!(figures.len() == 2 && figures.iter().all(|figure| *figure > 0.0), "{name}: {figures:?}");
    }
    assert_eq!(figures("emits/record"), [1.0, 1.0]);
    for name in ["ns/record: decode", "  copy in", "  guest", "  check", "  encode"] {
        assert_eq!(figures(name).len(), 1, "{name}");
    }
    assert!(table.contains(", 2 instances\n") && table.contains("peak RSS "), "{table}");
}

#[test]
fn the_json_has_the_same() {
    let ran = bench("cart-router").args(&["--json", "--headers", "0"]).run();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let json = serde_json::from_str::<Value>(&ran.stdout).unwrap();
    assert_eq!((&json["records"], &json["batch"], &json["partitions"]), (&500.into(), &10.into(), &2.into()));
    assert_eq!((&json["inlet"], &json["value_bytes"], &json["headers"]), (&"in".into(), &1024.into(), &0.into()));
    assert!(json["peak_resident_bytes"].as_u64().unwrap() > 1 << 20);
    let [component] = json["components"].as_array().unwrap().as_slice() else { panic!("one component: {json}") };
    assert_eq!(component["instances"], 2);
    for door in ["in_process", "over_grpc"] {
        let figures = &component[door];
        for name in ["records_per_second", "megabytes_per_second", "cpu_ns_per_record", "batch_p50_us", "batch_max_us"]
        {
            assert!(figures[name].as_f64().unwrap() > 0.0, "{door} {name}: {json}");
        }
    }
    for stage in ["decode", "copy_in", "guest", "check", "encode"] {
        assert!(component["in_process"]["ns_per_record"][stage].is_f64(), "{stage}: {json}");
    }
    assert!(json.get("compared").is_none());
}

#[test]
fn two_components_take_turns_and_the_first_is_its_own_control() {
    let other = guests::component("conformance");
    let ran = bench("cart-router").args(&["--compare"]).arg(&other).args(&["--json"]).run();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let json = serde_json::from_str::<Value>(&ran.stdout).unwrap();
    assert_eq!(json["components"][1]["component"], other.display().to_string());
    for ratios in ["compared", "control"] {
        assert!(json[ratios]["over_grpc"]["records_per_second"].as_f64().unwrap() > 0.0, "{json}");
    }
    let ran = bench("cart-router").args(&["--compare"]).arg(&other).run();
    assert!(ran.stdout.contains("the first over itself (noise)\n"), "{}", ran.stdout);
}

#[test]
fn real_records_are_taken_from_a_file() {
    let events = fixtures::repository().join("examples/cart-router/events.ndjson");
    let ran = bench("cart-router").args(&["--input"]).arg(&events).run();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains(&format!("500 records of {}", events.display())), "{}", ran.stdout);
}

#[test]
fn a_batch_that_fails_names_its_record() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("carts.ndjson");
    std::fs::write(&file, "{\"total\":1}\n\n{\"total\":2}\n{\"count\":3}\n").unwrap();
    let ran = bench("cart-router").args(&["--partitions", "1", "--input"]).arg(&file).run();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    let expect = "error: the streamlet failed the batch at offset 2 (inlet \"in\", partition 0, offsets 0 to 2): value \
                  is not the JSON expected: missing field `total`";
    assert!(ran.stderr.contains(expect), "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("  at {}:4\n", file.display())), "{}", ran.stderr);

    let ran = bench("faulty").args(&["--set", "mode=nonsense"]).run();
    assert_ne!(ran.code, Some(0), "{}", ran.stdout);
}

#[track_caller]
fn refused(arguments: &[&str], code: i32, expect: &str) {
    let ran = bench("cart-router").args(arguments).run();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(code), ""), "{arguments:?}: {}", ran.stderr);
    assert!(ran.stderr.contains(expect), "{arguments:?}: {}", ran.stderr);
}

#[test]
fn what_is_wrong_on_the_command_line_is_named() {
    refused(&["--batch", "0"], 2, "invalid value '0' for '--batch <N>'");
    refused(&["--envelope"], 2, "--input <[INLET=]FILE>");
    refused(&["--inlet", "inn"], 2, "there is no inlet \"inn\"; declared: in; is \"in\" meant?");
    refused(&["--input", "other=Cargo.toml"], 2, "there is no inlet \"other\"");
    refused(&["--input", "absent.ndjson"], 2, "cannot read \"absent.ndjson\"");
    refused(&["--set", "nope=1"], 2, "parameter \"nope\" is not declared");
    refused(&["--compare", "absent.wasm"], 2, "absent.wasm");
    refused(&["--compare", "Cargo.toml"], 1, "is not a component");
}

/// The host carries it compiled from its text. `UPDATE_SNAPSHOTS=1` writes it anew.
#[test]
fn the_streamlet_that_does_nothing_is_its_text() {
    let at = |name: &str| fixtures::repository().join("host/src/cli/bench").join(name);
    let made = wat::parse_str(std::fs::read_to_string(at("crossing.wat")).unwrap()).unwrap();
    let carried: &Path = &at("crossing.wasm");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(carried, &made).unwrap();
    }
    assert_eq!(std::fs::read(carried).unwrap(), made, "UPDATE_SNAPSHOTS=1 writes it anew");
}
