//! Protobuf's primitives, read strictly: keys, variable-length numbers, lengths, and skipping what is not known.

use super::DecodeError;

/// How deep messages, and groups in a field that is passed over, may nest: prost's limit.
const DEPTH_MAX: u32 = 100;
/// A byte that another one of the same number follows has this bit.
const MORE: u8 = 0x80;
/// That bit of eight bytes.
const MORE_OF_EIGHT: u64 = 0x8080_8080_8080_8080;
/// How a field's value is encoded: the lowest three bits of its key.
const VARINT: u32 = 0;
const FIXED64: u32 = 1;
const LENGTH: u32 = 2;
const GROUP_START: u32 = 3;
const GROUP_END: u32 = 4;
const FIXED32: u32 = 5;

/// What was read. The error is boxed, so that what is read stays in registers.
pub(super) type Read<T> = Result<T, Box<DecodeError>>;

/// The key of a field that is a number.
pub(super) const fn number_key(field: u32) -> u32 {
    field << 3 | VARINT
}

/// The key of a field that is text, bytes or a message.
pub(super) const fn length_key(field: u32) -> u32 {
    field << 3 | LENGTH
}

/// What is declared of a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Declared {
    /// Its fields in the order of their numbers, which count from 1, as errors name them.
    pub(super) fields: &'static [&'static str],
    /// How many messages it is in.
    pub(super) depth: u32,
}

/// A cursor over a part of a message. Positions count from the message's first byte.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    /// What is left of the part.
    rest: &'a [u8],
    /// Where the part ends.
    end: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(message: &'a [u8]) -> Self {
        Self { rest: message, end: message.len() }
    }

    #[inline]
    pub(super) fn position(&self) -> usize {
        self.end - self.rest.len()
    }

    /// The bytes from here to the end.
    #[inline]
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.rest
    }

    #[inline]
    pub(super) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// Takes a number that is one byte, as keys and most lengths are.
    #[expect(clippy::inline_always, reason = "a call costs as much as what it does")]
    #[inline(always)]
    fn small(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first().filter(|(first, _)| **first < MORE)?;
        self.rest = rest;
        Some(first)
    }

    /// The next field's key. That it is none is found by whoever does not know it, and calls [`Self::pass`].
    #[expect(clippy::inline_always, reason = "a call costs as much as what it does")]
    #[inline(always)]
    pub(super) fn key(&mut self) -> Read<u32> {
        match self.small() {
            Some(key) => Ok(key.into()),
            None => self.long_key(),
        }
    }

    #[cold]
    fn long_key(&mut self) -> Read<u32> {
        let at = self.position();
        u32::try_from(self.varint()?).map_err(|_| Box::new(DecodeError::Key { at }))
    }

    /// A number of up to 64 bits in groups of 7, the lowest first.
    #[expect(clippy::inline_always, reason = "a call costs as much as what it does")]
    #[inline(always)]
    pub(super) fn varint(&mut self) -> Read<u64> {
        if let Some(number) = self.small() {
            return Ok(number.into());
        }
        // Other lengths are two.
        match *self.rest {
            [first, second, ref rest @ ..] if second < MORE => {
                self.rest = rest;
                Ok(u64::from(first & !MORE) | u64::from(second) << 7)
            }
            _ => self.long_varint(),
        }
    }

    /// Offsets and timestamps are up to eight bytes, which are read as one word: what is left of it once the bits that
    /// say "more" are gone is pushed together, neighbours first.
    fn long_varint(&mut self) -> Read<u64> {
        if let Some((eight, _)) = self.rest.split_first_chunk() {
            let word = u64::from_le_bytes(*eight);
            let last = !word & MORE_OF_EIGHT;
            if last != 0 {
                // All bits up to the one that says "no more".
                let word = word & (last ^ (last - 1)) & !MORE_OF_EIGHT;
                let word = word & 0x007f_007f_007f_007f | (word & 0x7f00_7f00_7f00_7f00) >> 1;
                let word = word & 0x0000_3fff_0000_3fff | (word & 0x3fff_0000_3fff_0000) >> 2;
                let word = word & 0x0000_0000_0fff_ffff | (word & 0x0fff_ffff_0000_0000) >> 4;
                self.advance((last.trailing_zeros() / 8 + 1) as usize)?;
                return Ok(word);
            }
        }
        self.varint_by_bytes()
    }

    #[cold]
    fn varint_by_bytes(&mut self) -> Read<u64> {
        let at = self.position();
        let mut value = 0u64;
        for (&byte, shift) in self.rest.iter().zip((0..64).step_by(7)) {
            if shift == 63 && byte > 1 {
                return Err(Box::new(DecodeError::Varint { at }));
            }
            value |= u64::from(byte & !MORE) << shift;
            if byte < MORE {
                self.advance(shift / 7 + 1)?;
                return Ok(value);
            }
        }
        // The bytes ended before the number did.
        Err(Box::new(DecodeError::Varint { at }))
    }

    /// A value with its length before it, as a cursor of its own.
    #[expect(clippy::inline_always, reason = "a call costs as much as what it does")]
    #[inline(always)]
    pub(super) fn delimited(&mut self) -> Read<Self> {
        let at = self.position();
        let length = self.varint()?;
        match usize::try_from(length).ok().and_then(|length| self.rest.split_at_checked(length)) {
            Some((inner, rest)) => {
                self.rest = rest;
                Ok(Self { rest: inner, end: self.position() })
            }
            None => Err(Box::new(DecodeError::Length { at })),
        }
    }

    /// Passes over the value of a field that is not known; `at` is where its key began. A field that is declared comes here
    /// only if its value is encoded in another way than its declaration says.
    #[cold]
    pub(super) fn pass(&mut self, key: u32, at: usize, declared: Declared) -> Read<()> {
        let (number, wire_type) = (key >> 3, key & 7);
        if number == 0 || wire_type > FIXED32 {
            return Err(Box::new(DecodeError::Key { at }));
        }
        match declared.fields.get(number as usize - 1) {
            Some(field) => Err(Box::new(DecodeError::WireType { field, at: self.position() })),
            None => self.skip(key, DEPTH_MAX - declared.depth),
        }
    }

    fn skip(&mut self, key: u32, depth: u32) -> Read<()> {
        let at = self.position();
        let group = || Box::new(DecodeError::Group { at });
        let depth = depth.checked_sub(1).ok_or_else(group)?;
        match key & 7 {
            VARINT => self.varint().map(drop),
            FIXED64 => self.advance(8),
            FIXED32 => self.advance(4),
            LENGTH => self.delimited().map(drop),
            GROUP_START => loop {
                if self.is_at_end() {
                    return Err(Box::new(DecodeError::Group { at }));
                }
                let at = self.position();
                match self.key()? {
                    inner if inner >> 3 == 0 || inner & 7 > FIXED32 => return Err(Box::new(DecodeError::Key { at })),
                    inner if inner == key - GROUP_START + GROUP_END => return Ok(()),
                    inner => self.skip(inner, depth)?,
                }
            },
            _ => Err(group()),
        }
    }

    #[inline]
    fn advance(&mut self, bytes: usize) -> Read<()> {
        match self.rest.split_at_checked(bytes) {
            Some((_, rest)) => {
                self.rest = rest;
                Ok(())
            }
            None => Err(Box::new(DecodeError::Length { at: self.position() })),
        }
    }
}
