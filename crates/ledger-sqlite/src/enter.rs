//! Entering a data directory: sharing it with the other processes, and migrating it alone.

use std::path::Path;
use std::time::{Duration, Instant};

use ledger::Folds;
use rusqlite::Connection;

use crate::connection::{self, Opening};
use crate::directory::Directory;
use crate::{OpenError, schema};

/// Takes a place in a directory whose file has the newest format. Whoever is in the way has as long to leave as another process
/// that writes.
pub(crate) fn enter(data_dir: &Path, opening: Opening, folds: &Folds) -> Result<(Directory, Connection), OpenError> {
    let since = Instant::now();
    loop {
        let path = data_dir.to_owned();
        let in_the_way = match Directory::share(data_dir)? {
            None => OpenError::Locked { path },
            Some(directory) => match newest(&directory, opening)? {
                Some(connection) => return Ok((directory, connection)),
                None => {
                    // Nobody is alone in a directory while this process shares it.
                    drop(directory);
                    if migrate_alone(data_dir, opening, folds)? {
                        continue;
                    }
                    OpenError::OlderProcess { path }
                }
            },
        };
        if since.elapsed() >= opening.busy {
            return Err(in_the_way);
        }
        wait_a_little();
    }
}

/// The file if it has the newest format, which an empty one is given.
fn newest(directory: &Directory, opening: Opening) -> Result<Option<Connection>, OpenError> {
    let path = directory.database();
    let mut connection = connection::open_writer(&path, opening)?;
    Ok(schema::create(&mut connection, &path)?.then_some(connection))
}

/// Migrates the file unless another process uses the directory; whether it did.
fn migrate_alone(data_dir: &Path, opening: Opening, folds: &Folds) -> Result<bool, OpenError> {
    let Some(directory) = Directory::alone(data_dir)? else { return Ok(false) };
    let path = directory.database();
    let mut connection = connection::open_writer(&path, opening)?;
    schema::migrate(&mut connection, &path, folds)?;
    Ok(true)
}

/// Waits of random length: processes that start together would meet again and again after equal ones.
fn wait_a_little() {
    std::thread::sleep(Duration::from_millis(rand::random_range(5..=30)));
}
