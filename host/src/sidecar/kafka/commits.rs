//! Offsets from "delivered" to "committed", for one inlet: those of all partitions that became due meanwhile go in one
//! request, and one request is on its way at a time.
//!
//! A thread of its own sends and waits: librdkafka tells the outcome of a commit only to whoever waits for it, and the
//! thread that polls must not. A commit that fails while the group is being rebalanced, or while its coordinator moves,
//! comes due again with the next one; partitions that another member has got by then are not among it. One that fails
//! otherwise, or for longer than [`FAILING_MAX`], voids the conversation. It ends when it is told to, or with a fault.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rdkafka::error::{KafkaError, KafkaResult, RDKafkaErrorCode};
use rdkafka::{Offset, TopicPartitionList};

use super::partition::Partition;

/// How long commits may fail with what passes by itself: the time that Java's consumer gives a commit.
const FAILING_MAX: Duration = Duration::from_mins(1);
/// The wait before a commit that has failed is tried again.
const RETRY_WAIT: Duration = Duration::from_millis(100);

/// Offsets that may be committed.
#[derive(Debug, Default)]
pub(super) struct Due {
    state: Mutex<State>,
    changed: Condvar,
    /// Transactions have the offsets in them: none is to be committed beside, where it could overtake a later one.
    is_transactional: bool,
}

#[derive(Debug, Default)]
struct State {
    /// By partition, the offset before which everything is delivered.
    offsets: HashMap<i32, i64>,
    /// A request is on its way.
    is_committing: bool,
    /// No more is sent.
    is_ended: bool,
}

impl Due {
    pub(super) fn new(is_transactional: bool) -> Self {
        Self { is_transactional, ..Self::default() }
    }

    /// Everything before `next_offset` has been delivered, or skipped.
    pub(super) fn delivered(&self, partition: &Partition, next_offset: i64) {
        if !self.is_transactional && !partition.is_revoked() {
            self.add(partition.number, next_offset);
        }
    }

    fn add(&self, partition: i32, next_offset: i64) {
        let mut state = self.lock();
        let offset = state.offsets.entry(partition).or_insert(next_offset);
        *offset = next_offset.max(*offset);
        drop(state);
        self.changed.notify_all();
    }

    /// What is due, which is the caller's to commit from now on.
    pub(super) fn take(&self) -> HashMap<i32, i64> {
        std::mem::take(&mut self.lock().offsets)
    }

    /// What is due of one partition, which is the caller's to commit from now on.
    pub(super) fn take_of(&self, partition: i32) -> Option<i64> {
        self.lock().offsets.remove(&partition)
    }

    /// Commits what becomes due, until [`Due::end`] or a fault.
    ///
    /// # Errors
    /// Why the conversation is void.
    pub(super) fn commit_all(
        &self,
        commit: impl Fn(&HashMap<i32, i64>) -> KafkaResult<()>,
        is_assigned: impl Fn(i32) -> bool,
        committed: impl Fn(Duration),
    ) -> KafkaResult<()> {
        let mut failing_since = None;
        while let Some(offsets) = self.next() {
            let sent = Instant::now();
            let result = commit(&offsets);
            let Err(error) = result else {
                failing_since = None;
                committed(sent.elapsed());
                continue;
            };
            if !passes(&error) || failing_since.get_or_insert(sent).elapsed() > FAILING_MAX {
                // Nobody is to wait for an answer that is there.
                self.lock().is_committing = false;
                self.changed.notify_all();
                return Err(error);
            }
            for (partition, next_offset) in offsets.into_iter().filter(|(partition, _)| is_assigned(*partition)) {
                self.add(partition, next_offset);
            }
            self.pause();
        }
        Ok(())
    }

    /// Waits for something to be due; none once it has ended.
    fn next(&self) -> Option<HashMap<i32, i64>> {
        let mut state = self.lock();
        state.is_committing = false;
        self.changed.notify_all();
        loop {
            if state.is_ended {
                return None;
            }
            if !state.offsets.is_empty() {
                state.is_committing = true;
                return Some(std::mem::take(&mut state.offsets));
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn pause(&self) {
        let state = self.lock();
        let until = |state: &mut State| !state.is_ended;
        drop(self.changed.wait_timeout_while(state, RETRY_WAIT, until).unwrap_or_else(PoisonError::into_inner));
    }

    /// No more requests are sent; waits for the one that is on its way, as long as `wait`.
    pub(super) fn end(&self, wait: Duration) {
        let mut state = self.lock();
        state.is_ended = true;
        self.changed.notify_all();
        let until = |state: &mut State| state.is_committing;
        drop(self.changed.wait_timeout_while(state, wait, until).unwrap_or_else(PoisonError::into_inner));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a failed commit may be tried again.
fn passes(error: &KafkaError) -> bool {
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

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// Commits until the script of answers ends; says what was sent.
    fn commit(due: &Due, answers: &[KafkaResult<()>], assigned: i32) -> (KafkaResult<()>, Vec<HashMap<i32, i64>>) {
        let (sent, answers) = (RefCell::new(Vec::new()), RefCell::new(answers.iter()));
        let commit = |offsets: &HashMap<i32, i64>| {
            sent.borrow_mut().push(offsets.clone());
            let answer = answers.borrow_mut().next().cloned().unwrap_or(Ok(()));
            if answers.borrow().len() == 0 {
                due.lock().is_ended = true;
            }
            answer
        };
        let result = due.commit_all(commit, |number| number == assigned, |_| {});
        (result, sent.into_inner())
    }

    fn failed(code: RDKafkaErrorCode) -> KafkaResult<()> {
        Err(KafkaError::ConsumerCommit(code))
    }

    #[test]
    fn what_is_due_meanwhile_goes_in_one_request_with_the_highest_offsets() {
        let due = Due::default();
        for (partition, next_offset) in [(0, 10), (1, 5), (0, 7)] {
            due.add(partition, next_offset);
        }
        let (result, sent) = commit(&due, &[Ok(())], 0);
        assert_eq!((result, sent), (Ok(()), vec![HashMap::from([(0, 10), (1, 5)])]));
    }

    #[test]
    fn what_failed_in_a_rebalance_is_due_again_where_it_is_still_assigned() {
        let due = Due::default();
        due.add(0, 10);
        due.add(1, 5);
        let (result, sent) = commit(&due, &[failed(RDKafkaErrorCode::RebalanceInProgress), Ok(())], 0);
        assert_eq!((result, sent.last()), (Ok(()), Some(&HashMap::from([(0, 10)]))));
    }

    #[test]
    fn what_does_not_pass_is_a_fault() {
        let due = Due::default();
        due.add(0, 10);
        let refused = failed(RDKafkaErrorCode::GroupAuthorizationFailed);
        assert_eq!(commit(&due, &[refused.clone(), Ok(())], 0).0, refused);
        assert!(!due.lock().is_committing, "whoever ends it does not wait");
    }
}
