//! `#[derive(Streamlet)]`: reads a struct as a streamlet's schema and configuration and writes its declaration.
//!
//! The crate owns how Rust's words become the platform's: type and field names, doc comments, field types, literals.
//! The rules those words must keep live in `streamlet-protocol`, so that a declaration that compiles is one the
//! platform accepts. It refuses everything else while compiling, with every problem of a struct at once, each on the
//! token at fault. The struct itself stays as its author wrote it.

mod arguments;
mod checks;
mod expand;
mod fields;
mod literal;
mod model;
mod parameter_type;
mod problems;
#[cfg(test)]
mod tests;
mod words;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Implements `streamlet::Streamlet` for a struct with named fields.
///
/// ```
/// use std::collections::HashMap;
/// use std::time::Duration;
/// use streamlet::{Inlet, Outlet, Streamlet};
///
/// /// Routes cart events to the valid or review outlet.
/// #[derive(Streamlet)]
/// struct CartRouter {
///     #[inlet(name = "in", schema = "cart-events.v1")]
///     carts: Inlet,
///     #[outlet(schema = "cart-events.v1")]
///     valid: Outlet,
///     /// Carts with a total above this are left out.
///     #[parameter(default = 100)]
///     review_threshold: i64,
///     /// How long a total is remembered.
///     #[parameter(key = "memory", default = "1.5 s")]
///     remembered_for: Duration,
///     seen: HashMap<String, i64>,
/// }
///
/// let declaration = CartRouter::DECLARATION;
/// assert_eq!(declaration.name, "cart-router");
/// assert_eq!(declaration.description, "Routes cart events to the valid or review outlet.");
/// assert_eq!(declaration.inlets[0].name, "in");
/// assert_eq!(declaration.parameters[0].key, "review-threshold");
/// assert_eq!(declaration.parameters[1].default, Some("1.5 s"));
/// ```
///
/// # The struct
///
/// The streamlet is named after the type, in kebab-case: `CartRouter` is `cart-router`, `HTTPProxy` is `http-proxy`,
/// `Router2` is `router2`. `#[streamlet(name = "…")]` names it otherwise. Its doc comment is its description: the lines
/// of a paragraph are joined by a space, paragraphs by a line feed.
///
/// # The fields
///
/// | attribute | field type | arguments |
/// |---|---|---|
/// | `#[inlet(…)]`, one at least | `Inlet` | `schema = "…"`; `name = "…"` |
/// | `#[outlet(…)]` | `Outlet` | `schema = "…"`; `name = "…"` |
/// | `#[parameter]`, `#[parameter(…)]` | `String`, `i64`, `f64`, `bool`, `Duration`, `MemorySize` | `default = …`; `key = "…"` |
/// | none: state | any that is `Default` | |
///
/// Without `name` or `key` the wire has the field's name with `-` for `_`, and `in` for `r#in`. The field's type is
/// recognised by the last word of its path, so `std::time::Duration` is `Duration`. A parameter's doc comment is its
/// description, while the wire has none for a port. Without a `default` a deployment must set the parameter.
///
/// A default is a literal of the field's type: `100`, `-1`, `0x10` (declared as `16`); `0.5`, `1e3`; `true`; and in
/// quotes for the other three, as the platform reads them: `"eu"`, `"100 ms"`, `"1 MiB"`.
///
/// An inlet's field need not be read: it declares the port. An outlet or a parameter that nothing reads is worth the
/// compiler's warning, and gets it.
#[proc_macro_derive(Streamlet, attributes(streamlet, inlet, outlet, parameter))]
pub fn derive_streamlet(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::expand(&input).into()
}
