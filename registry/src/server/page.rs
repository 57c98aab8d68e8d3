//! The page at `/`, and the same as data.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::time::Duration;

use serde::Serialize;

use super::store::{Listed, Store};

/// Most entries shown. A site with more is better served by the API.
const MAX_SHOWN: usize = 2_000;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2em;max-width:72em;color:#222}\
    h2{font-size:1.1em;margin:2em 0 .3em}table{border-collapse:collapse;width:100%}\
    th,td{text-align:left;padding:.2em .8em .2em 0;border-bottom:1px solid #ddd;vertical-align:top}\
    td.url{font:13px/1.5 monospace;overflow-wrap:anywhere}.dim{color:#777}";

/// What the registry knows, for people.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Overview {
    boot: String,
    uptime_seconds: u64,
    revision: u64,
    sessions: usize,
    watches: usize,
    /// Whether everything is shown.
    complete: bool,
    services: BTreeMap<String, BTreeMap<&'static str, Vec<Row>>>,
}

#[derive(Debug, Clone, Serialize)]
struct Row {
    url: String,
    listed_seconds: u64,
    renewed_seconds_ago: u64,
    lease_seconds: u64,
}

impl Overview {
    pub(super) fn of(store: &Store) -> Self {
        let load = store.load();
        let (lists, complete) = store.overview(MAX_SHOWN);
        let mut services: BTreeMap<String, BTreeMap<&'static str, Vec<Row>>> = BTreeMap::new();
        for (topic, listed) in lists {
            let rows = listed.iter().map(Row::from).collect();
            services.entry(topic.interface).or_default().insert(topic.category, rows);
        }
        Overview {
            boot: store.boot().to_owned(),
            uptime_seconds: store.uptime().as_secs(),
            revision: store.revision(),
            sessions: load.sessions,
            watches: load.watches,
            complete,
            services,
        }
    }
}

impl From<&Listed> for Row {
    fn from(listed: &Listed) -> Self {
        Row {
            url: listed.url.to_string(),
            listed_seconds: listed.listed_for.as_secs(),
            renewed_seconds_ago: listed.silent_for.as_secs(),
            lease_seconds: listed.lease.as_secs(),
        }
    }
}

/// The page. It loads nothing and reloads itself.
pub(super) fn html(overview: &Overview) -> String {
    let mut page = String::new();
    // Writing into a string does not fail.
    let _ = write_page(&mut page, overview);
    page
}

fn write_page(page: &mut String, overview: &Overview) -> fmt::Result {
    write!(
        page,
        "<!doctype html><html lang=en><meta charset=utf-8><meta http-equiv=refresh content=5>\
         <title>Registry</title><style>{STYLE}</style><h1>Registry</h1>\
         <p>{} services, {} sessions, {} watches. Revision {}, up {}, \
         <span class=dim>boot {}</span>. <a href=/v1/services>As JSON</a>.</p>",
        overview.services.len(),
        overview.sessions,
        overview.watches,
        overview.revision,
        age(overview.uptime_seconds),
        Escaped(&overview.boot),
    )?;
    if overview.services.is_empty() {
        page.write_str("<p>Nobody has registered yet.</p>")?;
    }
    for (interface, lists) in &overview.services {
        write!(page, "<h2>{}</h2>", Escaped(interface))?;
        for (category, rows) in lists {
            write_list(page, category, rows)?;
        }
    }
    if !overview.complete {
        write!(page, "<p>Only {MAX_SHOWN} entries are shown; there are more.</p>")?;
    }
    page.write_str("</html>\n")
}

fn write_list(page: &mut String, category: &str, rows: &[Row]) -> fmt::Result {
    write!(page, "<table><tr><th>{} {category}<th>listed<th>renewed<th>lease", rows.len())?;
    for row in rows {
        write!(
            page,
            "<tr><td class=url>{}<td>{}<td>{} ago<td>{}",
            Escaped(&row.url),
            age(row.listed_seconds),
            age(row.renewed_seconds_ago),
            age(row.lease_seconds),
        )?;
    }
    page.write_str("</table>")
}

fn age(seconds: u64) -> String {
    humantime::format_duration(Duration::from_secs(seconds)).to_string()
}

/// Text between tags: nothing in it is taken for markup.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '&' => f.write_str("&amp;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::entry::Entry;

    #[test]
    fn the_page_shows_services_and_takes_nothing_for_markup() {
        let store = Store::new(Duration::from_secs(60));
        let entries = [
            Entry::read("dubbo://10.0.0.5:20880/a.B?x=<script>alert('1')</script>&y=\"").unwrap(),
            Entry::read("consumer://10.0.0.9/a.B?application=<b>").unwrap(),
        ];
        store.claim("s", Duration::ZERO, 1, &entries).unwrap();
        let page = html(&Overview::of(&store));
        for shown in ["<h2>a.B</h2>", "1 providers", "1 consumers", "dubbo://10.0.0.5:20880/a.B"] {
            assert!(page.contains(shown), "{shown} is not in {page}");
        }
        assert!(page.contains("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;y=&quot;"));
        assert!(!page.contains("<script") && !page.contains("<b>"));
    }

    #[test]
    fn an_empty_registry_says_so() {
        let page = html(&Overview::of(&Store::new(Duration::from_secs(60))));
        assert!(page.contains("Nobody has registered yet"));
    }
}
