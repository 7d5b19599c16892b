//! What a streamlet is told once, before its first batch.

use crate::config::Config;

/// The conversation an instance belongs to: its names, its parameters, and which topics its ports are bound to.
/// State never outlives it.
///
/// ```
/// # use streamlet::{Conversation, Result, fail};
/// fn start(conversation: &Conversation) -> Result<()> {
///     if conversation.outlet_topic("review") == conversation.inlet_topic("in") {
///         fail!("carts for review would come in again: outlet \"review\" and inlet \"in\" share a topic");
///     }
///     Ok(())
/// }
/// ```
#[derive(Debug, Clone)]
pub struct Conversation {
    pub(crate) id: String,
    pub(crate) pipeline: String,
    pub(crate) streamlet: String,
    pub(crate) config: Config,
    pub(crate) inlets: Vec<(String, String)>,
    pub(crate) outlets: Vec<(String, String)>,
}

impl Conversation {
    /// Its id, which the sidecar chose; unique.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The pipeline's name.
    pub fn pipeline(&self) -> &str {
        &self.pipeline
    }

    /// The name of the streamlet's deployment, which need not be the declared one.
    pub fn streamlet(&self) -> &str {
        &self.streamlet
    }

    /// The parameters, which the streamlet's fields hold already.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The bound inlets, as (name, topic).
    pub fn inlets(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.inlets.iter().map(|(port, topic)| (port.as_str(), topic.as_str()))
    }

    /// The bound outlets, as (name, topic). An emit to an outlet without a binding fails its batch.
    pub fn outlets(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.outlets.iter().map(|(port, topic)| (port.as_str(), topic.as_str()))
    }

    /// The topic an inlet is bound to.
    pub fn inlet_topic(&self, name: &str) -> Option<&str> {
        self.inlets().find(|(port, _)| *port == name).map(|(_, topic)| topic)
    }

    /// The topic an outlet is bound to.
    pub fn outlet_topic(&self, name: &str) -> Option<&str> {
        self.outlets().find(|(port, _)| *port == name).map(|(_, topic)| topic)
    }
}
