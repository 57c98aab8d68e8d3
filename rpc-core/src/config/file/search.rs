//! Finding the configuration file.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use crate::config::problem::Problem;
use crate::config::sources::Sources;

/// Longest file that is read, in bytes: many times what all keys with their comments take.
const LONGEST: u64 = 1 << 20;

/// The file to read and its text. Only a file that was named has to exist; one that exists has to
/// be readable.
pub(in crate::config) fn find(
    sources: &Sources,
    program: &str,
) -> Result<Option<(PathBuf, String)>, Problem> {
    if let Some((path, who)) = named(sources, program) {
        return match open(&path) {
            Ok(text) => Ok(Some((path, text))),
            Err(error) => {
                Err(Problem::with_file(path, format!("cannot read the file {who} names: {error}")))
            }
        };
    }
    for path in candidates(sources, program) {
        match open(&path) {
            Ok(text) => return Ok(Some((path, text))),
            Err(error) if is_absent(&error) => {}
            Err(error) => {
                return Err(Problem::with_file(path, format!("cannot read the file: {error}")));
            }
        }
    }
    Ok(None)
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// The variable that names the file: `PROVIDER_CONFIG`.
pub(in crate::config) fn file_variable(program: &str) -> String {
    format!("{}_CONFIG", program.replace('-', "_").to_uppercase())
}

/// The file that `--config` or the program's variable names, and which of them did.
fn named(sources: &Sources, program: &str) -> Option<(PathBuf, String)> {
    if let Some(path) = &sources.file {
        return Some((path.clone(), "--config".into()));
    }
    let name = file_variable(program);
    variable(sources, &name).map(|path| (path, name))
}

/// Where a file is searched for when none is named.
fn candidates(sources: &Sources, program: &str) -> Vec<PathBuf> {
    let Some(directory) = &sources.directory else { return Vec::new() };
    let name = format!("{program}.toml");
    let user = variable(sources, "XDG_CONFIG_HOME")
        .or_else(|| variable(sources, "HOME").map(|home| home.join(".config")));
    let mut paths = vec![directory.join(&name)];
    paths.extend(user.map(|user| user.join(program).join("config.toml")));
    paths.push(Path::new("/etc").join(program).join(&name));
    paths
}

/// A path in the environment; an empty variable is as good as none.
fn variable(sources: &Sources, name: &str) -> Option<PathBuf> {
    sources.lookup(name).filter(|path| !path.is_empty()).map(PathBuf::from)
}

fn open(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LONGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LONGEST {
        return Err(io::Error::other(format!("it is longer than {LONGEST} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8"))
}
