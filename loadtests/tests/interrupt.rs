//! Ctrl-C ends a command with what there is.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio::sync::mpsc;

const PROGRAM: &str = env!("CARGO_BIN_EXE_loadtests");

/// A server that answers `true` to everything, and tells of each answer.
async fn server() -> (SocketAddr, mpsc::UnboundedReceiver<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (tell, told) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream, tell.clone()));
        }
    });
    (address, told)
}

async fn answer(mut stream: TcpStream, tell: mpsc::UnboundedSender<()>) {
    let mut asked = Vec::new();
    while stream.read_buf(&mut asked).await.is_ok_and(|read| read > 0) {
        if asked.ends_with(b"\r\n\r\n") {
            asked.clear();
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ntrue";
            if stream.write_all(answer).await.is_err() {
                return;
            }
            // The test may be over.
            let _ = tell.send(());
        }
    }
}

/// A command that writes its result into `folder` and on its output.
fn started(arguments: &[&str], folder: &Path) -> Child {
    Command::new(PROGRAM)
        .args(arguments)
        .args(["--output", "json", "--folder"])
        .arg(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap()
}

#[tokio::test]
async fn an_interrupted_run_is_written_and_marked() {
    let (address, mut answered) = server().await;
    let folder = tempfile::tempdir().unwrap();
    let url = format!("http://{address}");
    let child = started(
        &["bench", "--url", &url, "-c", "2", "-t", "600s", "--warm-up", "0s"],
        folder.path(),
    );
    let pid = Pid::from_raw(child.id().unwrap().try_into().unwrap());
    for _ in 0..1000 {
        answered.recv().await.unwrap();
    }
    kill(pid, Signal::SIGINT).unwrap();
    let output = child.wait_with_output().await.unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("cut short"), "{errors}");
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["partial"], true);
    let run = &result["runs"][0];
    assert!(run["outcome"]["good"].as_u64().unwrap() > 0, "{run}");
    let reasons = run["validity"]["reasons"].as_array().unwrap();
    assert!(reasons.iter().any(|reason| reason["kind"] == "partial"), "{reasons:?}");
    let written = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(written, 2, "the result and its page");
}

#[tokio::test]
async fn commands_of_many_runs_end_with_what_there_is() {
    for arguments in [
        ["seeds", "--only", "S2"].as_slice(),
        &["sweep", "--threads", "1,2", "-t", "600s"],
        &["ablation", "-t", "600s"],
    ] {
        let folder = tempfile::tempdir().unwrap();
        let child = started(arguments, folder.path());
        let pid = child.id().unwrap();
        // It listens to signals before it starts a role.
        wait_for_a_role(pid).await;
        kill(Pid::from_raw(pid.try_into().unwrap()), Signal::SIGINT).unwrap();
        let output = child.wait_with_output().await.unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {errors}");
        let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(result["partial"], true, "{arguments:?}");
        let written = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(written, 2, "{arguments:?}: the result and its page");
    }
}

/// Waits until a process has started a role. It starts others too, to ask for versions.
async fn wait_for_a_role(pid: u32) {
    let parent = i32::try_from(pid).unwrap();
    let has_role = || {
        let all = procfs::process::all_processes().unwrap().flatten();
        let mut children = all.filter(|it| it.stat().is_ok_and(|stat| stat.ppid == parent));
        let role = |line: Vec<String>| line.get(1).is_some_and(|word| word == "role");
        children.any(|it| it.cmdline().is_ok_and(role))
    };
    let mut look = tokio::time::interval(Duration::from_millis(10));
    let wait = async {
        while !has_role() {
            look.tick().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), wait).await.expect("no processes were started");
}

#[tokio::test]
async fn what_cannot_be_reached_or_written_has_its_own_exit_code() {
    // Bound and not listening: nobody else gets the port, and nobody answers there.
    let closed = tokio::net::TcpSocket::new_v4().unwrap();
    closed.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let nobody = format!("http://{}", closed.local_addr().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scenario.toml");
    std::fs::write(&file, "[schedule]\nkind = \"closed\"\nin-flight = 0\n").unwrap();
    let (good, missing) = (folder.path().display().to_string(), "/proc/nowhere".to_owned());
    let scenario = file.display().to_string();
    for (arguments, code, says) in [
        (vec!["bench", "--url", &nobody, "-t", "1s", "--folder", &good], 69, "Connection refused"),
        (vec!["bench", "--target", "rpc", "--rate", "x"], 2, "invalid value"),
        (vec!["bench", "-k", "--target", "rpc", "--folder", &good], 2, "does not go with"),
        (vec!["bench", "--file", &scenario, "--folder", &good], 78, "in-flight"),
        (vec!["quick", "--folder", &missing], 78, "choose another --folder"),
        (vec!["report", "/proc/nowhere.json"], 78, "cannot read"),
        (
            vec!["bench", "--target", "null", "-t", "1s", "--require", "rate<1", "--folder", &good],
            99,
            "missed",
        ),
    ] {
        let output = Command::new(PROGRAM).args(&arguments).output().await.unwrap();
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
        assert!(text.contains(says), "{arguments:?}: {text}");
    }
}
