use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

const TTL: Duration = Duration::from_secs(10);

fn provider(port: u16, pid: u32) -> Entry {
    Entry::read(&format!("dubbo://10.0.0.5:{port}/a.B?pid={pid}")).unwrap()
}

fn topic() -> Topic {
    Topic::new("a.B", "providers").unwrap()
}

fn texts(store: &Store) -> Vec<String> {
    store.list(&topic()).urls.iter().map(ToString::to_string).collect()
}

#[tokio::test(start_paused = true)]
async fn a_session_lasts_as_long_as_it_is_renewed() {
    let store = Store::new(Duration::from_secs(60));
    store.claim("s", TTL, 1, &[provider(1, 1)]).unwrap();
    for _ in 0..3 {
        tokio::time::advance(TTL - Duration::from_millis(1)).await;
        assert_eq!(store.expire(), 0);
        assert_eq!(store.renew("s"), Ok(TTL));
    }
    tokio::time::advance(TTL).await;
    assert_eq!(store.renew("s"), Err(Refusal::UnknownSession));
    assert_eq!(store.expire(), 1);
    assert!(texts(&store).is_empty());
    assert_eq!(store.load(), Load { sessions: 0, watches: 0, text_bytes: 0, lapsed: 1 });
    assert!(store.shelves.is_empty(), "an empty list is forgotten");
}

#[tokio::test(start_paused = true)]
async fn leases_are_kept_within_bounds() {
    let store = Store::new(Duration::from_secs(60));
    for (wanted, granted) in [(0, 60_000), (5_000, 5_000), (1, 1_000), (u64::MAX, 60_000)] {
        let ttl = store.claim("s", Duration::from_millis(wanted), 1, &[]).unwrap();
        assert_eq!(ttl, Duration::from_millis(granted), "{wanted}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_watch_wakes_on_change_and_not_before() {
    let store = Store::new(Duration::from_secs(60));
    let topic = topic();
    let deadline = Instant::now() + Duration::from_secs(30);
    let (watched, ()) = tokio::join!(store.watch(&topic, 0, deadline), async {
        tokio::time::advance(Duration::from_secs(5)).await;
        assert_eq!(store.load().watches, 1);
        store.claim("s", TTL, 1, &[provider(1, 1)]).unwrap();
    });
    let watched = watched.unwrap();
    assert_eq!((watched.revision, watched.urls.len()), (1, 1));
    assert!(Instant::now() < deadline);

    let idle = store.watch(&topic, watched.revision, deadline).await.unwrap();
    assert_eq!(idle, watched);
    assert_eq!(Instant::now(), deadline);
    assert_eq!(store.load().watches, 0);
}

#[tokio::test]
async fn a_list_that_was_forgotten_is_news_to_those_who_saw_it() {
    let store = Store::new(Duration::from_secs(60));
    store.claim("s", TTL, 1, &[provider(1, 1)]).unwrap();
    let seen = store.list(&topic()).revision;
    store.close("s");
    assert!(store.shelves.is_empty());
    let after = store.watch(&topic(), seen, Instant::now()).await.unwrap();
    assert!(after.revision > seen && after.urls.is_empty());
    store.claim("s", TTL, 1, &[provider(1, 1)]).unwrap();
    assert!(store.list(&topic()).revision > after.revision);
}

#[tokio::test]
async fn an_instance_that_came_back_is_listed_once_and_outlives_its_former_session() {
    let store = Store::new(Duration::from_secs(60));
    store.claim("killed", TTL, 1, &[provider(1, 1)]).unwrap();
    store.claim("restarted", TTL, 1, &[provider(1, 2)]).unwrap();
    assert_eq!(texts(&store), ["dubbo://10.0.0.5:1/a.B?pid=2"]);
    store.close("killed");
    assert_eq!(texts(&store), ["dubbo://10.0.0.5:1/a.B?pid=2"]);
    store.close("restarted");
    assert!(texts(&store).is_empty());
}

#[tokio::test]
async fn a_claim_that_is_refused_changes_nothing() {
    let store = Store::new(Duration::from_secs(60));
    store.claim("s", TTL, 7, &[provider(1, 1)]).unwrap();
    let before = (store.list(&topic()), store.load());
    let stale = store.claim("s", TTL, 6, &[]);
    assert_eq!(stale, Err(Refusal::Stale { offered: 6, held: 7 }));
    let many = vec![provider(1, 1); MAX_ENTRIES + 1];
    assert_eq!(store.claim("s", TTL, 8, &many), Err(Refusal::TooManyEntries));
    let permits = store.session_slots.available_permits();
    let taken = store.session_slots.try_acquire_many(permits as u32).unwrap();
    assert!(matches!(store.claim("t", TTL, 1, &[]), Err(Refusal::Full(_))));
    drop(taken);
    let _taken = store.text_budget.try_acquire_many(before.1.text_bytes as u32).unwrap();
    let _rest = store.text_budget.try_acquire_many(store.text_budget.available_permits() as u32);
    assert!(matches!(store.claim("s", TTL, 9, &[provider(2, 1)]), Err(Refusal::Full(_))));
    drop((_taken, _rest));
    assert_eq!((store.list(&topic()), store.load()), before);
}

#[tokio::test]
async fn watches_are_bounded() {
    let store = Store::new(Duration::from_secs(60));
    let _taken = store.watch_slots.try_acquire_many(MAX_WATCHES as u32).unwrap();
    let refused = store.watch(&topic(), 0, Instant::now()).await;
    assert!(matches!(refused, Err(Refusal::Full(_))));
}

/// What may happen to a store.
#[derive(Debug, Clone)]
enum Step {
    Claim(u8, Vec<(u16, u32)>),
    Close(u8),
}

fn step() -> impl Strategy<Value = Step> {
    let entries = prop::collection::vec((1u16..6, 0u32..3), 0..5);
    prop_oneof![
        4 => (0u8..3, entries).prop_map(|(session, entries)| Step::Claim(session, entries)),
        1 => (0u8..3).prop_map(Step::Close),
    ]
}

/// Port -> (owner, pid): the last claim on an address has it.
type Model = BTreeMap<u16, (u8, u32)>;

fn follow(model: &mut Model, step: &Step) {
    let (Step::Claim(session, _) | Step::Close(session)) = step;
    let wanted: Vec<u16> = match step {
        Step::Claim(_, entries) => entries.iter().map(|(port, _)| *port).collect(),
        Step::Close(_) => Vec::new(),
    };
    model.retain(|port, (owner, _)| owner != session || wanted.contains(port));
    if let Step::Claim(session, entries) = step {
        model.extend(entries.iter().map(|(port, pid)| (*port, (*session, *pid))));
    }
}

proptest! {
    #[test]
    fn the_list_is_what_was_claimed_and_revisions_only_grow(
        steps in prop::collection::vec(step(), 1..40),
    ) {
        let store = Store::new(Duration::from_secs(60));
        let mut model = Model::new();
        for (change, step) in steps.iter().enumerate() {
            let before = store.list(&topic());
            match step {
                Step::Claim(session, entries) => {
                    let entries: Vec<Entry> =
                        entries.iter().map(|(port, pid)| provider(*port, *pid)).collect();
                    store.claim(&session.to_string(), TTL, change as u64, &entries).unwrap();
                }
                Step::Close(session) => store.close(&session.to_string()),
            }
            follow(&mut model, step);
            let expected: Vec<String> = model
                .iter()
                .map(|(port, (_, pid))| format!("dubbo://10.0.0.5:{port}/a.B?pid={pid}"))
                .collect();
            prop_assert_eq!(texts(&store), expected);
            let after = store.list(&topic());
            prop_assert!(after.revision >= before.revision);
            prop_assert!(after.urls == before.urls || after.revision > before.revision);
        }
    }
}
