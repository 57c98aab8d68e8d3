//! What is called and sent, and what has to come back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One kind of call of a mix. What a file does not say of one: weight 1, nothing is sent, and what
/// was sent has to come back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default = "Operation::unsaid", rename_all = "kebab-case")]
pub struct Operation {
    /// A path of an HTTP target (with its query), or a method of a provider.
    pub name: String,
    /// How often it is chosen, beside the others. Default 1.
    pub weight: u32,
    /// What is sent.
    pub payload: Payload,
    /// What a right answer is.
    pub expect: Expect,
}

/// What is sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Payload {
    /// Nothing: a GET, or a call without arguments.
    None,
    /// A string.
    Text {
        /// Its length in UTF-8 bytes.
        bytes: usize,
        /// Of which characters.
        text: Text,
    },
    /// The fixture's bean.
    User,
    /// A list of it.
    Users {
        /// How many.
        count: usize,
    },
    /// The body of a POST.
    Body {
        /// `content-type`
        content_type: String,
        /// The body.
        body: String,
    },
    /// The arguments of a generic call.
    Arguments {
        /// Java names of the parameters' types.
        types: Vec<String>,
        /// The arguments: a JSON array.
        json: String,
    },
}

/// Characters of a payload.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Text {
    /// One byte each.
    #[default]
    Ascii,
    /// Three bytes each.
    Cjk,
    /// Four bytes each, two UTF-16 units.
    Emoji,
}

/// What a right answer is. Anything else is a failure.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Expect {
    /// What was sent.
    #[default]
    Echo,
    /// HTTP: status 200 and this body. Generic call: this JSON.
    Body {
        /// The body, to the byte.
        body: String,
    },
    /// HTTP: status 200 and a body of this length. For pages whose text is not ours.
    Length {
        /// In bytes.
        bytes: u64,
    },
}

impl Operation {
    /// What a file leaves out.
    fn unsaid() -> Operation {
        Operation { name: String::new(), weight: 1, payload: Payload::None, expect: Expect::Echo }
    }
}

impl Default for Operation {
    fn default() -> Self {
        Operation {
            name: "/consumer/stressTest/string1k".to_owned(),
            weight: 1,
            payload: Payload::None,
            expect: Expect::Body { body: "true".to_owned() },
        }
    }
}
