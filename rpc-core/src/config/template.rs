//! Documentation made from the schema: a sample file, and a table for readers.

use std::fmt::Write;

use super::file;
use super::schema::Schema;
use super::section::Key;

impl Schema {
    /// A sample file: every key with its documentation and default, commented out.
    #[must_use]
    pub fn template(&self) -> String {
        let program = self.program();
        let variable = file::file_variable(program);
        let mut out = format!(
            "# Configuration of {program}: every key with its default. Remove the `#` before a key \
             to change it.\n\
             # Searched for as --config FILE, ${variable}, ./{program}.toml,\n\
             # $XDG_CONFIG_HOME/{program}/config.toml, /etc/{program}/{program}.toml.\n\
             # The environment and the command line win over this file.\n\
             # Durations are milliseconds or text such as \"1s\", sizes bytes or text such as \
             \"8MiB\".\n"
        );
        for section in self.sections() {
            out.push('\n');
            push_comment(&mut out, section.doc);
            let _ = writeln!(out, "[{}]", section.name);
            self.keys_of(&section.name).for_each(|key| push_sample(&mut out, key));
        }
        for family in self.families() {
            out.push('\n');
            push_comment(&mut out, family.doc);
            let _ = writeln!(out, "#[{}.NAME]", family.name);
            family.keys.iter().for_each(|key| push_sample(&mut out, key));
        }
        out
    }

    /// A Markdown table of the keys of each section.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut out = String::new();
        for section in self.sections() {
            push_table(&mut out, &section.name, section.doc, self.keys_of(&section.name));
        }
        for family in self.families() {
            push_table(&mut out, &format!("{}.NAME", family.name), family.doc, &family.keys);
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
        out
    }
}

fn push_sample(out: &mut String, key: &Key) {
    out.push('\n');
    push_comment(out, key.doc);
    let _ = writeln!(out, "# ({})", key.describe());
    let _ = writeln!(out, "#{} = {}", key.name, key.default);
}

fn push_table<'a>(
    out: &mut String,
    name: &str,
    doc: &[&str],
    keys: impl IntoIterator<Item = &'a Key>,
) {
    let _ = writeln!(out, "### `[{name}]`\n\n{}\n", joined(doc));
    out.push_str("| Key | Default | Takes | What it does | Also |\n|---|---|---|---|---|\n");
    for key in keys {
        let Key { name, default, .. } = key;
        let (takes, doc, also) = (key.describe(), joined(key.doc), also(key));
        let _ = writeln!(out, "| `{name}` | `{default}` | {takes} | {doc} | {also} |");
    }
    out.push('\n');
}

fn push_comment(out: &mut String, lines: &[&str]) {
    for line in lines {
        let _ = writeln!(out, "# {}", line.trim());
    }
}

/// The lines of a documentation as one.
pub(super) fn joined(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
}

/// The other names of a key: flag and variable of its own.
fn also(key: &Key) -> String {
    let flag = key.flag.map(|flag| format!("`--{flag}`"));
    let variable = key.variable.map(|name| format!("`{name}`"));
    flag.into_iter().chain(variable).collect::<Vec<_>>().join(", ")
}
