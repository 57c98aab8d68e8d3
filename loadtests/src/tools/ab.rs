//! ApacheBench as a generator: started, awaited, its report read.
//!
//! What to know of it:
//!
//! * `-t` alone stops after 50,000 requests, however much time is left. `-n` after it says another
//!   number, so both are given here.
//! * Contents are not checked: an answer as long as the first one counts as right. A status that is
//!   not 2xx is counted, but not among the failures.
//! * Since httpd 2.4.33 the first request runs alone; the other connections open after its answer.
//!   With slow answers and few requests that shows: see [`AbReport::rate_without_first`].

mod parse;
mod report;
mod run;

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use tokio::process::Command;

pub use report::{AbReport, FailureSplit, Times, TimesRow};

use super::{output_of, starts, version_of};
use crate::result::Run;
use crate::scenario::Payload;

/// `ab` stops by itself after 50,000 requests unless told a number; this one it does not reach.
pub const MANY: u64 = 100_000_000;

/// A load by `ab`.
#[derive(Debug, Clone, PartialEq)]
pub struct Ab {
    /// `http://host:port/path`
    pub url: String,
    /// `-c`
    pub connections: usize,
    /// `-n`: so many requests. With `seconds` and without this: as many as fit.
    pub requests: Option<u64>,
    /// `-t`: at most so many seconds.
    pub seconds: Option<u64>,
    /// `-k`
    pub keep_alive: bool,
    /// `-p` and `-T`: the body of a POST.
    pub post: Option<Post>,
}

/// The body of a POST.
#[derive(Debug, Clone, PartialEq)]
pub struct Post {
    /// The file that holds it.
    pub file: PathBuf,
    /// `content-type`
    pub content_type: String,
}

impl Ab {
    /// Runs `ab`, and reads its report.
    ///
    /// # Errors
    /// When `ab` is missing, aborts, or prints what cannot be understood, and when neither a number
    /// of requests nor a time is given.
    pub async fn report(&self) -> Result<AbReport> {
        ensure!(self.requests.is_some() || self.seconds.is_some(), "ab needs requests or a time");
        let mut command = Command::new("ab");
        command.args(self.arguments());
        AbReport::parse(&output_of(command, "ab").await?)
    }

    /// Runs `ab`; what it did, as a run.
    ///
    /// # Errors
    /// As [`Ab::report`].
    pub async fn run(&self) -> Result<Run> {
        let report = self.report().await?;
        let mut run = report.run(version_of("ab", "-V", version).await);
        if let (Some(post), Some(operation)) = (&self.post, run.scenario.mix.first_mut()) {
            let body = tokio::fs::read(&post.file).await.context("the body of the POST is gone")?;
            operation.payload = Payload::Body {
                content_type: post.content_type.clone(),
                body: String::from_utf8_lossy(&body).into_owned(),
            };
        }
        Ok(run)
    }

    /// The flags it is started with.
    #[must_use]
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = vec!["-q".to_owned()];
        let mut flag = |name: &str, value: String| arguments.extend([name.to_owned(), value]);
        if let Some(seconds) = self.seconds {
            flag("-t", seconds.to_string());
        }
        // After -t, which sets a number of its own.
        flag("-n", self.requests.unwrap_or(MANY).to_string());
        flag("-c", self.connections.to_string());
        if let Some(post) = &self.post {
            flag("-p", post.file.display().to_string());
            flag("-T", post.content_type.clone());
        }
        if self.keep_alive {
            arguments.push("-k".to_owned());
        }
        arguments.push(self.url.clone());
        arguments
    }
}

/// Whether `ab` can be started.
#[must_use]
pub fn is_installed() -> bool {
    starts("ab", "-V")
}

/// `This is ApacheBench, Version 2.3 <$Revision: 1879490 $>`
pub(super) fn version(text: &str) -> Option<String> {
    let rest = text.split("ApacheBench, Version ").nth(1)?;
    Some(rest.split_whitespace().next()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_requests_follows_the_time() {
        let mut ab = Ab {
            url: "http://127.0.0.1:8091/".to_owned(),
            connections: 10,
            requests: None,
            seconds: Some(3),
            keep_alive: true,
            post: None,
        };
        assert_eq!(
            ab.arguments().join(" "),
            "-q -t 3 -n 100000000 -c 10 -k http://127.0.0.1:8091/"
        );
        ab.post = Some(Post { file: "body".into(), content_type: "text/plain".to_owned() });
        (ab.requests, ab.seconds, ab.keep_alive) = (Some(100), None, false);
        let expected = "-q -n 100 -c 10 -p body -T text/plain http://127.0.0.1:8091/";
        assert_eq!(ab.arguments().join(" "), expected);
    }
}
