//! The rules of the verdict, one each. A rule that holds says why, in a sentence.

use super::Known;
use crate::judge::evidence::{Evidence, ProcessEvidence};
use crate::judge::validity::{Rules, effort};
use crate::result::{Outcome, Run};
use crate::scenario::Schedule;

/// A machine with less than this share idle is full: ticks and pauses between threads take the rest.
const FULL: f64 = 0.05;
/// A process, or its busiest thread, that ran or was ready for this share of the time is on its limit.
const NEVER_WAITS: f64 = 0.95;
/// Payload at this share of a link fills it: headers and acknowledgements take 5 % of full packets,
/// and more of others.
const WIRE_FULL: f64 = 0.85;
/// A pool with this share of its workers busy on average is full: the rest is the time between jobs.
const POOL_FULL: f64 = 0.9;
/// One that refuses, or lets calls wait, is full at times; with this share busy it is most times.
const POOL_OFTEN_FULL: f64 = 0.5;
/// Refusals that matter: one of a hundred calls.
const REFUSED: f64 = 0.01;
/// Handlers that hold this share of a call's time hold it.
const MOST: f64 = 0.8;
/// A handler that uses less than this of a core waits.
const WAITS: f64 = 0.2;
/// A gain that is more than chance between two runs.
const GAIN: f64 = 0.05;
/// A worker parks once when it has nothing to do. Waits beyond two in a call are for others.
const SWITCHES_PER_CALL: f64 = 2.0;
/// An open schedule was kept when so many of the calls due were answered.
const KEPT: f64 = 0.98;

pub(super) fn nothing_to_go_by(run: &Run, evidence: &Evidence) -> Option<String> {
    if run.outcome.good == 0 || evidence.rate <= 0.0 {
        return Some(format!("no call had a right answer, {} failed", run.outcome.failed));
    }
    let watched = evidence.idle.is_some() || !evidence.processes.is_empty();
    (!watched).then(|| "neither the machine nor a process was watched".to_owned())
}

/// Figures that cannot both be right: none of them is used.
pub(super) fn contradiction(evidence: &Evidence) -> Option<String> {
    let (own, cores) = (evidence.own(), evidence.cores);
    if let Some(idle) = evidence.idle.filter(|idle| own > cores * (1.0 - idle) * 1.5 + 0.5) {
        return Some(format!(
            "the run's processes used {own:.2} cores, and the machine says that {:.2} of {cores} were \
             idle: both cannot be",
            idle * cores
        ));
    }
    let (pool, asked) = (evidence.pool.as_ref()?, evidence.asked_in_flight?);
    (pool.busy_mean > asked * 1.5 + 1.0).then(|| {
        format!(
            "{:.1} handlers were running while this run had at most {asked} calls under way: somebody \
             else calls the provider",
            pool.busy_mean
        )
    })
}

pub(super) fn generator(run: &Run, evidence: &Evidence) -> Option<String> {
    let signs = effort::capacity(&run.outcome, &Rules::default());
    if !signs.is_empty() {
        return Some(format!("the generator could not make more calls: {}", signs.join("; ")));
    }
    // On a full machine everybody waits for a processor; then it is those that are the limit.
    let generator = evidence.process("generator").filter(|_| !is_full(evidence))?;
    never_waits(generator)
        .then(|| format!("the generator could not make more calls: {}", busy_sentence(generator)))
}

pub(super) fn kept_schedule(run: &Run) -> Option<String> {
    let Schedule::Open { .. } = run.scenario.schedule else { return None };
    let Outcome { good, failed, dropped, unfinished, rate, .. } = run.outcome;
    let due = good + failed + dropped + unfinished.count;
    (good as f64 >= due as f64 * KEPT).then(|| {
        format!(
            "the schedule asked for no more: {good} of {due} calls due were answered, {rate:.0}/s"
        )
    })
}

pub(super) fn wire(evidence: &Evidence, known: &Known<'_>) -> Option<String> {
    let link = known.link.filter(|link| *link > 0.0)?;
    let share = evidence.bytes_per_second / link;
    (share >= WIRE_FULL).then(|| {
        format!(
            "{:.0} Mbit/s of payload are {:.0} % of the link's {:.0} Mbit/s; headers take some of the \
             rest",
            evidence.bytes_per_second * 8.0 / 1e6,
            share * 100.0,
            link * 8.0 / 1e6
        )
    })
}

pub(super) fn cpu(evidence: &Evidence) -> Option<String> {
    let servers = evidence.processes.iter().filter(|process| process.name != "generator");
    if let Some(process) = servers.clone().find(|process| never_waits(process)) {
        let interrupted = if process.involuntary >= 1.0 {
            format!("; it was interrupted {:.0} times a second", process.involuntary)
        } else {
            String::new()
        };
        return Some(format!("{}{interrupted}", busy_sentence(process)));
    }
    let own = evidence.own();
    (is_full(evidence) && own >= evidence.others).then(|| {
        format!("no core was left: the run's processes used {own:.2} of {}", evidence.cores)
    })
}

pub(super) fn pool(run: &Run, evidence: &Evidence) -> Option<String> {
    let pool = evidence.pool.as_ref()?;
    let share = pool.busy_mean / (pool.threads.max(1)) as f64;
    let calls = (run.outcome.good + run.outcome.failed).max(1);
    let refuses = pool.rejected as f64 >= calls as f64 * REFUSED;
    let waits = pool.queued_max >= 1.0 && pool.busy_max >= pool.threads as f64;
    if share >= POOL_FULL {
        return Some(format!(
            "the pool was full: {:.0} % of its workers were busy on average",
            share * 100.0
        ));
    }
    if refuses {
        return Some(format!(
            "the pool was full when it refused {} of {calls} calls",
            pool.rejected
        ));
    }
    (waits && share >= POOL_OFTEN_FULL).then(|| {
        format!(
            "the pool was full at times, and up to {:.0} calls waited for a worker",
            pool.queued_max
        )
    })
}

/// A machine that is full of others: what is not full here may only have had no turn.
pub(super) fn disturbed(evidence: &Evidence) -> Option<String> {
    is_full(evidence).then(|| {
        format!(
            "programs outside the run used {:.2} of {} cores and left none: nothing else can be told",
            evidence.others, evidence.cores
        )
    })
}

pub(super) fn lock(run: &Run, evidence: &Evidence, known: &Known<'_>) -> Option<String> {
    let (rate, larger) = no_gain(run, known)?;
    let switches = evidence.process("provider")?.voluntary / evidence.rate;
    (switches >= SWITCHES_PER_CALL).then(|| {
        format!(
            "more calls under way bring nothing ({rate:.0}/s against {larger:.0}/s), nothing is full, \
             and the provider's threads waited {switches:.1} times in each call"
        )
    })
}

pub(super) fn downstream(evidence: &Evidence) -> Option<String> {
    let pool = evidence.pool.as_ref()?;
    let provider = evidence.process("provider")?;
    let share =
        evidence.in_handler.unwrap_or(pool.busy_mean / evidence.in_flight.max(f64::MIN_POSITIVE));
    let cpu = provider.cpu / pool.busy_mean.max(f64::MIN_POSITIVE);
    (share >= MOST && cpu <= WAITS).then(|| {
        format!(
            "handlers held {:.0} % of each call's time and used {cpu:.2} of a core each while they \
             ran: they waited for something else",
            share.min(1.0) * 100.0
        )
    })
}

pub(super) fn more_does_not_help(run: &Run, known: &Known<'_>) -> Option<String> {
    let (rate, larger) = no_gain(run, known)?;
    Some(format!(
        "more calls under way bring nothing ({rate:.0}/s against {larger:.0}/s), yet nothing is full"
    ))
}

pub(super) fn client(evidence: &Evidence) -> Option<String> {
    let asked = evidence.asked_in_flight?;
    // Without the pool, handlers that wait could not be told from callers that do; one caller at a
    // time needs no telling.
    if evidence.pool.is_none() && asked > 1.0 {
        return None;
    }
    evidence.idle.filter(|idle| *idle > FULL)?;
    Some(format!(
        "nothing is full: {asked} callers wait for their answers, and more of them would bring more"
    ))
}

/// Rates of this run and of one with more calls under way that is no faster.
fn no_gain(run: &Run, known: &Known<'_>) -> Option<(f64, f64)> {
    let (rate, larger) = (run.outcome.rate, known.larger?.outcome.rate);
    (larger < rate * (1.0 + GAIN)).then_some((rate, larger))
}

fn is_full(evidence: &Evidence) -> bool {
    evidence.idle.is_some_and(|idle| idle <= FULL)
}

/// Whether a process could not have used more: all the threads that it can use at once ran or were
/// ready to, all the time. Of several threads the busiest one alone says nothing: work is not dealt
/// out evenly while there is little.
fn never_waits(process: &ProcessEvidence) -> bool {
    let all_threads = process.cpu + process.waiting >= process.most * NEVER_WAITS;
    all_threads || (process.most <= 1.0 && process.busiest_thread >= NEVER_WAITS)
}

fn busy_sentence(process: &ProcessEvidence) -> String {
    let ProcessEvidence { name, cpu, waiting, most, .. } = process;
    let threads = if *most == 1.0 { "one thread".to_owned() } else { format!("{most} threads") };
    format!(
        "the {name} works on {threads}, which never had time to wait: it used {cpu:.2} cores and was \
         ready for {waiting:.2} more"
    )
}
