//! The binary `chancery`.

use std::process::ExitCode;

/// Calls allocate on many threads at once, where the system's allocator takes locks.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    server::command::run(std::env::args_os())
}
