//! The index page: one handler, the same work, behind two protocols.
//!
//! Over RPC it is `com.dubbo.api.IndexService`, over HTTP the [backend](crate::backend). The texts
//! have the lengths of the published study: 5 + 6 bytes over RPC, 16 + 17 over HTTP.

use rpc_core::Error;

use crate::api::IndexService;
use crate::services::Stress;

/// What `GET /index` answers: 16 bytes.
pub const HTTP_INDEX: &str = "answer to index.";
/// What `GET /index2` answers: 17 bytes.
pub const HTTP_INDEX2: &str = "answer to index2.";

/// The handler.
#[derive(Debug, Clone)]
pub struct Index {
    /// What does the work.
    pub stress: Stress,
}

impl Index {
    /// What a call of `method` does before it answers, whoever asks.
    pub async fn prepare(&self, method: &'static str) {
        self.stress.log(method);
        self.stress.work().await;
    }
}

impl IndexService for Index {
    async fn index(&self) -> Result<String, Error> {
        self.prepare("index").await;
        Ok("index".to_owned())
    }

    async fn index2(&self) -> Result<String, Error> {
        self.prepare("index2").await;
        Ok("index2".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_over_http_have_the_published_lengths() {
        assert_eq!((HTTP_INDEX.len(), HTTP_INDEX2.len()), (16, 17));
    }
}
