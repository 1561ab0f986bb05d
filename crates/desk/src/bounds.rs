//! How much an answer may carry, and how what goes beyond is cut with a mark.

use serde_json::Value;

/// About as much text as one answer may hold; a model reads some 20,000 tokens of it.
pub const ANSWER_CHARS_MAX: usize = 80_000;

/// How many items of these sizes fit into an answer; at least one.
pub fn fitting(sizes: impl Iterator<Item = usize>) -> usize {
    let mut total = 0_usize;
    let within = |size: &usize| {
        total = total.saturating_add(*size);
        total <= ANSWER_CHARS_MAX
    };
    sizes.take_while(within).count().max(1)
}

/// The beginning of a text that is longer than `chars_max`, with a mark that says how much is left out; `None` when all of it
/// fits.
pub fn cut_text(text: &str, chars_max: usize) -> Option<String> {
    // No character is shorter than a byte.
    if text.len() <= chars_max {
        return None;
    }
    let (end, _) = text.char_indices().nth(chars_max)?;
    Some(format!("{}… ({} more characters)", &text[..end], text[end..].chars().count()))
}

/// Cuts a value to about `chars_max` characters of JSON: long texts, and what comes last in long lists and objects. True
/// when something was cut.
pub fn cut_value(value: &mut Value, chars_max: usize) -> bool {
    let mut left = chars_max;
    cut_within(value, &mut left)
}

fn cut_within(value: &mut Value, left: &mut usize) -> bool {
    match value {
        Value::String(text) => {
            let cut = cut_text(text, *left);
            *left = left.saturating_sub(text.len() + 2);
            cut.map(|cut| *text = cut).is_some()
        }
        Value::Array(items) => {
            let (mut kept, mut cut) = (0, false);
            for item in items.iter_mut() {
                if *left == 0 {
                    break;
                }
                cut |= cut_within(item, left);
                kept += 1;
            }
            let dropped = items.len() - kept;
            items.truncate(kept);
            items.extend((dropped > 0).then(|| Value::from(format!("… ({dropped} more items)"))));
            cut || dropped > 0
        }
        Value::Object(members) => {
            let (mut kept, mut cut) = (0, false);
            for (name, member) in members.iter_mut() {
                if *left == 0 {
                    break;
                }
                *left = left.saturating_sub(name.len() + 4);
                cut |= cut_within(member, left);
                kept += 1;
            }
            let dropped = members.len() - kept;
            let mut place = 0;
            members.retain(|_, _| {
                place += 1;
                place <= kept
            });
            let mark = || ("…".to_owned(), Value::from(format!("{dropped} more members")));
            members.extend((dropped > 0).then(mark));
            cut || dropped > 0
        }
        other => {
            *left = left.saturating_sub(other.to_string().len() + 1);
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn at_least_one_item_fits_and_no_more_than_the_answer_holds() {
        assert_eq!(fitting([ANSWER_CHARS_MAX + 1, 1].into_iter()), 1);
        assert_eq!(fitting([ANSWER_CHARS_MAX - 1, 1, 1].into_iter()), 2);
        assert_eq!(fitting([usize::MAX, usize::MAX].into_iter()), 1);
    }

    #[test]
    fn a_long_text_is_cut_between_characters_and_says_so() {
        assert_eq!(cut_text("kürzer", 6), None);
        assert_eq!(cut_text("größer als fünf", 5).as_deref(), Some("größe… (10 more characters)"));
    }

    #[test]
    fn a_long_value_is_cut_wherever_it_is_long() {
        let check = |mut value: Value, chars_max: usize, expected: Value| {
            let whole = value.clone();
            assert_eq!(cut_value(&mut value, chars_max), whole != expected);
            assert_eq!(value, expected);
        };
        check(json!({"a": [1, "two"]}), 100, json!({"a": [1, "two"]}));
        check(json!([1, 2, 3, 4]), 4, json!([1, 2, "… (2 more items)"]));
        check(json!({"a": "0123456789", "b": 1}), 9, json!({"a": "0123… (6 more characters)", "…": "1 more members"}));
    }
}
