//! What makes no sense in a scenario.

use std::time::Duration;

use anyhow::{Result, bail, ensure};

use super::{Expect, Operation, Payload, Scenario, Schedule, Stage, Target};

/// Most calls under way: each may need a socket, and this machine has 65,535 ports.
const MOST_IN_FLIGHT: usize = 65_535;
/// Most calls per second of a stage.
const MOST_RATE: f64 = 1e7;
/// Largest text or list of a payload.
const MOST_BYTES: usize = 256 * 1024 * 1024;
/// Most users of a payload.
const MOST_USERS: usize = 1_000_000;

impl Scenario {
    /// Whether it makes sense.
    ///
    /// # Errors
    /// What does not, and what to do, in a sentence.
    pub fn check(&self) -> Result<()> {
        self.check_schedule()?;
        self.check_stop()?;
        ensure!(!self.timeout.is_zero(), "timeout is zero: no call could be answered in time");
        self.check_target()?;
        ensure!(!self.mix.is_empty(), "the mix is empty: name one operation at least");
        self.mix.iter().try_for_each(|operation| self.check_operation(operation))
    }

    fn check_schedule(&self) -> Result<()> {
        match &self.schedule {
            Schedule::Closed { in_flight } => in_range("in-flight", *in_flight),
            Schedule::Open { stages, max_in_flight } => {
                in_range("max-in-flight", *max_in_flight)?;
                ensure!(!stages.is_empty(), "the open schedule has no stage: name one at least");
                stages.iter().enumerate().try_for_each(|(n, stage)| check_stage(n + 1, stage))?;
                let silent = stages.iter().all(|stage| stage.from == 0.0 && stage.to == 0.0);
                ensure!(!silent, "all rates of the open schedule are zero: no call would be made");
                Ok(())
            }
        }
    }

    fn check_stop(&self) -> Result<()> {
        let stop = &self.stop;
        let ends = stop.requests.is_some() || stop.duration.is_some() || stop.interval.is_some();
        let endless = matches!(self.schedule, Schedule::Closed { .. }) && !ends;
        ensure!(!endless, "no stop is set: say requests, duration or interval");
        ensure!(stop.requests != Some(0), "stop.requests is zero: no call would be made");
        let zero = stop.duration == Some(Duration::ZERO);
        ensure!(!zero, "stop.duration is zero: no call would be made");
        if let Some(interval) = stop.interval {
            let sense = interval.is_finite() && interval > 0.0;
            ensure!(
                sense,
                "stop.interval is {interval}: a share of the rate is above zero, such as 0.02"
            );
        }
        Ok(())
    }

    fn check_target(&self) -> Result<()> {
        let connections = match &self.target {
            Target::Rpc(target) => target.connections,
            Target::Generic(target) => {
                ensure!(!target.interface.is_empty(), "the generic target names no interface");
                target.connections
            }
            Target::Http(_) | Target::Null => 1,
        };
        in_range("connections", connections)
    }

    fn check_operation(&self, operation: &Operation) -> Result<()> {
        let name = &operation.name;
        ensure!(
            operation.weight > 0,
            "operation `{name}` has the weight 0 and would never be called: leave it out"
        );
        match operation.payload {
            Payload::Text { bytes, .. } if bytes > MOST_BYTES => {
                bail!("operation `{name}`: a text of {bytes} bytes; {MOST_BYTES} is the most")
            }
            Payload::Users { count } if count > MOST_USERS => {
                bail!("operation `{name}`: a list of {count} users; {MOST_USERS} is the most")
            }
            _ => {}
        }
        match &self.target {
            Target::Http(_) => check_request(operation),
            Target::Rpc(_) => check_call(operation),
            // Whether its JSON can be sent shows when it is read.
            Target::Generic(_) => {
                ensure!(!name.is_empty(), "an operation has no name: it is the method to call");
                Ok(())
            }
            Target::Null => Ok(()),
        }
    }
}

fn in_range(what: &str, value: usize) -> Result<()> {
    ensure!(
        (1..=MOST_IN_FLIGHT).contains(&value),
        "{what} is {value}: it is between 1 and {MOST_IN_FLIGHT}"
    );
    Ok(())
}

fn check_stage(number: usize, stage: &Stage) -> Result<()> {
    for (what, rate) in [("from", stage.from), ("to", stage.to)] {
        ensure!(
            (0.0..=MOST_RATE).contains(&rate),
            "stage {number}: {what} is {rate} calls per second; it is between 0 and {MOST_RATE}"
        );
    }
    ensure!(!stage.duration.is_zero(), "stage {number}: its duration is zero");
    Ok(())
}

fn check_request(operation: &Operation) -> Result<()> {
    let name = &operation.name;
    ensure!(name.starts_with('/'), "operation `{name}`: an HTTP path begins with /");
    match (&operation.payload, &operation.expect) {
        (Payload::None, Expect::Echo) => bail!(
            "operation `{name}`: a GET sends nothing that could come back; \
             expect a body or a length, or send a body"
        ),
        (Payload::None | Payload::Body { .. }, _) => Ok(()),
        _ => bail!("operation `{name}`: an HTTP request sends nothing or a body"),
    }
}

fn check_call(operation: &Operation) -> Result<()> {
    let name = &operation.name;
    ensure!(
        operation.expect == Expect::Echo,
        "operation `{name}`: a typed call expects an echo; the fixture answers what was sent"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{GenericTarget, RpcTarget, Stop, Text};

    fn refused(scenario: &Scenario) -> String {
        scenario.check().unwrap_err().to_string()
    }

    #[test]
    fn the_default_makes_sense() {
        Scenario::default().check().unwrap();
    }

    #[test]
    fn schedules() {
        let with = |schedule| refused(&Scenario { schedule, ..Scenario::default() });
        assert!(with(Schedule::Closed { in_flight: 0 }).contains("in-flight is 0"));
        let stage = |from, to| Stage { from, to, duration: Duration::from_secs(1) };
        let open = |stages, max_in_flight| with(Schedule::Open { stages, max_in_flight });
        assert!(open(vec![stage(1.0, 1.0)], 0).contains("max-in-flight is 0"));
        assert!(open(vec![], 1).contains("no stage"));
        assert!(open(vec![stage(0.0, 0.0)], 1).contains("zero"));
        for wrong in [-1.0, f64::NAN, f64::INFINITY] {
            let text = open(vec![stage(1.0, 1.0), stage(1.0, wrong)], 1);
            assert!(text.starts_with("stage 2: to is "), "{text}");
        }
        let instant = Stage { duration: Duration::ZERO, ..stage(1.0, 1.0) };
        assert!(open(vec![instant], 1).contains("stage 1: its duration is zero"));
    }

    #[test]
    fn stops() {
        let with = |stop| refused(&Scenario { stop, ..Scenario::default() });
        assert!(with(Stop::never()).contains("no stop is set"));
        assert!(with(Stop { requests: Some(0), ..Stop::never() }).contains("requests is zero"));
        let zero = Some(Duration::ZERO);
        assert!(with(Stop { duration: zero, ..Stop::never() }).contains("duration is zero"));
        for wrong in [0.0, -0.1, f64::NAN] {
            let stop = Stop { interval: Some(wrong), ..Stop::never() };
            assert!(with(stop).contains("such as 0.02"));
        }
    }

    #[test]
    fn operations() {
        let http = |operation| refused(&Scenario { mix: vec![operation], ..Scenario::default() });
        let default = Operation::default;
        assert!(http(Operation { weight: 0, ..default() }).contains("weight 0"));
        assert!(
            http(Operation { expect: Expect::Echo, ..default() }).contains("a GET sends nothing")
        );
        assert!(http(Operation { name: "x".to_owned(), ..default() }).contains("begins with /"));
        assert!(http(Operation { payload: Payload::User, ..default() }).contains("or a body"));
        let huge = Payload::Text { bytes: usize::MAX, text: Text::Ascii };
        assert!(http(Operation { payload: huge, ..default() }).contains("is the most"));
        assert!(refused(&Scenario { mix: vec![], ..Scenario::default() }).contains("mix is empty"));
    }

    #[test]
    fn targets() {
        let with = |target| refused(&Scenario { target, ..Scenario::default() });
        let rpc = Target::Rpc(RpcTarget::default());
        assert!(with(rpc).contains("expects an echo"));
        let none = RpcTarget { connections: 0, ..RpcTarget::default() };
        assert!(with(Target::Rpc(none)).contains("connections is 0"));
        let unnamed = GenericTarget { interface: String::new(), ..GenericTarget::default() };
        assert!(with(Target::Generic(unnamed)).contains("no interface"));
        let timeout = Duration::ZERO;
        assert!(refused(&Scenario { timeout, ..Scenario::default() }).contains("timeout is zero"));
    }
}
