//! Dice notation: `NdS`, with `khN` or `klN` to keep the highest or lowest, `adv` or `dis` for two of which one counts, and
//! numbers that are added or taken off. Nothing is rolled here: a roll is checked against its formula.

/// A formula, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formula {
    pub dice: Vec<Dice>,
    pub modifier: i64,
}

/// Dice of one sort, of which some are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dice {
    pub count: u32,
    pub sides: u32,
    pub keep: Keep,
    pub negative: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    All,
    Highest(u32),
    Lowest(u32),
}

impl Dice {
    fn kept(&self) -> u32 {
        match self.keep {
            Keep::All => self.count,
            Keep::Highest(count) | Keep::Lowest(count) => count,
        }
    }
}

impl Formula {
    /// Reads a formula such as `2d20kh1+5`, or says what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        const CHARS_MAX: usize = 100;
        let wrong = || format!("is {:?}; write it as 2d20kh1+5, 1d20adv or 3d6-1", contract::excerpt(text, CHARS_MAX));
        let plain: String = text.to_lowercase().chars().filter(|letter| !letter.is_whitespace()).collect();
        if plain.is_empty() || plain.len() > CHARS_MAX {
            return Err(wrong());
        }
        let mut formula = Self { dice: Vec::new(), modifier: 0 };
        for (negative, term) in terms(&plain) {
            if term.contains('d') && !term.starts_with("dis") {
                formula.dice.push(dice(term, negative).ok_or_else(wrong)?);
            } else {
                let number: i64 = term.parse::<u32>().map_err(|_| wrong())?.into();
                formula.modifier += if negative { -number } else { number };
            }
        }
        Ok(formula)
    }

    /// The least and the most that it can come to.
    pub fn range(&self) -> (i64, i64) {
        let mut range = (self.modifier, self.modifier);
        for dice in &self.dice {
            let (least, most) = (i64::from(dice.kept()), i64::from(dice.kept()) * i64::from(dice.sides));
            let (low, high) = if dice.negative { (-most, -least) } else { (least, most) };
            range = (range.0 + low, range.1 + high);
        }
        range
    }
}

/// The terms with whether each is taken off.
fn terms(plain: &str) -> Vec<(bool, &str)> {
    let mut terms = Vec::new();
    let (mut begin, mut negative) = (0, false);
    for (at, letter) in plain.char_indices().filter(|(_, letter)| matches!(letter, '+' | '-')) {
        if at > begin || begin > 0 {
            terms.push((negative, &plain[begin..at]));
        }
        (begin, negative) = (at + 1, letter == '-');
    }
    terms.push((negative, &plain[begin..]));
    terms
}

fn dice(term: &str, negative: bool) -> Option<Dice> {
    const COUNT_MAX: u32 = 100;
    const SIDES_MAX: u32 = 1000;
    let (count, rest) = term.split_once('d')?;
    let digits = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    let (sides, keep) = rest.split_at(digits);
    let mut count = if count.is_empty() { 1 } else { count.parse().ok()? };
    let sides = sides.parse().ok()?;
    let keep = match keep {
        "" => Keep::All,
        "adv" | "dis" if count == 1 => {
            count = 2;
            if keep == "adv" { Keep::Highest(1) } else { Keep::Lowest(1) }
        }
        _ => {
            let (word, number) = keep.split_at_checked(2)?;
            let number = number.parse().ok().filter(|number| (1..=count).contains(number))?;
            match word {
                "kh" => Keep::Highest(number),
                "kl" => Keep::Lowest(number),
                _ => return None,
            }
        }
    };
    let fits = (1..=COUNT_MAX).contains(&count) && (2..=SIDES_MAX).contains(&sides);
    fits.then_some(Dice { count, sides, keep, negative })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_says_what_it_can_come_to() {
        for (text, expected) in [
            ("1d20", (1, 20)),
            ("d6", (1, 6)),
            ("2d20kh1+5", (6, 25)),
            ("4d6kl3", (3, 18)),
            ("1d20adv-2", (-1, 18)),
            ("1d20dis", (1, 20)),
            ("1d8 + 2d6 + 3", (6, 23)),
            ("10-1d4", (6, 9)),
            ("-1", (-1, -1)),
        ] {
            assert_eq!(Formula::parse(text).map(|formula| formula.range()), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_formula_is_refused() {
        for text in
            ["", "d", "1d", "0d6", "1d1", "2d20kh3", "2d20adv", "1d20xx", "1d20++2", "1d20+", "roll", "101d6", "1d1001"]
        {
            assert!(Formula::parse(text).is_err(), "{text}");
        }
    }
}
