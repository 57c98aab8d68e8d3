//! The lists last heard of, on disk: what a consumer starts from when the registry is down.
//!
//! One JSON file per process. It is replaced as a whole, so that a reader finds the old or the new
//! one and never half of it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rpc_core::url::Url;
use tracing::warn;

/// Largest file that is read, in bytes. Bigger ones were not written here.
const MAX_FILE: u64 = 64 * 1024 * 1024;

/// Service -> provider URLs.
type Lists = BTreeMap<String, Vec<String>>;

/// The file and what it holds.
#[derive(Debug)]
pub(crate) struct Cache {
    path: PathBuf,
    lists: Mutex<Lists>,
    /// Held while the file is written, so that an older state does not replace a newer one.
    writing: Mutex<()>,
}

impl Cache {
    /// Reads the file. One that is absent or unreadable counts as empty: it is a spare, and nothing
    /// may fail for want of it.
    pub(crate) fn open(path: PathBuf) -> Arc<Self> {
        let lists = read(&path).unwrap_or_else(|error| {
            if error.kind() != io::ErrorKind::NotFound {
                warn!(path = %path.display(), %error, "the file cache cannot be used, starting anew");
            }
            Lists::new()
        });
        Arc::new(Cache { path, lists: Mutex::new(lists), writing: Mutex::new(()) })
    }

    /// The list last kept for a consumer's service.
    pub(crate) fn load(&self, consumer: &Url) -> Option<Vec<Url>> {
        let lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        let texts = lists.get(&consumer.service_key().to_string())?;
        Some(texts.iter().filter_map(|text| text.parse().ok()).collect())
    }

    /// Keeps a list, and writes the file in the background.
    pub(crate) fn store(self: &Arc<Self>, consumer: &Url, urls: &[Url]) {
        let texts = urls.iter().map(Url::to_string).collect();
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        lists.insert(consumer.service_key().to_string(), texts);
        drop(lists);
        let cache = self.clone();
        tokio::task::spawn_blocking(move || cache.write());
    }

    fn write(&self) {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Err(error) = replace(&self.path, &lists) {
            warn!(path = %self.path.display(), %error, "the file cache cannot be written");
        }
    }
}

fn read(path: &Path) -> io::Result<Lists> {
    let mut text = Vec::new();
    File::open(path)?.take(MAX_FILE).read_to_end(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}

fn replace(path: &Path, lists: &Lists) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}", std::process::id()));
    let beside = PathBuf::from(beside);
    let written = write_to(&beside, lists).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_file(&beside);
    }
    written
}

fn write_to(path: &Path, lists: &Lists) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(&serde_json::to_vec_pretty(lists)?)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn consumer() -> Url {
        "consumer://h/a.B?version=1".parse().unwrap()
    }

    #[test]
    fn what_was_written_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lists.json");
        let urls: Vec<Url> = vec!["dubbo://h:1/a.B?version=1".parse().unwrap()];
        let cache = Cache::open(path.clone());
        assert_eq!(cache.load(&consumer()), None);
        let texts = urls.iter().map(Url::to_string).collect();
        cache.lists.lock().unwrap().insert(consumer().service_key().to_string(), texts);
        cache.write();
        assert_eq!(Cache::open(path).load(&consumer()), Some(urls));
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn a_file_that_is_no_cache_is_an_empty_one() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lists.json");
        for text in ["", "{", "[]", "{\"a.B:1\":7}"] {
            fs::write(&path, text).unwrap();
            assert_eq!(Cache::open(path.clone()).load(&consumer()), None, "{text}");
        }
        assert_eq!(Cache::open(directory.path().to_owned()).load(&consumer()), None);
    }
}
