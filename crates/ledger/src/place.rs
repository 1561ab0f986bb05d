//! What a find admits, and where a record stands in its order: one meaning for everything that does not walk an index.

use crate::{Direction, Find, FindOrder, ReadError, Record};

/// A place in an order: name or key, time, id; what the order does not use is empty.
pub(crate) type Place = (Option<String>, Option<i64>, String);

impl Find {
    /// Whether the query is about this record; its `after`, `skip` and `limit` do not matter. Reads leave the
    /// [fields](Record::fields) of a record out, so a query by field is asked of records as they were put.
    pub fn admits(&self, record: &Record) -> bool {
        let equal = |wanted: &Option<String>, actual: Option<&String>| {
            wanted.as_ref().is_none_or(|wanted| actual == Some(wanted))
        };
        let starts = |prefix: &String| record.name.as_ref().is_some_and(|name| name.starts_with(prefix));
        let ends = record.ends.as_ref();
        let touches = |(id, direction): &(String, Direction)| match direction {
            Direction::Outgoing => ends.is_some_and(|ends| ends.source == *id),
            Direction::Incoming => ends.is_some_and(|ends| ends.target == *id),
            Direction::Both => ends.is_some_and(|ends| ends.source == *id || ends.target == *id),
        };
        let ordered = match self.order {
            FindOrder::Id => true,
            FindOrder::Name => record.name.is_some(),
            FindOrder::Time => record.time.is_some(),
            FindOrder::Field | FindOrder::FieldDescending => self.field.is_some(),
        };
        ordered
            && (record.listed || !self.is_listing())
            && record.key.kind == self.kind
            && equal(&self.scope, Some(&record.scope))
            && equal(&self.r#type, Some(&record.r#type))
            && equal(&self.status, record.status.as_ref())
            && equal(&self.name, record.name.as_ref())
            && self.name_prefix.as_ref().is_none_or(starts)
            && self.tag.as_ref().is_none_or(|tag| record.tags.contains(tag))
            && self.field.as_ref().is_none_or(|range| range.keys_of(&record.fields).next().is_some())
            && self.time.is_none_or(|(from, until)| record.time.is_some_and(|time| from <= time && time < until))
            && self.touching.as_ref().is_none_or(touches)
            && self.under_range().is_none_or(|(from, until)| from < record.key.id && record.key.id < until)
    }

    /// Where a record stands in the order: once, or once for each of its keys.
    pub(crate) fn places(&self, record: &Record) -> Vec<Place> {
        let id = record.key.id.clone();
        match self.order {
            FindOrder::Id => vec![(None, None, id)],
            FindOrder::Name => vec![(record.name.clone(), None, id)],
            FindOrder::Time => vec![(None, record.time.map(|time| time.0), id)],
            FindOrder::Field | FindOrder::FieldDescending => {
                let keys = self.field.iter().flat_map(|range| range.keys_of(&record.fields));
                keys.map(|key| (Some(key.as_str().to_owned()), record.time.map(|time| time.0), id.clone())).collect()
            }
        }
    }
}

pub(crate) fn comes_after(order: FindOrder, place: &Place, after: &Place) -> bool {
    if order == FindOrder::FieldDescending { place < after } else { place > after }
}

/// Refuses a cursor that another order made.
pub(crate) fn parse(order: FindOrder, text: &str) -> Result<Place, ReadError> {
    let place = match order {
        FindOrder::Id => Some((None, None, text.to_owned())),
        FindOrder::Name | FindOrder::Field | FindOrder::FieldDescending => {
            serde_json::from_str::<Place>(text).ok().filter(|place| place.0.is_some())
        }
        FindOrder::Time => Find::parse_time(text).map(|(time, id)| (None, Some(time.0), id.to_owned())),
    };
    place.ok_or_else(|| ReadError::Cursor(text.to_owned()))
}
