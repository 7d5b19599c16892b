//! HOCON durations and memory sizes.

use streamlet_protocol::units::{UnitError, parse_duration, parse_size};

const SECOND: u64 = 1_000_000_000;
const MEBIBYTE: u64 = 1 << 20;

#[test]
fn every_unit_of_time_counts_nanoseconds() {
    for (units, nanoseconds) in [
        (&["ns", "nano", "nanos", "nanosecond", "nanoseconds"][..], 1),
        (&["us", "micro", "micros", "microsecond", "microseconds"][..], 1_000),
        (&["", "ms", "milli", "millis", "millisecond", "milliseconds"][..], 1_000_000),
        (&["s", "second", "seconds"][..], SECOND),
        (&["m", "minute", "minutes"][..], 60 * SECOND),
        (&["h", "hour", "hours"][..], 3600 * SECOND),
        (&["d", "day", "days"][..], 86_400 * SECOND),
    ] {
        for unit in units {
            assert_eq!(parse_duration(&format!("3{unit}")), Ok(3 * nanoseconds), "{unit:?}");
            assert_eq!(parse_duration(&format!("\u{a0} 3 \t{unit}\n")), Ok(3 * nanoseconds), "{unit:?}");
        }
    }
}

#[test]
fn every_unit_of_memory_counts_bytes() {
    let check = |unit: &str, bytes: u64| assert_eq!(parse_size(&format!("3 {unit}")), Ok(3 * bytes), "{unit:?}");
    for unit in ["", "B", "b", "byte", "bytes"] {
        check(unit, 1);
    }
    let decimal = [
        "kB kilobyte kilobytes",
        "MB megabyte megabytes",
        "GB gigabyte gigabytes",
        "TB terabyte terabytes",
        "PB petabyte petabytes",
        "EB exabyte exabytes",
    ];
    for (power, units) in (1..).zip(decimal) {
        units.split(' ').for_each(|unit| check(unit, 1000_u64.pow(power)));
    }
    let binary = [
        "K k Ki KiB kibibyte kibibytes",
        "M m Mi MiB mebibyte mebibytes",
        "G g Gi GiB gibibyte gibibytes",
        "T t Ti TiB tebibyte tebibytes",
        "P p Pi PiB pebibyte pebibytes",
        "E e Ei EiB exbibyte exbibytes",
    ];
    for (power, units) in (1..).zip(binary) {
        units.split(' ').for_each(|unit| check(unit, 1024_u64.pow(power)));
    }
}

#[test]
fn fractions_are_exact_and_rounded_down() {
    for (text, expect) in [
        ("1.5 s", 1_500_000_000),
        (".5s", 500_000_000),
        ("5.s", 5_000_000_000),
        ("+2 s", 2_000_000_000),
        ("1e3 ms", SECOND),
        ("1.5E-3 s", 1_500_000),
        ("1.999999999999 ns", 1),
        ("0.3 ns", 0),
        ("0.1", 100_000),
        ("0.0000000001 s", 0),
        ("1e-999999999999999999999 d", 0),
        ("0e999999999999999999999 d", 0),
        ("000000000000000000000000000000000000000000000007 ns", 7),
        ("0.99999999999999999999999999999999999999999999999999 s", 999_999_999),
        ("584.5 d", 50_500_800 * SECOND),
        ("18446744073709551615 ns", u64::MAX),
        ("18446744073709551.615999 us", u64::MAX),
    ] {
        assert_eq!(parse_duration(text), Ok(expect), "{text:?}");
    }
    for (text, expect) in [
        ("0.5 MiB", MEBIBYTE / 2),
        ("1.5k", 1536),
        ("1e", 1 << 60),
        ("1e3", 1000),
        ("1e3k", 1_024_000),
        ("15.999999999999999999 EiB", u64::MAX - 1),
        ("0.000001 YB", 1_000_000_000_000_000_000),
        ("9223372036854775807", i64::MAX.unsigned_abs()),
        ("1.00000000000000000000001 YiB", 0),
    ] {
        let expect = if text.ends_with("YiB") { Err(UnitError::TooLarge { counted: "bytes" }) } else { Ok(expect) };
        assert_eq!(parse_size(text), expect, "{text:?}");
    }
}

#[test]
fn each_refusal_is_of_its_kind() {
    let time = |text: &str| parse_duration(text).unwrap_err();
    for text in ["", " ", "\t\n", "\u{feff}"] {
        assert_eq!(time(text), UnitError::Empty);
        assert_eq!(parse_size(text), Err(UnitError::Empty));
    }
    for text in ["ms", "NaN", "Infinity", "forever", "é"] {
        assert_eq!(time(text), UnitError::NumberMissing);
    }
    for text in [
        "1.2.3 s", "1 2 s", "NaN s", "1,5 s", "1_000 s", "0x10 s", ".", "+", "-", "1e+ ms", "1.-5 s", "١ s",
        "5\u{85}s", "5 ms.",
    ] {
        assert_eq!(time(text), UnitError::NumberMalformed, "{text:?}");
    }
    for text in ["-1 s", "-0.5", "-1e9 d"] {
        assert_eq!(time(text), UnitError::Negative);
    }
    for (text, unit) in [
        ("5 parsecs", "parsecs"),
        ("5 S", "S"),
        ("5 MS", "MS"),
        ("5 µs", "µs"),
        ("1e5x", "x"),
        ("5 secs", "secs"),
        ("5 w", "w"),
    ] {
        let UnitError::UnitUnknown { unit: found, .. } = time(text) else { panic!("{text:?}: {:?}", time(text)) };
        assert_eq!(found, unit);
    }
    for text in [
        "18446744073709551616 ns",
        "18446744073709551.616 us",
        "213504 d",
        "1e999999999999999999999",
        "99999999999999999999999999999999999999999999 ns",
    ] {
        assert_eq!(time(text), UnitError::TooLarge { counted: "nanoseconds" }, "{text:?}");
    }
    for text in ["16 EiB", "1 ZB", "18446744073709551616"] {
        assert_eq!(parse_size(text), Err(UnitError::TooLarge { counted: "bytes" }));
    }
    for unit in ["KB", "mb", "kb", "Kb", "KIB", "mib", "MIB", "bit", "Bytes"] {
        let text = parse_size(&format!("1 {unit}")).unwrap_err().to_string();
        assert!(text.starts_with(&format!("its unit {unit:?} is not one of B, kB, MB")), "{text}");
    }
}

#[test]
fn a_long_text_takes_no_long_time() {
    assert_eq!(parse_duration(&format!("0.{} s", "3".repeat(1_000_000))), Ok(333_333_333));
    assert_eq!(
        parse_duration(&format!("{} s", "3".repeat(1_000_000))),
        Err(UnitError::TooLarge { counted: "nanoseconds" })
    );
    assert_eq!(
        parse_duration(&format!("1e{} s", "9".repeat(1_000_000))),
        Err(UnitError::TooLarge { counted: "nanoseconds" })
    );
}
