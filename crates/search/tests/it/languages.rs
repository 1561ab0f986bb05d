//! Questions and texts in many languages.

use crate::Shelf;

#[test]
fn forms_of_a_word_meet_in_five_languages() {
    let shelf = Shelf::of(&[
        ("en", "the organizations were running several studies"),
        ("de", "die Bestellungen sind in den Häusern und die Straße ist nicht weit"),
        ("fr", "les déploiements sont dans la société et la fenêtre"),
        ("es", "las informaciones están en la canción de los niños"),
        ("nl", "de bestellingen zijn in het huis en de processen"),
    ]);
    for (question, id) in [
        ("organization", "en"),
        ("which study did they run", "en"),
        ("Haus", "de"),
        ("wo ist die Strasse", "de"),
        ("déploiement", "fr"),
        ("deploiement", "fr"),
        ("información", "es"),
        ("informacion", "es"),
        ("niño", "es"),
        ("welke bestelling", "nl"),
    ] {
        assert!(shelf.found(question).starts_with(id), "{question}: {}", shelf.found(question));
    }
}

#[test]
fn every_script_finds_itself() {
    let texts = [
        ("ar", "مرحبا بالعالم"),
        ("bn", "ওহে বিশ্ব"),
        ("el", "Γειά σου Κόσμε"),
        ("he", "שלום עולם"),
        ("hi", "नमस्ते दुनिया"),
        ("hy", "Բարեւ աշխարհ"),
        ("ja", "こんにちは世界です"),
        ("ka", "გამარჯობა მსოფლიო"),
        ("ko", "안녕하세요 세계"),
        ("ru", "Привет мир"),
        ("th", "สวัสดีชาวโลก"),
        ("vi", "Chào thế giới"),
        ("zh", "你好朋友们"),
    ];
    let shelf = Shelf::of(&texts);
    for (id, text) in texts {
        assert!(shelf.found(text).starts_with(id), "{text}");
        let first = text.split(' ').next().unwrap_or_default();
        assert!(shelf.found(first).starts_with(id), "{first}");
    }
    assert_eq!(shelf.found("世界"), "ja");
    assert_eq!(shelf.found("朋友"), "zh");
}

#[test]
fn accents_and_capitals_do_not_matter() {
    let shelf = Shelf::of(&[("a", "Crème brûlée at the Café Müller"), ("b", "nothing")]);
    for question in ["creme brulee", "CRÈME BRÛLÉE", "cafe muller", "Café Müller", "cafe\u{301}"] {
        assert_eq!(shelf.found(question), "a", "{question}");
    }
}
