//! A default as its author wrote it, a Rust literal, and as the wire has it, text.

use streamlet_protocol::parameter::{ParameterType, ParameterValue};
use syn::{Expr, ExprLit, ExprUnary, Lit, UnOp};

use crate::arguments::ungrouped;
use crate::parameter_type::rust_name;

/// The text of the default `value` of a parameter of type `parameter_type`. The error says what is wrong with the
/// value, without the parameter's name.
///
/// Integers become plain decimals, floats stay as written except for underscores and suffix, and strings stay as they
/// are: the platform compares defaults as text.
pub(crate) fn default_text(value: &Expr, parameter_type: ParameterType) -> Result<String, String> {
    let value = ungrouped(value);
    let (negative, unsigned) = match value {
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => (true, ungrouped(expr)),
        other => (false, other),
    };
    let Expr::Lit(ExprLit { lit: literal, .. }) = unsigned else {
        return Err(wrong_kind(parameter_type));
    };
    let suffix = literal.suffix();
    if !suffix.is_empty() && suffix != rust_name(parameter_type) {
        return Err(format!("has the suffix \"{suffix}\", which is not the field's type: leave it out"));
    }
    let sign = if negative { "-" } else { "" };
    let text = match (parameter_type, literal) {
        (ParameterType::Integer | ParameterType::Double, Lit::Int(number)) => {
            format!("{sign}{}", number.base10_digits())
        }
        // Rust allows `1.`, JSON does not.
        (ParameterType::Double, Lit::Float(number)) => {
            format!("{sign}{}", number.base10_digits().trim_end_matches('.'))
        }
        (ParameterType::Boolean, Lit::Bool(truth)) if !negative => truth.value.to_string(),
        (ParameterType::Text | ParameterType::Duration | ParameterType::MemorySize, Lit::Str(text)) if !negative => {
            text.value()
        }
        _ => return Err(wrong_kind(parameter_type)),
    };
    if text.is_empty() {
        return Err("is empty, which the wire reads as no default: leave it out to make the parameter required".into());
    }
    match parameter_type.parse(&text) {
        // Not `-0`.
        Ok(ParameterValue::Integer(number)) => Ok(number.to_string()),
        Ok(_) => Ok(text),
        Err(error) => Err(format!("is not of its type: {error}")),
    }
}

fn wrong_kind(parameter_type: ParameterType) -> String {
    let wanted = match parameter_type {
        ParameterType::Text => "a string literal, such as \"eu\"",
        ParameterType::Integer => "an integer literal, such as 100 or -1",
        ParameterType::Double => "a number literal, such as 0.5 or -1",
        ParameterType::Boolean => "true or false",
        ParameterType::Duration => "a string literal with a unit, such as \"100 ms\"",
        ParameterType::MemorySize => "a string literal with a unit, such as \"1 MiB\"",
    };
    format!("does not suit the field's type {}: write {wanted}", rust_name(parameter_type))
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    #[test]
    fn a_default_becomes_the_text_of_its_type() {
        let cases: [(Expr, ParameterType, &str); 19] = [
            (parse_quote!(100), ParameterType::Integer, "100"),
            (parse_quote!(-1), ParameterType::Integer, "-1"),
            (parse_quote!(-0), ParameterType::Integer, "0"),
            (parse_quote!(1_000_000), ParameterType::Integer, "1000000"),
            (parse_quote!(0xff), ParameterType::Integer, "255"),
            (parse_quote!(-0b101i64), ParameterType::Integer, "-5"),
            (parse_quote!(-9223372036854775808), ParameterType::Integer, "-9223372036854775808"),
            (parse_quote!(0.5), ParameterType::Double, "0.5"),
            (parse_quote!(1_500.25f64), ParameterType::Double, "1500.25"),
            (parse_quote!(1.), ParameterType::Double, "1"),
            (parse_quote!(-1), ParameterType::Double, "-1"),
            (parse_quote!(1f64), ParameterType::Double, "1"),
            (parse_quote!(1e3), ParameterType::Double, "1e3"),
            (parse_quote!(true), ParameterType::Boolean, "true"),
            (parse_quote!("eu"), ParameterType::Text, "eu"),
            (parse_quote!(r#"a "quoted" ü"#), ParameterType::Text, "a \"quoted\" ü"),
            (parse_quote!(" "), ParameterType::Text, " "),
            (parse_quote!("100 ms"), ParameterType::Duration, "100 ms"),
            (parse_quote!("1 MiB"), ParameterType::MemorySize, "1 MiB"),
        ];
        for (value, parameter_type, expected) in cases {
            assert_eq!(default_text(&value, parameter_type).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn a_default_of_another_kind_is_refused() {
        let cases: [(Expr, ParameterType, &str); 14] = [
            (parse_quote!("100"), ParameterType::Integer, "an integer literal"),
            (parse_quote!(1.0), ParameterType::Integer, "an integer literal"),
            (parse_quote!(true), ParameterType::Integer, "an integer literal"),
            (parse_quote!(LIMIT), ParameterType::Integer, "an integer literal"),
            (parse_quote!(60 * 60), ParameterType::Integer, "an integer literal"),
            (parse_quote!(100u32), ParameterType::Integer, "suffix \"u32\""),
            (parse_quote!(9223372036854775808), ParameterType::Integer, "from -9223372036854775808"),
            (parse_quote!(1e999), ParameterType::Double, "finite"),
            (parse_quote!("0.5"), ParameterType::Double, "a number literal"),
            (parse_quote!("true"), ParameterType::Boolean, "true or false"),
            (parse_quote!(100), ParameterType::Duration, "\"100 ms\""),
            (parse_quote!(1024), ParameterType::MemorySize, "\"1 MiB\""),
            (parse_quote!('a'), ParameterType::Text, "a string literal"),
            (parse_quote!(-"a"), ParameterType::Text, "a string literal"),
        ];
        for (value, parameter_type, expected) in cases {
            let error = default_text(&value, parameter_type).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
