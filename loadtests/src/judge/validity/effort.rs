//! Whether the run was a fair try: long enough, by a generator that could do more, on a machine that
//! had nothing else to do.

use super::{Rules, percent, reason};
use crate::result::{GeneratorUse, Outcome, Reason, ReasonKind, Run};
use crate::scenario::Stop;

/// A run may stop so much before its time: the last answers are not waited for.
const EARLY: f64 = 0.95;

/// A run is whole when one of the things that stop it has come about.
pub(super) fn cut_short(run: &Run) -> Option<Reason> {
    let Stop { requests, duration, interval } = &run.scenario.stop;
    let Outcome { seconds, good, failed, .. } = run.outcome;
    let asked = duration.map(|duration| duration.as_secs_f64());
    let long_enough = asked.is_some_and(|asked| seconds >= asked * EARLY);
    let many_enough = requests.is_some_and(|requests| good + failed >= requests);
    let narrow_enough = interval
        .is_some_and(|wanted| half_width(&run.outcome).is_some_and(|width| width <= wanted));
    let nothing_asked = asked.is_none() && requests.is_none() && interval.is_none();
    if long_enough || many_enough || narrow_enough || nothing_asked {
        return None;
    }
    let limits = [
        asked.map(|asked| format!("{asked} s")),
        requests.map(|requests| format!("{requests} calls")),
        interval.map(|wanted| format!("an interval of ±{}", percent(wanted))),
    ];
    let limits: Vec<String> = limits.into_iter().flatten().collect();
    reason(
        ReasonKind::Partial,
        format!(
            "it was cut short after {seconds:.1} s and {} calls, before {}",
            good + failed,
            limits.join(" or ")
        ),
    )
}

pub(super) fn too_short(run: &Run, rules: &Rules) -> Option<Reason> {
    let Outcome { seconds, good, .. } = run.outcome;
    if seconds >= rules.seconds && good >= rules.calls {
        return None;
    }
    reason(
        ReasonKind::TooShort,
        format!(
            "{good} right answers in {seconds:.2} s say little: at least {} in {} s are asked for",
            rules.calls, rules.seconds
        ),
    )
}

/// Whether the generator was the limit. All signs are told at once.
pub(super) fn generator(run: &Run, rules: &Rules) -> Option<Reason> {
    let outcome = &run.outcome;
    let calls = outcome.good + outcome.failed;
    let mut signs = capacity(outcome, rules);
    signs.extend(lag(outcome, rules));
    signs.extend(off_schedule(outcome.late, calls, rules.late, "made late"));
    let due = calls + outcome.dropped;
    signs.extend(off_schedule(outcome.dropped, due, rules.dropped, "not made"));
    (!signs.is_empty()).then(|| Reason {
        kind: ReasonKind::Generator,
        text: format!("the generator did not do what was asked: {}", signs.join("; ")),
    })
}

/// Signs that the generator could not have made more calls.
pub(in crate::judge) fn capacity(outcome: &Outcome, rules: &Rules) -> Vec<String> {
    let GeneratorUse { cpu_seconds, threads, ceiling, .. } = outcome.generator;
    let calls = outcome.good + outcome.failed;
    let mut signs = Vec::new();
    let most = threads as f64 * outcome.seconds;
    if most > 0.0 && cpu_seconds >= most * rules.generator_cpu {
        signs.push(format!(
            "it used {cpu_seconds:.2} of the {most:.2} processor seconds that {threads} threads have"
        ));
    }
    if let Some(ceiling) = ceiling.filter(|ceiling| *ceiling > 0.0 && outcome.seconds > 0.0) {
        let rate = calls as f64 / outcome.seconds;
        if rate >= ceiling * rules.generator_ceiling {
            signs.push(format!(
                "{rate:.0} calls/s are {} of the {ceiling:.0}/s that it makes against nothing",
                percent(rate / ceiling)
            ));
        }
    }
    signs
}

fn lag(outcome: &Outcome, rules: &Rules) -> Option<String> {
    let (lag, p99) = (outcome.generator.lag_p99_ms, outcome.response.p99);
    let allowed = rules.lag_ms.max(p99 * rules.lag);
    (lag > allowed).then(|| {
        format!(
            "its clock woke it {lag:.1} ms late (99 of 100), where {allowed:.1} ms are allowed beside \
             a p99 of {p99:.1} ms"
        )
    })
}

fn off_schedule(count: u64, calls: u64, allowed: f64, what: &str) -> Option<String> {
    (count > 0 && count as f64 > calls as f64 * allowed).then(|| {
        format!(
            "{count} of {calls} calls were {what} ({}, allowed {})",
            percent(count as f64 / calls as f64),
            percent(allowed)
        )
    })
}

/// An interval that reaches down to nothing says nothing, whatever the rules.
pub(super) fn wide_interval(run: &Run, rules: &Rules) -> Option<Reason> {
    let outcome = &run.outcome;
    let Some(width) = half_width(outcome) else {
        let wanted = rules.interval?;
        return reason(
            ReasonKind::WideInterval,
            format!(
                "the rate's interval is not known from {:.1} s, and ±{} is asked for",
                outcome.seconds,
                percent(wanted)
            ),
        );
    };
    let allowed = rules.interval.unwrap_or(1.0).min(1.0);
    if width < allowed || (width == allowed && width < 1.0) {
        return None;
    }
    reason(
        ReasonKind::WideInterval,
        format!(
            "the rate is {:.0}/s ± {}, wider than ±{}: more or longer runs are needed",
            outcome.rate,
            percent(width),
            percent(allowed)
        ),
    )
}

pub(super) fn busy_machine(run: &Run, rules: &Rules) -> Option<Reason> {
    let host = run.host.as_ref()?;
    let cores = host.cores.len() as f64;
    if host.others <= cores * rules.others {
        return None;
    }
    reason(
        ReasonKind::BusyMachine,
        format!(
            "other programs used {:.2} of {cores} cores ({}, allowed {})",
            host.others,
            percent(host.others / cores),
            percent(rules.others)
        ),
    )
}

/// Half of the rate's interval, as a share of the rate.
fn half_width(outcome: &Outcome) -> Option<f64> {
    let interval = outcome.rate_interval.as_ref()?;
    (outcome.rate > 0.0).then(|| (interval.high - interval.low) / 2.0 / outcome.rate)
}
