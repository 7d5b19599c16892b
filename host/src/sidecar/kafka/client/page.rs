//! The chapter of `host/KAFKA.md` about client settings, written from the tables of names.

use std::fmt::Write as _;

use super::table::{Row, Rule, TABLES};
use super::unit::Unit;
use super::{Identity, Role, defaults, native};
use crate::sidecar::files::BatchCaps;

/// Where it is, from the crate.
const PATH: &str = "KAFKA.md";
const BEGIN: &str = "<!-- client settings: a unit test writes what follows, from the code -->\n";
const END: &str = "<!-- end of client settings -->";

fn page() -> String {
    let mut page = String::from(
        "## Client settings\n\n`connection-config`, `consumer-config` and `producer-config` hold the names that Java's \
         clients have, or librdkafka's\nown. The blocks of a role win over `connection-config`. Times may have a unit \
         (`5 s`; a bare number is milliseconds), sizes\ntoo (`1 MiB`; bytes). What is marked *warns* has no effect and \
         is told once at the start; what is *refused*, and every\nname that is not known, ends the start with its line \
         and what to write instead.\n",
    );
    for (title, rows) in TABLES {
        write!(page, "\n### {title}\n\n| Java's name | becomes | how |\n|---|---|---|\n").unwrap();
        for row in *rows {
            let (becomes, how) = cells(row);
            writeln!(page, "| `{}` | {becomes} | {how} |", row.java).unwrap();
        }
    }
    page.push_str("\n### Defaults\n\nWhat is set when nothing is given, with batches of the default size.\n\n");
    page.push_str("| librdkafka's name | consumer | producer |\n|---|---|---|\n");
    let of = |role| {
        let (client_id, group) = ("*client-id*", "*group*");
        let identity = Identity { role, client_id, bootstrap: "*its own key*", group, caps: BatchCaps::default() };
        defaults::settings(&identity)
    };
    let (consumer, producer) = (of(Role::Consumer), of(Role::Producer));
    let names = consumer.entries().chain(producer.entries()).map(|(name, _)| name);
    for name in names.collect::<std::collections::BTreeSet<_>>() {
        let cell = |value: Option<&str>| match value {
            Some(value) if value.starts_with('*') => value.to_owned(),
            Some(value) => format!("`{value}`"),
            None => "–".to_owned(),
        };
        writeln!(page, "| `{name}` | {} | {} |", cell(consumer.get(name)), cell(producer.get(name))).unwrap();
    }
    page.push_str("\n### librdkafka's own names\n\nPass as they are, with values as librdkafka takes them:\n");
    let own = native::ALLOWED.iter().filter(|native| super::table::find(native.name).is_none());
    page.push_str(&own.map(|native| format!("`{}`", native.name)).collect::<Vec<_>>().join(", "));
    page.push_str(".\n\nRefused:\n\n| librdkafka's name | why |\n|---|---|\n");
    for (name, reason) in native::REFUSED.iter().filter(|(name, _)| super::table::find(name).is_none()) {
        writeln!(page, "| `{name}` | {reason} |").unwrap();
    }
    page
}

fn cells(row: &Row) -> (String, String) {
    match row.rule {
        Rule::To(name, unit) => {
            (if name == row.java { "the same".to_owned() } else { format!("`{name}`") }, unit_text(unit))
        }
        Rule::With { becomes, note, .. } | Rule::Together { becomes, note } => {
            (if becomes.is_empty() { "–".to_owned() } else { becomes.to_owned() }, note.to_owned())
        }
        Rule::Ignored(reason) => ("*warns*".to_owned(), reason.to_owned()),
        Rule::Refused(advice) => ("*refused*".to_owned(), advice.to_owned()),
    }
}

fn unit_text(unit: Unit) -> String {
    match unit {
        Unit::Text => "as it is",
        Unit::Word => "in any case",
        Unit::Boolean => "`true` or `false`",
        Unit::Count => "a whole number",
        Unit::Millis => "milliseconds",
        Unit::Bytes => "bytes",
        Unit::BytesAsKibibytes => "bytes, rounded up to KiB",
    }
    .to_owned()
}

#[test]
fn the_page_is_what_the_tables_say() {
    let written = std::fs::read_to_string(PATH).unwrap();
    let (before, rest) = written.split_once(BEGIN).unwrap();
    let (chapter, after) = rest.split_once(END).unwrap();
    let page = format!("\n{}\n", page());
    // The variable is read while compiling: only the command line reads the environment while running.
    if option_env!("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(PATH, format!("{before}{BEGIN}{page}{END}{after}")).unwrap();
    } else {
        let differing = page.lines().zip(chapter.lines()).find(|(page, chapter)| page != chapter);
        assert!(page == chapter, "UPDATE_SNAPSHOTS=1 renews host/{PATH}; it differs at {differing:?}");
    }
}
