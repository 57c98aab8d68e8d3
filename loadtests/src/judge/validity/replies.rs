//! Whether what came back was what was asked for.

use super::{Check, Rules, percent, reason};
use crate::result::{Cause, Failure, Outcome, Reason, ReasonKind, Run};

pub(super) fn wrong_content(run: &Run) -> Option<Reason> {
    let wrong = run.outcome.failures.iter().find(|failure| failure.cause == Cause::Content)?;
    let Failure { count, first, .. } = wrong;
    if *count == 0 {
        return None;
    }
    reason(
        ReasonKind::WrongContent,
        format!("{count} of {} answers had the wrong content; the first: {}", answered(run), first),
    )
}

/// All causes but wrong content, which has a rule of its own.
pub(super) fn failures(run: &Run, rules: &Rules) -> Option<Reason> {
    let Outcome { failed, ref failures, .. } = run.outcome;
    let wrong: u64 = failures.iter().filter(|f| f.cause == Cause::Content).map(|f| f.count).sum();
    let other = failed.saturating_sub(wrong);
    let calls = answered(run);
    if over(other, calls, rules.failures) {
        let most = failures.iter().filter(|f| f.cause != Cause::Content).max_by_key(|f| f.count);
        let why = most.map_or(String::new(), |f| {
            format!("; most often ({}) {:?}: {}", f.count, f.cause, f.first)
        });
        return reason(
            ReasonKind::Failures,
            format!(
                "{other} of {calls} calls failed ({}, allowed {}){why}",
                percent(other as f64 / calls as f64),
                percent(rules.failures)
            ),
        );
    }
    None
}

pub(super) fn fallbacks(run: &Run, rules: &Rules) -> Option<Reason> {
    let fallbacks = run.outcome.fallbacks;
    let calls = answered(run);
    if !over(fallbacks, calls, rules.fallbacks) {
        return None;
    }
    reason(
        ReasonKind::Fallbacks,
        format!(
            "{fallbacks} of {calls} answers were fallbacks ({}, allowed {}): nobody did the work",
            percent(fallbacks as f64 / calls as f64),
            percent(rules.fallbacks)
        ),
    )
}

pub(super) fn unchecked(run: &Run, rules: &Rules) -> Option<Reason> {
    let checked = Check::of_tool(&run.tool);
    if checked >= rules.check {
        return None;
    }
    let what = |check| match check {
        Check::Nothing => "nothing that is known",
        Check::Status => "the status alone",
        Check::Length => "status and length alone",
        Check::Content => "every byte",
    };
    reason(
        ReasonKind::Unchecked,
        format!(
            "{} checks {} of an answer, and {} is asked for: a wrong answer may be among the {} good",
            run.tool,
            what(checked),
            what(rules.check),
            run.outcome.good
        ),
    )
}

/// Calls that ended. Fallbacks may be counted among the failed or apart.
fn answered(run: &Run) -> u64 {
    let Outcome { good, failed, fallbacks, .. } = run.outcome;
    good + failed.max(fallbacks)
}

/// Whether `count` is a larger share of `calls` than allowed.
fn over(count: u64, calls: u64, allowed: f64) -> bool {
    count > 0 && count as f64 > calls as f64 * allowed
}
