//! Hessian2: what is read as a value is written and read again as the same value, and passed over
//! in the same length; typed reads end in a value or an error.

#![no_main]

use bytes::BytesMut;
use libfuzzer_sys::fuzz_target;
use rpc_codec::hessian2::{Deserializer, Serializer};
use rpc_codec::{Exception, Value};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename = "com.dubbo.vo.User", rename_all = "camelCase")]
#[expect(dead_code, reason = "only its reading is of interest")]
struct User {
    user_id: Option<i64>,
    user_name: Option<String>,
    friends: Option<Vec<User>>,
}

fuzz_target!(|input: &[u8]| {
    let _ = Deserializer::new(input).read::<Exception>();
    let _ = Deserializer::new(input).read::<Vec<User>>();
    let mut reader = Deserializer::new(input);
    let Ok(value) = reader.read::<Value>() else { return };
    let mut skipper = Deserializer::new(input);
    assert!(skipper.skip().is_ok(), "read, but not passed over");
    assert_eq!(skipper.position(), reader.position());
    let _ = value.to_string();
    let mut out = BytesMut::new();
    if Serializer::new(&mut out).write(&value).is_ok() {
        let again = Deserializer::new(&out).read::<Value>();
        // Debug, for NaN is not equal to itself.
        assert_eq!(format!("{:?}", again.ok()), format!("{:?}", Some(value)));
    }
});
