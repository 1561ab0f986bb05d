//! The write buffer of a log: what is appended is held until its commit is whole, then written with one call.
//!
//! A log is a header and then frames, each a head of 24 bytes and a page. The head of a commit's last frame tells the size
//! of the database; all others say nothing there (<https://www.sqlite.org/fileformat.html#the_write_ahead_log>).

use std::mem;

const HEAD: usize = 24;
/// The header of the log, which stands at its start.
const LOG_HEADER: usize = 32;
const PAGE_BYTES: std::ops::RangeInclusive<usize> = 512..=65536;
/// Where a head tells the size of the database.
const SIZE: std::ops::Range<usize> = 4..8;
/// A commit longer than this is written in several pieces.
const BYTES_MAX: usize = 1024 * 1024;

/// The unwritten end of a log, and where the next frame is expected.
#[derive(Default)]
pub struct WriteBuffer {
    start: u64,
    bytes: Vec<u8>,
    /// Where the log goes on, and what is held ends.
    end: u64,
    /// Whether the page to come is the last one of a commit.
    commits: bool,
    /// Something else than heads and pages was written: until the next sync everything goes to the file at once.
    passes_through: bool,
}

impl WriteBuffer {
    /// Takes a write to the log. Those at its end are held until a commit is whole; all others go to the file at once.
    pub fn write<E>(
        &mut self,
        bytes: &[u8],
        at: u64,
        mut below: impl FnMut(&[u8], u64) -> Result<(), E>,
    ) -> Result<(), E> {
        let is_head = bytes.len() == HEAD;
        let is_page = bytes.len().is_power_of_two() && PAGE_BYTES.contains(&bytes.len());
        let is_start = at == 0 && bytes.len() == LOG_HEADER;
        if self.passes_through || !(is_head || is_page || is_start) {
            self.flush(&mut below)?;
            (self.passes_through, self.commits, self.end) = (true, false, at + bytes.len() as u64);
            return below(bytes, at);
        }
        let is_last = mem::replace(&mut self.commits, is_head && bytes[SIZE] != [0; 4]) && !is_head;
        if at != self.end || self.bytes.len() + bytes.len() > BYTES_MAX {
            self.flush(&mut below)?;
        }
        // A log that starts over begins with its header.
        if at == self.end || at == 0 {
            if self.bytes.is_empty() {
                self.start = at;
            }
            self.bytes.extend_from_slice(bytes);
            self.end = at + bytes.len() as u64;
        } else {
            below(bytes, at)?;
            // Heads are also corrected further up. Behind a page the log may go on: another process can have moved the end.
            if !is_head {
                self.end = at + bytes.len() as u64;
            }
        }
        if is_last { self.flush(below) } else { Ok(()) }
    }

    /// Whether some of these bytes of the file are held here.
    pub fn holds_any(&self, at: u64, length: u64) -> bool {
        !self.bytes.is_empty() && at < self.end && self.start < at.saturating_add(length)
    }

    /// A sync comes between commits, so what follows it starts with a head again.
    pub fn synced(&mut self) {
        self.passes_through = false;
    }

    /// Writes the buffer with one call and empties it, also on failure: what could not be written is part of a commit that
    /// failed.
    pub fn flush<E>(&mut self, below: impl FnOnce(&[u8], u64) -> Result<(), E>) -> Result<(), E> {
        if self.bytes.is_empty() {
            return Ok(());
        }
        let outcome = below(&self.bytes, self.start);
        self.bytes.clear();
        outcome
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PAGE: usize = 512;

    /// A file, and with how many calls it was written.
    #[derive(Default, Clone, PartialEq, Debug)]
    struct File {
        bytes: Vec<u8>,
        calls: usize,
    }

    impl File {
        fn put(&mut self, bytes: &[u8], at: u64) -> Result<(), String> {
            let at = usize::try_from(at).unwrap();
            self.bytes.resize(self.bytes.len().max(at + bytes.len()), 0);
            self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
            self.calls += 1;
            Ok(())
        }
    }

    fn head(page: u8, commits: bool) -> Vec<u8> {
        let mut head = vec![page; HEAD];
        head[SIZE].copy_from_slice(&[0, 0, 0, u8::from(commits)]);
        head
    }

    fn place(frame: usize) -> u64 {
        (32 + frame * (HEAD + PAGE)) as u64
    }

    /// Writes a frame as SQLite does.
    fn frame(buffer: &mut WriteBuffer, file: &mut File, number: usize, commits: bool) {
        let fill = u8::try_from(number % 251).unwrap();
        buffer.write(&head(fill, commits), place(number), |bytes, at| file.put(bytes, at)).unwrap();
        buffer.write(&[fill; PAGE], place(number) + HEAD as u64, |bytes, at| file.put(bytes, at)).unwrap();
    }

    #[test]
    fn a_commit_is_one_call_and_whole_when_its_last_page_came() {
        let (mut buffer, mut file) = (WriteBuffer::default(), File::default());
        buffer.write(&[1; 32], 0, |bytes, at| file.put(bytes, at)).unwrap();
        (0..5).for_each(|number| frame(&mut buffer, &mut file, number, false));
        assert_eq!(file.calls, 0);
        frame(&mut buffer, &mut file, 5, true);
        assert_eq!((file.calls, file.bytes.len() as u64), (1, place(6)));
        (6..9).for_each(|number| frame(&mut buffer, &mut file, number, number == 8));
        assert_eq!((file.calls, file.bytes.len() as u64), (2, place(9)));
        buffer.write(&[1; 32], 0, |bytes, at| file.put(bytes, at)).unwrap();
        frame(&mut buffer, &mut file, 0, true);
        assert_eq!(file.calls, 3, "a log that starts over");
    }

    #[test]
    fn a_log_that_others_wrote_to_is_gone_on_with() {
        let (mut buffer, mut file) = (WriteBuffer::default(), File::default());
        (7..10).for_each(|number| frame(&mut buffer, &mut file, number, number == 9));
        assert_eq!(file.calls, 3, "head and page of the first frame, and the rest");
        (2..5).for_each(|number| frame(&mut buffer, &mut file, number, number == 4));
        assert_eq!(file.calls, 6);
    }

    #[test]
    fn a_corrected_head_is_in_the_file_at_once() {
        let (mut buffer, mut file) = (WriteBuffer::default(), File::default());
        buffer.write(&[1; 32], 0, |bytes, at| file.put(bytes, at)).unwrap();
        (0..3).for_each(|number| frame(&mut buffer, &mut file, number, number == 2));
        let at = usize::try_from(place(2)).unwrap();
        buffer.write(&head(99, true), place(2), |bytes, at| file.put(bytes, at)).unwrap();
        assert_eq!(file.bytes[at..at + HEAD], head(99, true));
    }

    #[test]
    fn what_is_held_is_bounded_and_a_failure_is_not_written_again() {
        let (mut buffer, mut file) = (WriteBuffer::default(), File::default());
        buffer.write(&[1; 32], 0, |bytes, at| file.put(bytes, at)).unwrap();
        (0..5000).for_each(|number| frame(&mut buffer, &mut file, number, false));
        assert_eq!((file.calls, buffer.bytes.len() <= BYTES_MAX), (5000 * (HEAD + PAGE) / BYTES_MAX, true));
        assert_eq!(buffer.flush(|_, _| Err("full")), Err("full"));
        assert_eq!(buffer.flush(|_, _| Err("full")), Ok(()));
    }

    /// A write of another length is not of the format that this rule rests on.
    #[test]
    fn writes_of_an_unknown_length_pass_through_until_the_next_sync() {
        let (mut buffer, mut file) = (WriteBuffer::default(), File::default());
        buffer.write(&[1; 32], 0, |bytes, at| file.put(bytes, at)).unwrap();
        frame(&mut buffer, &mut file, 0, false);
        assert_eq!(file.calls, 0);
        let whole_frame = vec![7; HEAD + PAGE];
        buffer.write(&whole_frame, place(1), |bytes, at| file.put(bytes, at)).unwrap();
        assert_eq!((file.calls, file.bytes.len() as u64), (2, place(2)), "what was held, and the frame");
        frame(&mut buffer, &mut file, 2, false);
        assert_eq!((file.calls, file.bytes.len() as u64), (4, place(3)), "head and page by themselves");
        buffer.synced();
        frame(&mut buffer, &mut file, 3, false);
        assert_eq!(file.calls, 4);
        frame(&mut buffer, &mut file, 4, true);
        assert_eq!((file.calls, file.bytes.len() as u64), (5, place(5)));
    }

    proptest! {
        #[test]
        fn a_file_holds_the_same_with_and_without(
            writes in prop::collection::vec((0_u64..6, any::<bool>(), 0_u8..12, any::<u8>()), 1..60),
        ) {
            let (mut direct, mut file, mut buffer) = (File::default(), File::default(), WriteBuffer::default());
            let mut next = 0;
            for (jump, jumps, sort, fill) in writes {
                let is_head = sort < 6;
                let bytes = match sort {
                    0..6 => head(fill, fill % 3 == 0),
                    6..11 => vec![fill; PAGE],
                    _ => vec![fill; 1 + usize::from(fill)],
                };
                if fill % 17 == 0 {
                    buffer.flush(|bytes, at| file.put(bytes, at)).unwrap();
                    buffer.synced();
                }
                let at = if jumps { jump * 100 } else { next };
                next = at + bytes.len() as u64;
                let commits = buffer.commits && !is_head;
                direct.put(&bytes, at).unwrap();
                buffer.write(&bytes, at, |bytes, at| file.put(bytes, at)).unwrap();
                let held = |place: &usize| buffer.holds_any(*place as u64, 1);
                prop_assert!(!commits || !(0..direct.bytes.len()).any(|place| held(&place)));
                for place in (0..direct.bytes.len()).filter(|place| !held(place)) {
                    prop_assert_eq!(file.bytes.get(place), direct.bytes.get(place));
                }
            }
            buffer.flush(|bytes, at| file.put(bytes, at)).unwrap();
            prop_assert_eq!(file.bytes, direct.bytes);
        }
    }
}
