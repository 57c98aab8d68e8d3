//! How sure a quantile is.
//!
//! Drawing all calls of a histogram again gives quantiles whose places are spread about normally, by
//! `sqrt(share * (1 - share) / n)`. So the place is drawn, and the value read off the curve; no call
//! has to be. But calls of one second share their luck: it is a factor on all of them. How much it
//! varies is seen in the seconds' own quantiles, beyond what the calls of a second would vary by
//! themselves; the mean of so many factors is drawn too.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::figures::whole_seconds;
use crate::result::{CurvePoint, Interval, Run, Second};
use crate::stats::{Bootstrap, mean, variation};

/// A curve with fewer points is a table of percentages, not a histogram.
const FEWEST_POINTS: usize = 12;
/// Fewer seconds than this do not tell how much luck varies.
const FEWEST_SECONDS: usize = 5;

/// The interval of the ratio of the quantile `share` of two runs.
pub(super) fn ratio(
    base: &Run,
    other: &Run,
    share: f64,
    bootstrap: &Bootstrap,
) -> Option<Interval> {
    let (base, other) = (Curve::of(base, share)?, Curve::of(other, share)?);
    let mut random = StdRng::seed_from_u64(bootstrap.seed);
    let whole = other.at(share) / base.at(share);
    let draw = || other.drawn(share, &mut random) / base.drawn(share, &mut random);
    let widening = bootstrap.widening(base.seconds.min(other.seconds))?;
    bootstrap.interval(whole, widening, draw)
}

struct Curve<'a> {
    points: &'a [CurvePoint],
    /// Calls.
    count: f64,
    /// Seconds that tell of it.
    seconds: usize,
    /// How much the mean luck of all seconds varies, as a share.
    luck: f64,
}

impl<'a> Curve<'a> {
    fn of(run: &'a Run, share: f64) -> Option<Curve<'a>> {
        let latency = &run.outcome.response;
        if latency.curve.len() < FEWEST_POINTS || latency.count == 0 {
            return None;
        }
        let seconds = whole_seconds(run).len();
        let count = latency.count as f64;
        let mut curve = Curve { points: &latency.curve, count, seconds, luck: 0.0 };
        // Seconds tell of two quantiles; what is between them has the luck of the unluckier.
        let (middle, tail) = (curve.luck_of(run, 0.5)?, curve.luck_of(run, 0.99)?);
        curve.luck = match share {
            low if low <= 0.5 => middle,
            high if high >= 0.99 => tail,
            _ => middle.max(tail),
        };
        Some(curve)
    }

    /// How much the mean of the seconds' luck varies. `None` when there are too few of them.
    fn luck_of(&self, run: &Run, share: f64) -> Option<f64> {
        let seconds = whole_seconds(run);
        let of = |second: &Second| if share > 0.5 { second.p99 } else { second.p50 };
        let values: Vec<f64> =
            seconds.iter().map(|(_, second)| of(second)).filter(|value| *value > 0.0).collect();
        if values.len() < FEWEST_SECONDS {
            return None;
        }
        let calls = self.count / values.len() as f64;
        let place = (share * (1.0 - share) / calls).sqrt();
        let (below, above) = (self.at((share - place).max(0.0)), self.at((share + place).min(1.0)));
        let alone = (above - below) / 2.0 / mean(&values);
        let beyond = (variation(&values).powi(2) - alone.powi(2)).max(0.0).sqrt();
        // One less, as the spread itself is estimated from as few.
        Some(beyond / (values.len() as f64 - 1.0).sqrt())
    }

    fn at(&self, share: f64) -> f64 {
        let place = self.points.partition_point(|point| point.quantile < share);
        let point = self.points.get(place).or(self.points.last());
        point.map_or(f64::NAN, |point| point.ms)
    }

    fn drawn(&self, share: f64, random: &mut StdRng) -> f64 {
        let spread = (share * (1.0 - share) / self.count).sqrt();
        let value = self.at((share + spread * normal(random)).clamp(0.0, 1.0));
        value * (1.0 + self.luck * normal(random))
    }
}

/// A number of the standard normal distribution, by Box and Muller.
fn normal(random: &mut StdRng) -> f64 {
    let (radius, angle): (f64, f64) = (random.random(), random.random());
    // 1 - radius is never 0.
    (-2.0 * (1.0 - radius).ln()).sqrt() * (angle * std::f64::consts::TAU).cos()
}
