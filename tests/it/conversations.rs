//! The scripted conversations, ours and the platform's, through lanes of the reference streamlet.

use std::collections::BTreeMap;

use streamlet_tests::fixtures;
use streamlet_tests::records::Emitted;
use streamlet_tests::room::{Room, TestLane};
use streamlet_tests::script::{Script, ScriptedBatch, Transcript};

/// The lanes that a door would have for the conversation.
type Lanes = BTreeMap<(String, i32), TestLane>;

async fn converse(script: &Script) -> Transcript {
    let room = Room::configured("conformance", &serde_json::to_string(&script.config).unwrap()).await;
    let mut lanes = Lanes::new();
    for batch in &script.batches {
        let place = (batch.inlet.clone(), batch.partition);
        lanes.entry(place).or_insert_with(|| room.lane(&batch.inlet, batch.partition));
    }
    if script.is_at_once() { at_once(script, lanes).await } else { in_turn(script, lanes).await }
}

async fn in_turn(script: &Script, mut lanes: Lanes) -> Transcript {
    let mut transcript = Transcript::default();
    for (index, batch) in script.batches.iter().enumerate() {
        let lane = lanes.get_mut(&(batch.inlet.clone(), batch.partition)).unwrap();
        transcript.outcomes.push(outcome(lane, batch).await);
        transcript.ended.push(index);
    }
    transcript
}

/// All batches at the same time, each on a lane of its own.
async fn at_once(script: &Script, mut lanes: Lanes) -> Transcript {
    let mut running = tokio::task::JoinSet::new();
    for (index, batch) in script.batches.iter().enumerate() {
        let mut lane = lanes.remove(&(batch.inlet.clone(), batch.partition)).expect("a lane for each batch");
        let records = batch.records();
        running.spawn(async move { (index, lane.run(&records).await.map_err(|failure| failure.to_string())) });
    }
    let (mut outcomes, mut ended) = (BTreeMap::new(), Vec::new());
    while let Some(done) = running.join_next().await {
        let (index, outcome) = done.unwrap();
        outcomes.insert(index, outcome);
        ended.push(index);
    }
    Transcript { outcomes: outcomes.into_values().collect(), ended, ..Transcript::default() }
}

async fn outcome(lane: &mut TestLane, batch: &ScriptedBatch) -> Result<Vec<Emitted>, String> {
    lane.run(&batch.records()).await.map_err(|failure| failure.to_string())
}

async fn check(scripts: Vec<Script>) {
    for script in scripts {
        let transcript = converse(&script).await;
        assert_eq!(transcript.outcomes.len(), script.batches.len(), "{}", script.name);
        script.judge(&transcript);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn our_own_end_as_the_reference_streamlets_table_says() {
    check(Script::read_all(&fixtures::own().join("conversations"))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_platforms_end_as_the_reference_streamlets_table_says() {
    if let Some(folder) = fixtures::shared() {
        check(Script::read_all(&folder.join("conversations"))).await;
    }
}
