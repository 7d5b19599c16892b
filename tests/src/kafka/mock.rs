//! librdkafka's own cluster, within this process: the only one that can be told to answer with an error.
//!
//! It knows no transactions, and keeps 5 MiB of a partition.

use std::fmt;

use rdkafka::ClientConfig;
use rdkafka::mocking::MockCluster;
use rdkafka::producer::DefaultProducerContext;
use rdkafka::types::{RDKafkaApiKey, RDKafkaRespErr};

use super::broker::unique;
use super::{Group, Topic};

/// A cluster of one broker, which ends with this value.
pub struct Mock(MockCluster<'static, DefaultProducerContext>);

impl fmt::Debug for Mock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mock").field("address", &self.address()).finish()
    }
}

impl Mock {
    /// Starts it.
    ///
    /// # Panics
    /// There is no port.
    pub fn start() -> Self {
        Self(MockCluster::new(1).expect("a cluster"))
    }

    /// Where clients bootstrap.
    pub fn address(&self) -> String {
        self.0.bootstrap_servers()
    }

    fn client(&self) -> ClientConfig {
        let mut config = ClientConfig::new();
        config.set("bootstrap.servers", self.address()).set("enable.metrics.push", "false");
        config
    }

    /// Makes a topic.
    ///
    /// # Panics
    /// It cannot be made.
    pub fn topic(&self, name: &str, partitions: i32) -> Topic {
        let name = unique(name);
        self.0.create_topic(&name, partitions, 1).expect("a topic");
        Topic::of(&name, partitions, self.client())
    }

    /// A group of its own.
    pub fn group(&self, name: &str) -> Group {
        Group::of(&unique(name), self.client())
    }

    /// The next requests of this API are answered with these errors, one each.
    pub fn fail(&self, api: RDKafkaApiKey, errors: &[RDKafkaRespErr]) {
        self.0.request_errors(api, errors);
    }
}
