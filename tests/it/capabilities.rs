//! What a guest may do to the system: nothing, but what it was granted; and what it does at length is bounded.

use std::fs;
use std::net::TcpListener;

use streamlet_tests::program::{Program, Ran};
use tempfile::TempDir;

use crate::run;

/// The probe, told to try these.
fn probe(words: &[&str]) -> Program {
    run("probe").args(&["--quiet"]).input(words.join("\n"))
}

/// What the probe emitted, a value a record.
#[track_caller]
fn values(ran: &Ran) -> Vec<String> {
    #[derive(serde::Deserialize)]
    struct Emitted {
        value: String,
    }
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    ran.stdout.lines().map(|line| serde_json::from_str::<Emitted>(line).unwrap().value).collect()
}

/// Exactly one line of the log has this in it, however often the guest has asked.
#[track_caller]
fn told_once(ran: &Ran, level: &str, words: &str) {
    let lines = ran.stderr.lines().filter(|line| line.contains(words)).collect::<Vec<_>>();
    let [line] = &lines[..] else { panic!("one line has {words:?}:\n{}", ran.stderr) };
    assert!(line.contains(level), "{line}");
}

/// A directory with one file, `a.txt`.
fn data() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("a.txt"), "held").unwrap();
    directory
}

fn granted(directory: &TempDir, guest: &str) -> String {
    format!("{}::{guest}", directory.path().display())
}

#[test]
fn there_is_no_environment_unless_granted() {
    let ran = probe(&["envs", "env HOME", "envs"]).args(&["--log", "streamlet=debug"]).run();
    assert_eq!(values(&ran), ["", "error: environment variable not found", ""]);
    told_once(&ran, "DEBUG", "reads its environment, which is empty; --env NAME[=VALUE] grants a variable");

    let variables = ["--env", "MODE=one", "--env", "REGION", "--env", "MODE=two=2", "--env", "EMPTY="];
    let ran = probe(&["env MODE", "env REGION", "envs"]).args(&variables).env("REGION", "north").run();
    assert_eq!(values(&ran), ["two=2", "north", "REGION=north,MODE=two=2,EMPTY="]);
    assert_eq!(ran.stderr, "");
}

#[test]
fn a_variable_that_is_not_there_cannot_be_passed_on() {
    let ran = probe(&[]).args(&["--env", "STREAMLET_TESTS_UNSET"]).run();
    assert_eq!(ran.code, Some(2));
    let why = "--env STREAMLET_TESTS_UNSET: cannot pass the variable on; give it a value with --env \
               STREAMLET_TESTS_UNSET=VALUE: environment variable not found";
    assert!(ran.stderr.contains(why), "{}", ran.stderr);
}

#[test]
fn there_are_no_files_unless_granted() {
    let ran = probe(&["read /etc/passwd", "list /", "write /tmp/a", "read ../a"]).run();
    assert!(values(&ran).iter().all(|value| value.starts_with("error: ")), "{}", ran.stdout);
    told_once(&ran, "WARN", "looks for files, and none are granted; --dir HOST::GUEST grants a directory");

    let directory = data();
    let words = ["read /data/a.txt", "write /data/b.txt", "list /data", "remove /data/a.txt", "read /data/../a"];
    let ran = probe(&words).args(&["--dir", &granted(&directory, "/data")]).run();
    let values = values(&ran);
    assert_eq!(values[..4], ["held", "written", "a.txt,b.txt", "removed"]);
    assert!(values[4].starts_with("error: "), "{}", values[4]);
    assert_eq!(ran.stderr, "");
    assert_eq!(fs::read_to_string(directory.path().join("b.txt")).unwrap(), "written");
}

#[test]
fn a_link_leads_nowhere_outside() {
    let (directory, other) = (data(), data());
    std::os::unix::fs::symlink(other.path().join("a.txt"), directory.path().join("out")).unwrap();
    let ran = probe(&["read /data/out"]).args(&["--dir", &granted(&directory, "/data")]).run();
    assert!(values(&ran)[0].starts_with("error: "), "{}", ran.stdout);
}

#[test]
fn what_is_granted_to_read_is_not_written() {
    let directory = data();
    let words = ["read /data/a.txt", "write /data/a.txt", "write /data/b.txt", "remove /data/a.txt"];
    let ran = probe(&words).args(&["--dir", &granted(&directory, "/data:ro")]).run();
    let values = values(&ran);
    assert_eq!(values[0], "held");
    assert!(values[1..].iter().all(|value| value.starts_with("error: ")), "{values:?}");
    told_once(&ran, "WARN", "may not write a file; a directory that --dir grants without `:ro` may be written to");
    assert_eq!(fs::read_to_string(directory.path().join("a.txt")).unwrap(), "held");
    assert!(!directory.path().join("b.txt").exists());

    // Not only opening is told.
    let ran = probe(&["remove /data/a.txt"]).args(&["--dir", &granted(&directory, "/data:ro")]).run();
    told_once(&ran, "WARN", "may not write a file");
}

#[test]
fn a_directory_that_cannot_be_granted_is_told_at_once() {
    let directory = data();
    let check = |arguments: &[&str], words: &str| {
        let ran = probe(&[]).args(arguments).run();
        assert_eq!(ran.code, Some(2), "{arguments:?}");
        assert!(ran.stderr.contains(words), "{words:?} is not in\n{}", ran.stderr);
    };
    check(&["--dir", "/none/such::/data"], "--dir: cannot grant \"/none/such\": No such file");
    let file = format!("{}/a.txt::/data", directory.path().display());
    check(&["--dir", &file], "it is no directory");
    let granted = granted(&directory, "/data");
    check(&["--dir", &granted, "--dir", &granted], "two directories cannot both be \"/data\"");
    check(&["--dir", "data"], "a directory is HOST::GUEST or HOST::GUEST:ro");
}

#[test]
fn there_is_no_network() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let connect = format!("connect {}", listener.local_addr().unwrap());
    let ran = probe(&[&connect, "resolve localhost", "udp", "look-up", &connect]).run();
    let values = values(&ran);
    assert!(values.iter().all(|value| value.starts_with("error: ")), "{values:?}");
    assert_eq!(values[2..4], ["error: access-denied", "error: access-denied"]);
    told_once(&ran, "WARN", "tries to use the network, which is not available to streamlets");
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err(), "nobody came");
}

/// What would keep the host busy without an end, or its memory full, ends the instance and says why.
#[test]
fn what_the_host_does_for_a_guest_is_bounded() {
    let check = |word: &str, expect: Result<&str, &str>| {
        let ran = probe(&[word]).run();
        match expect {
            Ok(value) => assert_eq!(values(&ran), [value]),
            Err(words) => {
                assert_eq!(ran.code, Some(1), "{word}: {}", ran.stderr);
                assert!(ran.stderr.contains(words), "{word}: {words:?} is not in\n{}", ran.stderr);
            }
        }
    };
    check("random 1048576", Ok("1048576 bytes"));
    check("random 1048577", Err("it asks for 1048577 random bytes at once; this host gives 1048576 at a time"));
    check("insecure 64", Ok("64 bytes"));
    check("insecure 100000000", Err("it asks for 100000000 random bytes at once"));
    check("hold 400", Ok("400 pollables"));
    check("hold 2000", Err("it holds more than 1024 files, streams and pollables at once; drop some"));
    check("poll 1000", Ok("1000 ready"));
    check("poll 1000000", Err("it polls 1000000 pollables at once; this host takes 1024"));
}
