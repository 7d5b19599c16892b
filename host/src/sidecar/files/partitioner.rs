//! Which partition a record goes to: keyed ones where Kafka's Java client would put them, the others in turn.

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
            Some(key) => (murmur2(key) & 0x7fff_ffff) % self.count,
            None => {
                let partition = self.next;
                self.next = (partition + 1) % self.count;
                partition
            }
        }
    }
}

/// Murmur2 with the seed and the byte order of Kafka's Java client, which hashes keys with it.
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
    fn records_without_a_key_take_turns() {
        let mut partitioner = Partitioner::new(3);
        let placed = (0..5).map(|_| partitioner.place(None)).collect::<Vec<_>>();
        assert_eq!(placed, [0, 1, 2, 0, 1]);
        assert_eq!(partitioner.place(Some(b"21")), partitioner.place(Some(b"21")));
        assert_eq!(Partitioner::new(0).place(None), 0);
    }
}
