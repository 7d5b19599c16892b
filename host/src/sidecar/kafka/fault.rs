//! What voids a conversation: the first fault ends it, and everything in flight with it.

use tokio::sync::mpsc;

/// Why a conversation cannot go on. The next one begins at the committed offsets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    /// What was attempted, what went wrong and where, on one line.
    pub(super) text: String,
}

/// Where faults are told. Clones share it.
#[derive(Debug, Clone)]
pub(super) struct Faults(mpsc::Sender<Fault>);

impl Faults {
    /// The second is where the first fault arrives; later ones change nothing any more.
    pub(super) fn channel() -> (Self, mpsc::Receiver<Fault>) {
        let (sender, receiver) = mpsc::channel(1);
        (Self(sender), receiver)
    }

    /// Ends the conversation.
    pub(super) fn tell(&self, text: impl Into<String>) {
        let _ = self.0.try_send(Fault { text: text.into() });
    }
}

/// Held by a task or thread that must not vanish unnoticed: if it panics, which is a bug of ours, the conversation ends.
#[derive(Debug)]
pub(super) struct PanicWatch {
    pub(super) faults: Faults,
    pub(super) whose: &'static str,
}

impl Drop for PanicWatch {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.faults.tell(format!("{} panicked; this is a bug of the host", self.whose));
        }
    }
}
