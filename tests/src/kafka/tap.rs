//! A tap on the wire: a proxy before one listener that decodes the requests on their way, counts them, and can get in
//! their way.
//!
//! Clients that bootstrap at [`Tap::address`] stay with it, since the listener behind it tells them to come there. Nothing
//! is rewritten. A tap ends with its value; its connections with it.

mod connection;
mod request;

use std::collections::{BTreeMap, BTreeSet};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use connection::Connection;
pub use request::{Malformed, RequestHeader, Requests, api_name, first_flexible, parse};

/// Into which direction bytes go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From a client to the broker.
    Requests,
    /// From the broker to a client.
    Answers,
}

/// How a tap gets in the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Every chunk of bytes, both ways, waits this long before it goes on.
    Delay(Duration),
    /// Bytes are held back, both ways, and new connections meet silence; when the fault is over all of it goes on.
    BlackHole,
    /// Every so many bytes of a connection one is inverted.
    Garble {
        /// Which bytes.
        direction: Direction,
        /// How many bytes apart; not 0.
        every: u64,
    },
    /// New connections are closed at once.
    Refuse,
}

/// One kind of request of one client.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind {
    /// Which API.
    pub api_key: i16,
    /// Which version of it.
    pub api_version: i16,
    /// The client's own name; empty without one.
    pub client_id: String,
}

/// A proxy before one listener.
#[derive(Debug)]
pub struct Tap {
    address: SocketAddr,
    shared: Arc<Shared>,
    is_others_too: bool,
}

/// What the threads of a tap have in common.
#[derive(Debug, Default)]
struct Shared {
    target: Mutex<Option<String>>,
    fault: Mutex<Option<Fault>>,
    counts: Mutex<BTreeMap<Kind, u64>>,
    malformed: Mutex<Vec<String>>,
    connections: Mutex<Vec<Arc<Connection>>>,
    is_over: AtomicBool,
}

impl Tap {
    /// A tap that leads nowhere yet. Where others use it too it only listens.
    ///
    /// # Panics
    /// No port is free.
    pub(super) fn bind(is_others_too: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        let accepting = Arc::clone(&shared);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if accepting.is_over.load(Ordering::Relaxed) {
                    break;
                }
                accept(&accepting, client);
            }
        });
        Self { address, shared, is_others_too }
    }

    pub(super) fn lead_to(&self, target: &str) {
        *self.shared.target.lock().unwrap() = Some(target.to_owned());
    }

    /// Its port.
    pub(super) fn port(&self) -> u16 {
        self.address.port()
    }

    /// Where clients bootstrap, `host:port`.
    pub fn address(&self) -> String {
        self.address.to_string()
    }

    /// How many requests of each kind it has seen.
    ///
    /// # Panics
    /// It saw one that it cannot read.
    pub fn requests(&self) -> BTreeMap<Kind, u64> {
        let malformed = self.shared.malformed.lock().unwrap();
        assert!(malformed.is_empty(), "requests that cannot be read: {malformed:?}");
        self.shared.counts.lock().unwrap().clone()
    }

    /// The API keys that a client has used.
    ///
    /// # Panics
    /// As [`Tap::requests`].
    pub fn keys(&self, client_id: &str) -> BTreeSet<i16> {
        self.requests().into_keys().filter(|kind| kind.client_id == client_id).map(|kind| kind.api_key).collect()
    }

    /// How many requests of one API a client has sent.
    ///
    /// # Panics
    /// As [`Tap::requests`].
    pub fn count(&self, client_id: &str, api_key: i16) -> u64 {
        let requests = self.requests().into_iter();
        requests
            .filter(|(kind, _)| kind.client_id == client_id && kind.api_key == api_key)
            .map(|(_, count)| count)
            .sum()
    }

    /// Everything it has seen of a client, for people: API, version, how often.
    ///
    /// # Panics
    /// As [`Tap::requests`].
    pub fn summary(&self, client_id: &str) -> Vec<String> {
        let own = self.requests().into_iter().filter(|(kind, _)| kind.client_id == client_id);
        own.map(|(kind, count)| format!("{} v{}: {count}", api_name(kind.api_key), kind.api_version)).collect()
    }

    /// Forgets what it has seen.
    pub fn forget(&self) {
        self.own().counts.lock().unwrap().clear();
    }

    /// Gets in the way from now on, or not any more.
    ///
    /// # Panics
    /// Others use it too.
    pub fn fault(&self, fault: impl Into<Option<Fault>>) {
        *self.own().fault.lock().unwrap() = fault.into();
    }

    /// Cuts every connection.
    ///
    /// # Panics
    /// Others use it too.
    pub fn cut(&self) {
        self.own().connections.lock().unwrap().iter().for_each(|connection| connection.cut());
    }

    /// Cuts every connection of one client, whoever else uses the tap.
    pub fn cut_client(&self, client_id: &str) {
        let connections = self.shared.connections.lock().unwrap();
        connections.iter().filter(|connection| connection.is_of(client_id)).for_each(|connection| connection.cut());
    }

    fn own(&self) -> &Shared {
        assert!(!self.is_others_too, "other tests need the shared broker's tap; take a broker of your own");
        &self.shared
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
        self.shared.connections.lock().unwrap().iter().for_each(|connection| connection.cut());
        // Wakes the thread that accepts.
        let _ = TcpStream::connect(self.address);
    }
}

/// Leads a client on, unless the way is closed.
fn accept(shared: &Arc<Shared>, client: TcpStream) {
    if *shared.fault.lock().unwrap() == Some(Fault::Refuse) {
        return;
    }
    let target = shared.target.lock().unwrap().clone();
    // While the broker is down a client is closed as soon as it comes.
    let Some(broker) = target.and_then(|target| TcpStream::connect(target).ok()) else { return };
    let connection = Arc::new(Connection::new(client, broker));
    let mut connections = shared.connections.lock().unwrap();
    connections.retain(|connection| !connection.is_over());
    connections.push(Arc::clone(&connection));
    drop(connections);
    for direction in [Direction::Requests, Direction::Answers] {
        let (connection, shared) = (Arc::clone(&connection), Arc::clone(shared));
        thread::spawn(move || connection.carry(direction, &shared));
    }
}
