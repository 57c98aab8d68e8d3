//! Which run stands against which, and which must not.

use super::LeftOut;
use crate::result::{Run, Validity};
use crate::scenario::{Operation, Payload, Schedule, Target};

/// How runs find each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matching {
    /// By their names; of equal names the first with the first, the second with the second.
    Names,
    /// The first with the first, whatever they are called.
    OneToOne,
}

/// Who stands against whom.
pub(super) struct Matched<'a> {
    pub(super) pairs: Vec<(&'a Run, &'a Run)>,
    pub(super) left_out: Vec<LeftOut>,
}

pub(super) fn pairs<'a>(base: &'a [Run], other: &'a [Run], matching: Matching) -> Matched<'a> {
    let mut free: Vec<Option<&Run>> = other.iter().map(Some).collect();
    let mut matched = Matched { pairs: Vec::new(), left_out: Vec::new() };
    for (n, run) in base.iter().enumerate() {
        let place = match matching {
            Matching::OneToOne => (n < free.len()).then_some(n),
            Matching::Names => free.iter().position(|it| it.is_some_and(|it| same_name(run, it))),
        };
        match place.and_then(|place| free[place].take()) {
            Some(partner) => matched.pair(run, partner),
            None => matched.leave_out(run, "there is no such run in the second result"),
        }
    }
    for run in free.into_iter().flatten() {
        matched.leave_out(run, "there is no such run in the first result");
    }
    matched
}

impl<'a> Matched<'a> {
    fn pair(&mut self, base: &'a Run, other: &'a Run) {
        match (why_invalid(base), why_invalid(other)) {
            (None, None) => self.pairs.push((base, other)),
            (Some(reason), _) => {
                self.leave_out(base, &format!("INVALID in the first result: {reason}"));
            }
            (_, Some(reason)) => {
                self.leave_out(base, &format!("INVALID in the second result: {reason}"));
            }
        }
    }

    fn leave_out(&mut self, run: &Run, reason: &str) {
        self.left_out.push(LeftOut { name: run.name.clone(), reason: reason.to_owned() });
    }
}

fn same_name(one: &Run, other: &Run) -> bool {
    one.name == other.name
        || (!one.scenario.name.is_empty() && one.scenario.name == other.scenario.name)
}

fn why_invalid(run: &Run) -> Option<String> {
    match &run.validity {
        Validity::Valid => None,
        Validity::Invalid { reasons } => {
            let texts: Vec<&str> = reasons.iter().map(|reason| reason.text.as_str()).collect();
            Some(texts.join("; "))
        }
    }
}

/// What forbids to compare the two, a sentence each.
pub(super) fn refusals(base: &Run, other: &Run) -> Vec<String> {
    let mut refusals = Vec::new();
    let (one, two) = (&base.scenario, &other.scenario);
    let mut check = |what: &str, one: String, two: String| {
        if one != two {
            refusals.push(format!("{what}: {one}, then {two}"));
        }
    };
    check("target", kind(&one.target).to_owned(), kind(&two.target).to_owned());
    if let (Some(one), Some(two)) = (kept(&one.target), kept(&two.target)) {
        check("connections", one.to_owned(), two.to_owned());
    }
    if let (Some(one), Some(two)) = (place(&one.target), place(&two.target)) {
        check("network", one.to_owned(), two.to_owned());
    }
    check("load", schedule(&one.schedule), schedule(&two.schedule));
    let told = |mix: &[Operation], with: bool| {
        mix.iter().map(|it| operation(it, with)).collect::<Vec<_>>().join(", ")
    };
    // JMH does not tell what its methods send.
    let with = payloads_are_told(base) && payloads_are_told(other);
    check("calls", told(&one.mix, with), told(&two.mix, with));
    refusals
}

/// What else is not the same, a sentence each.
pub(super) fn notes(base: &Run, other: &Run) -> Vec<String> {
    let mut notes = Vec::new();
    let mut check = |what: &str, one: String, two: String| {
        if one != two {
            notes.push(format!("{what}: {one}, then {two}"));
        }
    };
    let tool = |run: &Run| format!("{} {}", run.tool, run.tool_version).trim_end().to_owned();
    check("tool", tool(base), tool(other));
    let settings = |run: &Run| match run.settings.join(", ") {
        none if none.is_empty() => "none".to_owned(),
        settings => settings,
    };
    check("settings", settings(base), settings(other));
    let client = |run: &Run| match &run.scenario.target {
        Target::Rpc(it) => format!(
            "serialization `{}`, {} connections{}",
            it.serialization,
            it.connections,
            if it.client_per_worker { ", a client each" } else { "" }
        ),
        Target::Generic(it) => format!("{} of {}", it.interface, it.version),
        Target::Http(_) | Target::Null => String::new(),
    };
    check("client", client(base), client(other));
    notes
}

fn kind(target: &Target) -> &'static str {
    match target {
        Target::Http(_) => "HTTP",
        Target::Rpc(_) => "RPC",
        Target::Generic(_) => "generic calls",
        Target::Null => "nothing",
    }
}

fn kept(target: &Target) -> Option<&'static str> {
    match target {
        Target::Http(http) if http.url.is_empty() => None,
        Target::Http(http) => {
            Some(if http.keep_alive { "kept alive" } else { "a new one for each request" })
        }
        _ => None,
    }
}

/// Whether the way goes over a network. `None` where the tool does not tell the address.
fn place(target: &Target) -> Option<&'static str> {
    let url = match target {
        Target::Http(http) => &http.url,
        Target::Rpc(rpc) => &rpc.url,
        Target::Generic(generic) => &generic.url,
        Target::Null => return None,
    };
    let authority = url.split("://").nth(1)?.split('/').next()?;
    let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
    let local = host == "localhost" || host.starts_with("127.") || host == "[::1]";
    Some(if local { "this machine alone (loopback)" } else { "an address of a network" })
}

fn schedule(schedule: &Schedule) -> String {
    match schedule {
        Schedule::Closed { in_flight } => format!("{in_flight} calls in flight"),
        Schedule::Open { stages, .. } => {
            let stage = |stage: &crate::scenario::Stage| {
                format!("{} to {} calls/s for {:?}", stage.from, stage.to, stage.duration)
            };
            stages.iter().map(stage).collect::<Vec<_>>().join(", ")
        }
    }
}

fn operation(operation: &Operation, with_payload: bool) -> String {
    let name = &operation.name;
    let weight =
        if operation.weight == 1 { String::new() } else { format!(" x{}", operation.weight) };
    match &operation.payload {
        Payload::Text { bytes, text } if with_payload => {
            format!("{name}{weight} with {bytes} bytes of {text:?}")
        }
        Payload::Users { count } if with_payload => format!("{name}{weight} with {count} users"),
        Payload::Body { body, .. } if with_payload => {
            format!("{name}{weight} with a body of {} bytes", body.len())
        }
        Payload::Arguments { json, .. } if with_payload => format!("{name}{weight} with {json}"),
        _ => format!("{name}{weight}"),
    }
}

fn payloads_are_told(run: &Run) -> bool {
    let untold = |it: &Operation| it.payload == Payload::None;
    !matches!(run.scenario.target, Target::Rpc(_)) || !run.scenario.mix.iter().any(untold)
}
