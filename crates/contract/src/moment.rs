//! `google.protobuf.Timestamp` as RFC 3339 text in JSON, for generated code.

use prost_types::Timestamp;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub fn serialize<S: Serializer>(moment: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
    moment.map(|moment| moment.to_string()).serialize(serializer)
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    text.map(|text| text.parse().map_err(|_| D::Error::custom(format!("{text:?} is not an RFC 3339 time")))).transpose()
}
