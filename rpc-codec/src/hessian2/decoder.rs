//! The reading end: a position in the body, and what the body has named so far.

use std::sync::Arc;

use super::binary::is_binary;
use super::error::ReadError;
use super::limits::{MAX_DEPTH, expansion};
use super::tags::*;
use super::text::is_string;

/// Reads values and keeps the tables of one body.
pub(super) struct Decoder<'de> {
    body: &'de [u8],
    at: usize,
    classes: Vec<Class<'de>>,
    /// Fields of all classes, one class after the other.
    fields: Vec<Field<'de>>,
    types: Vec<Name<'de>>,
    /// Lists, maps and objects in the order in which they begin.
    spans: Vec<Span>,
    /// References that are being followed, outermost first.
    following: Vec<u32>,
    depth: usize,
    /// Bytes of expansion left (see [`super::limits`]).
    expansion: usize,
}

/// A name in the body: of a class, a field or a type.
#[derive(Debug, Clone)]
pub(super) enum Name<'de> {
    /// It stands there in one piece.
    Borrowed(&'de str),
    /// It had to be put together.
    Joined(Arc<str>),
}

impl Name<'_> {
    pub(super) fn as_str(&self) -> &str {
        match self {
            Name::Borrowed(name) => name,
            Name::Joined(name) => name,
        }
    }
}

struct Class<'de> {
    name: Name<'de>,
    first_field: usize,
    field_count: usize,
}

struct Field<'de> {
    name: Name<'de>,
    /// A later field of the class has the same name, and Java's reader lets the last one win.
    shadowed: bool,
}

/// Where a list, map or object stands.
#[derive(Clone, Copy)]
struct Span {
    /// Its tag, behind class definitions.
    start: u32,
    /// Behind its last byte; 0 while it is being read.
    end: u32,
}

/// A list, map or object that has begun. `None` while it is being read again through a reference.
#[derive(Clone, Copy)]
pub(super) struct Begun(Option<u32>);

/// How many elements a list still has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// So many.
    Count(usize),
    /// As many as come before the end mark.
    Open,
}

/// The beginning of a value: all of it, or what comes before its content.
pub(super) enum Head<'de> {
    Null,
    Bool(bool),
    Int(i32),
    Long(i64),
    Double(f64),
    Date(i64),
    /// A string whose first byte has been read.
    Text(u8),
    /// Binary data whose first byte has been read.
    Binary(u8),
    List(Begun, Option<Name<'de>>, Left),
    Map(Begun, Option<Name<'de>>),
    /// An object and the number of its class.
    Object(Begun, usize),
    Ref(usize),
}

mod references;

impl<'de> Decoder<'de> {
    pub(super) fn new(body: &'de [u8]) -> Self {
        Decoder {
            body,
            at: 0,
            classes: Vec::new(),
            fields: Vec::new(),
            types: Vec::new(),
            spans: Vec::new(),
            following: Vec::new(),
            depth: 0,
            expansion: expansion(body.len()),
        }
    }

    #[inline]
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// What has not been read.
    #[inline]
    pub(super) fn rest(&self) -> &'de [u8] {
        self.body.get(self.at..).unwrap_or_default()
    }

    #[cold]
    pub(super) fn end(&self, what: &'static str) -> ReadError {
        ReadError::end(self.body.len(), what)
    }

    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.body.get(self.at).copied()
    }

    #[inline]
    pub(super) fn byte(&mut self, what: &'static str) -> Result<u8, ReadError> {
        let byte = self.peek().ok_or_else(|| self.end(what))?;
        self.at += 1;
        Ok(byte)
    }

    #[inline]
    pub(super) fn array<const N: usize>(
        &mut self,
        what: &'static str,
    ) -> Result<[u8; N], ReadError> {
        let array = *self.rest().first_chunk().ok_or_else(|| self.end(what))?;
        self.at += N;
        Ok(array)
    }

    #[inline]
    pub(super) fn take(&mut self, len: usize, what: &'static str) -> Result<&'de [u8], ReadError> {
        let bytes = self.rest().get(..len).ok_or_else(|| self.end(what))?;
        self.at += len;
        Ok(bytes)
    }

    /// Goes back to where a string began, or a value without content.
    pub(super) fn go_back(&mut self, at: usize) {
        self.at = at;
    }

    /// The beginning of the string at `at`, for errors.
    #[cold]
    pub(super) fn string_at(&mut self, at: usize) -> Option<String> {
        let tag = self.body.get(at).copied().filter(|tag| is_string(*tag))?;
        let behind = std::mem::replace(&mut self.at, at + 1);
        let text = self.text(tag).ok().map(|text| super::error::shown(&text.text));
        self.at = behind;
        text
    }

    /// Forgets what a failed read left behind.
    pub(super) fn start_value(&mut self) {
        self.depth = 0;
        self.following.clear();
    }

    /// Reads class definitions in front of a value.
    pub(super) fn definitions(&mut self) -> Result<(), ReadError> {
        while self.peek() == Some(CLASS) {
            self.at += 1;
            self.definition()?;
        }
        Ok(())
    }

    /// Reads the beginning of a value, and class definitions in front of it.
    #[inline]
    pub(super) fn head(&mut self) -> Result<Head<'de>, ReadError> {
        let start = self.at;
        let tag = self.byte("a value")?;
        if is_string(tag) {
            return Ok(Head::Text(tag));
        }
        if let Some(int) = self.int(tag)? {
            return Ok(Head::Int(int));
        }
        if let Some(long) = self.long(tag)? {
            return Ok(Head::Long(long));
        }
        self.other_head(tag, start)
    }

    fn other_head(&mut self, mut tag: u8, mut start: usize) -> Result<Head<'de>, ReadError> {
        if tag == CLASS {
            self.go_back(start);
            self.definitions()?;
            start = self.at;
            tag = self.byte("a value")?;
            if !is_compound(tag) {
                self.go_back(start);
                return self.head();
            }
        }
        match tag {
            NULL => return Ok(Head::Null),
            TRUE => return Ok(Head::Bool(true)),
            FALSE => return Ok(Head::Bool(false)),
            REF => return Ok(Head::Ref(self.index("a reference")?)),
            _ if is_binary(tag) => return Ok(Head::Binary(tag)),
            _ => {}
        }
        if let Some(double) = self.double(tag)? {
            return Ok(Head::Double(double));
        }
        if let Some(millis) = self.date(tag)? {
            return Ok(Head::Date(millis));
        }
        if !is_compound(tag) {
            return Err(ReadError::value(start, format_args!("{tag:#04x} begins no value")));
        }
        let begun = self.begin(start)?;
        self.compound_head(tag, begun, start)
    }

    fn compound_head(
        &mut self,
        tag: u8,
        begun: Begun,
        start: usize,
    ) -> Result<Head<'de>, ReadError> {
        Ok(match tag {
            MAP => Head::Map(begun, None),
            MAP_TYPED => Head::Map(begun, Some(self.type_name()?)),
            LIST_SHORT..=LIST_SHORT_MAX => self.list(begun, None, usize::from(tag - LIST_SHORT))?,
            LIST => {
                let len = self.index("the length of a list")?;
                self.list(begun, None, len)?
            }
            LIST_TYPED_SHORT..=LIST_TYPED_SHORT_MAX => {
                let class = self.type_name()?;
                self.list(begun, Some(class), usize::from(tag - LIST_TYPED_SHORT))?
            }
            LIST_TYPED => {
                let class = self.type_name()?;
                let len = self.index("the length of a list")?;
                self.list(begun, Some(class), len)?
            }
            LIST_OPEN => Head::List(begun, None, Left::Open),
            LIST_TYPED_OPEN => Head::List(begun, Some(self.type_name()?), Left::Open),
            OBJECT => {
                let class = self.index("the class of an object")?;
                self.object(begun, class, start)?
            }
            _ => self.object(begun, usize::from(tag.wrapping_sub(OBJECT_SHORT)), start)?,
        })
    }

    /// A list of `len` elements. Each takes a byte at least, so a longer one cannot be there.
    fn list(
        &self,
        begun: Begun,
        class: Option<Name<'de>>,
        len: usize,
    ) -> Result<Head<'de>, ReadError> {
        if len > self.rest().len() {
            return Err(self.end("a list"));
        }
        Ok(Head::List(begun, class, Left::Count(len)))
    }

    fn object(&self, begun: Begun, class: usize, start: usize) -> Result<Head<'de>, ReadError> {
        if class < self.classes.len() {
            return Ok(Head::Object(begun, class));
        }
        let reason = format_args!(
            "an object of class number {class}, but only {} classes are defined",
            self.classes.len()
        );
        Err(ReadError::value(start, reason))
    }

    /// Reads an int that counts something.
    fn index(&mut self, what: &'static str) -> Result<usize, ReadError> {
        let at = self.at;
        let tag = self.byte(what)?;
        let index = self.int(tag)?.and_then(|int| usize::try_from(int).ok());
        index.ok_or_else(|| ReadError::value(at, format_args!("{what} is not an int from 0 up")))
    }

    /// Reads a class definition behind its tag.
    ///
    /// One that is met again through a reference is in the tables already.
    fn definition(&mut self) -> Result<(), ReadError> {
        let known = self.is_following();
        let name = self.name("the name of a class")?;
        let field_count = self.index("the number of fields of a class")?;
        let first_field = self.fields.len();
        for _ in 0..field_count {
            let name = self.name("the name of a field")?;
            if !known {
                self.fields.push(Field { name, shadowed: false });
            }
        }
        if !known {
            mark_shadowed(&mut self.fields[first_field..]);
            self.classes.push(Class { name, first_field, field_count });
        }
        Ok(())
    }

    /// Reads a type: a new name, or the number of an earlier one.
    fn type_name(&mut self) -> Result<Name<'de>, ReadError> {
        let at = self.at;
        if self.peek().is_some_and(is_string) {
            let name = self.name("the type of a list or map")?;
            if !self.is_following() {
                self.types.push(name.clone());
            }
            return Ok(name);
        }
        let number = self.index("the type of a list or map")?;
        self.types.get(number).cloned().ok_or_else(|| {
            let known = self.types.len();
            ReadError::value(at, format_args!("type number {number}, but only {known} are known"))
        })
    }

    fn name(&mut self, what: &'static str) -> Result<Name<'de>, ReadError> {
        let at = self.at;
        let tag = self.byte(what)?;
        if !is_string(tag) {
            return Err(ReadError::value(at, format_args!("{what} is not a string")));
        }
        Ok(match self.text(tag)?.text {
            std::borrow::Cow::Borrowed(name) => Name::Borrowed(name),
            std::borrow::Cow::Owned(name) => Name::Joined(name.into()),
        })
    }

    /// Name of a class. Its number comes from [`Head::Object`].
    pub(super) fn class_name(&self, class: usize) -> &Name<'de> {
        &self.classes[class].name
    }

    pub(super) fn field_count(&self, class: usize) -> usize {
        self.classes[class].field_count
    }

    /// Name of a field, and whether a later one of the same name makes it void.
    pub(super) fn field(&self, class: usize, index: usize) -> (&Name<'de>, bool) {
        let field = &self.fields[self.classes[class].first_field + index];
        (&field.name, field.shadowed)
    }
}

/// Lists, maps and objects: what back references can point to.
fn is_compound(tag: u8) -> bool {
    matches!(
        tag,
        MAP | MAP_TYPED | OBJECT | LIST | LIST_TYPED | LIST_OPEN | LIST_TYPED_OPEN | OBJECT_SHORT
            ..=LIST_SHORT_MAX
    )
}

/// Linear in the fields, however many a peer defines.
fn mark_shadowed(fields: &mut [Field<'_>]) {
    const FEW: usize = 16;
    if fields.len() <= FEW {
        for at in 1..fields.len() {
            let (before, from) = fields.split_at_mut(at);
            let name = from[0].name.as_str();
            before.iter_mut().filter(|f| f.name.as_str() == name).for_each(|f| f.shadowed = true);
        }
        return;
    }
    let mut later = std::collections::HashSet::new();
    for field in fields.iter_mut().rev() {
        field.shadowed = !later.insert(field.name.as_str());
    }
}
