//! A conversation's configuration, as JSON from the platform or as settings from the command line, turned into one
//! typed value for each declared parameter.

use std::collections::HashSet;

use super::{ConfigProblem, ParameterType, ParameterValue};
use crate::{
    descriptor::Parameter,
    json::tree::{Tree, TreeError},
    names,
};

/// A configuration that satisfies every parameter.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Resolved {
    /// One value for each declared parameter, in the order of declaration.
    pub values: Vec<(String, ParameterValue)>,
    /// Keys of the JSON object that no parameter declares, in its order: worth a warning, not a refusal.
    pub unknown: Vec<String>,
}

/// Resolves a conversation's `config_json` against the declared parameters.
///
/// An empty text means `{}`. A key that is absent or `null` takes the default. INTEGER takes a JSON number without a
/// fraction (`5.0` and `1e3` are whole, too, up to 2^53), DOUBLE any JSON number, BOOLEAN a JSON boolean, STRING a JSON
/// string, DURATION and `MEMORY_SIZE` a JSON string or a bare number of milliseconds or bytes.
///
/// ```
/// use streamlet_protocol::{Parameter, ParameterType, ParameterValue, parameter::resolve_json};
///
/// let threshold = Parameter {
///     key: "review-threshold".to_owned(),
///     description: String::new(),
///     parameter_type: ParameterType::Integer,
///     default: Some("100".to_owned()),
/// };
/// let resolved = resolve_json(&[threshold], r#"{"review-threshold":250}"#).unwrap();
/// assert_eq!(resolved.values, [("review-threshold".to_owned(), ParameterValue::Integer(250))]);
/// ```
pub fn resolve_json(parameters: &[Parameter], config_json: &str) -> Result<Resolved, Vec<ConfigProblem>> {
    let entries = object(config_json).map_err(|problem| vec![problem])?;
    let mut problems = Vec::new();
    let mut unknown = Vec::new();
    let mut seen = HashSet::new();
    for (key, _) in &entries {
        let first = seen.insert(key);
        let declared = parameters.iter().any(|parameter| parameter.key == *key);
        match (declared, first) {
            (true, false) => problems.push(ConfigProblem::Repeated { key: key.clone() }),
            (false, true) => unknown.push(key.clone()),
            _ => {}
        }
    }
    let values = resolve_each(parameters, &mut problems, |parameter| {
        let (_, tree) = entries.iter().find(|(key, _)| *key == parameter.key)?;
        if matches!(tree, Tree::Null) { None } else { Some(value(parameter, tree)) }
    });
    if problems.is_empty() { Ok(Resolved { values, unknown }) } else { Err(problems) }
}

/// Resolves `key=value` settings against the declared parameters. A later setting of a key replaces an earlier one.
///
/// ```
/// use streamlet_protocol::{Parameter, ParameterType, parameter::resolve_text};
///
/// let threshold = Parameter {
///     key: "review-threshold".to_owned(),
///     description: String::new(),
///     parameter_type: ParameterType::Integer,
///     default: Some("100".to_owned()),
/// };
/// let settings = [("review-treshold".to_owned(), "250".to_owned())];
/// let problems = resolve_text(&[threshold], &settings).unwrap_err();
/// assert_eq!(
///     problems.first().map(ToString::to_string).as_deref(),
///     Some(r#"parameter "review-treshold" is not declared: did you mean "review-threshold"?"#),
/// );
/// ```
pub fn resolve_text(parameters: &[Parameter], settings: &[(String, String)]) -> Result<Resolved, Vec<ConfigProblem>> {
    let mut problems = Vec::new();
    for (key, _) in settings {
        if !parameters.iter().any(|parameter| parameter.key == *key) {
            let keys = parameters.iter().map(|parameter| parameter.key.as_str());
            let nearest = names::nearest(key, keys).map(str::to_owned);
            problems.push(ConfigProblem::Unknown { key: key.clone(), nearest });
        }
    }
    let values = resolve_each(parameters, &mut problems, |parameter| {
        let (_, text) = settings.iter().rev().find(|(key, _)| *key == parameter.key)?;
        let value = parameter.parameter_type.parse(text);
        Some(value.map_err(|reason| ConfigProblem::Setting { key: parameter.key.clone(), reason }))
    });
    if problems.is_empty() { Ok(Resolved { values, unknown: Vec::new() }) } else { Err(problems) }
}

/// Takes each parameter's configured value, or else its default, and collects what is wrong with either.
fn resolve_each(
    parameters: &[Parameter],
    problems: &mut Vec<ConfigProblem>,
    configured: impl Fn(&Parameter) -> Option<Result<ParameterValue, ConfigProblem>>,
) -> Vec<(String, ParameterValue)> {
    let mut values = Vec::with_capacity(parameters.len());
    for parameter in parameters {
        match configured(parameter).unwrap_or_else(|| default(parameter)) {
            Ok(value) => values.push((parameter.key.clone(), value)),
            Err(problem) => problems.push(problem),
        }
    }
    values
}

fn default(parameter: &Parameter) -> Result<ParameterValue, ConfigProblem> {
    let key = || parameter.key.clone();
    match &parameter.default {
        Some(text) => {
            parameter.parameter_type.parse(text).map_err(|reason| ConfigProblem::Default { key: key(), reason })
        }
        None => Err(ConfigProblem::Missing { key: key(), expected: parameter.parameter_type }),
    }
}

fn object(config_json: &str) -> Result<Vec<(String, Tree)>, ConfigProblem> {
    if config_json.is_empty() {
        return Ok(Vec::new());
    }
    match Tree::parse(config_json) {
        Ok(Tree::Object(entries)) => Ok(entries),
        Ok(other) => Err(ConfigProblem::NotAnObject { found: other.kind() }),
        Err(TreeError { line, column, reason }) => Err(ConfigProblem::Syntax { line, column, reason }),
    }
}

/// Reads one configured value. `null` never comes here.
fn value(parameter: &Parameter, tree: &Tree) -> Result<ParameterValue, ConfigProblem> {
    let (key, expected, found) = (|| parameter.key.clone(), parameter.parameter_type, tree.kind());
    let read = match (expected, tree) {
        (ParameterType::Text, Tree::Text(text)) => Some(ParameterValue::Text(text.clone())),
        (ParameterType::Boolean, Tree::Boolean(value)) => Some(ParameterValue::Boolean(*value)),
        (ParameterType::Integer, Tree::Number(number)) => number.as_i64().map(ParameterValue::Integer),
        (ParameterType::Double, Tree::Number(number)) => Some(ParameterValue::Double(number.as_f64())),
        (ParameterType::Duration | ParameterType::MemorySize, Tree::Text(text)) => expected.parse(text).ok(),
        // HOCON's bare number; a number's own text has the same meaning there.
        (ParameterType::Duration | ParameterType::MemorySize, Tree::Number(number)) => {
            expected.parse(&number.to_string()).ok()
        }
        _ => {
            return Err(ConfigProblem::WrongKind { key: key(), expected, found });
        }
    };
    read.ok_or_else(|| ConfigProblem::OutOfType { key: key(), expected, found })
}
