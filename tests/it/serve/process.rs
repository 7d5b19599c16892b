//! The process around the conversations: what it refuses before it serves, and what it holds back until it can.

use std::net::TcpListener;
use std::time::Duration;

use streamlet_tests::guests;
use streamlet_tests::service::Service;

use super::{echo, emits, program, ready};
use crate::streamlet;

#[test]
fn a_component_that_must_be_refused_ends_the_process() {
    let directory = tempfile::tempdir().unwrap();
    for (name, bytes) in [
        ("text.wasm", b"(module)".to_vec()),
        ("invalid.wasm", guests::patched("raw", "describe:regular", "describe:invalid")),
        ("trapped.wasm", guests::patched("raw", "describe:regular", "describe:trapped")),
    ] {
        let file = directory.path().join(name);
        std::fs::write(&file, bytes).unwrap();
        let ran = streamlet().args(&["serve", "--port", "0"]).arg(&file).run();
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{}", ran.stderr);
        assert!(ran.stderr.lines().any(|line| line.starts_with("error: ") && line.contains(name)), "{}", ran.stderr);
    }
    let ran = streamlet().args(&["serve", "--port", "0", "/none.wasm"]).run();
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
}

#[test]
fn a_port_that_is_taken_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let ran = program("conformance").args(&["--port", &port.to_string()]).run();
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("127.0.0.1:{port}")), "{}", ran.stderr);
    let ran = program("conformance").env("FLOW_PROCESS_PORT", &port.to_string()).run();
    assert_eq!(ran.code, Some(2), "the platform's variable counts: {}", ran.stderr);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_are_held_while_the_component_is_compiled() {
    let service = Service::begin(program("conformance").args(&["--no-cache"]));
    let sidecar = service.dial().await;
    let early = !service.log().contains(": ready ");
    let (spec, talk) = tokio::join!(sidecar.discover(), sidecar.try_open());
    assert_eq!(spec.unwrap().streamlet.unwrap().name, "conformance");
    drop(talk.unwrap());
    assert!(early, "the port was bound before the component was ready");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn held_calls_end_with_a_process_that_refuses_its_component() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("endless.wasm");
    std::fs::write(&file, guests::patched("raw", "describe:regular", "describe:endless")).unwrap();
    let mut service = Service::begin(streamlet().args(&["serve"]).arg(&file).args(&["--start-deadline", "1 s"]));
    let sidecar = service.dial().await;
    assert!(sidecar.discover().await.is_err());
    assert_eq!(service.end(Duration::from_secs(10)), Some(1), "{}", service.log());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_signal_while_the_component_is_compiled_is_an_end() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("endless.wasm");
    std::fs::write(&file, guests::patched("raw", "describe:regular", "describe:endless")).unwrap();
    let mut service = Service::begin(streamlet().args(&["serve"]).arg(&file));
    drop(service.dial().await);
    service.signal("TERM");
    assert_eq!(service.end(super::SOON), Some(0), "{}", service.log());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_of_a_life_tells_what_happened_and_no_data() {
    let mut service = ready("conformance");
    let mut talk = service.dial().await.start("{}").await;
    assert_eq!(talk.run(1, &[echo(0)]).await, Ok(emits("out", &[echo(0)])));
    talk.run(2, &[echo(777).key("fail").header("secret-name", "secret")]).await.unwrap_err();
    talk.stop().await;
    talk.end().await;
    service.signal("TERM");
    service.end(super::SOON);
    let log = service.log();
    for part in ["ready", "conversation started", "batch failed", "offset 777", "conversation stopped", "ended"] {
        assert!(log.contains(part), "{part:?} is not in\n{log}");
    }
    assert!(!log.contains("{\"n\"") && !log.contains("secret"), "{log}");
    assert!(log.lines().count() < 12, "{log}");
}
