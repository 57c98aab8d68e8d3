//! A provider with some settings, and the load on it.

use std::net::SocketAddr;

use anyhow::{Context, Result};

use super::Options;
use super::axes::{Axes, Owner, owner, short};
use crate::facts::Watched;
use crate::lab::loads::{call, lasting};
use crate::lab::{Counters, Lab, Place};
use crate::scenario::{RpcTarget, Scenario, Target};
use crate::stack::child::Process;
use crate::trial::Subject;

/// The method that does the work of the fixture.
const METHOD: &str = "StressString1k";

/// A running provider.
pub(super) struct Stand {
    provider: Process,
    /// Its own settings.
    settings: Vec<(String, String)>,
    url: String,
    /// What is watched.
    pub(super) place: Place,
}

impl Stand {
    /// Starts a provider with the settings at these places.
    ///
    /// # Errors
    /// When it does not come up.
    pub(super) async fn start(lab: &Lab<'_>, options: &Options, at: &[usize]) -> Result<Stand> {
        Stand::with(lab, options, own(&options.axes, at)).await
    }

    /// Starts a provider as it comes.
    ///
    /// # Errors
    /// When it does not come up.
    pub(super) async fn defaults(lab: &Lab<'_>, options: &Options) -> Result<Stand> {
        Stand::with(lab, options, Vec::new()).await
    }

    async fn with(
        lab: &Lab<'_>,
        options: &Options,
        settings: Vec<(String, String)>,
    ) -> Result<Stand> {
        let always = ["--host", "127.0.0.1", "--port", "0", "--qos-port", "0", "--registry", "N/A"];
        let mut args: Vec<String> = always.map(str::to_owned).to_vec();
        for (name, value) in &settings {
            args.extend([format!("--{}", short(name)), value.clone()]);
        }
        args.extend(options.provider.iter().cloned());
        let provider = Process::start(lab.program, "provider", &args).await?;
        let address = |key: &str| -> Result<SocketAddr> {
            let text = provider.said(key)?;
            text.parse().with_context(|| format!("`{text}` is no address"))
        };
        let (url, console) = (format!("dubbo://{}", address("dubbo")?), address("console")?);
        let words = settings.iter().map(|(name, value)| format!("{name} = {value}"));
        let given = options.provider.iter().map(|flag| format!("provider {flag}"));
        let place = Place {
            subject: Subject {
                processes: vec![Watched { name: "provider".to_owned(), pid: provider.pid() }],
                pool: Some(console),
                settings: words.chain(given).collect(),
            },
            counters: Counters { calls: Some(console), ..Counters::default() },
        };
        Ok(Stand { provider, settings, url, place })
    }

    /// Whether it has the provider's settings at these places.
    pub(super) fn has(&self, axes: &Axes, at: &[usize]) -> bool {
        self.settings == own(axes, at)
    }

    /// The load at these places.
    pub(super) fn scenario(&self, options: &Options, name: &str, at: &[usize]) -> Scenario {
        let settings = options.axes.settings(at);
        let number = |key: &str, default: usize| {
            settings.get(key).and_then(|text| text.parse().ok()).unwrap_or(default)
        };
        let in_flight = number("in-flight", 1);
        let connections = number("dubbo.consumer.connections", 1);
        let serialization = settings.get("dubbo.consumer.serialization").cloned();
        self.load(options, name, in_flight, connections, serialization.unwrap_or_default())
    }

    /// A load by callers with default settings.
    pub(super) fn default_scenario(&self, options: &Options, in_flight: usize) -> Scenario {
        self.load(options, "defaults", in_flight, 1, String::new())
    }

    fn load(
        &self,
        options: &Options,
        name: &str,
        in_flight: usize,
        connections: usize,
        serialization: String,
    ) -> Scenario {
        let mut scenario = call(name, &self.url, METHOD, options.bytes, in_flight);
        scenario.target = Target::Rpc(RpcTarget {
            url: self.url.clone(),
            serialization,
            connections,
            client_per_worker: false,
            ..RpcTarget::default()
        });
        lasting(scenario, options.duration)
    }

    /// Ends it.
    pub(super) async fn stop(self) {
        self.provider.stop().await;
    }
}

/// The provider's settings at these places.
fn own(axes: &Axes, at: &[usize]) -> Vec<(String, String)> {
    let settings = axes.settings(at).into_iter();
    settings.filter(|(name, _)| owner(name) == Owner::Provider).collect()
}
