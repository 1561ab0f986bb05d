//! Streams: passages that explain each other, in their order.

use std::borrow::Cow;

/// The places of one stream by order. What comes in order is appended; the rest waits and is sorted in now and then.
#[derive(Debug, Default)]
struct Stream {
    sorted: Vec<(i64, u32)>,
    waiting: Vec<(i64, u32)>,
}

/// By number of the stream.
#[derive(Debug, Default)]
pub struct Streams {
    streams: Vec<Stream>,
    places: usize,
}

/// So many may wait, beside a share of those that are sorted.
const WAITING_MIN: usize = 64;

impl Streams {
    pub fn add(&mut self, stream: u32, order: i64, place: u32) {
        if self.streams.len() <= stream as usize {
            self.streams.resize_with(stream as usize + 1, Stream::default);
        }
        self.places += 1;
        let stream = &mut self.streams[stream as usize];
        if stream.waiting.is_empty() && stream.sorted.last().is_none_or(|last| *last <= (order, place)) {
            stream.sorted.push((order, place));
            return;
        }
        stream.waiting.push((order, place));
        if stream.waiting.len() > WAITING_MIN + stream.sorted.len() / 4 {
            stream.sorted = stream.in_order().into_owned();
            stream.waiting.clear();
        }
    }

    /// The places of each stream by order; equal ones in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = Cow<'_, [(i64, u32)]>> {
        self.streams.iter().map(Stream::in_order)
    }

    pub fn bytes(&self) -> usize {
        self.streams.capacity() * 48 + self.places * 16 * 4 / 3
    }
}

impl Stream {
    fn in_order(&self) -> Cow<'_, [(i64, u32)]> {
        if self.waiting.is_empty() {
            return Cow::Borrowed(&self.sorted);
        }
        let mut all = [self.sorted.as_slice(), &self.waiting].concat();
        all.sort();
        Cow::Owned(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_in_order_however_it_came() {
        let mut streams = Streams::default();
        for number in 0..1000_i64 {
            streams.add(1, number * 7919 % 1000, number as u32);
        }
        let orders: Vec<Vec<i64>> = streams.iter().map(|all| all.iter().map(|one| one.0).collect()).collect();
        assert_eq!(orders, [vec![], (0..1000).collect::<Vec<i64>>()]);
    }
}
