//! What Kafka clients say of themselves: their errors, their log, their counts.
//!
//! While no broker answers a client tells the same error many times a second. The first of a kind is told, and again
//! once a while with how often it came; all of them are what the run's state shows as its trouble. What clients log is
//! for those who look for it: the target `kafka`, at the level debug.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rdkafka::config::RDKafkaLogLevel;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};

use super::locks::lock;
use super::monitor::Monitor;
use crate::telemetry;

/// How often the same error is told.
const TOLD_EVERY: Duration = Duration::from_secs(30);
/// Kinds of errors that are kept apart; more of them are told together.
const KINDS_MAX: usize = 64;

/// Where one client tells. Clones share it.
#[derive(Debug, Clone)]
pub(super) struct ClientEvents {
    port: Arc<str>,
    monitor: Arc<Monitor>,
    told: Arc<Mutex<HashMap<Kind, Told>>>,
}

/// A port, and what is the same about its client's errors.
type Kind = (Arc<str>, String);

#[derive(Debug)]
struct Told {
    at: Instant,
    /// How often it came since then.
    since: u64,
}

impl ClientEvents {
    pub(super) fn new(monitor: &Arc<Monitor>) -> Self {
        Self { port: Arc::from(""), monitor: Arc::clone(monitor), told: Arc::default() }
    }

    /// As the client of a port.
    pub(super) fn of(&self, port: &str) -> Self {
        Self { port: port.into(), ..self.clone() }
    }

    /// A client's error.
    pub(super) fn error(&self, error: &KafkaError, reason: &str) {
        let code = error.rdkafka_error_code().map_or_else(|| error.to_string(), |code| code.to_string());
        let text = if reason.is_empty() { code.clone() } else { reason.to_owned() };
        // That none answers is what follows from each one's own error, which says why.
        let follows = match error.rdkafka_error_code() {
            Some(RDKafkaErrorCode::AllBrokersDown) => true,
            Some(RDKafkaErrorCode::BrokerTransportFailure) => reason.is_empty(),
            _ => false,
        };
        if follows && self.has_told() {
            return;
        }
        self.monitor.trouble(&text);
        if let Some(times) = self.is_news(code) {
            telemetry::kafka_trouble(&self.port, &text, times);
        }
    }

    /// How often it came since it was last told, if it is to be told now.
    fn is_news(&self, kind: String) -> Option<u64> {
        let mut told = lock(&self.told);
        let kind = if told.len() >= KINDS_MAX { String::new() } else { kind };
        let now = Instant::now();
        match told.get_mut(&(Arc::clone(&self.port), kind.clone())) {
            None => {
                told.insert((Arc::clone(&self.port), kind), Told { at: now, since: 0 });
                Some(1)
            }
            Some(last) if now.duration_since(last.at) >= TOLD_EVERY => {
                let times = last.since + 1;
                *last = Told { at: now, since: 0 };
                Some(times)
            }
            Some(last) => {
                last.since += 1;
                None
            }
        }
    }

    /// Whether this client has told anything yet.
    fn has_told(&self) -> bool {
        let told = lock(&self.told);
        told.keys().any(|(port, _)| *port == self.port)
    }

    /// A line of a client's log. That offsets were reset may mean records that nobody will read.
    pub(super) fn log(&self, level: RDKafkaLogLevel, facility: &str, text: &str) {
        let is_reset = facility == "OFFSET" && level as i32 <= RDKafkaLogLevel::Warning as i32;
        match is_reset.then(|| self.is_news(facility.to_owned())) {
            Some(Some(times)) => telemetry::kafka_trouble(&self.port, text, times),
            _ => telemetry::kafka_log(facility, text),
        }
    }

    /// A client's counts.
    pub(super) fn statistics(&self, statistics: &rdkafka::Statistics) {
        self.monitor.client(statistics);
    }
}
