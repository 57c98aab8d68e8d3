//! Java peers as processes.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin};
use tokio::sync::mpsc;

/// What hessian-lite 3.2 needs of a JDK since 16, and a small, quickly started machine.
const OPTIONS: [&str; 12] = [
    "-Xmx256m",
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-Djava.net.preferIPv4Stack=true",
    "--add-opens",
    "java.base/java.lang=ALL-UNNAMED",
    "--add-opens",
    "java.base/java.util=ALL-UNNAMED",
    "--add-opens",
    "java.base/java.math=ALL-UNNAMED",
    "--add-opens",
    "java.base/java.time=ALL-UNNAMED",
];

/// Time for a consumer to run all of its checks.
const CHECKS: &str = "240";

/// Time for a process to say what is waited for.
const PATIENCE: Duration = Duration::from_secs(120);

/// The peers of one version, compiled.
pub struct Java {
    version: &'static str,
    classpath: String,
}

/// What keeps the peers from running here, if anything does.
pub fn missing() -> Option<String> {
    ["java", "mvn", "javac"]
        .into_iter()
        .find(|tool| !runs(tool))
        .map(|tool| format!("`{tool}` is not installed"))
}

fn runs(tool: &str) -> bool {
    let quiet =
        Command::new(tool).arg("-version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    quiet.is_ok_and(|status| status.success())
}

impl Java {
    /// Compiles the peers against this version, unless that was done before.
    pub fn build(version: &'static str) -> Java {
        let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("java");
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("java-peers").join(version);
        std::fs::create_dir_all(&target).unwrap();
        let (stamp, list) = (target.join("stamp"), target.join("classpath"));
        let sources = fingerprint(&project);
        if std::fs::read_to_string(&stamp).ok().as_deref() != Some(&sources) {
            let build = Command::new("mvn")
                .args(["-q", "-B", "compile", "dependency:build-classpath"])
                .arg(format!("-Ddubbo.version={version}"))
                .arg(format!("-Dpeer.build={}", target.display()))
                .arg(format!("-Dmdep.outputFile={}", list.display()))
                .current_dir(&project)
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&build.stdout).into_owned();
            assert!(
                build.status.success(),
                "mvn failed for Dubbo {version}: {}",
                last_lines(&said)
            );
            std::fs::write(&stamp, &sources).unwrap();
        }
        let libraries = std::fs::read_to_string(&list).unwrap();
        let classpath = format!("{}:{}", target.join("classes").display(), libraries.trim());
        Java { version, classpath }
    }

    pub fn version(&self) -> &'static str {
        self.version
    }

    /// Runs all checks of the consumer; blocks until they are done. What it printed.
    pub fn consumer(&self, address: &str) -> String {
        let output = Command::new("timeout")
            .args([CHECKS, "java"])
            .args(OPTIONS)
            .args(["-cp", &self.classpath, "peer.Consumer", address])
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        if said.lines().any(|line| line.starts_with("done ")) {
            said
        } else {
            let thrown: Vec<&str> =
                errors.lines().filter(|line| line.contains("xception")).take(5).collect();
            format!("{said}\n{}", thrown.join("\n"))
        }
    }

    /// Starts the provider and waits until it is up.
    pub async fn provider(&self, port: u16, registry: &str) -> Peer {
        let mut provider = self.peer("peer.Provider", [&port.to_string(), registry]);
        provider.hear("ready ").await;
        provider
    }

    /// Starts the consumer that lives through outages.
    pub fn outages(&self, full: &str, registry: &str) -> Peer {
        self.peer("peer.Outages", [full, registry])
    }

    fn peer(&self, main: &str, arguments: [&str; 2]) -> Peer {
        let mut command = tokio::process::Command::new("java");
        command.args(OPTIONS).args(["-cp", &self.classpath, main]).args(arguments);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        // Read all the time: who writes more than a pipe holds would wait.
        let (tell, lines) = mpsc::unbounded_channel();
        let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
        tokio::spawn(async move {
            while let Ok(Some(line)) = output.next_line().await {
                if tell.send(line).is_err() {
                    tokio::io::copy(&mut output.into_inner(), &mut tokio::io::sink()).await.ok();
                    return;
                }
            }
        });
        Peer { child, stdin, lines }
    }
}

/// A running Java process that can be talked to.
pub struct Peer {
    child: Child,
    stdin: ChildStdin,
    lines: mpsc::UnboundedReceiver<String>,
}

impl Peer {
    /// Waits for a line that begins like this. The lines up to it.
    pub async fn hear(&mut self, word: &str) -> Vec<String> {
        let mut heard = Vec::new();
        let wanted = async {
            while let Some(line) = self.lines.recv().await {
                let found = line.starts_with(word);
                heard.push(line);
                if found {
                    return true;
                }
            }
            false
        };
        let found = tokio::time::timeout(PATIENCE, wanted).await;
        assert_eq!(found, Ok(true), "no `{word}`, but {}", last_lines(&heard.join("\n")));
        heard
    }

    /// Says a word.
    pub async fn say(&mut self, word: &str) {
        self.stdin.write_all(format!("{word}\n").as_bytes()).await.unwrap();
    }

    /// Its standard input ends, and so does it.
    pub async fn stop(mut self) {
        drop(self.stdin);
        let ended = tokio::time::timeout(Duration::from_secs(20), self.child.wait()).await;
        if ended.is_err() {
            self.child.kill().await.unwrap();
        }
    }
}

/// A port that was free a moment ago.
pub fn free_port() -> u16 {
    TcpListener::bind("0.0.0.0:0").unwrap().local_addr().unwrap().port()
}

pub fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(8)..].join(" | ")
}

/// The sources, all of them: when they change, so does this.
fn fingerprint(project: &Path) -> String {
    let mut files = vec![project.join("pom.xml")];
    collect(&project.join("src"), &mut files);
    files.sort();
    files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { collect(&path, files) } else { files.push(path) }
    }
}
