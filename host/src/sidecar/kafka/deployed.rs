//! The deployed `descriptor.json` against what the component declares, as the platform's sidecar compares them.

use streamlet_protocol::Descriptor;
use streamlet_protocol::descriptor::{Difference, compare};
use streamlet_protocol::json::{self, JsonError};
use thiserror::Error;

/// Why a component is not what is deployed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DeployedProblem {
    /// The file holds no descriptor.
    #[error("it is no descriptor: {0}; `streamlet descriptor COMPONENT --out FILE` writes it")]
    Unreadable(JsonError),
    /// One field differs.
    #[error("{0}")]
    Different(Difference),
}

/// Every way in which the component's descriptor differs from the deployed one's bytes; empty if it is the same.
/// Descriptions, the SDK and every order may differ.
///
/// ```
/// use streamlet_host::sidecar::kafka::deployed;
/// use streamlet_protocol::json;
///
/// let deployed = r#"{"protocol_version": "1.0", "streamlet": {"name": "cart"}}"#;
/// let component = json::from_json(deployed.replace("cart", "basket")).unwrap();
/// let problems = deployed::differences(deployed.as_bytes(), &component);
/// assert_eq!(problems[0].to_string(), r#"the streamlet is "cart" as deployed, and "basket" as offered"#);
/// ```
pub fn differences(deployed: &[u8], component: &Descriptor) -> Vec<DeployedProblem> {
    match json::from_json(deployed) {
        Ok(deployed) => compare(&deployed, component).into_iter().map(DeployedProblem::Different).collect(),
        Err(error) => vec![DeployedProblem::Unreadable(error)],
    }
}
