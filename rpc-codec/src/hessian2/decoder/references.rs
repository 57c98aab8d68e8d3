//! Back references, nesting, and what they may cost.
//!
//! A reference is read into a Rust tree by reading the bytes it points to again. The tables of a
//! body only grow, so what was readable there is readable again; entries are not made twice.

use super::super::limits::expansion;
use super::{Begun, Decoder, MAX_DEPTH, ReadError, Span};

impl<'de> Decoder<'de> {
    /// Whether the bytes at hand are read again through a reference.
    pub(super) fn is_following(&self) -> bool {
        !self.following.is_empty()
    }

    /// Gives a list, map or object that begins at `start` its index.
    pub(super) fn begin(&mut self, start: usize) -> Result<Begun, ReadError> {
        if self.is_following() {
            return Ok(Begun(None));
        }
        let too_long = |_| ReadError::limit(start, "a body of more than 4 GiB");
        let start = u32::try_from(start).map_err(too_long)?;
        let index = u32::try_from(self.spans.len()).map_err(too_long)?;
        self.spans.push(Span { start, end: 0 });
        Ok(Begun(Some(index)))
    }

    /// Notes that a list, map or object has been read to its end.
    #[inline]
    pub(in super::super) fn finish(&mut self, begun: Begun) {
        let span = begun.0.and_then(|index| self.spans.get_mut(index as usize));
        if let (Some(span), Ok(end)) = (span, u32::try_from(self.at)) {
            span.end = end;
        }
    }

    /// Goes one level down. Undone by [`Self::leave`].
    #[inline]
    pub(in super::super) fn enter(&mut self) -> Result<(), ReadError> {
        if self.depth >= MAX_DEPTH {
            let limit = format_args!("values nested deeper than {MAX_DEPTH} levels");
            return Err(ReadError::limit(self.at, limit));
        }
        self.depth += 1;
        Ok(())
    }

    #[inline]
    pub(in super::super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Whether a reference points to a value that is being read, directly or through others.
    pub(in super::super) fn is_open(&self, index: usize) -> bool {
        self.spans.get(index).is_some_and(|span| span.end == 0)
            || self.following.iter().any(|followed| *followed as usize == index)
    }

    /// An error if there is no such list, map or object.
    pub(in super::super) fn check_reference(&self, index: usize) -> Result<(), ReadError> {
        if index < self.spans.len() {
            return Ok(());
        }
        let reason = format_args!(
            "a reference to value {index}, but only {} lists, maps and objects have begun",
            self.spans.len()
        );
        Err(ReadError::value(self.at, reason))
    }

    /// Reads the value that a reference points to.
    pub(in super::super) fn follow<T>(
        &mut self,
        index: usize,
        read: impl FnOnce(&mut Self) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        self.check_reference(index)?;
        if self.is_open(index) {
            let reason = "a value that contains itself; only rpc_codec::Value can hold a cycle";
            return Err(ReadError::value(self.at, reason));
        }
        let Span { start, end } = self.spans[index];
        self.charge((end - start) as usize)?;
        self.enter()?;
        let behind = std::mem::replace(&mut self.at, start as usize);
        // Indices were made from 32 bits.
        self.following.push(index as u32);
        let value = read(self)?;
        self.following.pop();
        self.at = behind;
        self.leave();
        Ok(value)
    }

    /// Takes bytes from what the body may expand to.
    pub(in super::super) fn charge(&mut self, bytes: usize) -> Result<(), ReadError> {
        match self.expansion.checked_sub(bytes) {
            Some(left) => self.expansion = left,
            None => {
                let limit = format_args!(
                    "references and repeated names expand to more than {} bytes",
                    expansion(self.body.len())
                );
                return Err(ReadError::limit(self.at, limit));
            }
        }
        Ok(())
    }
}
