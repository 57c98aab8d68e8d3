//! A scenario from flags.

use std::time::Duration;

use anyhow::{Result, bail};
use clap::ValueEnum;

use crate::scenario::{
    Expect, GenericTarget, HttpTarget, Operation, Payload, RpcTarget, Scenario, Schedule, Stage,
    Stop, Target, Text,
};

/// Flags that describe a scenario. What is not said stays as the file, or the default, has it.
#[derive(Debug, clap::Args)]
pub(super) struct ScenarioArgs {
    /// What answers: by default the consumer, over HTTP.
    #[arg(long, value_enum)]
    target: Option<Kind>,
    /// Its address: http://host:port, dubbo://host:port, or a registry's for rpc and generic.
    /// Without it the command starts a stack of its own.
    #[arg(long)]
    url: Option<String>,
    /// What is called: a path over HTTP, a method such as StressString1k by rpc and generic.
    #[arg(long, value_name = "NAME")]
    operation: Option<String>,
    /// Calls under way; over HTTP the connections.
    #[arg(short = 'c', long, value_name = "N")]
    in_flight: Option<usize>,
    /// An even rate instead, in calls per second; latency then counts from when a call was due.
    #[arg(long, value_name = "PER_SECOND", conflicts_with_all = ["in_flight", "stage"])]
    rate: Option<f64>,
    /// A part of an open schedule, FROM:TO:DURATION, such as 100:1000:10s. Several follow each other.
    #[arg(long, value_name = "STAGE", conflicts_with = "in_flight", value_parser = stage)]
    stage: Vec<Stage>,
    /// Most calls under way of an open schedule; those due beyond it are dropped, and counted.
    #[arg(long, value_name = "N")]
    max_in_flight: Option<usize>,
    /// Ends after so many calls.
    #[arg(short = 'n', long, value_name = "N")]
    requests: Option<u64>,
    /// Ends after so long, such as 10s.
    #[arg(short = 't', long, value_name = "DURATION", value_parser = humantime::parse_duration)]
    duration: Option<Duration>,
    /// Ends when the 95 % interval of the rate is within so much, such as 0.02 for 2 %.
    #[arg(long, value_name = "SHARE")]
    interval: Option<f64>,
    /// Load before that is not counted.
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration)]
    warm_up: Option<Duration>,
    /// A call without an answer for so long has failed.
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration)]
    timeout: Option<Duration>,
    /// HTTP: use connections again, as ab -k does. Without --keep-alive=false they are.
    #[arg(short = 'k', long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    keep_alive: Option<bool>,
    /// Rpc: hessian2, msgpack, json or raw; the provider's own if not said.
    #[arg(long)]
    serialization: Option<String>,
    /// Rpc and generic: connections to each provider.
    #[arg(long, value_name = "N")]
    connections: Option<usize>,
    /// Rpc: every caller has a client, and so connections, of its own.
    #[arg(long)]
    client_per_worker: bool,
    /// Rpc: replies tell how long the call was in the provider's queue and in its handler.
    #[arg(long)]
    stage_times: bool,
    /// Generic: the Java interface.
    #[arg(long)]
    interface: Option<String>,
    /// Generic: its version.
    #[arg(long)]
    service_version: Option<String>,
    /// Generic: its group.
    #[arg(long)]
    group: Option<String>,
    /// Generic: Java names of the parameters' types, such as java.lang.String,int.
    #[arg(long, value_delimiter = ',', requires = "arguments")]
    types: Vec<String>,
    /// Generic: the arguments, a JSON array.
    #[arg(long, value_name = "JSON")]
    arguments: Option<String>,
    /// Rpc: bytes of the string that is sent.
    #[arg(long, value_name = "N")]
    bytes: Option<usize>,
    /// Rpc: of which characters.
    #[arg(long, value_enum)]
    text: Option<Characters>,
    /// HTTP: the body of a POST.
    #[arg(long, value_name = "TEXT")]
    body: Option<String>,
    /// HTTP: its content type.
    #[arg(short = 'T', long, value_name = "TYPE", default_value = "application/json")]
    content_type: String,
    /// A right answer: the body over HTTP, JSON of a generic call. By rpc it is what was sent.
    #[arg(long, value_name = "TEXT")]
    expect: Option<String>,
    /// HTTP: a right answer is any body of this length.
    #[arg(long, value_name = "BYTES", conflicts_with = "expect")]
    expect_length: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// An HTTP server, such as the consumer.
    Http,
    /// A provider of the stress service, by our client.
    Rpc,
    /// Any provider, Java's among them, by generic calls.
    Generic,
    /// Nothing: what the generator itself can do.
    Null,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Characters {
    Ascii,
    Cjk,
    Emoji,
}

/// Where an even rate without `-t` ends.
const DEFAULT_DURATION: Duration = Duration::from_secs(3);
/// Calls under way of an open schedule, unless said.
const MAX_IN_FLIGHT: usize = 1000;

impl ScenarioArgs {
    /// The address, if it was said.
    pub(super) fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// Calls under way, if they were said.
    pub(super) fn in_flight(&self) -> Option<usize> {
        self.in_flight
    }

    /// `scenario`, changed as the flags say.
    ///
    /// # Errors
    /// When a flag does not go with the target.
    pub(super) fn applied_to(&self, mut scenario: Scenario) -> Result<Scenario> {
        if let Some(kind) = self.target {
            kind.apply(&mut scenario);
        }
        self.target(&mut scenario.target)?;
        self.operation(&mut scenario)?;
        self.schedule(&mut scenario);
        self.stop(&mut scenario.stop);
        scenario.warm_up = self.warm_up.unwrap_or(scenario.warm_up);
        scenario.timeout = self.timeout.unwrap_or(scenario.timeout);
        Ok(scenario)
    }

    fn target(&self, target: &mut Target) -> Result<()> {
        let (kind, allowed): (_, &[&str]) = match target {
            Target::Http(http) => {
                set(&mut http.url, self.url.as_ref());
                http.keep_alive = self.keep_alive.unwrap_or(http.keep_alive);
                ("http", &["url", "keep-alive"])
            }
            Target::Rpc(rpc) => {
                set(&mut rpc.url, self.url.as_ref());
                set(&mut rpc.serialization, self.serialization.as_ref());
                rpc.connections = self.connections.unwrap_or(rpc.connections);
                rpc.client_per_worker |= self.client_per_worker;
                rpc.stage_times |= self.stage_times;
                let allowed =
                    &["url", "serialization", "connections", "client-per-worker", "stage-times"];
                ("rpc", allowed)
            }
            Target::Generic(generic) => {
                set(&mut generic.url, self.url.as_ref());
                set(&mut generic.interface, self.interface.as_ref());
                set(&mut generic.version, self.service_version.as_ref());
                set(&mut generic.group, self.group.as_ref());
                generic.connections = self.connections.unwrap_or(generic.connections);
                ("generic", &["url", "connections", "interface", "service-version", "group"])
            }
            Target::Null => ("null", &[]),
        };
        match self.said().into_iter().find(|name| !allowed.contains(name)) {
            Some(name) => bail!("--{name} does not go with --target {kind}"),
            None => Ok(()),
        }
    }

    /// Flags of a target that were said.
    fn said(&self) -> Vec<&'static str> {
        let flags = [
            ("url", self.url.is_some()),
            ("keep-alive", self.keep_alive.is_some()),
            ("serialization", self.serialization.is_some()),
            ("connections", self.connections.is_some()),
            ("client-per-worker", self.client_per_worker),
            ("stage-times", self.stage_times),
            ("interface", self.interface.is_some()),
            ("service-version", self.service_version.is_some()),
            ("group", self.group.is_some()),
        ];
        flags.into_iter().filter(|(_, said)| *said).map(|(name, _)| name).collect()
    }

    fn operation(&self, scenario: &mut Scenario) -> Result<()> {
        let Some(payload) = self.payload(scenario) else {
            return self.name_and_expect(scenario);
        };
        let [operation] = &mut scenario.mix[..] else {
            bail!("the file's mix has several operations; flags can change only a single one");
        };
        operation.payload = payload;
        self.name_and_expect(scenario)
    }

    fn name_and_expect(&self, scenario: &mut Scenario) -> Result<()> {
        let expect = match (&self.expect, self.expect_length) {
            (Some(body), _) => Some(Expect::Body { body: body.clone() }),
            (None, Some(bytes)) => Some(Expect::Length { bytes }),
            (None, None) => None,
        };
        if self.operation.is_none() && expect.is_none() {
            return Ok(());
        }
        let [operation] = &mut scenario.mix[..] else {
            bail!("the file's mix has several operations; flags can change only a single one");
        };
        set(&mut operation.name, self.operation.as_ref());
        operation.expect = expect.unwrap_or_else(|| operation.expect.clone());
        Ok(())
    }

    fn payload(&self, scenario: &Scenario) -> Option<Payload> {
        if let Some(json) = &self.arguments {
            return Some(Payload::Arguments { types: self.types.clone(), json: json.clone() });
        }
        if let Some(body) = &self.body {
            let content_type = self.content_type.clone();
            return Some(Payload::Body { content_type, body: body.clone() });
        }
        if self.bytes.is_none() && self.text.is_none() {
            return None;
        }
        let (bytes, text) = match scenario.mix.first().map(|operation| &operation.payload) {
            Some(Payload::Text { bytes, text }) => (*bytes, *text),
            _ => (1024, Text::Ascii),
        };
        let text = self.text.map_or(text, |text| match text {
            Characters::Ascii => Text::Ascii,
            Characters::Cjk => Text::Cjk,
            Characters::Emoji => Text::Emoji,
        });
        Some(Payload::Text { bytes: self.bytes.unwrap_or(bytes), text })
    }

    fn schedule(&self, scenario: &mut Scenario) {
        if let Some(in_flight) = self.in_flight {
            scenario.schedule = Schedule::Closed { in_flight };
        }
        let mut stages = self.stage.clone();
        if let Some(rate) = self.rate {
            let duration = self.duration.unwrap_or(DEFAULT_DURATION);
            stages.push(Stage { from: rate, to: rate, duration });
        }
        if !stages.is_empty() {
            if self.duration.is_none() {
                // The last stage ends it.
                scenario.stop.duration = Some(stages.iter().map(|stage| stage.duration).sum());
            }
            let max_in_flight = MAX_IN_FLIGHT;
            scenario.schedule = Schedule::Open { stages, max_in_flight };
        }
        if let (Schedule::Open { max_in_flight, .. }, Some(most)) =
            (&mut scenario.schedule, self.max_in_flight)
        {
            *max_in_flight = most;
        }
    }

    fn stop(&self, stop: &mut Stop) {
        if self.requests.is_some() || self.interval.is_some() {
            // A number of calls, or a narrow interval, takes as long as it takes.
            stop.duration = None;
        }
        stop.requests = self.requests.or(stop.requests);
        stop.interval = self.interval.or(stop.interval);
        stop.duration = self.duration.or(stop.duration);
    }
}

impl Kind {
    /// Another target, with an operation that it knows.
    fn apply(self, scenario: &mut Scenario) {
        let kilobyte = Payload::Text { bytes: 1024, text: Text::Ascii };
        let method = "StressString1k".to_owned();
        let (target, operation) = match self {
            Kind::Http => (Target::Http(HttpTarget::default()), Operation::default()),
            Kind::Rpc => (
                Target::Rpc(RpcTarget::default()),
                Operation { name: method, weight: 1, payload: kilobyte, expect: Expect::Echo },
            ),
            Kind::Generic => (
                Target::Generic(GenericTarget::default()),
                Operation {
                    name: method,
                    weight: 1,
                    payload: Payload::Arguments {
                        types: vec!["java.lang.String".to_owned()],
                        json: "[\"x\"]".to_owned(),
                    },
                    expect: Expect::Body { body: "\"x\"".to_owned() },
                },
            ),
            Kind::Null => (Target::Null, Operation::default()),
        };
        if std::mem::discriminant(&scenario.target) != std::mem::discriminant(&target) {
            scenario.target = target;
            scenario.mix = vec![operation];
        }
    }
}

fn set(place: &mut String, value: Option<&String>) {
    if let Some(value) = value {
        place.clone_from(value);
    }
}

/// `FROM:TO:DURATION`
fn stage(text: &str) -> Result<Stage, String> {
    let wrong = || format!("`{text}` is no stage; write FROM:TO:DURATION, such as 100:1000:10s");
    let mut parts = text.splitn(3, ':');
    let mut next = || parts.next().ok_or_else(wrong);
    let (from, to, duration) = (next()?, next()?, next()?);
    let rate =
        |text: &str| text.parse::<f64>().ok().filter(|rate| rate.is_finite() && *rate >= 0.0);
    Ok(Stage {
        from: rate(from).ok_or_else(wrong)?,
        to: rate(to).ok_or_else(wrong)?,
        duration: humantime::parse_duration(duration).map_err(|_| wrong())?,
    })
}
