//! One page for people: what was run, what it did, what that means. It needs nothing but itself.
//!
//! | room | what it writes |
//! |---|---|
//! | `header` | what was run, when, on which machine |
//! | `summary` | every run as a row of one table |
//! | `charts` | the places of the charts, and the data that they draw |
//! | `thin` | fewer points where many would not be seen |
//! | `paper` | the main charts as pictures, for paper and for readers without scripts |
//! | `sweep`, `ablation`, `seeds` | what these commands made of their runs |
//! | `glossary` | words, lines of `ab`, and published misreadings |
//! | `texts`, `markup` | both languages; text that stays text |

mod ablation;
mod charts;
mod glossary;
mod header;
mod markup;
mod paper;
mod runs;
mod seeds;
mod summary;
mod sweep;
mod texts;
mod thin;
mod verdict;

use std::path::Path;

use anyhow::{Context, Result};

use crate::result::ResultFile;
use markup::both;
use runs::runs_of;

const STYLE: &str = include_str!("../assets/report.css");
const SCRIPT: &str = include_str!("../assets/report.js");
const UPLOT_STYLE: &str = include_str!("../assets/uPlot.min.css");
const UPLOT: &str = include_str!("../assets/uPlot.iife.min.js");

/// What a browser may do with the page: run what is in it, and ask nobody for anything.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
                      img-src data:; base-uri 'none'; form-action 'none'";

/// The page of these results, in the order given.
#[must_use]
pub fn page(files: &[ResultFile]) -> String {
    let runs = runs_of(files);
    let body = [
        header::all(files),
        summary::section(&runs),
        charts::section(&runs),
        sweep::sections(files, &runs),
        ablation::sections(files, &runs),
        seeds::sections(files, &runs),
        glossary::section(),
        footer(runs.len()),
    ]
    .concat();
    frame(files, &body, &charts::data(&runs))
}

/// Writes the page of these results.
///
/// # Errors
/// When the file cannot be written.
pub fn write(path: &Path, files: &[ResultFile]) -> Result<()> {
    std::fs::write(path, page(files))
        .with_context(|| format!("cannot write the report to {}", path.display()))
}

fn frame(files: &[ResultFile], body: &str, data: &str) -> String {
    let title = files.first().map_or("loadtests", |file| file.command.as_str());
    let title = markup::text(title);
    let name = both(texts::TITLE);
    format!(
        r##"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title} · loadtests</title>
<link rel="icon" href="data:,">
<style>{UPLOT_STYLE}
{STYLE}</style>
<noscript><style>.scripted{{display:none!important}}.paper{{display:grid!important}}
#zh:target [lang=zh]{{display:revert!important}}#zh:target [lang=en]{{display:none!important}}</style></noscript>
</head>
<body id="zh">
<header class="bar"><h1>{name}</h1>
<nav aria-label="Language / 语言"><a href="#en" lang="en-US" hreflang="en">English</a><a href="#zh" lang="zh-CN" hreflang="zh">中文</a></nav></header>
<main>
{body}
</main>
<script type="application/json" id="data">{data}</script>
<script>{UPLOT}
{SCRIPT}</script>
</body>
</html>
"##
    )
}

fn footer(runs: usize) -> String {
    let points = thin::points(runs);
    format!(
        "<footer><p>{}</p><p>{} <b>{points}</b>.</p><p>{}</p></footer>",
        both(texts::FOOTER_SELF_CONTAINED),
        both(texts::FOOTER_THINNED),
        both(texts::FOOTER_UPLOT),
    )
}

#[cfg(test)]
mod tests;
