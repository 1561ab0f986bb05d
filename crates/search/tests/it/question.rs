//! What a question finds.

use search::{Document, Fusion, Index, Passage, Question, Ranking, Stream};

use crate::{Shelf, ask, document, ids, passage};

#[test]
fn more_and_rarer_words_count_more() {
    let shelf = Shelf::of(&[("a", "order order form"), ("b", "order"), ("c", "order ledger"), ("d", "nothing here")]);
    assert!(shelf.found("the order ledger").starts_with("c "));
    assert!(!shelf.found("the order ledger").contains('d'));
}

//
#[test]
fn a_question_that_is_a_name_finds_its_bearer_first() {
    let mut shelf = Shelf::of(&[
        ("a", "Order Service Order Service order service calls the order service"),
        ("b", "The OrderService, OrderService and OrderService again"),
    ]);
    shelf.add(document("named", &["OrderService"], "keeps what customers asked for"));
    shelf.add(document("longer", &["OrderService Gateway"], "OrderService order service"));
    for question in
        ["OrderService", "order service", "Order-Service", "ORDER_SERVICE", "orderservice", "the order service?"]
    {
        assert!(shelf.found(question).starts_with("named "), "{question}: {}", shelf.found(question));
    }
}

//
#[test]
fn bearers_of_one_name_come_in_the_order_of_their_ids() {
    let mut shelf = Shelf::new();
    ["c", "a", "b"].iter().for_each(|id| shelf.add(document(id, &["Billing"], "the same text")));
    assert_eq!(shelf.found("billing"), "a b c");
}

#[test]
fn a_name_within_a_question_finds_its_bearer_sooner() {
    let mut shelf =
        Shelf::of(&[("a", "the team that owns the order desk"), ("b", "the team that owns the service desk")]);
    shelf.add(document("named", &["Order Service"], "kept by the team in Utrecht"));
    assert!(shelf.found("which team owns the OrderService").starts_with("named "));
}

#[test]
fn names_in_one_piece_are_found_by_their_parts_and_the_other_way_round() {
    let shelf =
        Shelf::of(&[("a", "calls the PaymentGateway"), ("b", "calls the payment gateway"), ("c", "something else")]);
    for question in ["gateway", "payment gateway", "PaymentGateway"] {
        let found = shelf.found(question);
        assert!(found == "a b" || found == "b a", "{question}: {found}");
    }
    assert!(shelf.found("paymentgateway").starts_with('a'));
}

#[test]
fn a_misspelled_word_finds_what_was_meant() {
    let shelf = Shelf::of(&[("a", "the invoice was paid"), ("b", "the voice was heard"), ("c", "nothing")]);
    assert!(shelf.found("invoise").starts_with('a'));
    assert_eq!(Shelf::of(&[("a", "room 2026")]).found("2027"), "");
}

#[test]
fn the_last_word_stands_for_longer_ones_only_on_request() {
    let shelf = Shelf::of(&[("a", "the zoological garden"), ("b", "the zone"), ("c", "a garden")]);
    assert_eq!(shelf.found("zo"), "");
    let typing = |text: &str| ids(&shelf.index.search(1, &Question { prefix: true, ..ask(text) }, None));
    assert_eq!(typing("zo"), "b a");
    assert_eq!(typing("zo garden"), "a c");
}

#[test]
fn signs_are_text() {
    let shelf = Shelf::of(&[("a", "alpha OR beta NOT gamma"), ("b", "gamma")]);
    for question in ["", "  ", "\"*:-()\0^~", "?!…", "🙂"] {
        assert_eq!(shelf.found(question), "", "{question:?}");
    }
    for question in ["alpha\"", "(alpha", "alpha*", "alpha AND NOT", "NEAR(alpha, 5)", "-alpha", "alpha:beta"] {
        assert!(shelf.found(question).starts_with('a'), "{question:?}");
    }
}

#[test]
fn only_small_words_are_searched_too() {
    let shelf = Shelf::of(&[("a", "to be or not to be"), ("b", "a play"), ("c", "who is it")]);
    assert!(shelf.found("to be").starts_with('a'));
    assert_eq!(shelf.found("who"), "c");
}

#[test]
fn of_a_long_question_the_rarest_words_count() {
    let mut texts: Vec<(String, String)> = (0..200).map(|number| (format!("n{number}"), common(number))).collect();
    texts.push(("right".to_owned(), "needle".to_owned()));
    let mut shelf = Shelf::new();
    texts.iter().for_each(|(id, text)| shelf.add(document(id, &[], text)));
    for question in [format!("{} needle", common(7)), format!("needle {}", common(7))] {
        let hits = shelf.index.search(1, &Question { limit: 300, ..ask(&question) }, None);
        assert!(hits.iter().any(|hit| hit.document == "right"));
    }
    assert_eq!(shelf.found(&format!("needle {}", "unheard ".repeat(100_000))), "right");
}

/// A hundred words that many texts share.
fn common(number: usize) -> String {
    (0..100).map(|word| format!("w{}", (word + number) % 150)).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_huge_text_is_found_by_its_beginning() {
    let text = format!("beginning {}", "filling words ".repeat(200_000));
    assert_eq!(Shelf::of(&[("a", &text)]).found("beginning"), "a");
}

#[test]
fn a_day_is_found_in_words() {
    let mut shelf = Shelf::new();
    for (id, time) in [("may", "2023-05-08T10:00:00Z"), ("june", "2023-06-09T10:00:00Z")] {
        let passages = vec![Passage { time: time.parse().ok(), ..passage("we met") }];
        shelf.add(Document { id: id.to_owned(), passages, ..Document::default() });
    }
    for question in ["who met on 8 May 2023", "who met in May", "2023-05-08", "wer war im Mai da", "en mayo"] {
        assert!(shelf.found(question).starts_with("may"), "{question}");
    }
}

#[test]
fn who_speaks_counts_when_the_question_names_them() {
    let mut shelf = Shelf::new();
    for (id, author) in [("a", "Melanie"), ("b", "Caroline Day"), ("c", "Melanie")] {
        let passages = vec![Passage { author: Some(author.to_owned()), ..passage("I went camping with Caroline") }];
        shelf.add(Document { id: id.to_owned(), passages, ..Document::default() });
    }
    assert_eq!(shelf.found("Where did Caroline go camping?"), "b a c");
    assert_eq!(shelf.found("Where did Melanie go camping?"), "a c b");
    let cut = |text: &str| shelf.index.question_text_to_embed(1, &ask(text));
    assert_eq!(cut("Where did Caroline's dog go?"), "Where did  dog go?");
    assert_eq!(cut("Where did Caroline Day go?"), "Where did  go?");
    assert_eq!(cut("melanie"), "melanie");
    assert_eq!(cut("a fine day"), "a fine day");
    assert_eq!(shelf.index.question_text_to_embed(0, &ask("Where did Melanie go?")), "Where did Melanie go?");
}

#[test]
fn what_stands_beside_an_answer_comes_with_it() {
    let mut shelf = Shelf::new();
    let texts = ["what about the trip", "it rained", "and we stayed", "bread and milk", "eggs"];
    for (stream, id) in [("talk", "a"), ("list", "b")] {
        for (order, text) in texts.iter().enumerate() {
            let text = if stream == "talk" { text } else { "bread" };
            let stream = Some(Stream { id: stream.to_owned(), order: order as i64 * 10 });
            let passages = vec![Passage { stream, ..passage(text) }];
            shelf.add(Document { id: format!("{id}{order}"), passages, ..Document::default() });
        }
    }
    assert_eq!(shelf.found("trip"), "a0 a1 a2");
    assert_eq!(shelf.found("the current trip"), "a0");
}

#[test]
fn the_newer_comes_first_when_the_present_is_asked_for() {
    let mut shelf = Shelf::new();
    let texts = ["the room is 4 and the room is ours", "the room is 7", "lunch at noon", "the room is 9"];
    for (number, text) in (1..).zip(texts) {
        shelf.add_from(number, document(&format!("n{number}"), &[], text));
    }
    let at = |point, text: &str| ids(&shelf.index.search(point, &ask(text), None));
    assert!(at(9, "which room is it").starts_with("n1"));
    assert!(at(9, "which room is it now").starts_with("n4 n2"));
    assert!(at(2, "which room is it now").starts_with("n2"));
}

#[test]
fn a_document_is_found_once_with_its_best_passage() {
    let passages = vec![passage("about bread"), passage("about orders and ledgers"), passage("about milk")];
    let mut shelf = Shelf::new();
    shelf.add(Document { id: "a".to_owned(), passages, ..Document::default() });
    let hits = shelf.hits("orders");
    assert_eq!(hits.iter().map(|hit| (hit.document.as_str(), hit.passage)).collect::<Vec<_>>(), [("a", 1)]);
}

#[test]
fn scores_mean_the_same_whatever_else_is_found() {
    let shelf = Shelf::of(&[("good", "orders are kept in the ledger"), ("poor", "the ledger"), ("none", "bread")]);
    let hits = shelf.hits("are orders kept in the ledger");
    assert!(hits[0].score > 0.5 && hits[1].score < 0.2, "{hits:?}");
    let poor = shelf.hits("ledger of unheard things nobody wrote about");
    assert!(poor[0].score < 0.2, "{poor:?}");
    assert!(hits.iter().chain(&poor).all(|hit| (0.0..=1.0).contains(&hit.score)));
}

#[test]
fn parts_add_up_to_the_score() {
    let mut shelf = Shelf::of(&[("a", "orders are kept"), ("b", "ordres are kept"), ("c", "kept")]);
    shelf.add(document("d", &["Kept"], "orders and kept things"));
    for text in ["orders kept", "kept ordersx", "kept now"] {
        for hit in shelf.index.search(1, &Question { explain: true, ..ask(text) }, None) {
            let parts = hit.parts.expect("asked for");
            let sum = parts.words
                + parts.spelling
                + parts.meaning
                + parts.neighbours
                + parts.author
                + parts.time
                + parts.name;
            assert!((sum - hit.score).abs() < 1e-5, "{text}: {hit:?}");
        }
    }
    assert!(shelf.hits("orders").iter().all(|hit| hit.parts.is_none()));
}

//
#[test]
fn reciprocal_ranks_can_be_chosen() {
    let ranking = Ranking { fusion: Fusion::ReciprocalRank, ..Ranking::default() };
    let mut shelf = Shelf { index: Index::new(None).with_ranking(ranking), slots: 0 };
    for (id, text) in [("a", "order ledger"), ("b", "order"), ("c", "bread")] {
        shelf.add(document(id, &[], text));
    }
    assert_eq!(shelf.found("the order ledger"), "a b");
    let sixtieths: Vec<f64> =
        shelf.hits("the order ledger").iter().map(|hit| (hit.score / (1.0 - hit.score)).cbrt()).collect();
    assert!((sixtieths[0] / sixtieths[1] - 62.0 / 61.0).abs() < 1e-4, "{sixtieths:?}");
    shelf.add(document("d", &["Order"], "milk"));
    assert!(shelf.found("order").starts_with("d "));
}
