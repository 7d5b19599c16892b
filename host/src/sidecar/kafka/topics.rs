//! Waits until a port's topic exists. None is ever created.

use std::time::{Duration, Instant};

use rdkafka::ClientContext;
use rdkafka::client::Client;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};

use super::client_events::ClientEvents;
use crate::telemetry;

/// How long a broker may take to say what topics there are.
const METADATA_TIMEOUT: Duration = Duration::from_secs(3);
/// The wait before it is asked again.
const RETRY_WAIT: Duration = Duration::from_millis(500);
/// How often it is told that a topic is missing.
const TOLD_EVERY: Duration = Duration::from_mins(1);
/// How long a wait takes to notice that it is over.
const STEP: Duration = Duration::from_millis(50);

/// A port and its topic.
#[derive(Debug, Clone, Copy)]
pub(super) struct Port<'a> {
    /// `inlet` or `outlet`.
    pub(super) direction: &'static str,
    pub(super) name: &'a str,
    pub(super) topic: &'a str,
}

/// Waits until the topic exists, as long as it takes; says whether it does, or whether the wait was over before. Blocks,
/// and asks `goes_on` every now and then, which lets the client tell its errors where nobody else does.
pub(super) fn wait_for<C: ClientContext>(
    client: &Client<C>,
    port: &Port<'_>,
    events: &ClientEvents,
    goes_on: impl Fn() -> bool,
) -> bool {
    let mut told = None::<Instant>;
    while goes_on() {
        let missing = match client.fetch_metadata(Some(port.topic), METADATA_TIMEOUT) {
            Ok(metadata) => {
                let topic = metadata.topics().iter().find(|topic| topic.name() == port.topic);
                match topic.map(|topic| (topic.error().map(RDKafkaErrorCode::from), topic.partitions().len())) {
                    Some((None, 1..)) => return true,
                    Some((Some(code), _)) if !is_missing(code) => code.to_string(),
                    _ => "it does not exist".into(),
                }
            }
            Err(error) => {
                // Its reason is among the client's own errors; that there is no answer follows from it.
                events.error(&error, "");
                no_answer(&error)
            }
        };
        if told.is_none_or(|at| at.elapsed() >= TOLD_EVERY) {
            told = Some(Instant::now());
            telemetry::topic_missing(port.direction, port.name, port.topic, &missing);
        }
        let waited = Instant::now();
        while goes_on() && waited.elapsed() < RETRY_WAIT {
            std::thread::sleep(STEP);
        }
    }
    false
}

fn is_missing(code: RDKafkaErrorCode) -> bool {
    matches!(code, RDKafkaErrorCode::UnknownTopicOrPartition | RDKafkaErrorCode::UnknownTopic)
}

fn no_answer(error: &KafkaError) -> String {
    format!("no broker says whether it exists: {error}")
}
