//! A streamlet that tries what its records say, and emits what came of it: the tests' way to a guest's capabilities.
//!
//! A record is a word and its argument, such as `read /data/a.txt`. What goes wrong is emitted as `error: …`.

#[cfg(target_arch = "wasm32")]
mod system;

use std::net::TcpStream;
use std::net::ToSocketAddrs as _;
use std::{env, fs, io};

use streamlet::prelude::*;

/// Tries what its records say.
#[derive(Streamlet)]
struct Probe {
    #[inlet(name = "in", schema = "probes.v1")]
    main: Inlet,
    #[outlet(schema = "probes.v1")]
    out: Outlet,
}

impl Process for Probe {
    fn process(&mut self, batch: &Batch, out: &mut Emits) -> Result<()> {
        debug_assert!(batch.inlet() == self.main, "there is one inlet");
        for record in batch {
            let (word, argument) = record.text()?.split_once(' ').unwrap_or((record.text()?, ""));
            let answer = tried(word, argument).unwrap_or_else(|error| format!("error: {error}"));
            out.forward(self.out, record).value(answer);
        }
        Ok(())
    }
}

fn tried(word: &str, argument: &str) -> io::Result<String> {
    match word {
        "env" => env::var(argument).map_err(io::Error::other),
        "envs" => Ok(env::vars().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(",")),
        "read" => fs::read_to_string(argument),
        "write" => fs::write(argument, "written").map(|()| "written".into()),
        "remove" => fs::remove_file(argument).map(|()| "removed".into()),
        "list" => {
            let names = fs::read_dir(argument)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
            let mut names = names.collect::<io::Result<Vec<_>>>()?;
            names.sort();
            Ok(names.join(","))
        }
        "connect" => TcpStream::connect(argument).map(|_| "connected".into()),
        "resolve" => Ok(format!("{} addresses", (argument, 80).to_socket_addrs()?.count())),
        _ => more(word, argument.parse().unwrap_or(0)),
    }
}

#[cfg(target_arch = "wasm32")]
fn more(word: &str, count: usize) -> io::Result<String> {
    system::tried(word, count)
}

#[cfg(not(target_arch = "wasm32"))]
fn more(word: &str, _: usize) -> io::Result<String> {
    Err(io::Error::other(format!("{word} is nothing to try natively")))
}

streamlet::export!(Probe);
