//! Which partition a record goes to.

use streamlet_protocol::partition;

use super::record::Record;

/// Places records as Kafka's own producer does: by the murmur2 hash of the key, records without a key in turn.
///
/// ```
/// use streamlet::testing::{Record, hash_partitioner};
///
/// let mut partition = hash_partitioner(3);
/// assert_eq!(partition(&Record::new("").key("foobar")), partition(&Record::new("other").key("foobar")));
/// ```
///
/// # Panics
/// `partitions` is 0.
#[track_caller]
pub fn hash_partitioner(partitions: u32) -> impl FnMut(&Record) -> i32 + 'static {
    assert!(
        i32::try_from(partitions).is_ok_and(|count| count > 0),
        "a topic has at least one partition and at most {}, not {partitions}",
        i32::MAX
    );
    let mut turn = 0;
    move |record| {
        let partition = match &record.key {
            Some(key) => partition::of_key(key, partitions),
            None => {
                let next = turn;
                turn = (turn + 1) % partitions;
                next
            }
        };
        partition.cast_signed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stay_together_and_the_others_take_turns() {
        let mut partition = hash_partitioner(3);
        // The hash that Kafka's own tests expect of this key, -790,332,482, without its sign bit.
        assert_eq!(partition(&Record::new("").key("foobar")), 1_357_151_166 % 3);
        let turns: Vec<i32> = (0..4).map(|_| partition(&Record::new(""))).collect();
        assert_eq!(turns, [0, 1, 2, 0]);
        let empty = partition::of_key(b"", 3).cast_signed();
        assert_eq!(partition(&Record::new("").key("")), empty, "an empty key is a key");
    }
}
