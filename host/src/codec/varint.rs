//! Protobuf's primitives, read strictly: keys, variable-length numbers, lengths, and skipping what is not known.

use super::DecodeError;

/// How deep messages, and groups in a field that is skipped, may nest: prost's limit.
const DEPTH_MAX: u32 = 100;

/// How a field's value is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WireType {
    Varint,
    Fixed64,
    Length,
    GroupStart,
    GroupEnd,
    Fixed32,
}

/// A cursor over a part of a message. Positions count from the message's first byte.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    message: &'a [u8],
    position: usize,
    end: usize,
    /// How much deeper it may go.
    depth: u32,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(message: &'a [u8]) -> Self {
        Self { message, position: 0, end: message.len(), depth: DEPTH_MAX }
    }

    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// The next field's number and wire type; none at the end.
    #[inline]
    pub(super) fn key(&mut self) -> Result<Option<(u32, WireType)>, DecodeError> {
        if self.position == self.end {
            return Ok(None);
        }
        let at = self.position;
        let key = self.varint()?;
        let key = u32::try_from(key).map_err(|_| DecodeError::Key { at })?;
        let wire_type = match key & 7 {
            0 => WireType::Varint,
            1 => WireType::Fixed64,
            2 => WireType::Length,
            3 => WireType::GroupStart,
            4 => WireType::GroupEnd,
            5 => WireType::Fixed32,
            _ => return Err(DecodeError::Key { at }),
        };
        match key >> 3 {
            0 => Err(DecodeError::Key { at }),
            number => Ok(Some((number, wire_type))),
        }
    }

    /// A number of up to 64 bits in groups of 7, the lowest first.
    #[inline]
    pub(super) fn varint(&mut self) -> Result<u64, DecodeError> {
        // Keys and most lengths are one byte, other lengths two.
        if let Some(&[first, second, ..]) = self.message.get(self.position..self.end) {
            if first < 0x80 {
                self.position += 1;
                return Ok(first.into());
            }
            if second < 0x80 {
                self.position += 2;
                return Ok(u64::from(first & 0x7f) | u64::from(second) << 7);
            }
        }
        self.long_varint()
    }

    fn long_varint(&mut self) -> Result<u64, DecodeError> {
        let at = self.position;
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            if shift == 63 && byte > 1 {
                break;
            }
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(DecodeError::Varint { at })
    }

    /// A value with its length before it, as a cursor of its own.
    #[inline]
    pub(super) fn delimited(&mut self) -> Result<Cursor<'a>, DecodeError> {
        let at = self.position;
        let length = self.varint()?;
        let start = self.position;
        let end = usize::try_from(length).ok().and_then(|length| start.checked_add(length));
        match end {
            Some(end) if end <= self.end => {
                self.position = end;
                Ok(Cursor { message: self.message, position: start, end, depth: self.depth.saturating_sub(1) })
            }
            _ => Err(DecodeError::Length { at }),
        }
    }

    /// The bytes from here to the end.
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.message.get(self.position..self.end).unwrap_or_default()
    }

    /// Passes over a field's value.
    pub(super) fn skip(&mut self, number: u32, wire_type: WireType) -> Result<(), DecodeError> {
        self.skip_nested(number, wire_type, self.depth)
    }

    fn skip_nested(&mut self, number: u32, wire_type: WireType, depth: u32) -> Result<(), DecodeError> {
        let at = self.position;
        let Some(depth) = depth.checked_sub(1) else { return Err(DecodeError::Group { at }) };
        match wire_type {
            WireType::Varint => self.varint().map(drop),
            WireType::Fixed64 => self.advance(8),
            WireType::Fixed32 => self.advance(4),
            WireType::Length => self.delimited().map(drop),
            WireType::GroupEnd => Err(DecodeError::Group { at }),
            WireType::GroupStart => loop {
                match self.key()? {
                    None => return Err(DecodeError::Group { at }),
                    Some((inner, WireType::GroupEnd)) if inner == number => return Ok(()),
                    Some((inner, wire_type)) => self.skip_nested(inner, wire_type, depth)?,
                }
            },
        }
    }

    fn advance(&mut self, bytes: usize) -> Result<(), DecodeError> {
        let at = self.position;
        match self.position.checked_add(bytes) {
            Some(end) if end <= self.end => {
                self.position = end;
                Ok(())
            }
            _ => Err(DecodeError::Length { at }),
        }
    }

    fn byte(&mut self) -> Result<u8, DecodeError> {
        let at = self.position;
        if at >= self.end {
            return Err(DecodeError::Varint { at });
        }
        self.position += 1;
        self.message.get(at).copied().ok_or(DecodeError::Varint { at })
    }
}
