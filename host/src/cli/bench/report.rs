//! The table, or the JSON, that a bench prints.

use std::io::Write as _;

use anyhow::Context as _;
use serde::Serialize;

use super::figures::{Figures, Ratios, Round, as_f64};
use super::usage;

/// What was measured.
#[derive(Debug, Serialize)]
pub(super) struct Subject {
    pub(super) inlet: String,
    /// Records through each door.
    pub(super) records: usize,
    pub(super) batch: usize,
    pub(super) partitions: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) input: Option<String>,
    /// Bytes of a value, and headers.
    #[serde(skip)]
    pub(super) made_up: Option<(usize, usize)>,
}

/// A component's rounds.
pub(super) struct Measured<'a> {
    pub(super) component: String,
    pub(super) instances: usize,
    pub(super) in_process: &'a [Round],
    pub(super) over_grpc: &'a [Round],
}

/// What is printed.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    #[serde(flatten)]
    subject: Subject,
    #[serde(skip_serializing_if = "Option::is_none")]
    value_bytes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    headers: Option<usize>,
    components: Vec<OfComponent>,
    /// Of the other over COMPONENT.
    #[serde(skip_serializing_if = "Option::is_none")]
    compared: Option<Compared>,
    /// Of COMPONENT, measured once more, over COMPONENT: noise.
    #[serde(skip_serializing_if = "Option::is_none")]
    control: Option<Compared>,
    /// Of this process, with everything that it measures and the client.
    peak_resident_bytes: Option<u64>,
}

#[derive(Debug, Serialize)]
struct OfComponent {
    component: String,
    instances: usize,
    in_process: Figures,
    over_grpc: Figures,
}

#[derive(Debug, Serialize)]
struct Compared {
    in_process: Ratios,
    over_grpc: Ratios,
}

impl Report {
    /// Of one component; or of one, another, and the one again.
    pub(super) fn new(subject: Subject, measured: &[Measured<'_>]) -> Self {
        let against_first = |other: usize| {
            let (first, other) = (measured.first()?, measured.get(other)?);
            Some(Compared {
                in_process: Ratios::of(first.in_process, other.in_process),
                over_grpc: Ratios::of(first.over_grpc, other.over_grpc),
            })
        };
        let (compared, control) = (against_first(1), against_first(2));
        let components = measured.iter().take(2).map(|measured| OfComponent {
            component: measured.component.clone(),
            instances: measured.instances,
            in_process: Figures::of(measured.in_process),
            over_grpc: Figures::of(measured.over_grpc),
        });
        Self {
            value_bytes: subject.made_up.map(|(value_bytes, _)| value_bytes),
            headers: subject.made_up.map(|(_, headers)| headers),
            components: components.collect(),
            compared,
            control,
            peak_resident_bytes: usage::peak_resident_bytes(),
            subject,
        }
    }

    /// Prints it to standard output. Whoever closes that has read enough.
    pub(super) fn print(&self, json: bool) -> anyhow::Result<()> {
        let text = if json { serde_json::to_string_pretty(self)? + "\n" } else { self.table() };
        match std::io::stdout().lock().write_all(text.as_bytes()) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                Err(error).context("cannot write the figures")
            }
            _ => Ok(()),
        }
    }

    fn table(&self) -> String {
        let Subject { inlet, records, batch, partitions, input, made_up } = &self.subject;
        let what = match (input, made_up) {
            (Some(input), _) => format!("records of {input}"),
            (None, Some((bytes, headers))) => format!("made-up records of {bytes} B with {headers} headers"),
            (None, None) => "records".into(),
        };
        let mut text = format!(
            "{records} {what}, batches of up to {batch}, {partitions} partitions of inlet \"{inlet}\"; medians\n"
        );
        for component in &self.components {
            text += &component.table();
        }
        if let (Some(compared), Some(control)) = (&self.compared, &self.control) {
            text += "\nthe second component over the first, beside the first over itself (noise)\n";
            text += &row("", "in process", "over gRPC", "in process", "over gRPC");
            let ratio = |name, of: fn(&Ratios) -> f64| {
                let [a, b, c, d] = [compared, control]
                    .map(|compared| [&compared.in_process, &compared.over_grpc].map(|ratios| two_digits(of(ratios))))
                    .concat()
                    .try_into()
                    .unwrap_or_default();
                row(name, &a, &b, &c, &d)
            };
            text += &ratio("records/s (more is better)", |ratios| ratios.records_per_second);
            text += &ratio("CPU ns/record", |ratios| ratios.cpu_ns_per_record);
            text += &ratio("batch p50", |ratios| ratios.batch_p50_us);
        }
        let peak = self.peak_resident_bytes.map_or_else(
            || "-".to_owned(),
            |bytes| format!("{:.1} MiB", as_f64(usize::try_from(bytes).unwrap_or(usize::MAX)) / f64::from(1 << 20)),
        );
        text + &format!("\npeak RSS {peak}, client included\n")
    }
}

impl OfComponent {
    fn table(&self) -> String {
        let Self { component, instances, in_process, over_grpc } = self;
        let mut text = format!("\n{component}, {instances} instances\n{}", row("", "in process", "over gRPC", "", ""));
        let mut line = |name, of: &dyn Fn(&Figures) -> String| {
            text += &row(name, &of(in_process), &of(over_grpc), "", "");
        };
        line("records/s", &|figures| whole(figures.records_per_second));
        line("MB/s of values", &|figures| format!("{:.1}", figures.megabytes_per_second));
        line("CPU ns/record", &|figures| whole(figures.cpu_ns_per_record));
        line("emits/record", &|figures| two_digits(figures.emits_per_record));
        line("batch p50 us", &|figures| format!("{:.1}", figures.batch_p50_us));
        line("batch p99 us", &|figures| format!("{:.1}", figures.batch_p99_us));
        line("batch max us", &|figures| format!("{:.1}", figures.batch_max_us));
        let Some(stages) = &in_process.ns_per_record else { return text };
        for (name, nanos) in [
            ("ns/record: decode", stages.decode),
            ("  copy in", stages.copy_in),
            ("  guest", stages.guest),
            ("  check", stages.check),
            ("  encode", stages.encode),
        ] {
            text += &row(name, &format!("{nanos:.1}"), "", "", "");
        }
        text
    }
}

fn row(name: &str, a: &str, b: &str, c: &str, d: &str) -> String {
    let row = format!("{name:<28}{a:>12}{b:>12}{c:>12}{d:>12}");
    format!("{}\n", row.trim_end())
}

fn whole(figure: f64) -> String {
    format!("{figure:.0}")
}

fn two_digits(figure: f64) -> String {
    format!("{figure:.2}")
}
