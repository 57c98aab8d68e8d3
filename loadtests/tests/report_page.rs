//! The page of `report`: what it holds, and what a browser makes of it.
#![allow(clippy::expect_used)]

#[path = "report_page/browser.rs"]
mod browser;
#[path = "report_page/fixture.rs"]
mod fixture;

use loadtests::html::page;
use loadtests::result::ResultFile;

use browser::Browser;
use fixture::{MALICIOUS, large, rich};

#[test]
fn every_section_is_there() {
    let page = page(&[rich()]);
    for id in
        ["h-runs", "h-charts", "h-one", "h-sweep-0", "h-ablation-0", "h-seeds-0", "h-glossary"]
    {
        assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
    }
    for chart in ["latency", "rate", "p99", "pool", "wait", "cpu", "memory", "cores"] {
        assert!(page.contains(&format!("id=\"chart-{chart}\"")), "{chart}");
    }
    assert_eq!(page.matches("<svg").count(), 3, "pictures for paper");
    assert!(page.contains("threads = 16"), "the recommendation");
}

#[test]
fn what_is_not_well_on_the_machine_stands_before_what_is() {
    let page = page(&[rich()]);
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text} is not on the page"));
    assert!(place("ulimit -n 65535") < place("processor frequency"));
    assert!(place("ulimit -n 65535") < place("net.core.somaxconn"));
}

#[test]
fn a_run_that_does_not_count_is_in_the_table_and_in_no_picture() {
    let mut file = rich();
    file.runs.truncate(6);
    (file.sweep, file.ablation, file.seeds) = (None, None, None);
    let page = page(&[file]);
    let name = "string1k by ab, 100 in flight";
    assert!(page.contains("All 10000 answers were 404 pages of 118 bytes."));
    let highest = page.split("class=\"tiles\"").nth(1).and_then(|rest| rest.split("<table").next());
    assert!(
        highest.is_some_and(|tiles| tiles.contains("21,870") && !tiles.contains("90,000")),
        "{highest:?}"
    );
    let paper =
        page.split("class=\"paper\"").nth(1).and_then(|rest| rest.split("</section>").next());
    assert!(paper.is_some_and(|paper| !paper.contains(name) && paper.contains("string1k, 100 in flight")));
}

#[test]
fn names_from_a_result_file_stay_text() {
    let mut file = rich();
    file.command = MALICIOUS.to_owned();
    file.arguments = vec![MALICIOUS.to_owned()];
    file.host.processor = MALICIOUS.to_owned();
    file.host.checks[1].command = MALICIOUS.to_owned();
    file.runs[0].settings = vec![MALICIOUS.to_owned()];
    file.runs[0].outcome.failures[0].first = MALICIOUS.to_owned();
    file.runs[0].processes[0].name = MALICIOUS.to_owned();
    if let Some(seeds) = &mut file.seeds {
        seeds.rows[0].note = MALICIOUS.to_owned();
        seeds.rows[0].seed = MALICIOUS.to_owned();
    }
    if let Some(ablation) = &mut file.ablation {
        ablation.shares[0].part = MALICIOUS.to_owned();
    }
    let page = page(&[file]);
    assert!(!page.contains("<img"), "an element from data");
    assert_eq!(page.matches("<script").count(), 2, "the data and the script");
    assert_eq!(page.matches("</script").count(), 2);
    assert!(page.contains("\\u003c/script>"), "the name is in the data");
    assert!(page.contains("&lt;/script&gt;"), "the name is in the tables");
}

#[test]
fn several_files_share_one_page() {
    let (mut base, mut new) = (rich(), rich());
    base.command = "quick".to_owned();
    new.command = "bench".to_owned();
    let page = page(&[base, new]);
    assert!(page.contains("loadtests quick") && page.contains("loadtests bench"));
    assert!(
        page.contains("1 · string1k, 10 in flight") && page.contains("2 · string1k, 10 in flight")
    );
    assert!(page.contains("h-seeds-0") && page.contains("h-seeds-1"));
}

#[test]
fn two_hundred_runs_stay_below_a_megabyte() {
    let file = large(200);
    let json = serde_json::to_string(&file).expect("a result is JSON").len();
    let page = page(&[file]).len();
    assert!(page < 1_000_000 && json > 5 * page, "page {page} bytes, result {json} bytes");
}

#[test]
fn a_page_without_runs_says_so() {
    let file = ResultFile { runs: Vec::new(), sweep: None, ablation: None, seeds: None, ..rich() };
    let page = page(&[file]);
    assert!(page.contains("The file holds no runs.") && !page.contains("id=\"chart-latency\""));
}

#[test]
fn a_browser_draws_every_chart_and_asks_nobody_for_anything() {
    let Some(browser) = Browser::find() else { return };
    let shown = browser.show(&page(&[rich()]), "");
    shown.assert_quiet();
    // Seven charts; the cores are bars of HTML.
    assert_eq!(shown.dom.matches("<canvas").count(), 7, "{}", shown.dom);
    assert_eq!(shown.dom.matches("class=\"core\"").count(), 4);
    assert!(shown.dom.contains("<html lang=\"en\""), "English where nothing else is asked for");
    assert!(!shown.dom.contains("<img"), "a name from data became an element");
}

#[test]
fn the_address_chooses_the_language() {
    let Some(browser) = Browser::find() else { return };
    let page = page(&[rich()]);
    let chinese = browser.show(&page, "#zh");
    chinese.assert_quiet();
    assert!(chinese.dom.contains("<html lang=\"zh\""));
    // Texts that the script puts into charts.
    assert!(script_made(&chinese.dom).contains(" 对数轴"), "no Chinese in charts");
    let english = browser.show(&page, "#en");
    english.assert_quiet();
    assert!(
        english.dom.contains("<html lang=\"en\"")
            && script_made(&english.dom).contains(" log scale")
    );
}

#[test]
fn a_page_that_asks_or_complains_would_be_noticed() {
    let Some(browser) = Browser::find() else { return };
    let asking = browser.show("<!doctype html><img src=\"http://asked.invalid/x\">", "");
    assert_eq!(asking.requests, ["http://asked.invalid/x"]);
    let complaining = browser.show("<!doctype html><script>console.warn('complaint')</script>", "");
    assert!(
        complaining.console.iter().any(|line| line.contains("complaint")),
        "{:?}",
        complaining.console
    );
}

#[test]
fn a_page_without_runs_is_quiet_in_a_browser() {
    let Some(browser) = Browser::find() else { return };
    let file = ResultFile { runs: Vec::new(), sweep: None, ablation: None, seeds: None, ..rich() };
    browser.show(&page(&[file]), "").assert_quiet();
}

/// The page without the block of data, which holds every text in both languages.
fn script_made(dom: &str) -> &str {
    dom.split("<script type=\"application/json\"").next().unwrap_or_default()
}
