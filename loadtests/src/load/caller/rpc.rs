//! Typed calls of a provider's fixture, through the whole consumer side.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use provider::api::{StressTestServiceClient, User, UserServiceClient};
use rpc_core::Attachments;
use rpc_core::client::ClientConfig;
use rpc_core::context::with_reply_attachments;
use rpc_core::server::{QUEUE_NS, RUN_NS, STAGE_TIMES};

use super::place::Place;
use super::{Answer, Caller, Callers, Problem, StageTimes};
use crate::load::payload;
use crate::result::Cause;
use crate::scenario::{Operation, Payload, RpcTarget, Scenario};

/// Makes typed callers.
#[derive(Debug)]
pub(in crate::load) struct RpcCallers {
    place: Place,
    config: ClientConfig,
    timeout: Duration,
    stage_times: bool,
    calls: Arc<[Call]>,
    /// The clients of all workers, unless each has its own.
    shared: Option<Clients>,
}

/// The stubs that calls are made with.
#[derive(Debug, Clone)]
struct Clients {
    stress: StressTestServiceClient,
    /// Only if it is called: a provider need not have it.
    users: Option<UserServiceClient>,
}

/// The caller of one worker.
#[derive(Debug)]
pub(in crate::load) struct RpcCaller {
    clients: Clients,
    calls: Arc<[Call]>,
    stage_times: bool,
}

/// A call that is ready to be made.
#[derive(Debug)]
enum Call {
    /// A method that echoes a string.
    Text(TextMethod, Option<String>),
    /// `StressTestPojo`
    User(Option<User>),
    /// `StressListUser`
    Users(Option<Vec<User>>),
    /// `getUserInfo`
    UserOf(i64),
}

/// The methods that echo a string.
#[derive(Debug, Clone, Copy)]
enum TextMethod {
    Short,
    OneKib,
    OneKibNoFile,
    FiftyKib,
    HundredKib,
}

/// The bean that is asked for where the payload says none.
const SOME_ID: i64 = 1;

impl RpcCallers {
    /// Callers of this target.
    ///
    /// # Errors
    /// When it cannot be found, or the mix has a call that its services do not know.
    pub(in crate::load) async fn new(target: &RpcTarget, scenario: &Scenario) -> Result<Self> {
        let mut callers = RpcCallers {
            place: Place::new(&target.url)?,
            config: config(target)?,
            timeout: scenario.timeout,
            stage_times: target.stage_times,
            calls: scenario.mix.iter().map(Call::new).collect::<Result<_>>()?,
            shared: None,
        };
        if !target.client_per_worker {
            callers.shared = Some(callers.clients().await?);
        }
        Ok(callers)
    }

    async fn clients(&self) -> Result<Clients> {
        let consumer = self.place.consumer(self.config.clone());
        let reference = self.place.reference(self.timeout);
        let asks_users = self.calls.iter().any(|call| matches!(call, Call::UserOf(_)));
        let users = match asks_users {
            true => Some(consumer.refer(reference.clone()).await.context("no user service")?),
            false => None,
        };
        let stress = consumer.refer(reference).await.context("no stress service")?;
        let clients = Clients { stress, users };
        Ok(if self.stage_times { clients.asking() } else { clients })
    }
}

impl Clients {
    /// The same, asking with each call where the provider spends its time.
    fn asking(self) -> Clients {
        Clients {
            stress: self.stress.with_attachment(STAGE_TIMES, "true"),
            users: self.users.map(|users| users.with_attachment(STAGE_TIMES, "true")),
        }
    }
}

fn config(target: &RpcTarget) -> Result<ClientConfig> {
    let mut config = ClientConfig { connections: target.connections, ..ClientConfig::default() };
    let name = target.serialization.as_str();
    if !name.is_empty() {
        let Some(known) = config.serializations.by_name(name) else {
            let names: Vec<&str> = config.serializations.names().collect();
            bail!("there is no serialization `{name}`; there are {}", names.join(", "));
        };
        config.serialization = Some(Arc::clone(known));
    }
    Ok(config)
}

impl Callers for RpcCallers {
    type Caller = RpcCaller;

    async fn caller(&self) -> Result<RpcCaller> {
        let clients = match &self.shared {
            Some(shared) => shared.clone(),
            None => self.clients().await?,
        };
        let calls = Arc::clone(&self.calls);
        Ok(RpcCaller { clients, calls, stage_times: self.stage_times })
    }
}

impl Caller for RpcCaller {
    async fn call(&mut self, operation: usize) -> Result<Answer, Problem> {
        if !self.stage_times {
            return self.make(operation).await;
        }
        let (answer, told) = with_reply_attachments(self.make(operation)).await;
        Ok(Answer { stages: stage_times(&told), ..answer? })
    }
}

/// The times that a reply tells, if it does.
fn stage_times(told: &Attachments) -> Option<StageTimes> {
    let time = |key| told.text(key)?.parse().ok().map(Duration::from_nanos);
    Some(StageTimes { queue: time(QUEUE_NS)?, run: time(RUN_NS)? })
}

impl RpcCaller {
    async fn make(&self, operation: usize) -> Result<Answer, Problem> {
        let stress = &self.clients.stress;
        match &self.calls[operation] {
            Call::Text(method, text) => {
                let sent = text.clone();
                let echo = match method {
                    TextMethod::Short => stress.stress_string(sent).await,
                    TextMethod::OneKib => stress.stress_string_1k(sent).await,
                    TextMethod::OneKibNoFile => stress.stress_string_1k_no_file(sent).await,
                    TextMethod::FiftyKib => stress.stress_test_50k(sent).await,
                    TextMethod::HundredKib => stress.stress_test_100k(sent).await,
                }?;
                echoed(&echo, text, text.as_ref().map_or(0, String::len) as u64)
            }
            Call::User(user) => {
                let echo = stress.stress_test_pojo(user.clone()).await?;
                echoed(&echo, user, user.as_ref().map_or(0, payload::size))
            }
            Call::Users(users) => {
                let echo = stress.stress_list_user(users.clone()).await?;
                let size = |users: &Vec<User>| users.iter().map(payload::size).sum();
                echoed(&echo, users, users.as_ref().map_or(0, size))
            }
            Call::UserOf(id) => self.user(*id).await,
        }
    }

    async fn user(&self, id: i64) -> Result<Answer, Problem> {
        let Some(users) = &self.clients.users else {
            return Err(Problem::new(
                Cause::Other,
                "this caller has no client of the user service",
            ));
        };
        let user = users.get_user_info(id).await?;
        if user.user_id != Some(id) || user.user_name != payload::user(id).user_name {
            return Err(Problem::new(Cause::Content, format!("this is not user {id}: {user:?}")));
        }
        Ok(Answer { sent: 8, received: payload::size(&user), ..Answer::default() })
    }
}

/// The answer to an echo.
fn echoed<T: PartialEq>(echo: &T, sent: &T, size: u64) -> Result<Answer, Problem> {
    if echo != sent {
        let text = "the reply differs from what was sent";
        return Err(Problem::new(Cause::Content, text));
    }
    Ok(Answer { sent: size, received: size, ..Answer::default() })
}

impl Call {
    fn new(operation: &Operation) -> Result<Call> {
        let method = match operation.name.as_str() {
            "StressString" => TextMethod::Short,
            "StressString1k" => TextMethod::OneKib,
            "StressString1kNoFile" => TextMethod::OneKibNoFile,
            "StressTest50K" => TextMethod::FiftyKib,
            "StressTest100K" => TextMethod::HundredKib,
            "StressTestPojo" => {
                return Ok(Call::User(match &operation.payload {
                    Payload::None => None,
                    Payload::User => Some(payload::user(SOME_ID)),
                    _ => bail!("StressTestPojo is called with a user, or with nothing"),
                }));
            }
            "StressListUser" => {
                return Ok(Call::Users(match &operation.payload {
                    Payload::None => None,
                    Payload::Users { count } => {
                        Some((1..).take(*count).map(payload::user).collect())
                    }
                    _ => bail!("StressListUser is called with users, or with nothing"),
                }));
            }
            "getUserInfo" => match &operation.payload {
                Payload::None | Payload::User => return Ok(Call::UserOf(SOME_ID)),
                _ => bail!("getUserInfo is called with a user, whose id it sends, or with nothing"),
            },
            other => bail!("the fixture has no method `{other}`; it has {METHODS}"),
        };
        Ok(Call::Text(
            method,
            match &operation.payload {
                Payload::None => None,
                Payload::Text { bytes, text } => Some(payload::text(*bytes, *text)),
                _ => bail!("{} is called with a text, or with nothing", operation.name),
            },
        ))
    }
}

const METHODS: &str = "StressString, StressString1k, StressString1kNoFile, StressTest50K, \
                       StressTest100K, StressTestPojo, StressListUser and getUserInfo";
