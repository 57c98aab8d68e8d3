//! The machine: what it is, and what on it stands in the way of a load test.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The machine that ran it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostFacts {
    /// System and version of its kernel.
    pub system: String,
    /// The processor's name.
    pub processor: String,
    /// Cores that this process may use.
    pub cores: usize,
    /// Memory in bytes.
    pub memory: u64,
    /// Whether it is a virtual machine, and whose.
    pub virtual_machine: Option<String>,
    /// Versions of programs that a load test uses: name and version, of those that are there.
    pub tools: Vec<(String, String)>,
    /// What was looked at before the run.
    pub checks: Vec<HostCheck>,
}

/// One thing that was looked at.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostCheck {
    /// Its name, such as `open files` or `net.core.somaxconn`.
    pub name: String,
    /// What it is.
    pub value: String,
    /// Whether it is well.
    pub ok: bool,
    /// What it means when it is not, in a sentence; or what to know of it even so.
    pub advice: String,
    /// The exact command that mends it; empty when there is none.
    pub command: String,
}
