//! What a person types about neotoma, and what they read.

use crate::process::run;

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../neotoma/tests/corpus");
const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../neotoma/tests/fixtures");

/// The text with times, ids and hashes replaced, which differ from run to run.
fn plain(text: &str) -> String {
    let word = |word: &str| {
        let is_hex = word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_id = word.len() == 36 && word.bytes().filter(|byte| *byte == b'-').count() == 4;
        let is_time = word.len() > 20 && word.parse::<scope::Timestamp>().is_ok();
        match (is_hex, is_id, is_time) {
            (true, ..) => "HASH".to_owned(),
            (_, true, _) => "ID".to_owned(),
            (.., true) => "TIME".to_owned(),
            _ => word.to_owned(),
        }
    };
    let mut shown = String::new();
    for part in text.split_inclusive([' ', ',', '/', '\n']) {
        let end = part.trim_end_matches([' ', ',', '/', '\n']).len();
        shown.push_str(&word(&part[..end]));
        shown.push_str(&part[end..]);
    }
    shown
}

// The same folder a second time adds nothing.
#[tokio::test]
async fn a_folder_is_stored_file_by_file() {
    let folder = tempfile::tempdir().unwrap();
    let files = std::fs::read_dir(CORPUS).unwrap().count();
    let stored = run(folder.path(), &["ingest", CORPUS]).await;
    assert!(stored.success, "{}", stored.stderr);
    let found: u64 = stored.stdout.split("; ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(found > 80, "{}", stored.stdout);
    let line = format!("{files} files: {files} stored, 0 known already, 0 refused; {found} entities created, ");
    assert!(stored.stdout.starts_with(&line), "{}", stored.stdout);
    let again = run(folder.path(), &["ingest", CORPUS]).await;
    let line =
        format!("{files} files: 0 stored, {files} known already, 0 refused; 0 entities created, 0 observations\n");
    assert_eq!(again.stdout, line);
    let verified = run(folder.path(), &["verify"]).await;
    assert!(verified.success, "{}", verified.stdout);
}

// N-063
#[tokio::test]
async fn what_is_beyond_the_quota_of_a_model_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    // Nobody listens there, so every run fails; it counts all the same.
    let model = ["--set", "neotoma.interpreter_url=http://127.0.0.1:1/v1", "--set", "neotoma.interpreter_model=tiny"];
    let ingest = ["--set", "neotoma.interpretations_max=2", "ingest", CORPUS];
    let stored = run(folder.path(), &[&model[..], &ingest[..]].concat()).await;
    assert!(!stored.success);
    assert_eq!(stored.stderr.lines().filter(|line| line.contains("ANALYSIS_FAILED")).count(), 2, "{}", stored.stderr);
    let line = stored.stderr.lines().find(|line| line.contains("QUOTA_EXCEEDED")).unwrap();
    assert!(
        line.starts_with(CORPUS) && line.ends_with("The interpretation quota of 2 runs in 30 days is used up"),
        "{line}"
    );
    let without = ["--set", "neotoma.interpretations_max=2", "ingest", "--no-interpret", CORPUS];
    let stored = run(folder.path(), &without).await;
    assert!(stored.success && stored.stdout.contains(" 0 refused; 0 entities"), "{}", stored.stdout);
}

// N-265: the embedded rules cost nothing.
#[tokio::test]
async fn more_notes_than_the_quota_of_a_model_are_stored() {
    let (folder, notes) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for number in 0..130 {
        std::fs::write(notes.path().join(format!("{number:03}.txt")), format!("Note {number}\n\nBuy milk.\n")).unwrap();
    }
    let stored = run(folder.path(), &["ingest", notes.path().to_str().unwrap()]).await;
    let line = "130 files: 130 stored, 0 known already, 0 refused; 130 entities created, 130 observations\n";
    assert!(stored.success && stored.stdout == line, "{}{}", stored.stdout, stored.stderr);
}

// A key and what a document says do not leave this machine in the clear.
#[tokio::test]
async fn a_model_elsewhere_is_not_asked_over_plain_http() {
    let folder = tempfile::tempdir().unwrap();
    let model =
        ["--set", "neotoma.interpreter_url=http://models.example.com/v1", "--set", "neotoma.interpreter_model=m"];
    let refused = run(folder.path(), &[&model[..], &["doctor"]].concat()).await;
    let said = format!("{}{}", refused.stdout, refused.stderr);
    assert!(!refused.success && said.contains("plain http is for a model on this machine only"), "{said}");
}

// From a value to the file, and to what was corrected.
#[tokio::test]
async fn why_tells_the_way_from_a_value_to_its_file() {
    let folder = tempfile::tempdir().unwrap();
    assert!(run(folder.path(), &["ingest", FIXTURES]).await.success);
    let told = run(folder.path(), &["why", "WCS-1042", "amount_due"]).await;
    assert!(told.success, "{}", told.stdout);
    let (quotes, others): (Vec<&str>, Vec<&str>) = told.stdout.lines().partition(|line| line.starts_with("    says "));
    assert!(
        quotes.len() == 1 && quotes[0].starts_with("    says \"") && quotes[0].contains("180.00"),
        "{}",
        told.stdout
    );
    assert_eq!(
        plain(&others.join("\n")),
        "amount_due = 180.0\n  observation ID\n    observed TIME\n  source ID (file)\n    \
         stored TIME, content HASH\n  file sample_invoice.pdf\n    kept as files/ID/HASH"
    );
    let corrected = r#"{"entity_id": "WCS-1042", "entity_type": "invoice", "field": "amount_due", "value": 181}"#;
    assert!(run(folder.path(), &["call", "correct", corrected]).await.success);
    let told = run(folder.path(), &["why", "WCS-1042", "amount_due"]).await;
    assert_eq!(
        plain(&told.stdout),
        "amount_due = 181\n  observation ID\n    observed TIME\n  source ID (internal)\n    \
         stored TIME, content HASH\npreferred to\n  180.0 (outranked by a correction)\n    observation ID, observed TIME, \
         source ID\n"
    );
}

#[tokio::test]
async fn why_says_what_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    assert!(run(folder.path(), &["ingest", FIXTURES]).await.success);
    for (entity, field, expected) in [
        ("WCS-1042", "mood", "FIELD_NOT_FOUND: The snapshot has no such field\ngive a field that the snapshot has\n"),
        (
            "nobody",
            "mood",
            "ENTITY_NOT_FOUND: entity_id names no entity\nfind the entity with get_entity_by_identifier or retrieve_entities\n",
        ),
    ] {
        let told = run(folder.path(), &["why", entity, field]).await;
        assert_eq!((told.success, told.stdout.as_str()), (false, expected));
    }
}
