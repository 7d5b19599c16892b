//! Which ports reach the same cluster in the same way: they are looked at together, and what is wrong is said once.

use super::Port;
use crate::sidecar::kafka::client::ClientSettings;
use crate::sidecar::kafka::settings::Settings;

/// What settings that decide on the way to a cluster begin with.
const OF_THE_WAY: [&str; 7] =
    ["bootstrap.servers", "broker.address.family", "enable.sasl", "enable.ssl", "sasl.", "security.", "ssl."];

/// A way to a cluster, and the ports that take it.
#[derive(Debug)]
pub(super) struct Access {
    /// Those of its first port.
    pub(super) settings: ClientSettings,
    pub(super) ports: Vec<Port>,
}

impl Access {
    /// Every way that the ports take, in the order of the ports.
    pub(super) fn all(settings: &Settings) -> Vec<Self> {
        let inlets = settings.inlets.iter().cloned().map(Port::Inlet);
        let outlets = settings.outlets.iter().cloned().map(Port::Outlet);
        let mut all: Vec<Self> = Vec::new();
        for port in inlets.chain(outlets) {
            match all.iter_mut().find(|access| way(&access.settings).eq(way(port.settings()))) {
                Some(access) => access.ports.push(port),
                None => all.push(Self { settings: port.settings().clone(), ports: vec![port] }),
            }
        }
        all
    }

    /// Its ports, by kind and name.
    pub(super) fn name(&self) -> String {
        self.ports.iter().map(Port::name).collect::<Vec<_>>().join(", ")
    }
}

fn way(settings: &ClientSettings) -> impl Iterator<Item = (&str, &str)> {
    settings.entries().filter(|(key, _)| OF_THE_WAY.iter().any(|beginning| key.starts_with(beginning)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sidecar::files::BatchCaps;
    use crate::sidecar::kafka::client::Role;
    use crate::sidecar::kafka::settings::{InletSettings, OutletSettings};

    fn client(role: Role, entries: &[(&str, &str)]) -> ClientSettings {
        let mut settings = ClientSettings::new(role);
        for (key, value) in entries {
            settings.set(key, *value);
        }
        settings
    }

    fn outlet(name: &str, entries: &[(&str, &str)]) -> OutletSettings {
        let client = client(Role::Producer, entries);
        OutletSettings { name: name.into(), topic: name.into(), client, message_bytes_max: 1 }
    }

    #[test]
    fn ports_go_together_whose_way_is_the_same() {
        let inlet = InletSettings {
            name: "in".into(),
            topic: "in".into(),
            group: "g".into(),
            client: client(Role::Consumer, &[("bootstrap.servers", "a:1"), ("group.id", "g")]),
            caps: BatchCaps { records_max: 1, bytes_max: 1 },
            record_bytes_max: 1,
        };
        let outlets = vec![
            outlet("same", &[("bootstrap.servers", "a:1"), ("linger.ms", "0")]),
            outlet("elsewhere", &[("bootstrap.servers", "b:1")]),
            outlet("otherwise", &[("bootstrap.servers", "a:1"), ("security.protocol", "ssl")]),
        ];
        let settings = Settings {
            pipeline: "p".into(),
            streamlet: "s".into(),
            config: vec![],
            inlets: vec![inlet],
            outlets,
            warnings: vec![],
        };
        let names = Access::all(&settings).iter().map(Access::name).collect::<Vec<_>>();
        assert_eq!(names, ["inlet \"in\", outlet \"same\"", "outlet \"elsewhere\"", "outlet \"otherwise\""]);
    }
}
