//! Moments, and where they come from.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// Microseconds since 1970-01-01T00:00:00Z. Written as RFC 3339 in UTC, read with any offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(pub i64);

/// The text is not an RFC 3339 date and time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidTimestamp(pub String);

impl fmt::Display for InvalidTimestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not an RFC 3339 date-time such as 2026-07-28T10:30:00Z", self.0)
    }
}

impl std::error::Error for InvalidTimestamp {}

impl Timestamp {
    pub fn plus_micros(self, micros: i64) -> Self {
        Self(self.0.saturating_add(micros))
    }
}

impl FromStr for Timestamp {
    type Err = InvalidTimestamp;

    fn from_str(text: &str) -> Result<Self, InvalidTimestamp> {
        text.parse::<jiff::Timestamp>()
            .map(|moment| Self(moment.as_microsecond()))
            .map_err(|_| InvalidTimestamp(text.to_owned()))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_microsecond(self.0) {
            Ok(moment) => write!(f, "{moment:.6}"),
            Err(_) => write!(f, "{}us", self.0),
        }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Where time comes from. Injected; nothing further in reads a clock.
pub trait Clock: Send + Sync {
    fn now(&self) -> Timestamp;
}

/// The clock of the machine.
#[derive(Debug, Default, Clone, Copy)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
    }
}

/// A clock that stands still until it is moved, for tests.
#[derive(Debug, Default)]
pub struct FixedClock(AtomicI64);

impl FixedClock {
    pub fn at(moment: Timestamp) -> Self {
        Self(AtomicI64::new(moment.0))
    }

    pub fn advance_micros(&self, micros: i64) {
        self.0.fetch_add(micros, Ordering::Relaxed);
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timestamp_reads_any_offset_and_writes_utc_micros() {
        let moment: Timestamp = "2026-07-28T12:30:00.25+02:00".parse().unwrap();
        assert_eq!(moment.to_string(), "2026-07-28T10:30:00.250000Z");
        assert_eq!(moment.to_string().parse(), Ok(moment));
    }

    #[test]
    fn a_date_without_time_is_refused() {
        assert_eq!("2026-07-28".parse::<Timestamp>(), Err(InvalidTimestamp("2026-07-28".to_owned())));
    }
}
