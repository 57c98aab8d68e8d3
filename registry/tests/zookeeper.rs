//! The ZooKeeper registry against a real server, through restarts and the end of sessions.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    unreachable_pub,
    reason = "a test fails by panicking, and its modules are its own"
)]

#[path = "support/zookeeper.rs"]
mod server;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use registry::{RegistryOptions, connect};
use rpc_core::registry::{Providers, Registry, Subscription};
use rpc_core::url::Url;
use server::{ZooKeeper, missing};
use zookeeper_client::{Acls, Client, CreateMode};

const WAIT: Duration = Duration::from_secs(30);

fn temporary() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
}

/// A client that waits as long as the tests do: a server's restart takes what it takes.
fn registry(server: &ZooKeeper) -> Arc<dyn Registry> {
    registry_with(server, &format!("&timeout={}", WAIT.as_millis()))
}

fn registry_with(server: &ZooKeeper, parameters: &str) -> Arc<dyn Registry> {
    let address = format!("zookeeper://{}?session=2000{parameters}", server.servers());
    connect(&address, RegistryOptions::default()).unwrap()
}

fn provider(port: u16) -> Url {
    let text = format!(
        "dubbo://10.0.0.5:{port}/com.x.Service?anyhost=true&interface=com.x.Service&methods=a,b&version=1.0.0"
    );
    text.parse().unwrap()
}

fn consumer() -> Url {
    "consumer://10.0.0.9/com.x.Service?category=consumers&interface=com.x.Service&version=*"
        .parse()
        .unwrap()
}

/// Waits until the subscription lists exactly these ports.
async fn lists(subscription: &mut Subscription, ports: &[u16]) {
    let wanted = |providers: &Providers| match providers {
        Providers::Known(urls) => urls.iter().map(|url| url.port).eq(ports.iter().copied()),
        Providers::Unknown => false,
    };
    let found = tokio::time::timeout(WAIT, subscription.providers.wait_for(wanted)).await.is_ok();
    assert!(found, "wanted {ports:?}, there is {:?}", subscription.providers.borrow());
}

const FOLDER: &str = "/dubbo/com.x.Service/providers";

#[tokio::test]
async fn nodes_are_named_as_java_names_them_and_go_with_their_registration() {
    if missing().is_some() {
        return;
    }
    let server = ZooKeeper::start(temporary());
    let registry = registry(&server);
    let registration = registry.register(provider(20_880)).await.unwrap();
    let consumers = registry.register(consumer()).await.unwrap();
    let client = Client::connect(&server.servers()).await.unwrap();
    let name = "dubbo%3A%2F%2F10.0.0.5%3A20880%2Fcom.x.Service%3Fanyhost%3Dtrue%26interface%3Dcom.x.Service%26methods%3Da%2Cb%26version%3D1.0.0";
    assert_eq!(client.list_children(FOLDER).await.unwrap(), [name]);
    let stat = client.check_stat(&format!("{FOLDER}/{name}")).await.unwrap().unwrap();
    assert!(stat.ephemeral_owner != 0, "it is to end with its session");
    let found = client.list_children("/dubbo/com.x.Service/consumers").await.unwrap();
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("consumer%3A%2F%2F10.0.0.9%2Fcom.x.Service"), "{found:?}");
    registration.unregister().await.unwrap();
    consumers.unregister().await.unwrap();
    assert_eq!(client.list_children(FOLDER).await.unwrap(), [""; 0]);
}

#[tokio::test]
async fn a_subscription_sees_each_change_and_only_what_matches() {
    if missing().is_some() {
        return;
    }
    let server = ZooKeeper::start(temporary());
    let (providers, consumers) = (registry(&server), registry(&server));
    let mut subscription = consumers.subscribe(consumer()).await.unwrap();
    lists(&mut subscription, &[]).await;
    let first = providers.register(provider(1)).await.unwrap();
    lists(&mut subscription, &[1]).await;
    let _second = providers.register(provider(2)).await.unwrap();
    lists(&mut subscription, &[1, 2]).await;
    assert_eq!(consumers.interfaces().await.unwrap(), ["com.x.Service"]);
    // What is no URL, and what is taken out, is left out.
    let client = Client::connect(&server.servers()).await.unwrap();
    let options = CreateMode::Persistent.with_acls(Acls::anyone_all());
    client.create(&format!("{FOLDER}/no%20url%ff"), b"", &options).await.unwrap();
    let _out = providers.register(provider(3).with("disabled", "true")).await.unwrap();
    first.unregister().await.unwrap();
    lists(&mut subscription, &[2]).await;
    // An override takes a provider out, and lets it back in.
    let rule = "/dubbo/com.x.Service/configurators/override%3A%2F%2F10.0.0.5%3A2%2Fcom.x.Service%3Fcategory%3Dconfigurators%26disabled%3Dtrue";
    client.create(rule, b"", &options).await.unwrap();
    lists(&mut subscription, &[]).await;
    client.delete(rule, None).await.unwrap();
    lists(&mut subscription, &[2]).await;
}

#[tokio::test]
async fn a_node_that_is_deleted_or_of_an_old_session_is_made_anew() {
    if missing().is_some() {
        return;
    }
    let server = ZooKeeper::start(temporary());
    let registry = registry(&server);
    // The node of a session that has not ended yet.
    let client = Client::connect(&server.servers()).await.unwrap();
    let persistent = CreateMode::Persistent.with_acls(Acls::anyone_all());
    client.mkdir(FOLDER, &persistent).await.unwrap();
    let name = "dubbo%3A%2F%2F10.0.0.5%3A1%2Fcom.x.Service%3Fanyhost%3Dtrue%26interface%3Dcom.x.Service%26methods%3Da%2Cb%26version%3D1.0.0";
    let path = format!("{FOLDER}/{name}");
    let ephemeral = CreateMode::Ephemeral.with_acls(Acls::anyone_all());
    client.create(&path, b"", &ephemeral).await.unwrap();
    let _registration = registry.register(provider(1)).await.unwrap();
    let stat = client.check_stat(&path).await.unwrap().unwrap();
    assert_ne!(stat.ephemeral_owner, client.session_id().0, "it belongs to the old session still");
    let mut subscription = registry.subscribe(consumer()).await.unwrap();
    lists(&mut subscription, &[1]).await;
    client.delete(&path, None).await.unwrap();
    let back = async {
        while client.check_stat(&path).await.unwrap().is_none() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(WAIT, back).await.expect("it did not come back");
}

#[tokio::test]
async fn a_restart_and_the_end_of_sessions_are_survived() {
    if missing().is_some() {
        return;
    }
    let mut server = ZooKeeper::start(temporary());
    let (providers, consumers) = (registry(&server), registry(&server));
    let _first = providers.register(provider(1)).await.unwrap();
    let mut subscription = consumers.subscribe(consumer()).await.unwrap();
    lists(&mut subscription, &[1]).await;
    for round in 0..2_u16 {
        server.kill();
        if round == 1 {
            // Longer than a session: it has expired when the server is back.
            tokio::time::sleep(Duration::from_secs(7)).await;
        }
        // The last list is kept meanwhile.
        assert!(
            matches!(&*subscription.providers.borrow(), Providers::Known(list) if !list.is_empty())
        );
        server.run();
        // And what comes later is seen.
        let later = providers.register(provider(10 + round)).await.unwrap();
        lists(&mut subscription, &[1, 10 + round]).await;
        later.unregister().await.unwrap();
        lists(&mut subscription, &[1]).await;
    }
}

#[tokio::test]
async fn a_server_that_is_down_at_the_start_is_waited_for_or_named() {
    if missing().is_some() {
        return;
    }
    let mut server = ZooKeeper::prepare(temporary());
    let strict = registry_with(&server, "&timeout=300");
    let error = strict.register(provider(1)).await.unwrap_err().to_string();
    assert!(error.contains(&server.servers()) && error.contains("check=false"), "{error}");
    assert!(strict.subscribe(consumer()).await.is_err());
    let patient = registry_with(&server, "&timeout=300&check=false");
    let _registration = patient.register(provider(1)).await.unwrap();
    let mut subscription = patient.subscribe(consumer()).await.unwrap();
    assert!(matches!(&*subscription.providers.borrow(), Providers::Unknown));
    server.run();
    lists(&mut subscription, &[1]).await;
}
