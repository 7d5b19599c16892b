//! Partitions that change hands: with a batch in flight, and under load, with every assignment strategy.

use std::thread;

use streamlet_tests::kafka::events::{check, events, events_from};
use streamlet_tests::kafka::{Broker, until};

use super::Scene;

/// A member whose batches never end has both partitions, until a second one comes.
#[test]
fn a_partition_revoked_in_flight_commits_nothing_and_is_read_again_by_its_new_owner() {
    let Some(broker) = Broker::shared() else { return };
    let scene = Scene::new(broker, "revoked", 2);
    let sent = events(10, 2, 2, |_, _| "pause");
    scene.input.produce(&sent);
    let slow = scene.faulty.clone().set("pause", "25 s").flags(&["--drain-grace", "100 ms"]);
    let slow_id = slow.client_id().to_owned();
    let slow = slow.start();
    for partition in 0..2 {
        let series = format!(r#"ankka_flow_sidecar_in_flight{{inlet="in",partition="{partition}"}}"#);
        slow.wait("a batch in flight", || slow.metric(&series).filter(|in_flight| *in_flight > 0.0));
    }
    let quick = scene.faulty.another().start();
    let members = scene.group.wait_stable(2);
    let own = members.iter().find(|member| member.client_id == slow_id).expect("it is still a member");
    let [(_, kept)] = own.partitions[..] else { panic!("one partition each: {members:?}") };
    let given = usize::from(kept == 0);

    until("the new owner", || {
        (scene.input.committed(&scene.group)[given] == Some(scene.input.ends()[given])).then_some(())
    });
    assert_eq!(scene.input.committed(&scene.group)[1 - given], None, "what never ended is not committed");
    let of_given = sent.iter().filter(|event| event.partition != kept).cloned().collect::<Vec<_>>();
    assert_eq!(check(&of_given, &scene.out.read()), 0, "nothing of a revoked batch is written");

    assert_eq!(slow.stop().code, Some(1), "its batch is given up");
    scene.input.wait_committed(&scene.group);
    quick.stop();
    assert_eq!(check(&sent, &scene.out.read()), 0, "nothing of a batch that was given up is written");
}

/// Two members come and go while events are produced.
fn check_strategy(strategy: &str) {
    let Some(broker) = Broker::shared() else { return };
    let mut scene = Scene::new(broker, strategy, 6);
    let consumer = scene.faulty.consumer("partition.assignment.strategy", strategy);
    scene.faulty = consumer.set("pause", "2 ms").records_max(5);
    let sent = (0..12).flat_map(|turn| events_from(turn * 5, 12, 5, 6, |_, _| "pause")).collect::<Vec<_>>();
    thread::scope(|scope| {
        let producing = scope.spawn(|| {
            for (turn, events) in sent.chunks(60).enumerate() {
                scene.input.produce(events);
                // Load goes on while members come and go; a turn waits until some of the one before is through.
                until("some of what is produced", || {
                    (scene.emitted() >= i64::try_from(turn).unwrap() * 40).then_some(())
                });
            }
        });
        let first = scene.faulty.start();
        until("the first events", || (scene.emitted() > 0).then_some(()));
        let second = scene.faulty.another().start();
        let members = scene.group.wait_stable(2);
        let shares = members.iter().map(|member| member.partitions.len()).collect::<Vec<_>>();
        assert_eq!(shares, [3, 3], "both work");
        assert_eq!(first.stop().code, Some(0));
        let third = scene.faulty.another().start();
        scene.group.wait_stable(2);
        assert_eq!(second.stop().code, Some(0));
        producing.join().unwrap();
        scene.input.wait_committed(&scene.group);
        let ended = third.stop();
        assert_eq!(ended.code, Some(0));
        let void = ended.log.iter().filter(|line| line.contains("conversation void")).collect::<Vec<_>>();
        assert!(void.is_empty(), "members that come and go are no fault: {void:?}");
    });
    check(&sent, &scene.out.read());
}

#[test]
fn members_join_and_leave_under_load_with_range() {
    check_strategy("range");
}

#[test]
fn members_join_and_leave_under_load_with_roundrobin() {
    check_strategy("roundrobin");
}

#[test]
fn members_join_and_leave_under_load_with_cooperativesticky() {
    check_strategy("cooperativesticky");
}

#[test]
fn members_join_and_leave_under_load_with_sticky() {
    check_strategy("sticky");
}
