//! What the stress endpoints send.

use std::io;
use std::path::{Path, PathBuf};

use provider::api::User;

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
    /// Makes the payloads; with [`PayloadSource::File`] also their files, in `directory`.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn new(source: PayloadSource, directory: &Path) -> io::Result<Payloads> {
        let text = |name: &str, bytes| match source {
            PayloadSource::Memory => Ok(Text::Memory(pattern(bytes))),
            PayloadSource::File => {
                let path = directory.join(format!("{name}.txt"));
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
