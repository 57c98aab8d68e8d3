//! `#[service]` from a client's method to the handler's and back, without a socket.
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a helper that does not get what it expects ends the test"
)]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use rpc_core::codec::Serializations;
use rpc_core::context::{Context, with_reply_attachments};
use rpc_core::invocation::{CallMode, Invocation, Outcome, Payload};
use rpc_core::service::{Caller, Client, HandlerKind, InProcess, MethodInfo};
use rpc_core::{Error, ErrorKind, Exception, Invoker, Value, service};
use serde::{Deserialize, Serialize};
use tokio::sync::{Semaphore, mpsc};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename = "com.example.User", rename_all = "camelCase")]
struct User {
    id: i64,
    user_name: String,
}

/// An error of the service's own.
#[derive(Debug)]
struct NoSuchUser(i64);

impl From<NoSuchUser> for Error {
    fn from(NoSuchUser(id): NoSuchUser) -> Self {
        Exception::new("com.example.NoSuchUser", format!("no user {id}")).into()
    }
}

#[service(interface = "com.example.UserService", version = "1.0.0")]
trait UserService {
    #[method(name = "Shout")]
    fn shout(&self, text: String) -> Result<String, Error>;
    async fn get_user_info(
        &self,
        #[java("java.lang.Long")] id: Option<i64>,
    ) -> Result<User, NoSuchUser>;
    async fn find_first(&self, users: Vec<User>, name: String) -> Result<Option<User>, Error>;
    async fn clear(&self) -> Result<(), Error>;
    #[method(one_way)]
    async fn notify(&self, text: String) -> Result<(), Error>;
    async fn who_calls(&self) -> Result<String, Error>;
    async fn never(&self) -> Result<(), Error>;
    async fn broken(&self) -> Result<(), Error>;
    fn shout_elsewhere(&self, text: String) -> Result<String, Error>;
}

/// The handler; `notified` hears of each one-way call.
struct Users {
    notified: mpsc::UnboundedSender<String>,
    elsewhere: Mutex<Option<UserServiceBlockingClient>>,
}

impl UserService for Users {
    fn shout(&self, text: String) -> Result<String, Error> {
        Ok(text.to_uppercase())
    }

    async fn get_user_info(&self, id: Option<i64>) -> Result<User, NoSuchUser> {
        match id {
            Some(id) if id > 0 => Ok(User { id, user_name: "Ada".into() }),
            other => Err(NoSuchUser(other.unwrap_or(-1))),
        }
    }

    async fn find_first(&self, users: Vec<User>, name: String) -> Result<Option<User>, Error> {
        tokio::task::yield_now().await;
        Ok(users.into_iter().find(|user| user.user_name == name))
    }

    async fn clear(&self) -> Result<(), Error> {
        Ok(())
    }

    async fn notify(&self, text: String) -> Result<(), Error> {
        self.notified
            .send(text)
            .map_err(|_| Error::new(ErrorKind::Shutdown, "the test is over"))?;
        Err(Error::new(ErrorKind::Server, "nobody learns of this"))
    }

    async fn who_calls(&self) -> Result<String, Error> {
        let context = Context::current().expect("a handler has a context");
        context.reply_attachment("seen", true);
        let shade = context.attachments().text("shade").unwrap_or("none").to_owned();
        Ok(format!("{} {shade}", context.application().unwrap_or("somebody")))
    }

    async fn never(&self) -> Result<(), Error> {
        std::future::pending().await
    }

    async fn broken(&self) -> Result<(), Error> {
        panic!("a fault of the handler's")
    }

    fn shout_elsewhere(&self, text: String) -> Result<String, Error> {
        let client = self.elsewhere.lock().expect("no panic").clone().expect("a client");
        client.shout(text)
    }
}

/// A handler behind a provider, and what it is notified of.
fn provider() -> (UserServiceServer<Users>, mpsc::UnboundedReceiver<String>) {
    let (notified, notifications) = mpsc::unbounded_channel();
    (UserServiceServer::new(Users { notified, elsewhere: Mutex::default() }), notifications)
}

fn in_process() -> Arc<InProcess> {
    Arc::new(InProcess::new(provider().0))
}

fn client() -> UserServiceClient {
    UserServiceClient::from_caller(Caller::new::<UserServiceClient>(in_process()))
}

/// A call as another program might make it.
fn invocation(method: MethodInfo, arguments: Payload) -> Invocation {
    Invocation {
        service: Arc::clone(&UserServiceClient::info().key),
        path: None,
        method: Arc::new(method),
        arguments,
        attachments: [("shade", "blue")].into_iter().collect(),
        timeout: None,
        application: Some("tests".into()),
        token: None,
        generic: None,
        mode: CallMode::TwoWay,
    }
}

fn arguments<T>(values: T) -> Payload
where
    rpc_core::codec::serialization::Several<T>: rpc_core::codec::Encode + 'static,
{
    Payload::Typed(Arc::new(rpc_core::codec::serialization::Several(values)))
}

#[test]
fn the_service_as_data() {
    let info = UserServiceClient::info();
    assert_eq!(info.key.to_string(), "com.example.UserService:1.0.0");
    let shown = |at: usize| (&*info.methods[at].name, &*info.methods[at].descriptor);
    assert_eq!(shown(0), ("Shout", "Ljava/lang/String;"));
    assert_eq!(shown(1), ("getUserInfo", "Ljava/lang/Long;"));
    assert_eq!(shown(2), ("findFirst", "Ljava/util/List;Ljava/lang/String;"));
    assert_eq!(shown(3), ("clear", ""));
    assert_eq!(info.methods[0].handler, HandlerKind::Blocking);
    assert_eq!(info.methods[1].handler, HandlerKind::Async);
    assert!(info.methods.iter().enumerate().all(|(at, method)| method.index == at));
}

#[tokio::test]
async fn values_go_both_ways_over_every_serialization() {
    for serialization in ["hessian2", "msgpack", "json"] {
        let serialization = Serializations::default().by_name(serialization).unwrap().clone();
        let provider = InProcess::new(provider().0).serialization(serialization);
        let caller = Caller::new::<UserServiceClient>(Arc::new(provider));
        values_go_both_ways(&UserServiceClient::from_caller(caller)).await;
    }
}

async fn values_go_both_ways(client: &UserServiceClient) {
    assert_eq!(client.shout("hello".into()).await.unwrap(), "HELLO");
    let ada = client.get_user_info(Some(7)).await.unwrap();
    assert_eq!(ada, User { id: 7, user_name: "Ada".into() });
    let bob = User { id: 8, user_name: "Bob".into() };
    let found = client.find_first(vec![ada, bob.clone()], "Bob".into()).await.unwrap();
    assert_eq!(found, Some(bob));
    assert_eq!(client.find_first(vec![], "Bob".into()).await.unwrap(), None);
    client.clear().await.unwrap();
}

#[tokio::test]
async fn nothing_returned_is_null_on_the_wire() {
    let clear = MethodInfo::new(0, "clear", vec![], HandlerKind::Async);
    let reply = in_process().invoke(invocation(clear, arguments(()))).await.unwrap();
    assert!(matches!(reply.outcome, Outcome::Null), "{reply:?}");
}

#[tokio::test]
async fn an_error_of_the_service_is_an_exception() {
    let error = client().get_user_info(None).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Exception);
    let exception = error.exception().expect("the exception itself");
    assert_eq!(exception.class, "com.example.NoSuchUser");
    assert_eq!(exception.message.as_deref(), Some("no user -1"));
}

#[tokio::test]
async fn arguments_of_another_type_name_the_parameter() {
    let find = UserServiceClient::info().methods[2].as_ref().clone();
    let call = invocation(find, arguments((Vec::<User>::new(), vec![5])));
    let error = in_process().invoke(call).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadRequest);
    let text = error.to_string();
    assert!(text.contains("argument `name` of findFirst"), "{text}");
}

#[tokio::test]
async fn methods_are_found_by_name_and_exact_types() {
    let mut other = UserServiceClient::info().methods[1].as_ref().clone();
    other.descriptor = "J".into();
    let error = in_process().invoke(invocation(other, arguments((5_i64,)))).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadRequest);
    assert!(error.message().contains("no method getUserInfo(J)"), "{error}");
}

#[tokio::test]
async fn an_index_of_another_interface_does_no_harm() {
    use rpc_core::service::Service;
    let stranger = MethodInfo::new(99, "stranger", vec![], HandlerKind::Async);
    let server = Arc::new(provider().0);
    let error = server.call(invocation(stranger, arguments(()))).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadRequest);
}

#[tokio::test]
async fn other_versions_and_groups() {
    let server = provider().0.version("2.0.0").group("blue");
    let caller = Caller::new::<UserServiceClient>(Arc::new(InProcess::new(server)));
    let error = UserServiceClient::from_caller(caller.clone()).clear().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    let key = UserServiceClient::info().with_version("2.0.0").with_group("blue").key;
    UserServiceClient::from_caller(caller.with_service(key)).clear().await.unwrap();
}

#[tokio::test]
async fn one_way_calls_hear_nothing() {
    let (server, mut notifications) = provider();
    let caller = Caller::new::<UserServiceClient>(Arc::new(InProcess::new(server)));
    let client = UserServiceClient::from_caller(caller);
    client.notify("news".into()).await.expect("the handler's error stays there");
    assert_eq!(notifications.recv().await.as_deref(), Some("news"));
}

#[tokio::test]
async fn attachments_go_both_ways() {
    let caller = Caller::new::<UserServiceClient>(in_process()).with_application("tests");
    let client = UserServiceClient::from_caller(caller).with_attachment("shade", "blue");
    let (answer, attachments) = with_reply_attachments(client.who_calls()).await;
    assert_eq!(answer.unwrap(), "tests blue");
    assert_eq!(attachments.get("seen"), Some(&Value::Bool(true)));
    let (_, attachments) = with_reply_attachments(client.clear()).await;
    assert!(attachments.is_empty());
}

#[tokio::test]
async fn options_change_a_copy() {
    let client = client();
    let blue = client.with_attachment("shade", "blue");
    assert_eq!(client.who_calls().await.unwrap(), "somebody none");
    assert_eq!(blue.who_calls().await.unwrap(), "somebody blue");
}

#[tokio::test(start_paused = true)]
async fn a_call_ends_at_its_timeout() {
    let client = client().with_timeout(Duration::from_millis(20));
    let error = client.never().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
}

#[tokio::test]
async fn a_panic_fails_its_own_call_only() {
    let client = client();
    assert_eq!(client.broken().await.unwrap_err().kind(), ErrorKind::Server);
    client.clear().await.unwrap();
}

#[test]
fn blocking_calls_from_a_plain_thread() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let client = runtime.block_on(async { client().blocking() });
    assert_eq!(client.shout("hello".into()).unwrap(), "HELLO");
    assert_eq!(client.get_user_info(Some(7)).unwrap().id, 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn blocking_calls_from_a_multi_threaded_runtime() {
    let client = client().blocking();
    assert_eq!(client.shout("from a task".into()).unwrap(), "FROM A TASK");
    let from_pool = move || client.shout("from its pool".into());
    assert_eq!(tokio::task::spawn_blocking(from_pool).await.unwrap().unwrap(), "FROM ITS POOL");
}

#[tokio::test(flavor = "multi_thread")]
async fn blocking_handlers_can_make_blocking_calls() {
    let (notified, _) = mpsc::unbounded_channel();
    let elsewhere = Mutex::new(Some(client().blocking()));
    let server = UserServiceServer::new(Users { notified, elsewhere });
    let caller = Caller::new::<UserServiceClient>(Arc::new(InProcess::new(server)));
    let client = UserServiceClient::from_caller(caller);
    assert_eq!(client.shout_elsewhere("hello".into()).await.unwrap(), "HELLO");
}

#[tokio::test]
async fn a_blocking_call_that_would_wait_for_itself_is_refused() {
    let error = client().blocking().clear().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config);
}

#[test]
fn a_client_from_outside_of_a_runtime_cannot_block() {
    let error = client().blocking().clear().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config);
    assert!(error.message().contains("outside of a tokio runtime"), "{error}");
}

/// The handler goes on when the caller has given up.
#[tokio::test]
async fn dropping_the_call_does_not_stop_the_handler() {
    #[service(interface = "com.example.Slow")]
    trait Slow {
        async fn work(&self) -> Result<(), Error>;
    }
    struct Gate {
        begun: Arc<Semaphore>,
        go_on: Arc<Semaphore>,
        done: Arc<Semaphore>,
    }
    impl Slow for Gate {
        async fn work(&self) -> Result<(), Error> {
            self.begun.add_permits(1);
            let _permit = self.go_on.acquire().await.expect("open");
            self.done.add_permits(1);
            Ok(())
        }
    }
    let [begun, go_on, done] = [(); 3].map(|()| Arc::new(Semaphore::new(0)));
    let gate = Gate { begun: begun.clone(), go_on: go_on.clone(), done: done.clone() };
    let provider = Arc::new(InProcess::new(SlowServer::new(gate)));
    let client = SlowClient::from_caller(Caller::new::<SlowClient>(provider));
    tokio::select! {
        _ = client.work() => panic!("the gate is closed"),
        permit = begun.acquire() => drop(permit),
    }
    go_on.add_permits(1);
    let _permit = done.acquire().await.expect("the handler comes to its end");
}
