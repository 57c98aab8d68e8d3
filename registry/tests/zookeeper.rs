//! The ZooKeeper registry against a real server, through restarts and the end of sessions.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    unreachable_pub,
    reason = "a test fails by panicking, and its modules are its own"
)]

#[path = "support/proxy.rs"]
mod proxy;
#[path = "support/zookeeper.rs"]
mod server;

use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use proxy::Proxy;
use registry::{RegistryOptions, connect};
use rpc_core::client::{Consumer, Reference};
use rpc_core::registry::matching::interface;
use rpc_core::registry::{Providers, Registry, Subscription};
use rpc_core::url::Url;
use rpc_core::{ErrorKind, ServiceKey};
use server::{ZooKeeper, missing};
use tokio::task::block_in_place;
use zookeeper_client::{Acls, Client, CreateMode, CreateOptions};

const WAIT: Duration = Duration::from_secs(30);
const FOLDER: &str = "/dubbo/com.x.Service/providers";
const LASTING: CreateOptions<'_> = CreateMode::Persistent.with_acls(Acls::anyone_all());
const EPHEMERAL: CreateOptions<'_> = CreateMode::Ephemeral.with_acls(Acls::anyone_all());

fn temporary() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// A server, while the runtime goes on.
fn start() -> ZooKeeper {
    block_in_place(|| ZooKeeper::start(temporary()))
}

/// A client that waits as long as the tests do: a server's restart takes what it takes.
fn registry(servers: &str) -> Arc<dyn Registry> {
    registry_with(servers, &format!("session=2000&timeout={}", WAIT.as_millis()))
}

fn registry_with(servers: &str, parameters: &str) -> Arc<dyn Registry> {
    let address = format!("zookeeper://{servers}?retry-period=500&{parameters}");
    connect(&address, RegistryOptions::default()).unwrap()
}

fn provider(port: u16) -> Url {
    let text = format!(
        "dubbo://10.0.0.5:{port}/com.x.Service?anyhost=true&interface=com.x.Service&methods=a,b&version=1.0.0"
    );
    text.parse().unwrap()
}

/// Where [`provider`] is published.
fn path(port: u16) -> String {
    format!(
        "{FOLDER}/dubbo%3A%2F%2F10.0.0.5%3A{port}%2Fcom.x.Service%3Fanyhost%3Dtrue%26interface%3Dcom.x.Service%26methods%3Da%2Cb%26version%3D1.0.0"
    )
}

fn consumer() -> Url {
    "consumer://10.0.0.9/com.x.Service?category=consumers&interface=com.x.Service&version=*"
        .parse()
        .unwrap()
}

fn ports(providers: &Providers) -> Option<Vec<u16>> {
    match providers {
        Providers::Known(urls) => Some(urls.iter().map(|url| url.port).collect()),
        Providers::Unknown => None,
    }
}

/// Waits until the subscription lists exactly these ports.
async fn lists(subscription: &Subscription, wanted: &[u16]) {
    let mut providers = subscription.providers.clone();
    let listed = |providers: &Providers| ports(providers).as_deref() == Some(wanted);
    let found = tokio::time::timeout(WAIT, providers.wait_for(listed)).await;
    let found = found.is_ok_and(|found| found.is_ok());
    assert!(found, "wanted {wanted:?}, there is {:?}", subscription.providers.borrow());
}

/// Runs `work`, in which the subscription must never be without this port.
async fn throughout<T>(subscription: &Subscription, port: u16, work: impl Future<Output = T>) -> T {
    let mut watched = subscription.providers.clone();
    let lacks = |providers: &Providers| ports(providers).is_none_or(|list| !list.contains(&port));
    tokio::select! {
        lost = watched.wait_for(lacks) => panic!("lost {port}: {:?}", lost.map(|list| list.clone())),
        done = work => done,
    }
}

/// The session that a node belongs to, once there is such a node.
async fn owner(client: &Client, path: &str) -> i64 {
    let owner = async {
        loop {
            let (stat, watcher) = client.check_and_watch_stat(path).await.unwrap();
            match stat {
                Some(stat) => return stat.ephemeral_owner,
                None => watcher.changed().await,
            };
        }
    };
    tokio::time::timeout(WAIT, owner).await.expect("the node does not come")
}

/// Waits until a folder is empty.
async fn empty(client: &Client, folder: &str) {
    let empty = async {
        loop {
            let (names, watcher) = client.list_and_watch_children(folder).await.unwrap();
            if names.is_empty() {
                return;
            }
            watcher.changed().await;
        }
    };
    tokio::time::timeout(WAIT, empty).await.expect("the folder stays full");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_are_ephemeral_and_go_with_their_registration() {
    if missing().is_some() {
        return;
    }
    let server = start();
    let registry = registry(&server.servers());
    let registration = registry.register(provider(20_880)).await.unwrap();
    let lasting = registry.register(provider(1).with("dynamic", "false")).await.unwrap();
    let client = Client::connect(&server.servers()).await.unwrap();
    let found = client.check_stat(&path(20_880)).await.unwrap().expect("another name");
    assert!(found.ephemeral_owner != 0, "it is to end with its session");
    let names = client.list_children(FOLDER).await.unwrap();
    let name = names.iter().find(|name| name.contains("dynamic%3Dfalse")).unwrap();
    let found = client.check_stat(&format!("{FOLDER}/{name}")).await.unwrap().unwrap();
    assert_eq!(found.ephemeral_owner, 0, "it is to last");
    registration.unregister().await.unwrap();
    lasting.unregister().await.unwrap();
    assert_eq!(client.list_children(FOLDER).await.unwrap(), [""; 0]);
    for url in ["dubbo://h:1", "consumer://h/*"] {
        let error = registry.register(url.parse().unwrap()).await.unwrap_err().to_string();
        assert!(error.contains("no interface to register"), "{error}");
    }
    assert_eq!(client.list_children("/").await.unwrap().len(), 2, "/dubbo and /zookeeper");
}

/// What Java wrote, registered again, is the same nodes in the same places.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_are_named_and_placed_as_java_does() {
    if missing().is_some() {
        return;
    }
    let server = start();
    let registry = registry(&server.servers());
    let client = Client::connect(&server.servers()).await.unwrap();
    let mut registrations = Vec::new();
    let nodes = include_str!("../../rpc-codec/tests/golden/registry/zookeeper-3.0.7.txt").lines();
    for node in nodes.filter(|node| node.starts_with("/dubbo/") && node.contains(" [ephemeral]")) {
        let (path, _) = node.split_once(" [ephemeral]").unwrap();
        let (_, name) = path.rsplit_once('/').unwrap();
        let url: Url = percent_decode_str(name).decode_utf8().unwrap().parse().unwrap();
        registrations.push(registry.register(url).await.unwrap());
        assert!(client.check_stat(path).await.unwrap().is_some(), "{path}");
    }
    assert_eq!(registrations.len(), 6);
    // What Java published is what is found.
    let mut consumer = consumer().with("interface", "com.dubbo.api.UserService");
    consumer.path = interface(&consumer).to_owned();
    let subscription = registry.subscribe(consumer).await.unwrap();
    assert_eq!(ports(&subscription.providers.borrow()), Some(vec![20_890]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_subscription_sees_each_change_and_only_what_matches() {
    if missing().is_some() {
        return;
    }
    let server = start();
    let servers = server.servers();
    let (providers, consumers) = (registry(&servers), registry(&servers));
    let subscription = consumers.subscribe(consumer()).await.unwrap();
    lists(&subscription, &[]).await;
    let first = providers.register(provider(1)).await.unwrap();
    lists(&subscription, &[1]).await;
    let second = providers.register(provider(2)).await.unwrap();
    lists(&subscription, &[1, 2]).await;
    assert_eq!(consumers.interfaces().await.unwrap(), ["com.x.Service"]);
    // What is no URL, and what is taken out, is left out.
    let client = Client::connect(&servers).await.unwrap();
    client.create(&format!("{FOLDER}/no%20url%ff"), b"", &LASTING).await.unwrap();
    let _out = providers.register(provider(3).with("disabled", "true")).await.unwrap();
    first.unregister().await.unwrap();
    lists(&subscription, &[2]).await;
    // The last one goes while the connection stands: that is a statement.
    second.unregister().await.unwrap();
    lists(&subscription, &[]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rules_change_providers_while_they_stand() {
    if missing().is_some() {
        return;
    }
    let server = start();
    let registry = registry(&server.servers());
    let _registration = registry.register(provider(2)).await.unwrap();
    let subscription = registry.subscribe(consumer()).await.unwrap();
    let client = Client::connect(&server.servers()).await.unwrap();
    let rule = |text: &str| {
        let name = text.replace("://", "%3A%2F%2F").replace('/', "%2F").replace(':', "%3A");
        let name = name.replace('?', "%3F").replace('=', "%3D").replace('&', "%26");
        format!("/dubbo/com.x.Service/configurators/{name}")
    };
    let out = rule(
        "override://10.0.0.5:2/com.x.Service?category=configurators&disabled=true&dynamic=false",
    );
    client.create(&out, b"", &LASTING).await.unwrap();
    lists(&subscription, &[]).await;
    client.delete(&out, None).await.unwrap();
    lists(&subscription, &[2]).await;
    let weighted = |wanted: Option<&'static str>| {
        move |providers: &Providers| match providers {
            Providers::Known(list) => list.iter().any(|url| url.parameter("weight") == wanted),
            Providers::Unknown => false,
        }
    };
    let mut providers = subscription.providers.clone();
    let weight = rule("override://0.0.0.0/com.x.Service?category=configurators&weight=7");
    client.create(&weight, b"", &LASTING).await.unwrap();
    let seen = providers.wait_for(weighted(Some("7")));
    assert!(tokio::time::timeout(WAIT, seen).await.is_ok(), "the weight is not set");
    let none = rule("empty://0.0.0.0/com.x.Service?category=configurators");
    client.create(&none, b"", &LASTING).await.unwrap();
    let seen = providers.wait_for(weighted(None));
    assert!(tokio::time::timeout(WAIT, seen).await.is_ok(), "the weight stays");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rules_timeout_holds_for_calls_whose_reference_sets_none() {
    if missing().is_some() {
        return;
    }
    let server = start();
    let registry = registry(&server.servers());
    // It takes connections, and answers nothing.
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!(
        "dubbo://{}/com.x.Service?interface=com.x.Service&timeout=9000",
        silent.local_addr().unwrap()
    );
    let _registration = registry.register(url.parse().unwrap()).await.unwrap();
    let client = Client::connect(&server.servers()).await.unwrap();
    client.mkdir("/dubbo/com.x.Service/configurators", &LASTING).await.unwrap();
    let rule = "override%3A%2F%2F0.0.0.0%2Fcom.x.Service%3Fcategory%3Dconfigurators%26timeout%3D40";
    let rule = format!("/dubbo/com.x.Service/configurators/{rule}");
    client.create(&rule, b"", &LASTING).await.unwrap();
    let consumer = Consumer::new(registry);
    for (reference, says) in [
        (Reference::default(), "within 40 ms"),
        (Reference::default().timeout(Duration::from_millis(30)), "within 30 ms"),
    ] {
        let service = ServiceKey::new("com.x.Service", "", "");
        let generic = consumer.generic(service, reference.retries(0)).await.unwrap();
        // The first attempts may spend their time on connecting.
        let error = loop {
            let error = generic.invoke("a", None::<&[&str]>, Vec::new()).await.unwrap_err();
            if error.kind() == ErrorKind::Timeout {
                break error;
            }
        };
        assert!(error.to_string().contains(says), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn routing_rules_are_seen_and_break_nothing() {
    if missing().is_some() {
        return;
    }
    let server = start();
    let registry = registry(&server.servers());
    let client = Client::connect(&server.servers()).await.unwrap();
    let routers = "/dubbo/com.x.Service/routers";
    client.mkdir(routers, &LASTING).await.unwrap();
    // As Dubbo writes a condition, a tag rule in the config center, and what is no URL at all.
    let route = "route%3A%2F%2F0.0.0.0%2Fcom.x.Service%3Fcategory%3Drouters%26dynamic%3Dfalse%26force%3Dtrue%26router%3Dcondition%26rule%3D%3D%3E%2520host%2520%21%3D%252010.0.0.5";
    client.create(&format!("{routers}/{route}"), b"", &LASTING).await.unwrap();
    client.create(&format!("{routers}/%ff"), b"", &LASTING).await.unwrap();
    client.mkdir("/dubbo/config/dubbo", &LASTING).await.unwrap();
    let tags = "/dubbo/config/dubbo/shop.tag-router";
    client.create(tags, b"force: true\ntags: []", &LASTING).await.unwrap();
    let subscription = registry.subscribe(consumer()).await.unwrap();
    let _first = registry.register(provider(1)).await.unwrap();
    lists(&subscription, &[1]).await;
    client.delete(&format!("{routers}/{route}"), None).await.unwrap();
    let second = registry.register(provider(2)).await.unwrap();
    lists(&subscription, &[1, 2]).await;
    second.unregister().await.unwrap();
    lists(&subscription, &[1]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_is_deleted_or_of_an_old_session_is_made_anew() {
    if missing().is_some() {
        return;
    }
    let server = start();
    let registry = registry(&server.servers());
    // The node of a session that has not ended yet.
    let client = Client::connect(&server.servers()).await.unwrap();
    client.mkdir(FOLDER, &LASTING).await.unwrap();
    client.create(&path(1), b"", &EPHEMERAL).await.unwrap();
    let registration = registry.register(provider(1)).await.unwrap();
    let ours = owner(&client, &path(1)).await;
    assert_ne!(ours, client.session_id().0, "it belongs to the old session still");
    client.delete(&path(1), None).await.unwrap();
    assert_eq!(owner(&client, &path(1)).await, ours);
    registration.unregister().await.unwrap();
    assert_eq!(client.list_children(FOLDER).await.unwrap(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn watches_outlive_lost_connections_and_a_restart() {
    if missing().is_some() {
        return;
    }
    let mut server = start();
    let proxy = Proxy::start(server.servers()).await;
    let (providers, consumers) = (registry(&server.servers()), registry(&proxy.address()));
    let _first = providers.register(provider(1)).await.unwrap();
    let subscription = consumers.subscribe(consumer()).await.unwrap();
    lists(&subscription, &[1]).await;
    for round in 0..4 {
        if round < 3 {
            proxy.cut();
        } else {
            server.kill();
            block_in_place(|| server.run());
        }
        let later = providers.register(provider(10 + round)).await.unwrap();
        lists(&subscription, &[1, 10 + round]).await;
        later.unregister().await.unwrap();
        lists(&subscription, &[1]).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_whose_session_expired_comes_back_in_a_new_one() {
    if missing().is_some() {
        return;
    }
    let server = start();
    let proxy = Proxy::start(server.servers()).await;
    let (providers, consumers) = (registry(&proxy.address()), registry(&server.servers()));
    let _registration = providers.register(provider(1)).await.unwrap();
    let subscription = consumers.subscribe(consumer()).await.unwrap();
    lists(&subscription, &[1]).await;
    let client = Client::connect(&server.servers()).await.unwrap();
    let before = owner(&client, &path(1)).await;
    proxy.swallow();
    lists(&subscription, &[]).await;
    proxy.pass();
    lists(&subscription, &[1]).await;
    assert_ne!(owner(&client, &path(1)).await, before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_consumer_whose_session_expired_keeps_its_list_and_follows_on() {
    if missing().is_some() {
        return;
    }
    let server = start();
    let proxy = Proxy::start(server.servers()).await;
    let (providers, consumers) = (registry(&server.servers()), registry(&proxy.address()));
    let _first = providers.register(provider(1)).await.unwrap();
    let _itself = consumers.register(consumer()).await.unwrap();
    let subscription = consumers.subscribe(consumer()).await.unwrap();
    lists(&subscription, &[1]).await;
    let client = Client::connect(&server.servers()).await.unwrap();
    let expired = async {
        proxy.swallow();
        // The consumer's own node goes with its session.
        empty(&client, "/dubbo/com.x.Service/consumers").await;
    };
    throughout(&subscription, 1, expired).await;
    let _second = providers.register(provider(2)).await.unwrap();
    proxy.pass();
    lists(&subscription, &[1, 2]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_lost_all_data_loses_no_provider() {
    if missing().is_some() {
        return;
    }
    let mut server = start();
    let proxy = Proxy::start(server.servers()).await;
    // Sessions so long that no time limit of theirs is met here.
    let long = |servers: &str| registry_with(servers, "session=120000&timeout=30000");
    let (providers, consumers) = (long(&proxy.address()), long(&server.servers()));
    let registration = providers.register(provider(1)).await.unwrap();
    let subscription = consumers.subscribe(consumer()).await.unwrap();
    lists(&subscription, &[1]).await;
    let returned = async {
        proxy.swallow();
        server.kill();
        server.forget();
        block_in_place(|| server.run());
        // Others are heard of, and do not replace who is still missing.
        let other = Client::connect(&server.servers()).await.unwrap();
        other.mkdir(FOLDER, &LASTING).await.unwrap();
        other.create(&path(2), b"", &EPHEMERAL).await.unwrap();
        lists(&subscription, &[1, 2]).await;
        proxy.pass();
        owner(&other, &path(1)).await;
        other.delete(&path(2), None).await.unwrap();
        lists(&subscription, &[1]).await;
    };
    throughout(&subscription, 1, returned).await;
    // Listed again, it can go again: the last one too, and in time.
    registration.unregister().await.unwrap();
    lists(&subscription, &[]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_down_at_the_start_is_waited_for_or_named() {
    if missing().is_some() {
        return;
    }
    let mut server = block_in_place(|| ZooKeeper::prepare(temporary()));
    let strict = registry_with(&server.servers(), "timeout=300");
    let error = strict.register(provider(7)).await.unwrap_err().to_string();
    assert!(error.contains(&server.servers()) && error.contains("check=false"), "{error}");
    assert!(strict.subscribe(consumer()).await.is_err());
    assert!(strict.interfaces().await.is_err());
    let patient = registry_with(&server.servers(), "timeout=300&check=false");
    let _registration = patient.register(provider(1)).await.unwrap();
    let subscription = patient.subscribe(consumer()).await.unwrap();
    assert!(matches!(&*subscription.providers.borrow(), Providers::Unknown));
    block_in_place(|| server.run());
    lists(&subscription, &[1]).await;
    // What failed is not published later.
    let connected = async { while strict.interfaces().await.is_err() {} };
    tokio::time::timeout(WAIT, connected).await.expect("it does not connect");
    let _later = patient.register(provider(8)).await.unwrap();
    lists(&subscription, &[1, 8]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_lists_on_disk_are_a_start_when_the_server_is_down() {
    if missing().is_some() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lists.json");
    let parameters = format!("session=120000&check=false&file-cache={}", file.display());
    let mut server = start();
    let providers = registry(&server.servers());
    let _registration = providers.register(provider(1)).await.unwrap();
    let before = registry_with(&server.servers(), &format!("{parameters}&timeout=30000"));
    let subscription = before.subscribe(consumer()).await.unwrap();
    lists(&subscription, &[1]).await;
    server.kill();
    // The file is written in the background.
    let written = async {
        while !std::fs::read_to_string(&file).is_ok_and(|text| text.contains("10.0.0.5:1")) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(WAIT, written).await.unwrap();
    drop((subscription, before));
    let after = registry_with(&server.servers(), &format!("{parameters}&timeout=300"));
    let subscription = after.subscribe(consumer()).await.unwrap();
    assert_eq!(ports(&subscription.providers.borrow()), Some(vec![1]));
    // A server that comes back with nothing does not take it away.
    server.forget();
    let returned = async {
        block_in_place(|| server.run());
        let client = Client::connect(&server.servers()).await.unwrap();
        owner(&client, &path(1)).await;
    };
    throughout(&subscription, 1, returned).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_password_keeps_others_out() {
    if missing().is_some() {
        return;
    }
    let server = start();
    let known = registry(&format!("dubbo:secret@{}", server.servers()));
    let _registration = known.register(provider(1)).await.unwrap();
    let subscription = known.subscribe(consumer()).await.unwrap();
    lists(&subscription, &[1]).await;
    let stranger = registry_with(&server.servers(), "timeout=500");
    for error in [
        stranger.register(provider(2)).await.unwrap_err(),
        stranger.subscribe(consumer()).await.unwrap_err(),
    ] {
        let error = error.to_string();
        assert!(error.contains("not authorized") && !error.contains("secret"), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_several_servers_is_enough_and_groups_are_apart() {
    if missing().is_some() {
        return;
    }
    let server = start();
    // Nobody listens on port 1.
    let listed = registry_with(&format!("127.0.0.1:1,{}", server.servers()), "group=x");
    let _registration = listed.register(provider(1)).await.unwrap();
    let backup = format!("group=x&backup={}", server.servers());
    let same = registry_with("127.0.0.1:1", &backup).subscribe(consumer()).await.unwrap();
    lists(&same, &[1]).await;
    let other = registry(&server.servers()).subscribe(consumer()).await.unwrap();
    lists(&other, &[]).await;
}
