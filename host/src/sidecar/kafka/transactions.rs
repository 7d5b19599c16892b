//! Exactly once: emits and offsets in one transaction.
//!
//! One task has the transactional producer. It takes what lanes have acknowledged, of all partitions, and makes one
//! transaction of it: whatever comes while a transaction is being committed goes into the next, and a short window lets
//! partitions that are nearly ready join. Offsets go with the group's metadata, so that a member which no longer has the
//! partition is refused by the broker, whoever wrote what. A transaction that fails is aborted and voids the
//! conversation; the next one begins at the committed offsets, and its producer fences this one. It ends with the
//! conversation, and what is open then is aborted.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rdkafka::ClientConfig;
use rdkafka::consumer::{Consumer as _, ConsumerGroupMetadata};
use rdkafka::error::{KafkaError, KafkaResult, RDKafkaErrorCode};
use rdkafka::producer::Producer as _;
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{Instant, timeout_at};

use super::commits;
use super::delivery::Delivery;
use super::emits::Emitted;
use super::fault::Faults;
use super::inlet::Consumer;
use super::locks::lock;
use super::producers::{Producers, SharedProducer, Unwritten};
use super::writer::{Acknowledged, WAITING_BATCHES_MAX};

/// How long a transaction waits for more once it has something: a fraction of what committing it takes.
const WINDOW: Duration = Duration::from_millis(3);
/// Bytes of emits after which a transaction waits for no more.
const EMITTED_BYTES_MAX: u64 = 16 << 20;
/// How long a transaction's steps may take together, which is what the coordinator gives a transaction.
pub(super) const TRANSACTION_TIMEOUT: Duration = Duration::from_secs(15);
/// How long the first step may take: an earlier transaction of the same id may have to time out.
pub(super) const INIT_TIMEOUT: Duration = Duration::from_mins(1);

/// How often is looked whether a transaction's messages are delivered.
const DELIVERY_CHECK_INTERVAL: Duration = Duration::from_micros(200);

/// How long aborting one may take.
const ABORT_TIMEOUT: Duration = Duration::from_secs(5);
/// How often one is tried that the group has overtaken, and the wait before a step is repeated.
const TRIES_MAX: usize = 5;
const RETRY_WAIT: Duration = Duration::from_millis(20);

/// A transactional producer's settings.
pub(super) fn producer_config(mut client: ClientConfig, id: &str) -> ClientConfig {
    client.set("transactional.id", id);
    client.set("transaction.timeout.ms", TRANSACTION_TIMEOUT.as_millis().to_string());
    // A message may not outlast its transaction.
    client.set("message.timeout.ms", TRANSACTION_TIMEOUT.as_millis().to_string());
    client
}

/// Where lanes hand their batches over. Clones share it; the task ends when all are gone.
#[derive(Debug, Clone)]
pub(super) struct Transactions {
    waiting: mpsc::Sender<Acknowledged>,
}

/// Whose offsets are committed, by index of the inlet.
pub(super) type Members = Arc<Mutex<HashMap<u32, Member>>>;

/// An inlet's consumer and topic. It is asked who it is in its group for each transaction, while the partitions cannot be
/// revoked.
#[derive(Clone)]
pub(super) struct Member {
    pub(super) consumer: Arc<Consumer>,
    pub(super) topic: String,
}

impl Member {
    /// Who it is. One that was thrown out of its group is nobody, and a broker believes nobody whatever it says: asked
    /// after that, whether it was.
    fn membership(&self) -> KafkaResult<ConsumerGroupMetadata> {
        let membership = self.consumer.group_metadata();
        let membership = membership.filter(|_| !self.consumer.assignment_lost());
        membership.ok_or(KafkaError::ConsumerCommit(RDKafkaErrorCode::AssignmentLost))
    }
}

/// What makes transactions.
struct Transactor {
    producer: SharedProducer,
    producers: Arc<Producers>,
    members: Members,
}

impl Transactions {
    /// Starts the task. All `producers` are one, which has been initialised.
    pub(super) fn start(
        producer: &SharedProducer,
        producers: &Arc<Producers>,
        members: &Members,
        faults: Faults,
    ) -> (Self, JoinHandle<()>) {
        let (waiting, batches) = mpsc::channel(WAITING_BATCHES_MAX);
        let transactor = Arc::new(Transactor {
            producer: Arc::clone(producer),
            producers: Arc::clone(producers),
            members: Arc::clone(members),
        });
        let task = tokio::spawn(async move {
            if let Err(text) = transactor.run(batches).await {
                faults.tell(text);
            }
        });
        (Self { waiting }, task)
    }

    pub(super) async fn write(&self, emits: Vec<Emitted>, delivery: &Arc<Delivery>) -> Result<(), Unwritten> {
        let acknowledged = Acknowledged { emits, delivery: Arc::clone(delivery) };
        self.waiting.send(acknowledged).await.map_err(|_| Unwritten)
    }
}

impl Transactor {
    /// One transaction after the other, until nobody can hand over any more.
    async fn run(self: Arc<Self>, mut batches: mpsc::Receiver<Acknowledged>) -> Result<(), String> {
        while let Some(first) = batches.recv().await {
            let window = Instant::now() + WINDOW;
            let mut bytes = emitted_bytes(&first);
            let mut group = vec![first];
            while bytes < EMITTED_BYTES_MAX
                && let Ok(Some(next)) = timeout_at(window, batches.recv()).await
            {
                bytes += emitted_bytes(&next);
                group.push(next);
            }
            let transactor = Arc::clone(&self);
            let done = spawn_blocking(move || transactor.transact(&group)).await;
            done.map_err(|_| "a transaction panicked; this is a bug of the host".to_owned())?
                .map_err(|error| format!("a transaction failed: {error}"))?;
        }
        Ok(())
    }

    /// One transaction with the batches of all partitions that are still this member's. While it lasts none of them is
    /// revoked: the consumer's thread waits in its revocation.
    fn transact(&self, group: &[Acknowledged]) -> KafkaResult<()> {
        let mut claims = HashMap::new();
        for Acknowledged { delivery, .. } in group {
            let partition = delivery.partition();
            claims.entry(Arc::as_ptr(partition)).or_insert_with(|| partition.claim());
        }
        let is_ours = |delivery: &Delivery| claims.get(&Arc::as_ptr(delivery.partition())).is_some_and(Option::is_some);
        let (ours, lost) = group.iter().partition::<Vec<_>, _>(|acknowledged| is_ours(&acknowledged.delivery));
        for acknowledged in lost {
            acknowledged.delivery.lose();
        }
        if ours.is_empty() {
            return Ok(());
        }
        let mut result = self.try_once(&ours);
        for _ in 1..TRIES_MAX {
            // The group has moved on while this member kept its partitions; as who it is now it may commit.
            match &result {
                Err(error) if is_outdated(error) && !ours.iter().any(|of| of.delivery.is_lost()) => {
                    std::thread::sleep(RETRY_WAIT);
                }
                _ => break,
            }
            result = self.try_once(&ours);
        }
        drop(claims);
        for Acknowledged { delivery, .. } in ours {
            if result.is_ok() { delivery.confirm() } else { delivery.lose() }
        }
        result
    }

    /// As [`Transactor::commit`], and aborts what fails.
    fn try_once(&self, group: &[&Acknowledged]) -> KafkaResult<()> {
        let result = self.commit(group, Instant::now() + TRANSACTION_TIMEOUT);
        if result.is_err() {
            // The producer goes with the conversation; its successor ends what cannot be aborted.
            let _ = self.producer.abort_transaction(ABORT_TIMEOUT);
        }
        result
    }

    fn commit(&self, group: &[&Acknowledged], deadline: Instant) -> KafkaResult<()> {
        self.producer.begin_transaction()?;
        for Acknowledged { emits, delivery } in group {
            self.producers.write_blocking(emits, delivery)?;
        }
        // Looked for here: the client library's own wait, in committing, looks every 100 ms only. What is not delivered by
        // the deadline is found by the commit.
        while self.producer.in_flight_count() > 0 && Instant::now() < deadline {
            std::thread::sleep(DELIVERY_CHECK_INTERVAL);
        }
        let mut offsets = HashMap::<u32, HashMap<i32, i64>>::new();
        for Acknowledged { delivery, .. } in group {
            let partition = delivery.partition();
            // A partition's batches come in order: the last one counts.
            offsets.entry(partition.inlet).or_default().insert(partition.number, delivery.next_offset());
        }
        for (inlet, offsets) in &offsets {
            let member = lock(&self.members).get(inlet).cloned();
            let member = member.ok_or(KafkaError::ConsumerCommit(RDKafkaErrorCode::AssignmentLost))?;
            let (list, membership) = (commits::list(&member.topic, offsets)?, member.membership()?);
            patiently(deadline, |wait| self.producer.send_offsets_to_transaction(&list, &membership, wait))?;
        }
        patiently(deadline, |wait| self.producer.commit_transaction(wait))
    }
}

/// Whether a transaction was refused for being of an earlier generation of the group. All its messages are delivered by
/// then, so that it can be made once more.
fn is_outdated(error: &KafkaError) -> bool {
    use RDKafkaErrorCode as Code;
    let code = error.rdkafka_error_code();
    matches!(code, Some(Code::IllegalGeneration | Code::RebalanceInProgress | Code::StaleMemberEpoch))
}

/// Repeats a step that says it may be repeated, as long as the transaction may last.
fn patiently(deadline: Instant, step: impl Fn(Duration) -> KafkaResult<()>) -> KafkaResult<()> {
    loop {
        match step(deadline.saturating_duration_since(Instant::now())) {
            Err(KafkaError::Transaction(error)) if error.is_retriable() && Instant::now() < deadline => {
                std::thread::sleep(RETRY_WAIT);
            }
            result => return result,
        }
    }
}

fn emitted_bytes(acknowledged: &Acknowledged) -> u64 {
    acknowledged.emits.iter().map(Emitted::bytes).sum()
}
