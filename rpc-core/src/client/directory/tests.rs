use tokio::sync::watch::Sender;

use super::*;
use crate::registry::SubscriptionGuard;

impl Candidate {
    /// A provider of `test.Echo` behind `endpoint`.
    pub(in crate::client) fn over(endpoint: &Arc<Endpoint>) -> Candidate {
        Candidate {
            endpoint: Arc::clone(endpoint),
            service: Arc::new(ServiceKey::new("test.Echo", "1.0.0", "")),
            weight: Weight::of(&Url::new("dubbo", "h", 1, "x")),
            path: None,
            token: None,
            terms: Arc::default(),
        }
    }
}

impl Directory {
    /// A list that the test swaps.
    pub(in crate::client) fn of(list: Vec<Candidate>) -> (Directory, Arc<ArcSwap<Vec<Candidate>>>) {
        let candidates = Arc::new(ArcSwap::from_pointee(list));
        let directory = Directory {
            candidates: Arc::clone(&candidates),
            follower: tokio::spawn(std::future::pending::<()>()).abort_handle(),
            _subscription: SubscriptionGuard::new(()),
        };
        (directory, candidates)
    }
}

fn known(urls: &[&str]) -> Providers {
    Providers::Known(urls.iter().map(|url| url.parse().unwrap()).collect())
}

fn wanted(version: &str) -> Wanted {
    let service = ServiceKey::new("test.Echo", version, "g");
    Wanted { service, terms: Terms::default(), wish: Wish::default() }
}

/// A directory, and the sender of its lists.
fn follow(endpoints: &Arc<Endpoints>) -> (Directory, Sender<Providers>) {
    let (sender, providers) = watch::channel(Providers::Unknown);
    let subscription = Subscription { providers, guard: SubscriptionGuard::new(()) };
    let asked = wanted("1.0.0");
    (Directory::follow(subscription, Arc::clone(endpoints), asked), sender)
}

/// Waits until the directory has heard.
async fn heard(directory: &Directory, addresses: &[&str]) {
    let listed =
        |it: &Arc<Vec<Candidate>>| it.iter().map(Candidate::address).eq(addresses.iter().copied());
    while !listed(&directory.candidates()) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_new_list_keeps_the_connections_to_those_who_stay() {
    let endpoints = Endpoints::new(Arc::default());
    let (directory, lists) = follow(&endpoints);
    assert!(directory.candidates().is_empty());
    lists.send_replace(known(&["dubbo://[::1]:1/test.Echo", "dubbo://[::1]:2/test.Echo"]));
    heard(&directory, &["[::1]:1", "[::1]:2"]).await;
    let (gone, stays) = {
        let list = directory.candidates();
        (Arc::downgrade(&list[0].endpoint), Arc::downgrade(&list[1].endpoint))
    };
    lists.send_replace(known(&["dubbo://[::1]:2/test.Echo?weight=7", "dubbo://[::1]:3/test.Echo"]));
    heard(&directory, &["[::1]:2", "[::1]:3"]).await;
    assert_eq!(gone.strong_count(), 0);
    assert!(std::ptr::eq(stays.as_ptr(), &*directory.candidates()[0].endpoint));
    assert_eq!(directory.candidates()[0].weight().now(), 7);
    lists.send_replace(known(&[]));
    heard(&directory, &[]).await;
    assert_eq!(stays.strong_count(), 0);
}

#[tokio::test]
async fn a_registry_that_is_gone_leaves_the_last_list() {
    let endpoints = Endpoints::new(Arc::default());
    let (directory, lists) = follow(&endpoints);
    lists.send_replace(known(&["dubbo://[::1]:1/test.Echo"]));
    heard(&directory, &["[::1]:1"]).await;
    drop(lists);
    while !directory.follower.is_finished() {
        tokio::task::yield_now().await;
    }
    heard(&directory, &["[::1]:1"]).await;
}

#[tokio::test]
async fn references_share_endpoints_unless_they_speak_otherwise() {
    let endpoints = Endpoints::new(Arc::default());
    let of = |url: &str| endpoints.of(&url.parse().unwrap(), &Wish::default());
    let first = of("dubbo://[::1]:1/test.Echo");
    assert!(Arc::ptr_eq(&first, &of("dubbo://[::1]:1/test.Other?weight=3")));
    assert!(!Arc::ptr_eq(&first, &of("dubbo://[::1]:1/test.Echo?serialization=msgpack")));
    assert!(!Arc::ptr_eq(&first, &of("dubbo://[::1]:2/test.Echo")));
    drop(first);
    // What nobody holds is forgotten.
    let _last = of("dubbo://[::1]:9/test.Echo");
    assert_eq!(endpoints.known.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn what_a_url_says_of_its_provider_is_heeded() {
    let endpoints = Endpoints::new(Arc::default());
    let asked = wanted("*");
    let urls = [
        "tri://[::1]:1/test.Echo",
        "dubbo://[::1]/test.Echo",
        "dubbo://[::1]:2/test.Echo?interface=test.Echo&version=2.0.0&timeout=3000&token=t",
        "dubbo://[::1]:3/test.Echo?interface=test.Echo&timeout=0",
        "dubbo://[::1]:4",
        "dubbo://[::1]:5/shop/echo?interface=test.Echo&say.timeout=9&timeout=8",
    ];
    let list = list(&known(&urls), &endpoints, &asked);
    let said = |it: &Candidate| {
        let ServiceKey { interface, version, group } = &*it.service;
        let timeout = it.terms.timeout("say");
        format!(
            "{} {interface} {version} {group} {timeout:?} {:?} {:?}",
            it.address(),
            it.token,
            it.path
        )
    };
    assert_eq!(
        list.iter().map(said).collect::<Vec<_>>(),
        [
            "[::1]:2 test.Echo 2.0.0  Some(3s) Some(\"t\") None",
            "[::1]:3 test.Echo   None None None",
            "[::1]:4 test.Echo  g None None None",
            "[::1]:5 test.Echo   Some(9ms) None Some(\"shop/echo\")",
        ]
    );
}
