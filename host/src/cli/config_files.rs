//! The two files that the platform's sidecar reads, of --config-dir.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use streamlet_protocol::{Descriptor, json};

use crate::console::Console;
use crate::sidecar::kafka::ConfFile;
use crate::sidecar::kafka::deployed::{self, DeployedProblem};

/// What the directory has to hold.
const NAMES: (&str, &str) = ("streamlet.conf", "descriptor.json");

/// The files as they were read.
#[derive(Debug)]
pub(super) struct ConfigFiles {
    pub(super) conf: ConfFile,
    descriptor: PathBuf,
    /// The deployed descriptor's bytes.
    deployed: Vec<u8>,
}

impl ConfigFiles {
    /// Reads both.
    pub(super) fn read(directory: &Path) -> anyhow::Result<Self> {
        let (path, descriptor) = (directory.join(NAMES.0), directory.join(NAMES.1));
        let context = |file: &Path| {
            format!(
                "cannot read \"{}\"; --config-dir names a directory with {} and {}",
                file.display(),
                NAMES.0,
                NAMES.1
            )
        };
        let text = std::fs::read_to_string(&path).with_context(|| context(&path))?;
        let deployed = std::fs::read(&descriptor).with_context(|| context(&descriptor))?;
        Ok(Self { conf: ConfFile { path: path.display().to_string(), text }, descriptor, deployed })
    }

    /// The deployed descriptor; none if it is not one, which has been reported.
    pub(super) fn deployed(&self, console: &Console) -> Option<Descriptor> {
        let deployed = json::from_json(&self.deployed).map_err(DeployedProblem::Unreadable);
        deployed.map_err(|problem| self.report(console, &problem)).ok()
    }

    /// Whether the component is what was deployed, as the sidecar compares them. Every difference has been reported.
    pub(super) fn agree(&self, console: &Console, declared: &Descriptor) -> bool {
        let problems = deployed::differences(&self.deployed, declared);
        for problem in &problems {
            self.report(console, problem);
        }
        problems.is_empty()
    }

    fn report(&self, console: &Console, problem: &DeployedProblem) {
        let path = self.descriptor.display();
        console.error(&match problem {
            DeployedProblem::Unreadable(_) => format!("\"{path}\": {problem}"),
            DeployedProblem::Different(_) => format!("\"{path}\" is not what the component declares: {problem}"),
        });
    }
}
