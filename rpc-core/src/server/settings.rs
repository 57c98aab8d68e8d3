//! The settings of a server from the sections of a configuration.

use super::builder::ServerConfig;
use crate::config::{ApplicationConfig, ProtocolConfig, ProviderConfig, Token};
use crate::connection::ConnectionConfig;
use crate::pool::PoolConfig;

/// Bytes of a random token, written as twice as many hexadecimal digits.
const TOKEN_BYTES: usize = 16;

impl ServerConfig {
    /// The settings that `[application]`, `[protocol]` and `[provider]` describe. The published
    /// host is only set where the configuration names one.
    #[must_use]
    pub fn of(
        application: &ApplicationConfig,
        protocol: &ProtocolConfig,
        provider: &ProviderConfig,
    ) -> Self {
        let prefer = protocol.prefer_serialization.iter().map(ToString::to_string);
        ServerConfig {
            application: application.name.to_string(),
            bind: bind_address(protocol),
            publish_host: protocol.register_host.as_ref().map(ToString::to_string),
            publish_port: (protocol.register_port != 0).then_some(protocol.register_port),
            connection: ConnectionConfig {
                payload: protocol.payload.bytes(),
                heartbeat: protocol.heartbeat,
            },
            pool: PoolConfig {
                kind: protocol.threadpool,
                threads: protocol.threads,
                core_threads: protocol.corethreads,
                queues: protocol.queues,
                alive: protocol.alive,
                ..PoolConfig::default()
            },
            dispatcher: protocol.dispatcher,
            accepts: protocol.accepts,
            serialization: protocol.serialization.to_string(),
            prefer_serialization: prefer.collect(),
            token: token(&provider.token),
            filter: provider.filter.clone(),
            stage_times: provider.stage_times,
            shutdown_wait: application.shutwait,
            parameters: parameters(provider),
            ..ServerConfig::default()
        }
    }
}

/// A timeout that nobody has set is not told: it would rank before the consumers' own default.
fn parameters(provider: &ProviderConfig) -> Vec<(String, String)> {
    let timeout = (!provider.timeout.is_zero())
        .then(|| ("timeout".to_owned(), provider.timeout.as_millis().to_string()));
    let weight = ("weight".to_owned(), provider.weight.to_string());
    timeout.into_iter().chain([weight]).collect()
}

fn bind_address(protocol: &ProtocolConfig) -> String {
    let host = protocol.host.as_str();
    if host.contains(':') {
        format!("[{host}]:{}", protocol.port)
    } else {
        format!("{host}:{}", protocol.port)
    }
}

fn token(token: &Token) -> Option<String> {
    match token {
        Token::Off => None,
        Token::Fixed(text) => Some(text.clone()),
        // Unpredictable, so from the generator that is meant for it.
        Token::Random => {
            let bytes: [u8; TOKEN_BYTES] = rand::random();
            Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
        }
    }
}
