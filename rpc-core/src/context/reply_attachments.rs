//! The attachments that providers send back with their replies, for the callers who look at them.

use std::cell::RefCell;
use std::future::Future;
use std::pin::pin;

use rpc_codec::Attachments;

use crate::error::Error;
use crate::invocation::Reply;

tokio::task_local! {
    static KEPT: RefCell<Attachments>;
}

/// Makes the calls in `calls` and also returns the attachments of their replies.
///
/// Reply attachments are read only inside of this; elsewhere they cost nothing. Of several calls
/// the later ones replace entries of the same key. Calls that `calls` moves into tasks of their own
/// are not seen.
///
/// ```ignore
/// let (user, attachments) = with_reply_attachments(client.get_user_info(Some(7))).await;
/// ```
pub async fn with_reply_attachments<F: Future>(calls: F) -> (F::Output, Attachments) {
    let mut scope = pin!(KEPT.scope(RefCell::default(), calls));
    let output = scope.as_mut().await;
    let kept = scope.take_value().map(RefCell::into_inner);
    (output, kept.unwrap_or_default())
}

/// Keeps the attachments of a reply if a caller wants to see them.
///
/// # Errors
/// When they are wanted and cannot be read.
pub(crate) fn keep_reply_attachments(reply: &Reply) -> Result<(), Error> {
    KEPT.try_with(|kept| {
        let attachments = reply.attachments()?;
        let mut kept = kept.borrow_mut();
        attachments.iter().for_each(|(key, value)| kept.set(key, value.clone()));
        Ok(())
    })
    .unwrap_or(Ok(()))
}
