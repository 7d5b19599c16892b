//! Offsets from "delivered" to "committed", for one inlet: those of all partitions that became due meanwhile go in one
//! request, and one request is on its way at a time.
//!
//! A thread of its own sends and waits: librdkafka tells the outcome of a commit only to whoever waits for it, and the
//! thread that polls must not. A commit that fails while the group is being rebalanced, or while its coordinator moves,
//! comes due again with the next one; partitions that another member has got by then are not among it. One that fails
//! otherwise, or for longer than [`FAILING_MAX`], voids the conversation. It ends when it is told to, or with a fault.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rdkafka::error::KafkaResult;
use rdkafka::{Offset, TopicPartitionList};

use super::locks::lock;
use super::partition::Partition;
use super::passing::passes;

/// How long commits may fail with what passes by itself: the time that Java's consumer gives a commit.
const FAILING_MAX: Duration = Duration::from_mins(1);
/// From one request to the next at least: brokers have better things to do than to write an offset a thousand times a
/// second, and so little is soon read once more.
const INTERVAL: Duration = Duration::from_millis(5);
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
    due: Offsets,
    /// The request that is on its way.
    sent: Option<Offsets>,
    /// No more is sent.
    is_ended: bool,
}

/// By partition, as whom it was assigned, and the offset before which everything is delivered.
type Offsets = HashMap<i32, (Arc<Partition>, i64)>;

impl Due {
    pub(super) fn new(is_transactional: bool) -> Self {
        Self { is_transactional, ..Self::default() }
    }

    /// Everything before `next_offset` has been delivered, or skipped.
    pub(super) fn delivered(&self, partition: &Arc<Partition>, next_offset: i64) {
        if !self.is_transactional {
            self.add(partition, next_offset);
        }
    }

    fn add(&self, partition: &Arc<Partition>, next_offset: i64) {
        let mut state = self.lock();
        // Looked at under the lock: once it is given up nothing of it becomes due any more.
        if partition.is_given_up() {
            return;
        }
        let entry = state.due.entry(partition.number).or_insert_with(|| (Arc::clone(partition), next_offset));
        // What an earlier assignment left there is nobody's any more.
        let is_same = Arc::ptr_eq(&entry.0, partition);
        *entry = (Arc::clone(partition), if is_same { next_offset.max(entry.1) } else { next_offset });
        drop(state);
        self.changed.notify_all();
    }

    /// What is due, which is the caller's to commit from now on.
    pub(super) fn take(&self) -> HashMap<i32, i64> {
        offsets_of(&std::mem::take(&mut self.lock().due))
    }

    /// Waits until nothing of these partitions is due or on its way, as long as `wait`; nothing of them becomes due any
    /// more after that.
    pub(super) fn give_up(&self, partitions: &[Arc<Partition>], wait: Duration) {
        let is_of = |offsets: &Offsets| {
            partitions.iter().any(|gone| offsets.get(&gone.number).is_some_and(|(of, _)| Arc::ptr_eq(of, gone)))
        };
        let is_open =
            |state: &mut State| !state.is_ended && (is_of(&state.due) || state.sent.as_ref().is_some_and(is_of));
        let waited = self.changed.wait_timeout_while(self.lock(), wait, is_open);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        for gone in partitions {
            gone.give_up();
        }
        state.due.retain(|_, (partition, _)| !partition.is_given_up());
    }

    /// Commits what becomes due, until [`Due::end`] or a fault.
    ///
    /// # Errors
    /// Why the conversation is void.
    pub(super) fn commit_all(
        &self,
        commit: impl Fn(&HashMap<i32, i64>) -> KafkaResult<()>,
        committed: impl Fn(Duration),
    ) -> KafkaResult<()> {
        // Whoever waits for the request must not wait for one that ended in a fault or a panic.
        let _answered = Answered(self);
        let mut failing_since = None;
        while let Some(offsets) = self.next() {
            let sent = Instant::now();
            let result = commit(&offsets_of(&offsets));
            let Err(error) = result else {
                failing_since = None;
                committed(sent.elapsed());
                self.answered();
                self.pause(INTERVAL.saturating_sub(sent.elapsed()));
                continue;
            };
            if !passes(&error) || failing_since.get_or_insert(sent).elapsed() > FAILING_MAX {
                return Err(error);
            }
            for (partition, next_offset) in offsets.into_values() {
                self.add(&partition, next_offset);
            }
            self.pause(RETRY_WAIT);
        }
        Ok(())
    }

    /// Waits for something to be due; none once it has ended.
    fn next(&self) -> Option<Offsets> {
        self.answered();
        let mut state = self.lock();
        loop {
            if state.is_ended {
                return None;
            }
            if !state.due.is_empty() {
                let offsets = std::mem::take(&mut state.due);
                state.sent = Some(offsets.clone());
                return Some(offsets);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn pause(&self, wait: Duration) {
        let state = self.lock();
        let until = |state: &mut State| !state.is_ended;
        drop(self.changed.wait_timeout_while(state, wait, until).unwrap_or_else(PoisonError::into_inner));
    }

    /// No request is on its way.
    fn answered(&self) {
        self.lock().sent = None;
        self.changed.notify_all();
    }

    /// No more requests are sent; waits for the one that is on its way, as long as `wait`.
    pub(super) fn end(&self, wait: Duration) {
        let mut state = self.lock();
        state.is_ended = true;
        self.changed.notify_all();
        let until = |state: &mut State| state.sent.is_some();
        drop(self.changed.wait_timeout_while(state, wait, until).unwrap_or_else(PoisonError::into_inner));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

/// Says, when it goes, that no request is on its way.
struct Answered<'a>(&'a Due);

impl Drop for Answered<'_> {
    fn drop(&mut self) {
        self.0.answered();
    }
}

fn offsets_of(offsets: &Offsets) -> HashMap<i32, i64> {
    offsets.iter().map(|(number, (_, next_offset))| (*number, *next_offset)).collect()
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

    use super::super::monitor::Monitor;
    use rdkafka::error::{KafkaError, RDKafkaErrorCode};

    use super::*;
    use crate::sidecar::BatchCaps;

    fn partition(number: i32) -> Arc<Partition> {
        let monitor = Monitor::new(&[], &[], Arc::default()).unwrap().assigned(0, number);
        Arc::new(Partition::new(0, number, BatchCaps::default(), monitor))
    }

    /// Commits until the script of answers ends; says what was sent. Before each answer something may happen.
    fn commit(
        due: &Due,
        answers: &[KafkaResult<()>],
        meanwhile: impl Fn(),
    ) -> (KafkaResult<()>, Vec<HashMap<i32, i64>>) {
        let (sent, answers) = (RefCell::new(Vec::new()), RefCell::new(answers.iter()));
        let commit = |offsets: &HashMap<i32, i64>| {
            sent.borrow_mut().push(offsets.clone());
            meanwhile();
            let answer = answers.borrow_mut().next().cloned().unwrap_or(Ok(()));
            if answers.borrow().len() == 0 {
                due.lock().is_ended = true;
            }
            answer
        };
        let result = due.commit_all(commit, |_| {});
        (result, sent.into_inner())
    }

    fn failed(code: RDKafkaErrorCode) -> KafkaResult<()> {
        Err(KafkaError::ConsumerCommit(code))
    }

    #[test]
    fn what_is_due_meanwhile_goes_in_one_request_with_the_highest_offsets() {
        let (due, first, second) = (Due::default(), partition(0), partition(1));
        for (partition, next_offset) in [(&first, 10), (&second, 5), (&first, 7)] {
            due.delivered(partition, next_offset);
        }
        let (result, sent) = commit(&due, &[Ok(())], || {});
        assert_eq!((result, sent), (Ok(()), vec![HashMap::from([(0, 10), (1, 5)])]));
    }

    #[test]
    fn what_failed_in_a_rebalance_is_due_again_unless_the_partition_was_given_up() {
        let (due, kept, gone) = (Due::default(), partition(0), partition(1));
        due.delivered(&kept, 10);
        due.delivered(&gone, 5);
        let answers = [failed(RDKafkaErrorCode::RebalanceInProgress), Ok(())];
        let (result, sent) = commit(&due, &answers, || due.give_up(&[Arc::clone(&gone)], Duration::ZERO));
        assert_eq!((result, sent.last()), (Ok(()), Some(&HashMap::from([(0, 10)]))));
        due.delivered(&gone, 6);
        assert_eq!(due.take(), HashMap::new(), "it is another member's by now");
    }

    #[test]
    fn a_new_assignment_counts_from_its_own_offsets() {
        let (due, before, after) = (Due::default(), partition(0), partition(0));
        due.delivered(&before, 500);
        due.delivered(&after, 100);
        assert_eq!(due.take(), HashMap::from([(0, 100)]));
    }

    #[test]
    fn giving_a_partition_up_waits_for_what_is_due_of_it() {
        let (due, gone) = (Due::default(), partition(0));
        due.delivered(&gone, 10);
        std::thread::scope(|scope| {
            scope.spawn(|| due.commit_all(|_| Ok(()), |_| {}));
            due.give_up(&[Arc::clone(&gone)], Duration::from_secs(20));
            assert_eq!(due.take(), HashMap::new(), "it was committed");
            due.end(Duration::from_secs(20));
        });
    }

    #[test]
    fn what_does_not_pass_is_a_fault_and_nobody_waits_for_it() {
        let (due, partition) = (Due::default(), partition(0));
        due.delivered(&partition, 10);
        let refused = failed(RDKafkaErrorCode::GroupAuthorizationFailed);
        assert_eq!(commit(&due, &[refused.clone(), Ok(())], || {}).0, refused);
        assert!(due.lock().sent.is_none());
    }
}
