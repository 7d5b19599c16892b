//! Events of carts, numbered, and the truth about what came of them: nothing lost, nothing invented, order per cart kept.

use std::collections::BTreeMap;

use streamlet_protocol::partition::of_key;

use super::Record;

/// So many events of each cart, in turns, where Java's producer would put them. `word` says what the guest does with the
/// event of this number of this cart.
pub fn events(carts: usize, each: usize, partitions: i32, word: impl Fn(usize, usize) -> &'static str) -> Vec<Record> {
    events_from(0, carts, each, partitions, word)
}

/// As [`events`], numbered from `first` on.
///
/// # Panics
/// There are no partitions.
pub fn events_from(
    first: usize,
    carts: usize,
    each: usize,
    partitions: i32,
    word: impl Fn(usize, usize) -> &'static str,
) -> Vec<Record> {
    let partitions = u32::try_from(partitions).expect("a number of partitions");
    let event = |(number, cart): (usize, usize)| {
        let key = format!("cart-{cart}");
        let partition = of_key(key.as_bytes(), partitions).cast_signed();
        let event = Record::new(format!("{cart}:{number}")).key(key).partition(partition);
        let event = event.header("do", word(cart, number)).header("event", format!("{cart}:{number}"));
        event.header("event", "twice").header("binary", [0, 255]).header("", "").null_header("null")
    };
    (first..first + each).flat_map(|number| (0..carts).map(move |cart| (number, cart))).map(event).collect()
}

/// Those of the events that the guest sends where `word` says.
pub fn saying(events: &[Record], word: &str) -> Vec<Record> {
    let says = |event: &&Record| {
        event.headers.iter().any(|(name, value)| name == "do" && value.as_deref() == Some(word.as_bytes()))
    };
    events.iter().filter(says).cloned().collect()
}

/// Checks what was found at an outlet against what was sent there: all of it, as it was, and of each cart in order,
/// where a run that begins anew may begin at an earlier event. Returns how many were found more than once.
///
/// # Panics
/// Something is lost, changed, invented, or out of order.
#[track_caller]
pub fn check(sent: &[Record], found: &[Record]) -> usize {
    let mut expect = BTreeMap::<_, Vec<&Record>>::new();
    for record in sent {
        expect.entry(record.key_text()).or_default().push(record);
    }
    let mut reached = BTreeMap::<String, (usize, usize)>::new();
    for record in found {
        let key = record.key_text();
        let events = expect.get(&key).unwrap_or_else(|| panic!("nobody sent this here: {record:?}"));
        let at = events.iter().position(|event| event.value == record.value);
        let at = at.unwrap_or_else(|| panic!("nobody sent this here: {record:?}"));
        assert_eq!((&events[at].key, &events[at].headers), (&record.key, &record.headers), "{record:?} is as it was");
        let (next, most) = reached.entry(key.clone()).or_default();
        assert!(at <= *next, "{key}: event {at} after {} of {}: {record:?}", *next, events.len());
        *next = at + 1;
        *most = (*most).max(*next);
    }
    for (key, events) in &expect {
        let (next, most) = reached.get(key).copied().unwrap_or_default();
        assert!(most == events.len() && next == most, "{key}: {next} and at most {most} of {} events", events.len());
    }
    found.len() - sent.len()
}
