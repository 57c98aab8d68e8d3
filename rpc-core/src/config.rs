//! Settings from defaults, file, environment and flags.
//!
//! A section is declared once, by [`settings!`](crate::settings): a struct with defaults and
//! documentation. From that declaration come the keys of the file, the names of environment
//! variables and flags, the sample file, the help text and the tables in `docs/`. A program
//! composes a [`Schema`] of sections, its own among them, [loads](Schema::load) it from
//! [`Sources`], and takes the typed sections out of what was [`Loaded`].
//!
//! Later layers win: defaults < file < environment < flags.
//!
//! * File: TOML with Dubbo's names. The first of `--config FILE`, `$PROGRAM_CONFIG`,
//!   `./program.toml`, `$XDG_CONFIG_HOME/program/config.toml`, `/etc/program/program.toml`. A file
//!   that is named must exist.
//! * Environment: Dubbo's form, `DUBBO_PROTOCOL_THREADS` for `dubbo.protocol.threads`;
//!   `DUBBO_IP_TO_BIND`, `DUBBO_PORT_TO_BIND`, `DUBBO_IP_TO_REGISTRY` and `DUBBO_PORT_TO_REGISTRY`
//!   win over the regular names, as in Dubbo.
//! * Flags: `-D dubbo.protocol.threads=100` for any key, and short names for some.
//!
//! Nothing is ignored: an unknown key, a wrong type or an impossible value stops the start, with
//! its place and the nearest known key; problems of all layers are told together. Programs exit
//! with [`Exit::Configuration`].
//!
//! The command line is behind the feature `cli`, so that libraries need no clap.

#[cfg(feature = "cli")]
pub mod cli;
mod declare;
mod environment;
mod exit;
mod family;
mod file;
mod flags;
mod loaded;
mod nearest;
mod problem;
mod schema;
mod section;
mod sections;
mod setting;
mod show;
mod sources;
mod template;
mod units;
mod value;

pub use exit::Exit;
pub use loaded::Loaded;
pub use problem::{Origin, Problem, Problems};
pub use schema::Schema;
pub use section::{Conflict, Key, Section, Values, bounds, key_name};
pub use sections::{
    ApplicationConfig, ApplicationName, ClusterKind, ConsumerConfig, ConsumerFilter, Host,
    LoadBalanceKind, PayloadLimit, ProtocolConfig, ProviderConfig, ProviderFilter, QosConfig,
    RegistryAddress, RegistryConfig, SerializationName, Token,
};
pub use setting::{Setting, Size, wrong_kind};
pub use show::Shown;
pub use sources::Sources;
pub use value::{Kind, Value};
