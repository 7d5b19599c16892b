//! What probes and Prometheus see: files, paths, and the numbers behind them.

use streamlet_tests::kafka::{Broker, Record};

use super::Scene;

#[test]
fn files_paths_and_numbers_tell_how_a_run_is() {
    let Some(broker) = Broker::shared() else { return };
    let scene = Scene::new(broker, "health", 2);
    let records = [
        Record::new("12345").key("k1").header("h", "v"),
        Record::new("1").header("do", "both").partition(1),
        Record::new("drop"),
    ];
    scene.input.produce(&records);
    let running = scene.faulty.start();
    let alive = running.state_file("alive");
    running.wait("alive", || alive.exists().then_some(()));
    assert_eq!(running.get("/alive"), (200, "alive\n".into()));
    running.wait_ready();
    assert_eq!(running.get("/ready"), (200, "ready\n".into()));
    assert_eq!(running.get("/other").0, 404);
    scene.input.wait_committed(&scene.group);

    let lag = r#"streamlet_lag_records{inlet="in",partition="0"}"#;
    running.wait("the lag to be known", || running.metric(lag).filter(|lag| *lag == 0.0));
    let numbers = [
        ("streamlet_ready", 1.0),
        ("streamlet_conversations_total", 1.0),
        (r#"ankka_flow_sidecar_in_flight{inlet="in",partition="0"}"#, 0.0),
        (r#"ankka_flow_sidecar_in_flight{inlet="in",partition="1"}"#, 0.0),
        (r#"ankka_flow_sidecar_stalled_seconds{inlet="in",partition="0"}"#, 0.0),
        (r#"streamlet_records_total{inlet="in"}"#, 3.0),
        // Keys, header names and values, and values: 5 + 2 + 2, 1 + 6, 4.
        (r#"streamlet_record_bytes_total{inlet="in"}"#, 20.0),
        (r#"streamlet_emits_total{outlet="out"}"#, 2.0),
        (r#"streamlet_emits_total{outlet="other"}"#, 1.0),
        (r#"streamlet_failures_total{inlet="in",kind="refused"}"#, 0.0),
    ];
    let seen = numbers.map(|(series, _)| (series, running.metric(series)));
    assert_eq!(seen, numbers.map(|(series, value)| (series, Some(value))));
    for histogram in ["streamlet_batch_seconds_count", "streamlet_commit_seconds_count"] {
        let count = running.metric(&format!(r#"{histogram}{{inlet="in"}}"#));
        assert!(count.is_some_and(|count| count >= 1.0), "{histogram}: {count:?}");
    }
    assert!(running.metric("streamlet_guest_memory_bytes").is_some_and(|bytes| bytes > 65_536.0));
    let client = format!(r#"client_id="{}""#, scene.faulty.client_id());
    assert!(
        running.get("/metrics").1.lines().any(|line| line.starts_with("streamlet_kafka_") && line.contains(&client))
    );

    let ready = running.state_file("ready");
    let ended = running.stop();
    assert_eq!((ended.code, ready.exists(), alive.exists()), (Some(0), false, false));
}

#[test]
fn lag_counts_what_is_not_written_yet() {
    let Some(broker) = Broker::shared() else { return };
    let scene = Scene::new(broker, "lag", 1);
    let records = [Record::new("fine"), Record::new("fail"), Record::new("fine"), Record::new("fine")];
    scene.input.produce(&records);
    let running = scene.faulty.records_max(1).start();
    let lag = r#"streamlet_lag_records{inlet="in",partition="0"}"#;
    running.wait("the lag", || running.metric(lag).filter(|lag| (lag - 3.0).abs() < 0.5));
    let progress = running.stop().progress;
    let last = &progress.last().unwrap()["inlets"][0];
    assert_eq!((last["records"].as_u64(), last["partitions"].as_u64()), (Some(1), Some(1)));
    assert!(last["last_error"].as_str().is_some_and(|error| error.contains("the record said fail")), "{last}");
}
