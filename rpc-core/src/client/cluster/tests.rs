//! Policies over providers that a test drives, under a clock that only moves when everybody waits.

use std::sync::Mutex;
use std::time::Duration;

use futures_util::future::join_all;
use rpc_codec::Status;
use rpc_codec::message::Event;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::*;
use crate::client::connection::tests::{Provider, header, invocation};
use crate::client::endpoint::tests::Host;
use crate::error::Retry;

/// Notes what it was offered, and names a place beyond the last.
#[derive(Debug, Default, Clone)]
struct Noting(Arc<Mutex<Vec<Vec<String>>>>);

impl LoadBalance for Noting {
    fn select(&self, candidates: &[&Candidate], _: &Invocation) -> usize {
        let offered = candidates.iter().map(|it| it.address().to_owned()).collect();
        self.0.lock().unwrap().push(offered);
        usize::MAX
    }
}

/// Providers `p0:1`, `p1:1`, ...: those that are up, with a connection, and those that are not.
struct Providers {
    hosts: Vec<Host>,
    connected: Vec<Provider>,
    choice: Choice,
    offered: Noting,
    swap: Arc<arc_swap::ArcSwap<Vec<Candidate>>>,
}

impl Providers {
    async fn new(up: &[bool]) -> Providers {
        let (mut hosts, mut candidates, mut connected) = (Vec::new(), Vec::new(), Vec::new());
        for (at, up) in up.iter().enumerate() {
            let (mut host, endpoint) = Host::at(&format!("p{at}:1"), *up, 1, Duration::ZERO);
            if *up {
                connected.push(host.accept().await);
            }
            candidates.push(Candidate::over(&endpoint));
            hosts.push(host);
        }
        let (directory, swap) = Directory::of(candidates);
        let offered = Noting::default();
        let service = ServiceKey::new("test.Echo", "1.0.0", "");
        let balance = Arc::new(offered.clone());
        let choice = Choice::new(directory, balance, service, "the test".to_owned());
        Providers { hosts, connected, choice, offered, swap }
    }

    fn next(&self, tried: &[&str]) -> String {
        let tried: Vec<String> = tried.iter().map(|it| (*it).to_owned()).collect();
        match self.choice.next(&invocation("x"), &tried) {
            Ok(candidate) => candidate.address().to_owned(),
            Err(error) => error.to_string(),
        }
    }

    async fn leave(&mut self, at: usize) {
        let provider = &mut self.connected[at];
        provider.event(Event::ReadOnly).await;
        provider.event(Event::Heartbeat).await;
        provider.next().await;
    }

    /// Each connected provider answers its calls so.
    fn answer(&mut self, status: Status, body: &'static [u8]) -> Vec<JoinHandle<()>> {
        let answering = |mut provider: Provider| {
            tokio::spawn(async move {
                loop {
                    let (id, _) = provider.call().await;
                    provider.frame(header(27, status, id), body).await;
                }
            })
        };
        self.connected.drain(..).map(answering).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_goes_where_it_can_be_made_and_was_not_tried() {
    let mut providers = Providers::new(&[true, false, true]).await;
    assert_eq!(providers.next(&[]), "p2:1");
    assert_eq!(providers.offered.0.lock().unwrap().pop().unwrap(), ["p0:1", "p2:1"]);
    assert_eq!(providers.next(&["p2:1"]), "p0:1");
    // Then one that may be reached meanwhile, and then any again.
    assert_eq!(providers.next(&["p2:1", "p0:1"]), "p1:1");
    assert_eq!(providers.next(&["p2:1", "p0:1", "p1:1"]), "p2:1");
    providers.leave(1).await;
    assert_eq!(providers.next(&[]), "p0:1");
    providers.leave(0).await;
    assert_eq!(providers.next(&[]), "p1:1");
    providers.swap.rcu(|list| vec![list[0].clone(), list[2].clone()]);
    let error = providers.next(&[]);
    assert_eq!(error, "all 2 providers of test.Echo:1.0.0 that the test knows are about to stop");
    providers.swap.store(Arc::default());
    assert_eq!(providers.next(&[]), "no provider of test.Echo:1.0.0 is known to the test");
}

#[tokio::test(start_paused = true)]
async fn all_candidates_are_offered_however_many_they_are() {
    for count in [2, FEW - 1, FEW, FEW + 1, FEW * 3] {
        let providers = Providers::new(&vec![true; count]).await;
        let all: Vec<String> = (0..count).map(|at| format!("p{at}:1")).collect();
        assert_eq!(providers.next(&[]), all[count - 1]);
        assert_eq!(providers.offered.0.lock().unwrap().pop().unwrap(), all);
    }
}

#[tokio::test(start_paused = true)]
async fn the_last_error_names_every_attempt() {
    let providers = Providers::new(&[true, false]).await;
    let begun = Instant::now();
    let call = Failover { retries: 3 }.invoke(&providers.choice, invocation("x"));
    let error = call.await.unwrap_err();
    let says = error.to_string();
    assert!(says.contains("after 4 attempts at p0:1, p1:1, p0:1, p0:1"), "{says}");
    assert!(says.contains("no reply") && says.ends_with("(provider p0:1)"), "{says}");
    // The one that does not answer costs its timeout each time, the other one nothing.
    assert_eq!((error.kind(), begun.elapsed()), (ErrorKind::Timeout, Duration::from_secs(3)));
}

#[tokio::test(start_paused = true)]
async fn what_would_fail_again_is_not_tried_again() {
    for (status, body, kind) in [
        (Status::OK, &b"\xc1"[..], ErrorKind::Decode),
        (Status::BAD_REQUEST, b"\xa2no", ErrorKind::BadRequest),
    ] {
        let mut providers = Providers::new(&[true, true]).await;
        let answering = providers.answer(status, body);
        let call = Failover { retries: 2 }.invoke(&providers.choice, invocation("x"));
        let error = call.await.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        let tried_again = error.to_string().contains("3 attempts");
        assert_eq!(tried_again, error.retry() != Retry::Pointless, "{error}");
        assert_eq!(providers.offered.0.lock().unwrap().len(), if tried_again { 2 } else { 1 });
        answering.iter().for_each(JoinHandle::abort);
        assert!(join_all(answering).await.iter().all(Result::is_err));
    }
}

#[tokio::test(start_paused = true)]
async fn when_nobody_is_left_the_error_still_says_why() {
    let mut providers = Providers::new(&[true]).await;
    let provider = &mut providers.connected[0];
    let failover = Failover { retries: 2 };
    let call = failover.invoke(&providers.choice, invocation("x"));
    let (said, ()) = tokio::join!(call, async {
        let (id, _) = provider.call().await;
        providers.swap.store(Arc::default());
        let status = Status::SERVER_THREADPOOL_EXHAUSTED_ERROR;
        provider.frame(header(27, status, id), b"\xa4full").await;
    });
    let error = said.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Overloaded);
    for part in ["full", "no provider of test.Echo:1.0.0", "(provider p0:1)"] {
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_single_provider_that_hangs_up_gets_every_attempt() {
    for retries in [0, 1, 5] {
        let mut providers = Providers::new(&[true]).await;
        let first = providers.connected.pop();
        let host = &mut providers.hosts[0];
        let serving = tokio::spawn({
            let mut accepted = host.take_accepted();
            async move {
                let mut calls = 0;
                let mut next = first;
                loop {
                    let Some(mut provider) = next else { return calls };
                    if provider.asked().await {
                        calls += 1;
                    }
                    drop(provider);
                    next = accepted.recv().await;
                }
            }
        });
        let failover = Failover { retries };
        let call = failover.invoke(&providers.choice, invocation("x"));
        assert_eq!(call.await.unwrap_err().kind(), ErrorKind::Disconnected);
        drop(providers);
        assert_eq!(serving.await.unwrap(), retries + 1);
    }
}
