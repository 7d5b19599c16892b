//! Looking for what was not granted. What is found fails the batch, so that it can be read.

use std::io::{Read as _, stdin};
use std::net::{TcpListener, TcpStream, ToSocketAddrs as _, UdpSocket};
use std::{env, fs};

use streamlet::prelude::*;

/// Probes as `word` says.
pub(crate) fn act(word: &str) -> Result<()> {
    match word {
        "environment" => fail!(
            "variables: {}; arguments: {}; directory: {:?}; standard input: {:?}",
            env::vars_os().count(),
            env::args_os().count(),
            env::current_dir(),
            stdin().read(&mut [0; 16])
        ),
        "files" => fail!(
            "list: {}; read: {}; write: {}; temporary: {}",
            end(fs::read_dir("/")),
            end(fs::read("/etc/passwd")),
            end(fs::write("evil", "")),
            end(fs::create_dir_all(env::temp_dir().join("evil")))
        ),
        "network" => fail!(
            "resolve: {}; connect: {}; listen: {}; send: {}",
            end("localhost:80".to_socket_addrs()),
            end(TcpStream::connect("127.0.0.1:9010")),
            end(TcpListener::bind("127.0.0.1:0")),
            end(UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.send_to(b"evil", "127.0.0.1:53")))
        ),
        _ => Ok(()),
    }
}

/// How an attempt ended, in words.
fn end<T>(attempt: std::io::Result<T>) -> String {
    attempt.map_or_else(|error| error.to_string(), |_| "granted!".to_owned())
}
