//! Memory that is taken, touched and given back within one call: what the published heap study
//! measures.
//!
//! The study stands for a flash sale: many users, each for a moment with some objects. Few large
//! objects and many small ones of the same total are two shapes of that; what differs is the
//! allocator's work. Taking buffers from a pool of the thread is the variant without it.

use std::cell::RefCell;
use std::hint::black_box;

use serde::{Deserialize, Serialize};

/// What the study's Java expression takes: an array of 4 MiB and its header, not 1 MB as it says.
pub const BYTES: u32 = 4_194_320;
/// Most bytes of one call.
pub const MOST_BYTES: u32 = 256 * 1024 * 1024;
/// Most objects of one call: each costs some bytes beside its own.
pub const MOST_OBJECTS: u32 = 1_000_000;
/// What every such call answers.
pub const ANSWER: &str = "success";

/// A write to each of these makes memory real.
const PAGE: usize = 4096;
/// Most bytes that a thread keeps for [`Heap::reuse`].
const MOST_KEPT: usize = 16 * 1024 * 1024;
/// What an object costs beside its own bytes, about.
const OVERHEAD: usize = 64;

/// How much memory, in which shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Heap {
    /// Bytes of all objects together. Default: [`BYTES`].
    pub bytes: u32,
    /// Whether each page is written to; memory that is not may never become real. Default: yes.
    pub touch: bool,
    /// Objects that the bytes are split into. Default: one.
    pub objects: u32,
    /// Whether objects come from a pool of the thread and go back there. Default: no.
    pub reuse: bool,
}

impl Default for Heap {
    fn default() -> Self {
        Heap { bytes: BYTES, touch: true, objects: 1, reuse: false }
    }
}

impl Heap {
    /// Refuses what would harm the machine, and objects of no bytes.
    ///
    /// # Errors
    /// One sentence that names the value and says what to use.
    pub fn check(&self) -> Result<(), String> {
        let Heap { bytes, objects, .. } = self;
        if !(1..=MOST_BYTES).contains(bytes) {
            return Err(format!("bytes is {bytes}; use 1 to {MOST_BYTES}"));
        }
        let most = MOST_OBJECTS.min(*bytes);
        if !(1..=most).contains(objects) {
            return Err(format!("objects is {objects}; use 1 to {most} for {bytes} bytes"));
        }
        Ok(())
    }

    /// Takes the memory, holds all of it at once, and lets it go.
    pub fn take(&self) {
        if self.reuse {
            let kept = KEPT.take();
            KEPT.set(keep(self.reused(kept)));
        } else {
            let objects: Vec<Vec<u8>> = self.sizes().map(|size| self.fresh(size)).collect();
            black_box(objects);
        }
    }

    /// The first ones are a byte longer where the bytes do not divide.
    fn sizes(&self) -> impl Iterator<Item = usize> {
        let (bytes, objects) = (self.bytes as usize, self.objects.max(1) as usize);
        (0..objects).map(move |n| bytes / objects + usize::from(n < bytes % objects))
    }

    fn fresh(&self, size: usize) -> Vec<u8> {
        if !self.touch {
            return black_box(Vec::with_capacity(size));
        }
        let mut object = vec![0; size];
        touch(&mut object);
        object
    }

    /// Takes objects from the end of `kept`, and new ones in place of those that are too small.
    /// All come back, in the order in which the next such call will take them.
    fn reused(&self, mut kept: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let mut objects = Vec::new();
        for size in self.sizes() {
            let large_enough = kept.pop().filter(|object| object.len() >= size);
            let mut object = large_enough.unwrap_or_else(|| vec![0; size]);
            if self.touch {
                touch(object.get_mut(..size).unwrap_or_default());
            }
            objects.push(object);
        }
        kept.extend(black_box(objects).into_iter().rev());
        kept
    }
}

thread_local! {
    static KEPT: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// As many of the last of `objects` as a thread may keep.
fn keep(mut objects: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let mut total = 0;
    let fits = |object: &&Vec<u8>| {
        total += object.len() + OVERHEAD;
        total <= MOST_KEPT
    };
    let fitting = objects.iter().rev().take_while(fits).count();
    objects.drain(..objects.len() - fitting);
    objects
}

/// Writes to every page. `black_box`: the optimiser sees that nobody reads and would leave it out.
fn touch(object: &mut [u8]) {
    for byte in object.iter_mut().step_by(PAGE) {
        *black_box(byte) = 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heap(bytes: u32, objects: u32) -> Heap {
        Heap { bytes, objects, ..Heap::default() }
    }

    #[test]
    fn bytes_are_split_without_a_rest() {
        assert_eq!(heap(10, 3).sizes().collect::<Vec<_>>(), [4, 3, 3]);
        assert_eq!(heap(BYTES, 1).sizes().collect::<Vec<_>>(), [4_194_320]);
    }

    #[test]
    fn limits_are_told() {
        assert_eq!(heap(MOST_BYTES, MOST_OBJECTS).check(), Ok(()));
        assert!(heap(0, 1).check().unwrap_err().starts_with("bytes is 0"));
        assert!(heap(MOST_BYTES + 1, 1).check().unwrap_err().contains("268435456"));
        assert!(heap(5, 6).check().unwrap_err().contains("1 to 5"));
        assert!(heap(5, 0).check().is_err());
    }

    #[test]
    fn every_page_is_written_to() {
        let object = heap(3 * PAGE as u32 + 1, 1).fresh(3 * PAGE + 1);
        assert_eq!(object.iter().filter(|byte| **byte == 1).count(), 4);
        assert!([0, 4096, 8192, 12288].iter().all(|at| object[*at] == 1));
        let untouched = Heap { touch: false, ..heap(PAGE as u32, 1) }.fresh(PAGE);
        assert!(untouched.is_empty() && untouched.capacity() >= PAGE);
    }

    #[test]
    fn objects_come_back_and_a_thread_keeps_only_so_many() {
        let places = |objects: &[Vec<u8>]| objects.iter().map(Vec::as_ptr).collect::<Vec<_>>();
        // The first object is a byte longer than the second, every time.
        let first = heap(8 * 1024 + 1, 2).reused(Vec::new());
        let before = places(&first);
        let again = heap(8 * 1024 + 1, 2).reused(first);
        assert_eq!(places(&again), before);
        let larger = heap(1024 * 1024, 1).reused(again);
        assert_eq!(larger.iter().map(Vec::len).max(), Some(1024 * 1024));
        assert!(keep(vec![vec![0; MOST_KEPT]]).is_empty());
        assert_eq!(keep(vec![vec![0; 10], vec![0; MOST_KEPT], vec![0; 10]]).len(), 1);
    }
}
