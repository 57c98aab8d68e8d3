//! stub
use crate::result::ResultFile;
/// w
pub fn write(_: &std::path::Path, _: &[ResultFile]) -> anyhow::Result<()> { Ok(()) }
