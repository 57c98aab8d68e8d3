//! `consumer gateway`: HTTP in, a route by the path, a call or another HTTP request out.
//!
//! ```toml
//! [route.users]
//! path = "/users/"
//! interface = "com.dubbo.api.UserService"
//! method = "getUserInfo"
//! parameters = ["id: long"]            # GET /users/?id=7, or POST [7], or POST {"id": 7}
//! rate-limit = 1000
//!
//! [route.pages]
//! path = "/pages/"
//! url = "http://127.0.0.1:8092"        # GET /pages/index asks for /index
//! timeout = "500ms"
//! fallback = "come back soon"
//! ```
//!
//! Requests and answers are held as a whole, up to the limits of their route: a timeout covers all
//! of an answer, and a request can be sent again.
//!
//! | room | what it knows |
//! |---|---|
//! | [`settings`], `route_config`, `presets` | the configuration, and the routes when it has none |
//! | [`prefix`] | which route a path belongs to |
//! | `routes` | the way of a request through its route |
//! | `route` | limits, attempts, breaker, fallback of one route |
//! | `bucket`, `breaker`, `window` | rates and circuit breakers, as logic over moments |
//! | `upstream` | what is behind a route: a method of a service, or an HTTP backend |
//! | [`parameter`], `arguments` | arguments of a call from a query or a JSON body |
//! | `headers` | what is done to headers on their way |
//! | [`fallback`], `failure`, `refusal` | answers without a backend's answer |
//! | `counts`, `metrics` | what has been done |

mod arguments;
mod breaker;
mod bucket;
mod counts;
mod failure;
pub mod fallback;
mod headers;
mod metrics;
pub mod parameter;
pub mod prefix;
mod presets;
mod refusal;
mod route;
mod route_config;
mod routes;
pub mod settings;
mod upstream;
mod window;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::Result;
use axum::Router;
use provider::app::registry_of;
use rpc_core::client::{ClientConfig, Consumer, Reference};

use self::routes::{Lane, Routes};
pub use self::settings::Settings;
use self::upstream::Upstream;
use crate::exchange::HttpClient;
use crate::front::{self, Front};

/// Serves until SIGTERM or SIGINT.
///
/// # Errors
/// When the port is taken, the registry cannot be reached, or a runtime cannot be started.
pub fn run(settings: &Settings) -> Result<()> {
    let gateway = || Ok(Gateway::new(settings));
    front::run(&settings.http, settings.application.shutwait, gateway)
}

/// A gateway, before any thread serves it.
#[derive(Debug, Clone)]
pub struct Gateway {
    settings: Arc<Settings>,
    routes: Arc<Routes>,
}

impl Gateway {
    /// The gateway of a configuration.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        let routes = Arc::new(Routes::new(&settings.routes));
        Gateway { settings: Arc::new(settings.clone()), routes }
    }

    /// The consumer side of one thread. Without a route to a service it needs no registry.
    fn consumer(&self) -> Result<Consumer> {
        let Settings { application, registry, gateway, upstream, routes, .. } = &*self.settings;
        let direct = !gateway.url.is_empty() || routes.iter().all(|(_, it)| it.url.is_some());
        let registry = if direct { None } else { registry_of(registry)? };
        let consumer = registry.map_or_else(Consumer::direct, Consumer::new);
        let config = upstream.consumer();
        Ok(consumer
            .application(application.name.as_str())
            .config(ClientConfig::of(&config))
            .defaults(Reference::of(&config)))
    }
}

impl Front for Gateway {
    const TELLS_PEERS: bool = true;

    async fn routes(&self) -> Result<Router> {
        let consumer = self.consumer()?;
        let client = HttpClient::new(self.settings.upstream.connect_timeout);
        let mut lane =
            Lane { routes: Arc::clone(&self.routes), places: Vec::new(), upstreams: Vec::new() };
        for (place, (_, route)) in self.settings.routes.iter().enumerate() {
            let direct = &self.settings.gateway.url;
            lane.upstreams.push(Upstream::new(route, &consumer, &client, direct).await?);
            lane.places.extend(route.path.clone().map(|path| (path, place)));
        }
        Ok(routes::router(lane))
    }

    fn announce(&self, address: SocketAddr) {
        let registry = &self.settings.registry.address;
        tracing::info!(%address, %registry, "gateway is up");
        for (name, route) in &self.settings.routes {
            let path = route.path.as_ref().map(ToString::to_string).unwrap_or_default();
            let to = match &route.url {
                Some(url) => url.to_string(),
                None => format!("{}.{}", route.interface, route.method),
            };
            tracing::info!(name, path, to, "route");
        }
    }

    fn stopping(&self) {
        self.routes.stopping.store(true, Ordering::Relaxed);
    }
}
