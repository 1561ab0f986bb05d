//! SQLite's write-ahead log, written in one piece.
//!
//! SQLite writes each page of a commit with two calls, one for a head of 24 bytes and one for the page. The system handles
//! every such page by itself, when it is written and again when it is synced. This layer over SQLite's own files (a VFS)
//! gathers what a commit adds to the log and writes it with one call, which about halves what a commit costs (decision
//! 0014). A commit is in the file, whole, before SQLite syncs it or shows it to anybody; all other files are SQLite's as
//! they were.

mod file;
mod write_buffer;

use std::ffi::CStr;
use std::sync::OnceLock;

/// The name of the layer, to open a connection with. It is registered when it is first asked for; nothing when SQLite does
/// not take it, and connections do without.
pub fn layer() -> Option<&'static CStr> {
    static NAME: OnceLock<Option<&'static CStr>> = OnceLock::new();
    *NAME.get_or_init(file::register)
}

#[cfg(test)]
mod tests {
    /// The rule of `WriteBuffer` rests on how this version writes its log. Before the number is changed: read what changed in
    /// `walWriteOneFrame` and `walFrames` of SQLite's `wal.c`, and run the fault tests with and without the layer.
    #[test]
    fn the_layer_is_made_for_this_version_of_sqlite() {
        assert_eq!(rusqlite::version(), "3.54.1");
    }
}
