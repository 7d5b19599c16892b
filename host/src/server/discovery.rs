//! `Discovery`: what the streamlet declares, and what the sidecar found wrong with it.

use streamlet_protocol::wire;
use streamlet_protocol::wire::discovery_server::Discovery;
use tonic::{Request, Response, Status};

use super::{Ready, Served};

/// Characters of a reported problem that are logged; the sidecar's are a sentence each.
const PROBLEM_CHARS_MAX: usize = 2048;

/// Answers for the component, once it is ready.
#[derive(Debug)]
pub(super) struct DiscoveryService {
    ready: Ready,
}

impl DiscoveryService {
    pub(super) fn new(ready: Ready) -> Self {
        Self { ready }
    }
}

#[tonic::async_trait]
impl Discovery for DiscoveryService {
    async fn discover(&self, request: Request<wire::SidecarInfo>) -> Result<Response<wire::Spec>, Status> {
        let mut ready = self.ready.clone();
        let Served { component, .. } = super::served(&mut ready).await?;
        let wire::SidecarInfo { protocol_version, sidecar_version } = request.into_inner();
        tracing::info!(
            target: "streamlet",
            protocol_version = %printable(&protocol_version),
            sidecar_version = %printable(&sidecar_version),
            "described to a sidecar"
        );
        Ok(Response::new(component.descriptor().into()))
    }

    async fn report_error(&self, request: Request<wire::Problems>) -> Result<Response<wire::Empty>, Status> {
        for problem in request.into_inner().problems {
            tracing::error!(target: "streamlet", problem = %printable(&problem.message), "the sidecar refuses this streamlet");
        }
        Ok(Response::new(wire::Empty {}))
    }
}

/// A text on one line, bounded.
fn printable(text: &str) -> String {
    text.chars().take(PROBLEM_CHARS_MAX).map(|character| if character.is_control() { ' ' } else { character }).collect()
}
