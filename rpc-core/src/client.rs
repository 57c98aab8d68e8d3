//! The consumer's side.

mod connection;
mod in_flight;
pub mod settings;

pub use settings::ClientConfig;
