//! Figures of a run, under the names that published ones have.

use crate::result::{Figure, Latency, ProcessUse, Run};
use crate::scenario::Schedule;

/// Percentiles that ab prints.
const PERCENTS: [f64; 8] = [50.0, 66.0, 75.0, 80.0, 90.0, 95.0, 98.0, 99.0];
const MIB: f64 = 1024.0 * 1024.0;

/// What a report of ab would hold.
#[must_use]
pub fn of_run(run: &Run) -> Vec<Figure> {
    let outcome = &run.outcome;
    let rate = Figure { interval: outcome.rate_interval, ..figure("rate", "1/s", outcome.rate) };
    let mut figures = vec![
        rate,
        figure("time-taken", "s", outcome.seconds),
        figure("complete", "", (outcome.good + outcome.failed) as f64),
        figure("failed", "", outcome.failed as f64),
    ];
    if let Schedule::Closed { in_flight } = run.scenario.schedule
        && outcome.rate > 0.0
    {
        let across = 1000.0 / outcome.rate;
        figures.push(figure("time-per-request", "ms", in_flight as f64 * across));
        figures.push(figure("seconds-over-requests", "ms", across));
    }
    figures.extend(of_latency(&outcome.response));
    if let Some(connect) = &outcome.connect {
        figures.push(figure("connect-max", "ms", connect.max));
    }
    figures
}

/// The percentiles.
#[must_use]
pub fn of_latency(latency: &Latency) -> Vec<Figure> {
    if latency.count == 0 {
        return Vec::new();
    }
    let mut figures = vec![figure("mean", "ms", latency.mean)];
    figures.extend(
        PERCENTS.map(|percent| {
            figure(&format!("p{percent}"), "ms", quantile(latency, percent / 100.0))
        }),
    );
    figures.push(figure("max", "ms", latency.max));
    figures
}

/// What `top` would show of the provider, and of the machine.
#[must_use]
pub fn of_provider(run: &Run) -> Vec<Figure> {
    let mut figures = of_process(run, "provider");
    if let Some(host) = &run.host {
        let [one, five, fifteen] = host.load_average;
        figures.push(figure("load-1m", "", one));
        figures.push(figure("load-5m", "", five));
        figures.push(figure("load-15m", "", fifteen));
        for (number, core) in host.cores.iter().enumerate().take(8) {
            let shares = [("user", core.user), ("system", core.system), ("softirq", core.softirq)];
            figures.extend(
                shares.map(|(name, share)| {
                    figure(&format!("{name}-core{number}"), "%", share * 100.0)
                }),
            );
        }
    }
    if let Some(pool) = &run.pool {
        figures.push(figure("busy-mean", "", pool.busy_mean));
        figures.push(figure("busy-max", "", pool.busy_max));
        figures.push(figure("queue-wait-p99", "ms", pool.queue_wait_p99));
    }
    figures
}

/// Processor time and memory of a process.
#[must_use]
pub fn of_process(run: &Run, name: &str) -> Vec<Figure> {
    let Some(process) = process(run, name) else { return Vec::new() };
    vec![
        figure(&format!("{name}-cpu"), "%", busy(process, run) * 100.0),
        figure(&format!("{name}-us-per-call"), "us", cpu_us(process, run)),
        figure(&format!("{name}-rss"), "MiB", process.rss_max as f64 / MIB),
    ]
}

/// A process of the run.
#[must_use]
pub fn process<'a>(run: &'a Run, name: &str) -> Option<&'a ProcessUse> {
    run.processes.iter().find(|process| process.name == name)
}

/// Processors in use: 1.0 is one core.
#[must_use]
pub fn busy(process: &ProcessUse, run: &Run) -> f64 {
    (process.cpu_user + process.cpu_system) / run.outcome.seconds.max(1e-3)
}

/// Microseconds of processor time per call.
#[must_use]
pub fn cpu_us(process: &ProcessUse, run: &Run) -> f64 {
    let calls = (run.outcome.good + run.outcome.failed).max(1) as f64;
    (process.cpu_user + process.cpu_system) * 1e6 / calls
}

/// Microseconds of processor time per call, of all processes but the generator.
#[must_use]
pub fn served_us(run: &Run) -> f64 {
    let served = run.processes.iter().filter(|process| !process.name.starts_with("generator"));
    served.map(|process| cpu_us(process, run)).sum()
}

/// The latency that this share of calls did not exceed.
#[must_use]
pub fn quantile(latency: &Latency, share: f64) -> f64 {
    let known = [(0.5, latency.p50), (0.9, latency.p90), (0.95, latency.p95), (0.99, latency.p99)];
    let exact = known.iter().find(|(at, _)| (at - share).abs() < 1e-9).map(|(_, ms)| *ms);
    let on_curve = || latency.curve.iter().find(|point| point.quantile >= share);
    exact.or_else(|| on_curve().map(|point| point.ms)).unwrap_or(latency.max)
}

/// A figure without an interval.
#[must_use]
pub fn figure(name: &str, unit: &str, value: f64) -> Figure {
    Figure { name: name.to_owned(), unit: unit.to_owned(), value, interval: None }
}

/// The figures under another prefix: `rate` becomes `c100-rate`.
#[must_use]
pub fn prefixed(prefix: &str, figures: impl IntoIterator<Item = Figure>) -> Vec<Figure> {
    let named = |figure: Figure| Figure { name: format!("{prefix}-{}", figure.name), ..figure };
    figures.into_iter().map(named).collect()
}

/// Those of these names.
#[must_use]
pub fn only(names: &[&str], figures: Vec<Figure>) -> Vec<Figure> {
    figures.into_iter().filter(|figure| names.contains(&figure.name.as_str())).collect()
}
