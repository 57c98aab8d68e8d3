//! A browser without a window, and what it says of a page.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Chromium.
pub(crate) struct Browser {
    program: PathBuf,
}

/// A page after its scripts ran.
pub(crate) struct Shown {
    /// What the scripts made of it.
    pub(crate) dom: String,
    /// What they said on the console, line by line.
    pub(crate) console: Vec<String>,
    /// Addresses that were asked for.
    pub(crate) requests: Vec<String>,
}

impl Browser {
    /// The browser, or `None` after saying why.
    ///
    /// # Panics
    /// When there is none and `DUBBO_BROWSER=required`.
    pub(crate) fn find() -> Option<Browser> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let program = std::env::split_paths(&path)
            .flat_map(|folder| ["chromium", "chromium-browser"].map(|name| folder.join(name)))
            .find(|program| program.is_file());
        if program.is_none() {
            let required =
                std::env::var_os("DUBBO_BROWSER").is_some_and(|value| value == "required");
            assert!(!required, "DUBBO_BROWSER=required, but chromium is not installed");
            eprintln!("skipped: chromium is not installed");
        }
        program.map(|program| Browser { program })
    }

    /// Opens the page at this place of it, and waits for its scripts.
    pub(crate) fn show(&self, page: &str, place: &str) -> Shown {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("report.html");
        let network = folder.path().join("network.json");
        std::fs::write(&file, page).expect("the page is written");
        let mut command = Command::new(&self.program);
        command
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-background-networking",
            ])
            .args([
                "--disable-quic",
                "--no-first-run",
                "--disable-component-update",
                "--disable-sync",
            ])
            // The browser has errands of its own: none of them leaves the machine.
            .arg("--host-resolver-rules=MAP * ~NOTFOUND")
            .args([
                "--lang=en-US",
                "--enable-logging=stderr",
                "--virtual-time-budget=5000",
                "--dump-dom",
            ])
            .arg(option("--user-data-dir=", &folder.path().join("profile")))
            .arg(option("--log-net-log=", &network))
            .arg(format!("file://{}{place}", file.display()));
        let output = command.output().expect("chromium runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "chromium failed: {said}");
        let log = std::fs::read_to_string(&network).expect("chromium wrote its network log");
        Shown {
            dom: String::from_utf8_lossy(&output.stdout).into_owned(),
            console: said
                .lines()
                .filter(|line| line.contains("CONSOLE"))
                .map(str::to_owned)
                .collect(),
            requests: requests(&log),
        }
    }
}

impl Shown {
    /// Fails when the page said anything, or asked for anything.
    ///
    /// # Panics
    /// When it did.
    pub(crate) fn assert_quiet(&self) {
        assert!(self.console.is_empty(), "{:#?}", self.console);
        assert!(self.requests.is_empty(), "{:#?}", self.requests);
        assert!(self.dom.contains("</html>"), "no page: {}", self.dom);
    }
}

fn option(name: &str, path: &Path) -> String {
    format!("{name}{}", path.display())
}

/// Addresses that the page asked for. The browser's own errands come from nowhere: they have no
/// origin.
fn requests(log: &str) -> Vec<String> {
    let log: serde_json::Value = serde_json::from_str(log).expect("the network log is JSON");
    let events = log["events"].as_array().expect("the network log has events");
    let asked = events.iter().map(|event| &event["params"]).filter_map(|params| {
        let initiator = params["initiator"].as_str()?;
        let url = params["url"].as_str()?;
        (initiator != "not an origin" && !url.starts_with("data:")).then(|| url.to_owned())
    });
    asked.collect()
}
