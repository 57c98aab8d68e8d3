//! The main charts as pictures, for paper and for readers without scripts. The pictures carry only
//! numbers; names stand beside them as text.

use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

use super::markup::{Text, both, text};
use super::runs::PageRun;
use super::{texts, thin};

/// More lines than this cannot be told apart.
const MOST_LINES: usize = 8;
/// The colours of the lines; the script has the same ones.
const COLOURS: [RGBColor; MOST_LINES] = [
    RGBColor(0x2a, 0x78, 0xd6),
    RGBColor(0xeb, 0x68, 0x34),
    RGBColor(0x1b, 0xaf, 0x7a),
    RGBColor(0xc9, 0x85, 0x00),
    RGBColor(0x4a, 0x3a, 0xa7),
    RGBColor(0xe3, 0x49, 0x48),
    RGBColor(0x00, 0x83, 0x00),
    RGBColor(0xe8, 0x7b, 0xa4),
];

type Line = Vec<(f64, f64)>;

/// The pictures, shown on paper and without scripts.
pub(super) fn section(runs: &[PageRun<'_>]) -> String {
    let shown: Vec<&PageRun<'_>> =
        runs.iter().filter(|run| run.is_valid()).take(MOST_LINES).collect();
    if shown.is_empty() {
        return String::new();
    }
    let lines =
        |of: &dyn Fn(&PageRun<'_>) -> Line| shown.iter().map(|run| of(run)).collect::<Vec<_>>();
    let limit = thin::points(runs.len());
    let over_time = |run: &PageRun<'_>, pick: fn(&(f64, f64, f64)) -> f64| {
        let seconds = thin::timeline(&run.run.outcome.timeline, limit);
        seconds.iter().map(|second| (second.0, pick(second))).collect()
    };
    let latency = lines(&|run| {
        thin::grid().into_iter().zip(thin::curve(&run.run.outcome.response)).collect()
    });
    let pictures = [
        (texts::CHART_LATENCY, picture(&latency, Across::Nines)),
        (
            texts::CHART_RATE,
            picture(&lines(&|run| over_time(run, |second| second.1)), Across::Seconds),
        ),
        (
            texts::CHART_P99,
            picture(&lines(&|run| over_time(run, |second| second.2)), Across::Seconds),
        ),
    ];
    let figures: String = pictures
        .into_iter()
        .filter_map(|(title, svg)| svg.map(|svg| figure(title, &svg)))
        .collect();
    format!(
        r#"<section class="paper"><ul class="legend">{}</ul>{figures}</section>"#,
        legend(&shown)
    )
}

fn figure(title: Text, svg: &str) -> String {
    format!(
        r#"<figure class="card"><figcaption><h3>{}</h3></figcaption>{svg}</figure>"#,
        both(title)
    )
}

fn legend(shown: &[&PageRun<'_>]) -> String {
    shown
        .iter()
        .zip(COLOURS)
        .map(|(run, RGBColor(red, green, blue))| {
            format!(
                r#"<li><i style="background:rgb({red},{green},{blue})"></i>{}</li>"#,
                text(&run.name)
            )
        })
        .collect()
}

/// What goes from left to right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Across {
    /// Quantiles: 90 %, 99 %, 99.9 % at even distances.
    Nines,
    /// Seconds of the run.
    Seconds,
}

/// The picture, or nothing when there is nothing to draw.
fn picture(lines: &[Line], across: Across) -> Option<String> {
    let points = || lines.iter().flatten();
    let right = points().map(|point| point.0).fold(0.0, f64::max);
    let top = points().map(|point| point.1).fold(0.0, f64::max) * 1.05;
    if right <= 0.0 || top <= 0.0 {
        return None;
    }
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (720, 300)).into_drawing_area();
        let drawn = match across {
            Across::Nines => draw(&area, (1.0..right).log_scale(), top, lines, &nines),
            Across::Seconds => {
                draw(&area, 0.0..right, top, lines, &|at: &f64| format!("{at:.0} s"))
            }
        };
        drawn.ok()?;
    }
    Some(scalable(&svg))
}

fn draw<X>(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    across: X,
    top: f64,
    lines: &[Line],
    label: &dyn Fn(&f64) -> String,
) -> Result<(), Box<dyn std::error::Error>>
where
    X: AsRangedCoord<Value = f64>,
    X::CoordDescType: ValueFormatter<f64>,
{
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .x_label_area_size(30)
        .y_label_area_size(64)
        .build_cartesian_2d(across, 0.0..top)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(0xdd, 0xdd, 0xdd))
        .axis_style(RGBColor(0x88, 0x88, 0x88))
        .label_style(("sans-serif", 13))
        .x_label_formatter(label)
        .y_label_formatter(&|value| super::markup::number(*value))
        .draw()?;
    for (line, colour) in lines.iter().zip(COLOURS) {
        chart.draw_series(LineSeries::new(line.iter().copied(), colour.stroke_width(2)))?;
    }
    area.present()?;
    Ok(())
}

/// `1 / (1 - quantile)` as a percentage: 100 is `99%`.
fn nines(x: &f64) -> String {
    let decimals = (x.log10().round() as usize).saturating_sub(2);
    format!("{:.decimals$}%", 100.0 - 100.0 / x)
}

/// As wide as the page, whatever size it was drawn at.
fn scalable(svg: &str) -> String {
    svg.replacen(r#"width="720" height="300""#, r#"role="img" aria-hidden="true""#, 1)
}

#[cfg(test)]
mod tests {
    use super::{Across, nines, picture};

    #[test]
    fn nines_are_percentages() {
        let labels: Vec<String> = [1.0, 10.0, 100.0, 1000.0, 1e5].iter().map(nines).collect();
        assert_eq!(labels, ["0%", "90%", "99%", "99.9%", "99.999%"]);
    }

    #[test]
    fn a_picture_scales_and_holds_every_line() {
        let lines = [vec![(1.0, 1.0), (1000.0, 9.0)], vec![(1.0, 2.0), (100.0, 3.0)]];
        let svg = picture(&lines, Across::Nines).expect("a picture");
        let opening = svg.split('>').next().unwrap_or_default();
        assert!(opening.contains("viewBox=\"0 0 720 300\""), "{opening}");
        assert!(!opening.contains(" width="), "{opening}");
        assert!(svg.contains("#2A78D6") && svg.contains("#EB6834"), "{svg}");
        assert!(svg.contains("99.9%"), "{svg}");
    }

    #[test]
    fn nothing_to_draw_is_no_picture() {
        assert_eq!(picture(&[Vec::new()], Across::Seconds), None);
    }
}
