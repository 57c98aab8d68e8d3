//! What a provider tells of its calls: times with their replies, counts, a log; and what a consumer
//! counts of its own.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::io;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rpc_core::client::{ClientConfig, Consumer, Reference};
use rpc_core::config::{ConsumerFilter, ProviderFilter};
use rpc_core::context::with_reply_attachments;
use rpc_core::pool::{PoolConfig, Queues};
use rpc_core::server::{
    CallEnd, Dispatcher, MethodCalls, QUEUE_NS, RUN_NS, STAGE_TIMES, Server, ServerConfig,
};
use rpc_core::{Attachments, Error, ErrorKind, service};
use tokio::sync::Semaphore;

/// Every way in which a call can end.
#[service(interface = "test.Odd", version = "1.0.0")]
pub trait Odd {
    /// Comes back.
    async fn say(&self, text: String) -> Result<String, Error>;
    /// Throws.
    async fn throw(&self) -> Result<(), Error>;
    /// Panics.
    async fn explode(&self) -> Result<(), Error>;
    /// Returns when the gate opens.
    async fn wait(&self) -> Result<(), Error>;
    /// Is not waited for.
    #[method(one_way)]
    async fn tell(&self) -> Result<(), Error>;
}

struct Handler {
    gate: Arc<Semaphore>,
}

impl Odd for Handler {
    async fn say(&self, text: String) -> Result<String, Error> {
        Ok(text)
    }
    async fn throw(&self) -> Result<(), Error> {
        Err(Error::new(ErrorKind::Config, "thrown"))
    }
    async fn explode(&self) -> Result<(), Error> {
        panic!("the handler's own text")
    }
    async fn wait(&self) -> Result<(), Error> {
        self.gate.acquire().await.unwrap().forget();
        Ok(())
    }
    async fn tell(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// A server with one worker, and a client of it.
struct Pair {
    server: Server,
    gate: Arc<Semaphore>,
    consumer: Consumer,
    client: OddClient,
}

async fn pair(queues: Queues, change: impl FnOnce(&mut ServerConfig, &mut ClientConfig)) -> Pair {
    let mut config = ServerConfig {
        bind: "127.0.0.1:0".to_owned(),
        pool: PoolConfig { threads: 1, queues, ..PoolConfig::default() },
        ..ServerConfig::default()
    };
    let mut client_config =
        ClientConfig { timeout: Duration::from_secs(60), ..ClientConfig::default() };
    change(&mut config, &mut client_config);
    let gate = Arc::new(Semaphore::new(0));
    let handler = Handler { gate: Arc::clone(&gate) };
    let server =
        Server::builder().config(config).export(OddServer::new(handler)).start().await.unwrap();
    let consumer = Consumer::direct().config(client_config);
    let reference = Reference::default().url(format!("dubbo://{}", server.local_addr())).retries(0);
    let client = consumer.refer(reference).await.unwrap();
    Pair { server, gate, consumer, client }
}

impl Pair {
    fn calls(&self, method: &str) -> MethodCalls {
        let methods = self.server.snapshot().methods;
        methods.into_iter().find(|calls| calls.method == method).unwrap()
    }

    async fn until(&self, so: impl Fn(&Server) -> bool) {
        while !so(&self.server) {
            tokio::task::yield_now().await;
        }
    }
}

fn nanos(attachments: &Attachments, key: &str) -> Option<Duration> {
    attachments.text(key).map(|text| Duration::from_nanos(text.parse().unwrap()))
}

#[tokio::test]
async fn a_call_that_asks_learns_how_long_it_waited_and_ran() {
    let pair = pair(Queues::Unbounded, |_, _| {}).await;
    let asking = pair.client.with_attachment(STAGE_TIMES, "true");
    let blocking = tokio::spawn({
        let client = pair.client.clone();
        async move { client.wait().await }
    });
    pair.until(|server| server.snapshot().pool.busy == 1).await;
    let begun = Instant::now();
    let asked = tokio::spawn(async move { with_reply_attachments(asking.say("x".into())).await });
    pair.until(|server| server.snapshot().pool.queued == 1).await;
    let queued = Instant::now();
    let held = queued.elapsed();
    pair.gate.add_permits(1);
    let (text, attachments) = asked.await.unwrap();
    let whole = begun.elapsed();
    blocking.await.unwrap().unwrap();
    assert_eq!(text.unwrap(), "x");
    let (queue, run) = (nanos(&attachments, QUEUE_NS), nanos(&attachments, RUN_NS));
    let (queue, run) = (queue.unwrap(), run.unwrap());
    assert!(queue > Duration::ZERO && queue >= held, "waited {queue:?}, at least {held:?}");
    assert!(run > Duration::ZERO);
    assert!(queue + run <= whole, "{queue:?} and {run:?} of {whole:?}");
    // One that does not ask is not told.
    let (_, attachments) = with_reply_attachments(pair.client.say("x".into())).await;
    assert_eq!((nanos(&attachments, QUEUE_NS), nanos(&attachments, RUN_NS)), (None, None));
}

#[tokio::test]
async fn a_provider_can_tell_everybody_under_every_dispatcher() {
    for dispatcher in [Dispatcher::All, Dispatcher::Direct] {
        let pair = pair(Queues::HandOff, |server, _| {
            server.stage_times = true;
            server.dispatcher = dispatcher;
        })
        .await;
        let (said, attachments) = with_reply_attachments(pair.client.say("x".into())).await;
        said.unwrap();
        assert!(nanos(&attachments, QUEUE_NS).is_some(), "{dispatcher}");
        assert!(nanos(&attachments, RUN_NS).is_some(), "{dispatcher}");
        // An exception is a reply too.
        let (thrown, attachments) = with_reply_attachments(pair.client.throw()).await;
        assert_eq!(thrown.unwrap_err().kind(), ErrorKind::Exception);
        assert!(nanos(&attachments, RUN_NS).is_some(), "{dispatcher}");
    }
}

#[tokio::test]
async fn every_call_is_counted_once_and_by_its_end() {
    let pair = pair(Queues::HandOff, |_, _| {}).await;
    for _ in 0..3 {
        pair.client.say("x".into()).await.unwrap();
    }
    // Who has the reply finds it counted, and nothing else beside.
    let said = pair.calls("say");
    assert_eq!((said.requests, said.ended(CallEnd::Returned)), (3, 3));
    pair.client.throw().await.unwrap_err();
    // Freed just after its reply went out; until then the next call would find the pool full.
    let idle = |server: &Server| server.snapshot().pool.busy == 0;
    pair.until(idle).await;
    pair.client.explode().await.unwrap_err();
    pair.until(idle).await;
    pair.client.tell().await.unwrap();
    pair.until(|server| server.snapshot().pool.completed == 6).await;
    let waiting = tokio::spawn({
        let client = pair.client.clone();
        async move { client.wait().await }
    });
    pair.until(|server| server.snapshot().pool.busy == 1).await;
    let refused = pair.client.say("x".into()).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Overloaded);
    let under_way = pair.calls("wait");
    assert_eq!((under_way.requests, under_way.ended(CallEnd::Returned)), (1, 0));
    pair.gate.add_permits(1);
    waiting.await.unwrap().unwrap();
    for (method, requests, ends) in [
        ("say", 4, [3, 0, 1, 0, 0]),
        ("throw", 1, [0, 1, 0, 0, 0]),
        ("explode", 1, [0, 0, 0, 1, 0]),
        ("tell", 1, [1, 0, 0, 0, 0]),
        ("wait", 1, [1, 0, 0, 0, 0]),
    ] {
        let calls = pair.calls(method);
        assert_eq!(calls.requests, requests, "{method}");
        assert_eq!(CallEnd::ALL.map(|end| calls.ended(end)), ends, "{method}");
    }
    assert_eq!(pair.server.snapshot().unrouted, 0);
}

#[tokio::test]
async fn a_request_for_what_is_not_here_is_counted_apart() {
    let pair = pair(Queues::HandOff, |_, _| {}).await;
    let url = format!("dubbo://{}?version=9.9.9", pair.server.local_addr());
    let reference = Reference::default().version("9.9.9").url(url).retries(0);
    let stranger: OddClient = pair.consumer.refer(reference).await.unwrap();
    assert_eq!(stranger.say("x".into()).await.unwrap_err().kind(), ErrorKind::Refused);
    assert_eq!(pair.server.snapshot().unrouted, 1);
    assert_eq!(pair.calls("say").requests, 0);
}

#[tokio::test]
async fn the_monitor_counts_what_the_consumer_saw() {
    let pair = pair(Queues::HandOff, |_, client| client.filter = vec![ConsumerFilter::Monitor]);
    let pair = pair.await;
    pair.client.say("x".into()).await.unwrap();
    pair.until(|server| server.snapshot().pool.busy == 0).await;
    pair.client.throw().await.unwrap_err();
    pair.until(|server| server.snapshot().pool.busy == 0).await;
    pair.client.explode().await.unwrap_err();
    let seen = pair.consumer.monitored();
    assert_eq!((seen.succeeded, seen.threw, seen.failed, seen.times.count), (1, 1, 1, 3));
    let twice = seen.plus(&seen);
    assert_eq!((twice.succeeded, twice.times.count, twice.times.sum), (2, 6, seen.times.sum * 2));
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn the_access_log_has_a_line_for_each_call() {
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber =
        tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
    // The test's runtime has this thread alone, so the server logs here too.
    let _guard = tracing::subscriber::set_default(subscriber);
    let pair = pair(Queues::HandOff, |server, _| server.filter = vec![ProviderFilter::AccessLog]);
    let pair = pair.await;
    pair.client.say("x".into()).await.unwrap();
    pair.until(|server| server.snapshot().pool.busy == 0).await;
    pair.client.throw().await.unwrap_err();
    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    let logged: Vec<&str> = text.lines().filter(|line| line.contains("dubbo::accesslog")).collect();
    let [said, thrown] = logged[..] else { panic!("{text}") };
    for part in ["test.Odd:1.0.0", "method=\"say\"", "caller=127.0.0.1:", "ended=\"ok\""] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(thrown.contains("method=\"throw\"") && thrown.contains("RuntimeException"), "{thrown}");
}
