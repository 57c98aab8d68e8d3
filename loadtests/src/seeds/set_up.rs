//! Rows that are settings: the value that this stack has, read from its own defaults.

use nix::sys::resource::{Resource, getrlimit};

use super::found::Found;
use super::study::Study;
use crate::lab::Depth;

/// What stands here for the setting of a row.
pub(super) fn of(id: &str, study: &Study<'_>) -> Found {
    let found = Found::new();
    match id.split_once('-').unwrap_or_default() {
        ("S1", number) => fixture(number, study, found),
        ("S2", number) => page(number, study, found),
        ("S3", number) => heap(number, study, found),
        ("S4", number) => http(number, found),
        (_, number) => jmh(number, study, found),
    }
}

fn fixture(number: &str, study: &Study<'_>, found: Found) -> Found {
    let provider = provider::settings::Settings::default();
    let consumer = consumer::settings::Settings::default();
    match number {
        "01" => found.figure("consumer-http-port", "", consumer.http.port.into()).figure(
            "provider-rpc-port",
            "",
            provider.protocol.port.into(),
        ),
        "02" => found.figure("loop-iterations", "", f64::from(provider.stress.iterations)).figure(
            "sum",
            "",
            java_sum(provider.stress.iterations) as f64,
        ),
        "08" => found.figure("retries", "", f64::from(consumer.consumer.retries)),
        "11" => machine(study, found),
        "12" => found
            .figure("io-threads", "", study.lab.host.cores as f64 + 1.0)
            .figure("http-threads", "", consumer.http.threads as f64)
            .figure("debug-build", "", f64::from(u8::from(cfg!(debug_assertions))))
            .note(format!("Allocator: {}, in each of the processes.", registry::allocator::name())),
        _ => found.figure("worker_threads", "", provider.protocol.threads as f64).note(format!(
            "Serialization here: {}, pool: {}, queue: {}.",
            provider.protocol.serialization, provider.protocol.threadpool, provider.protocol.queues
        )),
    }
}

/// The sum that the provider's loop makes.
fn java_sum(iterations: u32) -> i64 {
    let mut random = provider::java_random::JavaRandom::new(1);
    (0..iterations).map(|_| i64::from(random.next_int_below(1000))).sum()
}

fn machine(study: &Study<'_>, found: Found) -> Found {
    let gigabytes = study.lab.host.memory as f64 / 1e9;
    found.figure("cores", "", study.lab.host.cores as f64).figure("memory", "GB", gigabytes).note(
        format!(
            "Here: {}, {}{}.",
            study.lab.host.processor,
            study.lab.host.system,
            study
                .lab
                .host
                .virtual_machine
                .as_ref()
                .map_or(String::new(), |vm| format!(", a guest of {vm}"))
        ),
    )
}

fn page(number: &str, study: &Study<'_>, found: Found) -> Found {
    match number {
        "02" => {
            let tools =
                study.lab.host.tools.iter().map(|(name, version)| format!("{name} {version}"));
            let tools: Vec<String> = tools.collect();
            found.figure("rpc-version", "", 1.0).note(format!(
                "Here: this stack {}; on this machine {}.",
                env!("CARGO_PKG_VERSION"),
                if tools.is_empty() { "no other tool".to_owned() } else { tools.join(", ") }
            ))
        }
        _ => found.figure("n", "", super::s2::REQUESTS as f64).figure("c", "", 100.0).figure(
            "runs",
            "",
            super::s2::repeats(study.lab.depth) as f64,
        ),
    }
}

fn heap(number: &str, study: &Study<'_>, found: Found) -> Found {
    match number {
        "04" => machine(study, found),
        "05" => found.figure("allocated_bytes", "bytes", f64::from(provider::heap::BYTES)),
        "07" => {
            let found = match study.lab.depth {
                Depth::Full => found.figure("n", "", 100_000.0),
                Depth::Quick => found.figure("seconds", "s", super::s3::CELL_SECONDS),
            };
            found.figure("c-1", "", 10.0).figure("c-2", "", 100.0).figure("c-3", "", 1000.0)
        }
        "08" => found
            .figure("discarded_runs", "", 1.0)
            .note("The warm-up before each cell is not counted."),
        "09" => variant(found, 0),
        "10" => variant(found, 1),
        _ => variant(found, 2),
    }
}

fn variant(found: Found, at: usize) -> Found {
    let name = super::s3::variant_name(at);
    found.figure("variant", "", at as f64).note(format!("Here: {name}."))
}

fn http(number: &str, found: Found) -> Found {
    match number {
        "02" => found.figure("n_default", "", 1.0).figure("c_default", "", 1.0).figure(
            "requests-implied-by-t",
            "",
            50_000.0,
        ),
        "04" => found.figure("page_bytes", "bytes", 612.0),
        "18" => open_files(found),
        _ => kernel(found),
    }
}

fn open_files(found: Found) -> Found {
    match getrlimit(Resource::RLIMIT_NOFILE) {
        Ok((soft, hard)) => found
            .figure("open-files", "", soft as f64)
            .figure("open-files-hard", "", hard as f64)
            .note("This program raised its own to the hard one, and so that of what it starts."),
        Err(error) => Found::unavailable(format!("the limit cannot be read: {error}")),
    }
}

fn kernel(found: Found) -> Found {
    let read = |name: &str| -> Option<f64> {
        let path = format!("/proc/sys/{}", name.replace('.', "/"));
        std::fs::read_to_string(path).ok()?.trim().parse().ok()
    };
    let names = ["net.ipv4.tcp_syncookies", "net.core.somaxconn", "net.ipv4.tcp_max_syn_backlog"];
    let mut found = found;
    for name in names {
        if let Some(value) = read(name) {
            found = found.figure(name, "", value);
        }
    }
    if found.figures.is_empty() {
        return Found::unavailable("this system does not show its network settings");
    }
    found
}

fn jmh(number: &str, study: &Study<'_>, found: Found) -> Found {
    let plan = super::s5::plan(study.lab.depth);
    match number {
        "01" => found
            .figure("version", "", 1.0)
            .note(format!("The harness is this kit, version {}.", env!("CARGO_PKG_VERSION"))),
        "03" => found.figure("unit-ms", "", 1.0),
        "04" => found.figure("methods", "", 2.0),
        "06" => found.figure("iterations", "", plan.iterations as f64).figure(
            "time_s",
            "s",
            plan.time.as_secs_f64(),
        ),
        "07" => found.figure("iterations", "", plan.warm_ups as f64).figure(
            "time_s",
            "s",
            plan.warm_up_time.as_secs_f64(),
        ),
        "08" => found.figure("forks", "", plan.forks as f64),
        "09" => found.figure("threads", "", plan.threads as f64),
        _ => found.figure("json", "", 1.0),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_loop_has_the_published_sum() {
        assert_eq!(super::java_sum(10_000), 5_005_739);
    }
}
