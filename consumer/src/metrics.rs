//! `/metrics` of the consumer: its requests, its connections to providers, its threads.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::registry::Registry;
use provider::metrics::encode::{counter, counters, durations, gauge, number};
use provider::metrics::pool::PoolMetrics;
use provider::metrics::process::ProcessMetrics;
use provider::metrics::written;
use rpc_core::client::{ClientSnapshot, Consumer};
use rpc_core::filter::MonitorSnapshot;
use rpc_core::pool::WorkerPool;

use crate::counts::{Endpoint, Outcome};
use crate::health::Health;

/// What is looked at when the page is asked for.
#[derive(Default)]
pub struct Watched {
    consumers: Mutex<Vec<Arc<Consumer>>>,
    threads: Mutex<Option<Arc<WorkerPool>>>,
    monitor: AtomicBool,
}

impl Watched {
    /// The consumer side of one thread.
    pub fn consumer(&self, consumer: Arc<Consumer>) {
        self.consumers().push(consumer);
    }

    /// The threads for requests that block.
    pub fn threads(&self, threads: Arc<WorkerPool>) {
        *self.threads.lock().unwrap_or_else(PoisonError::into_inner) = Some(threads);
    }

    /// The filter `monitor` is on.
    pub fn monitor(&self) {
        self.monitor.store(true, Ordering::Relaxed);
    }

    fn consumers(&self) -> MutexGuard<'_, Vec<Arc<Consumer>>> {
        self.consumers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn monitored(&self) -> Option<MonitorSnapshot> {
        let consumers = self.consumers();
        let all = consumers.iter().map(|consumer| consumer.monitored());
        let sum = || all.fold(MonitorSnapshot::default(), |sum, one| sum.plus(&one));
        self.monitor.load(Ordering::Relaxed).then(sum)
    }

    /// All consumer sides together.
    fn clients(&self) -> ClientSnapshot {
        let none = ClientSnapshot { providers: 0, connections: 0, reconnects: 0, calls: 0 };
        let consumers = self.consumers();
        consumers.iter().map(|consumer| consumer.snapshot()).fold(none, |sum, one| ClientSnapshot {
            providers: sum.providers + one.providers,
            connections: sum.connections + one.connections,
            reconnects: sum.reconnects + one.reconnects,
            calls: sum.calls + one.calls,
        })
    }
}

impl fmt::Debug for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watched").finish_non_exhaustive()
    }
}

/// The page.
#[must_use]
pub fn page(health: &Arc<Health>) -> String {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(ProcessMetrics));
    let ours = registry.sub_registry_with_prefix("dubbo_consumer");
    ours.register_collector(Box::new(Requests(Arc::clone(health))));
    ours.register_collector(Box::new(Clients(health.watched.clients())));
    if let Some(monitored) = health.watched.monitored() {
        ours.register_collector(Box::new(Monitored(monitored)));
    }
    let threads = health.watched.threads.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some(threads) = threads {
        let blocking = ours.sub_registry_with_prefix("http_blocking");
        blocking.register_collector(Box::new(PoolMetrics(threads.snapshot())));
    }
    written(&registry)
}

#[derive(Debug)]
struct Requests(Arc<Health>);

impl Collector for Requests {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let (counts, encoder) = (self.0.counts(), &mut encoder);
        let failures = counts.total(Outcome::ClientError) + counts.total(Outcome::ServerError);
        let all = failures + counts.total(Outcome::Success);
        counter(encoder, "http_requests", "Requests answered", all)?;
        counter(encoder, "http_failures", "Requests without success", failures)?;
        let samples = Endpoint::ALL.iter().flat_map(|endpoint| {
            Outcome::ALL.map(|outcome| {
                let labels = [("route", endpoint.route()), ("outcome", outcome.as_str())];
                (labels, counts.of(*endpoint, outcome))
            })
        });
        let help = "Requests answered, by endpoint and by how they ended";
        counters(encoder, "http_endpoint_requests", help, samples)
    }
}

#[derive(Debug)]
struct Clients(ClientSnapshot);

impl Collector for Clients {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let (clients, encoder) = (&self.0, &mut encoder);
        let help = "Providers that references hold, summed over the HTTP threads";
        gauge(encoder, "providers", help, number(clients.providers))?;
        let help = "Connections to providers that are open";
        gauge(encoder, "connections", help, number(clients.connections))?;
        let help = "Attempts of calls under way, those that wait for a connection among them";
        gauge(encoder, "requests_processing", help, number(clients.calls))?;
        let help = "Connections opened again after they were lost";
        counter(encoder, "reconnects", help, clients.reconnects)
    }
}

/// What the filter `monitor` has seen.
#[derive(Debug)]
struct Monitored(MonitorSnapshot);

impl Collector for Monitored {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let (seen, encoder) = (&self.0, &mut encoder);
        let MonitorSnapshot { succeeded, threw, failed, .. } = *seen;
        counter(encoder, "requests", "Calls that ended", succeeded + threw + failed)?;
        counter(encoder, "requests_succeed", "Calls whose method returned", succeeded)?;
        let kinds = [([("kind", "exception")], threw), ([("kind", "error")], failed)];
        let help = "Calls that failed: the method threw (exception), or did not answer (error)";
        counters(encoder, "requests_failed", help, kinds)?;
        durations(encoder, "rt", "Time that calls took, however they ended", &seen.times)
    }
}
