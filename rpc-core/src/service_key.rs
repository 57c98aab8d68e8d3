//! What a service is called: group, interface, version.

use std::fmt;

/// Name of a service (Dubbo: `[group/]interface[:version]`).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ServiceKey {
    /// Interface name, or the custom path of an export.
    pub interface: String,
    /// Version; empty = none. A consumer's `*` stands for any.
    pub version: String,
    /// Group; empty = none. A consumer's `*` stands for any, a comma list for one of several.
    pub group: String,
}

impl ServiceKey {
    /// A key of its three parts. `0.0.0` is no version, as on Dubbo's wire.
    pub fn new(
        interface: impl Into<String>,
        version: impl Into<String>,
        group: impl Into<String>,
    ) -> Self {
        let version = version.into();
        let version = if version == "0.0.0" { String::new() } else { version };
        ServiceKey { interface: interface.into(), version, group: group.into() }
    }
}

impl fmt::Display for ServiceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.group.is_empty() {
            write!(f, "{}/", self.group)?;
        }
        f.write_str(&self.interface)?;
        if !self.version.is_empty() {
            write!(f, ":{}", self.version)?;
        }
        Ok(())
    }
}
