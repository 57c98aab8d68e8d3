//! Lines whose openings the test decides, under a clock that only moves when everybody waits.

use std::sync::atomic::AtomicBool;

use futures_util::future::join_all;
use futures_util::{FutureExt, StreamExt};
use rpc_codec::message::{Event, decode_request};
use rpc_codec::msgpack::Msgpack;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};

use super::*;
use crate::client::connection::tests::{Provider, connected_as, invocation};
use crate::client::transport::Wish;
use crate::url::Url;

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);
const RECONNECT: Duration = Duration::from_secs(2);

/// A provider that is reachable or not, as the test says.
pub(in crate::client) struct Host {
    up: Arc<AtomicBool>,
    attempts: Arc<AtomicUsize>,
    counters: Arc<Counters>,
    accepted: mpsc::UnboundedReceiver<Provider>,
}

impl Host {
    fn new(up: bool, lines: usize, delay: Duration) -> (Host, Arc<Endpoint>) {
        Host::at("test:1", up, lines, delay)
    }

    /// With an endpoint of `lines` connections to it, each of which takes `delay` to open.
    pub(in crate::client) fn at(
        address: &str,
        up: bool,
        lines: usize,
        delay: Duration,
    ) -> (Host, Arc<Endpoint>) {
        let (accept, accepted) = mpsc::unbounded_channel();
        let up = Arc::new(AtomicBool::new(up));
        let attempts = Arc::new(AtomicUsize::new(0));
        let address: Arc<str> = address.into();
        let counters = Arc::<Counters>::default();
        let line = |_| {
            let (accept, up, attempts) = (accept.clone(), up.clone(), attempts.clone());
            let provider = address.clone();
            let address = address.clone();
            Line::new(&provider, RECONNECT, &counters, move || {
                let (accept, up, address) = (accept.clone(), up.clone(), address.clone());
                attempts.fetch_add(1, Ordering::SeqCst);
                async move {
                    tokio::time::sleep(delay).await;
                    if !up.load(Ordering::SeqCst) {
                        return Err(Error::new(ErrorKind::Connect, "refused"));
                    }
                    let (connection, provider) = connected_as(&address, ClientConfig::default());
                    accept.send(provider).unwrap();
                    Ok(Arc::into_inner(connection).unwrap())
                }
            })
        };
        let lines = (0..lines).map(line).collect();
        let url = Url::new("dubbo", "h", 1, "test.Echo");
        let transport = Transport::new(&url, &Wish::default(), &ClientConfig::default());
        let endpoint = Arc::new(Endpoint::with_lines(address.clone(), lines, transport, SECOND));
        (Host { up, attempts, counters, accepted }, endpoint)
    }

    fn attempts(&self) -> usize {
        self.attempts.load(Ordering::SeqCst)
    }

    fn set_up(&self, up: bool) {
        self.up.store(up, Ordering::SeqCst);
    }

    pub(in crate::client) async fn accept(&mut self) -> Provider {
        self.accepted.recv().await.unwrap()
    }

    /// The connections from now on.
    pub(in crate::client) fn take_accepted(&mut self) -> mpsc::UnboundedReceiver<Provider> {
        std::mem::replace(&mut self.accepted, mpsc::unbounded_channel().1)
    }

    /// The next connection; it echoes until it is aborted.
    async fn serve(&mut self) -> tokio::task::JoinHandle<()> {
        echo(self.accept().await)
    }
}

/// Answers calls until it is aborted.
fn echo(mut provider: Provider) -> tokio::task::JoinHandle<()> {
    tokio::spawn(async move {
        loop {
            let (id, text) = provider.call().await;
            provider.answer(id, &text).await;
        }
    })
}

async fn say(endpoint: &Endpoint, text: &str) -> Result<String, Error> {
    endpoint.call(&invocation(text)).await?.into_value()
}

#[tokio::test(start_paused = true)]
async fn callers_share_one_attempt_and_wait_for_it() {
    let (mut host, endpoint) = Host::new(true, 1, 300 * MS);
    let begun = Instant::now();
    let calls = join_all((0..1000).map(|_| say(&endpoint, "x")));
    let (said, _) = tokio::join!(calls, host.serve());
    assert!(said.into_iter().all(|it| it.unwrap() == "x"));
    assert_eq!((host.attempts(), begun.elapsed()), (1, 300 * MS));
    assert_eq!(endpoint.active(), 0);
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_connection_is_part_of_the_calls_time() {
    let (mut host, endpoint) = Host::new(true, 1, 700 * MS);
    let begun = Instant::now();
    let (said, _silent) = tokio::join!(say(&endpoint, "x"), host.accept());
    let error = said.unwrap_err();
    assert_eq!((error.kind(), begun.elapsed()), (ErrorKind::Timeout, SECOND));
    assert!(error.to_string().contains("within 1000 ms"), "{error}");
    assert_eq!(error.peer(), Some("test:1"));
}

#[tokio::test(start_paused = true)]
async fn a_provider_is_told_what_is_left_of_the_calls_time() {
    let (mut host, endpoint) = Host::new(true, 1, 700 * MS);
    let told = async {
        let mut provider = host.accept().await;
        let frame = provider.next().await;
        let request = decode_request(&Msgpack, &frame.body).unwrap();
        request.attachments.timeout
    };
    let (_, told) = tokio::join!(say(&endpoint, "x"), told);
    assert_eq!(told, Some(300));
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_takes_too_long_costs_a_call_its_timeout_and_no_more() {
    let (host, endpoint) = Host::new(true, 1, 3 * SECOND);
    let begun = Instant::now();
    let mut short = invocation("x");
    short.timeout = Some(100 * MS);
    let error = endpoint.call(&short).await.unwrap_err();
    assert_eq!((error.kind(), error.retry()), (ErrorKind::Connect, crate::Retry::Safe));
    assert_eq!((begun.elapsed(), host.attempts()), (100 * MS, 1));
}

#[tokio::test(start_paused = true)]
async fn after_a_failed_attempt_calls_fail_at_once_until_one_succeeds() {
    let (mut host, endpoint) = Host::new(false, 1, Duration::ZERO);
    let error = say(&endpoint, "x").await.unwrap_err();
    assert!(error.to_string().contains("refused (provider test:1)"), "{error}");
    let begun = Instant::now();
    assert_eq!(say(&endpoint, "x").await.unwrap_err().kind(), ErrorKind::Connect);
    assert_eq!(begun.elapsed(), Duration::ZERO);
    // A day later it is still tried, but not more often than `reconnect` says.
    tokio::time::sleep(24 * 3600 * SECOND).await;
    let attempts = host.attempts();
    assert!((24 * 3600 / 3..24 * 3600).contains(&attempts), "{attempts}");
    host.set_up(true);
    let back = Instant::now();
    host.serve().await;
    assert!(back.elapsed() <= RECONNECT * 5 / 4, "{:?}", back.elapsed());
    assert_eq!(say(&endpoint, "back").await.unwrap(), "back");
}

#[tokio::test(start_paused = true)]
async fn a_lost_connection_is_opened_again_without_a_pause() {
    let (mut host, endpoint) = Host::new(true, 1, Duration::ZERO);
    for round in 0..5 {
        let provider = host.serve().await;
        tokio::time::sleep(2 * SECOND).await;
        let begun = Instant::now();
        provider.abort();
        // No call meanwhile is told that the provider leaves.
        let (said, _next) = tokio::join!(say(&endpoint, "x"), async {
            let _ = provider.await;
            assert!(!endpoint.is_leaving());
        });
        assert!(said.is_ok() || said.is_err_and(|error| error.kind() == ErrorKind::Disconnected));
        assert_eq!(begun.elapsed(), Duration::ZERO, "round {round}");
    }
}

#[tokio::test(start_paused = true)]
async fn connections_are_counted_while_they_are_open_and_when_they_come_back() {
    let (mut host, endpoint) = Host::new(false, 2, Duration::ZERO);
    tokio::time::sleep(10 * SECOND).await;
    // Attempts that fail are no connections, and the first to succeed is no return.
    assert_eq!((endpoint.connections(), host.counters.reconnects()), (0, 0));
    host.set_up(true);
    let (one, _two) = (host.accept().await, host.accept().await);
    assert_eq!((endpoint.connections(), host.counters.reconnects()), (2, 0));
    tokio::time::sleep(2 * SECOND).await;
    host.set_up(false);
    drop(one);
    tokio::time::sleep(10 * SECOND).await;
    assert_eq!((endpoint.connections(), host.counters.reconnects()), (1, 0));
    host.set_up(true);
    let _one = host.accept().await;
    assert_eq!((endpoint.connections(), host.counters.reconnects()), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_drops_connections_is_not_flooded() {
    let (mut host, endpoint) = Host::new(true, 1, Duration::ZERO);
    let dropping = async { while host.accepted.recv().await.is_some() {} };
    timeout(60 * SECOND, dropping).await.unwrap_err();
    let unasked = host.attempts();
    assert!((25..60).contains(&unasked), "{unasked} attempts in a minute without a call");
    let error = say(&endpoint, "x").await.unwrap_err();
    assert!(error.to_string().contains("drops connections at once"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn every_attempt_reaches_a_provider_that_hangs_up_on_calls() {
    let (mut host, endpoint) = Host::new(true, 1, Duration::ZERO);
    let hanging_up = async {
        let mut calls = 0;
        loop {
            host.accept().await.call().await;
            calls += 1;
            if calls == 6 {
                break;
            }
        }
    };
    let calling = async {
        for _ in 0..6 {
            let error = say(&endpoint, "x").await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Disconnected);
        }
    };
    let begun = Instant::now();
    tokio::join!(hanging_up, calling);
    assert!(begun.elapsed() < SECOND / 2, "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_call_that_crosses_the_read_only_notice_is_made_all_the_same() {
    let (mut host, endpoint) = Host::new(true, 1, Duration::ZERO);
    let mut provider = host.accept().await;
    provider.event(Event::ReadOnly).await;
    provider.event(Event::Heartbeat).await;
    provider.next().await;
    assert!(endpoint.is_leaving() && !endpoint.is_usable());
    let begun = Instant::now();
    let (said, ()) = tokio::join!(say(&endpoint, "x"), async {
        let (id, text) = provider.call().await;
        provider.answer(id, &text).await;
    });
    assert_eq!((said.unwrap().as_str(), begun.elapsed()), ("x", Duration::ZERO));
    provider.event(Event::Writable).await;
    provider.event(Event::Heartbeat).await;
    provider.next().await;
    assert!(!endpoint.is_leaving() && endpoint.is_usable());
    // A provider that has left is not leaving any more.
    drop(provider);
    host.set_up(false);
    tokio::time::sleep(MS).await;
    assert!(!endpoint.is_leaving() && !endpoint.is_usable());
}

#[tokio::test(start_paused = true)]
async fn calls_go_round_the_connections_that_are_open() {
    let (mut host, endpoint) = Host::new(true, 3, Duration::ZERO);
    let mut providers = Vec::new();
    for _ in 0..3 {
        providers.push(host.accept().await);
    }
    let calls: Vec<_> = (0..9)
        .map(|_| {
            let endpoint = endpoint.clone();
            tokio::spawn(async move { say(&endpoint, "x").await })
        })
        .collect();
    for provider in &mut providers {
        for _ in 0..3 {
            let (id, text) = provider.call().await;
            provider.answer(id, &text).await;
        }
    }
    assert!(join_all(calls).await.into_iter().all(|said| said.unwrap().is_ok()));
    // One is lost and does not come back: the others take its calls.
    host.set_up(false);
    drop(providers.pop());
    tokio::time::sleep(MS).await;
    let _others: Vec<_> = providers.into_iter().map(echo).collect();
    for _ in 0..4 {
        assert_eq!(say(&endpoint, "x").await.unwrap(), "x");
    }
}

#[tokio::test(start_paused = true)]
async fn a_dropped_endpoint_connects_no_more_and_its_calls_end_well() {
    let (mut host, endpoint) = Host::new(true, 1, Duration::ZERO);
    let mut provider = host.accept().await;
    let call = {
        let endpoint = endpoint.clone();
        tokio::spawn(async move { say(&endpoint, "pending").await })
    };
    let (id, text) = provider.call().await;
    drop(endpoint);
    provider.answer(id, &text).await;
    assert_eq!(call.await.unwrap().unwrap(), "pending");
    // Then the connection is closed, and that is the last of it.
    assert!(provider.0.next().await.is_none());
    tokio::time::sleep(600 * SECOND).await;
    assert_eq!(host.attempts(), 1);
    assert!(host.accepted.recv().now_or_never().unwrap().is_none());
}
