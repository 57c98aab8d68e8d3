//! Every run as a row of one table, below four numbers for those in a hurry.

use super::markup::{Text, both, count, number, percent, text};
use super::runs::{PageRun, cpu_per_call, description, in_flight};
use super::{texts, verdict};
use crate::result::{Interval, Outcome, PoolUse, Stages};

/// The numbers and the table.
pub(super) fn section(runs: &[PageRun<'_>]) -> String {
    if runs.is_empty() {
        return format!(r#"<section class="card"><p>{}</p></section>"#, both(texts::NO_RUNS));
    }
    let highest = valid(runs).map(|run| run.run.outcome.rate).fold(0.0, f64::max);
    let rows: String = runs.iter().map(|run| row(run, highest)).collect();
    format!(
        r#"<section aria-labelledby="h-runs"><h2 id="h-runs">{}</h2>{}<p class="quiet">{}</p>
<div class="scroll"><table class="runs sortable"><thead><tr>{}</tr></thead><tbody>{rows}</tbody></table></div></section>"#,
        both(texts::RUNS),
        tiles(runs),
        both(texts::RUNS_HINT),
        head(),
    )
}

fn valid<'a, 'b>(runs: &'b [PageRun<'a>]) -> impl Iterator<Item = &'b PageRun<'a>> {
    runs.iter().filter(|run| run.is_valid())
}

fn tiles(runs: &[PageRun<'_>]) -> String {
    let tile = |name: Text, value: String, small: String| {
        format!(
            r#"<div class="tile"><span class="label">{}</span><strong>{value}</strong><small>{small}</small></div>"#,
            both(name)
        )
    };
    let invalid = runs.iter().filter(|run| !run.is_valid()).count();
    let kept_out = match invalid {
        0 => both(texts::ALL_VALID),
        some => format!(r#"<span class="badge bad">{some} {}</span>"#, both(texts::INVALID)),
    };
    let fastest = valid(runs).max_by(|a, b| a.run.outcome.rate.total_cmp(&b.run.outcome.rate));
    let quickest = valid(runs)
        .filter(|run| run.run.outcome.response.count > 0)
        .min_by(|a, b| a.run.outcome.response.p99.total_cmp(&b.run.outcome.response.p99));
    let failed: u64 = runs.iter().map(|run| run.run.outcome.failed).sum();
    let calls: u64 = runs.iter().map(|run| run.run.outcome.good + run.run.outcome.failed).sum();
    let of = |run: Option<&PageRun<'_>>, value: &dyn Fn(&Outcome) -> String| {
        run.map_or(("–".to_owned(), String::new()), |run| {
            (value(&run.run.outcome), text(&run.name))
        })
    };
    let (rate, rate_of) = of(fastest, &|outcome| format!("{} <em>/s</em>", number(outcome.rate)));
    let (p99, p99_of) =
        of(quickest, &|outcome| format!("{} <em>ms</em>", number(outcome.response.p99)));
    [
        r#"<div class="tiles">"#.to_owned(),
        tile(texts::RUNS, runs.len().to_string(), kept_out),
        tile(texts::HIGHEST_RATE, rate, rate_of),
        tile(texts::LOWEST_P99, p99, p99_of),
        tile(
            texts::FAILED_CALLS,
            count(failed),
            format!("{} {}", both(texts::OF_CALLS), count(calls)),
        ),
        "</div>".to_owned(),
    ]
    .concat()
}

fn head() -> String {
    let columns = [
        (texts::NAME, false),
        (texts::TOOL, false),
        (texts::IN_FLIGHT, true),
        (texts::RATE, true),
        (texts::P50, true),
        (texts::P95, true),
        (texts::P99, true),
        (texts::MAX, true),
        (texts::FAILURES, true),
        (texts::CPU_PER_CALL, true),
        (texts::POOL_BUSY, true),
        (texts::QUEUE_WAIT, true),
        (texts::VERDICT, false),
    ];
    columns
        .into_iter()
        .map(|(name, number)| {
            let class = if number { r#" class="n""# } else { "" };
            format!(r#"<th scope="col"{class}>{}</th>"#, both(name))
        })
        .collect()
}

fn row(run: &PageRun<'_>, highest: f64) -> String {
    let outcome = &run.run.outcome;
    let latency = &outcome.response;
    let class = if run.is_valid() { "" } else { r#" class="invalid""# };
    let cells = [
        format!(
            r#"<th scope="row"><b>{}</b><small>{}</small></th>"#,
            text(&run.name),
            text(&description(run.run))
        ),
        format!("<td>{}<small>{}</small></td>", text(&run.run.tool), text(&run.run.tool_version)),
        cell(&in_flight(&run.run.scenario.schedule), None, ""),
        rate(outcome, if run.is_valid() { highest } else { 0.0 }),
        cell(&number(latency.p50), Some(latency.p50), ""),
        cell(&number(latency.p95), Some(latency.p95), ""),
        cell(&number(latency.p99), Some(latency.p99), ""),
        cell(&number(latency.max), Some(latency.max), ""),
        failures(outcome),
        cpu(run),
        pool_busy(run.run.pool.as_ref()),
        queue_wait(run.run.pool.as_ref(), run.run.outcome.stages),
        format!(
            r#"<td class="verdict">{}{}</td>"#,
            verdict::validity(&run.run.validity),
            run.run.verdict.as_ref().map(verdict::verdict).unwrap_or_default()
        ),
    ];
    format!(r#"<tr id="run-{}"{class}>{}</tr>"#, run.place, cells.concat())
}

/// A cell with a number; `sort` is what sorting goes by, where the text will not do.
fn cell(value: &str, sort: Option<f64>, small: &str) -> String {
    let sort = sort
        .map(|sort| format!(r#" data-sort="{}""#, super::thin::digits(sort)))
        .unwrap_or_default();
    let small = if small.is_empty() { String::new() } else { format!("<small>{small}</small>") };
    format!(r#"<td class="n"{sort}>{value}{small}</td>"#)
}

fn rate(outcome: &Outcome, highest: f64) -> String {
    let small = outcome
        .rate_interval
        .map(|interval| interval_text(outcome.rate, interval))
        .unwrap_or_default();
    let bar = match highest > 0.0 {
        true => format!(
            r#"<i class="bar" style="--w:{:.3}"></i>"#,
            (outcome.rate / highest).clamp(0.0, 1.0)
        ),
        false => String::new(),
    };
    cell(&format!("<b>{}</b>", number(outcome.rate)), Some(outcome.rate), &format!("{small}{bar}"))
}

/// Half the width of an interval as a share of its middle: `± 1.2 %`.
pub(super) fn interval_text(value: f64, interval: Interval) -> String {
    let half = (interval.high - interval.low) / 2.0;
    match value > 0.0 {
        true => format!("± {}", percent(half / value)),
        false => format!("{} – {}", number(interval.low), number(interval.high)),
    }
}

fn failures(outcome: &Outcome) -> String {
    let mut parts: Vec<String> = outcome
        .failures
        .iter()
        .map(|failure| {
            let first = text(&failure.first);
            format!(
                r#"<span title="{first}">{} {}</span>"#,
                both(verdict::cause(failure.cause)),
                count(failure.count)
            )
        })
        .collect();
    let further = [
        (texts::FALLBACKS, outcome.fallbacks),
        (texts::UNFINISHED, outcome.unfinished.count),
        (texts::LATE, outcome.late),
        (texts::DROPPED, outcome.dropped),
    ];
    parts.extend(
        further
            .into_iter()
            .filter(|(_, many)| *many > 0)
            .map(|(name, many)| format!("{} {}", both(name), count(many))),
    );
    cell(&count(outcome.failed), Some(outcome.failed as f64), &parts.join("<br>"))
}

fn cpu(run: &PageRun<'_>) -> String {
    let costs = cpu_per_call(run.run);
    if costs.is_empty() {
        return cell("–", None, "");
    }
    let stack: f64 = costs.iter().filter(|(name, _)| *name != "generator").map(|(_, us)| us).sum();
    let parts: Vec<String> =
        costs.iter().map(|(name, us)| format!("{} {}", text(name), number(*us))).collect();
    cell(&number(stack), Some(stack), &parts.join("<br>"))
}

fn pool_busy(pool: Option<&PoolUse>) -> String {
    let Some(pool) = pool else { return cell("–", None, "") };
    let mut small = format!("max {} / {}", number_short(pool.busy_max), pool.threads);
    if pool.rejected > 0 {
        small.push_str(&format!("<br>{} {}", both(texts::REJECTED), count(pool.rejected)));
    }
    cell(&number(pool.busy_mean), Some(pool.busy_mean), &small)
}

fn queue_wait(pool: Option<&PoolUse>, stages: Option<Stages>) -> String {
    let stages = stages.map(in_stages).unwrap_or_default();
    let Some(pool) = pool else { return cell("–", None, &stages) };
    let small = format!("max {} {}{stages}", number_short(pool.queued_max), both(texts::WAITING));
    cell(&number(pool.queue_wait_p99), Some(pool.queue_wait_p99), &small)
}

/// Where a call's time went, as the provider told.
fn in_stages(stages: Stages) -> String {
    let part = |name, us: f64| format!("<br>{} {} µs", both(name), number_short(us));
    part(texts::IN_QUEUE, stages.queue_us)
        + &part(texts::IN_HANDLER, stages.run_us)
        + &part(texts::ELSEWHERE, stages.rest_us)
}

fn number_short(value: f64) -> String {
    format!("{value:.0}")
}
