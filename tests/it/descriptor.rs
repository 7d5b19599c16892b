//! `streamlet descriptor`: the canonical bytes, and the check of a file against them.

use std::fs;
use std::path::Path;

use streamlet_tests::program::Ran;
use streamlet_tests::{fixtures, guests};

use crate::streamlet;

fn descriptor(package: &str, arguments: &[&str]) -> Ran {
    streamlet().args(&["descriptor"]).arg(guests::component(package)).args(arguments).run()
}

fn cart_router() -> String {
    fs::read_to_string(fixtures::repository().join("examples/cart-router/flow/descriptor.json")).unwrap()
}

#[test]
fn standard_output_is_the_deployed_file_byte_for_byte() {
    let ran = descriptor("cart-router", &[]);
    assert_eq!((ran.code, ran.stdout, ran.stderr.as_str()), (Some(0), cart_router(), ""));
}

#[test]
fn a_directory_is_built_first() {
    let directory = fixtures::repository().join("examples/cart-router");
    let ran = streamlet().args(&["descriptor", "--quiet"]).arg(&directory).run();
    assert_eq!((ran.code, ran.stdout, ran.stderr.as_str()), (Some(0), cart_router(), ""));
    let ran = streamlet().args(&["descriptor", "--quiet", "."]).within(&directory).args(&["--check"]).run();
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", ""));
}

#[test]
fn the_reference_streamlet_declares_what_the_platforms_does() {
    let Some(folder) = fixtures::shared() else { return };
    let platforms = fs::read_to_string(folder.join("descriptors/conformance.json")).unwrap();
    let ours = descriptor("conformance", &[]).stdout;
    assert_ne!(ours, platforms, "another SDK");
    assert_eq!(without_sdk(&ours), without_sdk(&platforms));
    let file = folder.join("descriptors/conformance.json").display().to_string();
    let ran = descriptor("conformance", &["--check", &file]);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", ""));
}

/// The text without the lines of its `sdk` block.
fn without_sdk(text: &str) -> String {
    let (before, after) = text.split_once("  \"sdk\": {").expect("a block `sdk`");
    let (_, after) = after.split_once("  },\n").expect("its end");
    format!("{before}{after}")
}

#[test]
fn any_guest_has_a_descriptor() {
    let text = descriptor("raw", &[]).stdout;
    for part in ["\"name\": \"raw\"", "\"by hand\"", "\"MEMORY_SIZE\"", "\"1.5 s\""] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

#[test]
fn out_writes_the_file_and_its_directories() {
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("new/flow/descriptor.json");
    let ran = descriptor("cart-router", &["--out", &file.display().to_string()]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""));
    assert_eq!(ran.stderr, format!("wrote {}\n", file.display()));
    assert_eq!(fs::read_to_string(&file).unwrap(), cart_router());
    let ran = descriptor("cart-router", &["--out", &scratch.path().display().to_string()]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.starts_with("error: cannot write descriptor \""), "{}", ran.stderr);
}

/// `--check` of cart-router against a file with this text.
fn check(text: &str) -> (Ran, String) {
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("descriptor.json");
    fs::write(&file, text).unwrap();
    let ran = descriptor("cart-router", &["--check", &file.display().to_string()]);
    assert_eq!(fs::read_to_string(&file).unwrap(), text, "a check writes nothing");
    (ran, file.display().to_string())
}

#[test]
fn a_check_says_each_difference() {
    let text = cart_router();
    let (ran, _) = check(&text.replace("\"version\": \"0.1.0\"", "\"version\": \"9.9.9\""));
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", ""), "the sdk is nobody's business");

    let (ran, file) = check(&text.replace("\"100\"", "\"50\"").replace("\"review\"", "\"checked\""));
    assert_eq!(ran.code, Some(1));
    let mut differences = ran.stdout.lines().collect::<Vec<_>>();
    differences.sort_unstable();
    assert_eq!(differences.len(), 3, "{}", ran.stdout);
    assert_eq!(differences[0], "outlet \"checked\" is deployed, but not offered");
    assert_eq!(differences[1], "outlet \"review\" is offered, but not deployed");
    assert!(differences[2].starts_with("parameter \"review-threshold\": the default is "), "{}", differences[2]);
    assert!(
        ran.stderr.starts_with(&format!("error: \"{file}\" is not what the component declares; ")),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains(&format!(" --out {file}` renews it")), "{}", ran.stderr);

    let (ran, _) = check(&text.replace("  ", " "));
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), "the file says the same, but is not in canonical form\n"));
}

#[test]
fn a_check_needs_a_descriptor() {
    let (ran, file) = check("not JSON");
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.starts_with(&format!("error: \"{file}\" is no descriptor: ")), "{}", ran.stderr);
    let missing = Path::new("/none/descriptor.json").display().to_string();
    let ran = descriptor("cart-router", &["--check", &missing]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.starts_with("error: cannot read descriptor \"/none/descriptor.json\"; "), "{}", ran.stderr);
    assert!(ran.stderr.trim_end().ends_with("No such file or directory (os error 2)"), "{}", ran.stderr);
    let ran = descriptor("cart-router", &["--check"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("--check needs the descriptor's file"), "{}", ran.stderr);
}
