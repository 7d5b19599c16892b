//! Which partition of a topic a keyed record belongs to: where Kafka's Java client puts it, so that records of one key
//! from different producers meet.
//!
//! Owns the hash and what follows from it. Records without a key have no partition of their own; whoever places them
//! chooses.

/// The partition of a record with this key among `count`, which counts as one where it is 0.
///
/// ```
/// use streamlet_protocol::partition::of_key;
///
/// assert_eq!(of_key(b"cart-7", 8), of_key(b"cart-7", 8));
/// assert!(of_key(b"", 8) < 8, "an empty key is a key");
/// ```
pub fn of_key(key: &[u8], count: u32) -> u32 {
    (murmur2(key) & 0x7fff_ffff) % count.max(1)
}

/// Murmur2 with the seed and the byte order of Kafka's Java client (`Utils.murmur2`).
fn murmur2(key: &[u8]) -> u32 {
    const MULTIPLIER: u32 = 0x5bd1_e995;
    const SEED: u32 = 0x9747_b28c;
    let mix = |word: u32| {
        let word = word.wrapping_mul(MULTIPLIER);
        (word ^ (word >> 24)).wrapping_mul(MULTIPLIER)
    };
    // Java's array lengths have 32 bits, and so has the hash's idea of the length.
    #[expect(clippy::cast_possible_truncation, reason = "the hash takes the length modulo 2^32")]
    let mut hash = SEED ^ key.len() as u32;
    let (words, rest) = key.as_chunks::<4>();
    for word in words {
        hash = hash.wrapping_mul(MULTIPLIER) ^ mix(u32::from_le_bytes(*word));
    }
    if !rest.is_empty() {
        let tail = rest.iter().rev().fold(0, |tail, byte| (tail << 8) | u32::from(*byte));
        hash = (hash ^ tail).wrapping_mul(MULTIPLIER);
    }
    hash = (hash ^ (hash >> 13)).wrapping_mul(MULTIPLIER);
    hash ^ (hash >> 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values that Kafka's own tests of its Java client expect.
    #[test]
    fn hashes_are_those_of_the_java_client() {
        let check = |key: &str, hash: i32| assert_eq!(murmur2(key.as_bytes()).cast_signed(), hash, "{key}");
        check("21", -973_932_308);
        check("foobar", -790_332_482);
        check("a-little-bit-long-string", -985_981_536);
        check("a-little-bit-longer-string", -1_486_304_829);
        check("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58_897_971);
        check("abc", 479_470_107);
    }

    #[test]
    fn a_partition_is_the_positive_hash_modulo_the_count() {
        // The hash is -973,932,308; this is it without its sign bit.
        assert_eq!(of_key(b"21", 10), 1_173_551_340 % 10);
        assert_eq!(of_key(b"21", 0), 0);
    }
}
