//! The attachments of a call: what Dubbo itself sends beside what the user set.
//!
//! The framework's own entries are fields here, so that reading them costs no allocation and user
//! code does not see them (Dubbo hides the same keys from service code).

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::lenient::LenientText;
use crate::attachments::{Attachments, DUBBO};
use crate::serialization::Text;
use crate::value::Value;

/// All attachments of a call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CallAttachments<'a> {
    /// `path`: where the service is exported.
    pub path: Option<Cow<'a, str>>,
    /// `interface`
    pub interface: Option<Cow<'a, str>>,
    /// `version`
    pub version: Option<Cow<'a, str>>,
    /// `group`
    pub group: Option<Cow<'a, str>>,
    /// `timeout` in milliseconds. Written as decimal text (Dubbo 3.2), read from a number or text.
    pub timeout: Option<u64>,
    /// `_TO`: milliseconds that remain of the caller's budget (timeout countdown).
    pub remaining: Option<u64>,
    /// `token` that the provider's URL asks for.
    pub token: Option<Cow<'a, str>>,
    /// `remote.application`: name of the calling application.
    pub application: Option<Cow<'a, str>>,
    /// `generic`: how the arguments of `$invoke` are written.
    pub generic: Option<Cow<'a, str>>,
    /// Everything else.
    pub user: Cow<'a, Attachments>,
}

const PATH: &str = "path";
const INTERFACE: &str = "interface";
const VERSION: &str = "version";
const GROUP: &str = "group";
const TIMEOUT: &str = "timeout";
const REMAINING: &str = "_TO";
const TOKEN: &str = "token";
const APPLICATION: &str = "remote.application";
const GENERIC: &str = "generic";
/// All of the above.
const KEYS: [&str; 9] =
    [PATH, INTERFACE, VERSION, GROUP, TIMEOUT, REMAINING, TOKEN, APPLICATION, GENERIC];
/// Sent by old peers, of no use to anybody, and hidden from service code by Dubbo too.
const IGNORED: [&str; 2] = [DUBBO, "async"];

impl Serialize for CallAttachments<'_> {
    /// In the order that Java's hash map gives them, so that the bytes are those of Java too.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let user = || self.user.iter().filter(|(key, _)| !self.holds(key));
        let framework = KEYS.iter().filter(|key| self.holds(key)).count();
        let mut map = serializer.serialize_map(Some(framework + user().count()))?;
        entry(&mut map, PATH, self.path.as_deref())?;
        entry(&mut map, APPLICATION, self.application.as_deref())?;
        entry(&mut map, REMAINING, self.remaining.map(java_int))?;
        entry(&mut map, INTERFACE, self.interface.as_deref())?;
        entry(&mut map, VERSION, self.version.as_deref())?;
        entry(&mut map, GENERIC, self.generic.as_deref())?;
        entry(&mut map, TIMEOUT, self.timeout.map(DecimalText))?;
        entry(&mut map, GROUP, self.group.as_deref())?;
        entry(&mut map, TOKEN, self.token.as_deref())?;
        for (key, value) in user() {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

fn entry<M: SerializeMap>(
    map: &mut M,
    key: &str,
    value: Option<impl Serialize>,
) -> Result<(), M::Error> {
    value.map_or(Ok(()), |value| map.serialize_entry(key, &value))
}

impl CallAttachments<'_> {
    /// Whether a field stands for `key`. A user's entry of that name is then not written: a peer
    /// that met the key twice would go by the user's.
    fn holds(&self, key: &str) -> bool {
        match key {
            PATH => self.path.is_some(),
            INTERFACE => self.interface.is_some(),
            VERSION => self.version.is_some(),
            GROUP => self.group.is_some(),
            TIMEOUT => self.timeout.is_some(),
            REMAINING => self.remaining.is_some(),
            TOKEN => self.token.is_some(),
            APPLICATION => self.application.is_some(),
            GENERIC => self.generic.is_some(),
            _ => false,
        }
    }
}

/// A Java `int`, the largest one for more than that.
fn java_int(number: u64) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// A number written as text, without a string on the heap.
struct DecimalText(u64);

impl Serialize for DecimalText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // The longest u64 has 20 digits.
        let mut digits = [0_u8; 20];
        let mut at = digits.len();
        let mut rest = self.0;
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        let text = std::str::from_utf8(&digits[at..]).map_err(serde::ser::Error::custom)?;
        serializer.serialize_str(text)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for CallAttachments<'a> {
    /// Null is an empty map. A framework entry of a type it cannot have is dropped, not an error:
    /// Java moves values of any type here.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_option(Entries)
    }
}

struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = CallAttachments<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the attachments map of a call, or null")
    }

    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(CallAttachments::default())
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(CallAttachments::default())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = CallAttachments::default();
        let mut user: Vec<(String, Value)> = Vec::new();
        while let Some(Text(key)) = map.next_key()? {
            match key.as_ref() {
                PATH => found.path = map.next_value_seed(LenientText)?,
                INTERFACE => found.interface = map.next_value_seed(LenientText)?,
                VERSION => found.version = map.next_value_seed(LenientText)?,
                GROUP => found.group = map.next_value_seed(LenientText)?,
                TOKEN => found.token = map.next_value_seed(LenientText)?,
                APPLICATION => found.application = map.next_value_seed(LenientText)?,
                GENERIC => found.generic = map.next_value_seed(LenientText)?,
                TIMEOUT => found.timeout = millis(map.next_value_seed(LenientText)?),
                REMAINING => found.remaining = millis(map.next_value_seed(LenientText)?),
                key if IGNORED.contains(&key) => drop(map.next_value::<IgnoredAny>()?),
                _ => user.push((key.into_owned(), map.next_value()?)),
            }
        }
        if !user.is_empty() {
            found.user = Cow::Owned(user.into_iter().collect());
        }
        Ok(found)
    }
}

fn millis(text: Option<Cow<'_, str>>) -> Option<u64> {
    text?.trim().parse().ok()
}
