//! Identifiers that are told by their form: IBANs by their check digits, VAT ids by their country, addresses of mail.

/// The IBANs in a text, without blanks, each once and in order.
pub fn ibans(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let bytes = text.as_bytes();
    for at in 0..bytes.len().saturating_sub(14) {
        let starts = bytes[at].is_ascii_uppercase()
            && bytes[at + 1].is_ascii_uppercase()
            && bytes[at + 2].is_ascii_digit()
            && bytes[at + 3].is_ascii_digit()
            && (at == 0 || !bytes[at - 1].is_ascii_alphanumeric());
        if !starts {
            continue;
        }
        let Some(length) = length_of(&bytes[at..at + 2]) else { continue };
        let run = bytes[at..].iter().take(2 * length).take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b' ');
        let plain: Vec<u8> = run.copied().filter(|byte| *byte != b' ').take(length).collect();
        if plain.len() == length && checks(&plain) {
            let iban = String::from_utf8(plain).unwrap_or_default();
            if !found.contains(&iban) {
                found.push(iban);
            }
        }
    }
    found
}

/// How long the IBANs of a country are.
fn length_of(country: &[u8]) -> Option<usize> {
    const LENGTHS: &str = "AT20 BE16 BG22 CH21 CY28 CZ24 DE22 DK18 EE20 ES24 FI18 FR27 GB22 GR27 HR21 HU28 IE22 IS26 IT27 LI21 LT20 \
                           LU20 LV21 MC27 MT31 NL18 NO15 PL28 PT25 RO24 SE24 SI19 SK24 SM27 TR26 AD24";
    let known = LENGTHS.split_whitespace().find(|known| known.as_bytes()[..2] == *country)?;
    known[2..].parse().ok()
}

/// Whether the check digits of an IBAN hold (ISO 7064, modulo 97).
fn checks(iban: &[u8]) -> bool {
    let rearranged = iban[4..].iter().chain(&iban[..4]);
    let rest = rearranged.fold(0_u32, |rest, byte| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        b'A'..=b'Z' => (rest * 100 + u32::from(byte - b'A') + 10) % 97,
        _ => 98,
    });
    rest == 1
}

/// The addresses of mail in a text.
pub fn emails(text: &str) -> Vec<&str> {
    let words =
        text.split(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '(' | ')' | ',' | ';' | '|' | '"' | ':'));
    words
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| {
            let parts = word.split_once('@');
            parts.is_some_and(|(local, domain)| !local.is_empty() && domain.contains('.') && !domain.contains('@'))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ibans_are_told_by_their_check_digits() {
        assert_eq!(ibans("IBAN DE89 3704 0044 0532 0130 00, BIC X"), ["DE89370400440532013000"]);
        assert_eq!(ibans("DE88 3704 0044 0532 0130 00"), [""; 0]);
        assert_eq!(ibans("konto GB82WEST12345698765432."), ["GB82WEST12345698765432"]);
    }

    #[test]
    fn addresses_of_mail_stand_alone() {
        assert_eq!(emails("Write to <a.b@example.org>, or c@d"), ["a.b@example.org"]);
    }
}
