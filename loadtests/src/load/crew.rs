//! The workers of a phase: started as the schedule says, and waited for.

use std::sync::{Arc, Mutex};

use anyhow::{Context, Result};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::alarm::Alarm;
use super::caller::Callers;
use super::desk::Desk;
use super::limits::Limits;
use super::mix::Mix;
use super::plan::Plan;
use super::tally::Tally;
use super::worker::{Ended, Work, Worker};
use crate::scenario::{Operation, Stage};

/// Calls handed out without a pause. More would keep the workers of the same thread waiting.
const HANDED_AT_ONCE: usize = 64;

/// Makes workers.
#[derive(Debug)]
pub(super) struct Crew<'a, T: Callers> {
    /// Makes their callers.
    pub(super) callers: &'a T,
    /// What they call.
    pub(super) mix: &'a [Operation],
    /// Where they count.
    pub(super) shards: &'a [Arc<Mutex<Tally>>],
}

/// The schedule that an open phase keeps.
#[derive(Debug)]
pub(super) struct Pace<'a> {
    /// When it began.
    pub(super) start: Instant,
    /// Its rates.
    pub(super) stages: &'a [Stage],
    /// Most calls under way.
    pub(super) most: usize,
    /// Tells when calls are due.
    pub(super) alarm: &'a Alarm,
}

/// How a phase ended.
#[derive(Debug)]
pub(super) struct Shift<C> {
    /// Its workers.
    pub(super) ended: Vec<Ended<C>>,
    /// Since when calls were due that no worker had begun.
    pub(super) waiting: Vec<Instant>,
    /// Calls that were not made, as too many were under way.
    pub(super) dropped: u64,
}

impl<T: Callers> Crew<'_, T> {
    /// One more worker.
    ///
    /// # Errors
    /// When it finds no way to call.
    pub(super) async fn worker(&self, index: usize) -> Result<Worker<T::Caller>> {
        Ok(Worker {
            index,
            caller: self.callers.caller().await?,
            mix: Mix::new(self.mix, index)?,
            tally: Arc::clone(&self.shards[index % self.shards.len()]),
        })
    }

    /// Each worker makes one call after the other.
    pub(super) async fn closed(
        &self,
        workers: Vec<Worker<T::Caller>>,
        limits: &Arc<Limits>,
    ) -> Result<Shift<T::Caller>> {
        let mut tasks = JoinSet::new();
        for worker in workers {
            tasks.spawn(worker.run(Work::Closed(Arc::clone(limits)), limits.token()));
        }
        Ok(Shift { ended: all(tasks).await?, waiting: Vec::new(), dropped: 0 })
    }

    /// Calls are handed out when they are due; a further worker begins when none is free, up to the
    /// most that may be under way.
    pub(super) async fn open(
        &self,
        workers: Vec<Worker<T::Caller>>,
        pace: &Pace<'_>,
        limits: &Arc<Limits>,
    ) -> Result<Shift<T::Caller>> {
        let desk = Arc::new(Desk::new(pace.most));
        let work = Work::Open(Arc::clone(&desk));
        let mut tasks = JoinSet::new();
        let mut started = workers.len();
        for worker in workers {
            tasks.spawn(worker.run(work.clone(), limits.token()));
        }
        let (mut handed, mut dropped, mut at_once) = (0, 0, 0);
        let mut plan = Plan::new(pace.stages);
        while let Some(due) = plan.next() {
            let due = pace.start + due;
            let now = Instant::now();
            if due > now {
                at_once = 0;
                tokio::select! {
                    rung = pace.alarm.until(due) => rung.context("the timer failed")?,
                    () = limits.closed() => {}
                }
            } else if at_once == HANDED_AT_ONCE {
                at_once = 0;
                tokio::task::yield_now().await;
            }
            // What is due before the end counts, even if we are late with it.
            if !limits.take(due) {
                break;
            }
            if limits.is_cut() {
                // We could not keep up at all.
                dropped += 1 + plan.count() as u64;
                break;
            }
            at_once += 1;
            if handed - desk.ended_so_far() < started {
                desk.hand(due);
                handed += 1;
            } else if started < pace.most {
                let worker = self.worker(started).await?;
                tasks.spawn(worker.run(work.clone(), limits.token()));
                started += 1;
                desk.hand(due);
                handed += 1;
            } else {
                dropped += 1;
            }
        }
        desk.close();
        let ended = all(tasks).await?;
        let waiting = std::iter::from_fn(|| desk.pop()).collect();
        Ok(Shift { ended, waiting, dropped })
    }
}

async fn all<C: Send + 'static>(mut tasks: JoinSet<Ended<C>>) -> Result<Vec<Ended<C>>> {
    let mut ended = Vec::with_capacity(tasks.len());
    while let Some(worker) = tasks.join_next().await {
        ended.push(worker.context("a worker of the load failed")?);
    }
    ended.sort_by_key(|ended| ended.worker.index);
    Ok(ended)
}
