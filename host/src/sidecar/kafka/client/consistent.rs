//! What must fit together, which librdkafka checks only when a client is created: made to fit where Java would have let
//! it pass, refused where Java refuses it too.

use super::Role;
use super::translation::Translation;

/// What librdkafka adds to a fetch for the protocol's own bytes.
const RESPONSE_FRAMING_BYTES: i64 = 512;

/// The most requests on their way in which an idempotent producer keeps order.
const IDEMPOTENT_IN_FLIGHT_MAX: i64 = 5;

/// librdkafka's own defaults, of settings that are compared with given ones.
const RETRY_BACKOFF_MAX_MILLIS: i64 = 1_000;
const RECONNECT_BACKOFF_MILLIS: i64 = 100;
const RECONNECT_BACKOFF_MAX_MILLIS: i64 = 10_000;
const SESSION_TIMEOUT_MILLIS: i64 = 45_000;
const POLL_INTERVAL_MILLIS: i64 = 300_000;
const MESSAGE_TIMEOUT_MILLIS: i64 = 120_000;
const FETCH_MESSAGE_BYTES: i64 = 1 << 20;

pub(super) fn settle(translation: &mut Translation<'_>) {
    raise(translation, "retry.backoff.max.ms", RETRY_BACKOFF_MAX_MILLIS, "retry.backoff.ms", 0);
    reconnects(translation);
    match translation.role {
        Role::Consumer => {
            group(translation);
            fetches(translation);
        }
        Role::Producer => {
            idempotence(translation);
            timeouts(translation);
            queue(translation);
        }
    }
}

/// The value of a setting, or what it is by default.
fn value(translation: &Translation<'_>, name: &str, default: i64) -> i64 {
    translation.settings.number(name).unwrap_or(default)
}

/// Raises a setting to another one, if that one is larger.
fn raise(translation: &mut Translation<'_>, name: &str, default: i64, other: &str, other_default: i64) {
    let least = value(translation, other, other_default);
    if value(translation, name, default) < least {
        translation.settings.set(name, least.to_string());
        if translation.is_set(name) {
            let line = translation.line_of(&[name]);
            translation.changed(line, name, format!("it is raised to {least}, since {other} is that much"));
        }
    }
}

/// The longest wait between connections is not shorter than the first one, whichever of them is given.
fn reconnects(translation: &mut Translation<'_>) {
    let (first, most) = ("reconnect.backoff.ms", "reconnect.backoff.max.ms");
    if translation.is_set(most) && !translation.is_set(first) {
        let least = value(translation, most, RECONNECT_BACKOFF_MAX_MILLIS).min(RECONNECT_BACKOFF_MILLIS);
        translation.settings.set(first, least.to_string());
    } else {
        raise(translation, most, RECONNECT_BACKOFF_MAX_MILLIS, first, RECONNECT_BACKOFF_MILLIS);
    }
}

/// What may wait holds the largest message, or that one would wait for room for ever.
fn queue(translation: &mut Translation<'_>) {
    let (queue, message) = ("queue.buffering.max.kbytes", "message.max.bytes");
    let least = value(translation, message, 0) / 1024 + 1;
    if value(translation, queue, i64::MAX) < least {
        translation.settings.set(queue, least.to_string());
        if translation.is_set(queue) {
            let line = translation.line_of(&[queue]);
            translation.changed(line, queue, format!("it is raised to {least} KiB, since {message} is that much"));
        }
    }
}

fn group(translation: &mut Translation<'_>) {
    if translation.settings.get("group.protocol") != Some("consumer") {
        let (poll, session) = ("max.poll.interval.ms", "session.timeout.ms");
        if translation.is_set(poll) && !translation.is_set(session) {
            let most = value(translation, poll, POLL_INTERVAL_MILLIS).min(SESSION_TIMEOUT_MILLIS);
            translation.settings.set(session, most.to_string());
        } else {
            raise(translation, poll, POLL_INTERVAL_MILLIS, session, SESSION_TIMEOUT_MILLIS);
        }
        return;
    }
    for key in ["partition.assignment.strategy", "session.timeout.ms", "heartbeat.interval.ms"] {
        if translation.is_set(key) {
            let line = translation.line_of(&[key]);
            let advice = "with group.protocol = consumer it is the broker's; remove it";
            translation.conflict(line, key, "group.protocol", advice);
        }
        translation.settings.remove(key);
    }
}

/// Sizes from the smallest to the largest: a record, a partition's part, a response.
fn fetches(translation: &mut Translation<'_>) {
    if translation.is_set("fetch.message.max.bytes") || translation.is_set("fetch.max.bytes") {
        // Unset, it follows the prefetch's bound, which may be less than what is asked for here.
        raise(translation, "fetch.max.bytes", 50 << 20, "message.max.bytes", 0);
        if !translation.is_set("fetch.max.bytes") {
            raise(translation, "fetch.max.bytes", 16 << 20, "fetch.message.max.bytes", FETCH_MESSAGE_BYTES);
        }
    }
    if translation.is_set("receive.message.max.bytes") {
        let fetch = value(translation, "fetch.max.bytes", 50 << 20);
        let least = fetch.saturating_add(RESPONSE_FRAMING_BYTES).min(i64::from(i32::MAX));
        if value(translation, "receive.message.max.bytes", 0) < least {
            translation.settings.set("receive.message.max.bytes", least.to_string());
            let line = translation.line_of(&["receive.message.max.bytes"]);
            let change = format!("it is raised to {least}, for a response of fetch.max.bytes");
            translation.changed(line, "receive.message.max.bytes", change);
        }
    }
}

/// As in Java, what an idempotent producer cannot do switches idempotence off, unless that was asked for. Order is kept
/// all the same: one request at a time.
fn idempotence(translation: &mut Translation<'_>) {
    let in_flight = "max.in.flight.requests.per.connection";
    let acks = translation.settings.get("acks").is_none_or(|acks| acks == "all" || acks == "-1");
    let retries = value(translation, "retries", i64::from(i32::MAX));
    let is_asked = translation.is_set("enable.idempotence");
    let is_on = translation.settings.get("enable.idempotence") == Some("true");
    for (key, is_contrary, advice) in [
        ("acks", !acks, "an idempotent producer has acks = all; write that, or enable.idempotence = false"),
        ("retries", retries < 1, "an idempotent producer retries; remove retries, or write enable.idempotence = false"),
    ] {
        if is_on && is_contrary {
            let line = translation.line_of(&[key]);
            if is_asked {
                translation.conflict(line, key, "enable.idempotence", advice);
            } else {
                translation.settings.set("enable.idempotence", "false");
                let change = "it switches idempotence off: a record may be written twice, or be lost with its broker";
                translation.changed(line, key, change);
            }
        }
    }
    let is_on = translation.settings.get("enable.idempotence") == Some("true");
    let most = if is_on { IDEMPOTENT_IN_FLIGHT_MAX } else { 1 };
    if value(translation, in_flight, most) > most {
        let line = translation.line_of(&[in_flight, "max.in.flight"]);
        translation.changed(line, in_flight, format!("it is lowered to {most}, the most with which order is kept"));
    }
    if !is_on || translation.is_set(in_flight) {
        let least = value(translation, in_flight, most).min(most);
        translation.settings.set(in_flight, least.to_string());
    }
}

fn timeouts(translation: &mut Translation<'_>) {
    // A fraction of a millisecond decides nothing.
    let linger = translation.settings.get("linger.ms").and_then(|linger| linger.split('.').next()?.parse().ok());
    let timeout = value(translation, "message.timeout.ms", MESSAGE_TIMEOUT_MILLIS);
    // 0 is for ever.
    if timeout != 0 && linger.unwrap_or(0) >= timeout {
        let line = translation.line_of(&["linger.ms", "queue.buffering.max.ms", "delivery.timeout.ms"]);
        let advice = "a record would time out before it is sent; lower linger.ms";
        translation.conflict(line, "linger.ms", "delivery.timeout.ms", advice);
    }
}
