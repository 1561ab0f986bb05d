//! The layer as SQLite sees it: a table of functions for opening files, and one for the log.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::slice;
use std::sync::OnceLock;

use rusqlite::ffi::{
    SQLITE_IOERR, SQLITE_OK, SQLITE_OPEN_WAL, sqlite3_file, sqlite3_int64, sqlite3_io_methods, sqlite3_vfs,
    sqlite3_vfs_find, sqlite3_vfs_register,
};

use crate::write_buffer::WriteBuffer;

const NAME: &CStr = c"chancery-log";

/// SQLite's own files take less than 128 KiB at a time.
const PIECE: usize = 124 * 1024;

/// SQLite's own layer, which does the work.
struct Below(*mut sqlite3_vfs);

// SAFETY: SQLite's layers live as long as the process and are made to be used by all threads.
unsafe impl Send for Below {}
// SAFETY: as above.
unsafe impl Sync for Below {}

static BELOW: OnceLock<Below> = OnceLock::new();

/// A log that was opened. What SQLite's own layer keeps about it follows right behind.
#[repr(C)]
struct Log {
    /// First, because SQLite knows files by it.
    base: sqlite3_file,
    below: *mut sqlite3_file,
    buffer: *mut WriteBuffer,
}

/// Makes the layer known to SQLite.
pub fn register() -> Option<&'static CStr> {
    // SAFETY: no name asks for the default layer, which is null or lives as long as the process.
    let below = unsafe { sqlite3_vfs_find(ptr::null()) };
    if below.is_null() {
        return None;
    }
    // SAFETY: not null, see above. A copy shares its functions, which use the table for nothing but `pAppData`, copied too.
    let mut layer = unsafe { *below };
    layer.zName = NAME.as_ptr();
    layer.pNext = ptr::null_mut();
    layer.szOsFile += c_int::try_from(size_of::<Log>()).ok()?;
    layer.xOpen = Some(open);
    BELOW.set(Below(below)).ok()?;
    // SAFETY: the table is never freed, and complete.
    let code = unsafe { sqlite3_vfs_register(Box::into_raw(Box::new(layer)), 0) };
    (code == SQLITE_OK).then_some(NAME)
}

unsafe extern "C" fn open(
    _: *mut sqlite3_vfs,
    name: *const c_char,
    file: *mut sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    let Some(Below(layer)) = BELOW.get() else { return SQLITE_IOERR };
    // SAFETY: the default layer, which lives as long as the process.
    let Some(open) = (unsafe { (**layer).xOpen }) else { return SQLITE_IOERR };
    if flags & SQLITE_OPEN_WAL == 0 {
        // SAFETY: SQLite's own arguments; the file has room for what that layer keeps, and more.
        return unsafe { open(*layer, name, file, flags, out_flags) };
    }
    let log = file.cast::<Log>();
    // SAFETY: `szOsFile` asked for room for both, aligned for both as `Log` holds pointers only. SQLite closes no file
    // without methods, so a log that does not open needs nothing more.
    unsafe {
        let below = log.add(1).cast::<sqlite3_file>();
        (*below).pMethods = ptr::null();
        (*file).pMethods = ptr::null();
        let code = open(*layer, name, below, flags, out_flags);
        if code == SQLITE_OK {
            let buffer = Box::into_raw(Box::default());
            log.write(Log { base: sqlite3_file { pMethods: &raw const METHODS }, below, buffer });
        } else if !(*below).pMethods.is_null() {
            forward(below, |methods| methods.xClose, |close, below| close(below));
        }
        code
    }
}

/// The functions for a log. It is neither mapped nor shared; its database is.
static METHODS: sqlite3_io_methods = sqlite3_io_methods {
    iVersion: 1,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: None,
    xShmLock: None,
    xShmBarrier: None,
    xShmUnmap: None,
    xFetch: None,
    xUnfetch: None,
};

/// Calls a function of the file below.
///
/// # Safety
/// `below` is an open file, and `call` gives the function what it expects.
unsafe fn forward<F>(
    below: *mut sqlite3_file,
    choose: impl FnOnce(&sqlite3_io_methods) -> Option<F>,
    call: impl FnOnce(F, *mut sqlite3_file) -> c_int,
) -> c_int {
    // SAFETY: an open file has methods.
    match choose(unsafe { &*(*below).pMethods }) {
        Some(function) => call(function, below),
        None => SQLITE_IOERR,
    }
}

/// Flushes the buffer to the file below.
///
/// # Safety
/// `log` is an open log, which SQLite uses from one thread at a time.
unsafe fn flush(log: *mut Log) -> c_int {
    // SAFETY: set when the log was opened, freed when it is closed.
    let (below, buffer) = unsafe { ((*log).below, &mut *(*log).buffer) };
    // SAFETY: the file below is open as long as the log is.
    buffer.flush(|bytes, at| unsafe { write_below(below, bytes, at) }).err().unwrap_or(SQLITE_OK)
}

/// # Safety
/// `below` is an open file.
unsafe fn write_below(below: *mut sqlite3_file, bytes: &[u8], at: u64) -> Result<(), c_int> {
    let mut at = sqlite3_int64::try_from(at).map_err(|_| SQLITE_IOERR)?;
    for piece in bytes.chunks(PIECE) {
        let length = c_int::try_from(piece.len()).map_err(|_| SQLITE_IOERR)?;
        // SAFETY: the bytes are there, as many as said.
        let write = |write: Write, below| unsafe { write(below, piece.as_ptr().cast(), length, at) };
        // SAFETY: as this function's.
        match unsafe { forward(below, |methods| methods.xWrite, write) } {
            SQLITE_OK => at += sqlite3_int64::from(length),
            code => return Err(code),
        }
        if bytes.len() > PIECE {
            // A long commit yields, so that threads which answer other callers can run.
            std::thread::yield_now();
        }
    }
    Ok(())
}

type Write = unsafe extern "C" fn(*mut sqlite3_file, *const c_void, c_int, sqlite3_int64) -> c_int;

unsafe extern "C" fn write(file: *mut sqlite3_file, bytes: *const c_void, length: c_int, at: sqlite3_int64) -> c_int {
    let log = file.cast::<Log>();
    let (Ok(length), Ok(at)) = (usize::try_from(length), u64::try_from(at)) else { return SQLITE_IOERR };
    // SAFETY: SQLite gives as many bytes as it says, and a log that is open.
    let written = unsafe {
        let (below, buffer) = ((*log).below, &mut *(*log).buffer);
        let bytes = slice::from_raw_parts(bytes.cast::<u8>(), length);
        buffer.write(bytes, at, |bytes, at| write_below(below, bytes, at))
    };
    written.err().unwrap_or(SQLITE_OK)
}

unsafe extern "C" fn read(file: *mut sqlite3_file, into: *mut c_void, length: c_int, at: sqlite3_int64) -> c_int {
    let log = file.cast::<Log>();
    let (Ok(from), Ok(many)) = (u64::try_from(at), u64::try_from(length)) else { return SQLITE_IOERR };
    // SAFETY: SQLite gives an open log and room for as many bytes as it says.
    unsafe {
        if (*(*log).buffer).holds_any(from, many) {
            let code = flush(log);
            if code != SQLITE_OK {
                return code;
            }
        }
        forward((*log).below, |methods| methods.xRead, |read, below| read(below, into, length, at))
    }
}

unsafe extern "C" fn sync(file: *mut sqlite3_file, flags: c_int) -> c_int {
    // SAFETY: SQLite gives an open log.
    unsafe {
        let code = after_leaving(file, |methods| methods.xSync, |sync, below| sync(below, flags));
        (*(*file.cast::<Log>()).buffer).synced();
        code
    }
}

unsafe extern "C" fn truncate(file: *mut sqlite3_file, size: sqlite3_int64) -> c_int {
    // SAFETY: SQLite gives an open log.
    unsafe { after_leaving(file, |methods| methods.xTruncate, |truncate, below| truncate(below, size)) }
}

unsafe extern "C" fn file_size(file: *mut sqlite3_file, size: *mut sqlite3_int64) -> c_int {
    // SAFETY: SQLite gives an open log and a place for the size.
    unsafe { after_leaving(file, |methods| methods.xFileSize, |file_size, below| file_size(below, size)) }
}

/// Flushes the buffer, then calls a function of the file below.
///
/// # Safety
/// `file` is an open log, and `call` gives the function what it expects.
unsafe fn after_leaving<F>(
    file: *mut sqlite3_file,
    choose: impl FnOnce(&sqlite3_io_methods) -> Option<F>,
    call: impl FnOnce(F, *mut sqlite3_file) -> c_int,
) -> c_int {
    let log = file.cast::<Log>();
    // SAFETY: as this function's.
    unsafe {
        match flush(log) {
            SQLITE_OK => forward((*log).below, choose, call),
            code => code,
        }
    }
}

unsafe extern "C" fn close(file: *mut sqlite3_file) -> c_int {
    let log = file.cast::<Log>();
    // SAFETY: SQLite gives an open log and does not use it afterwards.
    unsafe {
        let left = flush(log);
        let closed = forward((*log).below, |methods| methods.xClose, |close, below| close(below));
        drop(Box::from_raw((*log).buffer));
        (*file).pMethods = ptr::null();
        if left == SQLITE_OK { closed } else { left }
    }
}

unsafe extern "C" fn lock(file: *mut sqlite3_file, level: c_int) -> c_int {
    // SAFETY: SQLite gives an open log.
    unsafe { forward((*file.cast::<Log>()).below, |methods| methods.xLock, |lock, below| lock(below, level)) }
}

unsafe extern "C" fn unlock(file: *mut sqlite3_file, level: c_int) -> c_int {
    // SAFETY: SQLite gives an open log.
    unsafe { forward((*file.cast::<Log>()).below, |methods| methods.xUnlock, |unlock, below| unlock(below, level)) }
}

unsafe extern "C" fn check_reserved_lock(file: *mut sqlite3_file, held: *mut c_int) -> c_int {
    let log = file.cast::<Log>();
    // SAFETY: SQLite gives an open log and a place for the answer.
    unsafe { forward((*log).below, |methods| methods.xCheckReservedLock, |check, below| check(below, held)) }
}

unsafe extern "C" fn file_control(file: *mut sqlite3_file, operation: c_int, argument: *mut c_void) -> c_int {
    let log = file.cast::<Log>();
    // SAFETY: SQLite gives an open log and what the operation needs.
    unsafe {
        forward((*log).below, |methods| methods.xFileControl, |control, below| control(below, operation, argument))
    }
}

unsafe extern "C" fn sector_size(file: *mut sqlite3_file) -> c_int {
    // SAFETY: SQLite gives an open log.
    unsafe { forward((*file.cast::<Log>()).below, |methods| methods.xSectorSize, |size, below| size(below)) }
}

unsafe extern "C" fn device_characteristics(file: *mut sqlite3_file) -> c_int {
    let log = file.cast::<Log>();
    // SAFETY: SQLite gives an open log.
    unsafe { forward((*log).below, |methods| methods.xDeviceCharacteristics, |tell, below| tell(below)) }
}
