//! What the generator itself costs: processor time of its thread per call, beside a bare loop of the
//! same calls of the same client, by turns.
//!
//!     cargo run --release -p loadtests --example overhead

use std::net::SocketAddr;
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use loadtests::load::{self, Control};
use loadtests::scenario::{
    Expect, Operation, Payload, RpcTarget, Scenario, Schedule, Stage, Stop, Target, Text,
};
use provider::api::{StressTestServiceClient, StressTestServiceServer};
use provider::services::Stress;
use provider::work::Work;
use rpc_core::client::{Consumer, Reference};
use rpc_core::server::{Server, ServerConfig};
use rpc_core::service::HandlerKind;
use tokio::task::JoinSet;

// As in the binaries.
registry::allocator!();

const CALLS: u64 = 50_000;
const IN_FLIGHT: usize = 10;
const BYTES: usize = 1024;
const ROUNDS: usize = 9;

fn main() -> Result<()> {
    registry::allocator::announce(ALLOCATOR_NAME);
    let address = provider()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let (mut bare, mut ours, mut null, mut open) = (vec![], vec![], vec![], vec![]);
        for _ in 0..ROUNDS {
            bare.push(cost(bare_loop(address)).await?);
            ours.push(cost(engine(rpc(address))).await?);
            null.push(cost(engine(scenario(Target::Null))).await?);
            open.push(cost(engine(flood())).await?);
        }
        println!("microseconds of processor time per call, median of {ROUNDS} rounds:");
        let (bare, ours) = (median(&mut bare), median(&mut ours));
        println!("  bare loop, rpc   {bare:.2}");
        println!("  engine, rpc      {ours:.2}  (+{:.2})", ours - bare);
        println!("  engine, null     {:.2}", median(&mut null));
        println!("  engine, null, at 100,000/s open  {:.2}", median(&mut open));
        println!("ceiling: {:.0} calls/s", load::ceiling(&scenario(Target::Null)).await?);
        println!("ceiling, open: {:.0} calls/s", load::ceiling(&flood()).await?);
        Ok(())
    })
}

/// A provider on a thread of its own, whose time is not counted.
fn provider() -> Result<SocketAddr> {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let bind = "127.0.0.1:0".to_owned();
            let stress =
                Stress { work: Work::None, handler: HandlerKind::Async, log_per_call: false };
            let server = Server::builder()
                .config(ServerConfig { bind, ..ServerConfig::default() })
                .export(StressTestServiceServer::new(stress))
                .start()
                .await?;
            tell.send(server.local_addr())?;
            std::future::pending().await
        })
    });
    told.recv().context("the provider did not start")
}

/// Microseconds of this thread per call.
async fn cost(calls: impl Future<Output = Result<u64>>) -> Result<f64> {
    let before = this_thread()?;
    let calls = calls.await?;
    Ok((this_thread()? - before).as_secs_f64() * 1e6 / calls as f64)
}

fn this_thread() -> Result<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanos = text.split_whitespace().next().context("the kernel tells no times of threads")?;
    Ok(Duration::from_nanos(nanos.parse()?))
}

async fn bare_loop(address: SocketAddr) -> Result<u64> {
    let reference = Reference::default().url(format!("dubbo://{address}"));
    let client: StressTestServiceClient = Consumer::direct().refer(reference.retries(0)).await?;
    let mut callers = JoinSet::new();
    for _ in 0..IN_FLIGHT {
        let (client, text) = (client.clone(), "x".repeat(BYTES));
        callers.spawn(async move {
            for _ in 0..CALLS / IN_FLIGHT as u64 {
                let echo = client.stress_test_50k(Some(text.clone())).await?;
                ensure!(echo.as_ref() == Some(&text), "another reply");
            }
            Ok(())
        });
    }
    while let Some(caller) = callers.join_next().await {
        caller??;
    }
    Ok(CALLS)
}

async fn engine(scenario: Scenario) -> Result<u64> {
    let outcome = load::run(&scenario, &Control::default()).await?;
    ensure!(outcome.failed == 0, "{:?}", outcome.failures);
    Ok(outcome.good)
}

fn scenario(target: Target) -> Scenario {
    Scenario {
        target,
        schedule: Schedule::Closed { in_flight: IN_FLIGHT },
        stop: Stop { requests: Some(CALLS), ..Stop::never() },
        warm_up: Duration::ZERO,
        ..Scenario::default()
    }
}

fn rpc(address: SocketAddr) -> Scenario {
    let url = format!("dubbo://{address}");
    let payload = Payload::Text { bytes: BYTES, text: Text::Ascii };
    let name = "StressTest50K".to_owned();
    let mix = vec![Operation { name, payload, expect: Expect::Echo, weight: 1 }];
    Scenario { mix, ..scenario(Target::Rpc(RpcTarget { url, ..RpcTarget::default() })) }
}

fn flood() -> Scenario {
    let stage = Stage { from: 1e5, to: 1e5, duration: Duration::from_millis(500) };
    let schedule = Schedule::Open { stages: vec![stage], max_in_flight: 1000 };
    Scenario { schedule, stop: Stop::never(), ..scenario(Target::Null) }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
