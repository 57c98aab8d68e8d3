//! What we check of a Java provider.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::future::Future;
use std::time::Duration;

use futures_util::future::join_all;
use provider::api::{StressTestServiceClient, User, UserServiceClient};
use rpc_core::client::{Consumer, Reference};
use rpc_core::codec::java::types::{
    BigDecimal, BigInteger, Date, Duration as JavaDuration, DurationHandle, Instant, InstantHandle,
    IntArray, LocalDate, LocalDateHandle, LocalDateTime, LocalDateTimeHandle, LocalTimeHandle,
    StringArray, Uuid,
};
use rpc_core::context::with_reply_attachments;
use rpc_core::{Error, ErrorKind, ServiceKey, Value};
use serde_bytes::ByteBuf;

use crate::types::{Color, Member, TypesServiceClient};

/// The result of all checks.
#[derive(Default)]
pub struct Checked {
    pub ok: usize,
    pub failures: Vec<String>,
}

impl Checked {
    /// Whether a call returned what was expected.
    async fn same<T: PartialEq + Debug>(
        &mut self,
        name: &str,
        expected: T,
        call: impl Future<Output = Result<T, Error>>,
    ) {
        match call.await {
            Ok(found) if found == expected => self.ok += 1,
            Ok(found) => {
                let text = format!("wanted {expected:?}, found {found:?}");
                self.failures
                    .push(format!("{name}: {}", text.chars().take(400).collect::<String>()));
            }
            Err(error) => self.failures.push(format!("{name}: {error}")),
        }
    }

    fn that(&mut self, name: &str, holds: bool, found: impl Debug) {
        if holds { self.ok += 1 } else { self.failures.push(format!("{name}: {found:?}")) }
    }
}

/// Runs all checks of the provider that `consumer` finds, at `url` if there is one.
pub async fn check(consumer: Consumer, url: Option<&str>) -> Checked {
    let consumer = consumer.application("rust-consumer");
    let reference = || {
        let reference = Reference::default().retries(0).timeout(Duration::from_secs(20));
        match url {
            Some(url) => reference.url(url),
            None => reference,
        }
    };
    let stress: StressTestServiceClient = consumer.refer(reference()).await.unwrap();
    let users: UserServiceClient = consumer.refer(reference()).await.unwrap();
    let types: TypesServiceClient = consumer.refer(reference()).await.unwrap();
    let mut checked = Checked::default();
    strings(&mut checked, &stress).await;
    beans(&mut checked, &stress, &users).await;
    numbers(&mut checked, &types).await;
    objects(&mut checked, &types).await;
    failures(&mut checked, &types).await;
    many(&mut checked, &stress).await;
    attachments(&mut checked, &stress).await;
    let key = ServiceKey::new("com.dubbo.api.StressTestService", "1.0.0", "");
    let generic = consumer.generic(key, reference()).await.unwrap();
    let user = Value::map([("class", Value::from("com.dubbo.vo.User")), ("userName", "a".into())]);
    let reply = generic.invoke("StressTestPojo", Some(&["com.dubbo.vo.User"]), vec![user]).await;
    let name = reply.as_ref().ok().and_then(|map| map.get("userName")).cloned();
    checked.that("generic", name == Some(Value::from("a")), reply);
    checked
}

async fn strings(checked: &mut Checked, stress: &StressTestServiceClient) {
    let edge = format!("{}\u{1f600}{}", "x".repeat(32_767), "y".repeat(40_000));
    for (name, text) in [
        ("string", "hello".to_owned()),
        ("string-empty", String::new()),
        ("string-100k", "0123456789".repeat(10_240)),
        ("string-1m", "0123456789abcdef".repeat(65_536)),
        ("string-emoji-edge", edge),
        ("string-cjk", "汉".repeat(40_000)),
    ] {
        checked.same(name, Some(text.clone()), stress.stress_test_50k(Some(text))).await;
    }
}

async fn beans(checked: &mut Checked, stress: &StressTestServiceClient, users: &UserServiceClient) {
    let user = User { user_id: Some(7), user_name: Some("bob".into()), response_info: None };
    checked.same("bean", Some(user.clone()), stress.stress_test_pojo(Some(user.clone()))).await;
    checked.same("bean-null", None, stress.stress_test_pojo(None)).await;
    let list = vec![user.clone(), User::default(), user];
    checked.same("bean-list", Some(list.clone()), stress.stress_list_user(Some(list))).await;
    let name = async { Ok(users.get_user_info(9).await?.user_name) };
    checked.same("user-info", Some("userName9".to_owned()), name).await;
}

async fn numbers(checked: &mut Checked, types: &TypesServiceClient) {
    checked.same("bool", true, types.bool(true)).await;
    checked.same("int8", -128, types.int8(-128)).await;
    checked.same("int16", 32_767, types.int16(32_767)).await;
    for value in [0, -17, 48, -2049, 2048, 262_144, i32::MIN] {
        checked.same("int32", value, types.int32(value)).await;
        checked.same("int64", i64::from(value), types.int64(value.into())).await;
    }
    checked.same("int64 max", i64::MAX, types.int64(i64::MAX)).await;
    checked.same("float32", 1.1, types.float32(1.1)).await;
    checked.same("float64", std::f64::consts::PI, types.float64(std::f64::consts::PI)).await;
    checked.same("char", '汉', types.unit('汉')).await;
    checked.same("boxed-int", Some(5), types.boxed_int(Some(5))).await;
    checked.same("boxed-int null", None, types.boxed_int(None)).await;
    checked.same("boxed-long", Some(5), types.boxed_long(Some(5))).await;
    checked.same("boxed-double null", None, types.boxed_double(None)).await;
}

async fn objects(checked: &mut Checked, types: &TypesServiceClient) {
    let bytes = ByteBuf::from(vec![7; 70_000]);
    checked.same("bytes", bytes.clone(), types.bytes(bytes)).await;
    let ints = IntArray(vec![1, 300, -70_000]);
    checked.same("ints", ints.clone(), types.ints(ints)).await;
    let texts = StringArray(vec![Some("a".into()), None]);
    checked.same("texts", texts.clone(), types.texts(texts)).await;
    checked.same("longs", vec![1, 2], types.longs(vec![1, 2])).await;
    let set = BTreeSet::from(["a".to_owned(), "b".to_owned()]);
    checked.same("set", set.clone(), types.set(set)).await;
    let map = BTreeMap::from([("a".to_owned(), 1_i64 << 33)]);
    checked.same("map", map.clone(), types.map(map)).await;
    let member = Member {
        user_id: Some(1 << 40),
        user_name: Some("张".into()),
        level: -262_145,
        score: 1.1,
        active: true,
        picture: Some(ByteBuf::from(vec![0, 255, 127])),
        color: Some(Color::Green),
        balance: Some(BigDecimal { value: "12345678901234567890.123".into() }),
        friends: vec![User { user_id: Some(2), ..User::default() }],
        counts: BTreeMap::from([("a".to_owned(), 1)]),
        ..Member::default()
    };
    checked.same("member", member.clone(), types.member(member.clone())).await;
    let members = vec![member.clone(), Member::default(), member];
    checked.same("members", members.clone(), types.members(members)).await;
    checked.same("enum", Some(Color::Blue), types.color(Some(Color::Blue))).await;
    checked.same("enum null", None, types.color(None)).await;
    let decimal = BigDecimal { value: "1E+3".into() };
    checked.same("decimal", decimal.clone(), types.decimal(decimal)).await;
    for millis in [1_700_000_000_123, -60_000, 0] {
        checked.same("date", Date(millis), types.date(Date(millis))).await;
    }
    for number in [0, -1, 1 << 32, i128::MAX] {
        let number = BigInteger::from(number);
        checked.same("big integer", number.clone(), types.big(number)).await;
    }
    let day = LocalDateHandle { day: 29, month: 2, year: 2024 };
    let time = LocalTimeHandle { nano: 5, second: 59, minute: 58, hour: 23 };
    checked.same("day", LocalDate(day), types.local_date(LocalDate(day))).await;
    let both = LocalDateTime(LocalDateTimeHandle { time, date: day });
    checked.same("day and time", both, types.local_date_time(both)).await;
    let instant = Instant(InstantHandle { nanos: 7, seconds: -1 });
    checked.same("instant", instant, types.instant(instant)).await;
    let span = JavaDuration(DurationHandle { nanos: 9, seconds: 86_400 });
    checked.same("duration", span, types.duration(span)).await;
    let uuid = Uuid { value: "00000000-0000-0001-0000-000000000002".into() };
    checked.same("uuid", uuid.clone(), types.uuid(uuid)).await;
    checked.same("void", (), types.nothing()).await;
    checked.same("overload int", "int 5".to_owned(), types.over_int(5)).await;
    checked.same("overload text", "text 5".to_owned(), types.over_text("5".into())).await;
    checked.same("future", "later".to_owned(), types.later("later".into())).await;
}

async fn failures(checked: &mut Checked, types: &TypesServiceClient) {
    let text = "no 汉 \u{1f600}".to_owned();
    let error = types.fail_declared(text.clone()).await.unwrap_err();
    let declared = error.exception().is_some_and(|exception| {
        exception.class == "com.dubbo.api.BizException"
            && exception.message.as_deref() == Some(&text)
            && exception.field("code") == Some(&Value::Int(42))
            && !exception.stack.is_empty()
    });
    checked.that("declared exception", declared, &error);
    let error = types.fail_runtime("broken".into()).await.unwrap_err();
    let class = error.exception().map(|exception| exception.class.as_str());
    checked.that("runtime exception", class == Some("java.lang.IllegalStateException"), &error);
}

async fn many(checked: &mut Checked, stress: &StressTestServiceClient) {
    let calls =
        (0..1000).map(|n| {
            // More at once than the provider's 200 threads would be refused.
            let (stress, token) = (stress.clone(), format!("{n}{}", "-".repeat(n)));
            async move {
                stress.stress_test_50k(Some(token.clone())).await.map(|echo| echo == Some(token))
            }
        });
    let replies = join_all(calls).await;
    let good = replies.iter().filter(|reply| matches!(reply, Ok(true))).count();
    let full = |reply: &&Result<bool, Error>| matches!(reply, Err(error) if error.kind() == ErrorKind::Overloaded);
    let refused = replies.iter().filter(full).count();
    checked.that("1000 in flight", good + refused == 1000 && good >= 200, (good, refused));
}

async fn attachments(checked: &mut Checked, stress: &StressTestServiceClient) {
    let stress = stress.with_attachment("from-rust", "there");
    let call = with_reply_attachments(stress.stress_string(Some("x".into())));
    let (reply, attachments) = call.await;
    let back = attachments.text("from-java").map(str::to_owned);
    checked.that(
        "attachments",
        reply.is_ok() && back.as_deref() == Some("there back"),
        (reply, back),
    );
}
