//! What `Start` says, held against what the streamlet declares.

use streamlet_protocol::{Descriptor, Port, parameter, wire};

use crate::batch::{Binding, Start};

/// The most bytes of a message where `Start` gives no limit: gRPC's own default.
const MESSAGE_BYTES_DEFAULT: usize = 4 << 20;

/// A `Start` that fits.
pub(super) struct Resolved {
    pub(super) start: Start,
    pub(super) message_bytes_max: usize,
    /// By index: whether the declared inlet is bound.
    pub(super) bound_inlets: Vec<bool>,
    pub(super) unknown_keys: Vec<String>,
}

/// Resolves the configuration and the bindings, or says everything that is wrong with them.
pub(super) fn resolve(descriptor: &Descriptor, message: wire::Start) -> Result<Resolved, String> {
    let mut problems = Vec::new();
    let config = match parameter::resolve_json(&descriptor.parameters, &message.config_json) {
        Ok(resolved) => resolved,
        Err(found) => {
            problems.extend(found.iter().map(|problem| format!("config_json: {problem}")));
            parameter::Resolved::default()
        }
    };
    let mut bindings = |direction: &str, declared: &[Port], bindings: Vec<wire::PortBinding>| {
        for binding in &bindings {
            if !declared.iter().any(|port| port.name == binding.port) {
                problems.push(format!("{direction} \"{}\" is bound, but not declared", binding.port));
            }
        }
        bindings.into_iter().map(|wire::PortBinding { port, topic }| Binding { port, topic }).collect::<Vec<_>>()
    };
    let inlets = bindings("inlet", &descriptor.inlets, message.inlets);
    let outlets = bindings("outlet", &descriptor.outlets, message.outlets);
    if !problems.is_empty() {
        return Err(format!("Start does not fit the streamlet: {}", problems.join("; ")));
    }
    let bound = |port: &Port| inlets.iter().any(|binding| binding.port == port.name);
    Ok(Resolved {
        bound_inlets: descriptor.inlets.iter().map(bound).collect(),
        message_bytes_max: match message.max_message_bytes {
            0 => MESSAGE_BYTES_DEFAULT,
            bytes => bytes as usize,
        },
        unknown_keys: config.unknown,
        start: Start {
            conversation_id: message.conversation_id,
            pipeline: message.pipeline,
            streamlet: message.streamlet,
            config: config.values,
            inlets,
            outlets,
        },
    })
}
