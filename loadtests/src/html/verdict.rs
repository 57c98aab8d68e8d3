//! Whether a run counts and what limited it, as words.

use super::markup::{Text, both, list, text};
use super::texts;
use crate::result::{Cause, Limit, ReasonKind, Validity, Verdict};

/// `valid`, or INVALID with the reasons.
pub(super) fn validity(validity: &Validity) -> String {
    match validity {
        Validity::Valid => format!(r#"<span class="badge good">{}</span>"#, both(texts::VALID)),
        Validity::Invalid { reasons } => {
            let kinds: Vec<String> = reasons.iter().map(|reason| both(kind(reason.kind))).collect();
            let badge = format!(r#"<span class="badge bad">{}</span>"#, both(texts::INVALID));
            let sentences = list(reasons.iter().map(|reason| reason.text.as_str()));
            format!(r#"{badge} <span class="kinds">{}</span>{sentences}"#, kinds.join(", "))
        }
    }
}

/// What limited a run, and the numbers that say so.
pub(super) fn verdict(verdict: &Verdict) -> String {
    let badge = format!(r#"<span class="badge limit">{}</span>"#, both(limit(verdict.limit)));
    let mut because = verdict.because.iter().map(String::as_str);
    let first = because.next().map(text).unwrap_or_default();
    let rest = list(because);
    if rest.is_empty() {
        format!("<p>{badge} {first}</p>")
    } else {
        format!("<details><summary>{badge} {first}</summary>{rest}</details>")
    }
}

fn limit(limit: Limit) -> Text {
    match limit {
        Limit::Client => texts::LIMIT_CLIENT,
        Limit::Pool => texts::LIMIT_POOL,
        Limit::Cpu => texts::LIMIT_CPU,
        Limit::Wire => texts::LIMIT_WIRE,
        Limit::Lock => texts::LIMIT_LOCK,
        Limit::Downstream => texts::LIMIT_DOWNSTREAM,
        Limit::Generator => texts::LIMIT_GENERATOR,
        Limit::Unclear => texts::LIMIT_UNCLEAR,
    }
}

fn kind(kind: ReasonKind) -> Text {
    match kind {
        ReasonKind::WrongContent => texts::REASON_WRONG_CONTENT,
        ReasonKind::Failures => texts::REASON_FAILURES,
        ReasonKind::Fallbacks => texts::REASON_FALLBACKS,
        ReasonKind::NoOverlap => texts::REASON_NO_OVERLAP,
        ReasonKind::Generator => texts::REASON_GENERATOR,
        ReasonKind::WideInterval => texts::REASON_WIDE_INTERVAL,
        ReasonKind::BusyMachine => texts::REASON_BUSY_MACHINE,
        ReasonKind::TooShort => texts::REASON_TOO_SHORT,
        ReasonKind::Partial => texts::REASON_PARTIAL,
        ReasonKind::Unchecked => texts::REASON_UNCHECKED,
        ReasonKind::Unavailable => texts::REASON_UNAVAILABLE,
    }
}

/// Why calls failed.
pub(super) fn cause(cause: Cause) -> Text {
    match cause {
        Cause::Connect => texts::CAUSE_CONNECT,
        Cause::Reset => texts::CAUSE_RESET,
        Cause::Timeout => texts::CAUSE_TIMEOUT,
        Cause::Overloaded => texts::CAUSE_OVERLOADED,
        Cause::Status => texts::CAUSE_STATUS,
        Cause::Content => texts::CAUSE_CONTENT,
        Cause::Other => texts::CAUSE_OTHER,
    }
}
