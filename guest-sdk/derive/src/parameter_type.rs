//! Field types as the platform's parameter types. A macro sees words, not types, so the last word of a path decides and
//! the compiler checks the rest.

use streamlet_protocol::parameter::ParameterType;
use syn::{PathArguments, Type};

/// The parameter type that a field of type `field_type` has. The error says what the parameter must be.
pub(crate) fn of_field(field_type: &Type) -> Result<ParameterType, String> {
    let word = last_word(field_type);
    Ok(match word.as_deref() {
        Some("String") => ParameterType::Text,
        Some("i64") => ParameterType::Integer,
        Some("f64") => ParameterType::Double,
        Some("bool") => ParameterType::Boolean,
        Some("Duration") => ParameterType::Duration,
        Some("MemorySize") => ParameterType::MemorySize,
        _ => return Err(unsupported(field_type)),
    })
}

/// The type as an author writes it.
pub(crate) fn rust_name(parameter_type: ParameterType) -> &'static str {
    match parameter_type {
        ParameterType::Text => "String",
        ParameterType::Integer => "i64",
        ParameterType::Double => "f64",
        ParameterType::Boolean => "bool",
        ParameterType::Duration => "Duration",
        ParameterType::MemorySize => "MemorySize",
    }
}

/// The last word of a type that is a plain path, such as `Duration` of `std::time::Duration`.
pub(crate) fn last_word(field_type: &Type) -> Option<String> {
    match field_type {
        Type::Path(path) if path.qself.is_none() => {
            let segment = path.path.segments.last()?;
            matches!(segment.arguments, PathArguments::None).then(|| segment.ident.to_string())
        }
        Type::Group(group) => last_word(&group.elem),
        Type::Paren(paren) => last_word(&paren.elem),
        _ => None,
    }
}

/// The six types, and the nearest of them where the author's choice has one.
fn unsupported(field_type: &Type) -> String {
    let nearest = match outer_word(field_type).as_deref() {
        Some("i8" | "i16" | "i32" | "i128" | "isize" | "u8" | "u16" | "u32" | "u64" | "u128" | "usize") => "use i64",
        Some("f32") => "use f64",
        Some("str" | "char" | "Cow" | "PathBuf") => "use String",
        Some("Option") => "it always has a value, so use one of these with a default",
        _ => "use one of these",
    };
    format!("must be a String, i64, f64, bool, Duration or MemorySize: {nearest}")
}

/// The last word of a type's path, whatever its arguments and however it is borrowed.
fn outer_word(field_type: &Type) -> Option<String> {
    match field_type {
        Type::Path(path) => Some(path.path.segments.last()?.ident.to_string()),
        Type::Reference(reference) => outer_word(&reference.elem),
        Type::Group(group) => outer_word(&group.elem),
        Type::Paren(paren) => outer_word(&paren.elem),
        _ => None,
    }
}
