//! The measurement, inside of a fork.
//!
//! The client has a runtime of its own, with one thread unless told otherwise: its connections live
//! there, as Netty's do in Java. Callers are threads of the system: each blocks on its call, and
//! encodes and decodes itself. With `in-flight` callers are tasks on that runtime instead.
//!
//! All callers begin an iteration together, and go on calling until the last of them has finished
//! its part, so that nobody measures with fewer neighbours than there should be.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, anyhow, bail};
use hdrhistogram::Histogram;
use tokio::runtime::Runtime;

use super::event::{Event, Iteration};
use super::options::{Callers, Mode, Trial};
use super::workload::Callee;
use crate::facts::cpu;

/// Times are kept from 1 ns to ten minutes, with three significant digits.
const LONGEST_NS: u64 = 600_000_000_000;
/// The rest that a caller takes after a failure: a provider that is gone fails calls at once.
const REST: Duration = Duration::from_millis(1);

/// Be a fork: measures the trial that the one argument describes, and tells of each iteration.
#[must_use]
pub fn main(args: &[OsString]) -> ExitCode {
    match measure(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell(&Event::Failed(format!("{error:#}")));
            ExitCode::FAILURE
        }
    }
}

fn measure(args: &[OsString]) -> Result<()> {
    let text = args.first().and_then(|text| text.to_str()).context("a fork needs its trial")?;
    let trial: Trial = serde_json::from_str(text).context("a fork cannot read its trial")?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(trial.io_threads)
        .thread_name("client-io")
        .enable_all()
        .build()?;
    let callee = runtime.block_on(Callee::connect(&trial))?;
    let parts = [(true, trial.warm_up), (false, trial.measurement)];
    for (warm_up, iterations) in parts {
        for number in 1..=iterations.count {
            let part = Part { mode: trial.mode, time: iterations.time };
            let iteration = iterate(&runtime, &callee, trial.callers, part)?;
            if let (0, Some(reason)) = (iteration.good, &iteration.first_failure) {
                bail!("no call was answered as it should be; the first: {reason}");
            }
            tell(&Event::Iteration(Iteration { warm_up, number, ..iteration }));
        }
    }
    // Whoever hears of the end may kill this process; its payload files are to be gone by then.
    drop(callee);
    tell(&Event::Done);
    // Calls that were given up may still be under way.
    runtime.shutdown_background();
    Ok(())
}

fn tell(event: &Event) {
    // Whoever does not read any more is gone, and this process ends by that.
    if let Ok(line) = serde_json::to_string(event) {
        println!("{line}");
    }
}

#[derive(Debug, Clone, Copy)]
struct Part {
    mode: Mode,
    time: Duration,
}

/// Runs one iteration by all callers.
fn iterate(runtime: &Runtime, callee: &Callee, callers: Callers, part: Part) -> Result<Iteration> {
    let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let cpu = cpu::used_by(std::process::id())?;
    let start = Instant::now();
    let mut all = match callers {
        Callers::Threads(count) => by_threads(runtime, callee, count, part),
        Callers::InFlight(count) => runtime.block_on(by_tasks(callee, count, part)),
    }?;
    let cpu = cpu::used_by(std::process::id())?.saturating_sub(cpu);
    all.started = u64::try_from(started.as_millis()).unwrap_or_default();
    // Less what was used by callers that only kept the others company.
    all.cpu = cpu.as_secs_f64() * (all.seconds / start.elapsed().as_secs_f64()).min(1.0);
    Ok(all)
}

fn by_threads(runtime: &Runtime, callee: &Callee, count: usize, part: Part) -> Result<Iteration> {
    let (begin, busy) = (std::sync::Barrier::new(count), AtomicUsize::new(count));
    let (begin, busy) = (&begin, &busy);
    std::thread::scope(|scope| {
        let callers: Vec<_> = (0..count)
            .map(|_| {
                scope.spawn(move || {
                    begin.wait();
                    runtime.handle().block_on(caller(callee, part, busy))
                })
            })
            .collect();
        let tallies = callers.into_iter().map(std::thread::ScopedJoinHandle::join);
        let tallies: Result<Vec<Tally>, _> = tallies.collect();
        together(tallies.map_err(|_| anyhow!("a caller panicked"))?)
    })
}

async fn by_tasks(callee: &Callee, count: usize, part: Part) -> Result<Iteration> {
    let begin = Arc::new(tokio::sync::Barrier::new(count));
    let busy = Arc::new(AtomicUsize::new(count));
    let mut callers = tokio::task::JoinSet::new();
    for _ in 0..count {
        let (callee, begin, busy) = (callee.clone(), Arc::clone(&begin), Arc::clone(&busy));
        callers.spawn(async move {
            begin.wait().await;
            caller(&callee, part, &busy).await
        });
    }
    let mut tallies = Vec::with_capacity(count);
    while let Some(tally) = callers.join_next().await {
        tallies.push(tally.map_err(|_| anyhow!("a caller panicked"))?);
    }
    together(tallies)
}

/// One caller's part of an iteration.
async fn caller(callee: &Callee, part: Part, busy: &AtomicUsize) -> Tally {
    let mut tally = Tally::default();
    let start = Instant::now();
    loop {
        let call = Instant::now();
        let result = callee.call().await;
        let failed = result.is_err();
        tally.count(result, call.elapsed());
        if part.mode == Mode::SingleShot || start.elapsed() >= part.time {
            break;
        }
        if failed {
            tokio::time::sleep(REST).await;
        }
    }
    tally.seconds = start.elapsed().as_secs_f64();
    busy.fetch_sub(1, Ordering::Relaxed);
    while part.mode != Mode::SingleShot && busy.load(Ordering::Relaxed) > 0 {
        if callee.call().await.is_err() {
            tokio::time::sleep(REST).await;
        }
    }
    tally
}

/// What one caller did.
#[derive(Debug, Default)]
struct Tally {
    good: u64,
    failed: u64,
    first_failure: Option<String>,
    seconds: f64,
    times: Option<Histogram<u64>>,
}

impl Tally {
    fn count(&mut self, result: Result<(), String>, time: Duration) {
        match result {
            Ok(()) => self.good += 1,
            Err(reason) => {
                self.failed += 1;
                self.first_failure.get_or_insert(reason);
                return;
            }
        }
        if self.times.is_none() {
            self.times = Histogram::new_with_bounds(1, LONGEST_NS, 3).ok();
        }
        if let Some(times) = &mut self.times {
            let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
            times.saturating_record(nanos.max(1));
        }
    }
}

/// All callers' parts as one.
fn together(tallies: Vec<Tally>) -> Result<Iteration> {
    let mut all = Iteration::default();
    let mut times: Option<Histogram<u64>> = None;
    let callers = tallies.len() as f64;
    for tally in tallies {
        all.good += tally.good;
        all.failed += tally.failed;
        all.per_caller.push(tally.good);
        all.seconds = all.seconds.max(tally.seconds);
        all.rate += tally.good as f64 / tally.seconds;
        all.mean += tally.seconds / (tally.good.max(1) as f64) / callers;
        all.first_failure = all.first_failure.or(tally.first_failure);
        match (&mut times, tally.times) {
            (Some(times), Some(more)) => times.add(more)?,
            (None, more) => times = more,
            (_, None) => {}
        }
    }
    let recorded = times.iter().flat_map(|times| times.iter_recorded());
    all.times = recorded.map(|step| (step.value_iterated_to(), step.count_at_value())).collect();
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(good: u64, seconds: f64) -> Tally {
        let mut tally = Tally { seconds, ..Tally::default() };
        for n in 1..=good {
            tally.count(Ok(()), Duration::from_micros(n));
        }
        tally
    }

    #[test]
    fn callers_add_up() {
        let mut second = tally(300, 1.0);
        second.count(Err("no answer".to_owned()), Duration::ZERO);
        let all = together(vec![tally(100, 1.0), second]).unwrap();
        assert_eq!((all.good, all.failed, all.rate, all.seconds), (400, 1, 400.0, 1.0));
        assert_eq!(all.per_caller, [100, 300]);
        assert_eq!(all.first_failure.as_deref(), Some("no answer"));
        assert!((all.mean - (0.01 + 1.0 / 300.0) / 2.0).abs() < 1e-9, "{}", all.mean);
        assert_eq!(all.times.iter().map(|(_, count)| count).sum::<u64>(), 400);
    }
}
