//! The services of the stress fixture and their bean, as Java applications know them.

use rpc_core::{Error, service};
use serde::{Deserialize, Serialize};

/// The fixture's bean.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename = "com.dubbo.vo.User", rename_all = "camelCase")]
pub struct User {
    /// `Long userId`
    pub user_id: Option<i64>,
    /// `String userName`
    pub user_name: Option<String>,
    /// `String responseInfo`: what the provider says of itself.
    pub response_info: Option<String>,
}

/// `com.dubbo.api.UserService`
#[service(interface = "com.dubbo.api.UserService", version = "1.0.0")]
pub trait UserService {
    /// The user of this id, with a text that names the provider.
    async fn get_user_info(&self, id: i64) -> Result<User, Error>;
}

/// `com.dubbo.api.StressTestService`: every method returns its argument.
#[service(interface = "com.dubbo.api.StressTestService", version = "1.0.0")]
pub trait StressTestService {
    /// A short string, after the work.
    #[method(name = "StressString")]
    async fn stress_string(&self, text: Option<String>) -> Result<Option<String>, Error>;

    /// 1 KiB, after the work.
    #[method(name = "StressString1k")]
    async fn stress_string_1k(&self, text: Option<String>) -> Result<Option<String>, Error>;

    /// 1 KiB that the consumer did not read from a file, after the work.
    #[method(name = "StressString1kNoFile")]
    async fn stress_string_1k_no_file(&self, text: Option<String>)
    -> Result<Option<String>, Error>;

    /// A bean, without work.
    #[method(name = "StressTestPojo")]
    async fn stress_test_pojo(&self, user: Option<User>) -> Result<Option<User>, Error>;

    /// A list of beans, without work.
    #[method(name = "StressListUser")]
    async fn stress_list_user(&self, users: Option<Vec<User>>) -> Result<Option<Vec<User>>, Error>;

    /// 50 KiB, without work.
    #[method(name = "StressTest50K")]
    async fn stress_test_50k(&self, text: Option<String>) -> Result<Option<String>, Error>;

    /// 100 KiB, after the work.
    #[method(name = "StressTest100K")]
    async fn stress_test_100k(&self, text: Option<String>) -> Result<Option<String>, Error>;
}

/// `com.dubbo.api.IndexService`: the two texts of the index page, each after the work.
#[service(interface = "com.dubbo.api.IndexService", version = "1.0.0")]
pub trait IndexService {
    /// `index`
    async fn index(&self) -> Result<String, Error>;

    /// `index2`
    async fn index2(&self) -> Result<String, Error>;
}

/// `com.dubbo.api.HeapService`: takes memory for the time of a call and answers `success`.
#[service(interface = "com.dubbo.api.HeapService", version = "1.0.0")]
pub trait HeapService {
    /// So many bytes as one object; each page is written to if `touch` says so.
    async fn heap(&self, bytes: i32, touch: bool) -> Result<String, Error>;

    /// The same as so many objects, perhaps from a pool of the thread.
    async fn heap_shaped(
        &self,
        bytes: i32,
        touch: bool,
        objects: i32,
        reuse: bool,
    ) -> Result<String, Error>;
}
