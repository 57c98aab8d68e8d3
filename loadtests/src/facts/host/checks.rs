//! The list of checks, in the order they are shown.

use super::{Expected, limits, memory, network, processors};
use crate::result::HostCheck;

/// All of them. One whose file does not exist here is left out.
pub(super) fn all(expected: &Expected) -> Vec<HostCheck> {
    [
        processors::checks(),
        limits::checks(expected),
        network::checks(expected),
        memory::checks(expected),
    ]
    .concat()
}

/// A check that passed.
pub(super) fn well(name: &str, value: impl Into<String>) -> HostCheck {
    HostCheck { name: name.to_owned(), value: value.into(), ok: true, ..HostCheck::default() }
}

/// A check: `advice` and `command` are those of a failed one, and left out when it is `ok`.
pub(super) fn check(
    name: &str,
    value: impl Into<String>,
    ok: bool,
    advice: impl Into<String>,
    command: impl Into<String>,
) -> HostCheck {
    let passed = well(name, value);
    if ok {
        return passed;
    }
    HostCheck { ok, advice: advice.into(), command: command.into(), ..passed }
}
