//! What the registry's address says: which servers, as whom, and where in their tree.

use rpc_core::url::Url;

/// Port of a host that names none.
const DEFAULT_PORT: u16 = 2181;
/// Root of Dubbo's tree unless the address says another `group`.
const DEFAULT_GROUP: &str = "dubbo";
/// The parameters that are read here.
pub(super) const PARAMETERS: [&str; 2] = ["group", "backup"];

/// Where to connect, and as whom. It holds a password, and so is not `Debug`.
#[derive(Clone)]
pub(super) struct Place {
    /// `host:port` of every server, with commas.
    pub(super) servers: String,
    /// `user:password`, or empty.
    pub(super) userinfo: String,
    /// Node that everything is below, with its slash in front.
    pub(super) root: String,
}

impl Place {
    /// The place that an address names.
    pub(super) fn of(address: &Url) -> Result<Place, String> {
        if !address.path.is_empty() {
            let path = &address.path;
            return Err(format!("the address has the path `{path}`: write `?group={path}`"));
        }
        let group = address.parameter("group").unwrap_or(DEFAULT_GROUP).trim_matches('/');
        if group.split('/').any(|name| matches!(name, "" | "." | "..")) {
            return Err(format!("`group={group}` is no name of a node"));
        }
        Ok(Place {
            servers: servers(address)?,
            userinfo: address.userinfo.clone(),
            root: format!("/{group}"),
        })
    }
}

/// The servers of the address, then its backups. Who names no port has ZooKeeper's.
fn servers(address: &Url) -> Result<String, String> {
    if address.host.is_empty() {
        return Err("the address has no host: write zookeeper://host:2181".to_owned());
    }
    let first = address.address();
    let backups = address.parameter("backup").unwrap_or_default();
    let all = first.split(',').chain(backups.split(',')).map(str::trim);
    let servers: Result<Vec<String>, String> =
        all.filter(|server| !server.is_empty()).map(with_port).collect();
    Ok(servers?.join(","))
}

fn with_port(server: &str) -> Result<String, String> {
    let found = format!("zookeeper://{server}").parse::<Url>().ok();
    let found = found.filter(|url| !url.host.is_empty() && url.path.is_empty());
    let mut url = found.ok_or_else(|| format!("`{server}` is no server: write host:2181"))?;
    if url.port == 0 {
        url.port = DEFAULT_PORT;
    }
    Ok(url.address())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(address: &str) -> Result<Place, String> {
        Place::of(&address.parse().unwrap())
    }

    #[test]
    fn every_way_to_name_servers() {
        for (address, expected) in [
            ("zookeeper://a:2182", "a:2182"),
            ("zookeeper://a", "a:2181"),
            ("zookeeper://a:1,b:2", "a:1,b:2"),
            ("zookeeper://a,b:2", "a:2181,b:2"),
            ("zookeeper://u:p@a:1,b:2", "a:1,b:2"),
            ("zookeeper://a:1?backup=b:2, c", "a:1,b:2,c:2181"),
            ("zookeeper://a:1,b?backup=c", "a:1,b:2181,c:2181"),
            ("zookeeper://[::1]", "[::1]:2181"),
            ("zookeeper://[::1]:1,[::2]:2", "[::1]:1,[::2]:2"),
            ("zookeeper://a?backup=[::2]", "a:2181,[::2]:2181"),
        ] {
            assert_eq!(place(address).map(|place| place.servers).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn the_group_is_the_root() {
        for (group, expected) in
            [("", "/dubbo"), ("x", "/x"), ("/x/y/", "/x/y"), ("/", ""), ("a//b", ""), ("..", "")]
        {
            let root = place(&format!("zookeeper://h?group={group}")).map(|place| place.root);
            assert_eq!(root.unwrap_or_default(), expected, "{group}");
        }
    }

    #[test]
    fn what_names_no_server_is_refused() {
        for (address, expected) in [
            ("zookeeper://", "no host"),
            ("zookeeper://:2181", "no host"),
            ("zookeeper://a,:1", "`:1` is no server"),
            ("zookeeper://a:x,b", "`a:x` is no server"),
            ("zookeeper://a?backup=b/x", "`b/x` is no server"),
            ("zookeeper://a/tree", "`?group=tree`"),
        ] {
            let reason = place(address).map(|place| place.servers).unwrap_err();
            assert!(reason.contains(expected), "{address}: {reason}");
        }
    }
}
