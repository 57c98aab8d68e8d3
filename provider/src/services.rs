//! The handlers of the stress fixture.

use rpc_core::service::HandlerKind;
use rpc_core::{Error, Exception};

use crate::api::{HeapService, StressTestService, User, UserService};
use crate::heap::{self, Heap};
use crate::work::Work;

/// Answers `com.dubbo.api.StressTestService`.
#[derive(Debug, Clone)]
pub struct Stress {
    /// What `StressString`, `StressString1k`, `StressString1kNoFile` and `StressTest100K` do first.
    pub work: Work,
    /// Whether handlers are run as tasks or on threads.
    pub handler: HandlerKind,
    /// Whether every call writes a line to the log, as the published fixture does.
    pub log_per_call: bool,
}

impl Stress {
    /// Does the work.
    pub(crate) async fn work(&self) {
        self.work.run(self.handler).await;
    }

    /// Writes the line of a call, if calls have one.
    pub(crate) fn log(&self, method: &'static str) {
        if self.log_per_call {
            tracing::info!(method, "call");
        }
    }
}

impl StressTestService for Stress {
    async fn stress_string(&self, text: Option<String>) -> Result<Option<String>, Error> {
        self.log("StressString");
        self.work().await;
        Ok(text)
    }

    async fn stress_string_1k(&self, text: Option<String>) -> Result<Option<String>, Error> {
        self.log("StressString1k");
        self.work().await;
        Ok(text)
    }

    async fn stress_string_1k_no_file(
        &self,
        text: Option<String>,
    ) -> Result<Option<String>, Error> {
        self.log("StressString1kNoFile");
        self.work().await;
        Ok(text)
    }

    async fn stress_test_pojo(&self, user: Option<User>) -> Result<Option<User>, Error> {
        self.log("StressTestPojo");
        Ok(user)
    }

    async fn stress_list_user(&self, users: Option<Vec<User>>) -> Result<Option<Vec<User>>, Error> {
        self.log("StressListUser");
        Ok(users)
    }

    async fn stress_test_50k(&self, text: Option<String>) -> Result<Option<String>, Error> {
        self.log("StressTest50K");
        Ok(text)
    }

    async fn stress_test_100k(&self, text: Option<String>) -> Result<Option<String>, Error> {
        self.log("StressTest100K");
        self.work().await;
        Ok(text)
    }
}

/// Answers `com.dubbo.api.UserService`.
#[derive(Debug, Clone)]
pub struct Users {
    /// Where this provider is reached; said in every answer, so that a caller sees who it was.
    pub address: String,
}

impl UserService for Users {
    async fn get_user_info(&self, id: i64) -> Result<User, Error> {
        Ok(User {
            user_id: Some(id),
            user_name: Some(format!("userName{id}")),
            response_info: Some(format!("answered by provider {}", self.address)),
        })
    }
}

/// Answers `com.dubbo.api.HeapService`.
#[derive(Debug, Clone, Copy)]
pub struct Heaps;

impl HeapService for Heaps {
    async fn heap(&self, bytes: i32, touch: bool) -> Result<String, Error> {
        self.heap_shaped(bytes, touch, 1, false).await
    }

    async fn heap_shaped(
        &self,
        bytes: i32,
        touch: bool,
        objects: i32,
        reuse: bool,
    ) -> Result<String, Error> {
        // What is below zero is refused as zero is.
        let number = |int: i32| u32::try_from(int).unwrap_or_default();
        let heap = Heap { bytes: number(bytes), touch, objects: number(objects), reuse };
        let refused = |text: String| Exception::new("java.lang.IllegalArgumentException", text);
        heap.check().map_err(refused)?;
        heap.take();
        Ok(heap::ANSWER.to_owned())
    }
}
