//! A client that shares no code with the server: Python's grpcio, in `tests/clients/python`.
//!
//! It runs where `STREAMLET_TESTS_PYTHON` names a Python with grpcio and grpcio-tools, and is skipped elsewhere:
//! `STREAMLET_TESTS_PYTHON=VENV/bin/python cargo test -p streamlet-tests --test it serve::python`.

use std::process::Command;

use streamlet_tests::fixtures;

use super::ready;

#[test]
fn an_independent_client_finds_all_as_it_has_to_be() {
    let Some(python) = std::env::var_os("STREAMLET_TESTS_PYTHON") else {
        assert!(std::env::var_os("CI").is_none(), "CI has to run the client of another make");
        eprintln!("skipped: STREAMLET_TESTS_PYTHON names no Python with grpcio");
        return;
    };
    let service = ready("conformance");
    let script = fixtures::repository().join("tests/clients/python/suite.py");
    let output = Command::new(python).arg(script).arg(service.address()).output().expect("Python runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.ends_with("<- completed\nall as it has to be\n"), "{said}");
}
