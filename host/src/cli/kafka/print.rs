//! The report of `kafka check` for people: a line for each thing that was looked at, each readable by itself.

use std::fmt::Write as _;
use std::io::Write as _;

use anyhow::Context as _;

use crate::sidecar::kafka::check::{
    AccessReport, BrokerReport, GroupReport, OffsetReport, PortReport, Problem, Report,
};

/// Partitions whose offsets are printed; the JSON has all of them.
const PARTITIONS_MAX: usize = 12;

/// Writes a result to standard output.
pub(super) fn to_stdout(text: &str) -> anyhow::Result<()> {
    std::io::stdout().lock().write_all(text.as_bytes()).context("cannot write to standard output")
}

/// Everything, a line each.
pub(super) fn lines(report: &Report) -> String {
    let mut lines = Lines::default();
    report.accesses.iter().for_each(|access| lines.access(access));
    report.ports.iter().for_each(|port| lines.port(port));
    lines.0
}

/// Lines with a word before each that says how it is.
#[derive(Default)]
struct Lines(String);

impl Lines {
    fn ok(&mut self, text: &str) {
        self.line(format_args!("ok     {text}"));
    }

    fn wrong(&mut self, of: &str, problem: &Problem) {
        self.line(format_args!("wrong  {of}: {problem}"));
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // A `String` takes everything.
        let _ = writeln!(self.0, "{line}");
    }

    fn access(&mut self, access: &AccessReport) {
        for broker in access.brokers.iter().chain(&access.advertised) {
            self.broker(&access.of, broker);
        }
        if let Some(cluster) = &access.cluster {
            let id = cluster.id.as_deref().unwrap_or("without a name");
            self.ok(&format!(
                "{}: cluster {id} lets the client in; it has {}",
                access.of,
                counted(cluster.brokers, "broker")
            ));
        }
        access.problems.iter().for_each(|problem| self.wrong(&access.of, problem));
    }

    fn broker(&mut self, of: &str, broker: &BrokerReport) {
        if let Some(reached) = &broker.reached
            && (broker.problem.is_none() || broker.tls.is_some() || !broker.apis.is_empty())
        {
            let tls = broker.tls.as_ref().map_or_else(
                || "no TLS".to_owned(),
                |tls| format!("{} with a certificate for {}, which expires on {}", tls.version, tls.names, tls.expires),
            );
            let sasl = if broker.mechanisms.is_empty() {
                "no SASL".into()
            } else {
                format!("SASL by {}", broker.mechanisms.join(", "))
            };
            self.ok(&format!("{of}: broker {} answers at {reached}: {tls}; {sasl}", broker.address));
        }
        if !broker.apis.is_empty() {
            let ranges = broker.apis.iter().map(|api| format!("{} {}-{}", api.name, api.min, api.max));
            self.ok(&format!("{of}: broker {} takes {}", broker.address, ranges.collect::<Vec<_>>().join(", ")));
        }
        if let Some(problem) = &broker.problem {
            self.wrong(of, problem);
        }
    }

    fn port(&mut self, port: &PortReport) {
        let of = &port.port;
        if let Some(partitions) = port.partitions {
            self.ok(&format!("{of}: topic \"{}\" has {}", port.topic, counted(partitions, "partition")));
        }
        if let Some(group) = &port.group {
            self.ok(&format!("{of}: {}", group_text(group)));
        }
        if let Some(lag) = port.lag {
            self.ok(&format!("{of}: lag {lag}: {}", offsets_text(&port.offsets)));
        }
        port.problems.iter().for_each(|problem| self.wrong(of, problem));
    }
}

fn group_text(group: &GroupReport) -> String {
    let name = &group.name;
    let Some(state) = &group.state else {
        return format!("group \"{name}\" does not exist yet; the first run makes it");
    };
    let members = group.members.iter().map(|member| format!("{} at {}", member.client_id, member.host));
    let members = members.collect::<Vec<_>>().join(", ");
    match group.members.len() {
        0 => format!("group \"{name}\" is {state}, without members"),
        count => {
            format!("group \"{name}\" is {state}, by {}, with {}: {members}", group.strategy, counted(count, "member"))
        }
    }
}

fn offsets_text(offsets: &[OffsetReport]) -> String {
    let place = |offset: &OffsetReport| {
        let committed = offset.committed.map_or_else(|| "nothing committed".into(), |committed| committed.to_string());
        format!("partition {} at {committed} of {}", offset.partition, offset.end)
    };
    let mut texts = offsets.iter().take(PARTITIONS_MAX).map(place).collect::<Vec<_>>();
    if offsets.len() > PARTITIONS_MAX {
        texts.push(format!("and {} more, which --json lists", offsets.len() - PARTITIONS_MAX));
    }
    texts.join(", ")
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
