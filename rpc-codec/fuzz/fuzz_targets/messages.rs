//! Bodies of every kind, in every serialization: a value or an error, never more.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rpc_codec::message::{decode_error, decode_event, decode_reply, decode_request};
use rpc_codec::{Serializations, Value};

fuzz_target!(|input: &[u8]| {
    let Some((&choice, body)) = input.split_first() else { return };
    let known = Serializations::default();
    let id = [2, 27, 16, 30][usize::from(choice % 4)];
    let Ok(serialization) = known.by_id(id) else { return };
    let serialization = serialization.as_ref();
    if let Ok(request) = decode_request(serialization, body) {
        if let Ok(value) = serialization.reader(&body[request.arguments]).read::<Value>() {
            let _ = value.to_string();
        }
    }
    let _ = decode_reply(serialization, body);
    let _ = decode_error(serialization, body);
    let _ = decode_event(serialization, body);
});
