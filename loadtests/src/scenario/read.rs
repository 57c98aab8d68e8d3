//! A scenario from a file.

use anyhow::{Context, Result};

use super::{Scenario, Schedule, Stop};

impl Scenario {
    /// Reads a scenario from TOML. An open schedule without a `stop` ends with its last stage.
    ///
    /// # Errors
    /// When it is no TOML or has a word that is not known, with line and column; when it makes no
    /// sense, as [`check`](Scenario::check).
    pub fn from_toml(text: &str) -> Result<Scenario> {
        let table: toml::Table = toml::from_str(text).context("the scenario is no TOML")?;
        let mut scenario: Scenario = toml::from_str(text).context("the scenario cannot be read")?;
        if !table.contains_key("stop") && matches!(scenario.schedule, Schedule::Open { .. }) {
            scenario.stop = Stop::never();
        }
        scenario.check()?;
        Ok(scenario)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::scenario::{Expect, Payload, Target};

    const REQUESTS: &str = include_str!("../../scenarios/requests.toml");
    const CALLS: &str = include_str!("../../scenarios/calls.toml");

    fn refused(text: &str) -> String {
        format!("{:#}", Scenario::from_toml(text).unwrap_err())
    }

    #[test]
    fn the_example_of_requests() {
        let scenario = Scenario::from_toml(REQUESTS).unwrap();
        assert_eq!((scenario.name.as_str(), scenario.mix.len()), ("mixed requests", 2));
        let Schedule::Open { stages, max_in_flight } = &scenario.schedule else { panic!() };
        assert_eq!((stages.len(), stages[1].to, *max_in_flight), (2, 2000.0, 500));
        assert_eq!(stages[1].duration, Duration::from_secs(50));
        assert_eq!(scenario.stop, Stop::never(), "the stages are its end");
    }

    #[test]
    fn what_the_example_says_in_its_comments() {
        let own = "\n[[mix]]\nname = \"/x\"\n";
        let text = REQUESTS.replace("# payload", "payload").replace("# expect", "expect");
        let scenario = Scenario::from_toml(&text.replace("\n#\npayload", &format!("{own}payload")));
        let mix = scenario.unwrap().mix;
        let [_, _, post, page] = mix.as_slice() else { panic!("{mix:?}") };
        assert!(matches!(&post.payload, Payload::Body { body, .. } if body == "{\"a\": 1}"));
        assert_eq!((&post.expect, &page.expect), (&Expect::Echo, &Expect::Length { bytes: 5120 }));
    }

    #[test]
    fn the_example_of_calls() {
        let scenario = Scenario::from_toml(CALLS).unwrap();
        let Target::Rpc(target) = &scenario.target else { panic!() };
        assert_eq!((target.connections, target.client_per_worker), (2, false));
        let two_minutes = Duration::from_secs(120);
        let stop = Stop { interval: Some(0.02), duration: Some(two_minutes), requests: None };
        assert_eq!(scenario.stop, stop);
        assert_eq!(scenario.mix[1].weight, 1);
        assert_eq!(scenario.timeout, Duration::from_secs(30));
    }

    #[test]
    fn the_example_of_the_documents() {
        let document = include_str!("../../../docs/LOADTESTS.md");
        let (_, rest) = document.split_once("## A scenario").unwrap();
        let (_, rest) = rest.split_once("```toml\n").unwrap();
        let (example, _) = rest.split_once("```").unwrap();
        let scenario = Scenario::from_toml(example).unwrap();
        assert_eq!(scenario.mix.len(), 2);
        assert!(matches!(scenario.schedule, Schedule::Open { .. }));
    }

    #[test]
    fn what_is_said_of_the_stop_replaces_its_default() {
        let closed = "[schedule]\nkind = \"closed\"\nin-flight = 1\n";
        assert_eq!(Scenario::from_toml(closed).unwrap().stop, Stop::default());
        let text = format!("{closed}[stop]\nrequests = 100\n");
        let stop = Stop { requests: Some(100), ..Stop::never() };
        assert_eq!(Scenario::from_toml(&text).unwrap().stop, stop);
    }

    #[test]
    fn a_scenario_reads_back_as_it_was() {
        for text in [REQUESTS, CALLS] {
            let scenario = Scenario::from_toml(text).unwrap();
            let json = serde_json::to_string(&scenario).unwrap();
            assert_eq!(serde_json::from_str::<Scenario>(&json).unwrap(), scenario);
            let toml = toml::to_string(&scenario).unwrap();
            assert_eq!(Scenario::from_toml(&toml).unwrap().mix, scenario.mix);
        }
    }

    #[test]
    fn mistakes_have_a_place() {
        let unknown = refused("name = \"x\"\nin-flight = 5\n");
        assert!(unknown.contains("line 2, column 1") && unknown.contains("in-flight"), "{unknown}");
        let syntax = refused("timeout = \"1s\"\nname = \n");
        assert!(syntax.contains("line 2, column"), "{syntax}");
        let time = refused("\ntimeout = \"5 parsecs\"\n");
        assert!(time.contains("line 2, column 11") && time.contains("parsecs"), "{time}");
    }
}
