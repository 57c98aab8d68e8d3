//! Queues of new connections, and ports.
//!
//! A client whose connection finds the listener's queue full is not told: its first packet is
//! dropped, and it tries again after 1, then 3, then 7 seconds. A few of those make the tail of a
//! run.

use std::path::PathBuf;

use consumer::settings::HttpConfig;

use super::checks::{check, well};
use super::{Expected, line, number};
use crate::result::HostCheck;

/// How long a closed connection keeps its port on the side that closed first: a constant of Linux.
const TIME_WAIT_SECONDS: f64 = 60.0;
/// How long it does where `tcp_tw_reuse` lets a new connection have the port.
const REUSE_SECONDS: f64 = 1.0;

pub(super) fn checks(expected: &Expected) -> Vec<HostCheck> {
    let connections = expected.connections as u64;
    let cookies = number(sysctl("net.ipv4.tcp_syncookies"));
    let reuse = number(sysctl("net.ipv4.tcp_tw_reuse"));
    let range = line(sysctl("net.ipv4.ip_local_port_range"));
    let checks = [
        number(sysctl("net.core.somaxconn")).map(|somaxconn| accept_queue(somaxconn, connections)),
        Some(backlog(HttpConfig::default().backlog.into(), connections)),
        cookies.map(syn_cookies),
        number(sysctl("net.ipv4.tcp_max_syn_backlog"))
            .map(|most| syn_queue(most, cookies.unwrap_or_default(), connections)),
        range.and_then(|range| ports(&range, reuse.unwrap_or_default(), expected)),
        reuse.map(|reuse| port_reuse(reuse, expected)),
    ];
    checks.into_iter().flatten().collect()
}

fn sysctl(name: &str) -> PathBuf {
    PathBuf::from("/proc/sys").join(name.replace('.', "/"))
}

fn set(name: &str, value: impl std::fmt::Display) -> String {
    format!("sudo sysctl -w {name}={value}")
}

/// The system's bound on every listener's queue. All connections of a run may arrive at once.
fn accept_queue(somaxconn: u64, connections: u64) -> HostCheck {
    let name = "net.core.somaxconn";
    check(
        name,
        somaxconn.to_string(),
        somaxconn >= connections,
        format!(
            "{connections} connections that arrive at once do not fit in a queue of {somaxconn}: \
             some will wait 1, 3 or 7 seconds"
        ),
        set(name, connections.next_power_of_two()),
    )
}

/// What our own HTTP server asks for; the smaller of this and `somaxconn` holds.
fn backlog(backlog: u64, connections: u64) -> HostCheck {
    check(
        "listen backlog",
        format!("{backlog} (the consumer's default)"),
        backlog >= connections,
        format!(
            "{connections} connections that arrive at once do not fit in a backlog of {backlog}"
        ),
        // The setting's own bound.
        format!("consumer -D dubbo.http.backlog={}", connections.next_power_of_two().min(65_535)),
    )
}

/// A test is no reason to turn them off: they are what keeps a server reachable under a flood.
fn syn_cookies(cookies: u64) -> HostCheck {
    let name = "net.ipv4.tcp_syncookies";
    if cookies > 0 {
        let advice = "leave it on: it only acts when a queue is full, and then it keeps the server \
                      reachable. Where connections are reset or slow, raise the backlog and somaxconn";
        return HostCheck { advice: advice.to_owned(), ..well(name, cookies.to_string()) };
    }
    check(
        name,
        cookies.to_string(),
        false,
        "without it a full queue of half-open connections makes the server unreachable for \
         everybody. Turn it on; what a load test needs is a longer backlog",
        set(name, 1),
    )
}

/// Half-open connections. With cookies the kernel goes by the listener's backlog alone; without, it
/// drops strangers when a quarter of this queue is left.
fn syn_queue(most: u64, cookies: u64, connections: u64) -> HostCheck {
    let name = "net.ipv4.tcp_max_syn_backlog";
    let room = most - most / 4;
    check(
        name,
        most.to_string(),
        cookies > 0 || room >= connections,
        format!(
            "without SYN cookies, half-open connections beyond {room} are dropped; {connections} \
             may arrive at once"
        ),
        set(name, (connections + connections / 3 + 1).next_power_of_two()),
    )
}

/// Ports of this side of connections to one address.
fn ports(range: &str, reuse: u64, expected: &Expected) -> Option<HostCheck> {
    let name = "net.ipv4.ip_local_port_range";
    let (low, high) = range.split_once(char::is_whitespace)?;
    let (low, high): (u64, u64) = (low.parse().ok()?, high.trim().parse().ok()?);
    let ports = (high + 1).saturating_sub(low);
    let held = if reuse == 0 { TIME_WAIT_SECONDS } else { REUSE_SECONDS };
    let waiting = (expected.connects_per_second * held).ceil() as u64;
    let need = waiting.saturating_add(expected.connections as u64);
    Some(check(
        name,
        format!("{low}-{high}: {ports} ports"),
        ports >= need,
        format!(
            "{} connections{} need {need} ports; beyond, connecting fails with `Cannot assign \
             requested address`",
            expected.connections,
            if waiting == 0 {
                String::new()
            } else {
                format!(
                    " and {waiting} closed ones, which keep their ports for {held} s if the caller \
                     closes first,"
                )
            }
        ),
        set(name, "\"1024 65535\""),
    ))
}

/// Whether the port of a connection that was closed can be used for the next one.
fn port_reuse(reuse: u64, expected: &Expected) -> HostCheck {
    let name = "net.ipv4.tcp_tw_reuse";
    let meaning = match reuse {
        0 => "never",
        1 => "always",
        _ => "on loopback",
    };
    check(
        name,
        format!("{reuse}: {meaning}"),
        reuse > 0 || expected.connects_per_second == 0.0,
        format!(
            "{:.0} new connections per second each keep a port for {TIME_WAIT_SECONDS} s after their \
             end. 2 lets loopback have it back after one second and changes nothing else",
            expected.connects_per_second
        ),
        set(name, 2),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queues_are_held_against_connections() {
        assert!(accept_queue(4096, 4096).ok);
        let short = accept_queue(128, 1000);
        assert_eq!(
            (short.ok, short.command.as_str()),
            (false, "sudo sysctl -w net.core.somaxconn=1024")
        );
        assert!(backlog(4096, 1000).ok);
        assert!(backlog(4096, 100_000).command.ends_with("dubbo.http.backlog=65535"));
        assert!(syn_queue(128, 1, 10_000).ok, "with cookies it does not matter");
        assert!(syn_queue(2048, 0, 1536).ok);
        let short = syn_queue(2048, 0, 1537);
        assert!(!short.ok && short.command.ends_with("=4096"), "{short:?}");
    }

    #[test]
    fn nobody_is_told_to_turn_cookies_off() {
        for cookies in 0..3 {
            let check = syn_cookies(cookies);
            assert_eq!(check.ok, cookies > 0);
            assert!(
                !check.command.ends_with("=0") && check.advice.contains("backlog"),
                "{check:?}"
            );
        }
        assert_eq!(syn_cookies(0).command, "sudo sysctl -w net.ipv4.tcp_syncookies=1");
    }

    #[test]
    fn ports_are_held_against_the_rate_of_new_connections() {
        let expected =
            |connections, connects_per_second| Expected { connections, connects_per_second };
        assert!(ports("32768\t60999", 0, &expected(1000, 0.0)).unwrap().ok);
        assert!(ports("32768\t60999", 2, &expected(1000, 20_000.0)).unwrap().ok);
        let few = ports("32768\t60999", 0, &expected(10, 500.0)).unwrap();
        assert!(
            !few.ok && few.value.contains("28232 ports") && few.advice.contains("30010"),
            "{few:?}"
        );
        assert!(ports("32768 60999", 0, &expected(30_000, 0.0)).is_some_and(|check| !check.ok));
        assert_eq!(ports("nonsense", 0, &Expected::default()), None);
        assert!(port_reuse(0, &expected(10, 0.0)).ok);
        let off = port_reuse(0, &expected(10, 9000.0));
        assert!(!off.ok && off.advice.starts_with("9000 "), "{off:?}");
    }
}
