//! The workspace's invariants, by reading its source: which module names what, who does I/O, how long a file may be.
//!
//! Only code counts: comments and string literals may name anything. A rule about a module that does not exist yet holds
//! by itself.

use std::fs;
use std::path::{Path, PathBuf};

use streamlet_tests::fixtures;

/// Lines of a file, tests included; the style asks for 150 and allows this.
const LINES_MAX: usize = 500;

/// A source file: its path from the root, and its text.
struct Source {
    path: String,
    text: String,
}

/// All Rust sources below a folder, or the file itself.
fn sources(folder: &str) -> Vec<Source> {
    let root = fixtures::repository();
    let mut found = Vec::new();
    let mut folders = vec![root.join(folder)];
    while let Some(path) = folders.pop() {
        if path.is_dir() {
            let hidden = |path: &Path| path.ends_with("target") || path.ends_with(".git");
            folders.extend(entries(&path).into_iter().filter(|path| !hidden(path)));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(&root).unwrap().display().to_string();
            found.push(Source { path: name, text: fs::read_to_string(&path).unwrap() });
        }
    }
    found
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

impl Source {
    /// Whether it is the module's, or that of one below it. A module in `host/src` goes by its name alone.
    fn is_of(&self, module: &str) -> bool {
        let module = if module.contains('/') { module.to_owned() } else { format!("host/src/{module}") };
        let rest = self.path.strip_prefix(&module);
        rest.is_some_and(|rest| rest.starts_with('/') || rest == ".rs" || rest.is_empty())
    }

    /// The numbered lines of code without comments and string literals that hold `word`, not as a part of a longer name.
    fn naming(&self, word: &str) -> Vec<String> {
        let is_part = |character: char| character.is_alphanumeric() || character == '_';
        let is_word =
            |code: &str, at: usize| !code[..at].ends_with(is_part) && !code[at + word.len()..].starts_with(is_part);
        let lines = self.text.lines().zip(1..).map(|(line, number)| (without_text(line), number));
        let naming = lines.filter(|(code, _)| code.match_indices(word).any(|(at, _)| is_word(code, at)));
        naming.map(|(code, number)| format!("{}:{number}: {}", self.path, code.trim())).collect()
    }
}

/// A line of code without its comment and the insides of its string literals. Raw strings over lines are not known, and
/// do not occur where it matters.
fn without_text(line: &str) -> String {
    let mut code = String::new();
    let mut in_text = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' if in_text => drop(characters.next()),
            '"' => in_text = !in_text,
            '/' if !in_text && characters.peek() == Some(&'/') => break,
            _ if in_text => {}
            _ => code.push(character),
        }
    }
    code
}

/// Within `folder`, `word` is named by these modules only. They may be still to come.
#[track_caller]
fn check_only(folder: &str, word: &str, modules: &[&str]) {
    let sources = sources(folder);
    let elsewhere = sources.iter().filter(|source| !modules.iter().any(|module| source.is_of(module)));
    let named = elsewhere.flat_map(|source| source.naming(word)).collect::<Vec<_>>();
    assert!(named.is_empty(), "only {modules:?} may name {word}:\n{}", named.join("\n"));
}

/// The module exists or is to come, and names none of these.
#[track_caller]
fn check_none(module: &str, words: &[&str]) {
    let sources = sources("host/src");
    let own = sources.iter().filter(|source| source.is_of(module));
    let named = own.flat_map(|source| words.iter().flat_map(|word| source.naming(word))).collect::<Vec<_>>();
    assert!(named.is_empty(), "{module} may not name {words:?}:\n{}", named.join("\n"));
}

#[test]
fn one_module_names_the_engine() {
    check_only("host", "wasmtime", &["guest"]);
    check_only("host", "wasmtime_wasi", &["guest"]);
    let named = sources("host")
        .iter()
        .filter(|source| source.is_of("guest"))
        .flat_map(|guest| guest.naming("wasmtime"))
        .count();
    assert!(named > 10, "the rule is about something: {named} lines");
}

#[test]
fn the_doors_alone_name_their_wires() {
    check_only("host", "tonic", &["server", "codec"]);
    check_only("host", "rdkafka", &["sidecar"]);
}

#[test]
fn rules_and_vocabulary_name_no_runtime_and_lanes_no_door() {
    assert!(sources("host/src").iter().any(|source| source.is_of("batch")), "the vocabulary is somewhere");
    check_none("batch", &["tokio", "wasmtime", "sidecar", "server", "lane"]);
    check_none("conversation", &["tokio", "tonic", "wasmtime", "sidecar", "server", "lane"]);
    assert!(sources("host/src").iter().any(|source| source.is_of("lane")), "lanes are somewhere");
    check_none("lane", &["sidecar", "server", "codec", "cli"]);
}

#[test]
fn the_command_line_alone_reads_the_environment() {
    // One by one, by their names.
    for word in ["vars", "vars_os"] {
        check_only("host/src", &format!("env::{word}"), &[]);
    }
    check_only("host/src", "env", &["cli"]);
}

#[test]
fn the_protocol_and_the_sdk_do_no_io() {
    for word in ["std::fs", "std::net", "std::env", "std::process"] {
        check_only("protocol/src", word, &[]);
        check_only("guest-sdk/derive/src", word, &[]);
        let allowed = if word == "std::fs" { vec!["guest-sdk/src/testing/descriptor"] } else { vec![] };
        check_only("guest-sdk/src", word, &allowed);
    }
}

#[test]
fn files_are_short_and_say_what_they_are() {
    let sources = sources("");
    assert!(sources.len() > 100, "{} files: is this the workspace?", sources.len());
    // What must not compile is shown without more words than it needs.
    let written = sources.iter().filter(|source| !source.path.contains("/compile_fail/"));
    let problems = written.flat_map(|source| {
        let lines = source.text.lines().count();
        let long = (lines > LINES_MAX).then(|| format!("{} has {lines} lines", source.path));
        let mute = (!source.text.starts_with("//! ")).then(|| format!("{} does not begin with `//! `", source.path));
        long.into_iter().chain(mute)
    });
    let problems = problems.collect::<Vec<_>>();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn comments_and_texts_are_not_code() {
    let source = Source {
        path: "a.rs".into(),
        text: "//! tonic\nlet a = \"tonic \\\" tonic\"; // tonic\nuse tonic::b;\nmy_tonic();".into(),
    };
    assert_eq!(source.naming("tonic"), ["a.rs:3: use tonic::b;"]);
    let file = |path: &str| Source { path: path.into(), text: String::new() };
    assert!(file("host/src/guest.rs").is_of("guest") && file("host/src/guest/log.rs").is_of("guest"));
    assert!(!file("host/src/guest_crate.rs").is_of("guest") && !file("host/src/cli/guest.rs").is_of("guest"));
}
