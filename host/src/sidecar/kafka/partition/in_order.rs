//! Which of a partition's batches are delivered, those behind a gap withheld: brokers confirm each outlet's emits as they
//! please, and what is committed stands for all that comes before it.
//!
//! A batch that is lost stays the gap for ever, and one that is refused is forgotten until it comes again.

use std::collections::VecDeque;

/// Batches being written, by the offset before which each ends, in order.
#[derive(Debug, Default)]
pub(super) struct InOrder {
    batches: VecDeque<Written>,
}

#[derive(Debug)]
struct Written {
    next_offset: i64,
    is_delivered: bool,
}

impl InOrder {
    /// A batch is being written, behind all others.
    pub(super) fn began(&mut self, next_offset: i64) {
        self.batches.push_back(Written { next_offset, is_delivered: false });
    }

    /// A batch is delivered. Returns the offset before which everything is, if that is another one now.
    pub(super) fn delivered(&mut self, next_offset: i64) -> Option<i64> {
        if let Some(batch) = self.batches.iter_mut().find(|batch| batch.next_offset == next_offset) {
            batch.is_delivered = true;
        }
        let mut last = None;
        while let Some(batch) = self.batches.pop_front_if(|batch| batch.is_delivered) {
            last = Some(batch.next_offset);
        }
        last
    }

    /// A batch is refused.
    pub(super) fn refused(&mut self, next_offset: i64) {
        self.batches.retain(|batch| batch.next_offset != next_offset);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_delivered_behind_a_gap_waits_for_it() {
        let mut order = InOrder::default();
        for next_offset in [3, 7, 9] {
            order.began(next_offset);
        }
        assert_eq!(order.delivered(7), None);
        assert_eq!(order.delivered(3), Some(7));
        assert_eq!(order.delivered(9), Some(9));
        assert!(order.batches.is_empty());
    }

    #[test]
    fn a_refused_batch_comes_again() {
        let mut order = InOrder::default();
        order.began(3);
        order.refused(3);
        order.began(3);
        order.began(5);
        assert_eq!(order.delivered(5), None);
        assert_eq!(order.delivered(3), Some(5));
    }

    #[test]
    fn nothing_behind_a_lost_batch_is_ever_due() {
        let mut order = InOrder::default();
        for next_offset in [3, 7] {
            order.began(next_offset);
        }
        assert_eq!(order.delivered(7), None);
    }
}
