//! A transformer from a directory, on a model that `tests/model/make.py` made.

use std::fs;
use std::path::{Path, PathBuf};

use search::Embedder;
use search::embed::Transformer;
use serde_json::{Value, json};

#[test]
fn vectors_are_those_of_the_reference() {
    let expected: Vec<Value> = serde_json::from_slice(&fs::read(model().join("expected.json")).unwrap()).unwrap();
    let texts: Vec<String> = expected.iter().map(|each| each["text"].as_str().unwrap().to_owned()).collect();
    let transformer = Transformer::open(&model()).unwrap();
    let together = transformer.vectors(&texts);
    for (at, text) in texts.iter().enumerate() {
        let alone = &transformer.vectors(std::slice::from_ref(text))[0];
        let wanted: Vec<f64> =
            expected[at]["vector"].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect();
        assert_eq!(wanted.len(), transformer.space().dimensions);
        for (place, value) in wanted.iter().enumerate() {
            assert!((f64::from(together[at][place]) - value).abs() < 1e-4, "{text}: {:?}", together[at]);
            assert!((f64::from(alone[place]) - value).abs() < 1e-4, "{text}: {alone:?}");
        }
    }
    assert!(texts.len() >= 6);
}

#[test]
fn a_text_without_a_word_has_no_vector() {
    let transformer = Transformer::open(&model()).unwrap();
    let vectors = transformer.vectors(&["".to_owned(), " \n".to_owned(), "order".to_owned()]);
    assert_eq!(vectors.iter().map(Vec::len).collect::<Vec<_>>(), [0, 0, 8]);
    assert_eq!(transformer.vectors(&[]), Vec::<Vec<f32>>::new());
    let long = vec!["orders are kept in the ledger. ".repeat(400); 200];
    assert!(transformer.vectors(&long).iter().all(|vector| *vector == transformer.vectors(&long[..1])[0]));
}

#[tokio::test]
async fn it_embeds_beside_other_work() {
    let transformer = Transformer::open(&model()).unwrap();
    let texts = ["order".to_owned(), "ledger".to_owned()];
    assert_eq!(transformer.embed(&texts).await.unwrap(), transformer.vectors(&texts));
    assert!(!transformer.is_instant());
}

#[test]
fn another_model_is_another_space() {
    let copy = copy();
    let one = Transformer::open(&model()).unwrap();
    assert_eq!(Transformer::open(copy.path()).unwrap().space(), one.space());
    let path = copy.path().join("model.safetensors");
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, bytes).unwrap();
    assert_ne!(Transformer::open(copy.path()).unwrap().space(), one.space());
}

#[test]
fn a_directory_that_is_not_a_model_is_refused() {
    check("config.json", |path| fs::remove_file(path).unwrap(), "config.json is not what it should be: it is missing");
    check("config.json", |path| fs::write(path, "{").unwrap(), "config.json is not what it should be");
    check("config.json", |path| edit(path, "/model_type", json!("t5")), "it says t5 where only bert is known");
    check("config.json", |path| edit(path, "/hidden_size", json!(16)), "is of shape [2, 8], not [2, 16]");
    check("config.json", |path| edit(path, "/num_attention_heads", json!(3)), "sizes do not fit");
    check("config.json", |path| edit(path, "/hidden_size", json!(0)), "out of bounds");
    check("config.json", |path| edit(path, "/num_hidden_layers", json!(3)), "encoder.layer.2");
    check("config.json", |path| edit(path, "/vocab_size", json!(4)), "more pieces");
    check("tokenizer.json", |path| edit(path, "/model/type", json!("BPE")), "words in pieces");
    check("tokenizer.json", |path| edit(path, "/normalizer/lowercase", json!(false)), "lower case");
    check("tokenizer.json", |path| edit(path, "/model/vocab", json!({"[CLS]": 2})), "[SEP] is missing");
    check("model.safetensors", |path| fs::remove_file(path).unwrap(), "model.safetensors cannot be read");
    check(
        "model.safetensors",
        |path| fs::write(path, b"\xff\xff\xff\xff\xff\xff\xff\x7f{}").unwrap(),
        "model.safetensors is not",
    );
    let cut = |path: &Path| fs::write(path, &fs::read(path).unwrap()[..2_000]).unwrap();
    check("model.safetensors", cut, "model.safetensors is not");
}

#[test]
fn weights_that_could_run_code_are_refused() {
    let pickle = |path: &Path| fs::rename(path, path.with_file_name("pytorch_model.bin")).unwrap();
    check("model.safetensors", pickle, "only model.safetensors is taken");
}

#[track_caller]
fn check(file: &str, change: impl FnOnce(&Path), expected: &str) {
    let copy = copy();
    change(&copy.path().join(file));
    let error = Transformer::open(copy.path()).expect_err("it is damaged").to_string();
    assert!(error.contains(expected), "{error}");
}

fn edit(path: &Path, pointer: &str, value: Value) {
    let mut content: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    *content.pointer_mut(pointer).unwrap() = value;
    fs::write(path, content.to_string()).unwrap();
}

fn copy() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["config.json", "tokenizer.json", "model.safetensors"] {
        fs::copy(model().join(name), folder.path().join(name)).unwrap();
    }
    folder
}

fn model() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/model")
}
