//! A condition on a result: `p99<5`.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use crate::result::Outcome;

/// A figure of a run, and what it is held against.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Threshold {
    figure: Figure,
    relation: Relation,
    value: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Figure {
    Rate,
    Mean,
    P50,
    P90,
    P95,
    P99,
    P999,
    Max,
    Failed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    Less,
    AtMost,
    More,
    AtLeast,
}

const FIGURES: [(&str, Figure); 9] = [
    ("rate", Figure::Rate),
    ("mean", Figure::Mean),
    ("p50", Figure::P50),
    ("p90", Figure::P90),
    ("p95", Figure::P95),
    ("p999", Figure::P999),
    ("p99", Figure::P99),
    ("max", Figure::Max),
    ("failed", Figure::Failed),
];

/// Longer ones first: `<=` begins as `<` does.
const RELATIONS: [(&str, Relation); 4] = [
    ("<=", Relation::AtMost),
    (">=", Relation::AtLeast),
    ("<", Relation::Less),
    (">", Relation::More),
];

impl Threshold {
    pub(super) fn holds(&self, outcome: &Outcome) -> bool {
        let measured = self.measured(outcome);
        match self.relation {
            Relation::Less => measured < self.value,
            Relation::AtMost => measured <= self.value,
            Relation::More => measured > self.value,
            Relation::AtLeast => measured >= self.value,
        }
    }

    /// The figure of a run: 1/s, ms, or a count.
    pub(super) fn measured(&self, outcome: &Outcome) -> f64 {
        let response = &outcome.response;
        match self.figure {
            Figure::Rate => outcome.rate,
            Figure::Mean => response.mean,
            Figure::P50 => response.p50,
            Figure::P90 => response.p90,
            Figure::P95 => response.p95,
            Figure::P99 => response.p99,
            Figure::P999 => response.p999,
            Figure::Max => response.max,
            Figure::Failed => outcome.failed as f64,
        }
    }
}

impl FromStr for Threshold {
    type Err = String;

    fn from_str(text: &str) -> Result<Threshold, String> {
        let wrong = || {
            let figures: Vec<&str> = FIGURES.iter().map(|(name, _)| *name).collect();
            format!(
                "`{text}` is no condition; write a figure ({}), one of < <= > >=, and a number",
                figures.join(", ")
            )
        };
        let (sign, relation) =
            *RELATIONS.iter().find(|(sign, _)| text.contains(sign)).ok_or_else(wrong)?;
        let (name, value) = text.split_once(sign).ok_or_else(wrong)?;
        let (_, figure) =
            *FIGURES.iter().find(|(known, _)| *known == name.trim()).ok_or_else(wrong)?;
        let value = value.trim().parse::<f64>().ok().filter(|value| value.is_finite());
        Ok(Threshold { figure, relation, value: value.ok_or_else(wrong)? })
    }
}

impl Display for Threshold {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let figure = FIGURES.iter().find(|(_, figure)| *figure == self.figure);
        let relation = RELATIONS.iter().find(|(_, relation)| *relation == self.relation);
        let (figure, relation) =
            (figure.map_or("", |(name, _)| name), relation.map_or("", |it| it.0));
        write!(f, "{figure}{relation}{}", self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::Latency;

    #[test]
    fn conditions_are_read_and_held_against_a_run() {
        let response = Latency { p99: 5.0, ..Latency::default() };
        let outcome = Outcome { rate: 1000.0, response, ..Outcome::default() };
        for (text, holds) in
            [("p99<5", false), ("p99<=5", true), ("rate >= 1000", true), ("rate>1000", false)]
        {
            let threshold: Threshold = text.parse().unwrap();
            assert_eq!(threshold.holds(&outcome), holds, "{text}");
            assert_eq!(threshold.to_string(), text.replace(' ', ""));
        }
    }

    #[test]
    fn what_is_no_condition_says_what_one_is() {
        for text in ["", "p99", "p99<", "p42<1", "p99<NaN", "p99=1", "<5"] {
            let error = text.parse::<Threshold>().unwrap_err();
            assert!(error.contains("write a figure (rate, "), "{text}: {error}");
        }
    }
}
