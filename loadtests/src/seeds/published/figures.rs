//! Figures of a record, under the names that measured ones have too.

use serde_json::{Map, Value};

use super::Record;
use crate::result::Figure;

/// Names of ab's lines in the file, our names, units.
const AB: [(&str, &str, &str); 8] = [
    ("/rps", "rate", "1/s"),
    ("/time_taken_s", "time-taken", "s"),
    ("/complete", "complete", ""),
    ("/failed/total", "failed", ""),
    ("/non_2xx", "non-2xx", ""),
    ("/mean_ms", "time-per-request", "ms"),
    ("/connection_times_ms/total/mean", "mean", "ms"),
    ("/connection_times_ms/connect/max", "connect-max", "ms"),
];

const HOST: [(&str, &str, &str); 11] = [
    ("/process/cpu_pct", "cpu_pct", "%"),
    ("/process/rss_gib", "rss", "GiB"),
    ("/process/rss_mib", "rss", "MiB"),
    ("/load_average/0", "load-1m", ""),
    ("/load_average/1", "load-5m", ""),
    ("/load_average/2", "load-15m", ""),
    ("/cores/0/user_pct", "user-core0", "%"),
    ("/cores/0/system_pct", "system-core0", "%"),
    ("/cores/0/softirq_pct", "softirq-core0", "%"),
    ("/cores/1/system_pct", "system-core1", "%"),
    ("/cores/1/softirq_pct", "softirq-core1", "%"),
];

const CELL: [(&str, &str, &str); 6] = [
    ("/rps", "rate", "1/s"),
    ("/mean_across_ms", "seconds-over-requests", "ms"),
    ("/gc/young_count", "young-collections", ""),
    ("/gc/full_count", "full-collections", ""),
    ("/gc/young_time_s", "young-time", "s"),
    ("/gc/total_time_s", "collection-time", "s"),
];

const JMETER: [(&str, &str, &str); 7] = [
    ("/tps", "tps", "1/s"),
    ("/samples", "complete", ""),
    ("/mean_ms", "mean", "ms"),
    ("/p90_ms", "p90", "ms"),
    ("/p95_ms", "p95", "ms"),
    ("/p99_ms", "p99", "ms"),
    ("/provider_cpu_pct", "provider-cpu", "%"),
];

impl Record {
    /// Its figures.
    #[must_use]
    pub fn figures(&self) -> Vec<Figure> {
        let mut figures = Vec::new();
        let tables = [
            (&self.ab, &AB[..]),
            (&self.host, &HOST[..]),
            (&self.cell, &CELL[..]),
            (&self.jmeter, &JMETER[..]),
        ];
        for (value, names) in tables {
            if let Some(value) = value {
                figures.extend(named(value, names));
            }
        }
        if let Some(ab) = &self.ab {
            figures.extend(percentiles(ab.pointer("/percentiles_ms"), 1.0));
        }
        if let Some(jmh) = &self.jmh {
            figures.extend(jmh_figures(jmh));
        }
        if let Some(Value::Object(cells)) = &self.cells {
            figures.extend(cells.iter().flat_map(|(name, cell)| cell_figures(name, cell)));
        }
        for point in self.sweep.iter().flatten() {
            figures.extend(point_figures(point));
        }
        for value in [&self.published, &self.settings].into_iter().flatten() {
            flatten("", value, &mut figures);
        }
        if figures.is_empty() && self.settings.is_some() {
            // The form of a load: what the tool was given.
            flatten("", self.options.as_ref().unwrap_or(&Value::Null), &mut figures);
        }
        for derived in &self.derived {
            let from = figures.len();
            flatten(&derived.name, &derived.value, &mut figures);
            for figure in &mut figures[from..] {
                figure.unit.clone_from(&derived.unit);
            }
        }
        figures
    }

    /// What it says in words: settings that are no numbers.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let options = self.settings.as_ref().and(self.options.as_ref());
        for value in
            [self.settings.as_ref(), self.published.as_ref(), options].into_iter().flatten()
        {
            collect_words("", value, &mut words);
        }
        words
    }
}

fn named<'a>(
    value: &'a Value,
    names: &'a [(&str, &str, &str)],
) -> impl Iterator<Item = Figure> + 'a {
    names.iter().filter_map(|(pointer, name, unit)| {
        Some(figure(name, unit, value.pointer(pointer)?.as_f64()?))
    })
}

/// A figure without an interval.
fn figure(name: &str, unit: &str, value: f64) -> Figure {
    Figure { name: name.to_owned(), unit: unit.to_owned(), value, interval: None }
}

/// `{"50": 2, ..., "100": 224}`; 100 is the longest.
fn percentiles(table: Option<&Value>, to_ms: f64) -> Vec<Figure> {
    let Some(Value::Object(table)) = table else { return Vec::new() };
    let mut points: Vec<(f64, f64)> = table
        .iter()
        .filter_map(|(percent, value)| Some((percent.parse().ok()?, value.as_f64()?)))
        .collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let name = |percent: f64| match percent {
        0.0 => "min".to_owned(),
        100.0 => "max".to_owned(),
        _ => format!("p{percent}"),
    };
    let round = |value: f64| (value * 1e6).round() / 1e6;
    let shown = points.into_iter().map(|(percent, value)| (name(percent), round(value * to_ms)));
    shown.map(|(name, value)| figure(&name, "ms", value)).collect()
}

fn jmh_figures(jmh: &Value) -> Vec<Figure> {
    let unit = jmh.pointer("/unit").and_then(Value::as_str).unwrap_or_default();
    let mut figures: Vec<Figure> =
        named(jmh, &[("/score", "score", ""), ("/error", "error", "")]).collect();
    for figure in &mut figures {
        unit.clone_into(&mut figure.unit);
    }
    figures.extend(named(jmh, &[("/count", "count", "")]));
    figures.extend(percentiles(jmh.pointer("/percentiles_s"), 1000.0));
    figures
}

/// A cell of a summary: one value, or from and to.
fn cell_figures(name: &str, cell: &Value) -> Vec<Figure> {
    let unit = match cell.pointer("/unit").and_then(Value::as_str) {
        Some("bool") | None => "",
        Some(unit) => unit,
    };
    let truth = cell.pointer("/value").and_then(Value::as_bool).map(|yes| f64::from(u8::from(yes)));
    let value = |pointer| cell.pointer(pointer).and_then(Value::as_f64);
    [
        (name.to_owned(), value("/value").or(truth)),
        (format!("{name}-min"), value("/min")),
        (format!("{name}-max"), value("/max")),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some(figure(&name, unit, value?)))
    .collect()
}

fn point_figures(point: &Value) -> Vec<Figure> {
    let Some(connections) = point.pointer("/c").and_then(Value::as_u64) else { return Vec::new() };
    let value = |pointer, name: &str, unit| {
        let value = point.pointer(pointer).and_then(Value::as_f64)?;
        Some(figure(&format!("c{connections}-{name}"), unit, value))
    };
    let fields = [value("/tps", "tps", "1/s"), value("/p95_ms", "p95", "ms")];
    fields.into_iter().flatten().collect()
}

/// Numbers of a nested value: names joined by dashes, items of a list numbered from 1.
fn flatten(name: &str, value: &Value, into: &mut Vec<Figure>) {
    match value {
        Value::Number(number) => {
            if let Some(value) = number.as_f64() {
                into.push(figure(name, "", value));
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                flatten(&format!("{name}-{}", index + 1), item, into);
            }
        }
        Value::Object(fields) => {
            for (field, value) in fields {
                flatten(&joined(name, field), value, into);
            }
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

fn collect_words(name: &str, value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(word) => into.push(format!("{name} {word}")),
        Value::Array(items) => items.iter().for_each(|item| collect_words(name, item, into)),
        Value::Object(fields) => fields_words(name, fields, into),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn fields_words(name: &str, fields: &Map<String, Value>, into: &mut Vec<String>) {
    for (field, value) in fields {
        collect_words(&joined(name, field), value, into);
    }
}

fn joined(name: &str, field: &str) -> String {
    if name.is_empty() { field.to_owned() } else { format!("{name}-{field}") }
}

#[cfg(test)]
mod tests {
    use crate::seeds::published::published;

    fn value(key: &str, name: &str) -> f64 {
        let record = published().unwrap().record(key).unwrap();
        let figures = record.figures();
        let found = figures.iter().find(|figure| figure.name == name);
        found.unwrap_or_else(|| panic!("{key} has no {name} among {figures:?}")).value
    }

    #[test]
    fn each_kind_of_record_has_its_figures() {
        assert_eq!(value("S1-14", "rate"), 4043.77);
        assert_eq!(value("S1-14", "p95"), 4.0);
        assert_eq!(value("S1-14", "max"), 224.0);
        assert_eq!(value("S1-17", "softirq-core0"), 7.6);
        assert_eq!(value("S1-29", "total_rps"), 1083.09);
        assert_eq!(value("S1-44/1k", "tps-max"), 9000.0);
        assert_eq!(value("S3-12", "collection-time"), 30.6);
        assert_eq!(value("S5-18", "p99.9"), 30.0);
        assert_eq!(value("S5-27/sweep", "c2000-p95"), 608.0);
        assert_eq!(value("S2-03", "n"), 10_000.0);
    }
}
