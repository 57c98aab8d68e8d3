//! Scenarios that come with the program.

use clap::ValueEnum;

use super::{Scenario, Target};

/// A scenario by name. Each is a file of `loadtests/scenarios`, to be copied and changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Preset {
    /// A mix of requests over HTTP at a rate that climbs for 10 s and stays for 50 s.
    Requests,
    /// A mix of typed calls until the rate is known to 2 %.
    Calls,
    /// Many callers who each take memory for a moment: in few large pieces and in many small ones.
    FlashSale,
}

impl Preset {
    /// The scenario, of no address: who runs it starts a stack, or names one.
    #[must_use]
    pub fn scenario(self) -> Scenario {
        // The files are part of the program, and the test below reads each of them.
        let mut scenario = Scenario::from_toml(self.toml()).unwrap_or_default();
        match &mut scenario.target {
            Target::Http(http) => http.url.clear(),
            Target::Rpc(rpc) => rpc.url.clear(),
            Target::Generic(generic) => generic.url.clear(),
            Target::Null => {}
        }
        scenario
    }

    fn toml(self) -> &'static str {
        match self {
            Preset::Requests => include_str!("../../scenarios/requests.toml"),
            Preset::Calls => include_str!("../../scenarios/calls.toml"),
            Preset::FlashSale => include_str!("../../scenarios/flash-sale.toml"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_reads_and_has_no_address() {
        for preset in Preset::value_variants() {
            let file = Scenario::from_toml(preset.toml()).unwrap();
            let scenario = preset.scenario();
            assert_eq!((&scenario.name, &scenario.mix), (&file.name, &file.mix));
            let address = match &scenario.target {
                Target::Http(http) => &http.url,
                Target::Rpc(rpc) => &rpc.url,
                other => panic!("{other:?}"),
            };
            assert_eq!(address, "");
        }
    }
}
