//! Properties: nothing panics, and what is written is read back.

use proptest::prelude::*;
use streamlet_protocol::{
    Contract, Descriptor, Parameter, ParameterType, Port, SdkInfo, descriptor, json,
    parameter::{resolve_json, resolve_text},
    units::{parse_duration, parse_size},
};

use crate::declarations;

fn types() -> impl Strategy<Value = ParameterType> {
    proptest::sample::select(ParameterType::ALL.to_vec())
}

/// Any text, often of the letters that matter to a reader.
fn texts() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[a-z0-9.\" \\\\{}\\[\\]:,\n-]{0,12}"]
}

prop_compose! {
    fn ports()(name in texts(), format in texts(), schema_name in texts(), fingerprint in texts()) -> Port {
        Port { name, contract: Contract { format, schema_name, fingerprint } }
    }
}

prop_compose! {
    fn parameters()(
        key in texts(),
        description in texts(),
        parameter_type in types(),
        default in proptest::option::of(texts().prop_filter("an empty default is none", |text| !text.is_empty())),
    ) -> Parameter {
        Parameter { key, description, parameter_type, default }
    }
}

prop_compose! {
    fn descriptors()(
        (protocol_version, sdk_name, version) in (texts(), texts(), texts()),
        (name, description) in (texts(), texts()),
        inlets in prop::collection::vec(ports(), 0..5),
        outlets in prop::collection::vec(ports(), 0..5),
        parameters in prop::collection::vec(parameters(), 0..5),
    ) -> Descriptor {
        let sdk = SdkInfo { name: sdk_name, version };
        Descriptor { protocol_version, sdk, name, description, inlets, outlets, parameters }
    }
}

proptest! {
    #[test]
    fn canonical_json_is_read_back(descriptor in descriptors()) {
        let text = json::to_canonical(&descriptor);
        let read = json::from_json(&text).unwrap();
        let mut sorted = descriptor.clone();
        sorted.sort();
        prop_assert_eq!(&read, &sorted);
        prop_assert_eq!(json::to_canonical(&read), text);
        for problem in descriptor.validate().err().unwrap_or_default() {
            prop_assert!(!problem.to_string().contains('\n'));
        }
        let mut valid = sorted;
        valid.inlets.dedup_by(|left, right| left.name == right.name);
        valid.outlets.dedup_by(|left, right| left.name == right.name);
        valid.parameters.dedup_by(|left, right| left.key == right.key);
        prop_assert_eq!(descriptor::compare_exact(&valid, &valid), []);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = json::from_json(&bytes);
    }

    #[test]
    fn no_damage_to_a_fixture_makes_the_reader_panic(
        which in 0..12_usize,
        cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3_u8), 1..6),
    ) {
        let all: Vec<Descriptor> = declarations::shared().into_iter().chain(declarations::own()).collect();
        let mut bytes = json::to_canonical(&all[which]).into_bytes();
        for (place, byte, how) in cuts {
            let place = place.index(bytes.len());
            match how {
                0 => bytes[place] = byte,
                1 => { bytes.remove(place); }
                _ => bytes.insert(place, b"{}[]\",:\\0e-"[usize::from(byte) % 11]),
            }
        }
        if let Ok(read) = json::from_json(&bytes) {
            let text = json::to_canonical(&read);
            prop_assert_eq!(json::to_canonical(&json::from_json(&text).unwrap()), text);
            let _ = read.validate();
        }
    }

    #[test]
    fn no_text_makes_a_type_panic(text in any::<String>(), parameter_type in types()) {
        let _ = parameter_type.parse(&text);
    }

    #[test]
    fn no_number_makes_a_unit_panic(text in "[ +-]?[0-9]{0,30}[.e]?[0-9-]{0,25}[.e]?[0-9]{0,3} ?[a-zA-Zµ]{0,4}") {
        let _ = (parse_duration(&text), parse_size(&text));
    }

    #[test]
    fn whole_numbers_are_scaled_exactly(number in any::<u64>(), space in "[ \t\u{a0}\u{feff}]{0,3}") {
        prop_assert_eq!(parse_duration(&format!("{space}{number}{space}ns")), Ok(number));
        prop_assert_eq!(parse_size(&format!("{number}{space}")), Ok(number));
        let days = parse_duration(&format!("{number}{space}d"));
        prop_assert_eq!(days.ok(), number.checked_mul(86_400_000_000_000));
        prop_assert_eq!(parse_size(&format!("{number}MiB")).ok(), number.checked_mul(1 << 20));
    }

    #[test]
    fn fractions_are_scaled_exactly(whole in 0..1_000_000_u64, fraction in 0..1_000_000_000_000_u64) {
        let expect = whole * 1_000_000_000 + fraction / 1_000;
        prop_assert_eq!(parse_duration(&format!("{whole}.{fraction:012} s")), Ok(expect));
        prop_assert_eq!(parse_duration(&format!("{whole}{fraction:012}e-12 s")), Ok(expect));
    }

    #[test]
    fn no_configuration_makes_resolving_panic(config in texts(), list in prop::collection::vec(parameters(), 0..4), key in texts()) {
        let _ = resolve_json(&list, &config);
        let _ = resolve_json(&list, &format!("{{{key:?}:{config}}}"));
        let _ = resolve_text(&list, &[(key, config)]);
    }

    #[test]
    fn integers_arrive_exact(number in any::<i64>(), double in proptest::num::f64::NORMAL) {
        let row = |key, parameter_type| declarations::parameter((key, parameter_type, "", ""));
        let list = [row("whole", ParameterType::Integer), row("ratio", ParameterType::Double)];
        let resolved = resolve_json(&list, &format!(r#"{{"whole":{number},"ratio":{double:e}}}"#)).unwrap();
        prop_assert_eq!(&resolved.values[0].1, &streamlet_protocol::ParameterValue::Integer(number));
        prop_assert_eq!(&resolved.values[1].1, &streamlet_protocol::ParameterValue::Double(double));
    }
}
