//! The layer of the file: reading it, and where in it everything stands.

mod search;

use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::{Origin, Problem, Problems};
use super::schema::{Draft, Schema};
use super::section::Key;
use super::value::Raw;

pub(super) use search::{file_variable, find};

/// Lays what [`find`] found on the draft.
pub(super) fn apply(
    found: Result<Option<(PathBuf, String)>, Problem>,
    schema: &Schema,
    draft: &mut Draft,
) {
    match found {
        Ok(None) => {}
        Ok(Some((path, text))) => {
            read(&Text::new(&path, &text), schema, draft);
            draft.loaded.set_file(path);
        }
        Err(problem) => draft.problems.push(problem),
    }
}

/// The text of a file with its lines.
struct Text<'a> {
    path: String,
    text: &'a str,
    /// Where each line starts.
    lines: Vec<usize>,
}

impl<'a> Text<'a> {
    fn new(path: &Path, text: &'a str) -> Self {
        let starts = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines = std::iter::once(0).chain(starts.map(|(at, _)| at + 1)).collect();
        Text { path: path.to_string_lossy().into_owned(), text, lines }
    }

    fn origin(&self, offset: usize) -> Origin {
        let line = self.lines.partition_point(|start| *start <= offset).max(1);
        let start = self.lines.get(line - 1).copied().unwrap_or(0);
        let before = self.text.as_bytes().get(start..offset).unwrap_or_default();
        let column = String::from_utf8_lossy(before).chars().count() + 1;
        Origin::File { path: self.path.clone(), line, column }
    }
}

fn read(text: &Text<'_>, schema: &Schema, draft: &mut Draft) {
    let (table, errors) = DeTable::parse_recoverable(text.text);
    if errors.is_empty() {
        Walk { text, schema, draft }.table("", table.get_ref());
        return;
    }
    // What the parser recovered is a guess; complaints about guesses would mislead.
    for error in errors.iter().take(Problems::MOST + 1) {
        let offset = error.span().map_or(0, |span| span.start);
        // Only the message: the line it shows beside it may hold a secret.
        let message = error.message().replace('\n', ", ");
        draft.refuse(text.origin(offset), format!("not TOML: {message}"));
    }
}

struct Walk<'a> {
    text: &'a Text<'a>,
    schema: &'a Schema,
    draft: &'a mut Draft,
}

impl Walk<'_> {
    fn table(&mut self, prefix: &str, table: &DeTable<'_>) {
        for (name, value) in table {
            if self.draft.problems.is_full() {
                return;
            }
            let path = match prefix {
                "" => name.get_ref().to_string(),
                _ => format!("{prefix}.{}", name.get_ref()),
            };
            // A quoted "protocol.threads" is a name with a dot in it, not a path.
            if name.get_ref().contains('.') {
                self.unknown(&path, name.span().start);
            } else {
                self.item(&path, name.span().start, value);
            }
        }
    }

    fn item(&mut self, path: &str, start: usize, value: &Spanned<DeValue<'_>>) {
        if let Some((place, key)) =
            self.schema.place(path).and_then(|place| Some((place, self.schema.keys().get(place)?)))
        {
            let read = key.kind.read(&raw(value.get_ref()));
            self.draft.set(key, place, read, self.text.origin(value.span().start));
        } else if self.schema.leads_to_section(path) {
            match value.get_ref() {
                DeValue::Table(table) => self.table(path, table),
                other => {
                    let message = format!(
                        "`{path}` is a section: expected [{path}], found {}",
                        raw(other).type_name()
                    );
                    self.draft.refuse(self.text.origin(start), message);
                }
            }
        } else if matches!(value.get_ref(), DeValue::Table(_)) {
            let message = self.schema.unknown_section(path);
            self.draft.refuse(self.text.origin(start), message);
        } else {
            self.unknown(path, start);
        }
    }

    fn unknown(&mut self, path: &str, start: usize) {
        let message = self.schema.unknown(path, Key::path);
        self.draft.refuse(self.text.origin(start), message);
    }
}

fn raw(value: &DeValue<'_>) -> Raw {
    match value {
        DeValue::Boolean(value) => Raw::Bool(*value),
        DeValue::String(text) => Raw::Text(text.to_string()),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Raw::Integer(number),
            Err(_) => Raw::Other("a number out of range"),
        },
        DeValue::Float(_) => Raw::Other("a number with a fraction"),
        DeValue::Datetime(_) => Raw::Other("a date"),
        DeValue::Array(items) => Raw::List(items.iter().map(|item| raw(item.get_ref())).collect()),
        DeValue::Table(_) => Raw::Other("a table"),
    }
}
