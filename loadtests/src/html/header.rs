//! What was run, when, on which machine; what on that machine is not well stands first.

use std::time::{Duration, UNIX_EPOCH};

use super::markup::{Text, both, bytes, count, number, text};
use super::texts;
use crate::result::{HostCheck, HostFacts, ResultFile};

/// One card for each file.
pub(super) fn all(files: &[ResultFile]) -> String {
    files.iter().enumerate().map(|(place, file)| card(place, file, files.len() > 1)).collect()
}

fn card(place: usize, file: &ResultFile, several: bool) -> String {
    let number = if several { format!("{} · ", place + 1) } else { String::new() };
    let words: Vec<String> =
        std::iter::once(&file.command).chain(&file.arguments).map(|word| text(word)).collect();
    let partial = match file.partial {
        true => format!(r#" <span class="badge bad">{}</span>"#, both(texts::PARTIAL)),
        false => String::new(),
    };
    format!(
        r#"<section class="card file"><h2>{number}<code>loadtests {}</code>{partial}</h2>{}{}{}</section>"#,
        words.join(" "),
        when(file),
        machine(&file.host),
        checks(&file.host.checks),
    )
}

fn when(file: &ResultFile) -> String {
    let seconds = file.ended.saturating_sub(file.started) as f64 / 1000.0;
    format!(
        r#"<p class="quiet">{} – {} · {} s · loadtests {}</p>"#,
        time(file.started),
        time(file.ended),
        number(seconds),
        text(&file.version),
    )
}

/// An instant, as UTC. One that no calendar has is left as its number.
fn time(millis: u64) -> String {
    const YEAR_9999: u64 = 253_402_300_799_000;
    if millis > YEAR_9999 {
        return millis.to_string();
    }
    let instant =
        humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_millis(millis)).to_string();
    let people = instant.replace('T', " ").replace('Z', " UTC");
    format!(r#"<time datetime="{instant}">{people}</time>"#)
}

fn machine(host: &HostFacts) -> String {
    let fact =
        |name: Text, value: String| format!("<div><dt>{}</dt><dd>{value}</dd></div>", both(name));
    let here = match &host.virtual_machine {
        Some(name) => text(name),
        None => both(texts::NO_VIRTUAL_MACHINE),
    };
    let tools: Vec<String> = host
        .tools
        .iter()
        .map(|(name, version)| format!("{} {}", text(name), text(version)))
        .collect();
    format!(
        r#"<dl class="facts">{}{}{}{}{}{}</dl>"#,
        fact(texts::PROCESSOR, text(&host.processor)),
        fact(texts::CORES, count(host.cores as u64)),
        fact(texts::MEMORY, bytes(host.memory)),
        fact(texts::SYSTEM, text(&host.system)),
        fact(texts::VIRTUAL_MACHINE, here),
        fact(texts::TOOLS, if tools.is_empty() { "–".to_owned() } else { tools.join(" · ") }),
    )
}

fn checks(checks: &[HostCheck]) -> String {
    let (well, ill): (Vec<&HostCheck>, Vec<&HostCheck>) = checks.iter().partition(|check| check.ok);
    let ill: String = ill.into_iter().map(ill_check).collect();
    let names: String = well
        .iter()
        .map(|check| format!("<li>{} <b>{}</b></li>", text(&check.name), text(&check.value)))
        .collect();
    let well = match well.len() {
        0 => String::new(),
        some => format!(
            r#"<details class="well"><summary><span class="badge good">{some}</span> {}</summary><ul>{names}</ul></details>"#,
            both(texts::CHECKS_WELL)
        ),
    };
    format!("{ill}{well}")
}

fn ill_check(check: &HostCheck) -> String {
    let command = match check.command.is_empty() {
        true => String::new(),
        false => format!(
            r#"<div class="mend"><code>{}</code><button type="button" class="copy scripted">{}</button></div>"#,
            text(&check.command),
            both(texts::COPY)
        ),
    };
    format!(
        r#"<div class="ill"><p><span class="badge warn">{}</span> <b>{}: {}</b> {}</p>{command}</div>"#,
        both(texts::CHECK_ILL),
        text(&check.name),
        text(&check.value),
        text(&check.advice),
    )
}
