//! From text to the document as written.

use super::scanner::{Scanner, error};
use super::text;
use super::tree::{Definition, Piece, Place, RawObject, RawValue, written};
use super::{DEPTH_MAX, HoconError, HoconReason};

/// Reads the whole text. The braces around a document may be left out.
pub(super) fn document(text: &str) -> Result<RawObject, HoconError> {
    let mut parser = Parser { scanner: Scanner::new(text) };
    parser.scanner.skip_lines();
    if parser.scanner.sees("[") {
        return Err(parser.scanner.error(HoconReason::ListDocument));
    }
    let opening = parser.scanner.place();
    let is_braced = parser.scanner.take("{");
    let root = parser.fields(is_braced.then_some(opening), 1)?;
    parser.scanner.skip_lines();
    match parser.scanner.peek() {
        None => Ok(root),
        Some(_) => Err(parser.scanner.error(HoconReason::AfterDocument)),
    }
}

struct Parser<'a> {
    scanner: Scanner<'a>,
}

impl Parser<'_> {
    /// Fields up to the brace that closes them, or to the end of the text if none opened them.
    fn fields(&mut self, opening: Option<Place>, depth: usize) -> Result<RawObject, HoconError> {
        self.check_depth(depth)?;
        let mut object = RawObject::default();
        self.scanner.skip_lines();
        loop {
            match (self.scanner.peek(), opening) {
                (None, None) => return Ok(object),
                (None, Some(place)) => {
                    return Err(error(place, HoconReason::Unclosed { open: '{', close: '}' }));
                }
                (Some('}'), Some(_)) => {
                    self.scanner.next();
                    return Ok(object);
                }
                (Some(closing @ ('}' | ']')), _) => {
                    return Err(self.scanner.error(HoconReason::ClosesNothing(closing)));
                }
                _ => self.field(&mut object, depth)?,
            }
            self.separator();
        }
    }

    /// Moves past one comma or any number of line ends. Two fields need one of them, but a value ends nowhere else.
    fn separator(&mut self) {
        self.scanner.skip_lines();
        if self.scanner.take(",") {
            self.scanner.skip_lines();
        }
    }

    fn field(&mut self, object: &mut RawObject, depth: usize) -> Result<(), HoconError> {
        let place = self.scanner.place();
        self.refuse_include()?;
        let path = text::path(&mut self.scanner)?;
        if self.scanner.peek().is_some_and(|next| text::is_reserved(next) && !"=:{+,}]#".contains(next)) {
            return Err(self.scanner.error(HoconReason::ReservedInKey));
        }
        self.scanner.skip_lines();
        let appends = self.scanner.take("+=");
        let is_separated = appends || self.scanner.take("=") || self.scanner.take(":");
        if !is_separated && !self.scanner.sees("{") {
            return Err(error(place, HoconReason::SeparatorMissing(written(&path))));
        }
        if is_separated {
            self.scanner.skip_lines();
        }
        let value = self.value(depth + path.len() - 1)?;
        if value.pieces.is_empty() {
            return Err(match self.scanner.peek() {
                Some(reserved) if !",}]#".contains(reserved) => self.scanner.error(HoconReason::ReservedInValue),
                _ => error(place, HoconReason::ValueMissing(written(&path))),
            });
        }
        object.define(&path, Definition { place, value, appends });
        Ok(())
    }

    /// `include` as a statement. As a key, `include = …`, it is one as any other.
    fn refuse_include(&self) -> Result<(), HoconError> {
        let mut ahead = self.scanner.clone();
        if !ahead.take("include") || ahead.skip_space().is_empty() && !ahead.sees("\"") {
            return Ok(());
        }
        let is_statement =
            ["\"", "file(", "url(", "classpath(", "required("].iter().any(|resource| ahead.sees(resource));
        if is_statement { Err(self.scanner.error(HoconReason::Include)) } else { Ok(()) }
    }

    /// Pieces up to what ends a value: a comma, a line's end, a comment, a closing brace. None at all if it ends at once.
    fn value(&mut self, depth: usize) -> Result<RawValue, HoconError> {
        self.check_depth(depth)?;
        let mut pieces = Vec::new();
        let (mut space, mut is_unquoted) = ("", false);
        while let Some(next) = self.scanner.peek() {
            if matches!(next, ',' | '\n' | '}' | ']') || self.scanner.sees_comment() {
                break;
            }
            let piece = self.piece(next, depth)?;
            is_unquoted = !matches!(next, '"' | '[' | '{' | '$');
            if !space.is_empty() {
                pieces.push(Piece::Space(std::mem::take(&mut space).to_owned()));
            }
            pieces.push(piece);
            space = self.scanner.skip_space();
        }
        if is_unquoted && matches!(pieces.as_slice(), [Piece::Text(text)] if text == "null") {
            pieces = vec![Piece::Null];
        }
        Ok(RawValue { pieces })
    }

    fn piece(&mut self, next: char, depth: usize) -> Result<Piece, HoconError> {
        let place = self.scanner.place();
        match next {
            '"' => text::quoted(&mut self.scanner).map(Piece::Text),
            '{' => {
                self.scanner.next();
                self.fields(Some(place), depth + 1).map(Piece::Object)
            }
            '[' => self.list(depth + 1).map(Piece::List),
            '$' => self.substitution(),
            _ => {
                let text = text::unquoted(&mut self.scanner);
                if text.is_empty() {
                    return Err(self.scanner.error(HoconReason::ReservedInValue));
                }
                Ok(Piece::Text(text.to_owned()))
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Vec<RawValue>, HoconError> {
        let place = self.scanner.place();
        self.scanner.take("[");
        let mut values = Vec::new();
        self.scanner.skip_lines();
        loop {
            match self.scanner.peek() {
                None => return Err(error(place, HoconReason::Unclosed { open: '[', close: ']' })),
                Some(']') => {
                    self.scanner.next();
                    return Ok(values);
                }
                _ => {}
            }
            let value = self.value(depth)?;
            if value.pieces.is_empty() {
                return Err(self.scanner.error(HoconReason::ElementMissing));
            }
            values.push(value);
            self.separator();
        }
    }

    fn substitution(&mut self) -> Result<Piece, HoconError> {
        let place = self.scanner.place();
        let wrong = || error(place, HoconReason::Substitution);
        if !self.scanner.take("${") {
            return Err(wrong());
        }
        let is_optional = self.scanner.take("?");
        self.scanner.skip_space();
        let path = text::path(&mut self.scanner).map_err(|_| wrong())?;
        if self.scanner.take("}") { Ok(Piece::Substitution { place, path, is_optional }) } else { Err(wrong()) }
    }

    fn check_depth(&self, depth: usize) -> Result<(), HoconError> {
        if depth > DEPTH_MAX { Err(self.scanner.error(HoconReason::TooDeep)) } else { Ok(()) }
    }
}
