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

#[derive(Debug, Clone)]
pub struct QuickFlags { pub bootstrap: String, pub inlets: Vec<String>, pub outlets: Vec<String>, pub group: Option<String>, pub settings: Vec<(String,String)>, pub caps: BatchCaps }
#[derive(Debug, Clone)]
pub struct ConfFile { pub path: std::path::PathBuf, pub text: String }
impl Settings {
    pub fn from_conf(_: &ConfFile, _: &streamlet_protocol::Descriptor, _: &dyn Fn(&str)->Option<String>) -> Result<Self, Vec<String>> { Err(vec!["stub".into()]) }
    pub fn from_flags(f: &QuickFlags, d: &streamlet_protocol::Descriptor) -> Result<Self, Vec<String>> {
        let find = |l: &[String], n: &str| l.iter().find_map(|e| { let (a,b) = e.split_once('=').unwrap_or((n, e)); (a==n).then(|| b.to_owned()) }).ok_or(vec![format!("missing {n}")]);
        let group = f.group.clone().unwrap_or(format!("{0}.{0}.in", d.name));
        let base = |id: &str| { let mut c = ClientSettings::default(); for (k,v) in [("bootstrap.servers", f.bootstrap.as_str()),("client.id", id),("allow.auto.create.topics","false"),("message.max.bytes","5242880"),("enable.metrics.push","false"),("statistics.interval.ms","1000")] { c.set(k,v);} c };
        let mut inlets = vec![]; for i in &d.inlets { let mut c = base(&i.name); for (k,v) in [("group.id",group.as_str()),("enable.auto.commit","false"),("enable.auto.offset.store","false"),("auto.offset.reset","earliest"),("partition.assignment.strategy","range"),("isolation.level","read_uncommitted"),("session.timeout.ms","10000"),("queued.max.messages.kbytes","16384"),("fetch.queue.backoff.ms","20")] { c.set(k,v);} inlets.push(InletSettings{name:i.name.clone(),topic:find(&f.inlets,&i.name)?,group:group.clone(),client:c,caps:f.caps,record_bytes_max:5<<20}); }
        let mut outlets = vec![]; for o in &d.outlets { let mut c = base(&o.name); for (k,v) in [("partitioner","murmur2_random"),("enable.idempotence","true"),("linger.ms","0")] { c.set(k,v);} outlets.push(OutletSettings{name:o.name.clone(),topic:find(&f.outlets,&o.name)?,client:c,message_bytes_max:5<<20}); }
        Ok(Settings{pipeline:d.name.clone(),streamlet:d.name.clone(),config:streamlet_protocol::parameter::resolve_text(&d.parameters,&f.settings).map_err(|p| p.iter().map(ToString::to_string).collect::<Vec<_>>())?.values,inlets,outlets,warnings:vec![]})
    }
}
