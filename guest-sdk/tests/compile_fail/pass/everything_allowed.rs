//! All that a declaration may say, without a warning.

#![deny(warnings, unused_qualifications)]

use std::collections::HashMap;
use std::time::Duration;
use streamlet::{
    Declaration, Inlet, MemorySize, Outlet, ParameterDeclaration, ParameterType, PortDeclaration, Streamlet,
};

/// Routes cart events
/// to the valid or review outlet.
///
/// Nothing is lost.
#[derive(Streamlet)]
struct HTTPCartRouter2 {
    #[inlet(schema = "cart-events.v1")]
    r#in: Inlet,
    #[inlet(name = "late", schema = "cart-events.v2")]
    late_carts: Inlet,
    #[outlet(schema = "cart-events.v1")]
    valid: Outlet,
    #[outlet(schema = "cart-events.v1", name = "review-1")]
    review: Outlet,
    /// Carts with a total above this
    /// go to the review outlet.
    #[parameter(default = 1_00)]
    review_threshold: i64,
    #[parameter(key = "lowest", default = -0x10)]
    least: i64,
    #[parameter(default = -0.5)]
    ratio: f64,
    #[parameter(default = true)]
    strict: bool,
    #[parameter(default = "eu")]
    region: String,
    #[parameter(default = "1.5 s")]
    pause: Duration,
    #[parameter(default = "1 MiB")]
    buffer: MemorySize,
    #[parameter]
    required: String,
    #[parameter()]
    also_required: Duration,
    seen: HashMap<String, Vec<i64>>,
    count: u64,
}

#[derive(Streamlet)]
#[streamlet(name = "2nd")]
struct Named {
    #[inlet(schema = "carts.v1")]
    carts: Inlet,
}

/// What `macro_rules!` substitutes is as good as what is written.
macro_rules! declare {
    ($name:ident, $parameter:ty, $default:expr, $schema:literal) => {
        #[derive(Streamlet)]
        struct $name {
            #[inlet(schema = $schema)]
            carts: Inlet,
            #[parameter(default = $default)]
            limit: $parameter,
        }
    };
}
declare!(Generated, i64, -5, "carts.v1");

const EXPECTED: Declaration = Declaration {
    name: "http-cart-router2",
    description: "Routes cart events to the valid or review outlet.\nNothing is lost.",
    inlets: &[
        PortDeclaration { name: "in", schema: "cart-events.v1" },
        PortDeclaration { name: "late", schema: "cart-events.v2" },
    ],
    outlets: &[
        PortDeclaration { name: "valid", schema: "cart-events.v1" },
        PortDeclaration { name: "review-1", schema: "cart-events.v1" },
    ],
    parameters: &[
        ParameterDeclaration {
            key: "review-threshold",
            description: "Carts with a total above this go to the review outlet.",
            parameter_type: ParameterType::Integer,
            default: Some("100"),
        },
        parameter("lowest", ParameterType::Integer, Some("-16")),
        parameter("ratio", ParameterType::Double, Some("-0.5")),
        parameter("strict", ParameterType::Boolean, Some("true")),
        parameter("region", ParameterType::Text, Some("eu")),
        parameter("pause", ParameterType::Duration, Some("1.5 s")),
        parameter("buffer", ParameterType::MemorySize, Some("1 MiB")),
        parameter("required", ParameterType::Text, None),
        parameter("also-required", ParameterType::Duration, None),
    ],
};

const fn parameter(
    key: &'static str,
    parameter_type: ParameterType,
    default: Option<&'static str>,
) -> ParameterDeclaration {
    ParameterDeclaration { key, description: "", parameter_type, default }
}

/// Reads what an author's `process` would read; inlets are declared and need not be.
fn read(router: &mut HTTPCartRouter2) -> u64 {
    router.seen.entry(router.region.clone()).or_default().push(router.review_threshold + router.least);
    let _ = (router.valid, router.review, router.ratio, router.strict, router.pause);
    let _ = (router.buffer, &router.required, router.also_required);
    router.count += 1;
    router.count
}

fn main() {
    assert_eq!(HTTPCartRouter2::DECLARATION, EXPECTED);
    assert_eq!(Named::DECLARATION.name, "2nd");
    assert_eq!(Generated::DECLARATION.parameters[0].default, Some("-5"));
    let _: fn(&mut HTTPCartRouter2) -> u64 = read;
    let _ = |generated: Generated| generated.limit;
}
