//! Which partition a record goes to.

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
    let Ok(count @ 1..) = i32::try_from(partitions) else {
        panic!("a topic has at least one partition and at most {}, not {partitions}", i32::MAX);
    };
    let mut turn = 0;
    move |record| {
        if let Some(key) = &record.key {
            return (murmur2(key) & i32::MAX) % count;
        }
        let partition = turn;
        turn = (turn + 1) % count;
        partition
    }
}

/// The murmur2 of Kafka's `Utils.murmur2`, with its seed.
fn murmur2(bytes: &[u8]) -> i32 {
    const SEED: u32 = 0x9747_b28c;
    const MIX: u32 = 0x5bd1_e995;
    // Kafka's lengths are Java's 32 bits.
    let mut hash = SEED ^ u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    let (chunks, rest) = bytes.as_chunks::<4>();
    for chunk in chunks {
        let mut word = u32::from_le_bytes(*chunk).wrapping_mul(MIX);
        word ^= word >> 24;
        hash = hash.wrapping_mul(MIX) ^ word.wrapping_mul(MIX);
    }
    if !rest.is_empty() {
        for (byte, shift) in rest.iter().zip([0, 8, 16]) {
            hash ^= u32::from(*byte) << shift;
        }
        hash = hash.wrapping_mul(MIX);
    }
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(MIX);
    (hash ^ (hash >> 15)).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_as_kafka_does() {
        // The vectors of Kafka's UtilsTest.
        for (key, hash) in [
            ("21", -973_932_308),
            ("foobar", -790_332_482),
            ("a-little-bit-long-string", -985_981_536),
            ("a-little-bit-longer-string", -1_486_304_829),
            ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58_897_971),
            ("abc", 479_470_107),
        ] {
            assert_eq!(murmur2(key.as_bytes()), hash, "{key}");
        }
    }

    #[test]
    fn keys_stay_together_and_the_others_take_turns() {
        let mut partition = hash_partitioner(3);
        assert_eq!(partition(&Record::new("").key("foobar")), (murmur2(b"foobar") & i32::MAX) % 3);
        let turns: Vec<i32> = (0..4).map(|_| partition(&Record::new(""))).collect();
        assert_eq!(turns, [0, 1, 2, 0]);
        assert_eq!(partition(&Record::new("").key("")), (murmur2(b"") & i32::MAX) % 3, "an empty key is a key");
    }
}
