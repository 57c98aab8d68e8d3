//! From the best point to a fragment of configuration, tried beside the defaults in turn.

use anyhow::Result;

use super::Options;
use super::axes::{Owner, owner, short};
use super::pruning::Seen;
use super::stand::Stand;
use crate::lab::Lab;
use crate::result::{Interval, Recommendation};
use crate::stats::{Bootstrap, mean};

/// Times that best and defaults are measured in turn.
const TURNS: usize = 4;

/// What to set; `None` without a point that counts.
///
/// # Errors
/// When a provider does not come up or cannot be reached.
pub(super) async fn recommend(
    options: &Options,
    lab: &mut Lab<'_>,
    seen: &[Seen],
) -> Result<Option<Recommendation>> {
    let Some(best) = choose(seen) else { return Ok(None) };
    let settings = options.axes.settings(&best.at);
    let in_flight = settings.get("in-flight").and_then(|it| it.parse().ok()).unwrap_or(1);
    let ours = Stand::start(lab, options, &best.at).await?;
    let theirs = Stand::defaults(lab, options).await?;
    let rates = in_turn(options, lab, (&ours, best), (&theirs, in_flight)).await;
    ours.stop().await;
    theirs.stop().await;
    let (best_rates, default_rates) = rates?;
    let gain = mean(&best_rates) / mean(&default_rates);
    let bootstrap = Bootstrap { confidence: 0.95, ..Bootstrap::default() };
    let interval = bootstrap.of_ratio(&default_rates, &best_rates).unwrap_or(Interval {
        low: f64::NAN,
        high: f64::NAN,
        confidence: 0.95,
    });
    let toml = fragment(&settings, gain, &interval);
    Ok(Some(Recommendation {
        toml,
        gain,
        interval,
        assumptions: assumptions(options, lab, in_flight),
    }))
}

/// The best point that counts; of those that cannot be told from it, the first, whose values are the
/// smallest.
fn choose(seen: &[Seen]) -> Option<&Seen> {
    let best = seen.iter().filter(|it| it.valid).max_by(|a, b| a.rate.total_cmp(&b.rate))?;
    seen.iter().find(|it| it.valid && it.rate + it.unsure >= best.rate - best.unsure)
}

/// Right answers per second of both, measured in turn so that what the machine does meets both.
async fn in_turn(
    options: &Options,
    lab: &mut Lab<'_>,
    (ours, best): (&Stand, &Seen),
    (theirs, in_flight): (&Stand, usize),
) -> Result<(Vec<f64>, Vec<f64>)> {
    let (mut best_rates, mut default_rates) = (Vec::new(), Vec::new());
    for turn in 0..TURNS {
        // Best first, then defaults first: a trend in time meets both alike.
        for first in [turn % 2 == 0, turn % 2 == 1] {
            if first {
                let scenario = ours.scenario(options, "recommended", &best.at);
                let run = lab.measure(&ours.place, &scenario).await?;
                best_rates.push(lab.runs[run].outcome.rate);
            } else {
                let scenario = theirs.default_scenario(options, in_flight);
                let run = lab.measure(&theirs.place, &scenario).await?;
                default_rates.push(lab.runs[run].outcome.rate);
            }
        }
    }
    Ok((best_rates, default_rates))
}

/// The settings as files have them, section by section.
fn fragment(
    settings: &std::collections::BTreeMap<String, String>,
    gain: f64,
    interval: &Interval,
) -> String {
    let mut lines = Vec::new();
    for (whose, file, section) in [
        (Owner::Provider, "provider.toml", "protocol"),
        (Owner::Caller, "consumer.toml", "consumer"),
    ] {
        let own: Vec<_> = settings.iter().filter(|(name, _)| owner(name) == whose).collect();
        if own.is_empty() {
            continue;
        }
        lines.push(format!("# {file}\n[{section}]"));
        lines.extend(own.into_iter().map(|(name, value)| {
            let bare = value.parse::<i64>().is_ok();
            let value = if bare { value.clone() } else { format!("\"{value}\"") };
            format!("{} = {value}", short(name))
        }));
    }
    if interval.low <= 1.0 {
        let sure = format!(
            "# {:.2} times the rate of the defaults; as 1 is within {:.2} to {:.2}, leave them.",
            gain, interval.low, interval.high
        );
        lines.insert(0, sure);
    }
    lines.join("\n")
}

fn assumptions(options: &Options, lab: &Lab<'_>, in_flight: usize) -> Vec<String> {
    let mut assumptions = vec![
        format!(
            "The load is what was measured: {} bytes both ways, {in_flight} calls under way by callers \
             that wait for their answers.",
            options.bytes
        ),
        format!(
            "Callers and provider share {} cores of this machine; with a machine each, what limits may \
             be something else.",
            lab.host.cores
        ),
        "The gain is of the rate. Look at the latencies of the points before setting more calls under \
         way."
            .to_owned(),
    ];
    if !options.provider.is_empty() {
        assumptions.push(format!("The provider runs with {}.", options.provider.join(" ")));
    }
    assumptions
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(place: usize, rate: f64, valid: bool) -> Seen {
        Seen { at: vec![place], run: place, rate, unsure: 10.0, valid }
    }

    #[test]
    fn the_smallest_of_equals_is_chosen() {
        let points = [seen(0, 100.0, true), seen(1, 495.0, true), seen(2, 500.0, true)];
        assert_eq!(choose(&points).unwrap().at, [1]);
        let points = [seen(0, 100.0, true), seen(1, 900.0, false)];
        assert_eq!(choose(&points).unwrap().at, [0], "what does not count is not recommended");
        assert!(choose(&[]).is_none());
    }

    #[test]
    fn a_fragment_can_be_read_and_says_when_it_is_not_worth_it() {
        let settings = [
            ("dubbo.protocol.threads", "50"),
            ("dubbo.protocol.dispatcher", "direct"),
            ("dubbo.consumer.connections", "2"),
            ("in-flight", "100"),
        ];
        let settings =
            settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into_iter().collect();
        let clear = Interval { low: 1.1, high: 1.3, confidence: 0.95 };
        let text = fragment(&settings, 1.2, &clear);
        let read: toml::Table = text.parse().unwrap();
        assert_eq!(read["protocol"]["threads"].as_integer(), Some(50));
        assert_eq!(read["protocol"]["dispatcher"].as_str(), Some("direct"));
        assert_eq!(read["consumer"]["connections"].as_integer(), Some(2));
        let unclear = Interval { low: 0.97, high: 1.05, confidence: 0.95 };
        assert!(fragment(&settings, 1.01, &unclear).contains("leave them"));
    }
}
