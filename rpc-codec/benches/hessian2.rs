//! What hessian2 costs, beside MessagePack on the same values.

use std::hint::black_box;

use bytes::BytesMut;
use criterion::{Criterion, criterion_group, criterion_main};
use rpc_codec::Serialization;
use rpc_codec::hessian2::Hessian2;
use rpc_codec::msgpack::Msgpack;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The allocator of the binaries. The system's gives memory of this size back at once, so that a
/// decoded string costs page faults that have nothing to do with its form.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const SIZE: usize = 100 * 1024;

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename = "com.dubbo.vo.User", rename_all = "camelCase")]
struct User {
    user_id: i64,
    user_name: String,
    response_info: String,
}

fn users() -> Vec<User> {
    let user = |id| User {
        user_id: id,
        user_name: format!("userName{id}"),
        response_info: "answered by provider 10.0.0.5:20890".to_owned(),
    };
    (1..=10).map(user).collect()
}

fn both_ways<T: Serialize + DeserializeOwned>(
    criterion: &mut Criterion,
    name: &str,
    serialization: &dyn Serialization,
    value: &T,
) {
    let mut out = BytesMut::new();
    if serialization.writer(&mut out).write(value).is_err() {
        return;
    }
    let body = out.clone();
    let kind = serialization.name();
    criterion.bench_function(&format!("{name}/{kind}/encode"), |bencher| {
        bencher.iter(|| {
            out.clear();
            serialization.writer(&mut out).write(black_box(value)).is_ok()
        });
    });
    criterion.bench_function(&format!("{name}/{kind}/decode"), |bencher| {
        bencher.iter(|| serialization.reader(black_box(&body)).read::<T>().is_ok());
    });
}

fn all(criterion: &mut Criterion) {
    let ascii = "x".repeat(SIZE);
    let cjk = "汉".repeat(SIZE / 3);
    let users = users();
    for serialization in [&Hessian2 as &dyn Serialization, &Msgpack] {
        both_ways(criterion, "ascii 100 KiB", serialization, &ascii);
        both_ways(criterion, "cjk 100 KiB", serialization, &cjk);
        both_ways(criterion, "ten users", serialization, &users);
    }
}

criterion_group!(benches, all);
criterion_main!(benches);
