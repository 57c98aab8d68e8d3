//! What the stress endpoints send.

use std::io;
use std::path::{Path, PathBuf};

use provider::api::User;
use tempfile::TempDir;

use crate::settings::PayloadSource;

/// The text every payload is cut from: one byte a character, in every serialization.
const PATTERN: &str = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
/// Users in the list payload.
const USERS: i64 = 10;

const SHORT: usize = 11;
const KIB: usize = 1024;

/// The payloads of all endpoints.
#[derive(Debug)]
pub struct Payloads {
    /// `string`: a few characters.
    pub string: Text,
    /// `string1k`: 1,024 bytes.
    pub string_1k: Text,
    /// `string1kNoFile`: 1,024 bytes, never from a file.
    pub string_1k_no_file: Text,
    /// `string50k`: 51,200 bytes.
    pub string_50k: Text,
    /// `string100k`: 102,400 bytes.
    pub string_100k: Text,
    /// `pojo`
    pub user: User,
    /// `listPojo`: ten users.
    pub users: Vec<User>,
    /// The directory of the files, for as long as they are read.
    _files: Option<TempDir>,
}

/// One text payload.
#[derive(Debug)]
pub enum Text {
    /// In memory.
    Memory(String),
    /// In this file.
    File(PathBuf),
}

impl Payloads {
    /// Makes the payloads; with [`PayloadSource::File`] also their files, in a directory of their own
    /// below `place`: nobody else writes there, and it goes away with the payloads.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn new(source: PayloadSource, place: &Path) -> io::Result<Payloads> {
        let files = match source {
            PayloadSource::Memory => None,
            PayloadSource::File => {
                Some(tempfile::Builder::new().prefix("payloads-").tempdir_in(place)?)
            }
        };
        let text = |name: &str, bytes| match &files {
            None => Ok(Text::Memory(pattern(bytes))),
            Some(directory) => {
                let path = directory.path().join(format!("{name}.txt"));
                std::fs::write(&path, pattern(bytes))?;
                Ok::<_, io::Error>(Text::File(path))
            }
        };
        Ok(Payloads {
            // The published fixture reads no file for these two.
            string: Text::Memory(pattern(SHORT)),
            string_1k_no_file: Text::Memory(pattern(KIB)),
            string_1k: text("string1k", KIB)?,
            string_50k: text("string50k", 50 * KIB)?,
            string_100k: text("string100k", 100 * KIB)?,
            user: user(1),
            users: (1..=USERS).map(user).collect(),
            _files: files,
        })
    }
}

impl Text {
    /// The text, for one call.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn get(&self) -> io::Result<String> {
        match self {
            Text::Memory(text) => Ok(text.clone()),
            Text::File(path) => tokio::fs::read_to_string(path).await,
        }
    }
}

fn pattern(bytes: usize) -> String {
    PATTERN.chars().cycle().take(bytes).collect()
}

fn user(id: i64) -> User {
    User {
        user_id: Some(id),
        user_name: Some(format!("userName{id}")),
        response_info: Some("sent by the consumer".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn two_consumers_share_no_file_and_leave_none() {
        let place = tempfile::tempdir().unwrap();
        let [one, two] = [0, 1].map(|_| Payloads::new(PayloadSource::File, place.path()).unwrap());
        let Text::File(path) = &one.string_1k else { panic!("not in a file") };
        std::fs::write(path, "cut off").unwrap();
        assert_eq!(one.string_1k.get().await.unwrap(), "cut off");
        assert_eq!(two.string_1k.get().await.unwrap().len(), KIB);
        drop((one, two));
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
    }
}
