//! `/metrics`: how full the registry is, in Prometheus' words.

use std::fmt;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

use super::store::Store;
use crate::allocator;

/// Of the text that [`text`] writes.
pub(super) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The figures of this moment. They are read when asked for; nothing is counted twice.
pub(super) fn text(store: &Store) -> Result<String, fmt::Error> {
    let load = store.load();
    let mut all = Registry::default();
    let facts = Info::new([("name", allocator::name())]);
    all.register("process_allocator", "What gives this process its memory", facts);
    let metrics = all.sub_registry_with_prefix("registry");
    let mut gauge = |name: &str, help: &str, value: usize| {
        metrics.register(name, help, ConstGauge::<u64>::new(value as u64));
    };
    gauge("sessions", "Clients that hold a session", load.sessions);
    gauge("watches", "Watches that wait for a change", load.watches);
    gauge("text_bytes", "Memory charged to the texts of entries", load.text_bytes);
    let mut counter = |name: &str, help: &str, value: u64| {
        metrics.register(name, help, ConstCounter::<u64>::new(value));
    };
    counter("changes", "Changes of any list since the start", store.revision());
    counter("sessions_lapsed", "Sessions that ended without a word", load.lapsed);
    metrics.register_with_unit(
        "uptime",
        "Time since the start",
        Unit::Seconds,
        ConstGauge::new(store.uptime().as_secs_f64()),
    );
    let mut text = String::new();
    encode(&mut text, &all)?;
    Ok(text)
}
