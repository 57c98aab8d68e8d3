//! Which address a provider publishes.
//!
//! A provider that listens on every address has to name one that consumers can reach. In this order:
//!
//! 1. what the user says (`DUBBO_IP_TO_REGISTRY`, `DUBBO_PORT_TO_REGISTRY`);
//! 2. the address it is bound to, unless that stands for all;
//! 3. loopback, if the registry itself is on loopback: then everybody is on this machine, and a
//!    first try works on a laptop without network or with one that changes;
//! 4. the address from which the system would reach the registry, unless it belongs to a bridge;
//! 5. the first address of a real interface; then of a tunnel; then of a bridge; loopback at last.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use if_addrs::{IfOperStatus, Interface};
use tokio::net::{UdpSocket, lookup_host};

/// Interfaces of container engines and virtual machines: their addresses mean nothing elsewhere.
const BRIDGES: [&str; 9] =
    ["docker", "br-", "virbr", "veth", "cni", "flannel", "cali", "podman", "lxc"];
/// Tunnels: reachable, but only for those at the other end.
const TUNNELS: [&str; 5] = ["tun", "tap", "wg", "ppp", "utun"];

/// What decides the published address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wishes<'a> {
    /// `host:port` of the registry, if there is one.
    pub registry: Option<&'a str>,
    /// `DUBBO_IP_TO_REGISTRY`: the host to publish.
    pub host: Option<&'a str>,
    /// `DUBBO_PORT_TO_REGISTRY`: the port to publish.
    pub port: Option<u16>,
}

/// How far an address carries; better ones first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    Routed,
    Tunnel,
    Bridge,
    Loopback,
}

/// Host and port to publish for a server that is bound to `bound`.
///
/// # Errors
/// When the wished host is one that nobody can call, or the interfaces cannot be read.
pub async fn published(bound: SocketAddr, wishes: &Wishes<'_>) -> io::Result<(String, u16)> {
    let port = wishes.port.unwrap_or(bound.port());
    if let Some(host) = wishes.host {
        return Ok((checked(host)?.to_owned(), port));
    }
    if !bound.ip().is_unspecified() {
        return Ok((bound.ip().to_string(), port));
    }
    let route = match wishes.registry {
        Some(registry) => route_to(registry).await,
        None => None,
    };
    let interfaces = if_addrs::get_if_addrs()?;
    Ok((choose(&interfaces, route, bound.is_ipv4()).to_string(), port))
}

fn checked(host: &str) -> io::Result<&str> {
    let address: Option<IpAddr> = host.parse().ok();
    if host.is_empty() || address.is_some_and(|address| address.is_unspecified()) {
        let reason = format!("nobody can call the host to publish, `{host}`: name a real address");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
    }
    Ok(host)
}

/// The address from which the system would send to the registry. Nothing is sent.
async fn route_to(registry: &str) -> Option<IpAddr> {
    let target = lookup_host(registry).await.ok()?.next()?;
    let any: IpAddr = match target {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let socket = UdpSocket::bind((any, 0)).await.ok()?;
    socket.connect(target).await.ok()?;
    Some(socket.local_addr().ok()?.ip())
}

/// The best address. `route` is the one towards the registry; a server that listens on IPv4 only
/// cannot publish an IPv6 address.
fn choose(interfaces: &[Interface], route: Option<IpAddr>, ipv4_only: bool) -> IpAddr {
    let usable = |address: IpAddr| address.is_ipv4() || !ipv4_only;
    let route = route.filter(|address| usable(*address));
    if let Some(route) = route.filter(IpAddr::is_loopback) {
        return route;
    }
    let candidates = interfaces.iter().filter(|interface| {
        usable(interface.ip())
            && !interface.is_link_local()
            && interface.oper_status != IfOperStatus::Down
    });
    let best = candidates.min_by_key(|interface| {
        let address = interface.ip();
        (reach(interface), Some(address) != route, address.is_ipv6(), interface.index)
    });
    best.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), Interface::ip)
}

fn reach(interface: &Interface) -> Reach {
    let is_one_of = |names: &[&str]| names.iter().any(|name| interface.name.starts_with(name));
    if interface.is_loopback() {
        Reach::Loopback
    } else if is_one_of(&BRIDGES) {
        Reach::Bridge
    } else if interface.is_p2p || is_one_of(&TUNNELS) {
        Reach::Tunnel
    } else {
        Reach::Routed
    }
}

#[cfg(test)]
mod tests {
    use if_addrs::{IfAddr, Ifv4Addr, Ifv6Addr};

    use super::*;

    fn interface(index: u32, name: &str, address: &str) -> Interface {
        let addr = match address.parse().unwrap() {
            IpAddr::V4(ip) => IfAddr::V4(Ifv4Addr {
                ip,
                netmask: Ipv4Addr::new(255, 255, 255, 0),
                prefixlen: 24,
                broadcast: None,
            }),
            IpAddr::V6(ip) => IfAddr::V6(Ifv6Addr {
                ip,
                netmask: Ipv6Addr::UNSPECIFIED,
                prefixlen: 64,
                broadcast: None,
            }),
        };
        let oper_status = IfOperStatus::Up;
        Interface { name: name.to_owned(), addr, index: Some(index), oper_status, is_p2p: false }
    }

    fn machine() -> Vec<Interface> {
        vec![
            interface(1, "lo", "127.0.0.1"),
            interface(2, "docker0", "172.17.0.1"),
            interface(3, "tun0", "10.8.0.2"),
            interface(4, "eth0", "fe80::1"),
            interface(4, "eth0", "2001:db8::5"),
            interface(4, "eth0", "192.168.1.5"),
            interface(5, "eth1", "192.168.2.5"),
        ]
    }

    #[test]
    fn the_address_that_carries_farthest_is_chosen() {
        let some = |text: &str| Some(text.parse::<IpAddr>().unwrap());
        let only = |names: &[&str]| -> Vec<Interface> {
            let keep = |interface: &Interface| names.contains(&interface.name.as_str());
            machine().into_iter().filter(keep).collect()
        };
        let all = ["lo", "docker0", "tun0", "eth0", "eth1"];
        for (names, route, ipv4_only, expected) in [
            (&all[..], None, true, "192.168.1.5"),
            (&all, some("192.168.2.5"), true, "192.168.2.5"),
            (&all, some("172.17.0.1"), true, "192.168.1.5"),
            (&all, some("2001:db8::5"), true, "192.168.1.5"),
            (&all, some("2001:db8::5"), false, "2001:db8::5"),
            (&all, some("127.0.0.1"), true, "127.0.0.1"),
            (&all, some("::1"), true, "192.168.1.5"),
            (&["lo", "docker0", "tun0"], None, true, "10.8.0.2"),
            (&["lo", "docker0"], None, true, "172.17.0.1"),
            (&["lo"], None, true, "127.0.0.1"),
            (&[], None, true, "127.0.0.1"),
        ] {
            let chosen = choose(&only(names), route, ipv4_only);
            assert_eq!(chosen.to_string(), expected, "{names:?} {route:?} {ipv4_only}");
        }
    }

    #[tokio::test]
    async fn wishes_win_and_everybody_is_reachable() {
        let everywhere: SocketAddr = "0.0.0.0:20880".parse().unwrap();
        let wishes = Wishes { host: Some("public.example"), port: Some(1), ..Wishes::default() };
        assert_eq!(published(everywhere, &wishes).await.unwrap(), ("public.example".into(), 1));

        let local = Wishes { registry: Some("127.0.0.1:9090"), ..Wishes::default() };
        assert_eq!(published(everywhere, &local).await.unwrap(), ("127.0.0.1".into(), 20880));

        let bound = "10.1.2.3:5".parse().unwrap();
        assert_eq!(published(bound, &local).await.unwrap(), ("10.1.2.3".into(), 5));

        let (host, _) = published(everywhere, &Wishes::default()).await.unwrap();
        assert!(!host.parse::<IpAddr>().unwrap().is_unspecified());
    }

    #[tokio::test]
    async fn a_host_that_nobody_can_call_is_refused() {
        for host in ["", "0.0.0.0", "::"] {
            let wishes = Wishes { host: Some(host), ..Wishes::default() };
            assert!(published("0.0.0.0:1".parse().unwrap(), &wishes).await.is_err(), "{host}");
        }
    }
}
