//! What is wrong with one struct, all of it: an author should need one compilation to see every problem.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::ToTokens;

/// Problems in the order in which they were found.
#[derive(Default)]
pub(crate) struct Problems(Vec<syn::Error>);

impl Problems {
    /// Notes a problem, to be shown on `at`.
    pub(crate) fn note(&mut self, at: impl ToTokens, message: impl Display) {
        self.0.push(syn::Error::new_spanned(at, message));
    }

    /// Notes a problem that `syn` found.
    pub(crate) fn note_syntax(&mut self, error: syn::Error) {
        self.0.push(error);
    }

    /// Is there nothing to report?
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The messages alone.
    #[cfg(test)]
    pub(crate) fn messages(&self) -> Vec<String> {
        self.0.iter().map(ToString::to_string).collect()
    }

    /// One `compile_error!` per problem.
    pub(crate) fn to_compile_errors(&self) -> TokenStream {
        self.0.iter().map(syn::Error::to_compile_error).collect()
    }
}
