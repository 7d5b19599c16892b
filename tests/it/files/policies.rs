//! Failure policies over files: exit 0 with a count, and each poison record told with its line.

use super::{assert_summary, run, values};

fn lines(poison: impl Fn(usize) -> bool) -> String {
    (1..=100).map(|n| if poison(n) { "fail\n".into() } else { format!("n{n}\n") }).collect()
}

#[test]
fn one_three_and_fifty_under_each_policy() {
    let some = [|n: usize| n == 41, |n: usize| n % 40 == 3, |n: usize| n % 2 == 1];
    for policy in ["skip", "dead-letter=other"] {
        for (poison, count) in some.into_iter().zip([1, 3, 50]) {
            let ran = run("faulty").args(&["--on-failure", policy, "--skip-max", "50"]).input(lines(poison)).run();
            assert_eq!(ran.code, Some(0), "{}", ran.stderr);
            let all = values(&ran.stdout);
            let expect = |n: &usize| !poison(*n) || policy != "skip";
            let expect = (1..=100).filter(expect).map(|n| if poison(n) { "fail".into() } else { format!("n{n}") });
            assert_eq!(all, expect.collect::<Vec<_>>());
            let noun = if count == 1 { "record" } else { "records" };
            assert!(ran.stderr.contains(&format!(", 0 skipped, {count} poison {noun} set aside, 0 batches failed")));
            let first = (1..=100).find(|n| poison(*n)).unwrap();
            assert!(ran.stderr.contains(": the record said fail\n  at -:"), "{}", ran.stderr);
            assert!(ran.stderr.contains(&format!("\n  at -:{first}\n")), "{}", ran.stderr);
        }
    }
}

#[test]
fn too_much_poison_fails_the_batch() {
    let ran = run("faulty").args(&["--on-failure", "skip", "--skip-max", "0"]).input("fail\n").run();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    assert!(ran.stderr.contains("more than 0 of the batch's records fail by themselves"), "{}", ran.stderr);
    assert_summary(
        &ran,
        "0 records in 0 batches: 0 emits (out 0, other 0), 0 skipped, 1 batch failed (1 record not processed)",
    );
}

#[test]
fn a_tombstone_and_a_null_header_are_dead_letters_as_they_came() {
    let input = r#"{"key":"k","headers":[{"key":"do","value":"panic"},{"key":"n","value":null}],"value":null}"#;
    let ran = run("faulty").args(&["--envelope", "--on-failure", "dead-letter=other"]).input(input).run();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let letter = &super::envelopes(&ran.stdout)[0];
    assert_eq!(
        (&letter["outlet"], &letter["key"], &letter["value"]),
        (&"other".into(), &"k".into(), &serde_json::Value::Null)
    );
    assert_eq!(letter["headers"][1], serde_json::json!({"key": "n", "value": null}));
    assert_eq!(letter["headers"][2]["key"], "streamlet-error");
}

#[test]
fn a_policy_that_is_none_is_refused() {
    for (policy, says) in [
        ("ignore", "`fail`, `skip` or `dead-letter=OUTLET`"),
        ("dead-letter=", "`fail`, `skip` or `dead-letter=OUTLET`"),
        ("dead-letter=othr", "declares no outlet \"othr\", only out, other; did you mean \"other\"?"),
    ] {
        let ran = run("faulty").args(&["--on-failure", policy]).run();
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(ran.stderr.contains(says), "{}", ran.stderr);
    }
}
