//! What a run cost, as the system and the processes themselves tell.

pub mod cpu;
pub mod gauges;
