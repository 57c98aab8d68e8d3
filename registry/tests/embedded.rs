//! Server and client of the embedded registry, in one process on loopback.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, its helpers too")]

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use registry::{EmbeddedRegistry, RegistryOptions, RegistryServerConfig, Running, serve};
use rpc_core::registry::{Providers, Registry, Subscription};
use rpc_core::url::Url;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::time::timeout;

/// Ample for anything that should happen within a second or so.
const PATIENCE: Duration = Duration::from_secs(10);

async fn server() -> Running {
    server_at("127.0.0.1:0".parse().unwrap()).await
}

async fn server_at(address: SocketAddr) -> Running {
    let config = RegistryServerConfig {
        address: address.ip(),
        port: address.port(),
        ..RegistryServerConfig::default()
    };
    serve(config).await.unwrap()
}

fn client(address: SocketAddr, query: &str) -> EmbeddedRegistry {
    let address: Url = format!("embedded://{address}?{query}").parse().unwrap();
    EmbeddedRegistry::new(&address, RegistryOptions::default()).unwrap()
}

/// An address of loopback where nobody listens.
async fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap()
}

fn provider(port: u16) -> Url {
    format!("dubbo://10.0.0.5:{port}/a.B?interface=a.B&version=1").parse().unwrap()
}

fn consumer() -> Url {
    "consumer://10.0.0.9/a.B?category=consumers&interface=a.B&version=1".parse().unwrap()
}

/// Waits until the list has the providers on these ports.
async fn see(subscription: &mut Subscription, ports: &[u16]) {
    let seen = subscription.providers.wait_for(|providers| ports_of(providers) == ports);
    let seen = timeout(PATIENCE, seen).await.is_ok_and(|seen| seen.is_ok());
    assert!(seen, "not {ports:?} but {:?}", subscription.providers.borrow());
}

fn ports_of(providers: &Providers) -> Vec<u16> {
    match providers {
        Providers::Known(urls) => urls.iter().map(|url| url.port).collect(),
        Providers::Unknown => vec![0],
    }
}

#[tokio::test]
async fn a_consumer_that_came_first_hears_of_providers_that_come_and_go() {
    let server = server().await;
    let (here, there) = (client(server.local_addr(), ""), client(server.local_addr(), ""));
    let _consumer = here.register(consumer()).await.unwrap();
    let mut subscription = here.subscribe(consumer()).await.unwrap();
    assert_eq!(*subscription.providers.borrow(), Providers::Known([].into()));

    let first = there.register(provider(1)).await.unwrap();
    see(&mut subscription, &[1]).await;
    let second = there.register(provider(2)).await.unwrap();
    see(&mut subscription, &[1, 2]).await;
    first.unregister().await.unwrap();
    see(&mut subscription, &[2]).await;
    drop(second);
    see(&mut subscription, &[]).await;
    server.stop().await;
}

#[tokio::test]
async fn what_an_unregister_has_answered_is_gone_at_once() {
    let server = server().await;
    let registry = client(server.local_addr(), "");
    let entry = registry.register(provider(1)).await.unwrap();
    let listed = registry.subscribe(consumer()).await.unwrap();
    assert_eq!(ports_of(&listed.providers.borrow()), [1]);
    entry.unregister().await.unwrap();
    let listed = registry.subscribe(consumer()).await.unwrap();
    assert_eq!(ports_of(&listed.providers.borrow()), Vec::<u16>::new());
    server.stop().await;
}

#[tokio::test]
async fn only_matching_providers_are_seen() {
    let server = server().await;
    let registry = client(server.local_addr(), "");
    let mut entries = Vec::new();
    for (port, rest) in [
        (1, "a.B?version=1"),
        (2, "a.B?version=2"),
        (3, "a.C?version=1"),
        (4, "a.B?group=g&version=1"),
        (5, "a.B?disabled=true&version=1"),
    ] {
        let url = format!("dubbo://10.0.0.5:{port}/{rest}").parse().unwrap();
        entries.push(registry.register(url).await.unwrap());
    }
    for (query, ports) in [
        ("version=1", &[1][..]),
        ("version=*", &[1, 2]),
        ("group=*&version=1", &[1, 4]),
        ("version=3", &[]),
    ] {
        let consumer = format!("consumer://10.0.0.9/a.B?{query}").parse().unwrap();
        let mut subscription = registry.subscribe(consumer).await.unwrap();
        see(&mut subscription, ports).await;
    }
    server.stop().await;
}

#[tokio::test]
async fn a_restart_is_survived_without_losing_a_provider() {
    let first = server().await;
    let address = first.local_addr();
    let (here, there) = (client(address, "retry-period=200"), client(address, "retry-period=200"));
    let _stays = there.register(provider(1)).await.unwrap();
    let leaves = there.register(provider(2)).await.unwrap();
    let mut subscription = here.subscribe(consumer()).await.unwrap();
    see(&mut subscription, &[1, 2]).await;

    first.stop().await;
    let second = server_at(address).await;
    // A third provider shows that the list of the new run has been heard. Until then and after, the
    // two are there, whether or not they have come back yet.
    let _new = client(address, "").register(provider(3)).await.unwrap();
    let heard = subscription.providers.wait_for(|providers| {
        let ports = ports_of(providers);
        assert!(ports.starts_with(&[1, 2]), "{ports:?}");
        ports == [1, 2, 3]
    });
    timeout(PATIENCE, heard).await.unwrap().unwrap();

    // The two have registered again by themselves: a consumer that never knew them finds them.
    let mut other = client(address, "").subscribe(consumer()).await.unwrap();
    see(&mut other, &[1, 2, 3]).await;
    // And what leaves is believed to be gone, young as the registry is.
    leaves.unregister().await.unwrap();
    see(&mut subscription, &[1, 3]).await;
    second.stop().await;
}

#[tokio::test]
async fn a_registry_that_is_gone_leaves_the_last_list() {
    let server = server().await;
    let registry = client(server.local_addr(), "timeout=300");
    let entry = registry.register(provider(1)).await.unwrap();
    let mut subscription = registry.subscribe(consumer()).await.unwrap();
    see(&mut subscription, &[1]).await;
    server.stop().await;
    // Takes as long as it takes to find out that nobody is there.
    let error = entry.unregister().await.unwrap_err();
    assert!(error.to_string().contains("could not be withdrawn"), "{error}");
    assert_eq!(ports_of(&subscription.providers.borrow()), [1]);
    assert!(!subscription.providers.has_changed().unwrap());
}

#[tokio::test]
async fn without_a_registry_check_decides() {
    let address = free_address().await;
    let strict = client(address, "timeout=300");
    let refusals = [
        strict.register(provider(1)).await.unwrap_err(),
        strict.subscribe(consumer()).await.unwrap_err(),
    ];
    for error in refusals {
        let text = error.to_string();
        assert!(text.contains(&address.to_string()) && text.contains("check=false"), "{text}");
    }

    let patient = client(address, "check=false&retry-period=200");
    let started = timeout(PATIENCE, patient.register(provider(1))).await;
    let _entry = started.unwrap().unwrap();
    let mut subscription = patient.subscribe(consumer()).await.unwrap();
    assert_eq!(*subscription.providers.borrow(), Providers::Unknown);
    let server = server_at(address).await;
    see(&mut subscription, &[1]).await;
    server.stop().await;
}

/// Another server, whose 404 looks like that of a registry. It asks for each request's connection to
/// be closed, and counts them.
async fn stranger() -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, asked) = (listener.local_addr().unwrap(), Arc::new(AtomicUsize::new(0)));
    let count = Arc::clone(&asked);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            count.fetch_add(1, Ordering::Relaxed);
            let mut request = [0; 4096];
            // A client that went away is no concern of this server's.
            let _ = stream.read(&mut request).await;
            let _ = stream
                .write_all(
                    b"HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 24\r\n\r\n\
                      {\"error\":\"no such page\"}",
                )
                .await;
        }
    });
    (address, asked)
}

#[tokio::test]
async fn another_servers_404_is_told_and_not_asked_without_end() {
    let (address, asked) = stranger().await;
    let strict = client(address, "timeout=1000");
    let registered = timeout(PATIENCE, strict.register(provider(1))).await;
    let text = registered.unwrap().unwrap_err().to_string();
    assert!(text.contains("does not answer like an embedded registry"), "{text}");
    let asked = asked.load(Ordering::Relaxed);
    assert!((1..20).contains(&asked), "{asked} requests");
}

#[tokio::test]
async fn a_registration_that_failed_is_not_made_up_for_later() {
    let address = free_address().await;
    let registry = client(address, "timeout=300&retry-period=200");
    registry.register(provider(1)).await.unwrap_err();
    let server = server_at(address).await;
    let _other = registry.register(provider(2)).await.unwrap();
    let mut subscription = registry.subscribe(consumer()).await.unwrap();
    see(&mut subscription, &[2]).await;
    server.stop().await;
}

#[tokio::test]
async fn an_entry_that_is_refused_says_why_and_harms_no_other() {
    let server = server().await;
    let registry = client(server.local_addr(), "check=false");
    let _good = registry.register(provider(1)).await.unwrap();
    let wildcard: Url = "dubbo://0.0.0.0:20880/a.B?version=1".parse().unwrap();
    let error = registry.register(wildcard).await.unwrap_err();
    assert!(error.to_string().contains("publish a real address"), "{error}");
    let _better = registry.register(provider(2)).await.unwrap();
    let mut subscription = registry.subscribe(consumer()).await.unwrap();
    see(&mut subscription, &[1, 2]).await;
    server.stop().await;
}

#[tokio::test]
async fn many_registrations_at_once_are_all_published() {
    let server = server().await;
    let registry = client(server.local_addr(), "");
    let ports: Vec<u16> = (1..=50).collect();
    let entries = ports.iter().map(|port| registry.register(provider(*port)));
    let entries = futures_util::future::try_join_all(entries).await.unwrap();
    let mut subscription = registry.subscribe(consumer()).await.unwrap();
    see(&mut subscription, &ports).await;
    // Registrations outlive the handle they came from.
    drop(registry);
    drop(entries);
    see(&mut subscription, &[]).await;
    server.stop().await;
}

#[tokio::test]
async fn a_subscription_without_an_interface_is_refused() {
    let registry = client(free_address().await, "");
    for consumer in ["consumer://h", "consumer://h/*"] {
        let error = registry.subscribe(consumer.parse().unwrap()).await.unwrap_err();
        assert!(error.to_string().contains("names no interface"), "{error}");
    }
}

#[tokio::test]
async fn the_lists_on_disk_are_a_start_when_the_registry_is_down() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("lists.json");
    let query = format!("check=false&retry-period=200&file-cache={}", file.display());
    let first = server().await;
    let address = first.local_addr();
    let provider_side = client(address, "");
    let _entry = provider_side.register(provider(1)).await.unwrap();
    let before = client(address, &query);
    let mut subscription = before.subscribe(consumer()).await.unwrap();
    see(&mut subscription, &[1]).await;
    drop((subscription, before));
    first.stop().await;
    wait_for_file(&file).await;

    let after = client(address, &query);
    let mut subscription = after.subscribe(consumer()).await.unwrap();
    assert_eq!(ports_of(&subscription.providers.borrow()), [1]);
    // The registry comes back empty; the providers it will hear of add to what is known.
    let second = server_at(address).await;
    let _new = after.register(provider(2)).await.unwrap();
    see(&mut subscription, &[1, 2]).await;
    second.stop().await;
}

/// The file is written in the background.
async fn wait_for_file(file: &std::path::Path) {
    let there = async {
        while !file.exists() {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, there).await.unwrap();
}
