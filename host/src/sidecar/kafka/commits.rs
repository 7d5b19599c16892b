//! Offsets from "delivered" to "committed", for one inlet: those of all partitions that became due meanwhile go in one
//! request, and one request is on its way at a time.
//!
//! A commit that fails while the group is being rebalanced, or while its coordinator moves, comes due again with the
//! next one; the partitions that another member has got by then are not among it. One that fails otherwise, or for longer
//! than [`FAILING_MAX`], voids the conversation. It ends with its consumer.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rdkafka::error::{KafkaError, KafkaResult, RDKafkaErrorCode};
use rdkafka::{Offset, TopicPartitionList};

use super::partition::Partition;

/// How long commits may fail with what passes by itself: the time that Java's consumer gives a commit.
const FAILING_MAX: Duration = Duration::from_secs(60);
/// The wait before a commit that has failed is tried again.
const RETRY_WAIT: Duration = Duration::from_millis(100);

/// Offsets that may be committed, by partition.
#[derive(Debug, Default)]
pub(super) struct Due(Mutex<HashMap<i32, i64>>);

impl Due {
    /// Everything before `next_offset` has been delivered, or skipped.
    pub(super) fn delivered(&self, partition: &Partition, next_offset: i64) {
        if !partition.is_revoked() {
            self.add(partition.number, next_offset);
        }
    }

    fn add(&self, partition: i32, next_offset: i64) {
        let mut due = self.lock();
        let offset = due.entry(partition).or_insert(next_offset);
        *offset = next_offset.max(*offset);
    }

    /// What is due, which is the caller's to commit from now on.
    pub(super) fn take(&self) -> HashMap<i32, i64> {
        std::mem::take(&mut *self.lock())
    }

    /// What is due of one partition, which is the caller's to commit from now on.
    pub(super) fn take_of(&self, partition: i32) -> Option<i64> {
        self.lock().remove(&partition)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<i32, i64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The one request on its way.
#[derive(Debug, Default)]
pub(super) struct Committing {
    sent: Option<(Instant, HashMap<i32, i64>)>,
    failing_since: Option<Instant>,
    retry_at: Option<Instant>,
}

impl Committing {
    /// What to commit now, if anything.
    pub(super) fn next(&mut self, due: &Due) -> Option<HashMap<i32, i64>> {
        if self.sent.is_some() || self.retry_at.is_some_and(|at| Instant::now() < at) {
            return None;
        }
        Some(due.take()).filter(|offsets| !offsets.is_empty())
    }

    pub(super) fn sent(&mut self, offsets: HashMap<i32, i64>) {
        self.sent = Some((Instant::now(), offsets));
    }

    pub(super) fn is_on_its_way(&self) -> bool {
        self.sent.is_some()
    }

    /// The request has been answered: how long that took, or why the conversation is void. What failed for now and is
    /// still assigned is due again.
    pub(super) fn answered(
        &mut self,
        result: &KafkaResult<()>,
        due: &Due,
        is_assigned: impl Fn(i32) -> bool,
    ) -> Result<Option<Duration>, KafkaError> {
        // One that was sent and waited for elsewhere.
        let Some((sent, offsets)) = self.sent.take() else { return Ok(None) };
        let Err(error) = result else {
            self.failing_since = None;
            return Ok(Some(sent.elapsed()));
        };
        let since = *self.failing_since.get_or_insert(sent);
        if !passes(error) || since.elapsed() > FAILING_MAX {
            return Err(error.clone());
        }
        self.retry_at = Some(Instant::now() + RETRY_WAIT);
        for (partition, next_offset) in offsets.into_iter().filter(|(partition, _)| is_assigned(*partition)) {
            due.add(partition, next_offset);
        }
        Ok(None)
    }
}

/// Whether a failed commit may be tried again.
pub(super) fn passes(error: &KafkaError) -> bool {
    use RDKafkaErrorCode as Code;
    matches!(
        error.rdkafka_error_code(),
        Some(
            Code::RebalanceInProgress
                | Code::IllegalGeneration
                | Code::UnknownMemberId
                | Code::NotCoordinator
                | Code::CoordinatorNotAvailable
                | Code::CoordinatorLoadInProgress
                | Code::WaitingForCoordinator
                | Code::RequestTimedOut
                | Code::OperationTimedOut
                | Code::BrokerTransportFailure
                | Code::AllBrokersDown
                | Code::NetworkException
                | Code::AssignmentLost
        )
    )
}

/// Offsets as librdkafka takes them.
pub(super) fn list(topic: &str, offsets: &HashMap<i32, i64>) -> KafkaResult<TopicPartitionList> {
    let mut list = TopicPartitionList::with_capacity(offsets.len());
    for (partition, next_offset) in offsets {
        list.add_partition_offset(topic, *partition, Offset::Offset(*next_offset))?;
    }
    Ok(list)
}

/// The first error among the elements of a commit's answer, where the request as a whole went well.
pub(super) fn error_of(list: &TopicPartitionList) -> KafkaResult<()> {
    list.elements().iter().find_map(|element| element.error().err()).map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(code: RDKafkaErrorCode) -> KafkaResult<()> {
        Err(KafkaError::ConsumerCommit(code))
    }

    #[test]
    fn one_request_at_a_time_and_what_passes_is_due_again_where_assigned() {
        let (due, mut committing) = (Due::default(), Committing::default());
        due.add(0, 10);
        due.add(1, 5);
        due.add(0, 7);
        let offsets = committing.next(&due).unwrap();
        assert_eq!(offsets, HashMap::from([(0, 10), (1, 5)]));
        committing.sent(offsets);
        due.add(2, 1);
        assert_eq!(committing.next(&due), None);
        let answered = committing.answered(&failed(RDKafkaErrorCode::RebalanceInProgress), &due, |number| number == 0);
        assert_eq!(answered, Ok(None));
        assert_eq!(committing.next(&due), None, "it waits a moment");
        assert_eq!(due.take(), HashMap::from([(0, 10), (2, 1)]));
    }

    #[test]
    fn what_does_not_pass_is_a_fault() {
        let (due, mut committing) = (Due::default(), Committing::default());
        committing.sent(HashMap::from([(0, 1)]));
        let failed = failed(RDKafkaErrorCode::GroupAuthorizationFailed);
        assert!(committing.answered(&failed, &due, |_| true).is_err());
        assert_eq!(committing.answered(&failed, &due, |_| true), Ok(None), "an answer to nothing");
    }
}
