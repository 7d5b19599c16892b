//! How conversations and the process end: `Stop`, half-close, signals, and the grace.

use std::time::{Duration, Instant};

use streamlet_tests::records::Record;
use streamlet_tests::service::Service;
use tonic::Code;

use super::{SOON, echo, emits, program, ready};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batches_in_flight_finish_after_stop_and_after_half_close() {
    let service = ready("conformance");
    let sidecar = service.dial().await;
    for stops in [true, false] {
        let mut talk = sidecar.start("{}").await;
        talk.batch(1, "in", 0, &[echo(0).key("late")]).await;
        talk.batch(2, "in", 1, &[echo(0).key("late")]).await;
        if stops {
            talk.stop().await;
        } else {
            talk.half_close();
        }
        for _ in 0..2 {
            assert_eq!(talk.outcome().await.1, Ok(emits("out", &[echo(0).key("late")])));
        }
        assert_eq!(talk.end().await.code(), Code::Ok);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_outlasts_the_grace_is_killed() {
    let service = Service::start(program("faulty").args(&["--drain-grace", "500 ms"]));
    let mut talk = service.dial().await.start("{}").await;
    talk.batch(1, "in", 0, &[Record::new(0, "loop")]).await;
    talk.stop().await;
    let began = Instant::now();
    assert_eq!(talk.end().await.code(), Code::Ok, "unanswered, and over");
    assert!((Duration::from_millis(450)..SOON).contains(&began.elapsed()), "{:?}", began.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_idle_process_leaves_at_once() {
    for signal in ["TERM", "INT"] {
        let mut service = ready("conformance");
        let sidecar = service.dial().await;
        let mut talk = sidecar.start("{}").await;
        talk.run(1, &[echo(0)]).await.unwrap();
        talk.stop().await;
        assert_eq!(talk.end().await.code(), Code::Ok);
        // The connection stays open, as the sidecar's does.
        service.signal(signal);
        assert_eq!(service.end(SOON), Some(0), "{signal}: {}", service.log());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_open_conversation_goes_on_until_it_stops() {
    let mut service = ready("conformance");
    let sidecar = service.dial().await;
    let mut talk = sidecar.start("{}").await;
    talk.run(1, &[echo(0)]).await.unwrap();
    service.signal("TERM");
    service.wait_for("signal received");
    assert_eq!(talk.run(2, &[echo(1)]).await, Ok(emits("out", &[echo(1)])), "nothing has changed");
    assert_eq!(sidecar.try_open().await.map(drop).unwrap_err().code(), Code::Unavailable, "but no new one begins");
    talk.batch(3, "in", 0, &[echo(2).key("late")]).await;
    talk.stop().await;
    assert_eq!(talk.outcome().await, (3, Ok(emits("out", &[echo(2).key("late")]))));
    assert_eq!(talk.end().await.code(), Code::Ok);
    assert_eq!(service.end(SOON), Some(0), "{}", service.log());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_grace_counts_from_the_signal() {
    let mut service = Service::start(program("faulty").args(&["--drain-grace", "1 s"]));
    let talk = service.dial().await.start("{}").await;
    talk.batch(1, "in", 0, &[Record::new(0, "loop")]).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    let began = Instant::now();
    service.signal("TERM");
    assert_eq!(service.end(Duration::from_secs(3)), Some(0), "{}", service.log());
    assert!(began.elapsed() > Duration::from_millis(900), "{:?}", began.elapsed());
    drop(talk);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_client_lets_a_process_leave_that_was_told_to() {
    let mut service = ready("conformance");
    let talk = service.dial().await.start("{}").await;
    service.wait_for("conversation started");
    service.signal("TERM");
    service.wait_for("signal received");
    drop(talk);
    assert_eq!(service.end(SOON), Some(0), "{}", service.log());
}

/// As `timeout` does: to the process, and to the group that it is in.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_signal_that_comes_twice_at_once_is_one() {
    let mut service = ready("conformance");
    let talk = service.dial().await.start("{}").await;
    service.wait_for("conversation started");
    service.signal("TERM");
    service.signal("TERM");
    service.wait_for("signal received");
    drop(talk);
    assert_eq!(service.end(SOON), Some(0), "{}", service.log());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_signal_is_the_end() {
    let mut service = ready("faulty");
    let talk = service.dial().await.start("{}").await;
    talk.batch(1, "in", 0, &[Record::new(0, "loop")]).await;
    service.wait_for("conversation started");
    service.signal("TERM");
    service.wait_for("signal received");
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(service.is_running());
    service.signal("TERM");
    assert_eq!(service.end(SOON), Some(130), "{}", service.log());
    drop(talk);
}
