//! Links below an upload folder lead nowhere.

use serde_json::json;

use crate::files::desk;

// N-334
#[tokio::test]
async fn a_hard_link_below_an_upload_folder_is_refused_with_the_fix() {
    let desk = desk(|_, uploads| {
        let outside = uploads.parent().unwrap().join("outside.txt");
        std::fs::write(&outside, "not to be read").unwrap();
        std::fs::hard_link(outside, uploads.join("linked.txt")).unwrap();
    });
    let refused = desk.refused("upload_file", json!({"file_path": "linked.txt"})).await;
    assert_eq!((&refused["code"], &refused["details"]["field"]), (&json!("VALIDATION_ERROR"), &json!("file_path")));
    assert_eq!(refused["details"]["fix"], "copy the file into the folder instead of linking it");
}
