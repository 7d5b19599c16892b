//! `flow.config`: HOCON's values as the component's parameters.
//!
//! HOCON converts: a number may be in quotes, since what comes from the environment always is, and `yes` and `on` are
//! true.

use streamlet_protocol::descriptor::Parameter;
use streamlet_protocol::parameter::{ConfigProblem, ParameterError, ParameterType, resolve_text};
use streamlet_protocol::units::UnitError;
use streamlet_protocol::{ParameterValue, names};

use super::keys::Problems;
use super::problem::ConfProblem;
use crate::sidecar::kafka::hocon::{Object, Value};

/// The most a whole number may be that is written with a fraction or an exponent.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

/// A value for each parameter. `line` is that of the block, or of what should have it.
pub(super) fn resolve(
    config: &Object,
    line: usize,
    parameters: &[Parameter],
    problems: &mut Problems,
) -> Vec<(String, ParameterValue)> {
    let mut texts = Vec::new();
    let mut is_whole = true;
    for field in &config.fields {
        let Some(parameter) = parameters.iter().find(|parameter| parameter.key == field.key) else {
            let keys = parameters.iter().map(|parameter| parameter.key.clone()).collect::<Vec<_>>();
            let nearest = names::nearest(&field.key, keys.iter().map(String::as_str)).map(str::to_owned);
            problems.add(field.line, ConfProblem::ParameterUndeclared { key: field.key.clone(), nearest, keys });
            continue;
        };
        match &field.value {
            Value::Null => {}
            Value::Text(text) => texts.push((field.key.clone(), converted(parameter.parameter_type, text))),
            other => {
                let reason = format!("it is {}, and must be a single value", other.kind());
                let (key, expected) = (field.key.clone(), parameter.parameter_type);
                problems.add(field.line, ConfProblem::ParameterValue { key, expected, reason });
                // Without a text the parameter would be told to be missing, too.
                is_whole = false;
            }
        }
    }
    let found = match resolve_text(parameters, &texts) {
        Ok(resolved) => return resolved.values,
        Err(found) => found,
    };
    for problem in found {
        let place = |key: &str| config.get(key).map_or(line, |field| field.line);
        match problem {
            ConfigProblem::Missing { key, expected } if is_whole || config.get(&key).is_none() => {
                problems.add(line, ConfProblem::ParameterMissing { key, expected });
            }
            ConfigProblem::Setting { key, reason } => {
                let (line, expected) = (place(&key), of_error(&reason));
                problems.add(line, ConfProblem::ParameterValue { key, expected, reason: without_value(&reason) });
            }
            ConfigProblem::Default { key, reason } => {
                problems.add(place(&key), ConfProblem::ParameterDefault { key, reason });
            }
            _ => {}
        }
    }
    Vec::new()
}

/// A text as a setting on the command line would be written.
fn converted(parameter_type: ParameterType, text: &str) -> String {
    let trimmed = text.trim();
    match parameter_type {
        ParameterType::Text => return text.to_owned(),
        ParameterType::Boolean => match trimmed {
            "yes" | "on" => return "true".to_owned(),
            "no" | "off" => return "false".to_owned(),
            _ => {}
        },
        ParameterType::Integer if trimmed.parse::<i64>().is_err() => {
            if let Ok(number) = trimmed.parse::<f64>()
                && number.fract() == 0.0
                && number.abs() <= EXACT_MAX
            {
                return format!("{number:.0}");
            }
        }
        _ => {}
    }
    trimmed.to_owned()
}

fn of_error(error: &ParameterError) -> ParameterType {
    match error {
        ParameterError::Integer { .. } => ParameterType::Integer,
        ParameterError::Double { .. } => ParameterType::Double,
        ParameterError::Boolean { .. } => ParameterType::Boolean,
        ParameterError::Duration { .. } => ParameterType::Duration,
        ParameterError::MemorySize { .. } => ParameterType::MemorySize,
    }
}

/// What is wrong, without what was written.
fn without_value(error: &ParameterError) -> String {
    match error {
        ParameterError::Integer { .. } => format!("it is a whole number from {} to {}", i64::MIN, i64::MAX),
        ParameterError::Double { .. } => "it is a finite decimal number, such as 0.5 or 1e-3".to_owned(),
        ParameterError::Boolean { .. } => "it is true or false".to_owned(),
        ParameterError::Duration { text, reason } => {
            format!("it is a duration, such as \"100 ms\" or \"1.5 s\", but {}", unit_reason(text, reason))
        }
        ParameterError::MemorySize { text, reason } => {
            format!("it is a memory size, such as \"512k\" or \"1 MiB\", but {}", unit_reason(text, reason))
        }
    }
}

/// A unit is named after a number only: the letters at the end of anything else may be those of a password.
pub(super) fn unit_reason(text: &str, reason: &UnitError) -> String {
    match reason {
        UnitError::UnitUnknown { unit, .. } => {
            let number = text.trim().strip_suffix(unit.as_str()).unwrap_or_default().trim();
            if number.parse::<f64>().is_ok() { reason.to_string() } else { UnitError::NumberMalformed.to_string() }
        }
        _ => reason.to_string(),
    }
}
