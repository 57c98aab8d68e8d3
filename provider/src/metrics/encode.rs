//! The few forms of metrics that our pages have.

use std::fmt::Error;

use prometheus_client::encoding::{
    DescriptorEncoder, EncodeCounterValue, EncodeGaugeValue, EncodeMetric, MetricEncoder,
    NoLabelSet,
};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Unit;
use rpc_core::histogram::HistogramSnapshot;

use super::durations::Durations;

/// Label names and values of one sample.
pub type Labels<'a, const N: usize> = [(&'static str, &'a str); N];

/// A gauge with one sample.
///
/// # Errors
/// When the page cannot be written.
pub fn gauge(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    value: impl EncodeGaugeValue + Copy,
) -> Result<(), Error> {
    encoder.encode_descriptor(name, help, None, MetricType::Gauge)?.encode_gauge(&value)
}

/// A counter with one sample.
///
/// # Errors
/// When the page cannot be written.
pub fn counter(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    value: impl EncodeCounterValue + Copy,
) -> Result<(), Error> {
    let mut metric = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
    metric.encode_counter::<NoLabelSet, _, f64>(&value, None)
}

/// A counter with a sample for each set of labels.
///
/// # Errors
/// When the page cannot be written.
pub fn counters<'a, const N: usize>(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    samples: impl IntoIterator<Item = (Labels<'a, N>, u64)>,
) -> Result<(), Error> {
    let mut metric = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
    for (labels, value) in samples {
        metric.encode_family(&labels)?.encode_counter::<NoLabelSet, _, f64>(&value, None)?;
    }
    Ok(())
}

/// A histogram of durations.
///
/// # Errors
/// When the page cannot be written.
pub fn durations(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    histogram: &HistogramSnapshot,
) -> Result<(), Error> {
    let seconds = Some(&Unit::Seconds);
    let metric: MetricEncoder<'_> =
        encoder.encode_descriptor(name, help, seconds, MetricType::Histogram)?;
    Durations(histogram).encode(metric)
}

/// Facts that do not change, as labels.
///
/// # Errors
/// When the page cannot be written.
pub fn info<const N: usize>(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    facts: &Labels<'_, N>,
) -> Result<(), Error> {
    encoder.encode_descriptor(name, help, None, MetricType::Info)?.encode_info(facts)
}

/// A number of things as a gauge shows it.
#[must_use]
pub fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
