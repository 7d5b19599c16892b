//! Load with faults that lasts: many partitions through real gRPC, random faults in some batches, conversations that
//! supersede each other, and a close look at every answer and at the memory.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use crate::records::Record;
use crate::service::Service;
use crate::sidecar::{Outcome, Sidecar, Talk};

/// Faults that end soon; each is a word of the guest `evil`.
const FAULTS: [&str; 5] = ["abort", "panic", "panic-in-panic", "gibibyte", "environment"];
/// Records of a batch.
const RECORDS: i64 = 5;

/// What a soak does.
#[derive(Debug, Clone, Copy)]
pub struct Soak {
    /// Batches that have to end, those with faults included.
    pub batches: u64,
    /// Partitions, each with one batch in flight.
    pub partitions: i32,
    /// One in so many batches has a fault.
    pub one_fault_in: u64,
    /// The time between two conversations.
    pub supersede_after: Duration,
}

/// What a soak came to. Every answer was right, or it would not have come to this.
#[derive(Debug, Clone, Copy)]
pub struct Soaked {
    /// Batches that ended.
    pub batches: u64,
    /// Batches that failed, as they had to.
    pub failures: u64,
    /// Batches that a newer conversation voided; they were sent again.
    pub voided: u64,
    /// Conversations that were superseded.
    pub superseded: u64,
    /// How long it took.
    pub time: Duration,
    /// Resident bytes of the process after the first tenth of the batches, and at the end.
    pub resident_bytes: (u64, u64),
}

/// What traps in a row came to.
#[derive(Debug, Clone, Copy)]
pub struct Trapped {
    /// Resident bytes of the process after the first tenth of the traps, and at the end.
    pub resident_bytes: (u64, u64),
    /// The median time from the failure's arrival to the answer to the next batch, by a fresh instance.
    pub recovery_median: Duration,
    /// The median time of a batch on an instance that was there.
    pub batch_median: Duration,
}

/// What a partition is about.
struct Partition {
    /// The batch that is in flight, or that has to be sent: its first offset.
    offset: i64,
    fault: Option<&'static str>,
}

impl Soak {
    /// Runs it against a process that serves the guest `evil`.
    ///
    /// # Panics
    /// An answer is wrong, or none comes.
    pub async fn run(self, service: &Service) -> Soaked {
        let began = Instant::now();
        let sidecar = service.dial().await;
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let fresh = |random: &mut Random| Partition { offset: 0, fault: self.fault(random) };
        let mut partitions = (0..self.partitions).map(|_| fresh(&mut random)).collect::<Vec<_>>();
        let mut soaked =
            Soaked { batches: 0, failures: 0, voided: 0, superseded: 0, time: Duration::ZERO, resident_bytes: (0, 0) };
        let (mut talk, mut in_flight) = self.converse(&sidecar, &partitions).await;
        let (mut since, mut next_id) = (Instant::now(), in_flight.len() as u64 + 1);
        while soaked.batches < self.batches {
            if since.elapsed() > self.supersede_after {
                // The old stream is dropped only after the new one has begun.
                soaked.voided += in_flight.len() as u64;
                soaked.superseded += 1;
                let (newer, again) = self.converse(&sidecar, &partitions).await;
                (talk, in_flight, since, next_id) = (newer, again, Instant::now(), self.first_free_id());
            }
            let (batch_id, outcome) = talk.outcome().await;
            let partition = in_flight.remove(&batch_id).expect("the batch was in flight");
            let about = &mut partitions[usize::try_from(partition).expect("a partition")];
            about.judge(partition, &outcome);
            soaked.batches += 1;
            soaked.failures += u64::from(outcome.is_err());
            if soaked.batches == self.batches / 10 {
                soaked.resident_bytes.0 = service.resident_bytes();
            }
            *about = Partition { offset: about.offset + RECORDS, fault: self.fault(&mut random) };
            about.send(&talk, next_id, partition).await;
            in_flight.insert(next_id, partition);
            next_id += 1;
        }
        Soaked { time: began.elapsed(), resident_bytes: (soaked.resident_bytes.0, service.resident_bytes()), ..soaked }
    }

    /// Begins a conversation and sends each partition's batch, which the one before may have left unanswered.
    async fn converse(&self, sidecar: &Sidecar, partitions: &[Partition]) -> (Talk, BTreeMap<u64, i32>) {
        let talk = sidecar.start("{}").await;
        let mut in_flight = BTreeMap::new();
        for ((batch_id, partition), about) in (1..).zip(0..).zip(partitions) {
            about.send(&talk, batch_id, partition).await;
            in_flight.insert(batch_id, partition);
        }
        (talk, in_flight)
    }

    fn first_free_id(&self) -> u64 {
        u64::try_from(self.partitions).expect("a number of partitions") + 1
    }

    fn fault(&self, random: &mut Random) -> Option<&'static str> {
        (random.below(self.one_fault_in) == 0).then(|| {
            let index = usize::try_from(random.below(FAULTS.len() as u64)).expect("an index");
            FAULTS[index]
        })
    }
}

impl Partition {
    fn records(&self, partition: i32) -> Vec<Record> {
        let record = |n: i64| {
            let offset = self.offset + n;
            let text = format!("good {partition} {offset}");
            let value = if n == RECORDS / 2 { self.fault.map_or(text, str::to_owned) } else { text };
            Record::new(offset, value).key(offset.to_string())
        };
        (0..RECORDS).map(record).collect()
    }

    async fn send(&self, talk: &Talk, batch_id: u64, partition: i32) {
        talk.batch(batch_id, "in", partition, &self.records(partition)).await;
    }

    /// An answer echoes the records in order, and a failure is where a fault was put.
    fn judge(&self, partition: i32, outcome: &Outcome) {
        match (outcome, self.fault) {
            (Ok(emits), None) => {
                let found = emits.iter().map(|emit| (&emit.record.key, &emit.record.value));
                let records = self.records(partition);
                let expect = records.iter().map(|record| (&record.key, &record.value));
                assert!(found.eq(expect), "partition {partition}, offset {}: {emits:?}", self.offset);
            }
            (Err(text), Some(_)) => {
                let place = format!("partition {partition}, offsets {} to ", self.offset);
                assert!(text.contains(&place), "{place} is not in {text}");
            }
            (outcome, fault) => panic!("partition {partition}, offset {}, {fault:?}: {outcome:?}", self.offset),
        }
    }
}

/// Lets one partition trap again and again, with a good batch after each trap.
///
/// # Panics
/// An answer is wrong, or none comes.
pub async fn trap(service: &Service, traps: u64) -> Trapped {
    let mut talk = service.dial().await.start("{}").await;
    let (mut recoveries, mut times, mut resident) = (VecDeque::new(), VecDeque::new(), 0);
    let mut about = Partition { offset: 0, fault: None };
    let mut batch_id = 0;
    for trap in 1..=traps {
        // The fault, then a batch on a fresh instance, then one on the same.
        for fault in [Some("abort"), None, None] {
            (about.offset, about.fault, batch_id) = (about.offset + RECORDS, fault, batch_id + 1);
            let began = Instant::now();
            about.send(&talk, batch_id, 0).await;
            let (ended, outcome) = talk.outcome().await;
            let took = began.elapsed();
            assert_eq!(ended, batch_id);
            about.judge(0, &outcome);
            match batch_id % 3 {
                2 => recoveries.push_back(took),
                0 => times.push_back(took),
                _ => {}
            }
        }
        if trap == traps / 10 {
            resident = service.resident_bytes();
        }
    }
    let resident_bytes = (resident, service.resident_bytes());
    Trapped { resident_bytes, recovery_median: median(recoveries), batch_median: median(times) }
}

fn median(times: VecDeque<Duration>) -> Duration {
    let mut times = Vec::from(times);
    times.sort_unstable();
    times[times.len() / 2]
}

/// A generator whose faults are the same in every run: xorshift, from Marsaglia's paper of 2003.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        for (left, shift) in [(true, 13), (false, 7), (true, 17)] {
            self.0 ^= if left { self.0 << shift } else { self.0 >> shift };
        }
        self.0 % end
    }
}

/// By how many per cent the second is larger than the first.
pub fn growth_percent((first, second): (u64, u64)) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "bytes of a process are far below 2^52")]
    let ratio = second as f64 / first as f64;
    (ratio - 1.0) * 100.0
}
