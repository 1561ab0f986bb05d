//! Output that nobody reads, as in `chancery tools | head -1`.

use crate::process::run_unread;

#[tokio::test]
async fn a_reader_that_leaves_is_no_fault() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [
        ["tools"].as_slice(),
        &["tools", "ingest"],
        &["catalog"],
        &["config", "reference"],
        &["facts", "--after", "0"],
        &["completions", "bash"],
        &["doctor"],
        &["verify"],
        &["baselines", "list"],
        &["proposals", "list"],
    ] {
        let (success, stderr) = run_unread(folder.path(), arguments).await;
        assert!(success && !stderr.contains("panicked"), "{arguments:?}: {stderr}");
    }
}
