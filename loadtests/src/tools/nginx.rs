//! A local nginx that serves one page, as a yardstick for static pages.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep};

use crate::facts::page::get;

/// Time to come up.
const READY_WAIT: Duration = Duration::from_secs(5);
/// Ports that are tried: one that was free may be taken before nginx has it.
const PORTS: usize = 5;
/// A page that only this nginx has, as its text is the name of its folder.
const OWN: &str = "own.html";
/// Between two looks whether it is up.
const LOOK: Duration = Duration::from_millis(20);

/// A running nginx of one process. Dropped, it is killed.
#[derive(Debug)]
pub struct Nginx {
    child: Child,
    address: SocketAddr,
    /// Its configuration and its page.
    _folder: TempDir,
}

/// Whether it can be started.
#[must_use]
pub fn is_installed() -> bool {
    super::starts("nginx", "-v")
}

impl Nginx {
    /// Serves `page` as `/index.html` with at most `connections` at once (`worker_connections`), as
    /// one worker that keeps connections for 65 s and writes no log.
    ///
    /// # Errors
    /// When it is missing or does not come up; with what it says.
    pub async fn start(page: &str, connections: usize) -> Result<Nginx> {
        for _ in 1..PORTS {
            match Nginx::start_at(free_address()?, page, connections).await {
                Err(error) if error.to_string().contains("Address already in use") => {}
                started => return started,
            }
        }
        Nginx::start_at(free_address()?, page, connections).await
    }

    async fn start_at(address: SocketAddr, page: &str, connections: usize) -> Result<Nginx> {
        let folder = tempfile::tempdir().context("no place for nginx's files")?;
        let configuration = folder.path().join("nginx.conf");
        std::fs::write(&configuration, text(folder.path(), address, connections))?;
        std::fs::write(folder.path().join("index.html"), page)?;
        let own = folder.path().display().to_string();
        std::fs::write(folder.path().join(OWN), &own)?;
        let mut command = Command::new("nginx");
        command.arg("-p").arg(folder.path()).arg("-c").arg(&configuration);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let child = command.kill_on_drop(true).spawn().context("cannot start nginx")?;
        let mut nginx = Nginx { child, address, _folder: folder };
        nginx.wait(&own).await?;
        Ok(nginx)
    }

    /// Waits until it answers: another who has the port answers something else.
    async fn wait(&mut self, own: &str) -> Result<()> {
        let end = Instant::now() + READY_WAIT;
        while get(self.address, &format!("/{OWN}")).await.ok().as_deref() != Some(own) {
            if let Some(status) = self.child.try_wait()? {
                bail!("nginx ended with {status}: {}", self.last_words().await);
            }
            if Instant::now() > end {
                bail!("nginx does not answer at {} after {READY_WAIT:?}", self.address);
            }
            sleep(LOOK).await;
        }
        Ok(())
    }

    async fn last_words(&mut self) -> String {
        let mut text = String::new();
        if let Some(mut errors) = self.child.stderr.take() {
            // Half a sentence is better than none.
            let _ = tokio::io::AsyncReadExt::read_to_string(&mut errors, &mut text).await;
        }
        text.trim().to_owned()
    }

    /// `http://host:port`
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Its process id.
    ///
    /// # Errors
    /// When it has ended.
    pub fn pid(&self) -> Result<u32> {
        self.child.id().context("nginx has ended")
    }

    /// Ends it.
    pub async fn stop(mut self) {
        // It may have ended by itself.
        let _ = self.child.kill().await;
    }
}

fn free_address() -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").context("no free port for nginx")?;
    Ok(listener.local_addr()?)
}

fn text(folder: &Path, address: SocketAddr, connections: usize) -> String {
    let folder = folder.display();
    let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|kind| format!("    {kind}_temp_path {folder}/{kind};\n"))
        .concat();
    format!(
        "daemon off;\nmaster_process off;\nworker_processes 1;\nworker_rlimit_nofile {files};\n\
         error_log stderr emerg;\npid {folder}/nginx.pid;\n\
         events {{ worker_connections {connections}; }}\n\
         http {{\n    access_log off;\n    keepalive_timeout 65;\n    keepalive_requests 1000000;\n\
         {temporary}    types {{ text/html html; }}\n\
         \x20   server {{ listen {address}; root {folder}; }}\n}}\n",
        files = connections + 64,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn it_serves_the_page() {
        if !is_installed() {
            eprintln!("skipped: nginx is not installed");
            return;
        }
        let nginx = Nginx::start("a page", 64).await.unwrap();
        assert_eq!(get(nginx.address, "/index.html").await.unwrap(), "a page");
        nginx.stop().await;
    }

    #[tokio::test]
    async fn a_port_of_somebody_else_is_not_taken_for_nginx() {
        if !is_installed() {
            eprintln!("skipped: nginx is not installed");
            return;
        }
        let first = Nginx::start("a page", 64).await.unwrap();
        let error = Nginx::start_at(first.address, "a page", 64).await.unwrap_err().to_string();
        assert!(error.contains("Address already in use"), "{error}");
        first.stop().await;
    }

    #[test]
    fn its_configuration_says_what_was_asked_for() {
        let text = text(Path::new("/tmp/x"), ([127, 0, 0, 1], 8080).into(), 1024);
        for line in
            ["worker_connections 1024;", "listen 127.0.0.1:8080;", "worker_rlimit_nofile 1088;"]
        {
            assert!(text.contains(line), "{line}: {text}");
        }
    }
}
