//! Whole structs through the macro: what it writes, and what it says. The compiler's view of both, with the tokens
//! blamed, is in the SDK's `tests/compile_fail`.

use syn::{DeriveInput, parse_quote};

use crate::expand::{expand, read_and_check};
use crate::problems::Problems;

fn problems_of(input: &DeriveInput) -> Vec<String> {
    let mut problems = Problems::default();
    read_and_check(input, &mut problems);
    problems.messages()
}

#[test]
fn a_struct_becomes_its_declaration_and_constructor() {
    let written = expand(&parse_quote! {
        /// Routes cart events.
        struct CartRouter {
            #[inlet(name = "in", schema = "cart-events.v1")] carts: Inlet,
            #[outlet(schema = "cart-events.v1")] valid: Outlet,
            #[outlet(schema = "cart-events.v1")] review: Outlet,
            /// Above this, review.
            #[parameter(default = 100)] review_threshold: i64,
            seen: HashMap<String, i64>,
        }
    });
    let expected = quote::quote! {
        #[automatically_derived]
        impl ::streamlet::Streamlet for CartRouter {
            const DECLARATION: ::streamlet::Declaration = ::streamlet::Declaration {
                name: "cart-router",
                description: "Routes cart events.",
                inlets: &[::streamlet::PortDeclaration { name: "in", schema: "cart-events.v1" }],
                outlets: &[
                    ::streamlet::PortDeclaration { name: "valid", schema: "cart-events.v1" },
                    ::streamlet::PortDeclaration { name: "review", schema: "cart-events.v1" }
                ],
                parameters: &[::streamlet::ParameterDeclaration {
                    key: "review-threshold",
                    description: "Above this, review.",
                    parameter_type: ::streamlet::ParameterType::Integer,
                    default: ::core::option::Option::Some("100"),
                }],
            };

            fn from_config(config: &::streamlet::Config) -> ::streamlet::Result<Self> {
                let _ = config;
                let streamlet = Self {
                    carts: ::streamlet::Inlet::at(0),
                    valid: ::streamlet::Outlet::at(0),
                    review: ::streamlet::Outlet::at(1),
                    review_threshold: config.get("review-threshold")?,
                    seen: <HashMap<String, i64> as ::core::default::Default>::default()
                };
                let _ = &streamlet.carts;
                ::core::result::Result::Ok(streamlet)
            }
        }
    };
    assert_eq!(written.to_string(), expected.to_string());
}

#[test]
fn every_problem_of_a_struct_is_reported_at_once() {
    let messages = problems_of(&parse_quote! {
        #[streamlet(name = "Router")]
        struct Router {
            #[inlet(name = "in")] carts: Inlet,
            #[outlet(name = "in", schema = "")] valid: Inlet,
            #[parameter(default = "100")] limit: i64,
            #[parameter(key = "limit")] other: u64,
        }
    });
    assert_eq!(messages.len(), 8, "{messages:#?}");
}

#[test]
fn a_faulty_struct_still_implements_the_trait() {
    let written = expand(&parse_quote!(
        enum Router {
            A,
        }
    ))
    .to_string();
    assert!(written.contains("compile_error"));
    assert!(written.contains("impl :: streamlet :: Streamlet for Router"));
}

#[test]
fn a_mistyped_argument_is_one_problem() {
    let messages = problems_of(&parse_quote!(
        struct Router {
            #[inlet(shema = "carts.v1")]
            carts: Inlet,
        }
    ));
    assert_eq!(messages, ["#[inlet] has no argument \"shema\": it takes schema and name"]);
}

#[test]
fn a_faulty_inlet_is_not_also_a_missing_one() {
    let messages = problems_of(&parse_quote!(
        struct Router {
            #[inlet(schema carts)]
            carts: Inlet,
        }
    ));
    assert_eq!(messages.len(), 1, "{messages:#?}");
}

#[test]
fn types_are_known_by_their_last_word() {
    let messages = problems_of(&parse_quote! {
        struct Router {
            #[inlet(schema = "carts.v1")] carts: streamlet::Inlet,
            #[parameter] pause: std::time::Duration,
            #[parameter] size: streamlet::MemorySize,
            #[parameter] region: std::string::String,
        }
    });
    assert_eq!(messages, [""; 0]);
}

#[test]
fn a_type_that_is_nearly_right_gets_the_right_one_named() {
    for (field_type, nearest) in [
        ("u64", "use i64"),
        ("usize", "use i64"),
        ("f32", "use f64"),
        ("&'static str", "use String"),
        ("Cow<'static, str>", "use String"),
        ("Option<i64>", "with a default"),
        ("Vec<String>", "use one of these"),
        ("(i64, i64)", "use one of these"),
        ("Duration<Nanos>", "use one of these"),
    ] {
        let field_type: syn::Type = syn::parse_str(field_type).unwrap();
        let messages = problems_of(&parse_quote! {
            struct Router { #[inlet(schema = "carts.v1")] carts: Inlet, #[parameter] limit: #field_type }
        });
        assert_eq!(messages.len(), 1);
        assert!(messages[0].ends_with(nearest), "{messages:?}");
    }
}
