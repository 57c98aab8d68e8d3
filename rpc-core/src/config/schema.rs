//! The keys a program knows, composed from sections.

use std::borrow::Cow;
use std::collections::HashMap;

use super::family::{self, Family};
use super::loaded::Loaded;
use super::nearest::nearest;
use super::problem::{Origin, Problem, Problems};
use super::section::{Key, Section, variable};
use super::value::{Value, clip};
use super::{environment, file, flags, sources::Sources};

/// Every setting of a program.
///
/// ```
/// use rpc_core::config::{ApplicationConfig, ProtocolConfig, Schema};
///
/// let schema = Schema::new("provider")
///     .section(&ApplicationConfig::default())
///     .section(&ProtocolConfig { port: 20890, ..Default::default() });
/// assert_eq!(schema.key("protocol.port").unwrap().environment(), "DUBBO_PROTOCOL_PORT");
/// ```
#[derive(Debug, Clone)]
pub struct Schema {
    program: &'static str,
    sections: Vec<SectionRow>,
    families: Vec<Family>,
    rules: Vec<fn(&Loaded) -> Vec<Problem>>,
    keys: Vec<Key>,
    places: HashMap<String, usize>,
}

/// What a schema remembers of a [`Section`].
#[derive(Debug, Clone)]
pub(super) struct SectionRow {
    pub(super) name: Cow<'static, str>,
    pub(super) doc: &'static [&'static str],
    /// What is wrong with the section of this name.
    pub(super) conflicts: fn(&Loaded, &str) -> Vec<Problem>,
}

impl Schema {
    /// A schema without keys. The program's name is that of its file: `provider.toml`.
    #[must_use]
    pub fn new(program: &'static str) -> Self {
        Schema {
            program,
            sections: Vec::new(),
            families: Vec::new(),
            rules: Vec::new(),
            keys: Vec::new(),
            places: HashMap::new(),
        }
    }

    /// Adds a section whose values are this program's defaults. A second one of the same name
    /// adds its own keys to the first's; keys that are there already stay as they are.
    #[must_use]
    pub fn section<S: Section>(mut self, defaults: &S) -> Self {
        let known = |key: &Key| self.places.contains_key(&key.path());
        let new: Vec<Key> = defaults.keys().into_iter().filter(|key| !known(key)).collect();
        if new.is_empty() {
            return self;
        }
        self.add(SectionRow { name: S::NAME.into(), doc: S::DOC, conflicts: conflicts::<S> }, new);
        self
    }

    /// Adds a family of sections: any number of `[route.NAME]` for a section called `route`, each
    /// with all keys of `S`. `defaults` are those of every member. Names are lower-case letters,
    /// digits and dashes; a member exists when the file or a `-D` names it.
    #[must_use]
    pub fn family<S: Section>(mut self, defaults: &S) -> Self {
        self.families.push(Family::new(defaults, conflicts::<S>));
        self
    }

    /// Adds a rule: what no section can see by itself, such as two members of a family that cannot
    /// stand together. It is asked when all values are possible each by itself;
    /// [`Loaded::refuse`] makes its problems.
    #[must_use]
    pub fn rule(mut self, rule: fn(&Loaded) -> Vec<Problem>) -> Self {
        self.rules.push(rule);
        self
    }

    fn add(&mut self, row: SectionRow, keys: Vec<Key>) {
        self.sections.push(row);
        for mut key in keys {
            // A flag means one key: that of the section which was there first.
            key.flag = key.flag.filter(|flag| self.keys.iter().all(|it| it.flag != Some(*flag)));
            self.places.insert(key.path(), self.keys.len());
            self.keys.push(key);
        }
    }

    /// The same with a section for each member that the sources name.
    fn with_members(&self, sources: &Sources, text: Option<&str>) -> Schema {
        let mut schema = self.clone();
        for family in &self.families {
            for name in family::members(family.name, sources, text) {
                let (row, keys) = family.member(&name);
                schema.add(row, keys);
            }
        }
        schema
    }

    /// The program's name.
    #[must_use]
    pub fn program(&self) -> &'static str {
        self.program
    }

    /// All keys, section by section.
    #[must_use]
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// The key with a path such as `protocol.threads`.
    #[must_use]
    pub fn key(&self, path: &str) -> Option<&Key> {
        self.place(path).and_then(|place| self.keys.get(place))
    }

    /// The values that hold: defaults, file, environment, flags, a later one over an earlier.
    ///
    /// # Errors
    /// Everything that is wrong with any of them, whether or not a later layer hides it.
    pub fn load(&self, sources: &Sources) -> Result<Loaded, Problems> {
        let file = file::find(sources, self.program());
        let text = file.as_ref().ok().and_then(|file| file.as_ref().map(|(_, text)| text.as_str()));
        let schema = &self.with_members(sources, text);
        let mut draft = Draft { loaded: Loaded::defaults(schema), problems: Problems::none() };
        file::apply(file, schema, &mut draft);
        environment::apply(sources, schema, &mut draft);
        flags::apply(sources, schema, &mut draft);
        let Draft { loaded, mut problems } = draft;
        if problems.is_empty() {
            // A conflict with a value that was refused is no news.
            schema
                .sections
                .iter()
                .flat_map(|section| (section.conflicts)(&loaded, &section.name))
                .for_each(|problem| problems.push(problem));
        }
        if problems.is_empty() {
            let broken = schema.rules.iter().flat_map(|rule| rule(&loaded));
            broken.for_each(|problem| problems.push(problem));
        }
        problems.or(loaded)
    }

    /// The sections, each name once.
    pub(super) fn sections(&self) -> impl Iterator<Item = &SectionRow> {
        let rows = self.sections.iter().enumerate();
        rows.filter(|(at, row)| self.sections[..*at].iter().all(|earlier| earlier.name != row.name))
            .map(|(_, row)| row)
    }

    pub(super) fn families(&self) -> &[Family] {
        &self.families
    }

    pub(super) fn keys_of(&self, section: &str) -> impl Iterator<Item = &Key> {
        self.keys.iter().filter(move |key| key.section == section)
    }

    pub(super) fn place(&self, path: &str) -> Option<usize> {
        self.places.get(path).copied()
    }

    /// Whether a path is that of a section, or leads to one.
    pub(super) fn leads_to_section(&self, path: &str) -> bool {
        let leads = |name: &str| {
            name.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.sections.iter().any(|section| leads(&section.name))
            || self.families.iter().any(|family| leads(family.name))
    }

    /// Whether an environment variable names one of the sections.
    pub(super) fn owns_variable(&self, name: &str) -> bool {
        let owns = |section: &str| {
            name.strip_prefix(&variable(section)).is_some_and(|rest| rest.starts_with('_'))
        };
        self.sections.iter().any(|section| owns(&section.name))
            || self.families.iter().any(|family| owns(family.name))
    }

    /// The message for a key that is not there. `spell` writes a key as its source would.
    pub(super) fn unknown(&self, written: &str, spell: impl Fn(&Key) -> String) -> String {
        let spellings: Vec<String> = self.keys.iter().map(spell).collect();
        let leaf = written.rsplit_once('.').map_or(written, |(_, leaf)| leaf);
        let elsewhere = self.keys.iter().position(|key| key.name == leaf);
        let near = elsewhere
            .and_then(|place| spellings.get(place).map(String::as_str))
            .or_else(|| nearest(written, spellings.iter().map(String::as_str)));
        let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        format!("unknown key `{}`{hint}", clip(written))
    }

    /// The message for a `[section]` that is not there.
    pub(super) fn unknown_section(&self, written: &str) -> String {
        if let Some(family) = self.families.iter().find(|family| family.claims(written)) {
            return family.refused(written);
        }
        let names = || self.sections.iter().map(|section| section.name.as_ref());
        let hint = match nearest(written, names()) {
            Some(near) => format!("did you mean [{near}]?"),
            None => format!("{} has {}", self.program, names().collect::<Vec<_>>().join(", ")),
        };
        format!("unknown section [{}]; {hint}", clip(written))
    }
}

/// A configuration while its layers are laid on one another.
pub(super) struct Draft {
    pub(super) loaded: Loaded,
    pub(super) problems: Problems,
}

impl Draft {
    pub(super) fn refuse(&mut self, origin: Origin, message: impl Into<String>) {
        self.problems.push(Problem::new(origin, message));
    }

    /// Sets the key at `place` if the value is possible.
    pub(super) fn set(
        &mut self,
        key: &Key,
        place: usize,
        value: Result<Value, String>,
        origin: Origin,
    ) {
        let checked = value.and_then(|value| key.check(&value).map(|()| value));
        match checked {
            Ok(value) => self.loaded.set(place, value, origin),
            Err(reason) => self.refuse(origin, format!("`{}`: {reason}", key.property())),
        }
    }
}

fn conflicts<S: Section>(loaded: &Loaded, name: &str) -> Vec<Problem> {
    match loaded.read::<S>(name) {
        Ok(section) => {
            section.conflicts().iter().map(|conflict| loaded.conflict(name, conflict)).collect()
        }
        Err(problems) => problems.iter().cloned().collect(),
    }
}
