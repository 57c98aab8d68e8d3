//! The program as a user starts and stops it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Command, Stdio};

fn registry() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_registry"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn it_says_where_it_listens_and_ends_well_on_a_signal() {
    for signal in ["-TERM", "-INT"] {
        let mut child = registry().arg("--port=0").spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("ready http=127.0.0.1:"), "{line}");
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        assert_eq!(child.wait().unwrap().code(), Some(0), "{signal}");
    }
}

#[test]
fn a_port_that_is_taken_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let output = registry().arg(format!("--port={}", address.port())).output().unwrap();
    assert_eq!(output.status.code(), Some(69));
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(log.contains(&format!("cannot listen on {address}")), "{log}");
}
