use super::*;
use crate::result::{HostFacts, Run};

fn file(name: &str) -> ResultFile {
    let mut run: Run = crate::judge::sample::run();
    run.name = name.to_owned();
    ResultFile {
        schema_version: crate::result::SCHEMA_VERSION,
        command: "bench".to_owned(),
        arguments: vec![name.to_owned()],
        version: "0".to_owned(),
        started: 1_796_000_000_000,
        ended: 1_796_000_060_000,
        partial: false,
        host: HostFacts::default(),
        runs: vec![run],
        seeds: None,
        sweep: None,
        ablation: None,
    }
}

#[test]
fn every_text_is_there_in_both_languages() {
    let fixed = texts::ALL.iter().map(|(_, text)| *text);
    for text in fixed.chain(glossary::all()) {
        assert!(!text.en.trim().is_empty() && !text.zh.trim().is_empty(), "{text:?}");
    }
}

#[test]
fn what_comes_from_data_stays_text() {
    let evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'&";
    let page = page(&[file(evil)]);
    assert!(!page.contains("<script>alert"), "a name became markup");
    assert!(!page.contains("<img"), "a name became markup");
    // Three scripts of our own: the data, and the two that draw it.
    assert_eq!(page.matches("<script").count(), 2);
}

#[test]
fn the_page_asks_nobody() {
    let page = page(&[file("plain")]);
    for fetching in ["src=\"http", "href=\"http", "@import", "url(http", "fetch(", "XMLHttpRequest"]
    {
        assert!(!page.contains(fetching), "{fetching}");
    }
}

#[test]
fn two_hundred_runs_stay_below_a_megabyte() {
    let mut many = file("many");
    many.runs = vec![many.runs[0].clone(); 200];
    let bytes = page(&[many]).len();
    assert!(bytes < 1_000_000, "{bytes} bytes");
}
