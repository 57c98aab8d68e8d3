//! The page of a result, opened in a browser: nothing in its console, every chart drawn, both
//! languages, no request to anybody.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

#[path = "report_page/rich.rs"]
mod rich;

use std::path::Path;
use std::process::Command;

const BROWSER: &str = "chromium";

/// What a browser makes of the page: its document after the scripts ran, and its console.
struct Opened {
    document: String,
    console: Vec<String>,
}

fn open(page: &Path, hash: &str) -> Opened {
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new(BROWSER)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--enable-logging=stderr", "--v=0", "--virtual-time-budget=5000", "--dump-dom"])
        .args(["--lang=en", "--window-size=1400,2400"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}{hash}", page.display()))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{errors}");
    Opened {
        document: String::from_utf8_lossy(&output.stdout).into_owned(),
        // The browser's own troubles, such as a missing message bus, are not the page's.
        console: errors
            .lines()
            .filter(|line| line.contains("CONSOLE"))
            .map(str::to_owned)
            .collect(),
    }
}

/// Whether there is a browser. Without one the test says so, unless it must not be missing.
fn has_browser() -> bool {
    let found = Command::new(BROWSER).arg("--version").output().is_ok();
    let required = std::env::var("DUBBO_BROWSER").is_ok_and(|it| it == "required");
    assert!(found || !required, "{BROWSER} is not installed, and DUBBO_BROWSER=required");
    if !found {
        eprintln!("skipped: {BROWSER} is not installed (Debian's package of that name)");
    }
    found
}

#[test]
fn the_page_opens_offline_without_an_error_in_the_console() {
    if !has_browser() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("report.html");
    loadtests::html::write(&page, &[rich::result()]).unwrap();
    let english = open(&page, "#en");
    assert_eq!(english.console, Vec::<String>::new());
    assert!(english.document.contains("data-language=\"en\""), "no language is set");
    // Latency, rate, p99; and pool, wait, processors, cores, memory of one run.
    let canvases = english.document.matches("<canvas").count();
    assert!(canvases >= 6, "{canvases} charts");
    for said in ["INVALID", "S1-14", "dubbo.protocol.threads", "logging", "0.5 ms late"] {
        assert!(english.document.contains(said), "{said}");
    }
    let chinese = open(&page, "#zh");
    assert_eq!(chinese.console, Vec::<String>::new());
    assert!(chinese.document.contains("data-language=\"zh\""), "the language did not change");
    assert!(chinese.document.contains("压测报告"));
}
