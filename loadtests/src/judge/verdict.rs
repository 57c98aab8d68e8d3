//! What limited a run.
//!
//! The first of these that holds is the verdict. Each comes before those that it would imitate:
//!
//! 1. Nothing to go by, or figures that contradict each other: **unclear**.
//! 2. The **generator** could not make more calls. Whatever else is seen then is its shadow.
//! 3. An open schedule that was kept asked for no more: **client**.
//! 4. The **wire** is full. Its queues look like slow answers.
//! 5. Processors are full, or a process is on all the threads that it has: **cpu**. Before the pool,
//!    since a pool fills up behind a processor, and more workers would not help.
//! 6. The **pool** is full while processors are not.
//! 7. More calls under way are known not to help, and threads wait for one another: **lock**.
//! 8. Handlers run, most of the call's time, without a processor: **downstream**.
//! 9. Nothing is full: **client**. The rate is what so few callers, each waiting for its answer,
//!    can ask for.

mod rules;

use super::evidence::Evidence;
use super::fairness::unfairness;
use super::retransmit::retransmits;
use crate::result::{HostFacts, Limit, Run, Verdict};

/// What is known beside the run itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known<'a> {
    /// Speed of the slowest link on the way, in bytes per second.
    pub link: Option<f64>,
    /// The same load with more calls under way.
    pub larger: Option<&'a Run>,
}

/// What limited `run` on `host`, with the numbers that say so.
#[must_use]
pub fn verdict(run: &Run, host: &HostFacts) -> Verdict {
    verdict_knowing(run, host, &Known::default())
}

/// The same, with what else is known.
#[must_use]
pub fn verdict_knowing(run: &Run, host: &HostFacts, known: &Known<'_>) -> Verdict {
    let evidence = Evidence::of(run, host);
    let (limit, mut because) = decide(run, &evidence, known);
    because.push(evidence.in_flight_sentence());
    because.extend(evidence.pool_sentence());
    because.push(evidence.cpu_sentence());
    because.extend(evidence.wire_sentence());
    because
        .extend(run.outcome.connect.as_ref().and_then(retransmits).map(|found| found.sentence()));
    // Callers of an open schedule are taken on as they are needed: they are not equals.
    if evidence.asked_in_flight.is_some() {
        because.extend(unfairness(&run.outcome.per_worker, "callers"));
    }
    Verdict { limit, because }
}

fn decide(run: &Run, evidence: &Evidence, known: &Known<'_>) -> (Limit, Vec<String>) {
    let in_order = [
        (Limit::Unclear, rules::nothing_to_go_by(run, evidence)),
        (Limit::Unclear, rules::contradiction(evidence)),
        (Limit::Generator, rules::generator(run, evidence)),
        (Limit::Client, rules::kept_schedule(run)),
        (Limit::Wire, rules::wire(evidence, known)),
        (Limit::Cpu, rules::cpu(evidence)),
        (Limit::Pool, rules::pool(run, evidence)),
        (Limit::Unclear, rules::disturbed(evidence)),
        (Limit::Lock, rules::lock(run, evidence, known)),
        (Limit::Downstream, rules::downstream(evidence)),
        (Limit::Unclear, rules::more_does_not_help(run, known)),
        (Limit::Client, rules::client(evidence)),
    ];
    let first = in_order.into_iter().find_map(|(limit, why)| Some((limit, vec![why?])));
    first.unwrap_or_else(|| {
        let why = "nothing was full, and handlers were not seen to wait: the pool was not watched";
        (Limit::Unclear, vec![why.to_owned()])
    })
}

#[cfg(test)]
mod tests;
