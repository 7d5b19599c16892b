//! What `#[derive(Streamlet)]` refuses, word for word and token for token, and one struct with all that it allows; and what
//! the compiler says of composed streams that do not fit together.
//!
//! A message changed on purpose is written anew by `TRYBUILD=overwrite cargo test -p streamlet --test compile_fail`;
//! read the difference before you commit it.

#[test]
fn wrong_declarations_do_not_compile() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/compile_fail/pass/*.rs");
    cases.compile_fail("tests/compile_fail/*.rs");
    cases.compile_fail("tests/compile_fail/streams/*.rs");
}
