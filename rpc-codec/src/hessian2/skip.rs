//! Passing over a value.
//!
//! Linear in its bytes and without recursion. The tables of the body are filled as if the value had
//! been read, so values behind it can refer to it.

use super::decoder::{Begun, Decoder, Head, Left};
use super::error::ReadError;
use super::tags::END;

/// A list, map or object in which there is something left.
struct Pending {
    begun: Begun,
    left: Left,
    /// A map's end mark is looked for in front of keys only.
    at_value: Option<bool>,
}

impl Decoder<'_> {
    /// Passes over one value.
    pub(super) fn skip(&mut self) -> Result<(), ReadError> {
        let mut pending: Vec<Pending> = Vec::new();
        loop {
            if let Some(compound) = self.skip_head()? {
                pending.push(compound);
            }
            while let Some(innermost) = pending.last_mut() {
                if self.has_next(innermost)? {
                    break;
                }
                self.finish(innermost.begun);
                pending.pop();
            }
            if pending.is_empty() {
                return Ok(());
            }
        }
    }

    /// Passes over a value without content, or over the beginning of one with.
    fn skip_head(&mut self) -> Result<Option<Pending>, ReadError> {
        let (begun, left, at_value) = match self.head()? {
            Head::Text(tag) => {
                self.text_pieces(tag, |_| ())?;
                return Ok(None);
            }
            Head::Binary(tag) => {
                self.binary_pieces(tag, |_| ())?;
                return Ok(None);
            }
            Head::Ref(index) => {
                self.check_reference(index)?;
                return Ok(None);
            }
            Head::List(begun, _, left) => (begun, left, None),
            Head::Map(begun, _) => (begun, Left::Open, Some(false)),
            Head::Object(begun, class) => (begun, Left::Count(self.field_count(class)), None),
            _ => return Ok(None),
        };
        Ok(Some(Pending { begun, left, at_value }))
    }

    /// Counts the next element off, if there is one.
    fn has_next(&mut self, pending: &mut Pending) -> Result<bool, ReadError> {
        match (&mut pending.left, &mut pending.at_value) {
            (Left::Count(left), _) => {
                let more = *left > 0;
                *left = left.saturating_sub(1);
                Ok(more)
            }
            (Left::Open, Some(at_value)) if *at_value => {
                *at_value = false;
                Ok(true)
            }
            (Left::Open, at_value) => {
                let more = !self.at_end()?;
                if let Some(at_value) = at_value {
                    *at_value = more;
                }
                Ok(more)
            }
        }
    }

    /// Takes in the end mark of a map or open list, if it is there.
    pub(super) fn at_end(&mut self) -> Result<bool, ReadError> {
        let end = self.peek().ok_or_else(|| self.end("a list or map"))? == END;
        if end {
            self.byte("a list or map")?;
        }
        Ok(end)
    }
}
