//! What std has no words for, in WASI's own.

use std::io;

use wasip2::clocks::monotonic_clock;
use wasip2::io::poll;
use wasip2::random::{insecure, random};
use wasip2::sockets::network::IpAddressFamily;
use wasip2::sockets::{instance_network, ip_name_lookup, udp_create_socket};

/// A minute, in nanoseconds.
const LATER: u64 = 60_000_000_000;

/// Tries what `word` says, `count` times or with as many.
pub(crate) fn tried(word: &str, count: usize) -> io::Result<String> {
    Ok(match word {
        "random" => format!("{} bytes", random::get_random_bytes(count as u64).len()),
        "insecure" => format!("{} bytes", insecure::get_insecure_random_bytes(count as u64).len()),
        "hold" => {
            let held = (0..count).map(|_| monotonic_clock::subscribe_duration(LATER)).collect::<Vec<_>>();
            format!("{} pollables", held.len())
        }
        "poll" => {
            let ready = monotonic_clock::subscribe_duration(0);
            format!("{} ready", poll::poll(&vec![&ready; count]).len())
        }
        "udp" => match udp_create_socket::create_udp_socket(IpAddressFamily::Ipv4) {
            Ok(_) => "made".into(),
            Err(error) => format!("error: {}", error.name()),
        },
        "look-up" => match ip_name_lookup::resolve_addresses(&instance_network::instance_network(), "localhost") {
            Ok(_) => "begun".into(),
            Err(error) => format!("error: {}", error.name()),
        },
        _ => return Err(io::Error::other("there is nothing to try")),
    })
}
