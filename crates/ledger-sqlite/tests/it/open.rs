//! Opening: what is refused, and what the refusal says.

use std::path::Path;
use std::time::Duration;

use ledger::conformance::{Sample, change, folds, record};
use ledger::{At, Effect, FieldKey, FieldRange, Find, Ledger, Record};
use ledger_sqlite::{Options, SqliteLedger};
use rusqlite::Connection;

use crate::child;
use crate::harness::Embedded;

fn refusal(directory: &Path) -> String {
    match SqliteLedger::open(directory, Options { busy: Duration::from_millis(50), ..Options::default() }) {
        Ok(_) => "opened".to_owned(),
        Err(error) => error.to_string().replace(&directory.display().to_string(), "DIR"),
    }
}

/// What is said about a directory whose `chancery.db` was prepared.
fn check(prepare: impl FnOnce(&Path), expected: &str) {
    let directory = tempfile::tempdir().unwrap();
    prepare(&directory.path().join("chancery.db"));
    let said = refusal(directory.path());
    assert!(said.starts_with(expected) && !said.contains('\n'), "{said}");
}

//
#[test]
fn a_newer_format_is_refused() {
    let prepare = |path: &Path| {
        drop(SqliteLedger::open(path.parent().unwrap(), Options::default()).unwrap());
        Connection::open(path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    };
    check(
        prepare,
        "DIR/chancery.db was written by a newer Chancery (format 99, this one knows 8); use that version or a newer one",
    );
}

/// A process that was started before the program was renewed must not write rows of the old format.
#[tokio::test]
async fn an_older_process_stops_writing_when_a_newer_one_has_migrated() {
    let harness = Embedded::new();
    let running = harness.open();
    let tenant = scope::TenantId::new("acme").unwrap();
    let write = || change(&tenant, vec![Effect::Put(Box::new(record("a")))]);
    running.commit(write()).await.unwrap();
    let newer = Connection::open(harness.directory.path().join("chancery.db")).unwrap();
    let known: i64 = newer.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    newer.pragma_update(None, "user_version", known + 1).unwrap();
    for _ in 0..2 {
        let refused = running.commit(write()).await.unwrap_err().to_string();
        let expected = format!("was written by a newer Chancery (format {}, this one knows {known})", known + 1);
        assert!(refused.contains(&expected), "{refused}");
    }
    assert_eq!(running.point(&tenant, At::Head).await.unwrap(), 1);
    newer.pragma_update(None, "user_version", known).unwrap();
    running.commit(write()).await.unwrap();
}

/// SECURITY: whatever the umask, nobody else on the machine reads the data.
#[cfg(unix)]
#[tokio::test]
async fn directory_and_files_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;

    let place = tempfile::tempdir().unwrap();
    let (data, copy, restored) = (place.path().join("data"), place.path().join("copy"), place.path().join("restored"));
    std::fs::create_dir(&data).unwrap();
    std::fs::set_permissions(&data, std::fs::Permissions::from_mode(0o755)).unwrap();
    let ledger = SqliteLedger::open(&data, Options::default()).unwrap();
    let audit = ledger_sqlite::audit::AuditLog::open(&data).unwrap();
    let tenant = scope::TenantId::new("acme").unwrap();
    ledger.commit(change(&tenant, vec![Effect::Put(Box::new(record("a")))])).await.unwrap();
    ledger.backup_to(&copy).await.unwrap();
    ledger_sqlite::restore(&copy, &restored).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!([mode(&data), mode(&restored), mode(&copy)], [0o700, 0o700, 0o600]);
    for folder in [&data, &restored] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            assert_eq!(mode(&path), 0o600, "{}", path.display());
        }
    }
    drop(audit);
}

#[test]
fn a_file_of_another_program_is_refused_and_left_alone() {
    let other = |path: &Path| Connection::open(path).unwrap().execute_batch("CREATE TABLE mine (x)").unwrap();
    check(other, "DIR/chancery.db belongs to another program; choose another data directory");
    let text = |path: &Path| std::fs::write(path, "this is not a database ".repeat(100)).unwrap();
    check(text, "DIR/chancery.db belongs to another program; choose another data directory");
}

#[test]
fn a_damaged_file_is_refused() {
    let prepare = |path: &Path| {
        drop(SqliteLedger::open(path.parent().unwrap(), Options::default()).unwrap());
        let mut bytes = std::fs::read(path).unwrap();
        bytes[100..4096].fill(0x5a);
        std::fs::write(path, bytes).unwrap();
    };
    check(prepare, "DIR/chancery.db is damaged (");
}

#[test]
fn a_directory_in_the_place_of_the_file_is_refused() {
    check(|path| std::fs::create_dir(path).unwrap(), "DIR/chancery.db cannot be opened (");
}

#[test]
fn a_file_in_the_place_of_the_directory_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("file");
    std::fs::write(&file, "").unwrap();
    assert!(refusal(&file).starts_with("DIR cannot be created ("), "{}", refusal(&file));
}

#[test]
fn an_empty_file_becomes_a_ledger() {
    check(|path| std::fs::write(path, "").unwrap(), "opened");
}

#[test]
fn a_locked_directory_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let lock = std::fs::File::create(place.path().join("chancery.lock")).unwrap();
    lock.lock().unwrap();
    assert!(refusal(place.path()).starts_with("DIR is being restored or migrated by another process; wait"));
    drop(lock);
    assert_eq!(refusal(place.path()), "opened");
}

#[test]
fn a_writer_that_does_not_let_go_is_told() {
    let place = tempfile::tempdir().unwrap();
    let holder = Connection::open(place.path().join("chancery.db")).unwrap();
    holder.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE x (y)").unwrap();
    assert!(refusal(place.path()).contains("stays locked by another process; stop the program that holds it"));
}

/// A child: opens the directory it is told and says how it went.
#[test]
#[ignore = "run by another test as a process of its own"]
fn child_that_opens() {
    if let Some(directory) = child::directory() {
        child::tell("said", refusal(&directory));
    }
}

// SECURITY F25
#[cfg(unix)]
#[test]
fn what_cannot_be_written_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;

    let place = tempfile::tempdir().unwrap();
    let said = || {
        let mut command = child::command("open::child_that_opens", place.path());
        // Root may write everywhere, so somebody else tries.
        if std::fs::metadata("/proc/self").is_ok_and(|meta| std::os::unix::fs::MetadataExt::uid(&meta) == 0) {
            command.uid(65534);
        }
        let mut child = command.spawn().unwrap();
        let said = child::told(&mut child).find(|(word, _)| word == "said").map(|(_, text)| text).unwrap();
        child.wait().unwrap();
        said
    };
    let allow = |name: &str, mode| {
        let path = place.path().join(name);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    allow("", 0o555);
    assert_eq!(said(), "DIR/chancery.lock cannot be written; make the file and its directory writable for this user");
    drop(SqliteLedger::open(place.path(), Options::default()).unwrap());
    for (name, mode) in [("", 0o777), ("chancery.lock", 0o666), ("chancery.db", 0o444)] {
        allow(name, mode);
    }
    assert_eq!(said(), "DIR/chancery.db cannot be written; make the file and its directory writable for this user");
}

#[tokio::test]
async fn reopening_keeps_everything_and_changes_nothing() {
    let harness = Embedded::new();
    Sample::new(&harness).put(record("a")).await;
    let path = harness.directory.path().join("chancery.db");
    let format = || {
        Connection::open(&path)
            .unwrap()
            .query_row("SELECT sum(length(sql)) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))
            .unwrap()
    };
    let before = format();
    drop(harness.open());
    assert_eq!(format(), before);
    assert!(Sample::new(&harness).get("a").await.is_some());
}

/// The files of a ledger as the first format would have written them; its search index stays empty.
fn first_format(from: &Path, to: &Path) {
    let db = Connection::open(to).unwrap();
    db.execute_batch(include_str!("../../src/migrations/0001_ledger.sql")).unwrap();
    db.execute("ATTACH ?1 AS newest", [from.to_str().unwrap()]).unwrap();
    for table in ["tenants", "facts", "record_versions", "record_tags", "unique_names", "link_changes"] {
        // The columns that the first format had; later ones follow them.
        let names = "SELECT group_concat(name) FROM pragma_table_info(?1, 'main')";
        let columns: String = db.query_row(names, [table], |row| row.get(0)).unwrap();
        let copy = format!("INSERT INTO main.{table} ({columns}) SELECT {columns} FROM newest.{table}");
        db.execute_batch(&copy).unwrap();
    }
    db.execute_batch("PRAGMA application_id = 0x4348414E; PRAGMA user_version = 1").unwrap();
}

//
#[tokio::test]
async fn a_file_of_the_first_format_is_brought_forward_with_its_past() {
    let harness = Embedded::new();
    let sample = Sample::new(&harness);
    let tagged = |tags: &[&str]| Record {
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        fields: vec![("size".to_owned(), FieldKey::number(tags.len() as f64))],
        text: "orders".to_owned(),
        ..record("a")
    };
    for tags in [&["red"][..], &["red", "blue"], &[], &["\"green\""], &["red"]] {
        sample.put(tagged(tags)).await;
    }
    let old = tempfile::tempdir().unwrap();
    first_format(&harness.directory.path().join("chancery.db"), &old.path().join("chancery.db"));
    let opened = SqliteLedger::open(old.path(), harness.options()).unwrap();
    assert_eq!(opened.verify(&folds()).await.unwrap().differences, [""; 0]);
    for (tag, expected) in [("red", [1, 1, 0, 0, 1]), ("blue", [0, 1, 0, 0, 0]), ("\"green\"", [0, 0, 0, 1, 0])] {
        let find = Find { tag: Some(tag.to_owned()), scope: Some("m1".to_owned()), ..Find::all("conformance.thing") };
        for (at, expected) in (1..).zip(expected) {
            let found = opened.find(&sample.tenant, at, find.clone()).await.unwrap();
            assert_eq!(found.items.len(), expected, "{tag} at {at}");
        }
    }
    // What the old format did not hold is made from the facts.
    for (size, expected) in [(1.0, [1, 0, 0, 1, 1]), (2.0, [0, 1, 0, 0, 0]), (0.0, [0, 0, 1, 0, 0])] {
        let field = Some(FieldRange::equal("size", &FieldKey::number(size)));
        let find = Find { field, scope: Some("m1".to_owned()), ..Find::all("conformance.thing") };
        for (at, expected) in (1..).zip(expected) {
            let found = opened.find(&sample.tenant, at, find.clone()).await.unwrap();
            assert_eq!(found.items.len(), expected, "{size} at {at}");
        }
    }
    let counts = opened.counts(&sample.tenant, 5, "conformance.thing", "m1").await.unwrap();
    assert_eq!(counts, [("Plain".to_owned(), 1)]);
}

/// A directory of the first format, with one record.
async fn first_format_directory(harness: &Embedded) -> tempfile::TempDir {
    Sample::new(harness).put(record("a")).await;
    let old = tempfile::tempdir().unwrap();
    first_format(&harness.directory.path().join("chancery.db"), &old.path().join("chancery.db"));
    old
}

/// Stands for a process of an older version, which shares the directory as long as it runs and does not look at the format
/// before it writes.
fn older_process(directory: &Path) -> std::fs::File {
    let lock = std::fs::File::create(directory.join("chancery.lock")).unwrap();
    lock.lock_shared().unwrap();
    lock
}

#[tokio::test]
async fn an_older_file_is_migrated_only_when_no_older_process_uses_it() {
    let harness = Embedded::new();
    let old = first_format_directory(&harness).await;
    let format = || {
        let db = Connection::open(old.path().join("chancery.db")).unwrap();
        db.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0)).unwrap()
    };
    let running = older_process(old.path());
    assert_eq!(
        refusal(old.path()),
        "DIR cannot be migrated: another process of an older version uses this data directory; stop it and start again"
    );
    assert_eq!(format(), 1);
    drop(running);
    let opened = SqliteLedger::open(old.path(), harness.options()).unwrap();
    assert_eq!(opened.verify(&folds()).await.unwrap().differences, [""; 0]);
    // Shared again, once it is migrated.
    SqliteLedger::open(old.path(), harness.options()).unwrap();
    assert_eq!(format(), 8);
}

#[test]
fn a_directory_that_needs_no_migration_is_shared() {
    let place = tempfile::tempdir().unwrap();
    let _running = older_process(place.path());
    assert_eq!(refusal(place.path()), "opened", "an empty one");
    assert_eq!(refusal(place.path()), "opened", "one of the newest format");
}

#[tokio::test]
async fn processes_that_start_together_on_an_older_file_all_open_it() {
    let harness = Embedded::new();
    let old = first_format_directory(&harness).await;
    let patient = || Options { busy: Duration::from_secs(60), ..harness.options() };
    let opened: Vec<SqliteLedger> = std::thread::scope(|scope| {
        let starts: Vec<_> =
            (0..4).map(|_| scope.spawn(|| SqliteLedger::open(old.path(), patient()).unwrap())).collect();
        starts.into_iter().map(|start| start.join().unwrap()).collect()
    });
    for ledger in opened {
        assert_eq!(ledger.verify(&folds()).await.unwrap().differences, [""; 0]);
    }
}

/// Rows that nobody can make again must not be lost.
#[tokio::test]
async fn an_older_file_whose_facts_nobody_understands_is_left_as_it_is() {
    let harness = Embedded::new();
    Sample::new(&harness).put(record("a")).await;
    let old = tempfile::tempdir().unwrap();
    first_format(&harness.directory.path().join("chancery.db"), &old.path().join("chancery.db"));
    for _ in 0..2 {
        let refused = refusal(old.path());
        assert!(refused.contains("fact 1 of acme: no capability folds conformance.Happened"), "{refused}");
    }
    SqliteLedger::open(old.path(), harness.options()).unwrap();
}
