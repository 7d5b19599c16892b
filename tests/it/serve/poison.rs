//! Failure policies through the sidecar's door: poison is set aside, everything else is emitted in order and acknowledged.

use streamlet_tests::program::Program;
use streamlet_tests::records::Record;
use streamlet_tests::service::Service;

use super::program;

fn faulty(flags: &[&str]) -> Program {
    program("faulty").args(flags)
}

/// A hundred records, every one of `at` poison.
fn hundred(at: impl Fn(i64) -> bool) -> Vec<Record> {
    (0..100)
        .map(|n| Record::new(n, if at(n) { "panic".into() } else { format!("n{n}") }).key(format!("k{n}")))
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_three_and_fifty_under_each_policy() {
    let some = [|n: i64| n == 41, |n: i64| n % 40 == 3, |n: i64| n % 2 == 1];
    for policy in ["fail", "skip", "dead-letter=other"] {
        let service = Service::start(faulty(&["--on-failure", policy]));
        let mut talk = service.dial().await.start("{}").await;
        for (id, (poison, count)) in (1..).zip(some.into_iter().zip([1, 3, 50])) {
            let records = hundred(poison);
            let outcome = talk.run(id, &records).await;
            if policy == "fail" || count == 50 {
                let text = outcome.unwrap_err();
                assert!(text.starts_with("the streamlet panicked at offset "), "{text}");
                assert_eq!(text.contains("--skip-max"), policy != "fail", "{text}");
                continue;
            }
            let emitted = outcome.unwrap();
            let of = |outlet: &str| emitted.iter().filter(|emit| emit.outlet == outlet).collect::<Vec<_>>();
            let good = records.iter().filter(|record| !poison(record.offset)).map(|record| record.value.clone());
            assert!(of("out").iter().map(|emit| emit.record.value.clone()).eq(good), "{policy}, {count}");
            let letters = of("other");
            assert_eq!(letters.len(), if policy == "skip" { 0 } else { count });
            let places = records.iter().filter(|record| poison(record.offset));
            for (letter, record) in letters.iter().zip(places) {
                assert_eq!((&letter.record.key, &letter.record.value), (&record.key, &record.value));
                assert!(
                    letter
                        .record
                        .headers
                        .contains(&("streamlet-offset".into(), Some(record.offset.to_string().into_bytes())))
                );
            }
            let line = service.wait_for(&format!("batch_id={id} "));
            assert!(line.contains("WARN") && line.contains(&format!("records={count} ")), "{line}");
            assert!(line.contains("the streamlet panicked at offset "), "{line}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_emit_that_cannot_be_sent_is_poison_too() {
    let service = Service::start(faulty(&["--on-failure", "dead-letter=other"]));
    let sidecar = service.dial().await;
    let mut start = sidecar.start_message("{}").await;
    start.max_message_bytes = 1000;
    let mut talk = sidecar.open().await;
    talk.say(streamlet_protocol::wire::to_process::Message::Start(start)).await;
    // A null that the wire has no form for, and nothing that is too long.
    let records = [Record::new(0, "a"), Record::new(1, "tombstone"), Record::new(2, "b")];
    let emitted = talk.run(1, &records).await.unwrap();
    assert_eq!(emitted.iter().map(|emit| emit.outlet.as_str()).collect::<Vec<_>>(), ["out", "other", "out"]);
    let (name, why) = &emitted[1].record.headers[0];
    let why = String::from_utf8_lossy(why.as_ref().unwrap());
    assert!(name == "streamlet-error" && why.contains("null value"), "{name}: {why}");

    // Poison that is itself over the limit: so is its letter, and the batch fails after all.
    let large = Record::new(4, format!("fail {}", "x".repeat(990)));
    let text = talk.run(2, &[Record::new(3, "a"), large]).await.unwrap_err();
    assert!(
        text.contains("the dead letter of offset 4 cannot be sent") && text.contains("max_message_bytes of 1000"),
        "{text}"
    );
    assert_eq!(talk.run(3, &[Record::new(5, "a")]).await.unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conversation_that_ends_in_the_middle_of_it() {
    let service = Service::start(faulty(&["--on-failure", "skip", "--batch-deadline", "1 s"]));
    let sidecar = service.dial().await;
    let old = sidecar.start("{}").await;
    old.batch(1, "in", 0, &[Record::new(0, "a"), Record::new(1, "loop"), Record::new(2, "loop")]).await;
    tokio::time::sleep(std::time::Duration::from_millis(1500)).await;
    let mut new = sidecar.start("{}").await;
    assert_eq!(new.run(1, &[Record::new(0, "a")]).await.unwrap().len(), 1);
    assert!(!service.log().contains("set aside"), "{}", service.log());
    drop(old);
}
