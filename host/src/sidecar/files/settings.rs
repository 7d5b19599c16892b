//! What a run in file mode is told: inputs, outputs, how lines become records, how records become batches. Checked, and
//! everything opened, before anything runs.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use streamlet_protocol::names;

use super::super::BatchCaps;

/// Where an input comes from or an output goes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// Standard input or standard output, written `-`.
    Standard,
    /// A file.
    File(PathBuf),
}

impl Location {
    /// `-` or a path.
    pub fn parse(text: &str) -> Self {
        if text == "-" { Self::Standard } else { Self::File(text.into()) }
    }
}

/// `-` or the path.
impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Standard => f.write_str("-"),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

/// An input of an inlet. Without a name it belongs to the only inlet there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// The inlet's name.
    pub inlet: Option<String>,
    /// Where its records are.
    pub from: Location,
}

/// Where an outlet's emits go; an outlet without one goes to standard output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// The outlet's name. Without one it belongs to the only outlet there is.
    pub outlet: Option<String>,
    /// Where its emits go.
    pub to: Location,
}

/// How a line becomes a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Format {
    /// The line is the value.
    Plain {
        /// The key is this top-level field of the value, which is a JSON object then; without it there is no key.
        key_field: Option<String>,
    },
    /// The line is an envelope: a JSON object with key, headers and value.
    Envelope,
}

/// Everything a run in file mode is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Inputs, in the order in which an inlet's are read. None at all means standard input.
    pub inputs: Vec<Input>,
    /// Outputs.
    pub outputs: Vec<Output>,
    /// How lines become records.
    pub format: Format,
    /// Partitions per inlet, at least 1.
    pub partitions: u32,
    /// How much a batch may hold.
    pub caps: BatchCaps,
}

/// What a run cannot start with.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// A port that the streamlet does not declare.
    #[error("there is no {direction} \"{name}\"; {}", declared(direction, names, nearest.as_deref()))]
    Undeclared {
        /// `inlet` or `outlet`.
        direction: &'static str,
        /// The name given.
        name: String,
        /// The declared name that looks most like it.
        nearest: Option<String>,
        /// The declared names.
        names: Vec<String>,
    },
    /// A port's name was left out, and there is not exactly one it could be.
    #[error("\"{location}\" needs the name of its {direction}, as in {}={location}; {}", names.first().map_or("NAME", String::as_str), declared(direction, names, None))]
    Ambiguous {
        /// `inlet` or `outlet`.
        direction: &'static str,
        /// What was given without a name.
        location: String,
        /// The declared names.
        names: Vec<String>,
    },
    /// Standard input was given more than once.
    #[error("standard input can be read only once, but is given for more than one input")]
    StandardInputTwice,
    /// An outlet was given twice.
    #[error("outlet \"{0}\" is given two outputs; give it one")]
    OutletTwice(String),
    /// An input cannot be opened.
    #[error("cannot read \"{}\" for inlet \"{inlet}\"", path.display())]
    Unreadable {
        /// The inlet.
        inlet: String,
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// An output cannot be created.
    #[error("cannot write \"{}\" for outlet \"{outlet}\"", path.display())]
    Uncreatable {
        /// The outlet.
        outlet: String,
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// An output would overwrite an input.
    #[error("output \"{}\" is also an input and would be overwritten before it is read; name another file", .0.display())]
    OutputIsInput(PathBuf),
    /// Standard output feeds an input.
    #[error("standard output is also an input, which would be overwritten or never end; send it to another file")]
    StandardOutputIsInput,
}

fn declared(direction: &str, names: &[String], nearest: Option<&str>) -> String {
    let names = names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    match nearest {
        _ if names.is_empty() => format!("the streamlet declares no {direction}"),
        Some(nearest) => format!("did you mean \"{nearest}\"? declared: {names}"),
        None => format!("declared: {names}"),
    }
}

/// Which file something is, whatever it was called: device and inode. None for pipes, terminals and the like, which
/// cannot be overwritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity(u64, u64);

impl Identity {
    pub(super) fn of(file: &File) -> Option<Self> {
        let metadata = file.metadata().ok()?;
        metadata.is_file().then(|| Self(metadata.dev(), metadata.ino()))
    }

    /// Of standard input or output.
    pub(super) fn of_standard(stream: &impl AsFd) -> Option<Self> {
        Self::of(&File::from(stream.as_fd().try_clone_to_owned().ok()?))
    }
}

/// Whether `file` is what standard output is, a pipe or a terminal included: under a name like `/dev/stdout`.
pub(super) fn is_standard_output(file: &File) -> bool {
    let standard = std::io::stdout().as_fd().try_clone_to_owned().map(File::from);
    let metadata = |file: &File| file.metadata().map(|metadata| (metadata.dev(), metadata.ino()));
    match (standard.and_then(|standard| metadata(&standard)), metadata(file)) {
        (Ok(standard), Ok(file)) => standard == file,
        _ => false,
    }
}

/// An opened input.
pub(super) struct Opened {
    /// Its path, or `-`.
    pub(super) name: Arc<str>,
    pub(super) identity: Option<Identity>,
    pub(super) bytes: Box<dyn Read + Send>,
}

impl Settings {
    /// Opens every input, by the index of its inlet.
    pub(super) fn open_inputs(&self, inlets: &[String]) -> Result<BTreeMap<u32, Vec<Opened>>, SettingsError> {
        let standard = [Input { inlet: None, from: Location::Standard }];
        let inputs = if self.inputs.is_empty() { &standard[..] } else { &self.inputs };
        if inputs.iter().filter(|input| input.from == Location::Standard).count() > 1 {
            return Err(SettingsError::StandardInputTwice);
        }
        let mut opened = BTreeMap::<u32, Vec<Opened>>::new();
        for input in inputs {
            let (index, inlet) = port("inlet", input.inlet.as_deref(), &input.from, inlets)?;
            let (identity, bytes): (_, Box<dyn Read + Send>) = match &input.from {
                Location::Standard => (Identity::of_standard(&std::io::stdin()), Box::new(std::io::stdin())),
                Location::File(path) => {
                    let file = open(path).map_err(|source| SettingsError::Unreadable {
                        inlet: inlet.clone(),
                        path: path.clone(),
                        source,
                    })?;
                    (Identity::of(&file), Box::new(file))
                }
            };
            opened.entry(index).or_default().push(Opened { name: input.from.to_string().into(), identity, bytes });
        }
        Ok(opened)
    }

    /// Where each outlet goes, by its index.
    pub(super) fn output_locations(&self, outlets: &[String]) -> Result<Vec<Location>, SettingsError> {
        let mut locations = vec![None; outlets.len()];
        for output in &self.outputs {
            let (index, outlet) = port("outlet", output.outlet.as_deref(), &output.to, outlets)?;
            let Some(location) = locations.get_mut(index as usize) else { continue };
            if location.is_some() {
                return Err(SettingsError::OutletTwice(outlet.clone()));
            }
            *location = Some(output.to.clone());
        }
        Ok(locations.into_iter().map(|location| location.unwrap_or(Location::Standard)).collect())
    }
}

/// A directory opens, but does not read; it is refused here, where its name is known.
fn open(path: &Path) -> std::io::Result<File> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() { Err(std::io::ErrorKind::IsADirectory.into()) } else { Ok(file) }
}

/// The index and name of a port, which may go without its name if it is the only one.
fn port<'a>(
    direction: &'static str,
    name: Option<&str>,
    location: &Location,
    declared: &'a [String],
) -> Result<(u32, &'a String), SettingsError> {
    let found = match (name, declared) {
        (None, [only]) => Some((0, only)),
        (None, _) => {
            let location = location.to_string();
            return Err(SettingsError::Ambiguous { direction, location, names: declared.to_vec() });
        }
        (Some(name), _) => (0..).zip(declared).find(|(_, declared)| *declared == name),
    };
    found.ok_or_else(|| {
        let name = name.unwrap_or_default().to_owned();
        let nearest = names::nearest(&name, declared.iter().map(String::as_str)).map(str::to_owned);
        SettingsError::Undeclared { direction, name, nearest, names: declared.to_vec() }
    })
}
