//! The two macros that declare settings.

/// Declares a section of the configuration: a struct, its defaults, its documentation and how its
/// values are read, checked and shown.
///
/// ```
/// use rpc_core::config::{Conflict, Schema, Sources};
///
/// rpc_core::settings! {
///     /// What the oven does.
///     pub struct OvenConfig: "oven", conflicts = too_quick {
///         /// Degrees Celsius.
///         pub heat: u16 [in 50..=300] [flag "heat"] = 180,
///         /// How long the cake stays.
///         pub bake_time: std::time::Duration = std::time::Duration::from_secs(3600),
///     }
/// }
///
/// fn too_quick(oven: &OvenConfig) -> Vec<Conflict> {
///     let burnt = oven.heat > 250 && oven.bake_time.as_secs() > 600;
///     burnt.then(|| Conflict::new("heat", "is too hot for", "bake-time")).into_iter().collect()
/// }
///
/// let schema = Schema::new("kitchen").section(&OvenConfig::default());
/// let loaded = schema.load(&Sources::none().variable("DUBBO_OVEN_BAKE_TIME", "30m"))?;
/// assert_eq!(loaded.section::<OvenConfig>()?.bake_time.as_secs(), 1800);
/// # Ok::<(), rpc_core::config::Problems>(())
/// ```
///
/// After a field's type, in this order and each at most once: `[in least..=most]` bounds it,
/// `[flag "name"]` gives it a flag of its own beside `-D`, `[env "NAME"]` a second environment
/// variable. Field types implement [`Setting`](crate::config::Setting).
#[macro_export]
macro_rules! settings {
    (
        $(#[doc = $about:literal])*
        $visibility:vis struct $name:ident : $section:literal $(, conflicts = $conflicts:path)? {
            $(
                $(#[doc = $doc:literal])*
                pub $field:ident : $type:ty
                    $([in $bounds:expr])? $([flag $flag:literal])? $([env $variable:literal])?
                    = $default:expr
            ),* $(,)?
        }
    ) => {
        $(#[doc = $about])*
        #[doc = ""]
        #[doc = ::std::concat!("Section `[", $section, "]` of the configuration.")]
        #[derive(Debug, Clone, PartialEq)]
        $visibility struct $name {
            $(
                $(#[doc = $doc])*
                #[doc = ""]
                #[doc = ::std::concat!("Default: `", ::std::stringify!($default), "`.")]
                pub $field: $type,
            )*
        }

        impl ::std::default::Default for $name {
            fn default() -> Self {
                $name { $($field: $default,)* }
            }
        }

        impl $crate::config::Section for $name {
            const NAME: &'static str = $section;
            const DOC: &'static [&'static str] = &[$($about),*];

            fn keys(&self) -> ::std::vec::Vec<$crate::config::Key> {
                ::std::vec![$({
                    #[allow(unused_mut, reason = "only some fields have more to say")]
                    let mut key = $crate::config::Key {
                        section: ::std::borrow::Cow::Borrowed($section),
                        name: $crate::config::key_name(::std::stringify!($field)),
                        doc: &[$($doc),*],
                        kind: <$type as $crate::config::Setting>::KIND,
                        default: $crate::config::Setting::to_value(&self.$field),
                        bounds: ::std::option::Option::None,
                        flag: ::std::option::Option::None,
                        variable: ::std::option::Option::None,
                        typed: |value| {
                            <$type as $crate::config::Setting>::from_value(value).map(|_| ())
                        },
                    };
                    $(key.bounds = $crate::config::bounds::<$type>(&($bounds));)?
                    $(key.flag = ::std::option::Option::Some($flag);)?
                    $(key.variable = ::std::option::Option::Some($variable);)?
                    key
                }),*]
            }

            fn from_values(
                values: &$crate::config::Values<'_>,
            ) -> ::std::result::Result<Self, ::std::string::String> {
                ::std::result::Result::Ok($name {
                    $($field: values.get(::std::stringify!($field))?,)*
                })
            }

            fn conflicts(&self) -> ::std::vec::Vec<$crate::config::Conflict> {
                #[allow(unused_mut, reason = "most sections have no conflicts")]
                let mut found = ::std::vec::Vec::new();
                $(found.extend($conflicts(self));)?
                found
            }
        }
    };
}

/// Declares an enum of words, for a setting that takes one of them.
///
/// ```
/// rpc_core::choice! {
///     /// What is served with it.
///     pub enum Topping {
///         /// From the can.
///         Cream = "cream",
///         /// Home made.
///         Custard = "custard",
///     }
/// }
/// assert_eq!(Topping::Custard.as_str(), "custard");
/// ```
#[macro_export]
macro_rules! choice {
    (
        $(#[$about:meta])*
        $visibility:vis enum $name:ident {
            $($(#[doc = $doc:literal])* $variant:ident = $word:literal),* $(,)?
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        $visibility enum $name {
            $(
                $(#[doc = $doc])*
                #[doc = ""]
                #[doc = ::std::concat!("Written `", $word, "`.")]
                $variant,
            )*
        }

        impl $name {
            /// The word in the configuration.
            #[must_use]
            $visibility fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl $crate::config::Setting for $name {
            const KIND: $crate::config::Kind = $crate::config::Kind::Choice(&[$($word),*]);

            fn from_value(
                value: &$crate::config::Value,
            ) -> ::std::result::Result<Self, ::std::string::String> {
                match value {
                    $($crate::config::Value::Text(word) if word == $word => {
                        ::std::result::Result::Ok($name::$variant)
                    })*
                    // An item of a list; elsewhere the kind has been checked before.
                    $crate::config::Value::Text(other) => ::std::result::Result::Err(
                        ::std::format!("{}, found `{other:.60}`", $crate::config::wrong_kind(Self::KIND)),
                    ),
                    _ => ::std::result::Result::Err($crate::config::wrong_kind(Self::KIND)),
                }
            }

            fn to_value(&self) -> $crate::config::Value {
                $crate::config::Value::Text(self.as_str().into())
            }
        }
    };
}
