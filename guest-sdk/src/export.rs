//! `export!`, the one line that makes a crate a component.

/// Makes a streamlet the component's. Called once, at the end of the crate; outside WebAssembly it only checks that
/// the type is a streamlet, so that the crate can be tested natively.
///
/// ```
/// # use streamlet::prelude::*;
/// /// Drops everything.
/// #[derive(Streamlet)]
/// struct Drain {
///     #[inlet(schema = "carts.v1")]
///     carts: Inlet,
/// }
///
/// impl Process for Drain {
///     fn process(&mut self, _: &Batch, _: &mut Emits) -> Result<()> {
///         Ok(())
///     }
/// }
/// streamlet::export!(Drain);
/// ```
#[macro_export]
macro_rules! export {
    ($streamlet:ty) => {
        const _: () = {
            const fn is_a_streamlet<S: $crate::Process>() {}
            is_a_streamlet::<$streamlet>();
        };
        $crate::__component!($streamlet);
    };
}

/// The component's exports, in terms of the generated bindings.
#[cfg(target_arch = "wasm32")]
#[doc(hidden)]
#[macro_export]
macro_rules! __component {
    ($streamlet:ty) => {
        const _: () = {
            type Exported = $crate::guest::Exported<$streamlet>;
    $crate::guest::bindings::export_component!(Exported with_types_in $crate::guest::bindings);
        };
    };
}

/// Nothing: a native library with a component's exports does not link.
#[cfg(not(target_arch = "wasm32"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __component {
    ($streamlet:ty) => {};
}
