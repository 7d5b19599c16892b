//! Settings whose values take more than a unit, each by itself.

use super::Role;
use super::translation::{Given, Translation};
use super::unit::Unit;

/// Topics are never created by a client, whatever is asked for: the platform's rule.
pub(super) fn auto_create(translation: &mut Translation<'_>, given: &Given) {
    match Unit::Boolean.translate(&given.value).as_deref() {
        Some("false") => {}
        Some(_) => translation.ignored(given, "topics are never created by a client; create them beforehand"),
        None => translation.refuse_value(given, Unit::Boolean.takes()),
    }
}

/// The interval of refreshing. librdkafka allows an hour at the most, and keeps its cache three times as long.
pub(super) fn metadata_age(translation: &mut Translation<'_>, given: &Given) {
    translation.put_unit(given, "topic.metadata.refresh.interval.ms", Unit::Millis);
}

/// A producer's is sent to the broker; a consumer waits for it itself.
pub(super) fn request_timeout(translation: &mut Translation<'_>, given: &Given) {
    let name = match translation.role {
        Role::Consumer => "socket.timeout.ms",
        Role::Producer => "request.timeout.ms",
    };
    translation.put_unit(given, name, Unit::Millis);
}

pub(super) fn retry_backoff(translation: &mut Translation<'_>, given: &Given) {
    at_least_one(translation, given, "retry.backoff.ms", Unit::Millis);
}

/// Java's 0 is a batch of one record, as is librdkafka's 1: the first record always fits.
pub(super) fn batch_size(translation: &mut Translation<'_>, given: &Given) {
    at_least_one(translation, given, "batch.size", Unit::Bytes);
}

fn at_least_one(translation: &mut Translation<'_>, given: &Given, name: &str, unit: Unit) {
    match unit.translate(&given.value) {
        Some(value) if value == "0" => translation.put(given, name, "1"),
        _ => translation.put_unit(given, name, unit),
    }
}

pub(super) fn offset_reset(translation: &mut Translation<'_>, given: &Given) {
    match given.value.trim().to_lowercase().as_str() {
        "none" | "error" => translation.put(given, "auto.offset.reset", "error"),
        "earliest" | "smallest" | "beginning" => translation.put(given, "auto.offset.reset", "earliest"),
        "latest" | "largest" | "end" => translation.put(given, "auto.offset.reset", "latest"),
        reset if reset.starts_with("by_duration") => {
            translation.value_unsupported(given, "write earliest or latest; a duration has no counterpart");
        }
        _ => translation.refuse_value(given, "earliest, latest or none"),
    }
}

/// Offsets are committed after delivery, and no sooner.
pub(super) fn auto_commit(translation: &mut Translation<'_>, given: &Given) {
    match Unit::Boolean.translate(&given.value).as_deref() {
        Some("false") => {}
        Some(_) => translation.value_unsupported(
            given,
            "offsets are committed by streamlet once a batch is delivered; remove it, or write false",
        ),
        None => translation.refuse_value(given, Unit::Boolean.takes()),
    }
}

pub(super) fn acks(translation: &mut Translation<'_>, given: &Given) {
    match given.value.trim() {
        "all" | "-1" => translation.put(given, "acks", "all"),
        "0" => translation.value_unsupported(
            given,
            "nothing would confirm a delivery, so offsets of lost records would be committed; remove it, or write all",
        ),
        "1" => translation.put(given, "acks", "1"),
        _ => translation.refuse_value(given, "all, -1 or 1"),
    }
}

pub(super) fn gzip_level(translation: &mut Translation<'_>, given: &Given) {
    level(translation, given, "gzip");
}

pub(super) fn lz4_level(translation: &mut Translation<'_>, given: &Given) {
    level(translation, given, "lz4");
}

pub(super) fn zstd_level(translation: &mut Translation<'_>, given: &Given) {
    level(translation, given, "zstd");
}

/// librdkafka has one level, of whichever codec is in use.
fn level(translation: &mut Translation<'_>, given: &Given, codec: &str) {
    let in_use = translation.given_first(&["compression.type", "compression.codec"]);
    if in_use.is_some_and(|in_use| in_use.value.trim().eq_ignore_ascii_case(codec)) {
        translation.put_unit(given, "compression.level", Unit::Count);
    } else {
        translation.ignored(given, format!("compression.type is not {codec}"));
    }
}

pub(super) fn partitioner_class(translation: &mut Translation<'_>, given: &Given) {
    let class = given.value.trim();
    match class.strip_prefix("org.apache.kafka.clients.producer.").unwrap_or(class) {
        "" | "internals.DefaultPartitioner" => translation.put(given, "partitioner", "murmur2_random"),
        "RoundRobinPartitioner" | "UniformStickyPartitioner" => {
            translation.put(given, "partitioner", "random");
            translation.changed(given.line, &given.key, "emits go to random partitions, whatever their keys");
        }
        _ => translation.value_unsupported(
            given,
            "no Java class runs here; write partitioner = murmur2_random, random, consistent_random or fnv1a_random",
        ),
    }
}

pub(super) fn ignore_keys(translation: &mut Translation<'_>, given: &Given) {
    match Unit::Boolean.translate(&given.value).as_deref() {
        Some("false") => {}
        Some(_) => translation.put(given, "partitioner", "random"),
        None => translation.refuse_value(given, Unit::Boolean.takes()),
    }
}

pub(super) fn two_phase(translation: &mut Translation<'_>, given: &Given) {
    match Unit::Boolean.translate(&given.value).as_deref() {
        Some("false") => {}
        Some(_) => translation.value_unsupported(given, "transactions end with their batches; remove it"),
        None => translation.refuse_value(given, Unit::Boolean.takes()),
    }
}

/// Java has the path of a program, librdkafka a shell's command under the same name.
pub(super) fn kinit(translation: &mut Translation<'_>, given: &Given) {
    let text = given.value.trim();
    let is_path = text.starts_with('/') && text.ends_with("kinit") && !text.contains(char::is_whitespace);
    let command = if is_path { kinit_command(text) } else { text.to_owned() };
    translation.put(given, "sasl.kerberos.kinit.cmd", command);
}

/// As librdkafka's own, which says at every start that there is no ticket yet to be renewed.
pub(super) fn kinit_command(program: &str) -> String {
    let login = "-t \"%{sasl.kerberos.keytab}\" -k \"%{sasl.kerberos.principal}\"";
    format!("{program} -R {login} 2>/dev/null || {program} {login}")
}

/// Java and OpenSSL name suites differently: `TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384` is `ECDHE-RSA-AES256-GCM-SHA384`.
pub(super) fn cipher_suites(translation: &mut Translation<'_>, given: &Given) {
    if given.value.contains("_WITH_") {
        let advice = "write OpenSSL's names, as in ECDHE-RSA-AES256-GCM-SHA384, or remove it";
        translation.value_unsupported(given, advice);
    } else {
        translation.put(given, "ssl.cipher.suites", given.value.replace(',', ":"));
    }
}

/// In Java the empty text switches the check of the broker's name off.
pub(super) fn identification(translation: &mut Translation<'_>, given: &Given) {
    match given.value.trim().to_lowercase().as_str() {
        "" | "none" => {
            translation.put(given, "ssl.endpoint.identification.algorithm", "none");
            translation.changed(given.line, &given.key, "the broker's name is not checked against its certificate");
        }
        "https" => translation.put(given, "ssl.endpoint.identification.algorithm", "https"),
        _ => translation.refuse_value(given, "https, or \"\" to switch the check off"),
    }
}
