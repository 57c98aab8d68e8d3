//! Samples on a process's `/metrics`.

use std::net::SocketAddr;
use std::time::Duration;

use loadtests::facts::page::get;

/// The value of the sample that is written so: name, and labels if it has some.
pub(crate) fn sample(page: &str, name: &str) -> f64 {
    let line = page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {name} in\n{page}")).parse().unwrap()
}

/// The page, once a sample on it has this value: some are written just after an answer went out.
pub(crate) async fn page_with(address: SocketAddr, name: &str, value: f64) -> String {
    let wait = async {
        // A look costs the process time that it needs to get there.
        let mut look = tokio::time::interval(Duration::from_millis(10));
        loop {
            look.tick().await;
            let page = get(address, "/metrics").await.unwrap();
            if sample(&page, name) == value {
                return page;
            }
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(30), wait).await;
    waited.unwrap_or_else(|_| panic!("{name} does not become {value}"))
}
