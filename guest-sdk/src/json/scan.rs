//! A cursor over JSON bytes that `serde_json` has found well-formed as far as it went. It checks no more than it needs
//! to stay in step: whatever it does not understand is [`Fault::Lost`].

use std::borrow::Cow;

use super::fault::Fault;

/// The bytes and how far they are read.
pub(super) struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scan<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The next byte that is not white space, not taken.
    pub(super) fn peek(&mut self) -> Result<u8, Fault> {
        loop {
            match self.bytes.get(self.at) {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                Some(byte) => return Ok(*byte),
                None => return Err(Fault::Lost),
            }
        }
    }

    /// Takes the next byte that is not white space if it is `byte`.
    pub(super) fn takes(&mut self, byte: u8) -> Result<bool, Fault> {
        let found = self.peek()? == byte;
        self.at += usize::from(found);
        Ok(found)
    }

    /// Takes the next byte that is not white space, which has to be `byte`.
    pub(super) fn expect(&mut self, byte: u8) -> Result<(), Fault> {
        if self.takes(byte)? { Ok(()) } else { Err(Fault::Lost) }
    }

    /// Takes the separator before an element or the end: whether an element follows.
    pub(super) fn element_follows(&mut self, first: bool, end: u8) -> Result<bool, Fault> {
        if self.takes(end)? {
            return Ok(false);
        }
        if !first {
            self.expect(b',')?;
        }
        Ok(true)
    }

    /// Takes a string: borrowed as `serde_json` borrows it, or unescaped.
    pub(super) fn string(&mut self) -> Result<Cow<'a, str>, Fault> {
        self.peek()?;
        let start = self.at;
        let escaped = self.pass_string()?;
        let quoted = self.bytes.get(start..self.at).ok_or(Fault::Lost)?;
        if escaped {
            return serde_json::from_slice::<String>(quoted).map(Cow::Owned).map_err(|_| Fault::Lost);
        }
        let inner = quoted.get(1..quoted.len() - 1).ok_or(Fault::Lost)?;
        str::from_utf8(inner).map(Cow::Borrowed).map_err(|_| Fault::Lost)
    }

    /// Takes a number's or a literal's characters.
    pub(super) fn word(&mut self) -> Result<&'a str, Fault> {
        self.peek()?;
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte)).count();
        self.at += length;
        let word = rest.get(..length).filter(|word| !word.is_empty()).ok_or(Fault::Lost)?;
        str::from_utf8(word).map_err(|_| Fault::Lost)
    }

    /// Passes over a whole value, of any depth.
    pub(super) fn skip(&mut self) -> Result<(), Fault> {
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => {
                    self.pass_string()?;
                }
                b'[' | b'{' => {
                    self.at += 1;
                    depth += 1;
                    continue;
                }
                b']' | b'}' => {
                    self.at += 1;
                    depth = depth.checked_sub(1).ok_or(Fault::Lost)?;
                }
                b',' | b':' if depth > 0 => {
                    self.at += 1;
                    continue;
                }
                _ => {
                    self.word()?;
                }
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Passes over a string with its quotes: whether it has escapes.
    fn pass_string(&mut self) -> Result<bool, Fault> {
        self.expect(b'"')?;
        let mut escaped = false;
        loop {
            match self.bytes.get(self.at).ok_or(Fault::Lost)? {
                b'"' => {
                    self.at += 1;
                    return Ok(escaped);
                }
                b'\\' => {
                    escaped = true;
                    self.at += 2;
                }
                _ => self.at += 1,
            }
        }
    }
}
