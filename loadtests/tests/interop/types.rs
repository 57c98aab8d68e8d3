//! `com.dubbo.api.TypesService` in Rust: one method for each Java type.

use std::collections::{BTreeMap, BTreeSet};

use rpc_core::codec::java::types::{
    BigDecimal, BigInteger, Date, Duration, Instant, IntArray, LocalDate, LocalDateTime,
    StringArray, Uuid,
};
use rpc_core::{Error, Exception, Value, service};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

/// A bean with the fields of its parent, as Java writes them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "com.dubbo.vo.Member", rename_all = "camelCase", default)]
pub struct Member {
    pub user_id: Option<i64>,
    pub user_name: Option<String>,
    pub response_info: Option<String>,
    pub level: i32,
    pub score: f64,
    pub active: bool,
    pub picture: Option<ByteBuf>,
    pub color: Option<Color>,
    pub balance: Option<BigDecimal>,
    pub friends: Vec<provider::api::User>,
    pub counts: BTreeMap<String, i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename = "com.dubbo.vo.Color", rename_all = "UPPERCASE")]
pub enum Color {
    Red,
    Green,
    Blue,
}

#[service(interface = "com.dubbo.api.TypesService", version = "1.0.0")]
pub trait TypesService {
    async fn bool(&self, value: bool) -> Result<bool, Error>;
    async fn int8(&self, value: i8) -> Result<i8, Error>;
    async fn int16(&self, value: i16) -> Result<i16, Error>;
    async fn int32(&self, value: i32) -> Result<i32, Error>;
    async fn int64(&self, value: i64) -> Result<i64, Error>;
    async fn float32(&self, value: f32) -> Result<f32, Error>;
    async fn float64(&self, value: f64) -> Result<f64, Error>;
    async fn unit(&self, value: char) -> Result<char, Error>;
    async fn boxed_int(&self, value: Option<i32>) -> Result<Option<i32>, Error>;
    async fn boxed_long(&self, value: Option<i64>) -> Result<Option<i64>, Error>;
    async fn boxed_double(&self, value: Option<f64>) -> Result<Option<f64>, Error>;
    async fn text(&self, value: String) -> Result<String, Error>;
    async fn bytes(&self, value: ByteBuf) -> Result<ByteBuf, Error>;
    async fn ints(&self, #[java("int[]")] value: IntArray) -> Result<IntArray, Error>;
    async fn texts(
        &self,
        #[java("java.lang.String[]")] value: StringArray,
    ) -> Result<StringArray, Error>;
    async fn longs(&self, value: Vec<i64>) -> Result<Vec<i64>, Error>;
    async fn set(
        &self,
        #[java("java.util.Set")] value: BTreeSet<String>,
    ) -> Result<BTreeSet<String>, Error>;
    async fn map(&self, value: BTreeMap<String, i64>) -> Result<BTreeMap<String, i64>, Error>;
    async fn member(&self, value: Member) -> Result<Member, Error>;
    async fn members(&self, value: Vec<Member>) -> Result<Vec<Member>, Error>;
    async fn color(
        &self,
        #[java("com.dubbo.vo.Color")] value: Option<Color>,
    ) -> Result<Option<Color>, Error>;
    async fn decimal(&self, value: BigDecimal) -> Result<BigDecimal, Error>;
    async fn big(&self, value: BigInteger) -> Result<BigInteger, Error>;
    async fn date(&self, value: Date) -> Result<Date, Error>;
    async fn local_date(&self, value: LocalDate) -> Result<LocalDate, Error>;
    async fn local_date_time(&self, value: LocalDateTime) -> Result<LocalDateTime, Error>;
    async fn instant(&self, value: Instant) -> Result<Instant, Error>;
    async fn duration(&self, value: Duration) -> Result<Duration, Error>;
    async fn uuid(&self, value: Uuid) -> Result<Uuid, Error>;
    async fn nothing(&self) -> Result<(), Error>;
    #[method(name = "over")]
    async fn over_int(&self, value: i32) -> Result<String, Error>;
    #[method(name = "over")]
    async fn over_text(&self, value: String) -> Result<String, Error>;
    async fn later(&self, value: String) -> Result<String, Error>;
    async fn fail_declared(&self, message: String) -> Result<String, Error>;
    async fn fail_runtime(&self, message: String) -> Result<String, Error>;
}

/// Returns everything.
pub struct Types;

/// Methods that return their argument.
macro_rules! echoes {
    ($($name:ident: $type:ty),* $(,)?) => {$(
        async fn $name(&self, value: $type) -> Result<$type, Error> {
            Ok(value)
        }
    )*};
}

impl TypesService for Types {
    echoes! {
        bool: bool, int8: i8, int16: i16, int32: i32, int64: i64, float32: f32, float64: f64,
        unit: char, boxed_int: Option<i32>, boxed_long: Option<i64>, boxed_double: Option<f64>,
        text: String, bytes: ByteBuf, ints: IntArray, texts: StringArray, longs: Vec<i64>,
        set: BTreeSet<String>, map: BTreeMap<String, i64>, member: Member, members: Vec<Member>,
        color: Option<Color>, decimal: BigDecimal, big: BigInteger, date: Date, local_date: LocalDate,
        local_date_time: LocalDateTime, instant: Instant, duration: Duration, uuid: Uuid, later: String,
    }

    async fn nothing(&self) -> Result<(), Error> {
        Ok(())
    }

    async fn over_int(&self, value: i32) -> Result<String, Error> {
        Ok(format!("int {value}"))
    }

    async fn over_text(&self, value: String) -> Result<String, Error> {
        Ok(format!("text {value}"))
    }

    async fn fail_declared(&self, message: String) -> Result<String, Error> {
        let mut exception = Exception::new("com.dubbo.api.BizException", message);
        exception.fields.push(("code".to_owned(), Value::Int(42)));
        Err(exception.into())
    }

    async fn fail_runtime(&self, message: String) -> Result<String, Error> {
        Err(Error::new(rpc_core::ErrorKind::Config, message))
    }
}
