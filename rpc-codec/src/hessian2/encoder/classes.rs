//! Which classes a body has defined, and the definition that an object uses.
//!
//! Serde names the fields of a struct one by one, with their values, but a definition stands in
//! front of them. So the first struct of a class reserves the number of its definition and is
//! written; the definition is put in front of it afterwards. Later structs of the class are
//! compared, field by field, with what is known, by address first.

use std::collections::HashMap;

use super::super::error::WriteError;

/// The definitions of one body.
#[derive(Default)]
pub(in super::super) struct Classes {
    /// Numbers given so far.
    count: usize,
    /// Those of Rust structs.
    structs: Vec<StructClass>,
    /// Those of staged objects, by their head.
    heads: HashMap<Box<[u8]>, usize>,
    /// Structs whose objects differ in ways that sharing a definition cannot follow.
    unshared: Vec<&'static str>,
}

struct StructClass {
    name: &'static str,
    number: usize,
    len: usize,
    /// `None` while the first object of the class is being written.
    fields: Option<Vec<&'static str>>,
}

/// The definition of an object that is being written.
pub(in super::super) enum Shape {
    /// The first of its class: the definition is made from it.
    First {
        /// Number of the definition.
        number: usize,
        /// Its fields so far.
        fields: Vec<&'static str>,
    },
    /// Inside the first of its class (a list of nodes, say), so there is no definition yet.
    Inside {
        /// Number of the definition.
        number: usize,
        /// Its fields so far.
        fields: Vec<&'static str>,
    },
    /// The definition is known.
    Known {
        /// Where it stands among those of structs.
        slot: usize,
        /// Fields written so far.
        next: usize,
    },
}

impl Classes {
    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn truncate(&mut self, count: usize) {
        self.count = count;
        self.structs.retain(|class| class.number < count);
        self.heads.retain(|_, number| *number < count);
    }

    /// From now on each object of the class gets its own definition. False if that was so already.
    pub(super) fn stop_sharing(&mut self, name: &'static str) -> bool {
        let new = !self.unshared.contains(&name);
        self.unshared.push(name);
        new
    }

    fn reserve(&mut self) -> usize {
        self.count += 1;
        self.count - 1
    }

    /// Starts an object of a struct. Returns the number of its definition, too, if its tag can be
    /// written at once.
    pub(in super::super) fn begin(
        &mut self,
        name: &'static str,
        len: usize,
    ) -> (Shape, Option<usize>) {
        let shared = self.unshared.is_empty() || !self.unshared.contains(&name);
        let known =
            self.structs.iter().position(|class| class.len == len && same(class.name, name));
        if let Some(slot) = known.filter(|_| shared) {
            let class = &self.structs[slot];
            let number = class.number;
            let shape = match class.fields {
                Some(_) => Shape::Known { slot, next: 0 },
                None => Shape::Inside { number, fields: Vec::new() },
            };
            return (shape, Some(number));
        }
        let number = self.reserve();
        if shared {
            self.structs.push(StructClass { name, number, len, fields: None });
        }
        (Shape::First { number, fields: Vec::new() }, None)
    }

    /// Notes the next field of an object.
    #[inline]
    pub(in super::super) fn field(
        &self,
        shape: &mut Shape,
        name: &'static str,
    ) -> Result<(), WriteError> {
        match shape {
            Shape::First { fields, .. } | Shape::Inside { fields, .. } => fields.push(name),
            Shape::Known { slot, next } => {
                let class = &self.structs[*slot];
                let expected = class.fields.as_ref().and_then(|fields| fields.get(*next));
                if !expected.is_some_and(|expected| same(expected, name)) {
                    return Err(WriteError::shape(class.name));
                }
                *next += 1;
            }
        }
        Ok(())
    }

    /// Ends an object. Returns the number of its definition if that has to be written.
    pub(in super::super) fn end<'s>(
        &mut self,
        shape: &'s Shape,
    ) -> Result<Option<(usize, &'s [&'static str])>, WriteError> {
        match shape {
            Shape::Known { slot, next } => {
                let class = &self.structs[*slot];
                if *next == class.len { Ok(None) } else { Err(WriteError::shape(class.name)) }
            }
            Shape::Inside { number, fields } => self.agree(*number, fields).map(|()| None),
            Shape::First { number, fields } => {
                self.agree(*number, fields)?;
                Ok(Some((*number, fields)))
            }
        }
    }

    /// Objects written before the definition is known have to have the same fields.
    fn agree(&mut self, number: usize, fields: &[&'static str]) -> Result<(), WriteError> {
        let Some(class) = self.structs.iter_mut().find(|class| class.number == number) else {
            return Ok(());
        };
        let known = class.fields.get_or_insert_with(|| fields.to_vec());
        if fields.len() == class.len && known == fields {
            Ok(())
        } else {
            Err(WriteError::shape(class.name))
        }
    }

    /// The number of a staged object's definition, and whether it is new.
    pub(in super::super) fn by_head(&mut self, head: &[u8]) -> (usize, bool) {
        if let Some(number) = self.heads.get(head) {
            return (*number, false);
        }
        let number = self.reserve();
        self.heads.insert(head.into(), number);
        (number, true)
    }
}

/// Names of structs and fields are constants, so equal ones are mostly the same one.
#[inline]
fn same(a: &'static str, b: &'static str) -> bool {
    std::ptr::eq(a, b) || a == b
}
