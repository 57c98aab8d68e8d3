//! What each part of a call costs, as one bar and a table.

use super::markup::{both, number, percent, text};
use super::runs::{PageRun, find};
use super::texts;
use crate::result::{Ablation, ResultFile, Share};

/// The ablations of these files.
pub(super) fn sections(files: &[ResultFile], runs: &[PageRun<'_>]) -> String {
    let found = files
        .iter()
        .enumerate()
        .filter_map(|(file, result)| Some((file, result.ablation.as_ref()?)));
    found.map(|(file, ablation)| section(file, ablation, runs)).collect()
}

fn section(file: usize, ablation: &Ablation, runs: &[PageRun<'_>]) -> String {
    let valid = |share: &Share| {
        share.runs.iter().all(|run| find(runs, file, *run).is_some_and(PageRun::is_valid))
    };
    let known: f64 =
        ablation.shares.iter().filter(|share| valid(share)).map(|share| share.us.max(0.0)).sum();
    // Parts may add up to more than the whole, as each is measured with an error of its own.
    let full = ablation.whole_us.max(known).max(f64::MIN_POSITIVE);
    let mut bar = String::new();
    let mut rows = String::new();
    for (place, share) in ablation.shares.iter().enumerate() {
        let colour = format!("c{}", place % 8);
        if valid(share) {
            bar.push_str(&segment(&colour, share.us.max(0.0) / full, &text(&share.part)));
        }
        rows.push_str(&row(&colour, share, ablation.whole_us, valid(share)));
    }
    let rest = ablation.whole_us - known;
    bar.push_str(&segment("rest", rest.max(0.0) / full, &both(texts::EVERYTHING_ELSE)));
    rows.push_str(&line(
        "rest",
        &both(texts::EVERYTHING_ELSE),
        &number(rest),
        &share_of(rest, ablation.whole_us),
        "–",
        "",
    ));
    rows.push_str(&line(
        "none",
        &format!("<b>{}</b>", both(texts::WHOLE_CALL)),
        &number(ablation.whole_us),
        "",
        "–",
        "",
    ));
    format!(
        r#"<section aria-labelledby="h-ablation-{file}"><h2 id="h-ablation-{file}">{}</h2><p class="quiet">{}</p><div class="card"><div class="stack" aria-hidden="true">{bar}</div><div class="scroll"><table><thead><tr><th scope="col">{}</th><th scope="col" class="n">{}</th><th scope="col" class="n">{}</th><th scope="col" class="n">{}</th></tr></thead><tbody>{rows}</tbody></table></div></div></section>"#,
        both(texts::ABLATION),
        both(texts::ABLATION_HINT),
        both(texts::PART),
        both(texts::US_PER_CALL),
        both(texts::SHARE),
        both(texts::LIKELY),
    )
}

fn segment(class: &str, share: f64, name: &str) -> String {
    let label = if share >= 0.08 { name } else { "" };
    format!(r#"<span class="{class}" style="--w:{:.2}%">{label}</span>"#, share * 100.0)
}

fn row(colour: &str, share: &Share, whole: f64, valid: bool) -> String {
    let likely = share.interval.map_or("–".to_owned(), |interval| {
        format!("{} – {}", number(interval.low), number(interval.high))
    });
    let word = match valid {
        true => String::new(),
        false => format!(r#" <span class="badge bad">{}</span>"#, both(texts::INVALID)),
    };
    let name = format!("{}{word}", text(&share.part));
    let of = if valid { share_of(share.us, whole) } else { "–".to_owned() };
    line(colour, &name, &number(share.us), &of, &likely, if valid { "" } else { "invalid" })
}

fn share_of(us: f64, whole: f64) -> String {
    if whole > 0.0 { percent(us / whole) } else { "–".to_owned() }
}

fn line(colour: &str, name: &str, us: &str, share: &str, likely: &str, class: &str) -> String {
    format!(
        r#"<tr class="{class}"><th scope="row"><i class="swatch {colour}"></i>{name}</th><td class="n">{us}</td><td class="n">{share}</td><td class="n">{likely}</td></tr>"#
    )
}
