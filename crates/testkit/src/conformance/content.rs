//! Tools that answer at once, one for each sort of content.

use contract::{Answer, Blob, Content};

use super::text;

/// A picture of one red pixel, as PNG in base64.
pub const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC";
/// A sound file without a single sample: 44 bytes of WAV header in base64.
const SILENCE: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

/// The answer of a tool that this module knows.
pub fn answer(tool: &str) -> Option<Answer> {
    let blocks = match tool {
        "test_simple_text" => return Some(text("This is a simple text response for testing.")),
        "test_error_handling" => {
            return Some(Answer { failed: true, ..text("This tool intentionally returns an error for testing") });
        }
        "test_image_content" => vec![image()],
        "test_audio_content" => vec![Content::Audio(base64("audio/wav", SILENCE))],
        "test_embedded_resource" => {
            let blob = plain("text/plain", "This is an embedded resource content.");
            vec![Content::Resource { uri: "test://embedded-resource".to_owned(), blob }]
        }
        "test_multiple_content_types" => {
            let blob = plain("application/json", r#"{"test":"data","value":123}"#);
            vec![
                Content::Text("Multiple content types test:".to_owned()),
                image(),
                Content::Resource { uri: "test://mixed-content-resource".to_owned(), blob },
            ]
        }
        _ => return None,
    };
    Some(Answer { content: blocks, ..Answer::default() })
}

pub fn image() -> Content {
    Content::Image(base64("image/png", PIXEL))
}

pub fn plain(mime: &str, text: &str) -> Blob {
    Blob::Text { mime: mime.to_owned(), text: text.to_owned() }
}

pub fn base64(mime: &str, data: &str) -> Blob {
    Blob::Base64 { mime: mime.to_owned(), data: data.to_owned() }
}
