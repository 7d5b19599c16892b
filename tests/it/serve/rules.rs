//! The rules of `Run` that a client can break: each ends the stream with the status that the design gives it, and a
//! message that names what was wrong.

use streamlet_protocol::wire::to_process::Message;
use streamlet_tests::service::Service;
use streamlet_tests::sidecar::batch;
use tonic::Code::{FailedPrecondition, InvalidArgument};

use super::{assert_status, echo, emits, ready};

/// What `messages` on one stream, after a `Start`, end it with.
async fn refusal(service: &Service, messages: impl IntoIterator<Item = Option<Message>>) -> tonic::Status {
    let mut talk = service.dial().await.start("{}").await;
    for message in messages {
        talk.say(message).await;
    }
    talk.end().await
}

fn late(batch_id: u64, inlet: &str, partition: i32) -> Message {
    Message::Batch(batch(batch_id, inlet, partition, &[echo(0).key("late")]))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn at_the_wrong_time() {
    let service = ready("conformance");
    let mut talk = service.dial().await.open().await;
    talk.batch(9, "in", 0, &[echo(0)]).await;
    assert_status(&talk.end().await, FailedPrecondition, &["batch 9", "before Start"]);

    let status = refusal(&service, [late(1, "in", 4), late(2, "in", 4)].map(Some)).await;
    assert_status(&status, FailedPrecondition, &["batch 2", "inlet \"in\"", "partition 4", "in flight"]);
    let status = refusal(&service, [late(7, "in", 0), late(7, "in", 1)].map(Some)).await;
    assert_status(&status, FailedPrecondition, &["id 7", "in flight"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn at_any_time() {
    let service = ready("conformance");
    let status = refusal(&service, [Some(late(3, "nope", 0))]).await;
    assert_status(&status, InvalidArgument, &["batch 3", "inlet \"nope\"", "not declared"]);
    assert_status(&refusal(&service, [None]).await, InvalidArgument, &["neither Start, Batch nor Stop"]);

    let sidecar = service.dial().await;
    let mut start = sidecar.start_message("{}").await;
    start.inlets.retain(|binding| binding.port == "in");
    let mut talk = sidecar.open().await;
    talk.say(Message::Start(start)).await;
    talk.batch(4, "side", 0, &[echo(0)]).await;
    assert_status(&talk.end().await, InvalidArgument, &["batch 4", "inlet \"side\"", "does not bind"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_configuration_that_does_not_fit() {
    let service = ready("conformance");
    let sidecar = service.dial().await;
    for (config, parts) in [
        ("[]", &["config_json", "object"][..]),
        ("{", &["config_json"]),
        ("{\"factor\":\"three\",\"mode\":7}", &["\"factor\"", "\"mode\""]),
        ("{\"factor\":1.5}", &["\"factor\""]),
    ] {
        let mut talk = sidecar.start(config).await;
        assert_status(&talk.end().await, InvalidArgument, parts);
    }
    // A value that is long must not make the status long.
    let mut talk = sidecar.start(&format!("{{\"factor\":\"{}\"}}", "é".repeat(100_000))).await;
    assert_status(&talk.end().await, InvalidArgument, &["\"factor\""]);
    let mut talk = sidecar.start("").await;
    assert_eq!(talk.run(1, &[echo(0).key("multiply")]).await.unwrap().len(), 1, "an empty text is {{}}");

    let service = ready("raw");
    let mut talk = service.dial().await.start("{}").await;
    assert_status(&talk.end().await, InvalidArgument, &["required"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_not_declared_is_warned_of_or_refused() {
    let service = ready("conformance");
    let sidecar = service.dial().await;
    let mut talk = sidecar.start("{\"factor\":2,\"colour\":\"red\"}").await;
    assert_eq!(talk.run(1, &[echo(0).key("multiply")]).await.unwrap().len(), 2);
    let line = service.wait_for("colour");
    assert!(line.contains("WARN"), "{line}");

    let mut start = sidecar.start_message("{}").await;
    start.outlets[0].port = "nope".into();
    let mut talk = sidecar.open().await;
    talk.say(Message::Start(start)).await;
    assert_status(&talk.end().await, InvalidArgument, &["outlet \"nope\"", "not declared"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_fault() {
    let service = ready("conformance");
    let mut talk = service.dial().await.start("{}").await;
    assert_eq!(talk.run(0, &[]).await, Ok(vec![]), "a batch without records");
    assert_eq!(talk.run(u64::MAX, &[echo(0)]).await, Ok(emits("out", &[echo(0)])));
    // An id may come again once its batch has ended.
    assert_eq!(talk.run(u64::MAX, &[echo(1)]).await, Ok(emits("out", &[echo(1)])));
    assert_eq!(talk.run(5, &[echo(2).key("fail")]).await.map_err(|_| ()), Err(()));
    assert_eq!(talk.run(6, &[echo(2)]).await, Ok(emits("out", &[echo(2)])), "after a failure");

    // A second Start on the stream begins again.
    talk.batch(7, "in", 0, &[echo(3).key("late")]).await;
    talk.say(Message::Start(service.dial().await.start_message("{\"factor\":2}").await)).await;
    assert_eq!(talk.run(1, &[echo(0).key("multiply")]).await.unwrap().len(), 2);
    assert!(talk.is_silent(std::time::Duration::from_millis(500)).await, "batch 7 is void");
}
