//! `[protocol]`.

mod limits;
mod pool;
mod serialization;

use std::time::Duration;

use super::{Host, LONGEST, millis};
use crate::config::Conflict;
use crate::pool::{PoolKind, Queues};
use crate::server::Dispatcher;

pub use limits::PayloadLimit;
pub use serialization::SerializationName;

crate::settings! {
    /// How `dubbo://` is served.
    pub struct ProtocolConfig: "protocol", conflicts = pool_shape {
        /// Address to listen on.
        pub host: Host [flag "host"] [env "DUBBO_IP_TO_BIND"] = Host::any(),
        /// Port to listen on. 0: any that is free.
        pub port: u16 [flag "port"] [env "DUBBO_PORT_TO_BIND"] = 20880,
        /// Address that consumers learn of, where it is not the one listened on: in a container,
        /// behind a NAT. Empty: `host`, or this machine's address if that is any.
        pub register_host: Option<Host> [flag "register-host"] [env "DUBBO_IP_TO_REGISTRY"] = None,
        /// Port that consumers learn of. 0: the one listened on.
        pub register_port: u16 [flag "register-port"] [env "DUBBO_PORT_TO_REGISTRY"] = 0,
        /// How arguments and results are written: `hessian2`, `gson` (also called `json`),
        /// `msgpack`, `raw`.
        pub serialization: SerializationName [flag "serialization"] = SerializationName::default(),
        /// Serializations offered to consumers that can choose, the preferred one first.
        pub prefer_serialization: Vec<SerializationName> = vec![SerializationName::default()],
        /// Largest body of a request or reply. 0 or less: no limit.
        pub payload: PayloadLimit [flag "payload"] = PayloadLimit::default(),
        /// How the pool that runs handlers grows and shrinks.
        pub threadpool: PoolKind [flag "threadpool"] = PoolKind::Fixed,
        /// Most handlers that run at once.
        pub threads: usize [in 1..=MOST_THREADS] [flag "threads"] = 200,
        /// Handlers that run before others have to wait, and idle threads that stay; for cached,
        /// limited and eager pools.
        pub corethreads: usize [in 0..=MOST_THREADS] [flag "corethreads"] = 0,
        /// Calls that may wait for a thread. 0: none, a full pool answers with status 100 at once;
        /// less than 0: any number.
        pub queues: Queues [flag "queues"] = Queues::HandOff,
        /// How long an idle thread above `corethreads` is kept, in a cached or eager pool.
        pub alive: Duration = millis(60_000),
        /// Threads that read and write sockets. 0: cores + 1, at most 32.
        pub iothreads: usize [in 0..=MOST_IO_THREADS] [flag "iothreads"] = 0,
        /// What the pool runs. `all`, `message` and `execution`: every handler. `direct`: blocking
        /// handlers only; async ones run where the socket is read.
        pub dispatcher: Dispatcher [flag "dispatcher"] = Dispatcher::All,
        /// Most connections. 0: any number.
        pub accepts: usize [flag "accepts"] = 0,
        /// Silence after which a connection is asked for a sign of life. 0: never.
        pub heartbeat: Duration [in Duration::ZERO..=LONGEST] [flag "heartbeat"] = millis(60_000),
    }
}

/// Most threads of a pool: Linux gives a machine no more unless told to (`kernel.pid_max`).
const MOST_THREADS: usize = 32_768;

/// Most I/O threads: far above the cores of any machine.
const MOST_IO_THREADS: usize = 1024;

fn pool_shape(protocol: &ProtocolConfig) -> Vec<Conflict> {
    let too_many = protocol.corethreads > protocol.threads;
    too_many
        .then(|| Conflict::new("corethreads", "must not be above", "threads"))
        .into_iter()
        .collect()
}
