//! The implementation that a declaration stands for.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use streamlet_protocol::parameter::ParameterType;
use syn::spanned::Spanned;
use syn::{DeriveInput, Ident};

use crate::checks;
use crate::model::{self, Field, Model, Parameter, Port, Role};
use crate::problems::Problems;

/// What `#[derive(Streamlet)]` adds next to the struct: the implementation, or every problem.
pub(crate) fn expand(input: &DeriveInput) -> TokenStream {
    let mut problems = Problems::default();
    let model = read_and_check(input, &mut problems);
    if problems.is_empty() { implementation(&model) } else { refusal(input, &problems) }
}

/// Reads the struct and notes all that is wrong with it.
pub(crate) fn read_and_check<'a>(input: &'a DeriveInput, problems: &mut Problems) -> Model<'a> {
    let model = model::read(input, problems);
    checks::check(&model, input, problems);
    model
}

/// The problems, and an implementation that declares nothing: without one, every use of the type would add an error
/// that hides the cause. A generic type gets none, since it could not be `'static`.
fn refusal(input: &DeriveInput, problems: &Problems) -> TokenStream {
    let errors = problems.to_compile_errors();
    if !input.generics.params.is_empty() {
        return errors;
    }
    let type_name = &input.ident;
    quote! {
        #errors

        #[automatically_derived]
        impl ::streamlet::Streamlet for #type_name {
            const DECLARATION: ::streamlet::Declaration = ::streamlet::Declaration {
                name: "",
                description: "",
                inlets: &[],
                outlets: &[],
                parameters: &[],
            };

            fn from_config(_: &::streamlet::Config) -> ::streamlet::Result<Self> {
                ::core::unreachable!()
            }
        }
    }
}

fn implementation(model: &Model<'_>) -> TokenStream {
    let Model { type_name, name, description, fields } = model;
    let inlets = fields.iter().filter_map(|field| if let Role::Inlet(port) = &field.role { Some(port) } else { None });
    let outlets =
        fields.iter().filter_map(|field| if let Role::Outlet(port) = &field.role { Some(port) } else { None });
    let parameters = fields
        .iter()
        .filter_map(|field| if let Role::Parameter(parameter) = &field.role { Some(parameter) } else { None });
    let from_config = from_config(fields);
    quote! {
        #[automatically_derived]
        impl ::streamlet::Streamlet for #type_name {
            const DECLARATION: ::streamlet::Declaration = ::streamlet::Declaration {
                name: #name,
                description: #description,
                inlets: &[#(#inlets),*],
                outlets: &[#(#outlets),*],
                parameters: &[#(#parameters),*],
            };

            #from_config
        }
    }
}

/// The constructor. Each value is located at its field's type, so that the compiler's complaint about a type, such as
/// one that is not the SDK's, lands there; it stays generated code, which no lint about the author's style applies to.
fn from_config(fields: &[Field<'_>]) -> TokenStream {
    let config = Ident::new("config", Span::mixed_site());
    let count = || (0_usize..).map(Literal::usize_unsuffixed);
    let (mut inlet_indices, mut outlet_indices) = (count(), count());
    let values = fields.iter().map(|Field { ident, value_type, role }| {
        let span = Span::call_site().located_at(value_type.span());
        let value = match role {
            Role::Inlet(_) => {
                let index = inlet_indices.next();
                quote_spanned!(span=> ::streamlet::Inlet::at(#index))
            }
            Role::Outlet(_) => {
                let index = outlet_indices.next();
                quote_spanned!(span=> ::streamlet::Outlet::at(#index))
            }
            Role::Parameter(parameter) => {
                let key = &parameter.key.text;
                quote_spanned!(span=> #config.get(#key)?)
            }
            Role::State => quote_spanned!(span=> <#value_type as ::core::default::Default>::default()),
        };
        quote!(#ident: #value)
    });
    let values: Vec<TokenStream> = values.collect();
    // An inlet's field declares a port and need not be read: a streamlet with one inlet never asks which it was.
    let inlets = fields.iter().filter(|field| matches!(field.role, Role::Inlet(_))).map(|field| field.ident);
    quote! {
        fn from_config(#config: &::streamlet::Config) -> ::streamlet::Result<Self> {
            let _ = #config;
            let streamlet = Self { #(#values),* };
            #(let _ = &streamlet.#inlets;)*
            ::core::result::Result::Ok(streamlet)
        }
    }
}

impl ToTokens for Port {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let (name, schema) = (&self.name.text, &self.schema);
        tokens.extend(quote!(::streamlet::PortDeclaration { name: #name, schema: #schema }));
    }
}

impl ToTokens for Parameter {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { key, description, value_type, default } = self;
        let key = &key.text;
        let variant = match value_type {
            ParameterType::Text => quote!(Text),
            ParameterType::Integer => quote!(Integer),
            ParameterType::Double => quote!(Double),
            ParameterType::Boolean => quote!(Boolean),
            ParameterType::Duration => quote!(Duration),
            ParameterType::MemorySize => quote!(MemorySize),
        };
        let default = default
            .as_ref()
            .map_or_else(|| quote!(::core::option::Option::None), |text| quote!(::core::option::Option::Some(#text)));
        tokens.extend(quote! {
            ::streamlet::ParameterDeclaration {
                key: #key,
                description: #description,
                parameter_type: ::streamlet::ParameterType::#variant,
                default: #default,
            }
        });
    }
}
