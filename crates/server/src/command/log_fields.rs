//! Fields of a log line: what a caller wrote breaks no line and fills none.

use tracing_subscriber::field::MakeExt as _;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::debug_fn;

/// Longest field of a line.
const FIELD_CHARS_MAX: usize = 2_000;

/// Writes `name=value`, and the message without its name; each escaped and cut to a bound.
pub fn safe() -> impl for<'writer> FormatFields<'writer> + Send + Sync + 'static {
    let write = |writer: &mut tracing_subscriber::fmt::format::Writer<'_>,
                 field: &tracing::field::Field,
                 value: &dyn std::fmt::Debug| {
        let text = spine::trace::escaped(&format!("{value:?}"), FIELD_CHARS_MAX);
        match field.name() {
            "message" => write!(writer, "{text}"),
            name => write!(writer, "{name}={text}"),
        }
    };
    debug_fn(write).delimited(" ")
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::{Arc, Mutex};

    use super::*;

    /// Keeps what is logged.
    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_is_one_line_whatever_a_caller_wrote() {
        let kept = Kept::default();
        let writer = kept.clone();
        let lines = tracing_subscriber::fmt()
            .with_writer(move || writer.clone())
            .with_ansi(false)
            .without_time()
            .with_target(false)
            .fmt_fields(safe())
            .finish();
        tracing::subscriber::with_default(lines, || {
            let id = "7\n INFO all is well\u{1b}[31m";
            tracing::warn!(%id, long = %"x".repeat(1_000_000), "refused {id}");
        });
        let text = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
        let shown = r"7\u{a} INFO all is well\u{1b}[31m";
        let long = format!("{}…", "x".repeat(FIELD_CHARS_MAX));
        assert_eq!(text, format!(" WARN refused {shown} id={shown} long={long}\n"));
    }
}
