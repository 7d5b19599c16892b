//! Conversations that end because another began or the client went: their guests are killed, their answers go nowhere.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use streamlet_tests::records::Record;
use streamlet_tests::service::Service;
use tonic::Code;

use super::{SOON, assert_status, echo, emits, ready};

/// The processor time that the process uses in a second, in hundredths.
fn busy_hundredths(service: &Service) -> u64 {
    let before = service.processor_hundredths();
    std::thread::sleep(Duration::from_secs(1));
    service.processor_hundredths() - before
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_newer_start_kills_an_endless_loop() {
    let service = ready("faulty");
    let sidecar = service.dial().await;
    let mut old = sidecar.start("{}").await;
    old.batch(1, "in", 0, &[Record::new(0, "loop")]).await;
    old.batch(2, "in", 1, &[Record::new(0, "sleep")]).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let began = Instant::now();
    let mut new = sidecar.start("{}").await;
    assert_status(&old.end().await, Code::Aborted, &["newer conversation"]);
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    assert_eq!(new.run(1, &[Record::new(0, "x")]).await, Ok(emits("out", &[Record::new(0, "x")])));
    assert!(busy_hundredths(&service) < 30, "the loop is gone");
}

/// Batches of quick lanes begin on the stream's own task, which must not be kept by one that is quick no more.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lane_that_was_quick_keeps_nobody_and_is_killed_like_any_other() {
    let service = ready("faulty");
    let sidecar = service.dial().await;
    for word in ["loop", "sleep"] {
        let mut old = sidecar.start("{}").await;
        let mut batch_id = 0;
        for offset in 0..40 {
            for partition in [0, 1] {
                batch_id += 1;
                old.batch(batch_id, "in", partition, &[Record::new(offset, "x")]).await;
                assert!(old.outcome().await.1.is_ok());
            }
        }
        old.batch(1000, "in", 0, &[Record::new(40, word)]).await;
        for offset in 40..60 {
            old.batch(1000 + u64::try_from(offset).unwrap(), "in", 1, &[Record::new(offset, "x")]).await;
            let outcome = tokio::time::timeout(SOON, old.outcome()).await.expect("nobody waits for another partition");
            assert!(outcome.1.is_ok(), "{outcome:?}");
        }
        let began = Instant::now();
        let mut new = sidecar.start("{}").await;
        assert_status(&old.end().await, Code::Aborted, &["newer conversation"]);
        assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
        assert_eq!(new.run(1, &[Record::new(0, "x")]).await, Ok(emits("out", &[Record::new(0, "x")])));
        assert!(busy_hundredths(&service) < 30, "the {word} is gone");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_never_starts_voids_nothing() {
    let service = ready("conformance");
    let sidecar = service.dial().await;
    let mut talk = sidecar.start("{}").await;
    talk.run(1, &[echo(0)]).await.unwrap();
    let silent = sidecar.open().await;
    let other = service.dial().await.open().await;
    assert_eq!(talk.run(2, &[echo(1)]).await, Ok(emits("out", &[echo(1)])));
    drop((silent, other));
    assert_eq!(talk.run(3, &[echo(2)]).await, Ok(emits("out", &[echo(2)])));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_stream_and_a_lost_connection_kill_what_runs() {
    let service = ready("faulty");
    let talk = service.dial().await.start("{}").await;
    talk.batch(1, "in", 0, &[Record::new(0, "loop")]).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(busy_hundredths(&service) > 50, "the loop runs");
    // The one stream of its connection, so both end.
    drop(talk);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(busy_hundredths(&service) < 30, "the loop is gone");
    let log = service.log();
    assert!(!log.contains("WARN") && !log.contains("ERROR"), "{log}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_is_killed_takes_its_guests_along() {
    let service = ready("faulty");
    let mut client = Command::new(env!("CARGO_BIN_EXE_client-in-flight"))
        .arg(service.address())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(client.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "in flight\n");
    assert!(busy_hundredths(&service) > 50, "its loop runs");
    // SIGKILL: it says no goodbye, the system closes its connection.
    client.kill().unwrap();
    client.wait().unwrap();
    let died = Instant::now();
    service.wait_for("ended by the sidecar");
    assert!(died.elapsed() < SOON, "{:?}", died.elapsed());
    assert!(busy_hundredths(&service) < 30, "its loop is gone");
    assert!(!service.log().contains("WARN") && !service.log().contains("ERROR"), "{}", service.log());
    let mut talk = service.dial().await.start("{}").await;
    assert_eq!(talk.run(1, &[Record::new(0, "x")]).await, Ok(emits("out", &[Record::new(0, "x")])));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn conversations_supersede_each_other_in_flight() {
    let service = ready("conformance");
    let sidecar = service.dial().await;
    let mut olds = Vec::new();
    for round in 0..25 {
        let talk = sidecar.start("{}").await;
        for partition in 0..4 {
            talk.batch(u64::try_from(partition).unwrap() + 1, "in", partition, &[echo(round).key("late")]).await;
        }
        olds.push(talk);
    }
    let mut newest = olds.pop().unwrap();
    for mut old in olds {
        // A batch may have ended before its conversation did.
        let status = loop {
            if let Err(status) = old.try_outcome().await {
                break status;
            }
        };
        assert_eq!(status.code(), Code::Aborted);
    }
    let mut ended = Vec::new();
    for _ in 0..4 {
        let (batch_id, outcome) = newest.outcome().await;
        assert_eq!(outcome, Ok(emits("out", &[echo(24).key("late")])));
        ended.push(batch_id);
    }
    ended.sort_unstable();
    assert_eq!(ended, [1, 2, 3, 4]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn four_hundred_conversations_in_a_row_leave_nothing_behind() {
    let service = ready("conformance");
    let sidecar = service.dial().await;
    let mut resident = Vec::new();
    for round in 0..400 {
        let mut talk = sidecar.start("{}").await;
        // Several at once, so that whatever is made for the first use of a thread is made early.
        for partition in 0..8u8 {
            talk.batch(u64::from(partition) + 1, "in", partition.into(), &[echo(round)]).await;
        }
        for _ in 0..8 {
            assert_eq!(talk.outcome().await.1, Ok(emits("out", &[echo(round)])));
        }
        match round % 3 {
            0 => drop(talk),
            1 => {
                talk.stop().await;
                assert_eq!(talk.end().await.code(), Code::Ok);
            }
            _ => {
                talk.half_close();
                assert_eq!(talk.end().await.code(), Code::Ok);
            }
        }
        resident.push(service.resident_bytes());
    }
    // By then every thread has all that it keeps.
    let (early, last) = (resident[149], resident[399]);
    eprintln!("{} KiB resident after 150 conversations, {} KiB after 400", early >> 10, last >> 10);
    assert!(last.abs_diff(early) < early / 20, "{early} bytes after 150, {last} after 400");
}
