//! A real ZooKeeper server, started from its Maven artifact.

#![allow(dead_code, reason = "each test binary uses its own part")]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What keeps the server from running here, if anything does.
pub fn missing() -> Option<String> {
    let absent = ["java", "mvn"].into_iter().find(|tool| !runs(tool));
    let missing = absent.map(|tool| format!("`{tool}` is not installed"))?;
    assert!(
        std::env::var("DUBBO_INTEROP").as_deref() != Ok("required"),
        "DUBBO_INTEROP=required, but {missing}"
    );
    println!("skipped: {missing}");
    Some(missing)
}

fn runs(tool: &str) -> bool {
    let quiet =
        Command::new(tool).arg("-version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    quiet.is_ok_and(|status| status.success())
}

/// A server on a port of its own; killed when dropped.
pub struct ZooKeeper {
    port: u16,
    folder: PathBuf,
    classpath: String,
    child: Option<Child>,
}

impl ZooKeeper {
    /// Starts a server with an empty tree, and ticks of 300 ms: sessions last 0.6 s to 6 s.
    pub fn start(temporary: &Path) -> ZooKeeper {
        let mut server = ZooKeeper::prepare(temporary);
        server.run();
        server
    }

    /// Everything but the running of it.
    pub fn prepare(temporary: &Path) -> ZooKeeper {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let folder = temporary.join(format!("zookeeper-{port}"));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let config = format!(
            "tickTime=300\ndataDir={}\nclientPort={port}\nclientPortAddress=127.0.0.1\n\
             admin.enableServer=false\nmaxClientCnxns=0\n",
            folder.display()
        );
        std::fs::write(folder.join("zoo.cfg"), config).unwrap();
        ZooKeeper { port, folder, classpath: classpath(temporary), child: None }
    }

    /// Runs it, with the tree it had, and waits until it answers.
    pub fn run(&mut self) {
        let log = std::fs::File::create(self.folder.join("log")).unwrap();
        let child = Command::new("java")
            .args(["-Xmx128m", "-XX:TieredStopAtLevel=1", "-cp", &self.classpath])
            .arg("org.apache.zookeeper.server.quorum.QuorumPeerMain")
            .arg(self.folder.join("zoo.cfg"))
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        self.child = Some(child);
        let end = Instant::now() + Duration::from_secs(60);
        while !self.answers() {
            let ended = self.child.as_mut().unwrap().try_wait().unwrap();
            let log = || std::fs::read_to_string(self.folder.join("log")).unwrap();
            assert!(ended.is_none() && Instant::now() < end, "no ZooKeeper: {}", log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Whether it serves: it takes connections before it does.
    fn answers(&self) -> bool {
        let ask = || -> std::io::Result<String> {
            let mut connection = TcpStream::connect(("127.0.0.1", self.port))?;
            connection.set_read_timeout(Some(Duration::from_secs(1)))?;
            connection.write_all(b"srvr")?;
            let mut answer = String::new();
            connection.read_to_string(&mut answer)?;
            Ok(answer)
        };
        ask().is_ok_and(|answer| answer.starts_with("Zookeeper version"))
    }

    /// Ends it at once, as a crash would.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Forgets the tree and all sessions. It must not be running.
    pub fn forget(&self) {
        assert!(self.child.is_none(), "a server that runs keeps its tree");
        std::fs::remove_dir_all(self.folder.join("version-2")).unwrap();
    }

    pub fn servers(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }
}

impl Drop for ZooKeeper {
    fn drop(&mut self) {
        self.kill();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The server's class path, asked for once.
fn classpath(temporary: &Path) -> String {
    static ONCE: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _one = ONCE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let list = temporary.join("zookeeper-classpath");
    if !list.exists() {
        let project =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../loadtests/java/zookeeper-server");
        let made = temporary.join(format!("zookeeper-classpath-{}", std::process::id()));
        let output = Command::new("mvn")
            .args(["-q", "-B", "dependency:build-classpath"])
            .arg(format!("-Dmdep.outputFile={}", made.display()))
            .current_dir(project)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "mvn failed: {said}");
        std::fs::rename(made, &list).unwrap();
    }
    std::fs::read_to_string(list).unwrap().trim().to_owned()
}
