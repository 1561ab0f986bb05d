//! A data directory is good, or refused with one line that says what to do.

use server::{Config, Platform};

fn config(path: &std::path::Path) -> Config {
    Config { data: path.to_owned(), ..Config::default() }
}

async fn refusal(path: &std::path::Path) -> String {
    match Platform::open(&config(path)).await {
        Ok(_) => panic!("{} was accepted", path.display()),
        Err(error) => format!("{error:#}"),
    }
}

#[tokio::test]
async fn a_damaged_database_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("chancery.db"),
        "this is not a database, however long it is looked at".repeat(100),
    )
    .unwrap();
    let line = refusal(folder.path()).await;
    assert!(!line.contains('\n') && line.contains("chancery.db"), "{line}");
}

#[tokio::test]
async fn a_damaged_key_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    drop(Platform::open(&config(folder.path())).await.unwrap());
    std::fs::write(folder.path().join("secret.key"), "short").unwrap();
    let line = refusal(folder.path()).await;
    assert!(!line.contains('\n') && line.contains("secret.key is damaged"), "{line}");
}

#[tokio::test]
async fn a_file_in_the_place_of_the_directory_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    std::fs::write(&path, "").unwrap();
    let line = refusal(&path).await;
    assert!(!line.contains('\n'), "{line}");
}
