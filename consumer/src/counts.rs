//! Exact counts of requests, by endpoint and by how they ended.

use std::sync::atomic::{AtomicU64, Ordering};

use axum::http::StatusCode;

/// Declares the endpoints that are counted apart, with their routes.
macro_rules! endpoints {
    ($($variant:ident = $route:literal,)*) => {
        /// What is counted apart.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Endpoint {
            $(#[doc = concat!("`", $route, "`")] $variant,)*
        }

        impl Endpoint {
            /// All of them, in the order of their numbers.
            pub const ALL: &[Endpoint] = &[$(Endpoint::$variant),*];

            /// The path it is found at.
            #[must_use]
            pub fn route(self) -> &'static str {
                match self { $(Endpoint::$variant => $route,)* }
            }
        }
    };
}

endpoints! {
    String = "/consumer/stressTest/string",
    String1k = "/consumer/stressTest/string1k",
    String1kNoFile = "/consumer/stressTest/string1kNoFile",
    String50k = "/consumer/stressTest/string50k",
    String100k = "/consumer/stressTest/string100k",
    Pojo = "/consumer/stressTest/pojo",
    ListPojo = "/consumer/stressTest/listPojo",
    User = "/consumer/user/{id}",
    Front = "/",
    Index = "/index.html",
    StreamAdd = "/app/vss/streamAdd",
    Heap = "/jvm/heap",
    RemoteHeap = "/consumer/heap",
    ExistUser = "/consumer/benchmark/existUser",
    CreateUser = "/consumer/benchmark/createUser",
    GetUser = "/consumer/benchmark/getUser",
    ListUser = "/consumer/benchmark/listUser",
}

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// As asked: 2xx.
    Success,
    /// The client asked for what cannot be: 4xx.
    ClientError,
    /// We or a provider failed: all else.
    ServerError,
}

impl Outcome {
    /// All of them, in the order of their numbers.
    pub const ALL: [Outcome; 3] = [Outcome::Success, Outcome::ClientError, Outcome::ServerError];

    /// As a label says it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::Success => "success",
            Outcome::ClientError => "client_error",
            Outcome::ServerError => "server_error",
        }
    }
}

impl From<StatusCode> for Outcome {
    fn from(status: StatusCode) -> Self {
        if status.is_success() {
            Outcome::Success
        } else if status.is_client_error() {
            Outcome::ClientError
        } else {
            Outcome::ServerError
        }
    }
}

/// The counts of all endpoints. One request costs one atomic addition.
#[derive(Debug, Default)]
pub struct Counts([[AtomicU64; Outcome::ALL.len()]; Endpoint::ALL.len()]);

impl Counts {
    /// Counts a request.
    pub fn count(&self, endpoint: Endpoint, outcome: Outcome) {
        self.0[endpoint as usize][outcome as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// Requests to `endpoint` that ended so.
    #[must_use]
    pub fn of(&self, endpoint: Endpoint, outcome: Outcome) -> u64 {
        self.0[endpoint as usize][outcome as usize].load(Ordering::Relaxed)
    }

    /// All requests that ended so.
    #[must_use]
    pub fn total(&self, outcome: Outcome) -> u64 {
        Endpoint::ALL.iter().map(|endpoint| self.of(*endpoint, outcome)).sum()
    }
}
