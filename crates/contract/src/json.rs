//! JSON inside a proto message.

use std::ops::{Deref, DerefMut};

use prost::bytes::{Buf, BufMut};
use prost::encoding::{DecodeContext, WireType};
use prost::{DecodeError, Message};
use prost_types::value::Kind;
use prost_types::{ListValue, Struct};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

/// `google.protobuf.Struct` that keeps JSON as JSON, so that 5 stays 5 and keys keep their order.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Object(pub Map<String, Value>);

impl Deref for Object {
    type Target = Map<String, Value>;
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Object {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl From<Map<String, Value>> for Object {
    fn from(map: Map<String, Value>) -> Self {
        Self(map)
    }
}

/// `google.protobuf.Value`: any JSON value, kept as JSON.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Json(pub Value);

impl Message for Json {
    fn encode_raw(&self, buf: &mut impl BufMut) {
        to_value(&self.0).encode_raw(buf);
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError> {
        let mut whole = to_value(&self.0);
        whole.merge_field(tag, wire, buf, ctx)?;
        self.0 = from_value(whole);
        Ok(())
    }

    fn encoded_len(&self) -> usize {
        to_value(&self.0).encoded_len()
    }

    fn clear(&mut self) {
        self.0 = Value::Null;
    }
}

/// `google.protobuf.ListValue`: a JSON array, kept as JSON.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct List(pub Vec<Value>);

impl List {
    /// The items as JSON.
    pub fn of<T: Serialize>(items: impl IntoIterator<Item = T>) -> Self {
        let json = |item| serde_json::to_value(item).expect("a message has only string keys");
        Self(items.into_iter().map(json).collect())
    }
}

impl Message for List {
    fn encode_raw(&self, buf: &mut impl BufMut) {
        to_list(&self.0).encode_raw(buf);
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError> {
        let mut whole = to_list(&self.0);
        whole.merge_field(tag, wire, buf, ctx)?;
        self.0 = whole.values.into_iter().map(from_value).collect();
        Ok(())
    }

    fn encoded_len(&self) -> usize {
        to_list(&self.0).encoded_len()
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

impl Message for Object {
    fn encode_raw(&self, buf: &mut impl BufMut) {
        to_struct(&self.0).encode_raw(buf);
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError> {
        let mut whole = to_struct(&self.0);
        whole.merge_field(tag, wire, buf, ctx)?;
        self.0 = from_struct(whole);
        Ok(())
    }

    fn encoded_len(&self) -> usize {
        to_struct(&self.0).encoded_len()
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

fn to_struct(map: &Map<String, Value>) -> Struct {
    Struct { fields: map.iter().map(|(name, value)| (name.clone(), to_value(value))).collect() }
}

fn from_struct(whole: Struct) -> Map<String, Value> {
    whole.fields.into_iter().map(|(name, value)| (name, from_value(value))).collect()
}

fn to_list(items: &[Value]) -> ListValue {
    ListValue { values: items.iter().map(to_value).collect() }
}

fn to_value(value: &Value) -> prost_types::Value {
    let kind = match value {
        Value::Null => Kind::NullValue(0),
        Value::Bool(flag) => Kind::BoolValue(*flag),
        Value::Number(number) => Kind::NumberValue(number.as_f64().unwrap_or(f64::NAN)),
        Value::String(text) => Kind::StringValue(text.clone()),
        Value::Array(items) => Kind::ListValue(to_list(items)),
        Value::Object(map) => Kind::StructValue(to_struct(map)),
    };
    prost_types::Value { kind: Some(kind) }
}

fn from_value(value: prost_types::Value) -> Value {
    match value.kind {
        None | Some(Kind::NullValue(_)) => Value::Null,
        Some(Kind::BoolValue(flag)) => Value::Bool(flag),
        Some(Kind::NumberValue(number)) => from_number(number),
        Some(Kind::StringValue(text)) => Value::String(text),
        Some(Kind::ListValue(list)) => Value::Array(list.values.into_iter().map(from_value).collect()),
        Some(Kind::StructValue(map)) => Value::Object(from_struct(map)),
    }
}

/// Whole numbers come back as whole numbers.
fn from_number(number: f64) -> Value {
    const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() <= WHOLE_MAX {
        #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and in range")]
        return Value::from(number as i64);
    }
    Number::from_f64(number).map_or(Value::Null, Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_survives_the_wire() {
        let object: Object = serde_json::from_str(r#"{"b":5,"a":[1.5,null,{"x":true}],"c":"text"}"#).unwrap();
        let back = Object::decode(object.encode_to_vec().as_slice()).unwrap();
        assert_eq!(back.0, object.0);
    }

    #[test]
    fn any_value_survives_the_wire() {
        for text in ["5", "1.5", "null", "\"text\"", "[1,{\"a\":null}]"] {
            let json: Json = serde_json::from_str(text).unwrap();
            assert_eq!(Json::decode(json.encode_to_vec().as_slice()).unwrap(), json);
        }
    }
}
