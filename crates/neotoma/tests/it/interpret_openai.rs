//! A model behind HTTP, stood in for by a server in this process that answers what the test says.

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use contract::Object;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use neotoma::interpret::{Document, Extracted, Failure, Interpreter, OpenAi, OpenAiConfig};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

#[tokio::test]
async fn the_answer_of_a_model_becomes_entities() {
    let model = Model::answers(
        200,
        entities(json!([{
            "entity_type": "invoice",
            "fields": { "invoice_number": "A-1", "amount_due": 12.5, "date_due": "2026-03-03", "notes": null },
        }])),
    )
    .await;
    let found = model.ask(|_| ()).await.unwrap();
    assert_eq!(found[0].entity_type, "invoice");
    assert_eq!(
        serde_json::to_value(&found[0].fields).unwrap(),
        json!({ "invoice_number": "A-1", "amount_due": 12.5, "date_due": "2026-03-03" })
    );
}

#[tokio::test]
async fn a_request_carries_the_text_the_schema_and_the_key() {
    let model = Model::answers(200, entities(json!([]))).await;
    assert_eq!(model.ask(|config| config.api_key = Some("k-1".to_owned())).await, Ok(Vec::new()));
    let (key, request) = model.seen.lock().await.clone().unwrap();
    assert_eq!(key, "Bearer k-1");
    assert_eq!(request["model"], "tiny");
    assert_eq!(request["temperature"], 0.0);
    assert_eq!(request["messages"][1]["content"], "Hello");
    assert_eq!(request["response_format"]["type"], "json_schema");
}

#[tokio::test]
async fn invalid_answers_are_failures_without_content() {
    let form = "the model's answer is not of the form it was asked for";
    check(200, json!({ "secret": 1 }).to_string(), form).await;
    check(200, entities(json!([{ "entity_type": "spaceship", "fields": { "secret": "x" } }])), form).await;
    check(200, entities(json!([{ "entity_type": "task", "fields": { "secret": "x" } }])), form).await;
    check(200, entities(json!([{ "entity_type": "invoice", "fields": { "amount_due": "12" } }])), form).await;
    check(200, entities(json!([{ "entity_type": "task", "fields": { "due_date": "soon" } }])), form).await;
    check(200, "secret".to_owned(), "the model's answer is not JSON").await;
    check(500, "secret".to_owned(), "the model answered with status 500").await;
    check(302, "secret".to_owned(), "the model answered with status 302").await;
}

#[tokio::test]
async fn long_answers_and_texts_are_refused() {
    let model = Model::answers(200, entities(json!([]))).await;
    let answer = model.ask(|config| config.answer_bytes_max = 10).await;
    assert_eq!(answer.unwrap_err().reason, "the model's answer broke off or is too long");
    let answer = model.ask(|config| config.text_bytes_max = 2).await;
    assert_eq!(answer.unwrap_err().reason, "the document is too long for the model");
}

#[tokio::test]
async fn a_model_that_is_silent_or_away_is_a_failure() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let model = Model { address: listener.local_addr().unwrap().to_string(), seen: Arc::default() };
    let answer = model.ask(|config| config.timeout = Duration::from_millis(50)).await;
    assert_eq!(answer.unwrap_err().reason, "the model did not answer in time");
    drop(listener);
    assert_eq!(model.ask(|_| ()).await.unwrap_err().reason, "the model cannot be reached");
}

#[test]
fn only_http_and_https_are_spoken() {
    let refused = |address: &str| OpenAi::new(OpenAiConfig::new(address, "tiny")).unwrap_err().reason;
    assert_eq!(refused("ftp://models.example.com"), "the address of the model is not an http or https URL");
    assert_eq!(refused("not a url"), "the address of the model is not a URL");
}

#[test]
fn nothing_is_sent_in_the_clear_to_another_machine() {
    let asked = |address: &str| OpenAi::new(OpenAiConfig::new(address, "tiny")).map_err(|failure| failure.reason);
    for here in ["http://127.0.0.1:11434/v1", "http://127.9.9.9/v1", "http://[::1]:1/v1", "http://LocalHost/v1"] {
        assert!(asked(here).is_ok(), "{here}");
    }
    for elsewhere in
        ["http://models.example.com/v1", "http://10.0.0.7:11434/v1", "http://localhost.example.com", "http://0.0.0.0"]
    {
        let refused = asked(elsewhere).unwrap_err();
        assert!(refused.starts_with("plain http is for a model on this machine only; give an https"), "{refused}");
    }
}

#[tokio::test]
async fn a_model_behind_https_must_be_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let certificate = |name: &str| rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
    let (sound, foreign) = (certificate("127.0.0.1"), certificate("models.example.com"));
    let file = |name: &str, text: String| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let trusted = file("trusted.pem", sound.cert.pem() + &foreign.cert.pem());
    let model = Model::answers(200, entities(json!([]))).await;
    let here = model.behind(&sound).await;
    let asked = |address: String, authorities: Option<&PathBuf>| {
        let authorities = authorities.cloned();
        let model = &model;
        async move {
            let change = |config: &mut OpenAiConfig| {
                (config.base_url, config.authorities) = (format!("https://{address}/v1"), authorities);
                config.api_key = Some("k-1".to_owned());
            };
            model.ask(change).await.map_err(|failure| failure.reason)
        }
    };
    assert_eq!(asked(here.clone(), Some(&trusted)).await, Ok(Vec::new()));
    assert_eq!(model.seen.lock().await.take().unwrap().0, "Bearer k-1");

    let untrusted = Err("the model does not speak TLS, or its certificate is not trusted".to_owned());
    let other = file("other.pem", certificate("127.0.0.1").cert.pem());
    assert_eq!(asked(here, Some(&other)).await, untrusted, "of another authority");
    assert_eq!(asked(model.behind(&foreign).await, Some(&trusted)).await, untrusted, "of another host");
    assert_eq!(asked(model.address.clone(), Some(&trusted)).await, untrusted, "in the clear");
    assert!(model.seen.lock().await.is_none(), "nobody else was told the key");

    let refused = |authorities: PathBuf| {
        let config = OpenAiConfig::new("https://127.0.0.1/v1", "tiny");
        OpenAi::new(OpenAiConfig { authorities: Some(authorities), ..config }).unwrap_err().reason
    };
    assert_eq!(refused(folder.path().join("none")), "the file of certificate authorities cannot be read");
    assert_eq!(refused(file("empty.pem", String::new())), "no certificate authority is known; name a file of them");
}

#[test]
fn a_key_is_not_shown() {
    let config = OpenAiConfig { api_key: Some("k-secret".to_owned()), ..OpenAiConfig::new("http://localhost", "tiny") };
    assert!(!format!("{config:?}").contains("k-secret"));
}

/// Key and body of the last request.
type Seen = Arc<Mutex<Option<(String, Value)>>>;

struct Model {
    address: String,
    seen: Seen,
}

impl Model {
    async fn answers(status: u16, body: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let seen = Seen::default();
        let kept = seen.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (body, seen) = (body.clone(), kept.clone());
                let service = service_fn(move |request| answer(request, status, body.clone(), seen.clone()));
                tokio::spawn(
                    hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service),
                );
            }
        });
        Self { address, seen }
    }

    /// An address at which TLS with this certificate leads to the model.
    async fn behind(&self, certificate: &rcgen::CertifiedKey<rcgen::KeyPair>) -> String {
        let key = PrivateKeyDer::try_from(certificate.signing_key.serialize_der()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.cert.der().clone()], key)
            .unwrap();
        let (acceptor, model) = (TlsAcceptor::from(Arc::new(config)), self.address.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let Ok(mut inside) = acceptor.accept(stream).await else { continue };
                let mut outside = TcpStream::connect(&model).await.unwrap();
                tokio::spawn(async move { tokio::io::copy_bidirectional(&mut inside, &mut outside).await });
            }
        });
        address
    }

    async fn ask(&self, change: impl FnOnce(&mut OpenAiConfig)) -> Result<Vec<Extracted>, Failure> {
        let mut config = OpenAiConfig::new(format!("http://{}/v1", self.address), "tiny");
        change(&mut config);
        let document =
            Document { bytes: &bytes::Bytes::from_static(b"Hello"), mime_type: "text/plain", filename: None };
        let understood = OpenAi::new(config).unwrap().interpret(document, &Object::default()).await?;
        Ok(understood.entities)
    }
}

async fn answer(
    request: Request<Incoming>,
    status: u16,
    body: String,
    seen: Seen,
) -> Result<Response<Full<Bytes>>, Infallible> {
    assert_eq!(request.uri().path(), "/v1/chat/completions");
    let key = request.headers().get("authorization").map(|key| key.to_str().unwrap().to_owned()).unwrap_or_default();
    let asked = request.into_body().collect().await.unwrap().to_bytes();
    *seen.lock().await = Some((key, serde_json::from_slice(&asked).unwrap()));
    Ok(Response::builder().status(status).body(Full::new(Bytes::from(body))).unwrap())
}

/// A completion whose message is a list of entities.
fn entities(list: Value) -> String {
    let message = json!({ "entities": list }).to_string();
    json!({ "choices": [{ "message": { "role": "assistant", "content": message } }] }).to_string()
}

async fn check(status: u16, body: String, expected: &str) {
    assert_eq!(Model::answers(status, body).await.ask(|_| ()).await.unwrap_err().reason, expected);
}
