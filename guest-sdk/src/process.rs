//! What a streamlet does, the one trait that authors write.

use crate::batch::Batch;
use crate::conversation::Conversation;
use crate::declaration::Streamlet;
use crate::emits::Emits;
use crate::error::Result;

/// A streamlet's work.
///
/// There is one instance per inlet partition, and it processes one batch at a time in offset order. `&mut self` may
/// cache, but the cache may vanish between any two batches and never outlives a conversation: after a failure, and
/// whenever the host pleases, a fresh instance takes over.
///
/// ```
/// use streamlet::prelude::*;
///
/// /// Drops what has no key.
/// #[derive(Streamlet)]
/// struct KeyedOnly {
///     #[inlet(schema = "carts.v1")]
///     carts: Inlet,
///     #[outlet(schema = "carts.v1")]
///     keyed: Outlet,
/// }
///
/// impl Process for KeyedOnly {
///     fn process(&mut self, batch: &Batch, out: &mut Emits) -> Result<()> {
///         for record in batch {
///             if record.key().is_some() {
///                 out.forward(self.keyed, record);
///             }
///         }
///         Ok(())
///     }
/// }
/// streamlet::export!(KeyedOnly);
/// ```
pub trait Process: Streamlet {
    /// Prepares the instance, once, before its first batch.
    ///
    /// # Errors
    /// The batch that needed the instance fails with the error's text; the next batch tries again on a fresh instance.
    fn start(&mut self, conversation: &Conversation) -> Result<()> {
        let _ = conversation;
        Ok(())
    }

    /// Turns a batch into emits. A record of which nothing is emitted is skipped.
    ///
    /// # Errors
    /// The whole batch fails: nothing of it is emitted, and it comes again.
    fn process(&mut self, batch: &Batch, out: &mut Emits) -> Result<()>;
}
