//! Inlets and outlets as fields of a streamlet: an index each.

/// A declared inlet: where batches come from. A field of a streamlet's struct.
///
/// ```
/// # use streamlet::{Batch, Inlet};
/// # struct Join { prices: Inlet, carts: Inlet }
/// # impl Join {
/// fn is_price(&self, batch: &Batch) -> bool {
///     batch.inlet() == self.prices
/// }
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Inlet(u32);

/// A declared outlet: where emits go. A field of a streamlet's struct.
///
/// ```
/// # use streamlet::{Batch, Emits, Outlet};
/// # struct Copy { valid: Outlet }
/// # impl Copy {
/// fn copy(&self, batch: &Batch, out: &mut Emits) {
///     for record in batch {
///         out.forward(self.valid, record);
///     }
/// }
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Outlet(u32);

impl Inlet {
    /// The inlet of this index among the declared ones: what the derive macro fills fields with.
    #[doc(hidden)]
    pub const fn at(index: u32) -> Self {
        Self(index)
    }
}

impl Outlet {
    /// The outlet of this index among the declared ones: what the derive macro fills fields with.
    #[doc(hidden)]
    pub const fn at(index: u32) -> Self {
        Self(index)
    }

    /// The index among the declared outlets.
    pub(crate) const fn index(self) -> u32 {
        self.0
    }
}
