//! Which partition a record goes to: keyed ones where Kafka's Java client would put them, the others in turn.

use streamlet_protocol::partition;

/// Places records in `count` partitions.
#[derive(Debug)]
pub(super) struct Partitioner {
    count: u32,
    next: u32,
}

impl Partitioner {
    /// For `count` partitions; none counts as one.
    pub(super) fn new(count: u32) -> Self {
        Self { count: count.max(1), next: 0 }
    }

    /// The partition of a record with this key.
    pub(super) fn place(&mut self, key: Option<&[u8]>) -> u32 {
        match key {
            Some(key) => partition::of_key(key, self.count),
            None => {
                let partition = self.next;
                self.next = (partition + 1) % self.count;
                partition
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_without_a_key_take_turns() {
        let mut partitioner = Partitioner::new(3);
        let placed = (0..5).map(|_| partitioner.place(None)).collect::<Vec<_>>();
        assert_eq!(placed, [0, 1, 2, 0, 1]);
        assert_eq!(partitioner.place(Some(b"21")), partitioner.place(Some(b"21")));
        assert_eq!(Partitioner::new(0).place(None), 0);
    }
}
