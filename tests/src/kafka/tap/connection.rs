//! One connection through a tap: bytes read, looked at, and passed on.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::request::Requests;
use super::{Direction, Fault, Kind, Shared};

/// Bytes that are passed on at once.
const CHUNK_BYTES: usize = 64 << 10;
/// How often held bytes look whether the fault is over.
const INTERVAL: Duration = Duration::from_millis(5);

/// A client's connection and the one to the broker behind it.
#[derive(Debug)]
pub(super) struct Connection {
    client: TcpStream,
    broker: TcpStream,
    client_id: Mutex<Option<String>>,
    is_over: AtomicBool,
}

impl Connection {
    pub(super) fn new(client: TcpStream, broker: TcpStream) -> Self {
        for stream in [&client, &broker] {
            // As clients and brokers set it themselves.
            let _ = stream.set_nodelay(true);
        }
        Self { client, broker, client_id: Mutex::new(None), is_over: AtomicBool::new(false) }
    }

    /// Whether its client has given this name.
    pub(super) fn is_of(&self, client_id: &str) -> bool {
        self.client_id.lock().unwrap().as_deref() == Some(client_id)
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Ends it, both ways.
    pub(super) fn cut(&self) {
        self.is_over.store(true, Ordering::Relaxed);
        for stream in [&self.client, &self.broker] {
            // It may be closed already.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Passes bytes on into one direction until either side closes.
    pub(super) fn carry(&self, direction: Direction, shared: &Shared) {
        let (mut from, mut to) = match direction {
            Direction::Requests => (&self.client, &self.broker),
            Direction::Answers => (&self.broker, &self.client),
        };
        let mut chunk = vec![0; CHUNK_BYTES];
        let mut requests = Requests::default();
        let mut carried = 0u64;
        while let Ok(length) = from.read(&mut chunk)
            && length > 0
        {
            let bytes = &mut chunk[..length];
            if direction == Direction::Requests {
                self.look_at(&mut requests, bytes, shared);
            }
            self.hold(shared);
            let fault = *shared.fault.lock().unwrap();
            match fault {
                Some(Fault::Delay(time)) => thread::sleep(time),
                Some(Fault::Garble { direction: garbled, every }) if garbled == direction => {
                    garble(bytes, carried, every);
                }
                _ => {}
            }
            carried += length as u64;
            if to.write_all(bytes).is_err() {
                break;
            }
        }
        self.cut();
    }

    /// Waits while there is a black hole.
    fn hold(&self, shared: &Shared) {
        while *shared.fault.lock().unwrap() == Some(Fault::BlackHole) && !self.is_over() {
            thread::sleep(INTERVAL);
        }
    }

    /// Counts the requests whose headers are complete with these bytes.
    fn look_at(&self, requests: &mut Requests, bytes: &[u8], shared: &Shared) {
        requests.feed(bytes, |parsed| match parsed {
            Ok(header) => {
                if self.client_id.lock().unwrap().is_none() {
                    self.client_id.lock().unwrap().clone_from(&header.client_id);
                }
                let client_id = header.client_id.unwrap_or_default();
                let kind = Kind { api_key: header.api_key, api_version: header.api_version, client_id };
                *shared.counts.lock().unwrap().entry(kind).or_default() += 1;
            }
            Err(malformed) => shared.malformed.lock().unwrap().push(malformed.to_string()),
        });
    }
}

/// Inverts each byte whose place in the whole direction is a multiple of `every`.
fn garble(bytes: &mut [u8], carried: u64, every: u64) {
    for (byte, place) in bytes.iter_mut().zip(carried + 1..) {
        if place % every == 0 {
            *byte = !*byte;
        }
    }
}

#[test]
fn garbled_bytes_are_so_far_apart_over_all_chunks() {
    let mut first = [0; 5];
    garble(&mut first, 0, 3);
    assert_eq!(first, [0, 0, 255, 0, 0]);
    let mut second = [0; 5];
    garble(&mut second, 5, 3);
    assert_eq!(second, [255, 0, 0, 255, 0]);
}
