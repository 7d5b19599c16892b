//! STUB, replaced on merge.
use std::collections::BTreeMap;
use crate::sidecar::BatchCaps;
use streamlet_protocol::parameter::ParameterValue;
#[derive(Debug, Clone)]
pub struct Settings { pub pipeline: String, pub streamlet: String, pub config: Vec<(String, ParameterValue)>, pub inlets: Vec<InletSettings>, pub outlets: Vec<OutletSettings>, pub warnings: Vec<String> }
#[derive(Debug, Clone)]
pub struct InletSettings { pub name: String, pub topic: String, pub group: String, pub client: ClientSettings, pub caps: BatchCaps, pub record_bytes_max: usize }
#[derive(Debug, Clone)]
pub struct OutletSettings { pub name: String, pub topic: String, pub client: ClientSettings, pub message_bytes_max: usize }
#[derive(Debug, Clone, Default)]
pub struct ClientSettings { pub entries: BTreeMap<String, String> }
impl ClientSettings {
    pub fn bootstrap(&self) -> &str { self.entries.get("bootstrap.servers").map_or("", String::as_str) }
    pub fn set(&mut self, key: &str, value: &str) { self.entries.insert(key.into(), value.into()); }
    pub fn config(&self) -> rdkafka::ClientConfig { self.entries.clone().into_iter().collect() }
}
