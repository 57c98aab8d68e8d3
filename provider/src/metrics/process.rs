//! The process as the system sees it, under the names that every Prometheus client gives.

use procfs::process::{LimitValue, Process};
use procfs::{ProcResult, WithCurrentSystemInfo};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::DescriptorEncoder;

use super::encode::{counter, gauge, info, number};

/// This process, as `process_...`; its allocator alone where the system does not tell the rest.
#[derive(Debug)]
pub struct ProcessMetrics;

struct Use {
    cpu_seconds: f64,
    resident_bytes: u64,
    virtual_bytes: u64,
    threads: i64,
    open_fds: usize,
    max_fds: Option<u64>,
}

impl Use {
    fn now() -> ProcResult<Use> {
        let process = Process::myself()?;
        let stat = process.stat()?;
        let ticks = (stat.utime + stat.stime) as f64;
        let max_fds = match process.limits()?.max_open_files.soft_limit {
            LimitValue::Value(most) => Some(most),
            LimitValue::Unlimited => None,
        };
        Ok(Use {
            cpu_seconds: ticks / procfs::ticks_per_second() as f64,
            resident_bytes: stat.rss_bytes().get(),
            virtual_bytes: stat.vsize,
            threads: stat.num_threads,
            open_fds: process.fd_count()?,
            max_fds,
        })
    }
}

impl Collector for ProcessMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let encoder = &mut encoder;
        let facts = [("name", registry::allocator::name())];
        info(encoder, "process_allocator", "What gives this process its memory", &facts)?;
        let Ok(now) = Use::now() else { return Ok(()) };
        let help = "Processor time used, user and system, in seconds";
        counter(encoder, "process_cpu_seconds", help, now.cpu_seconds)?;
        let help = "Memory that is in RAM";
        gauge(encoder, "process_resident_memory_bytes", help, whole(now.resident_bytes))?;
        let help = "Address space";
        gauge(encoder, "process_virtual_memory_bytes", help, whole(now.virtual_bytes))?;
        gauge(encoder, "process_threads", "Threads", now.threads)?;
        gauge(encoder, "process_open_fds", "File descriptors open", number(now.open_fds))?;
        match now.max_fds {
            Some(most) => {
                gauge(encoder, "process_max_fds", "Most file descriptors allowed", whole(most))
            }
            None => Ok(()),
        }
    }
}

fn whole(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
