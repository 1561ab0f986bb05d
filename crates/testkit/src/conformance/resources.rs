//! The resources that the suite reads and follows.

use contract::{Blob, CallError, ErrorKind, ResourceEntry, ResourcePage};
use serde_json::json;

use super::content::{PIXEL, base64, plain};

/// Address, name, description and type of each resource that is listed.
const LISTED: [(&str, &str, &str, &str); 3] = [
    ("test://static-text", "static-text", "A text that never changes", "text/plain"),
    ("test://static-binary", "static-binary", "A picture of one pixel", "image/png"),
    ("test://watched-resource", "watched-resource", "A text that can be followed", "text/plain"),
];

pub fn listed() -> ResourcePage {
    let entry = |(uri, name, description, mime): (&str, &str, &str, &str)| ResourceEntry {
        uri: uri.to_owned(),
        name: name.to_owned(),
        title: None,
        description: Some(description.to_owned()),
        mime: mime.to_owned(),
    };
    ResourcePage { items: LISTED.into_iter().map(entry).collect(), next: None }
}

pub fn read(uri: &str) -> Result<Blob, CallError> {
    match uri {
        "test://static-text" => Ok(plain("text/plain", "This is the content of the static text resource.")),
        "test://static-binary" => Ok(base64("image/png", PIXEL)),
        "test://watched-resource" => Ok(plain("text/plain", "Follow me.")),
        _ => template(uri).ok_or_else(|| CallError::new(ErrorKind::NotFound, "NOT_FOUND", "there is no such resource")),
    }
}

/// `test://template/{id}/data`, filled in.
fn template(uri: &str) -> Option<Blob> {
    let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
    if id.is_empty() || id.contains('/') {
        return None;
    }
    let body = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
    Some(plain("application/json", &body.to_string()))
}
