//! Any result: ours, or what `ab`, `wrk`, `oha` or JMH wrote.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use serde_json::Value;

use super::ab::AbReport;
use super::{jmh, oha, wrk};
use crate::result::{ResultFile, Run, SCHEMA_VERSION};

/// Larger files are no results.
const LARGEST: u64 = 1 << 28;

/// The runs of a file.
///
/// # Errors
/// When it cannot be read, or is none of the known forms.
pub fn read_any(path: &Path) -> Result<Vec<Run>> {
    let name = path.display().to_string();
    let bytes = bytes_of(path).with_context(|| format!("cannot read {name}"))?;
    read(&bytes, &name)
}

/// A result of this kit, whole.
///
/// # Errors
/// When it cannot be read, is something else, or has another version.
pub fn read_own(path: &Path) -> Result<ResultFile> {
    let own = || {
        let text = bytes_of(path)?;
        let value = serde_json::from_slice(&text).context("it is no result of this kit")?;
        own(&value)
    };
    own().with_context(|| format!("cannot read {}", path.display()))
}

/// The runs in these bytes; `name` is for the error.
///
/// # Errors
/// When they are none of the known forms.
pub fn read(bytes: &[u8], name: &str) -> Result<Vec<Run>> {
    let text = String::from_utf8_lossy(bytes);
    let read = match text.trim_start().chars().next() {
        Some('{' | '[') => json(&text),
        _ => plain(&text),
    };
    read.with_context(|| format!("cannot read {name}"))
}

/// What a file holds. A device or a pipe tells no size, so reading stops where it is too much.
fn bytes_of(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    ensure!(
        bytes.len() as u64 <= LARGEST,
        "it has more than {LARGEST} bytes; that is no result of a load test"
    );
    Ok(bytes)
}

fn own(value: &Value) -> Result<ResultFile> {
    let version = value.get("schema_version").context("it is no result of this kit")?;
    ensure!(
        *version == SCHEMA_VERSION,
        "its schema_version is {version}; this program reads {SCHEMA_VERSION}"
    );
    ResultFile::deserialize(value).context("it is not a whole result")
}

fn json(text: &str) -> Result<Vec<Run>> {
    let value: Value = serde_json::from_str(text).context("it is not whole JSON")?;
    let has = |name: &str| value.get(name).is_some();
    if value.is_array() && value.get(0).is_none_or(|it| it.get("primaryMetric").is_some()) {
        jmh::parse(text)
    } else if has("summary") && has("statusCodeDistribution") {
        Ok(vec![oha::parse(text)?])
    } else if has("schema_version") {
        Ok(own(&value)?.runs)
    } else {
        unknown()
    }
}

fn plain(text: &str) -> Result<Vec<Run>> {
    if text.contains("Time taken for tests:") {
        // What `ab -V` says stands at the head of what it prints, unless that was cut off.
        let version = super::ab::version(text).unwrap_or_default();
        Ok(vec![AbReport::parse(text)?.run(version)])
    } else if text.contains(" test @ ") && text.contains("Requests/sec:") {
        Ok(vec![wrk::parse(text, String::new())?])
    } else {
        unknown()
    }
}

fn unknown() -> Result<Vec<Run>> {
    bail!(
        "it is none of: a result of this kit (JSON), the text of ab, the text of wrk, the JSON of \
         oha, the JSON of JMH"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [(&str, &str, usize); 3] = [
        ("ab", include_str!("../../tests/data/ab-close.txt"), 1),
        ("wrk", include_str!("../../tests/data/wrk.txt"), 1),
        ("jmh", include_str!("../../tests/data/jmh-result.json"), 4),
    ];

    #[test]
    fn each_form_is_recognised() {
        for (tool, text, count) in FILES {
            let runs = read(text.as_bytes(), tool).unwrap();
            assert_eq!((runs.len(), runs[0].tool.as_str()), (count, tool));
        }
        assert_eq!(read(FILES[0].1.as_bytes(), "").unwrap()[0].tool_version, "2.3");
    }

    #[test]
    fn our_own_result_comes_back() {
        let runs = read(FILES[0].1.as_bytes(), "ab").unwrap();
        let file = ResultFile {
            schema_version: SCHEMA_VERSION,
            command: "ab".to_owned(),
            arguments: Vec::new(),
            version: "1".to_owned(),
            started: 0,
            ended: 0,
            partial: false,
            host: crate::result::HostFacts::default(),
            runs,
            seeds: None,
            sweep: None,
            ablation: None,
        };
        let text = serde_json::to_string(&file).unwrap();
        assert_eq!(read(text.as_bytes(), "ours").unwrap(), file.runs);
        let old = text.replacen(r#""schema_version":2"#, r#""schema_version":1"#, 1);
        let error = format!("{:#}", read(old.as_bytes(), "old.json").unwrap_err());
        assert!(error.contains("old.json") && error.contains("schema_version is 1"), "{error}");
    }

    #[test]
    fn what_is_none_of_them_is_said() {
        for text in ["", "hello", "{}", "[1]", "{\"a\":", "\u{0}\u{1}"] {
            let error = format!("{:#}", read(text.as_bytes(), "x").unwrap_err());
            assert!(error.contains("cannot read x"), "{error}");
        }
        let error = format!("{:#}", read(b"hello", "x").unwrap_err());
        assert!(error.contains("none of") && error.contains("JMH"), "{error}");
        for file in ["/no/such/file", "/dev/zero"] {
            for error in
                [read_any(Path::new(file)).unwrap_err(), read_own(Path::new(file)).unwrap_err()]
            {
                let error = format!("{error:#}");
                assert!(error.starts_with(&format!("cannot read {file}: ")), "{error}");
            }
        }
    }
}
