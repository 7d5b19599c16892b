//! A librdkafka client with a port's own settings, which only asks, and what it is told meanwhile.
//!
//! It subscribes to nothing and writes nothing. librdkafka answers late or never when it is not let in; its own events say
//! at once why.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use rdkafka::ClientContext;
use rdkafka::client::Client as Inner;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::{BaseConsumer, Consumer as _, ConsumerContext};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::DeliveryResult;
use rdkafka::metadata::Metadata;
use rdkafka::producer::{BaseProducer, Producer as _, ProducerContext};

use super::Problem;
use crate::sidecar::kafka::client::{ClientSettings, Role, is_secret};
use crate::sidecar::kafka::locks::lock;

/// How long the cluster may take to answer.
const ANSWER_WAIT: Duration = Duration::from_secs(10);
/// How long one try waits before the client's events are looked at.
const STEP: Duration = Duration::from_millis(300);
/// Errors that are kept; the first ones say most.
const HEARD_MAX: usize = 32;

/// A client of either kind.
pub(super) enum Client {
    Consumer(BaseConsumer<Heard>),
    Producer(BaseProducer<Heard>),
}

/// Errors that the client told, with librdkafka's reasons.
#[derive(Debug, Default)]
pub(super) struct Heard(Mutex<Vec<(Option<RDKafkaErrorCode>, String)>>);

impl ClientContext for Heard {
    /// The report says what is wrong; the log is librdkafka's view of the same.
    fn log(&self, _: RDKafkaLogLevel, facility: &str, text: &str) {
        tracing::debug!(target: "kafka", facility, "{text}");
    }

    fn error(&self, error: KafkaError, reason: &str) {
        let mut heard = lock(&self.0);
        if heard.len() < HEARD_MAX {
            heard.push((error.rdkafka_error_code(), reason.to_owned()));
        }
    }
}

impl ConsumerContext for Heard {}

impl ProducerContext for Heard {
    type DeliveryOpaque = ();

    fn delivery(&self, _: &DeliveryResult<'_>, (): ()) {}
}

impl Client {
    pub(super) fn new(settings: &ClientSettings) -> Result<Self, Problem> {
        let config = settings.config();
        let client = match settings.role() {
            Role::Consumer => config.create_with_context(Heard::default()).map(Self::Consumer),
            Role::Producer => config.create_with_context(Heard::default()).map(Self::Producer),
        };
        client.map_err(|error| Problem::Client { reason: without_values(&error) })
    }

    fn inner(&self) -> &Inner<Heard> {
        match self {
            Self::Consumer(consumer) => consumer.client(),
            Self::Producer(producer) => producer.client(),
        }
    }

    /// Lets the client tell what it has to tell.
    fn poll(&self) {
        match self {
            // An error is in what was heard, too; a record cannot come, as nothing is subscribed.
            Self::Consumer(consumer) => drop(consumer.poll(Duration::ZERO)),
            Self::Producer(producer) => producer.poll(Duration::ZERO),
        }
    }

    /// Asks for the cluster and one topic, until there is an answer or a reason why there will be none.
    pub(super) fn metadata(&self, settings: &ClientSettings, topic: &str) -> Result<Metadata, Problem> {
        let began = Instant::now();
        loop {
            let error = match self.inner().fetch_metadata(Some(topic), STEP) {
                Ok(metadata) => return Ok(metadata),
                Err(error) => error,
            };
            self.poll();
            if let Some(problem) = self.refusal(settings) {
                return Err(problem);
            }
            if began.elapsed() > ANSWER_WAIT {
                let reason = self.last_heard().unwrap_or_else(|| error.to_string());
                return Err(Problem::Silent { seconds: ANSWER_WAIT.as_secs(), reason });
            }
        }
    }

    /// The cluster's own name.
    pub(super) fn cluster_id(&self) -> Option<String> {
        self.inner().fetch_cluster_id(ANSWER_WAIT)
    }

    /// Why the cluster does not let the client in, once it has said so.
    fn refusal(&self, settings: &ClientSettings) -> Option<Problem> {
        let heard = lock(&self.inner().context().0);
        let refused = |code: &RDKafkaErrorCode| {
            matches!(code, RDKafkaErrorCode::Authentication | RDKafkaErrorCode::SaslAuthenticationFailed)
        };
        let (_, reason) = heard.iter().find(|(code, _)| code.as_ref().is_some_and(refused))?;
        let mechanism = settings.get("sasl.mechanism").unwrap_or("GSSAPI");
        let before_sending = bare(reason).strip_prefix("Failed to initialize SASL authentication: ");
        if let Some(reason) = before_sending.filter(|_| mechanism == "GSSAPI") {
            let service = settings.get("sasl.kerberos.service.name").unwrap_or("kafka").to_owned();
            return Some(Problem::ServiceTicket { service, reason: minor(reason).to_owned() });
        }
        let user = settings.get("sasl.username").or_else(|| settings.get("sasl.kerberos.principal"));
        Some(Problem::Authentication {
            who: user.map_or_else(|| "this client".into(), |user| format!("user \"{user}\"")),
            mechanism: mechanism.to_owned(),
            reason: bare(reason).to_owned(),
        })
    }

    fn last_heard(&self) -> Option<String> {
        let heard = lock(&self.inner().context().0);
        let tells = |code: &Option<RDKafkaErrorCode>| *code != Some(RDKafkaErrorCode::AllBrokersDown);
        heard.iter().rev().find(|(code, _)| tells(code)).map(|(_, reason)| bare(reason).to_owned())
    }
}

/// librdkafka's reason without the broker's address before it and the client's state after it.
fn bare(reason: &str) -> &str {
    let rest = reason.split_once("://").and_then(|(_, rest)| rest.split_once(": ")).map_or(reason, |(_, rest)| rest);
    let rest = rest.strip_prefix("SASL authentication error: ").unwrap_or(rest);
    let rest = rest.split_once(" (after ").map_or(rest, |(rest, _)| rest);
    rest.trim_end_matches(['.', ' '])
}

/// What Kerberos says, within what GSSAPI says, within what SASL says.
fn minor(reason: &str) -> &str {
    let rest = reason.split_once("GSSAPI Error: ").map_or(reason, |(_, rest)| rest);
    rest.split_once(" (").map_or(rest, |(_, rest)| rest.strip_suffix(')').unwrap_or(rest))
}

/// Why a client cannot be made. A refused value may be a secret, and librdkafka repeats it.
fn without_values(error: &KafkaError) -> String {
    match error {
        KafkaError::ClientConfig(_, _, key, _) if is_secret(key) => format!("the value of {key} is refused"),
        KafkaError::ClientConfig(_, description, _, _) | KafkaError::ClientCreation(description) => description.clone(),
        other => other.to_string(),
    }
}

#[test]
fn reasons_are_bare() {
    let reason = "sasl_plaintext://127.0.0.1:1/bootstrap: SASL authentication error: Authentication failed: Invalid \
                  username or password (after 305ms in state AUTH_REQ)";
    assert_eq!(bare(reason), "Authentication failed: Invalid username or password");
    assert_eq!(bare("1/1 brokers are down"), "1/1 brokers are down");
    let reason = "SASL handshake failed (start (-1)): SASL(-1): generic failure: GSSAPI Error: No credentials were supplied \
                  (No Kerberos credentials available (default cache: FILE:/tmp/krb5cc_0))";
    assert_eq!(minor(reason), "No Kerberos credentials available (default cache: FILE:/tmp/krb5cc_0)");
    assert_eq!(minor("no mechanism available"), "no mechanism available");
}
