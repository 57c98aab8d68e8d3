//! Every form of method, in a module that asks for docs and forbids warnings.
#![deny(warnings, missing_docs, unreachable_pub, unused_qualifications)]

use rpc_core::service;
use serde::{Deserialize, Serialize};

/// A bean.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename = "com.example.User", rename_all = "camelCase")]
pub struct User {
    /// Its number.
    pub id: i64,
}

/// An error of the user's own.
#[derive(Debug)]
pub struct Refused;

impl From<Refused> for rpc_core::Error {
    fn from(_: Refused) -> Self {
        rpc_core::Exception::new("com.example.Refused", "no").into()
    }
}

/// An alias with one parameter.
pub type Result<T, E = Refused> = std::result::Result<T, E>;

/// A service.
#[service(interface = "com.example.Everything", version = "1.0.0", group = "blue")]
pub trait Everything: std::fmt::Debug {
    /// Nothing in, nothing out.
    fn ping(&self) -> Result<()>;
    /// Blocking.
    #[method(name = "Blocking1k")]
    fn blocking_1k(&self, text: String) -> std::result::Result<String, rpc_core::Error>;
    /// Async.
    async fn user(&self, user: User, times: i32) -> Result<Option<User>, rpc_core::Error>;
    /// With a Java type.
    async fn by_id(&self, #[java("java.lang.Long")] id: Option<i64>) -> Result<User, Refused>;
    /// An overload of it.
    #[method(name = "byId")]
    async fn by_name(&self, name: String) -> Result<User, Refused>;
    /// One way.
    #[method(one_way)]
    async fn notify(&self, text: String) -> Result<()>;
    /// Names that the generated code has for its own things.
    async fn call(&self, arguments: String, invocation: String, result: String) -> Result<()>;
    /// A name of the client's trait.
    async fn info(&self) -> Result<()>;
    /// Raw names.
    async fn r#type(&self, r#struct: Vec<String>) -> Result<Vec<u8>>;
    /// To go.
    #[deprecated = "ask `user`"]
    #[allow(clippy::too_many_arguments)]
    fn many(
        &self,
        a: i32, b: i32, c: i32, d: i32, e: i32, f: i32, g: i32, h: i32,
        i: i32, j: i32, k: i32, l: i32, m: i32, n: i32, o: i32, p: i32,
    ) -> Result<i32>;
}

#[derive(Debug)]
struct Handler;

impl Everything for Handler {
    fn ping(&self) -> Result<()> {
        Ok(())
    }
    fn blocking_1k(&self, text: String) -> std::result::Result<String, rpc_core::Error> {
        Ok(text)
    }
    async fn user(&self, user: User, times: i32) -> Result<Option<User>, rpc_core::Error> {
        Ok((times > 0).then_some(user))
    }
    async fn by_id(&self, id: Option<i64>) -> Result<User> {
        id.map(|id| User { id }).ok_or(Refused)
    }
    async fn by_name(&self, _: String) -> Result<User> {
        Err(Refused)
    }
    async fn notify(&self, _: String) -> Result<()> {
        Ok(())
    }
    async fn call(&self, _: String, _: String, _: String) -> Result<()> {
        Ok(())
    }
    async fn info(&self) -> Result<()> {
        Ok(())
    }
    async fn r#type(&self, r#struct: Vec<String>) -> Result<Vec<u8>> {
        Ok(r#struct.concat().into_bytes())
    }
    fn many(
        &self,
        a: i32, _: i32, _: i32, _: i32, _: i32, _: i32, _: i32, _: i32,
        _: i32, _: i32, _: i32, _: i32, _: i32, _: i32, _: i32, p: i32,
    ) -> Result<i32> {
        Ok(a + p)
    }
}

mod hidden {
    use rpc_core::service;

    #[service(interface = "com.example.Hidden")]
    pub(crate) trait Hidden {
        fn ping(&self) -> Result<(), rpc_core::Error>;
    }

    pub(crate) struct Handler;

    impl Hidden for Handler {
        fn ping(&self) -> Result<(), rpc_core::Error> {
            Ok(())
        }
    }
}

fn main() {
    let _ = EverythingServer::new(Handler).version("2.0.0").group("green");
    let _ = hidden::HiddenServer::new(hidden::Handler);
}
