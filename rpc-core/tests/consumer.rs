//! Consumers and providers together, over loopback: what a user of both sees.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    missing_docs,
    reason = "a test fails by panicking"
)]

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, join_all};
use rpc_codec::Serializations;
use rpc_core::client::{
    ClientConfig, ClientSnapshot, ClusterPolicy, Consumer, MethodOptions, Reference,
};
use rpc_core::config::ConsumerConfig;
use rpc_core::context::{Context, with_reply_attachments};
use rpc_core::invoker::{Filter, Invoker};
use rpc_core::registry::{Providers, Registration, Registry, RegistryError};
use rpc_core::registry::{Subscription, SubscriptionGuard};
use rpc_core::server::Server;
use rpc_core::{Error, ErrorKind, Exception, Invocation, Reply, Retry, Url, service};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};

#[service(interface = "test.Work", version = "1.0.0")]
pub trait Work {
    async fn say(&self, text: String) -> Result<String, Error>;
    async fn fail(&self, text: String) -> Result<String, Error>;
    async fn wait(&self) -> Result<(), Error>;
    #[method(one_way)]
    async fn tell(&self, text: String) -> Result<(), Error>;
}

#[derive(Default)]
struct Handler {
    runs: Arc<AtomicUsize>,
    gate: Option<Arc<Semaphore>>,
    told: Option<tokio::sync::mpsc::UnboundedSender<String>>,
}

impl Work for Handler {
    async fn say(&self, text: String) -> Result<String, Error> {
        self.runs.fetch_add(1, Ordering::SeqCst);
        let context = Context::current().unwrap();
        if let Some(sent) = context.attachments().text("sent") {
            context.reply_attachment("back", format!("{sent}!"));
        }
        Ok(text)
    }
    async fn fail(&self, text: String) -> Result<String, Error> {
        self.runs.fetch_add(1, Ordering::SeqCst);
        Err(Exception::new("com.x.BizException", text).into())
    }
    async fn wait(&self) -> Result<(), Error> {
        self.runs.fetch_add(1, Ordering::SeqCst);
        if let Some(gate) = &self.gate {
            gate.acquire().await.unwrap().forget();
        }
        Ok(())
    }
    async fn tell(&self, text: String) -> Result<(), Error> {
        self.told.as_ref().unwrap().send(text).unwrap();
        Ok(())
    }
}

async fn serve(handler: Handler) -> Server {
    serve_at("127.0.0.1:0", handler).await
}

async fn serve_at(address: &str, handler: Handler) -> Server {
    let builder = Server::builder().bind(address).threads(100);
    builder.export(WorkServer::new(handler)).start().await.unwrap()
}

fn at(addresses: &[SocketAddr]) -> Reference {
    let urls: Vec<String> = addresses.iter().map(|address| format!("dubbo://{address}")).collect();
    Reference::default().url(urls.join(";")).timeout(Duration::from_secs(20)).retries(0)
}

async fn client(reference: Reference) -> WorkClient {
    Consumer::direct().application("test").refer(reference).await.unwrap()
}

/// Calls until one succeeds.
async fn until_answered(client: &WorkClient) {
    let answered = async {
        while client.say("?".into()).await.is_err() {
            // A call that finds no provider fails without waiting for anything.
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), answered).await.expect("never answered");
}

#[tokio::test]
async fn everything_a_call_carries_arrives_in_every_serialization() {
    let server = serve(Handler::default()).await;
    for name in ["hessian2", "msgpack", "json", "raw"] {
        let serialization = Serializations::default().by_name(name).cloned();
        let config = ClientConfig { serialization, ..ClientConfig::default() };
        let consumer = Consumer::direct().application("test").config(config);
        let client: WorkClient = consumer.refer(at(&[server.local_addr()])).await.unwrap();
        let text = "text 汉 \u{1f600}\n\"quoted\"".to_owned();
        let call = client.with_attachment("sent", "there");
        let (said, attachments) = with_reply_attachments(call.say(text.clone())).await;
        assert_eq!(said.unwrap(), text, "{name}");
        assert_eq!(attachments.text("back"), Some("there!"), "{name}");
        // Nothing of it is left for the next call.
        let (_, attachments) = with_reply_attachments(client.say("x".into())).await;
        assert_eq!(attachments.text("back"), None, "{name}");
        let error = client.fail(text.repeat(3000)).await.unwrap_err();
        let exception = error.exception().unwrap_or_else(|| panic!("{name}: {error}"));
        assert_eq!(exception.class, "com.x.BizException", "{name}");
        assert_eq!(exception.message.as_deref(), Some(&*text.repeat(3000)), "{name}");
    }
}

#[tokio::test]
async fn a_one_way_call_arrives() {
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let server = serve(Handler { told: Some(tell), ..Handler::default() }).await;
    client(at(&[server.local_addr()])).await.tell("news".into()).await.unwrap();
    assert_eq!(told.recv().await.unwrap(), "news");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_callers_on_one_connection_get_their_own_replies() {
    let server = serve(Handler::default()).await;
    let client = client(at(&[server.local_addr()])).await;
    let caller = |caller: usize| {
        let client = client.clone();
        async move {
            for call in 0..200 {
                let token = format!("{caller}/{call} {}", "x".repeat((caller * call) % 5000));
                // Some are given up while they are on their way.
                if call % 20 == 7 {
                    let _ = client.say(token.clone()).now_or_never();
                }
                match client.say(token.clone()).await {
                    Ok(echo) => assert_eq!(echo, token),
                    Err(error) => assert_eq!(error.kind(), ErrorKind::Overloaded, "{error}"),
                }
            }
        }
    };
    join_all((0..64).map(|n| tokio::spawn(caller(n))).map(|it| it.map(Result::unwrap))).await;
    assert_eq!(server.snapshot().connections, 1);
}

/// Replies that come after their calls were given up must meet no other call.
#[tokio::test]
async fn a_consumer_counts_what_it_holds_and_gives_it_back() {
    let gate = Arc::new(Semaphore::new(0));
    let handler = Handler { gate: Some(gate.clone()), ..Handler::default() };
    let runs = handler.runs.clone();
    let server = serve(handler).await;
    let consumer = Consumer::direct();
    let client: WorkClient = consumer.refer(at(&[server.local_addr()])).await.unwrap();
    let calls = join_all((0..3).map(|_| client.wait()));
    let counted = async {
        while runs.load(Ordering::SeqCst) < 3 {
            tokio::task::yield_now().await;
        }
        let snapshot = consumer.snapshot();
        gate.add_permits(3);
        snapshot
    };
    let (_, snapshot) = tokio::join!(calls, counted);
    let one = ClientSnapshot { providers: 1, connections: 1, reconnects: 0, calls: 3 };
    assert_eq!(snapshot, one);
    assert_eq!(consumer.snapshot(), ClientSnapshot { calls: 0, ..one });
    drop(client);
    let given_back = async {
        while consumer.snapshot().providers > 0 || server.snapshot().connections > 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), given_back).await.expect("something is held");
    let none = ClientSnapshot { providers: 0, connections: 0, reconnects: 0, calls: 0 };
    assert_eq!(consumer.snapshot(), none);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn late_replies_meet_nobody() {
    let server = serve(Handler::default()).await;
    let client = client(at(&[server.local_addr()])).await;
    until_answered(&client).await;
    let hurried = client.with_timeout(Duration::from_micros(300));
    let caller = |caller: usize| {
        let (client, hurried) = (client.clone(), hurried.clone());
        async move {
            let mut late = 0;
            for call in 0..100 {
                let token = format!("{caller}/{call}");
                let client = if call % 2 == 0 { &client } else { &hurried };
                match client.say(token.clone()).await {
                    Ok(echo) => assert_eq!(echo, token),
                    Err(error) if error.kind() == ErrorKind::Timeout => late += 1,
                    // Calls that were given up still run.
                    Err(error) => assert_eq!(error.kind(), ErrorKind::Overloaded, "{error}"),
                }
            }
            late
        }
    };
    let callers = (0..64).map(|n| tokio::spawn(caller(n)));
    let late: usize = join_all(callers).await.into_iter().map(Result::unwrap).sum();
    assert!(late > 0, "no call was late, so nothing was shown");
    assert_eq!(server.snapshot().connections, 1);
}

/// Calls fail while there is no provider, each at once, and succeed when it is back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_that_dies_under_load_is_found_again() {
    let mut server = serve(Handler::default()).await;
    let address = server.local_addr();
    let client = client(at(&[address])).await;
    let stop = Arc::new(AtomicUsize::new(0));
    let caller = |caller: usize| {
        let (client, stop) = (client.clone(), stop.clone());
        async move {
            for call in 0.. {
                if stop.load(Ordering::SeqCst) > 0 {
                    return;
                }
                let token = format!("{caller}/{call}");
                match client.say(token.clone()).await {
                    Ok(echo) => assert_eq!(echo, token),
                    Err(error) => {
                        let kind = error.kind();
                        let lost = [ErrorKind::Disconnected, ErrorKind::Connect];
                        // A server that goes away refuses what its pool does not take any more.
                        assert!(lost.contains(&kind) || error.retry() == Retry::Safe, "{error}");
                        tokio::task::yield_now().await;
                    }
                }
            }
        }
    };
    let callers: Vec<_> = (0..16).map(|n| tokio::spawn(caller(n))).collect();
    for _ in 0..3 {
        until_answered(&client).await;
        drop(server);
        while client.say("x".into()).await.is_ok() {}
        server = serve_again(address).await;
    }
    until_answered(&client).await;
    stop.store(1, Ordering::SeqCst);
    let callers = tokio::time::timeout(Duration::from_secs(10), join_all(callers));
    callers.await.expect("a call hangs").into_iter().for_each(Result::unwrap);
}

/// Serves at an address whose last listener may still be closing.
async fn serve_again(address: SocketAddr) -> Server {
    let serving = async {
        loop {
            let server = Server::builder().bind(address.to_string()).threads(100);
            match server.export(WorkServer::new(Handler::default())).start().await {
                Ok(server) => return server,
                Err(_) => tokio::task::yield_now().await,
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(10), serving).await.expect("the port stays taken")
}

#[tokio::test]
async fn addresses_that_cannot_be_called_are_refused() {
    for (url, says) in [
        ("127.0.0.1:20880", "`protocol://` is missing"),
        ("tri://127.0.0.1:50051", "protocol `tri` is not spoken here"),
        ("dubbo://127.0.0.1", "names no host and port"),
        ("dubbo://:20880", "names no host and port"),
        (" ; ", "names no provider"),
        ("dubbo://127.0.0.1:1;x", "`x` is not a Dubbo URL"),
        ("dubbo://127.0.0.1:1?timeout=3s", "`timeout` is a number, not `3s`"),
        ("dubbo://127.0.0.1:1?weight=much", "`weight` is a number, not `much`"),
    ] {
        let refused = Consumer::direct().refer(Reference::default().url(url)).await;
        let error = refused.map(|_: WorkClient| ()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config, "{url}");
        assert!(error.to_string().contains(says), "{error}");
    }
}

#[tokio::test]
async fn a_providers_url_is_taken_as_the_registry_shows_it() {
    let server = serve(Handler::default()).await;
    let mut published = server.published()[0].clone();
    published.host = server.local_addr().ip().to_string();
    let url = published.with("prefer.serialization", "fastjson2,hessian2").to_string();
    assert!(url.contains("methods=fail,say,"), "{url}");
    let client = client(Reference::default().url(url)).await;
    assert_eq!(client.say("copied".into()).await.unwrap(), "copied");
}

#[tokio::test]
async fn a_reference_has_its_own_serialization_connections_attachments_and_filters() {
    let server = serve(Handler::default()).await;
    let consumer = Consumer::direct().application("test");
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let count: Filter = Arc::new(move |next| Arc::new(Counting { next, calls: counted.clone() }));
    let reference = at(&[server.local_addr()]);
    let own = reference.clone().serialization("msgpack").connections(3).filter(count);
    let own: WorkClient = consumer.refer(own.attachment("sent", "always")).await.unwrap();
    let other: WorkClient = consumer.refer(reference.clone()).await.unwrap();
    let back = async |client: &WorkClient| {
        let (said, attachments) = with_reply_attachments(client.say("x".into())).await;
        assert_eq!(said.unwrap(), "x");
        attachments.text("back").map(str::to_owned)
    };
    assert_eq!(back(&own).await.as_deref(), Some("always!"));
    assert_eq!(back(&own.with_attachment("sent", "once")).await.as_deref(), Some("once!"));
    assert_eq!(back(&other).await, None);
    assert_eq!(calls.load(Ordering::SeqCst), 2);
    // The others' one connection, and the three of its own.
    while consumer.snapshot().connections < 4 {
        tokio::task::yield_now().await;
    }
    let refused = consumer.refer::<WorkClient>(reference.serialization("kryo")).await;
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Config);
    server.stop().await;
}

/// Counts the calls that pass.
struct Counting {
    next: Arc<dyn Invoker>,
    calls: Arc<AtomicUsize>,
}

impl Invoker for Counting {
    fn invoke(&self, invocation: Invocation) -> BoxFuture<'_, Result<Reply, Error>> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        self.next.invoke(invocation)
    }
}

#[tokio::test]
async fn the_providers_timeout_holds_where_nobody_says_another() {
    let gate = Arc::new(Semaphore::new(0));
    let server = serve(Handler { gate: Some(gate), ..Handler::default() }).await;
    let registry = Fake::new();
    registry.list(&[&server], "&timeout=30");
    let settings = ConsumerConfig { timeout: Duration::from_secs(20), ..ConsumerConfig::default() };
    let consumer = Consumer::new(registry)
        .config(ClientConfig::of(&settings))
        .defaults(Reference::of(&settings));
    let method = MethodOptions::default().timeout(Duration::from_millis(15));
    for (reference, own, says) in [
        (Reference::default(), None, "within 30 ms"),
        (Reference::default().timeout(Duration::from_millis(20)), None, "within 20 ms"),
        (Reference::default().method("wait", method), None, "within 15 ms"),
        (Reference::default(), Some(10), "within 10 ms"),
    ] {
        let client: WorkClient = consumer.refer(reference.retries(0)).await.unwrap();
        let client = match own {
            Some(millis) => client.with_timeout(Duration::from_millis(millis)),
            None => client,
        };
        // The first attempt may spend its time on connecting.
        let timed_out = async {
            loop {
                let error = client.wait().await.unwrap_err();
                if error.kind() == ErrorKind::Timeout {
                    return error;
                }
            }
        };
        let error = timed_out.await;
        assert!(error.to_string().contains(says), "{error}");
    }
}

#[tokio::test]
async fn what_the_method_throws_is_never_tried_again() {
    let handler = Handler::default();
    let runs = handler.runs.clone();
    let server = serve(handler).await;
    let client = client(at(&[server.local_addr()]).retries(5)).await;
    assert!(client.fail("no".into()).await.is_err());
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

/// A provider that hangs up when it is called.
async fn hangs_up() -> (SocketAddr, Arc<AtomicUsize>) {
    use tokio::io::AsyncReadExt;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, calls) = (listener.local_addr().unwrap(), Arc::new(AtomicUsize::new(0)));
    let counted = calls.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let counted = counted.clone();
            tokio::spawn(async move {
                let mut byte = [0; 1];
                if stream.read(&mut byte).await.is_ok_and(|count| count > 0) {
                    counted.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
    });
    (address, calls)
}

#[tokio::test]
async fn attempts_are_one_and_the_retries_and_the_error_tells_of_them() {
    for retries in [0, 1, 5] {
        let mut providers = Vec::new();
        for _ in 0..8 {
            providers.push(hangs_up().await);
        }
        let addresses: Vec<SocketAddr> = providers.iter().map(|(address, _)| *address).collect();
        let client = client(at(&addresses).retries(retries)).await;
        let error = client.say("x".into()).await.unwrap_err();
        let calls: Vec<usize> =
            providers.iter().map(|(_, calls)| calls.load(Ordering::SeqCst)).collect();
        assert_eq!(calls.iter().sum::<usize>(), retries as usize + 1, "{error}");
        assert!(calls.iter().all(|calls| *calls <= 1), "another one is tried each time: {calls:?}");
        assert_eq!(error.kind(), ErrorKind::Disconnected);
        if retries > 0 {
            assert!(error.to_string().contains(&format!("{} attempts", retries + 1)), "{error}");
        }
    }
}

#[tokio::test]
async fn failfast_makes_one_attempt() {
    let (address, calls) = hangs_up().await;
    let reference = at(&[address]).retries(5).cluster(ClusterPolicy::Failfast);
    assert!(client(reference).await.say("x".into()).await.is_err());
    assert_eq!(calls.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_full_provider_passes_calls_on_to_another() {
    let gate = Arc::new(Semaphore::new(0));
    let full = Handler { gate: Some(gate.clone()), ..Handler::default() };
    let full = Server::builder().bind("127.0.0.1:0").threads(1).export(WorkServer::new(full));
    let full = full.start().await.unwrap();
    let busy = client(at(&[full.local_addr()])).await;
    let waiting = tokio::spawn(async move { busy.wait().await });
    while full.snapshot().pool.busy == 0 {
        tokio::task::yield_now().await;
    }
    let alone = client(at(&[full.local_addr()])).await;
    let error = alone.say("x".into()).await.unwrap_err();
    assert_eq!((error.kind(), error.retry()), (ErrorKind::Overloaded, Retry::Safe));
    let other = serve(Handler::default()).await;
    let both = client(at(&[full.local_addr(), other.local_addr()]).retries(1)).await;
    for _ in 0..50 {
        both.say("x".into()).await.unwrap();
    }
    gate.add_permits(1);
    waiting.await.unwrap().unwrap();
}

#[tokio::test]
async fn without_a_provider_a_call_says_why() {
    let unused = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let client = client(at(&[unused])).await;
    let error = client.say("x".into()).await.unwrap_err();
    assert_eq!((error.kind(), error.retry()), (ErrorKind::Connect, Retry::Safe));
    assert!(error.to_string().contains(&unused.to_string()), "{error}");
    // It is found once it is there.
    let server = serve_at(&unused.to_string(), Handler::default()).await;
    until_answered(&client).await;
    // And again after a restart.
    server.stop().await;
    drop(server);
    assert!(client.say("x".into()).await.is_err());
    let _again = serve_at(&unused.to_string(), Handler::default()).await;
    until_answered(&client).await;
}

/// A registry that a test fills.
#[derive(Debug)]
struct Fake(watch::Sender<Providers>);

impl Fake {
    fn new() -> Arc<Fake> {
        Arc::new(Fake(watch::channel(Providers::Unknown).0))
    }

    fn list(&self, servers: &[&Server], parameters: &str) {
        let url = |server: &&Server| -> Url {
            let address = server.local_addr();
            let text = format!("dubbo://{address}/test.Work?interface=test.Work&version=1.0.0");
            format!("{text}{parameters}").parse().unwrap()
        };
        let mut urls: Vec<Url> = servers.iter().map(url).collect();
        urls.push("tri://127.0.0.1:1/test.Work?interface=test.Work&version=1.0.0".parse().unwrap());
        self.0.send_replace(Providers::Known(urls.into()));
    }
}

impl Registry for Fake {
    fn address(&self) -> &str {
        "fake"
    }

    fn register(&self, _: Url) -> BoxFuture<'_, Result<Registration, RegistryError>> {
        async { Ok(Registration::new(|| async { Ok(()) }.boxed())) }.boxed()
    }

    fn subscribe(&self, _: Url) -> BoxFuture<'_, Result<Subscription, RegistryError>> {
        let providers = self.0.subscribe();
        async move { Ok(Subscription { providers, guard: SubscriptionGuard::new(()) }) }.boxed()
    }

    fn interfaces(&self) -> BoxFuture<'_, Result<Vec<String>, RegistryError>> {
        async { Ok(vec!["test.Work".to_owned()]) }.boxed()
    }
}

#[tokio::test]
async fn providers_come_and_go_as_the_registry_says() {
    let registry = Fake::new();
    let consumer = Consumer::new(registry.clone());
    let reference = || Reference::default().version("*").retries(0).check(false);
    let client: WorkClient = consumer.refer(reference()).await.unwrap();
    let error = client.say("x".into()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NoProvider);
    assert!(error.to_string().contains("registry fake"), "{error}");
    let (first, second) = (serve(Handler::default()).await, serve(Handler::default()).await);
    registry.list(&[&first], "");
    until_answered(&client).await;
    // Two references share the connection to one provider.
    let other: WorkClient = consumer.refer(reference()).await.unwrap();
    until_answered(&other).await;
    assert_eq!(first.snapshot().connections, 1);
    // The one that left loses its connection, and there is no failed call meanwhile.
    registry.list(&[&first, &second], "");
    while second.snapshot().connections == 0 {
        client.say("x".into()).await.unwrap();
    }
    registry.list(&[&second], "");
    while first.snapshot().connections > 0 {
        client.say("x".into()).await.unwrap();
    }
    registry.list(&[], "");
    while client.say("x".into()).await.is_ok() {}
    assert_eq!(client.say("x".into()).await.unwrap_err().kind(), ErrorKind::NoProvider);
}

#[tokio::test]
async fn a_token_is_sent_to_those_who_ask_for_it() {
    let registry = Fake::new();
    let config = rpc_core::server::ServerConfig {
        bind: "127.0.0.1:0".to_owned(),
        token: Some("secret".to_owned()),
        ..Default::default()
    };
    let builder = Server::builder().config(config).export(WorkServer::new(Handler::default()));
    let server = builder.start().await.unwrap();
    let direct = client(at(&[server.local_addr()])).await;
    let error = direct.say("x".into()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(error.to_string().contains("invalid token"), "{error}");
    registry.list(&[&server], "&token=secret");
    let client: WorkClient = Consumer::new(registry).refer(Reference::default()).await.unwrap();
    assert_eq!(client.say("x".into()).await.unwrap(), "x");
}

#[tokio::test]
async fn a_provider_that_stops_loses_no_call_while_another_serves() {
    let registry = Fake::new();
    let (first, second) = (serve(Handler::default()).await, serve(Handler::default()).await);
    registry.list(&[&first, &second], "");
    let client: WorkClient =
        Consumer::new(registry.clone()).refer(Reference::default().retries(0)).await.unwrap();
    until_answered(&client).await;
    while first.snapshot().connections == 0 || second.snapshot().connections == 0 {
        client.say("x".into()).await.unwrap();
    }
    let caller = |_| {
        let client = client.clone();
        async move {
            for _ in 0..500 {
                client.say("x".into()).await.unwrap();
            }
        }
    };
    let callers = join_all((0..8).map(caller));
    let stop = async {
        tokio::task::yield_now().await;
        first.stop().await;
        registry.list(&[&second], "");
    };
    futures_util::join!(callers, stop);
}
