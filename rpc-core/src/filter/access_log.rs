//! `accesslog`: a line in the log for each call that a provider has run.

use std::sync::Arc;
use std::time::Instant;

use futures_util::future::BoxFuture;

use crate::context::Context;
use crate::error::Error;
use crate::invocation::{Invocation, Outcome, Reply};
use crate::invoker::{Filter, Invoker};

/// Writes a line of level info, target `dubbo::accesslog`, when a call has ended: who called what,
/// how long it ran, how it ended. A call that was given up before leaves none.
#[must_use]
pub fn access_log() -> Filter {
    Arc::new(|next| Arc::new(AccessLog { next }))
}

struct AccessLog {
    next: Arc<dyn Invoker>,
}

impl Invoker for AccessLog {
    fn invoke(&self, invocation: Invocation) -> BoxFuture<'_, Result<Reply, Error>> {
        let (service, method) = (Arc::clone(&invocation.service), Arc::clone(&invocation.method));
        let begun = Instant::now();
        Box::pin(async move {
            let result = self.next.invoke(invocation).await;
            let context = Context::current();
            let caller = context.as_ref().and_then(Context::peer).map(tracing::field::display);
            tracing::info!(
                target: "dubbo::accesslog",
                caller,
                application = context.as_ref().and_then(Context::application),
                %service,
                method = method.name,
                micros = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX),
                ended = ended(&result),
            );
            result
        })
    }
}

fn ended(result: &Result<Reply, Error>) -> &str {
    match result {
        Ok(Reply { outcome: Outcome::Exception(exception), .. }) => &exception.class,
        Ok(_) => "ok",
        Err(error) => error.message(),
    }
}
