//! A sweep as heat maps: the last two axes across and down, one map for each choice of the others.

use std::collections::BTreeMap;

use super::markup::{Text, both, list, number, percent, text};
use super::runs::{PageRun, find};
use super::texts;
use crate::result::{Axis, Outcome, Recommendation, ResultFile, Sweep};

/// The sweeps of these files.
pub(super) fn sections(files: &[ResultFile], runs: &[PageRun<'_>]) -> String {
    let sweeps =
        files.iter().enumerate().filter_map(|(file, result)| Some((file, result.sweep.as_ref()?)));
    sweeps.map(|(file, sweep)| section(file, sweep, runs)).collect()
}

fn section(file: usize, sweep: &Sweep, runs: &[PageRun<'_>]) -> String {
    let maps = Maps { file, sweep, runs };
    format!(
        r#"<section aria-labelledby="h-sweep-{file}"><h2 id="h-sweep-{file}">{}</h2><p class="quiet">{}</p>{}{}{}</section>"#,
        both(texts::SWEEP),
        both(texts::SWEEP_HINT),
        maps.knee(),
        maps.all(),
        sweep.recommendation.as_ref().map(recommendation).unwrap_or_default(),
    )
}

/// What a map shows.
#[derive(Clone, Copy)]
struct Measure {
    title: Text,
    of: fn(&Outcome) -> f64,
    class: &'static str,
}

const MEASURES: [Measure; 2] = [
    Measure { title: texts::MAP_RATE, of: |outcome| outcome.rate, class: "more" },
    Measure { title: texts::MAP_P99, of: |outcome| outcome.response.p99, class: "less" },
];

/// Axis to value.
type Choice<'a> = BTreeMap<&'a str, &'a str>;

struct Maps<'a, 'b> {
    file: usize,
    sweep: &'a Sweep,
    runs: &'b [PageRun<'a>],
}

impl Maps<'_, '_> {
    fn all(&self) -> String {
        let axes = &self.sweep.axes;
        let (outer, inner) = axes.split_at(axes.len().saturating_sub(2));
        let maps: String = choices(outer)
            .iter()
            .flat_map(|fixed| MEASURES.iter().map(|measure| self.map(fixed, inner, *measure)))
            .collect();
        format!(r#"<div class="maps">{maps}</div>"#)
    }

    fn knee(&self) -> String {
        let Some(point) = self.sweep.knee.and_then(|knee| self.sweep.points.get(knee)) else {
            return format!("<p>{}</p>", both(texts::NO_KNEE));
        };
        let settings: Vec<String> = point
            .settings
            .iter()
            .map(|(name, value)| format!("{} = {}", text(name), text(value)))
            .collect();
        format!(
            r#"<p><span class="badge limit">{}</span> <b>{}</b></p>"#,
            both(texts::KNEE),
            settings.join(", ")
        )
    }

    fn map(&self, fixed: &Choice<'_>, inner: &[Axis], measure: Measure) -> String {
        let (down, across) = match inner {
            [down, across] => (Some(down), across),
            [across] => (None, across),
            _ => return String::new(),
        };
        let columns: String = across
            .values
            .iter()
            .map(|value| format!(r#"<th scope="col">{}</th>"#, text(value)))
            .collect();
        let one = [String::new()];
        let rows: String = down
            .map_or(&one[..], |axis| &axis.values[..])
            .iter()
            .map(|value| {
                let mut settings = fixed.clone();
                settings.extend(down.map(|axis| (axis.name.as_str(), value.as_str())));
                self.row(value, settings, across, measure)
            })
            .collect();
        let corner = down.map(|axis| format!("{} ↓<br>", text(&axis.name))).unwrap_or_default();
        let fixed: Vec<String> =
            fixed.iter().map(|(name, value)| format!("{} = {}", text(name), text(value))).collect();
        format!(
            r#"<div class="card scroll"><table class="map {}"><caption>{}<small>{}</small></caption><thead><tr><th scope="col">{corner}{} →</th>{columns}</tr></thead><tbody>{rows}</tbody></table></div>"#,
            measure.class,
            both(measure.title),
            fixed.join(", "),
            text(&across.name),
        )
    }

    fn row<'a>(
        &self,
        name: &str,
        mut settings: Choice<'a>,
        across: &'a Axis,
        measure: Measure,
    ) -> String {
        let cells: String = across
            .values
            .iter()
            .map(|value| {
                settings.insert(&across.name, value);
                self.cell(&settings, measure)
            })
            .collect();
        format!(r#"<tr><th scope="row">{}</th>{cells}</tr>"#, text(name))
    }

    fn cell(&self, settings: &Choice<'_>, measure: Measure) -> String {
        let here =
            self.sweep.points.iter().enumerate().find(|(_, point)| same(&point.settings, settings));
        let Some((place, point)) = here else { return "<td></td>".to_owned() };
        let Some(run) = find(self.runs, self.file, point.run) else {
            return "<td></td>".to_owned();
        };
        let mark = match self.sweep.knee == Some(place) {
            true => format!("<small>{}</small>", both(texts::KNEE)),
            false => String::new(),
        };
        let class = if mark.is_empty() { "" } else { "knee" };
        if !run.is_valid() {
            return format!(r#"<td class="invalid {class}">{}{mark}</td>"#, both(texts::INVALID));
        }
        let value = (measure.of)(&run.run.outcome);
        let heat = self.heat(value, measure);
        let ink = if heat > 0.55 { "deep" } else { "" };
        format!(
            r#"<td class="{ink} {class}" style="--h:{:.0}%">{}{mark}</td>"#,
            heat * 100.0,
            number(value)
        )
    }

    /// Where a value stands between the lowest and the highest of the valid runs, 0 to 1.
    fn heat(&self, value: f64, measure: Measure) -> f64 {
        let values = self.sweep.points.iter().filter_map(|point| {
            let run = find(self.runs, self.file, point.run)?;
            run.is_valid().then(|| (measure.of)(&run.run.outcome))
        });
        let (low, high) = values
            .fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
        // Latencies span decades; on an even scale all but the worst would look alike.
        let scale = |value: f64| if measure.class == "less" { value.max(1e-3).ln() } else { value };
        let width = scale(high) - scale(low);
        if width > 0.0 { ((scale(value) - scale(low)) / width).clamp(0.0, 1.0) } else { 0.0 }
    }
}

fn same(point: &BTreeMap<String, String>, settings: &Choice<'_>) -> bool {
    settings.iter().all(|(name, value)| point.get(*name).is_some_and(|here| here == value))
}

/// Every choice of one value of each axis; one empty choice when there is no axis.
fn choices(axes: &[Axis]) -> Vec<Choice<'_>> {
    let mut choices = vec![Choice::new()];
    for axis in axes {
        choices = choices.iter().flat_map(|choice| longer(choice, axis)).collect();
    }
    choices
}

fn longer<'a>(choice: &Choice<'a>, axis: &'a Axis) -> Vec<Choice<'a>> {
    let with = |value: &'a String| {
        let mut longer = choice.clone();
        longer.insert(&axis.name, value);
        longer
    };
    axis.values.iter().map(with).collect()
}

fn recommendation(advice: &Recommendation) -> String {
    let change =
        |times: f64| format!("{}{}", if times >= 1.0 { "+" } else { "" }, percent(times - 1.0));
    format!(
        r#"<div class="card advice"><h3>{}</h3><p>{} <b>{}</b> ({} – {}, {})</p><div class="mend"><pre><code>{}</code></pre><button type="button" class="copy scripted">{}</button></div><h4>{}</h4>{}</div>"#,
        both(texts::RECOMMENDATION),
        both(texts::GAIN),
        change(advice.gain),
        change(advice.interval.low),
        change(advice.interval.high),
        percent(advice.interval.confidence),
        text(&advice.toml),
        both(texts::COPY),
        both(texts::ASSUMPTIONS),
        list(advice.assumptions.iter().map(String::as_str)),
    )
}

#[cfg(test)]
mod tests {
    use super::choices;
    use crate::result::Axis;

    #[test]
    fn outer_axes_make_one_map_for_each_choice() {
        let axis = |name: &str, values: &[&str]| Axis {
            name: name.to_owned(),
            values: values.iter().map(|value| (*value).to_owned()).collect(),
        };
        assert_eq!(choices(&[]).len(), 1);
        let axes = [axis("a", &["1", "2"]), axis("b", &["x", "y", "z"])];
        let choices = choices(&axes);
        assert_eq!(choices.len(), 6);
        assert_eq!((choices[5]["a"], choices[5]["b"]), ("2", "z"));
    }
}
