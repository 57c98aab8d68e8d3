//! `/metrics` of the gateway.

use std::fmt;
use std::sync::Arc;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Registry;
use provider::metrics::encode::counters;
use provider::metrics::process::ProcessMetrics;
use provider::metrics::written;

use super::breaker::Shown;
use super::counts::Counts;
use super::routes::Routes;

/// Label of requests that no route takes.
const NO_ROUTE: &str = "";

/// The page.
pub(super) fn page(routes: &Arc<Routes>) -> String {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(ProcessMetrics));
    let ours = registry.sub_registry_with_prefix("gateway");
    ours.register_collector(Box::new(OfRoutes(Arc::clone(routes))));
    written(&registry)
}

#[derive(Debug)]
struct OfRoutes(Arc<Routes>);

impl Collector for OfRoutes {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        self.requests(&mut encoder)?;
        let help = "Answers that were a route's fallback";
        self.each(&mut encoder, "fallbacks", help, |counts| counts.fallbacks.get())?;
        let help = "Further attempts after a failure that reached nobody";
        self.each(&mut encoder, "retries", help, |counts| counts.retries.get())?;
        let help = "Requests refused because of a route's rate limit";
        self.each(&mut encoder, "rate_limited", help, |counts| counts.rate_limited.get())?;
        self.breakers(&mut encoder)
    }
}

impl OfRoutes {
    fn requests(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let routes = self.0.all.iter().map(|route| (route.name.as_str(), &route.counts));
        let samples: Vec<(&str, String, u64)> = routes
            .chain([(NO_ROUTE, &self.0.unrouted)])
            .flat_map(|(name, counts)| {
                let answers = counts.answers().into_iter();
                answers.map(move |(status, count)| (name, status.to_string(), count))
            })
            .collect();
        let samples = samples
            .iter()
            .map(|(name, status, count)| ([("route", *name), ("status", status.as_str())], *count));
        let help = "Requests answered, by route (empty: none) and status";
        counters(encoder, "requests", help, samples)
    }

    fn each(
        &self,
        encoder: &mut DescriptorEncoder<'_>,
        name: &str,
        help: &str,
        count: impl Fn(&Counts) -> u64,
    ) -> Result<(), fmt::Error> {
        let routes = self.0.all.iter();
        let samples = routes.map(|it| ([("route", it.name.as_str())], count(&it.counts)));
        counters(encoder, name, help, samples)
    }

    fn breakers(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let with =
            self.0.all.iter().filter_map(|it| Some((it.name.as_str(), it.breaker.as_ref()?)));
        let openings = with.clone().map(|(name, it)| ([("route", name)], it.openings()));
        counters(encoder, "breaker_openings", "Times that a closed breaker opened", openings)?;
        let help = "1 for the state that a route's circuit breaker is in";
        let mut gauges =
            encoder.encode_descriptor("breaker_state", help, None, MetricType::Gauge)?;
        for (name, breaker) in with {
            let now = breaker.shown();
            for state in Shown::ALL {
                let labels = [("route", name), ("state", state.as_str())];
                gauges.encode_family(&labels)?.encode_gauge(&i64::from(state == now))?;
            }
        }
        Ok(())
    }
}
