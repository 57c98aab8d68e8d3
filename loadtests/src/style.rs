//! Results printed as other tools print them.

pub mod ab;
