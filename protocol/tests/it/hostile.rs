//! Descriptors that must be refused, each by name, and differences that must be found.

use streamlet_protocol::{
    Descriptor, Parameter, ParameterType,
    descriptor::{compare, compare_exact},
};

use crate::declarations::{declare, parameter};

fn sound() -> Descriptor {
    declare(
        ("test", "1"),
        ("cart", "Carts."),
        &[("in", "cart.v1")],
        &[("out", "cart.v1"), ("late", "late.v1")],
        &[("limit", ParameterType::Integer, "5", "At most."), ("secret", ParameterType::Text, "", "")],
    )
}

fn problems(change: impl FnOnce(&mut Descriptor)) -> Vec<String> {
    let mut descriptor = sound();
    change(&mut descriptor);
    descriptor.validate().unwrap_err().iter().map(ToString::to_string).collect()
}

/// The change causes exactly the one problem.
fn check(change: impl FnOnce(&mut Descriptor), expect: &str) {
    assert_eq!(problems(change), [expect]);
}

#[test]
fn every_rule_is_named() {
    assert_eq!(sound().validate(), Ok(()));
    check(
        |it| it.protocol_version = "1".into(),
        r#"cannot read protocol version "1": it is MAJOR.MINOR, two unsigned integers, such as "1.0""#,
    );
    check(
        |it| it.name = "Cart".into(),
        r#"streamlet name "Cart" is not allowed: it is 1 to 63 of a-z, 0-9 and '-', with no '-' at either end"#,
    );
    check(
        |it| it.inlets[0].name = "1in".into(),
        r#"the inlet's port name "1in" is not allowed: it is 1 to 63 of a-z, 0-9 and '-', and begins with a letter"#,
    );
    check(
        |it| it.outlets[0].name = String::new(),
        r#"the outlet's port name "" is not allowed: it is 1 to 63 of a-z, 0-9 and '-', and begins with a letter"#,
    );
    check(
        |it| it.parameters[0].key = "Limit".into(),
        r#"parameter key "Limit" is not allowed: it is made of a-z, 0-9 and '-', and begins with a letter"#,
    );
    check(
        |it| it.outlets[0].name = "late".into(),
        r#"port "late" is declared 2 times (0 as inlet, 2 as outlet): give each port a name of its own"#,
    );
    check(
        |it| it.outlets[0].name = "in".into(),
        r#"port "in" is declared 2 times (1 as inlet, 1 as outlet): give each port a name of its own"#,
    );
    check(
        |it| it.parameters[1].key = "limit".into(),
        r#"parameter "limit" is declared 2 times: give each parameter a key of its own"#,
    );
    check(
        |it| it.inlets[0].contract.format = "avro".into(),
        r#"inlet "in" has the unknown format "avro": the only format is "json""#,
    );
    check(
        |it| it.inlets[0].contract.format = "JSON".into(),
        r#"inlet "in" has the unknown format "JSON": the only format is "json""#,
    );
    check(
        |it| it.outlets[1].contract.schema_name = String::new(),
        r#"outlet "late" has no schema name: name what its records are, such as "cart-events.v1""#,
    );
    check(
        |it| it.outlets[1].contract.fingerprint = "nope".into(),
        concat!(
            r#"outlet "late" has the fingerprint "nope", but that of schema "late.v1" is "#,
            r#""MbXDS11OjirDTtOdUZj+eYIKUAn58YW+YLgop5t2mjY=""#,
        ),
    );
    check(
        |it| it.parameters[0].default = Some(String::new()),
        "parameter \"limit\" has an empty default, which the platform reads as none: \
         declare another, or none to make it required",
    );
}

#[test]
fn a_fingerprint_is_exact() {
    let right = sound().inlets[0].contract.fingerprint.clone();
    for wrong in [
        right.trim_end_matches('=').to_owned(),
        right.to_lowercase(),
        right.replace('+', "-"),
        format!(" {right}"),
        String::new(),
    ] {
        if wrong != right {
            assert_eq!(problems(|it| it.inlets[0].contract.fingerprint = wrong).len(), 1);
        }
    }
}

#[test]
fn a_default_of_every_type_is_checked() {
    use ParameterType::{Boolean, Double, Duration, Integer, MemorySize};
    for (parameter_type, bad) in [
        (Integer, &["1.5", "1e3", "x", " 1", "9223372036854775808", "--1", "0x10"][..]),
        (Double, &["x", "NaN", "inf", "-infinity", "1e999", "1,5", "1.5 "][..]),
        (Boolean, &["TRUE", "yes", "on", "1", " true"][..]),
        (Duration, &["ms", "5 parsecs", "-1 s", "1.2.3 s", "600 years", "300000 d", "NaN s", " "][..]),
        (MemorySize, &["MiB", "1 mb", "1 KB", "-1", "17 EiB", "1 ZB", "1__0 B", "\t"][..]),
    ] {
        for text in bad {
            let row = Parameter { default: Some((*text).to_owned()), ..parameter(("limit", parameter_type, "", "")) };
            let found = problems(|it| it.parameters[0] = row);
            assert_eq!(found.len(), 1, "{text:?}: {found:?}");
            let start =
                format!("the default of parameter \"limit\" cannot be used: cannot read {text:?} as {parameter_type}");
            assert!(found[0].starts_with(&start), "{found:?}");
        }
    }
}

#[test]
fn ten_problems_are_ten_lines() {
    let found = problems(|it| {
        it.protocol_version = "1.0.0".into();
        it.name = "-".into();
        it.inlets[0].name = "_".into();
        it.inlets[0].contract.format = String::new();
        it.inlets[0].contract.fingerprint = String::new();
        it.outlets[0].contract.schema_name = String::new();
        it.outlets[1].name = "out".into();
        it.parameters[0].default = Some("many".into());
        it.parameters[1].key = "limit".into();
        it.parameters[1].default = Some(String::new());
    });
    assert_eq!(found.len(), 10, "{found:#?}");
}

#[test]
fn a_hostile_name_cannot_forge_a_line() {
    let found = problems(|it| it.name = "a\nERROR \u{1b}[31m\"".into());
    assert!(found[0].starts_with(r#"streamlet name "a\nERROR \u{1b}[31m\"" is"#), "{found:?}");
}

/// The differences as lines: the sidecar's, and the exact ones beyond them.
fn differ(change: impl FnOnce(&mut Descriptor)) -> (Vec<String>, Vec<String>) {
    let mut offered = sound();
    change(&mut offered);
    let lines =
        |found: Vec<streamlet_protocol::descriptor::Difference>| found.iter().map(ToString::to_string).collect();
    let (plain, exact): (Vec<String>, Vec<String>) =
        (lines(compare(&sound(), &offered)), lines(compare_exact(&sound(), &offered)));
    let beyond = exact.into_iter().filter(|line| !plain.contains(line)).collect();
    (plain, beyond)
}

#[test]
fn every_difference_is_named() {
    let (plain, beyond) = differ(|it| {
        it.name = "basket".into();
        it.inlets[0].contract = streamlet_protocol::Contract {
            format: "avro".into(),
            schema_name: "cart.v2".into(),
            fingerprint: "f".into(),
        };
        it.outlets[0].name = "exit".into();
        it.parameters[0].parameter_type = ParameterType::Double;
        it.parameters[0].default = None;
        it.parameters[1].key = "public".into();
    });
    let schema_fingerprint = sound().inlets[0].contract.fingerprint.clone();
    assert_eq!(
        plain,
        [
            r#"the streamlet is "cart" as deployed, and "basket" as offered"#,
            r#"inlet "in": the format is "json" as deployed, and "avro" as offered"#,
            r#"inlet "in": the schema name is "cart.v1" as deployed, and "cart.v2" as offered"#,
            &format!(r#"inlet "in": the fingerprint is "{schema_fingerprint}" as deployed, and "f" as offered"#),
            r#"outlet "out" is deployed, but not offered"#,
            r#"outlet "exit" is offered, but not deployed"#,
            r#"parameter "limit": the type is INTEGER as deployed, and DOUBLE as offered"#,
            r#"parameter "limit": the default is "5" as deployed, and none as offered"#,
            r#"parameter "secret" is deployed, but not offered"#,
            r#"parameter "public" is offered, but not deployed"#,
        ]
    );
    assert_eq!(beyond, Vec::<String>::new());
}

#[test]
fn only_the_exact_comparison_sees_descriptions_and_the_version() {
    let (plain, beyond) = differ(|it| {
        it.protocol_version = "1.1".into();
        it.description = "Baskets.".into();
        it.parameters[0].description = String::new();
    });
    assert_eq!(plain, Vec::<String>::new());
    assert_eq!(
        beyond,
        [
            r#"the protocol version is "1.0" as deployed, and "1.1" as offered"#,
            r#"the streamlet's description is "Carts." as deployed, and "Baskets." as offered"#,
            r#"parameter "limit": the description is "At most." as deployed, and "" as offered"#,
        ]
    );
}

#[test]
fn neither_comparison_sees_the_sdk_or_an_order() {
    let found = differ(|it| {
        it.sdk.version = "2".into();
        it.outlets.reverse();
        it.parameters.reverse();
    });
    assert_eq!(found, (vec![], vec![]));
}

#[test]
fn a_port_that_changed_direction_is_missing_and_extra() {
    let (plain, _) = differ(|it| {
        let port = it.outlets.remove(1);
        it.inlets.push(port);
    });
    assert_eq!(
        plain,
        [r#"inlet "late" is offered, but not deployed"#, r#"outlet "late" is deployed, but not offered"#]
    );
}
