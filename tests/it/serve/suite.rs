//! The platform's conformance suite: its 13 scripted conversations, ours of the same kinds, and its five cases that have
//! no script.

use std::path::Path;
use std::time::{Duration, Instant};

use streamlet_protocol::{Descriptor, descriptor, json};
use streamlet_tests::fixtures;
use streamlet_tests::records::Emitted;
use streamlet_tests::script::{Script, Transcript};
use streamlet_tests::sidecar::Sidecar;
use tonic::Code;

use super::{SOON, echo, emits, ready};

/// How long nothing more may come after a case.
const AFTERWARDS: Duration = Duration::from_millis(300);

async fn converse(sidecar: &Sidecar, script: &Script) -> Transcript {
    let mut talk = sidecar.start(&serde_json::to_string(&script.config).unwrap()).await;
    let mut outcomes = vec![None; script.batches.len()];
    let mut ended = Vec::new();
    let mut sent = script.batches.iter().zip(1u64..);
    while ended.len() < script.batches.len() {
        for (batch, id) in sent.by_ref().take(if script.is_at_once() { usize::MAX } else { 1 }) {
            talk.batch(id, &batch.inlet, batch.partition, &batch.records()).await;
        }
        let (id, outcome) = talk.outcome().await;
        let index = usize::try_from(id).unwrap() - 1;
        *outcomes.get_mut(index).expect("an answer to a batch that was sent") = Some(outcome);
        ended.push(index);
    }
    assert!(talk.is_silent(AFTERWARDS).await, "{}: something comes after the last end", script.name);
    let outcomes = outcomes.into_iter().map(|outcome: Option<Result<Vec<Emitted>, String>>| outcome.unwrap());
    Transcript { outcomes: outcomes.collect(), ended, is_without_sources: true }
}

async fn check(folder: &Path) {
    let service = ready("conformance");
    // One connection for all of them; each is cancelled before the next.
    let sidecar = service.dial().await;
    for script in Script::read_all(folder) {
        script.judge(&converse(&sidecar, &script).await);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_platforms_scripts() {
    if let Some(folder) = fixtures::shared() {
        check(&folder.join("conversations")).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn our_own_scripts() {
    check(&fixtures::own().join("conversations")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn discovery_answers_the_spec_and_logs_what_the_sidecar_refuses() {
    let service = ready("conformance");
    let sidecar = service.dial().await;
    let spec = sidecar.discover().await.unwrap();
    assert_eq!(spec.protocol_version, "1.0");
    let file = fixtures::repository().join("tests/guests/conformance/descriptor.json");
    let declared = json::from_json(std::fs::read_to_string(file).unwrap()).unwrap();
    let described = Descriptor::try_from(spec).unwrap();
    assert_eq!(described.validate(), Ok(()));
    assert!(descriptor::compare(&declared, &described).is_empty(), "{described:?}");

    sidecar.report(&["the first problem", "the second\nproblem"]).await.unwrap();
    for problem in ["the first problem", "the second problem"] {
        let line = service.wait_for(problem);
        assert!(line.contains("ERROR"), "{line}");
    }
    let lines = service.log().lines().filter(|line| line.contains("ERROR")).count();
    assert_eq!(lines, 2, "{}", service.log());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn start_then_silence() {
    let service = ready("conformance");
    let mut talk = service.dial().await.start("{}").await;
    assert!(talk.is_silent(Duration::from_millis(500)).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stop_completes() {
    let service = ready("conformance");
    let mut talk = service.dial().await.start("{}").await;
    assert_eq!(talk.run(1, &[echo(0)]).await, Ok(emits("out", &[echo(0)])));
    talk.stop().await;
    talk.half_close();
    let began = Instant::now();
    assert_eq!(talk.end().await.code(), Code::Ok);
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reconnect_is_a_new_conversation() {
    let service = ready("conformance");
    let sidecar = service.dial().await;
    let mut talk = sidecar.start("{\"factor\":3}").await;
    talk.run(1, &[echo(5).key("multiply")]).await.unwrap();
    drop(talk);
    let mut talk = sidecar.start("{}").await;
    // The same id, the same offsets, and a parameter that has its default again.
    assert_eq!(talk.run(1, &[echo(5).key("multiply")]).await.unwrap().len(), 1);
    assert!(talk.is_silent(AFTERWARDS).await);
}
