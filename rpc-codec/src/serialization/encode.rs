//! What can be written as the values of a body: arguments, or a result.

use serde::Serialize;

use super::Writer;
use crate::error::EncodeError;

/// Something that writes itself as values of a body: arguments, or a result.
pub trait Encode: Send + Sync {
    /// Appends the values.
    ///
    /// # Errors
    /// When the serialization has no form for a value.
    fn encode(&self, writer: &mut Writer<'_>) -> Result<(), EncodeError>;
}

/// One value.
#[derive(Debug, Clone)]
pub struct Single<T>(pub T);

/// The elements of a tuple, one value each: the arguments of a call. Tuples of up to 16.
#[derive(Debug, Clone)]
pub struct Several<T>(pub T);

impl<T: Serialize + Send + Sync> Encode for Single<T> {
    fn encode(&self, writer: &mut Writer<'_>) -> Result<(), EncodeError> {
        writer.write(&self.0)
    }
}

macro_rules! several {
    ($($name:ident)*) => {
        impl<$($name: Serialize + Send + Sync),*> Encode for Several<($($name,)*)> {
            #[allow(non_snake_case, unused_variables, reason = "type names serve as variables")]
            fn encode(&self, writer: &mut Writer<'_>) -> Result<(), EncodeError> {
                let Several(($($name,)*)) = self;
                $(writer.write($name)?;)*
                Ok(())
            }
        }
    };
}

/// As many as serde has tuples for.
macro_rules! up_to {
    () => { several!(); };
    ($first:ident $($rest:ident)*) => { several!($first $($rest)*); up_to!($($rest)*); };
}

up_to!(A B C D E F G H I J K L M N O P);
