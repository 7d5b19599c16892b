//! The command line: every command, flag, environment name and default. The only reader of the environment.
//!
//! Results go to standard output, everything else to standard error. Exit codes: 0 yes; 1 said no: a batch failed, a
//! check found a difference, a component was refused; 2 everything else: usage, a file missing.

mod bench;
mod compile;
#[cfg(feature = "kafka")]
mod config_files;
mod descriptor;
mod grants;
#[cfg(feature = "kafka")]
mod kafka;
mod limits;
mod loading;
mod log;
mod open;
mod policy;
mod run;
mod serve;
mod signals;

use clap::{Parser, Subcommand};

use crate::console::Console;
pub use log::Log;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It did what it was asked.
    Yes,
    /// It said no: a batch failed, a check found a difference, a component was refused.
    No,
    /// It could not be done: usage, a file missing, an output that cannot be written.
    Broke,
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Yes => 0,
            Exit::No => 1,
            Exit::Broke => 2,
        })
    }
}

/// Runs streamlets as WebAssembly.
///
/// COMPONENT is a .wasm component, or a directory with a guest crate, which is built first, or with --trust-precompiled
/// what `streamlet compile` wrote. Exit codes: 0 yes; 1 said no: a batch failed, a check found a difference, a component
/// was refused; 2 everything else.
#[derive(Debug, Parser)]
#[command(name = "streamlet", version, arg_required_else_help = true, max_term_width = 100)]
pub struct Cli {
    /// How to log.
    #[command(flatten)]
    pub log: Log,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(serve::Serve),
    Run(Box<run::Run>),
    Descriptor(descriptor::Descriptor),
    Compile(compile::Compile),
    Bench(Box<bench::Bench>),
    #[cfg(feature = "kafka")]
    Kafka(kafka::Kafka),
}

impl Cli {
    /// Does what the command says. What a user has to read is on `console` by then.
    ///
    /// # Errors
    /// What kept the command from being done, for exit code 2.
    pub async fn call(&self, console: &Console) -> anyhow::Result<Exit> {
        match &self.command {
            Command::Serve(serve) => serve.call(console).await,
            Command::Run(run) => run.call(console, self.log.format).await,
            Command::Descriptor(descriptor) => descriptor.call(console).await,
            Command::Compile(compile) => compile.call(console).await,
            Command::Bench(bench) => bench.call(console).await,
            #[cfg(feature = "kafka")]
            Command::Kafka(kafka) => kafka.call(console).await,
        }
    }
}
