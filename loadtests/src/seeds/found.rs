//! What was found for a row.

use crate::result::{Figure, Interval, Reason, ReasonKind, Validity};

/// What was measured for a row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// The figures.
    pub figures: Vec<Figure>,
    /// Their runs.
    pub runs: Vec<usize>,
    /// Whether they count.
    pub validity: Validity,
    /// What they say: sentences.
    pub notes: Vec<String>,
    /// What is not the same as in the study, beyond what every row has.
    pub differs: Vec<String>,
}

impl Found {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Found {
        Found::default()
    }

    /// Adds a figure.
    #[must_use]
    pub fn figure(mut self, name: &str, unit: &str, value: f64) -> Found {
        if value.is_finite() {
            self.figures.push(figure(name, unit, value, None));
        }
        self
    }

    /// Adds a figure that is known to lie in an interval.
    #[must_use]
    pub fn within(mut self, name: &str, unit: &str, value: f64, interval: Interval) -> Found {
        if value.is_finite() {
            self.figures.push(figure(name, unit, value, Some(interval)));
        }
        self
    }

    /// Adds figures.
    #[must_use]
    pub fn figures(mut self, figures: impl IntoIterator<Item = Figure>) -> Found {
        self.figures.extend(figures);
        self
    }

    /// Adds runs.
    #[must_use]
    pub fn runs(mut self, runs: impl IntoIterator<Item = usize>) -> Found {
        self.runs.extend(runs);
        self
    }

    /// Adds a sentence.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Found {
        self.notes.push(note.into());
        self
    }

    /// Says what is not the same.
    #[must_use]
    pub fn differs(mut self, what: impl Into<String>) -> Found {
        self.differs.push(what.into());
        self
    }

    /// Takes over why something it rests on does not count.
    #[must_use]
    pub fn rests_on(mut self, validity: &Validity) -> Found {
        if let Validity::Invalid { reasons } = validity {
            for reason in reasons {
                self = self.invalid(reason.kind, reason.text.clone());
            }
        }
        self
    }

    /// Says why it does not count.
    #[must_use]
    pub fn invalid(mut self, kind: ReasonKind, text: impl Into<String>) -> Found {
        let reason = Reason { kind, text: text.into() };
        match &mut self.validity {
            Validity::Valid => self.validity = Validity::Invalid { reasons: vec![reason] },
            Validity::Invalid { reasons } if reasons.contains(&reason) => {}
            Validity::Invalid { reasons } => reasons.push(reason),
        }
        self
    }

    /// A row that cannot be had here.
    #[must_use]
    pub fn unavailable(why: impl Into<String>) -> Found {
        Found::new().invalid(ReasonKind::Unavailable, why)
    }

    /// The value of a figure.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<f64> {
        self.figures.iter().find(|figure| figure.name == name).map(|figure| figure.value)
    }
}

fn figure(name: &str, unit: &str, value: f64, interval: Option<Interval>) -> Figure {
    Figure { name: name.to_owned(), unit: unit.to_owned(), value, interval }
}
