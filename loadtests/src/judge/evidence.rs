//! The numbers that a verdict goes by, taken from a run once, and how they are put in words.

use crate::result::{HostFacts, HostUse, PoolUse, ProcessUse, Run};
use crate::scenario::{Schedule, Target};

/// What a run shows. Processor use is in cores: 1.0 is one core all the time.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// Right answers per second.
    pub rate: f64,
    /// Calls under way on average, by Little's law: rate times mean latency.
    pub in_flight: f64,
    /// Calls that a closed schedule kept under way; `None` for an open one.
    pub asked_in_flight: Option<f64>,
    /// Cores of the machine.
    pub cores: f64,
    /// Share of them that was idle; `None` when it was not watched.
    pub idle: Option<f64>,
    /// Cores that programs outside the run used.
    pub others: f64,
    /// Each process of the run.
    pub processes: Vec<ProcessEvidence>,
    /// The provider's pool.
    pub pool: Option<PoolUse>,
    /// Payload bytes per second, in the direction that has more.
    pub bytes_per_second: f64,
    /// Whether the target is this machine.
    pub loopback: bool,
    /// Share of a call's time in the handler, if replies told.
    pub in_handler: Option<f64>,
}

/// What one process shows.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessEvidence {
    /// Its name.
    pub name: String,
    /// Cores that it used.
    pub cpu: f64,
    /// Cores that it was ready to use, and did not get.
    pub waiting: f64,
    /// Cores that it can use at once.
    pub most: f64,
    /// Share of the time in which its busiest thread ran or was ready to.
    pub busiest_thread: f64,
    /// Times per second that a thread waited for something.
    pub voluntary: f64,
    /// Times per second that one was interrupted for another.
    pub involuntary: f64,
}

impl Evidence {
    /// The evidence of a run on `host`.
    #[must_use]
    pub fn of(run: &Run, host: &HostFacts) -> Evidence {
        let outcome = &run.outcome;
        let seconds = outcome.seconds.max(f64::MIN_POSITIVE);
        let latency = outcome.service.as_ref().unwrap_or(&outcome.response);
        let known = run.host.as_ref().map_or(0, |host| host.cores.len());
        let cores = if known > 0 { known } else { host.cores.max(1) } as f64;
        // Processes are watched a little longer than calls are counted.
        let watched = run.host.as_ref().map_or(0.0, |host| host.seconds);
        let watched = if watched > 0.0 { watched } else { seconds };
        let processes = run.processes.iter();
        Evidence {
            rate: outcome.rate,
            in_flight: outcome.rate * latency.mean / 1000.0,
            asked_in_flight: match run.scenario.schedule {
                Schedule::Closed { in_flight } => Some(in_flight as f64),
                Schedule::Open { .. } => None,
            },
            cores,
            idle: run.host.as_ref().and_then(idle),
            others: run.host.as_ref().map_or(0.0, |host| host.others),
            processes: processes.map(|process| of_process(process, run, cores, watched)).collect(),
            pool: run.pool.clone(),
            bytes_per_second: outcome.bytes_sent.max(outcome.bytes_received) as f64 / seconds,
            loopback: is_loopback(&run.scenario.target),
            in_handler: run.outcome.stages.and_then(|stages| {
                let whole = stages.queue_us + stages.run_us + stages.rest_us;
                (whole > 0.0).then(|| stages.run_us / whole)
            }),
        }
    }

    /// Cores that the processes of the run used.
    #[must_use]
    pub fn own(&self) -> f64 {
        self.processes.iter().map(|process| process.cpu).sum()
    }

    /// A process by its name.
    #[must_use]
    pub fn process(&self, name: &str) -> Option<&ProcessEvidence> {
        self.processes.iter().find(|process| process.name == name)
    }

    /// Calls under way beside the pool's size: a pool that is larger than that cannot be full.
    #[must_use]
    pub fn in_flight_sentence(&self) -> String {
        let calls = format!(
            "{:.1} calls were under way on average (rate times mean latency)",
            self.in_flight
        );
        match &self.pool {
            Some(pool) => format!("{calls}, beside a pool of {}", pool.threads),
            None => calls,
        }
    }

    /// The pool, if it was watched.
    #[must_use]
    pub fn pool_sentence(&self) -> Option<String> {
        let pool = self.pool.as_ref()?;
        Some(format!(
            "the pool had {:.1} of {} handlers running on average, {:.0} at most; {:.0} calls waited at \
             most, 99 of 100 up to {} ms; {} were refused",
            pool.busy_mean,
            pool.threads,
            pool.busy_max,
            pool.queued_max,
            pool.queue_wait_p99,
            pool.rejected
        ))
    }

    /// Processors: the machine, and each process.
    #[must_use]
    pub fn cpu_sentence(&self) -> String {
        let cores = self.cores;
        let mut text = match self.idle {
            Some(idle) => format!("{:.2} of {cores} cores were idle", idle * cores),
            None => format!("of {cores} cores"),
        };
        for process in &self.processes {
            text += &format!(", {} used {:.2}", process.name, process.cpu);
            if process.waiting >= 0.1 {
                text += &format!(" and waited for {:.2}", process.waiting);
            }
        }
        if self.others >= 0.05 {
            text += &format!(", other programs {:.2}", self.others);
        }
        text
    }

    /// The payload on the wire, if the generator counted it.
    #[must_use]
    pub fn wire_sentence(&self) -> Option<String> {
        let megabits = self.bytes_per_second * 8.0 / 1e6;
        if megabits <= 0.0 {
            return None;
        }
        let place = if self.loopback {
            "over loopback, which is memory: not comparable with a network"
        } else {
            "of payload in the fuller direction"
        };
        Some(format!("{megabits:.0} Mbit/s {place}"))
    }
}

fn of_process(process: &ProcessUse, run: &Run, cores: f64, seconds: f64) -> ProcessEvidence {
    ProcessEvidence {
        name: process.name.clone(),
        cpu: (process.cpu_user + process.cpu_system) / seconds,
        waiting: process.run_queue_wait / seconds,
        most: most(&process.name, run).map_or(cores, |threads| threads.min(cores)),
        busiest_thread: process.busiest_thread,
        voluntary: process.voluntary_switches as f64 / seconds,
        involuntary: process.involuntary_switches as f64 / seconds,
    }
}

/// Threads that do the work of a process, where it is not all that the machine has cores.
fn most(name: &str, run: &Run) -> Option<f64> {
    match name {
        "consumer" => Some(http_threads(&run.settings)),
        "generator" if run.outcome.generator.threads > 0 => {
            Some(run.outcome.generator.threads as f64)
        }
        _ => None,
    }
}

/// `http.threads` of the consumer as it was set, else its default.
fn http_threads(settings: &[String]) -> f64 {
    let mut set =
        settings.iter().filter(|setting| setting.starts_with("consumer ")).filter_map(|setting| {
            let at = setting.find("http-threads").or_else(|| setting.find("http.threads"))?;
            let value = setting[at + "http-threads".len()..].trim_start_matches(['=', ' ']);
            value.split_whitespace().next()?.parse::<usize>().ok()
        });
    set.next_back().unwrap_or(consumer::settings::HttpConfig::default().threads).max(1) as f64
}

fn idle(host: &HostUse) -> Option<f64> {
    let cores = host.cores.len() as f64;
    (cores > 0.0).then(|| host.cores.iter().map(|core| core.idle).sum::<f64>() / cores)
}

fn is_loopback(target: &Target) -> bool {
    let url = match target {
        Target::Http(http) => &http.url,
        Target::Rpc(rpc) => &rpc.url,
        Target::Generic(generic) => &generic.url,
        Target::Null => return true,
    };
    // Without one it is the stack that the command starts.
    let host = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
    host.is_empty() || ["127.", "localhost", "[::1]"].iter().any(|own| host.starts_with(own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_of_the_consumer_are_those_that_were_set() {
        let threads = |settings: &[&str]| {
            http_threads(&settings.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(threads(&[]), 1.0);
        assert_eq!(threads(&["provider --threads=9", "consumer --http-threads=4"]), 4.0);
        assert_eq!(threads(&["consumer --http-threads 3 --serialization raw"]), 3.0);
        assert_eq!(threads(&["consumer -D dubbo.http.threads=2"]), 2.0);
        assert_eq!(threads(&["consumer --http-threads=none"]), 1.0);
    }
}
