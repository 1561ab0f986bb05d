//! Names that pretend to be others: one rule for every capability.

use unicode_normalization::UnicodeNormalization;
use unicode_security::MixedScript;

/// Text with each letter replaced by the one it is easily taken for.
pub fn plain(text: &str) -> String {
    // ASCII letters are easily taken for each other as well, and mean themselves here.
    let plainer = |letter: char| match letter.is_ascii() {
        true => letter.to_string(),
        false => unicode_security::skeleton(letter.encode_utf8(&mut [0; 4])).collect(),
    };
    text.nfkc().map(plainer).collect()
}

/// Whether a word mixes alphabets so that it reads like plain ASCII.
pub fn is_disguised(word: &str) -> bool {
    !word.is_ascii()
        && plain(word).is_ascii()
        && !word.nfkc().collect::<String>().is_ascii()
        && !word.is_single_script()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_two_alphabets_that_reads_like_one_is_disguised() {
        for (word, expected) in [
            ("Order\u{0405}ervice", true),
            ("\u{0440}aypal", true),
            ("Service", false),
            ("Gr\u{f6}\u{df}e", false),
            ("\u{0417}\u{0430}\u{043a}\u{0430}\u{0437}", false),
            ("\u{6ce8}\u{6587}", false),
        ] {
            assert_eq!(is_disguised(word), expected, "{word}");
        }
        assert_eq!(plain("\u{0440}\u{0430}y"), "pay");
    }
}
