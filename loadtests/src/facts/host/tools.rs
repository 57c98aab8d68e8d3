//! Versions of the programs that a load test uses.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Program, and how it is asked for its version.
const TOOLS: [(&str, &str); 6] = [
    ("ab", "-V"),
    ("wrk", "-v"),
    ("nginx", "-v"),
    ("java", "-version"),
    ("cargo", "--version"),
    ("rustc", "--version"),
];
/// A program that has not told within this is left out.
const ANSWER_WAIT: Duration = Duration::from_secs(5);
/// How often one that is awaited is looked at.
const LOOK: Duration = Duration::from_millis(5);
/// No version is longer.
const LONGEST: u64 = 4096;

/// Name and version of those that are there.
pub(super) fn versions() -> Vec<(String, String)> {
    // All at once: Java takes its time.
    let asked = TOOLS.map(|(name, flag)| (name, thread::spawn(move || ask(name, flag))));
    let told = asked.into_iter().filter_map(|(name, answer)| {
        let text = answer.join().ok().flatten()?;
        Some((name.to_owned(), version_in(&text)?))
    });
    told.collect()
}

/// What a program says, on either stream. Some end with a failure after they told their version.
fn ask(program: &str, flag: &str) -> Option<String> {
    let mut command = Command::new(program);
    command.arg(flag).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().ok()?;
    if !ends_in_time(&mut child) {
        // It may have ended just now.
        let _ = child.kill();
        let _ = child.wait();
        return None;
    }
    let mut text = String::new();
    // What is no text is no version.
    let _ = child.stdout.take()?.take(LONGEST).read_to_string(&mut text);
    let _ = child.stderr.take()?.take(LONGEST).read_to_string(&mut text);
    Some(text)
}

fn ends_in_time(child: &mut Child) -> bool {
    let end = Instant::now() + ANSWER_WAIT;
    while Instant::now() < end {
        match child.try_wait() {
            Ok(Some(_)) => return true,
            Ok(None) => thread::sleep(LOOK),
            Err(_) => return false,
        }
    }
    false
}

/// The first word that looks like a version. `ab` has said 2.3 for twenty years; its revision tells
/// more.
fn version_in(text: &str) -> Option<String> {
    let words = || text.split(|c: char| c.is_whitespace() || "/\"(),".contains(c));
    let version = words()
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'))?;
    let revision = words().skip_while(|word| !word.ends_with("Revision:")).nth(1);
    Some(revision.map_or_else(|| version.to_owned(), |revision| format!("{version} r{revision}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_programs_say() {
        for (text, version) in [
            (
                "This is ApacheBench, Version 2.3 <$Revision: 1923142 $>\nCopyright 1996",
                "2.3 r1923142",
            ),
            ("wrk debian/4.1.0-3+b1 [epoll] Copyright (C) 2012", "4.1.0-3+b1"),
            ("nginx version: nginx/1.22.1\n", "1.22.1"),
            ("openjdk version \"17.0.12\" 2024-07-16\n", "17.0.12"),
            ("cargo 1.95.0 (f2d3ce0bd 2026-03-21)\n", "1.95.0"),
        ] {
            assert_eq!(version_in(text).as_deref(), Some(version));
        }
        assert_eq!(version_in("usage: what 3 things"), None);
    }

    #[test]
    fn a_program_that_is_not_there_is_left_out() {
        assert_eq!(ask("no-such-program-anywhere", "-v"), None);
    }
}
