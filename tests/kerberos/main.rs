//! SASL's mechanism GSSAPI, with a real KDC and a real Kafka: the binary that is built with the feature `kerberos`.
//!
//! CI runs none of it; by hand: `cargo test -p streamlet-tests --features kerberos --test kerberos`. Without a KDC's
//! programs, Java or Maven the tests say by name that they did not run, and what to install.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests stop at what should not be, and say why"
)]

mod realm;

use std::fs;
use std::net::TcpListener;
use std::process::Command;

use realm::Realm;
use streamlet_tests::kafka::events::{check, events};
use streamlet_tests::kafka::{Deployment, Group, Record, Topic};
use streamlet_tests::program::{Program, Ran};
use tempfile::TempDir;

const BINARY: &str = env!("CARGO_BIN_EXE_streamlet-under-test");

/// A streamlet on topics of its own, which comes to Kafka through Kerberos alone.
struct Scene {
    realm: &'static Realm,
    /// Its tickets.
    cache: String,
    directory: TempDir,
    input: Topic,
    out: Topic,
    group: Group,
    faulty: Deployment,
}

impl Scene {
    /// With these options of `Krb5LoginModule`. None where the test cannot run.
    fn new(name: &str, login: impl Fn(&Realm) -> String) -> Option<Self> {
        let realm = Realm::shared()?;
        let topic = |part: &str| realm.broker.topic(&format!("{name}-{part}"), 2);
        let (input, out, other, group) = (topic("in"), topic("out"), topic("other"), realm.broker.group(name));
        let directory = TempDir::new().unwrap();
        let cache = format!("FILE:{}", directory.path().join("tickets").display());
        let module = "com.sun.security.auth.module.Krb5LoginModule";
        let login = format!("{module} required {};", login(realm)).replace('"', "\\\"");
        let faulty = Deployment::new(BINARY, "faulty", realm.broker.kerberos_address(), &group);
        let faulty = faulty.inlet("in", &input).outlet("out", &out).outlet("other", &other);
        let faulty = [
            ("security.protocol", "SASL_PLAINTEXT"),
            ("sasl.mechanism", "GSSAPI"),
            ("sasl.kerberos.service.name", "kafka"),
            ("sasl.jaas.config", &login),
        ]
        .into_iter()
        .fold(faulty, |faulty, (key, value)| faulty.consumer(key, value).producer(key, value));
        let faulty = faulty.env("KRB5_CONFIG", realm.said("KRB5_CONFIG")).env("KRB5CCNAME", &cache);
        Some(Self { realm, cache, directory, input, out, group, faulty })
    }

    /// Records in, the streamlet on them, records out.
    fn pass(&self, flags: &[&str]) {
        let sent = events(5, 10, 2, |_, _| "echo");
        self.input.produce(&sent);
        let running = self.faulty.clone().flags(flags).start();
        self.input.wait_committed(&self.group);
        let ended = running.stop();
        assert_eq!(ended.code, Some(0));
        let noise = ended.log.iter().filter(|line| line.contains("kinit") || line.contains("WARN")).collect::<Vec<_>>();
        assert!(noise.is_empty(), "{noise:?}");
        let found: Vec<Record> = self.out.read();
        assert_eq!(check(&sent, &found), 0);
        // The KDC gave the client a ticket for the broker.
        let given = format!("{} for kafka/localhost@", self.realm.said("PRINCIPAL"));
        assert!(self.realm.log().contains(&given), "{}", self.realm.log());
    }

    /// `streamlet kafka check` on its files.
    fn check(&self, environment: &[(&str, &str)]) -> Ran {
        let directory = TempDir::new().unwrap();
        fs::write(directory.path().join("streamlet.conf"), self.faulty.conf()).unwrap();
        fs::write(directory.path().join("descriptor.json"), self.faulty.descriptor()).unwrap();
        let program = Program::at(BINARY).args(&["kafka", "check", "--config-dir"]).arg(directory.path());
        let program = program.env("KRB5_CONFIG", self.realm.said("KRB5_CONFIG")).env("KRB5CCNAME", &self.cache);
        environment.iter().fold(program, |program, (name, value)| program.env(name, value)).run()
    }

    /// The only line of `streamlet kafka check` that says what is wrong.
    #[track_caller]
    fn wrong(&self, environment: &[(&str, &str)]) -> String {
        let ran = self.check(environment);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""), "{}", ran.stdout);
        let wrong = ran.stdout.lines().filter(|line| !line.starts_with("ok     ")).collect::<Vec<_>>();
        let [line] = wrong.as_slice() else { panic!("{}", ran.stdout) };
        (*line).to_owned()
    }
}

/// The login with a key tab.
fn key_tab(key_tab: &str, principal: &str) -> String {
    format!("useKeyTab=true storeKey=true keyTab=\"{key_tab}\" principal=\"{principal}\"")
}

/// As it should be.
fn own(realm: &Realm) -> String {
    key_tab(realm.said("KEYTAB"), realm.said("PRINCIPAL"))
}

/// With a key that is not the principal's.
fn stranger(realm: &Realm) -> String {
    key_tab(realm.said("STRANGER_KEYTAB"), realm.said("PRINCIPAL"))
}

#[test]
fn records_go_through_with_a_key_tab() {
    let Some(scene) = Scene::new("key-tab", own) else { return };
    scene.pass(&[]);
}

#[test]
fn records_go_through_with_a_key_tab_exactly_once() {
    let Some(scene) = Scene::new("exactly-once", own) else { return };
    scene.pass(&["--exactly-once"]);
}

#[test]
fn records_go_through_with_a_ticket_that_somebody_else_keeps() {
    let Some(scene) = Scene::new("ticket", |_| "useTicketCache=true".into()) else { return };
    let said = |name| scene.realm.said(name);
    let mut kinit = Command::new("kinit");
    kinit.args(["-k", "-t", said("KEYTAB"), said("PRINCIPAL")]);
    kinit.env("KRB5_CONFIG", said("KRB5_CONFIG")).env("KRB5CCNAME", &scene.cache);
    assert!(kinit.status().unwrap().success());
    scene.pass(&[]);
}

#[test]
fn the_check_is_let_in() {
    let Some(scene) = Scene::new("check", own) else { return };
    let ran = scene.check(&[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    for part in ["SASL by GSSAPI", "lets the client in; it has 1 broker", "inlet \"in\": lag 0"] {
        assert!(ran.stdout.contains(part), "{part:?} is not in:\n{}", ran.stdout);
    }
}

#[test]
fn a_ticket_is_got_anew() {
    let Some(mut scene) = Scene::new("anew", own) else { return };
    let key = "sasl.kerberos.min.time.before.relogin";
    scene.faulty = scene.faulty.consumer(key, "1 s").producer(key, "1 s");
    let running = scene.faulty.start();
    running.wait_ready();
    let tickets = || fs::read(scene.cache.trim_start_matches("FILE:")).ok().filter(|tickets| !tickets.is_empty());
    let first = running.wait("a ticket", tickets);
    running.wait("another ticket", || tickets().filter(|tickets| *tickets != first));
    assert_eq!(running.stop().code, Some(0));
}

const WRONG: &str = "wrong  inlet \"in\", outlet \"other\", outlet \"out\": ";

#[test]
fn a_wrong_key_tab_is_told() {
    let Some(scene) = Scene::new("wrong", stranger) else { return };
    let words = "Password incorrect while getting initial credentials";
    assert_eq!(
        scene.wrong(&[]),
        format!(
            "{WRONG}cannot get a Kerberos ticket for \"{}\": {words}; correct keyTab or principal in sasl.jaas.config, or \
             the realm in krb5.conf (KRB5_CONFIG)",
            scene.realm.said("PRINCIPAL")
        )
    );
    let running = scene.faulty.start();
    running.wait_for(&format!("kinit: {words}"));
    let line = running.wait_for("trouble with Kafka");
    assert!(line.contains("Failed to initialize SASL authentication") && line.contains("No Kerberos credentials"));
    let (status, body) = running.get("/ready");
    assert!(status == 503 && body.contains("No Kerberos credentials available"), "{status} {body}");
    assert_eq!(running.stop().code, Some(0), "it was asked to end");
}

#[test]
fn what_else_is_wrong_with_a_login_is_told() {
    let nowhere = |realm: &Realm| key_tab("/no/such/keytab", realm.said("PRINCIPAL"));
    let Some(scene) = Scene::new("no-key-tab", nowhere) else { return };
    let line = scene.wrong(&[]);
    assert!(line.contains("Key table file '/no/such/keytab' not found"), "{line}");

    let Some(scene) = Scene::new("no-kinit", own) else { return };
    let line = scene.wrong(&[("PATH", "/no/such/directory")]);
    assert!(line.starts_with(&format!("{WRONG}cannot run what gets Kerberos tickets: ")), "{line}");
    assert!(line.contains("kinit: not found; install kinit (on Debian: krb5-user)"), "{line}");

    // The same realm, where nobody listens.
    let conf = fs::read_to_string(scene.realm.said("KRB5_CONFIG")).unwrap();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let kdc = conf.lines().find(|line| line.trim().starts_with("kdc = ")).unwrap();
    let silent = scene.directory.path().join("krb5.conf");
    fs::write(&silent, conf.replace(kdc, &format!("kdc = 127.0.0.1:{port}"))).unwrap();
    let line = scene.wrong(&[("KRB5_CONFIG", silent.to_str().unwrap())]);
    assert!(line.contains("Cannot contact any KDC for realm 'STREAMLET.TEST'"), "{line}");

    let Some(scene) = Scene::new("no-ticket", |_| "useTicketCache=true".into()) else { return };
    let line = scene.wrong(&[]);
    let expect = format!("{WRONG}no Kerberos ticket for the service \"kafka\" of the brokers: No Kerberos credentials");
    assert!(line.starts_with(&expect), "{line}");
}

#[test]
fn a_service_that_the_realm_does_not_know_is_told() {
    let login = |realm: &Realm| format!("{} serviceName=\"nobody\"", own(realm));
    let Some(scene) = Scene::new("service", login) else { return };
    let line = scene.wrong(&[]);
    let expect =
        format!("{WRONG}no Kerberos ticket for the service \"nobody\" of the brokers: Server nobody/localhost@");
    assert!(line.starts_with(&expect) && line.contains(" not found in Kerberos database; "), "{line}");
}
