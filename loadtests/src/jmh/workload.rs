//! What one call is.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use clap::{Command, ValueEnum};
use consumer::app;
use consumer::counts::Endpoint;
use consumer::payload::Text;
use consumer::routes::Fixture;
use consumer::settings::Settings;
use http_body_util::BodyExt;
use rpc_core::Error;
use rpc_core::config::cli::{self, Request};
use serde::{Deserialize, Serialize};

use super::Layer;
use super::options::Trial;

/// The calls of the fixture, named as its endpoints are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
pub enum Workload {
    /// 11 bytes, with the provider's work.
    #[value(name = "string")]
    String,
    /// 1 KiB, with work.
    #[value(name = "string1k")]
    String1k,
    /// 1 KiB that never comes from a file, with work.
    #[value(name = "string1kNoFile")]
    String1kNoFile,
    /// 50 KiB, without work.
    #[value(name = "string50k")]
    String50k,
    /// 100 KiB, with work.
    #[value(name = "string100k")]
    String100k,
    /// A bean, without work.
    #[value(name = "pojo")]
    Pojo,
    /// Ten beans, without work.
    #[value(name = "listPojo")]
    ListPojo,
}

impl Workload {
    fn endpoint(self) -> Endpoint {
        match self {
            Workload::String => Endpoint::String,
            Workload::String1k => Endpoint::String1k,
            Workload::String1kNoFile => Endpoint::String1kNoFile,
            Workload::String50k => Endpoint::String50k,
            Workload::String100k => Endpoint::String100k,
            Workload::Pojo => Endpoint::Pojo,
            Workload::ListPojo => Endpoint::ListPojo,
        }
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.to_possible_value();
        f.write_str(value.as_ref().map_or("", |value| value.get_name()))
    }
}

/// What makes the calls of a trial. Shared by all of its callers.
#[derive(Debug, Clone)]
pub struct Callee {
    fixture: Arc<Fixture>,
    workload: Workload,
    layer: Layer,
}

impl Callee {
    /// Finds the provider. The connection is there when this returns, or is made by the first call:
    /// whatever the consumer does.
    ///
    /// # Errors
    /// When a flag is wrong or no provider is there.
    pub async fn connect(trial: &Trial) -> Result<Callee> {
        let settings = settings(trial)?;
        if settings.stress.log_per_call {
            registry::cli::start_log();
        }
        let fixture = app::in_process(&settings).await?;
        Ok(Callee { fixture, workload: trial.workload, layer: trial.layer })
    }

    /// Makes one call.
    ///
    /// # Errors
    /// When it fails, or the answer is not what was sent.
    pub async fn call(&self) -> Result<(), String> {
        match self.layer {
            Layer::Controller => self.controller().await,
            Layer::Stub => self.stub().await,
        }
    }

    async fn controller(&self) -> Result<(), String> {
        let Some(answer) = self.fixture.call(self.workload.endpoint()).await else {
            return Err(format!("the consumer has no {}", self.workload));
        };
        if answer.status().is_success() {
            return Ok(());
        }
        let (status, body) = (answer.status(), answer.into_body().collect().await);
        let text = body.map(|body| String::from_utf8_lossy(&body.to_bytes()).into_owned());
        Err(format!("{status}: {}", text.unwrap_or_default()))
    }

    async fn stub(&self) -> Result<(), String> {
        let (stress, payloads) = (&self.fixture.stress, &self.fixture.payloads);
        match self.workload {
            Workload::String => echo_text(&payloads.string, |it| stress.stress_string(it)).await,
            Workload::String1k => {
                echo_text(&payloads.string_1k, |it| stress.stress_string_1k(it)).await
            }
            Workload::String1kNoFile => {
                let call = |it| stress.stress_string_1k_no_file(it);
                echo_text(&payloads.string_1k_no_file, call).await
            }
            Workload::String50k => {
                echo_text(&payloads.string_50k, |it| stress.stress_test_50k(it)).await
            }
            Workload::String100k => {
                echo_text(&payloads.string_100k, |it| stress.stress_test_100k(it)).await
            }
            Workload::Pojo => echo(payloads.user.clone(), |it| stress.stress_test_pojo(it)).await,
            Workload::ListPojo => {
                echo(payloads.users.clone(), |it| stress.stress_list_user(it)).await
            }
        }
    }
}

async fn echo_text<F>(text: &Text, call: impl FnOnce(Option<String>) -> F) -> Result<(), String>
where
    F: Future<Output = Result<Option<String>, Error>>,
{
    let text = text.get().await.map_err(|error| format!("cannot read the payload: {error}"))?;
    echo(text, call).await
}

async fn echo<T, F>(sent: T, call: impl FnOnce(Option<T>) -> F) -> Result<(), String>
where
    T: Clone + PartialEq,
    F: Future<Output = Result<Option<T>, Error>>,
{
    match call(Some(sent.clone())).await {
        Ok(Some(received)) if received == sent => Ok(()),
        Ok(_) => Err("the reply differs from what was sent".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// The consumer's settings, from its own flags.
fn settings(trial: &Trial) -> Result<Settings> {
    let schema = Settings::schema();
    let command = cli::extend(Command::new("consumer"), &schema);
    let place = if trial.url.starts_with("dubbo://") { "--url" } else { "--registry" };
    let flags = ["consumer", place, &trial.url].map(str::to_owned);
    let matches = command
        .try_get_matches_from(flags.into_iter().chain(trial.consumer.iter().cloned()))
        .context("the consumer does not take these flags")?;
    match cli::request(&schema, &matches) {
        Ok(Request::Run(loaded)) => Settings::of(&loaded).map_err(|it| anyhow::anyhow!("{it}")),
        Ok(Request::Print(_)) => bail!("the consumer's flags are not to ask it for a text"),
        Err(problems) => bail!("{problems}"),
    }
}
