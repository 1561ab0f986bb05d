//! Vectors from a server that speaks the embeddings interface of OpenAI, for those who configure one.
//!
//! Plain HTTP is for a server on this machine, HTTPS for all others. Texts go in batches; what fails for the moment is tried
//! again a few times. Nothing of a text or of an answer enters a failure.

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::future::BoxFuture;
use http::{HeaderValue, StatusCode, header};
use outbound::{Address, Bounds, Client, Request};
use serde::Deserialize;
use serde_json::json;

use super::{EmbedError, Embedder, Space};

/// How often one batch is sent, and how long it waits before the second time; each further wait is twice as long.
const ATTEMPTS: u32 = 3;
const PAUSE: Duration = Duration::from_millis(250);
/// Of a longer text, the beginning is embedded.
const TEXT_CHARS_MAX: usize = 8_000;
/// A vector has fewer dimensions than this, and each takes fewer bytes as text.
const DIMENSIONS_MAX: usize = 8_192;
const BYTES_PER_NUMBER: usize = 32;
const SECONDS_PER_DAY: u64 = 24 * 60 * 60;

/// Where the server is and how it is asked.
#[derive(Clone)]
pub struct EndpointConfig {
    /// The address before `/embeddings`, for example `http://127.0.0.1:11434/v1`.
    pub base_url: String,
    pub model: String,
    pub dimensions: usize,
    /// Sent as a bearer token when there is one.
    pub api_key: Option<String>,
    /// Certificate authorities to trust instead of the system's, as a PEM file.
    pub authorities: Option<PathBuf>,
    /// For one exchange.
    pub timeout: Duration,
    /// Texts in one request.
    pub batch_max: usize,
    /// Characters that this process sends in a day at most.
    pub chars_per_day_max: u64,
}

/// Why an endpoint cannot be used as it is configured.
#[derive(Debug, thiserror::Error)]
pub enum EndpointError {
    #[error("the address of the embedder {0}")]
    Address(outbound::Error),
    #[error("{0}")]
    Unfit(&'static str),
}

/// A server that embeds.
pub struct Endpoint {
    space: Space,
    config: EndpointConfig,
    address: Address,
    client: Client,
    /// The day, and how many characters were sent in it.
    spent: Mutex<(u64, u64)>,
}

impl Endpoint {
    pub fn new(config: EndpointConfig) -> Result<Self, EndpointError> {
        if config.model.is_empty() {
            return Err(EndpointError::Unfit("an embedder needs the name of its model"));
        }
        if config.dimensions == 0 || config.dimensions > DIMENSIONS_MAX {
            return Err(EndpointError::Unfit("an embedder needs the number of its dimensions, up to 8192"));
        }
        let address = format!("{}/embeddings", config.base_url.trim_end_matches('/'));
        let address: Address = address.parse().map_err(EndpointError::Address)?;
        let client = Client::new(config.authorities.clone());
        client.prepare(&address).map_err(EndpointError::Address)?;
        let model = format!("endpoint-{}-{}-{}", config.base_url, config.model, config.dimensions);
        let space = Space { model, dimensions: config.dimensions };
        Ok(Self { space, config, address, client, spent: Mutex::default() })
    }

    async fn batch(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let texts: Vec<String> = texts.iter().map(|text| text.chars().take(TEXT_CHARS_MAX).collect()).collect();
        self.spend(texts.iter().map(|text| text.chars().count() as u64).sum())?;
        let mut pause = PAUSE;
        for attempt in 1.. {
            match self.ask(&texts).await {
                Err(Refusal { error, again: true }) if attempt < ATTEMPTS => {
                    tracing::debug!(%error, attempt, "texts are sent to the embedder again");
                    tokio::time::sleep(pause).await;
                    pause *= 2;
                }
                Err(Refusal { error, .. }) => return Err(error),
                Ok(vectors) => return Ok(vectors),
            }
        }
        unreachable!("the last attempt returns")
    }

    /// Notes what is sent today, or refuses to send more.
    fn spend(&self, chars: u64) -> Result<(), EmbedError> {
        let today = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() / SECONDS_PER_DAY;
        let mut spent = self.spent.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if spent.0 != today {
            *spent = (today, 0);
        }
        if spent.1 + chars > self.config.chars_per_day_max {
            return Err(failed("its budget of today is used up"));
        }
        spent.1 += chars;
        Ok(())
    }

    async fn ask(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Refusal> {
        let body = json!({ "model": self.config.model, "input": texts, "encoding_format": "float" });
        let mut request = Request::post("application/json", body.to_string());
        if let Some(key) = &self.config.api_key {
            let bearer = HeaderValue::from_str(&format!("Bearer {key}"));
            let bearer = bearer.map_err(|_| Refusal::last("its key is not a header"))?;
            request.headers.insert(header::AUTHORIZATION, bearer);
        }
        let body_bytes_max = texts.len() * self.config.dimensions * BYTES_PER_NUMBER + 65_536;
        let bounds = Bounds { timeout: self.config.timeout, body_bytes_max };
        let answer = self.client.exchange(&self.address, request, bounds).await.map_err(|error| match error {
            outbound::Error::Timeout => Refusal { error: EmbedError::Timeout, again: true },
            error => Refusal { error: failed(&format!("it {error}")), again: true },
        })?;
        if !answer.status.is_success() {
            let again = answer.status.is_server_error() || answer.status == StatusCode::TOO_MANY_REQUESTS;
            return Err(Refusal {
                error: failed(&format!("it answered with status {}", answer.status.as_u16())),
                again,
            });
        }
        vectors(&answer.body, texts, self.config.dimensions)
    }
}

impl Embedder for Endpoint {
    fn space(&self) -> &Space {
        &self.space
    }

    fn embed<'a>(&'a self, texts: &'a [String]) -> BoxFuture<'a, Result<Vec<Vec<f32>>, EmbedError>> {
        Box::pin(async move {
            let mut vectors = vec![Vec::new(); texts.len()];
            // A text without a word has no vector, and some servers refuse an empty one.
            let wanted: Vec<usize> = (0..texts.len()).filter(|at| !texts[*at].trim().is_empty()).collect();
            for some in wanted.chunks(self.config.batch_max.max(1)) {
                let batch: Vec<String> = some.iter().map(|at| texts[*at].clone()).collect();
                for (at, vector) in some.iter().zip(self.batch(&batch).await?) {
                    vectors[*at] = vector;
                }
            }
            Ok(vectors)
        })
    }
}

/// Why a batch was not embedded, and whether it may be sent again.
struct Refusal {
    error: EmbedError,
    again: bool,
}

impl Refusal {
    fn last(reason: &str) -> Self {
        Self { error: failed(reason), again: false }
    }
}

fn failed(reason: &str) -> EmbedError {
    EmbedError::Failed { reason: reason.to_owned() }
}

#[derive(Deserialize)]
struct Answered {
    data: Vec<Embedded>,
}

#[derive(Deserialize)]
struct Embedded {
    index: usize,
    embedding: Vec<f32>,
}

/// Unit vectors in the order of the texts. Numbers that are none are refused.
fn vectors(body: &[u8], texts: &[String], dimensions: usize) -> Result<Vec<Vec<f32>>, Refusal> {
    let answered: Answered =
        serde_json::from_slice(body).map_err(|_| Refusal::last("its answer is not a list of vectors"))?;
    let mut vectors = vec![Vec::new(); texts.len()];
    for Embedded { index, mut embedding } in answered.data {
        if embedding.len() != dimensions {
            return Err(Refusal::last("its vectors have another number of dimensions than is configured"));
        }
        let length = embedding.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
        if !length.is_finite() || length == 0.0 {
            return Err(Refusal::last("its vectors hold what is no number"));
        }
        embedding.iter_mut().for_each(|value| *value = (f64::from(*value) / length) as f32);
        match vectors.get_mut(index) {
            Some(vector) => *vector = embedding,
            None => return Err(Refusal::last("its answer has more vectors than there were texts")),
        }
    }
    if vectors.iter().any(Vec::is_empty) {
        return Err(Refusal::last("its answer lacks vectors"));
    }
    Ok(vectors)
}
