//! What an operator watches, in Prometheus form.

use std::fmt;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric as _, text};
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use crate::audit::{AuditCounts, AuditSink};

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    target: String,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReasonLabels {
    reason: &'static str,
}

/// Counters of one server. Cheap to clone; all clones count together.
#[derive(Clone)]
pub struct Metrics {
    registry: Arc<Registry>,
    calls: Family<CallLabels, Counter>,
    seconds: Histogram,
    rejections: Family<ReasonLabels, Counter>,
    replays: Counter,
    unwrapped: Counter,
    panics: Counter,
    plain: Counter,
    summarized: Counter,
    audit: AuditSinks,
    pub sessions: Gauge<i64, std::sync::atomic::AtomicI64>,
    pub subscriptions: Gauge<i64, std::sync::atomic::AtomicI64>,
}

impl Default for Metrics {
    fn default() -> Self {
        let bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];
        let mut registry = Registry::with_prefix("chancery");
        let calls = Family::<CallLabels, Counter>::default();
        let seconds = Histogram::new(bounds);
        let rejections = Family::<ReasonLabels, Counter>::default();
        let (replays, unwrapped, panics) =
            (Counter::<u64, AtomicU64>::default(), Counter::default(), Counter::default());
        let (plain, summarized) = (Counter::default(), Counter::default());
        let (sessions, subscriptions) = (Gauge::default(), Gauge::default());
        registry.register("calls", "Calls by tool or method and outcome", calls.clone());
        registry.register("call_seconds", "How long calls took", seconds.clone());
        registry.register("rejections", "Requests that were not admitted, by reason", rejections.clone());
        registry.register(
            "idempotent_replays",
            "Answers given again for a repeated client_request_id",
            replays.clone(),
        );
        registry.register("unwrapped_arguments", "Arguments that arrived as JSON text", unwrapped.clone());
        registry.register("panics", "Handlers that panicked", panics.clone());
        registry.register("plain_calls", "Tool calls over HTTP that went the short way", plain.clone());
        registry.register("sessions", "Open sessions of initialize-era clients", sessions.clone());
        let audit = AuditSinks::default();
        registry.register_collector(Box::new(audit.clone()));
        registry.register("audit_summarized", "Refusals without an audit record of their own", summarized.clone());
        registry.register("subscriptions", "Streams that follow changes", subscriptions.clone());
        Self {
            registry: Arc::new(registry),
            calls,
            seconds,
            rejections,
            replays,
            unwrapped,
            panics,
            plain,
            summarized,
            audit,
            sessions,
            subscriptions,
        }
    }
}

impl Metrics {
    pub fn called(&self, target: &str, outcome: &'static str, duration_us: u64) {
        self.calls.get_or_create(&CallLabels { target: target.to_owned(), outcome }).inc();
        #[expect(clippy::cast_precision_loss, reason = "a duration needs no 53 bits")]
        self.seconds.observe(duration_us as f64 / 1_000_000.0);
    }

    pub fn rejected(&self, reason: &'static str) {
        self.rejections.get_or_create(&ReasonLabels { reason }).inc();
    }

    pub fn replayed(&self) {
        self.replays.inc();
    }

    pub fn unwrapped(&self, values: usize) {
        self.unwrapped.inc_by(values as u64);
    }

    pub fn panicked(&self) {
        self.panics.inc();
    }

    pub fn went_the_short_way(&self) {
        self.plain.inc();
    }

    /// A request was refused that has no audit record of its own.
    pub fn summarized(&self) {
        self.summarized.inc();
    }

    /// Shows what becomes of audit records. The first sink counts; the endpoints of a server share one log.
    pub fn watch(&self, audit: Arc<dyn AuditSink>) {
        self.audit.0.get_or_init(|| audit);
    }

    /// The text that Prometheus reads.
    pub fn text(&self) -> String {
        let mut out = String::new();
        text::encode(&mut out, &self.registry).expect("writing to a string does not fail");
        out
    }
}

/// Where the numbers of audit records come from, when somebody looks.
#[derive(Clone, Default)]
struct AuditSinks(Arc<OnceLock<Arc<dyn AuditSink>>>);

impl fmt::Debug for AuditSinks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("AuditSinks").finish()
    }
}

impl Collector for AuditSinks {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let AuditCounts { written, dropped } = self.0.get().map(|audit| audit.counts()).unwrap_or_default();
        let counts = [
            ("audit_written", "Audit records written, without those in commits", written),
            ("audit_dropped", "Audit records that could not be kept", dropped),
        ];
        for (name, help, count) in counts {
            let count = ConstCounter::new(count);
            count.encode(encoder.encode_descriptor(name, help, None, count.metric_type())?)?;
        }
        Ok(())
    }
}
