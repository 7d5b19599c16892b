//! Where evil guests are kept: one engine, components loaded once, a lane for each case, and a good lane beside all.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use streamlet_host::guest::{Component, ComponentFile, Engine};
use streamlet_tests::records::Record;
use streamlet_tests::room::{Room, TestLane};
use streamlet_tests::{guests, text_guests};
use tempfile::TempDir;
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use super::cases::{Case, Guest};
use super::limits;

/// A text without what differs from run to run: how much a guest wrote of a line that it never ended.
pub(super) fn steady(text: &str) -> String {
    let Some((before, rest)) = text.split_once("… (") else { return text.to_owned() };
    let after = rest.trim_start_matches(|digit: char| digit.is_ascii_digit());
    let after = after.strip_prefix(" more bytes)").map(|after| format!("… (so many more bytes){after}"));
    after.map_or_else(|| text.to_owned(), |after| before.to_owned() + &after)
}

/// The engine, and what was loaded with it.
pub(super) struct Ward {
    engine: Arc<Engine>,
    packages: Mutex<BTreeMap<&'static str, Arc<Component>>>,
    directory: TempDir,
    files: AtomicUsize,
}

impl Ward {
    pub(super) fn new() -> Self {
        Self {
            engine: Arc::new(Engine::new(limits()).unwrap()),
            packages: Mutex::default(),
            directory: tempfile::tempdir().unwrap(),
            files: AtomicUsize::new(0),
        }
    }

    /// What the author reads about a case.
    pub(super) async fn read(&self, case: &Case) -> String {
        let component = match self.component(case).await {
            Ok(component) => component,
            Err(refusal) => return refusal,
        };
        let room = Room::of(&component, &config(case));
        let mut lane = room.lane("in", 0);
        if matches!(case.guest, Guest::Package(_)) && case.start == "ok" {
            // It is good at first.
            assert_eq!(lane.run(&[Record::new(0, "echo")]).await.unwrap().len(), 1, "before {}", case.does);
        }
        let text = match lane.run(&records(case)).await {
            Ok(emits) => return format!("(no failure: {} emits)", emits.len()),
            Err(failure) => steady(&failure.to_string()),
        };
        self.goes_on(case, &room, lane).await;
        text
    }

    /// A lane works on after a failure, and so does another partition's.
    async fn goes_on(&self, case: &Case, room: &Room, mut lane: TestLane) {
        let records = [Record::new(20, "echo"), Record::new(21, "echo")];
        match case.guest {
            Guest::Package(_) if case.start == "ok" => {
                assert_eq!(lane.run(&records).await.unwrap().len(), 2, "after {}", case.does);
            }
            Guest::Text(ref places) if places.is_only_process() => {
                assert_eq!(room.lane("in", 1).run(&records).await.unwrap().len(), 2, "after {}", case.does);
            }
            _ => {}
        }
    }

    /// The component of a case, or the text that it is refused with.
    async fn component(&self, case: &Case) -> Result<Arc<Component>, String> {
        if let Guest::Package(package) = case.guest {
            let mut packages = self.packages.lock().await;
            if let Some(component) = packages.get(package) {
                return Ok(Arc::clone(component));
            }
            let component = self.load(guests::component(package)).await?;
            packages.insert(package, Arc::clone(&component));
            return Ok(component);
        }
        let path = self.write(&case.guest);
        let directory = format!("{}/", path.parent().unwrap().display());
        // The directory is another each time.
        self.load(path).await.map_err(|refusal| refusal.replace(&directory, ""))
    }

    async fn load(&self, path: PathBuf) -> Result<Arc<Component>, String> {
        let file = ComponentFile::read(&path).unwrap();
        let loaded = Component::load(Arc::clone(&self.engine), file).await;
        loaded.map(Arc::new).map_err(|error| format!("{:#}", anyhow::Error::from(error)))
    }

    /// Writes a component that no package makes to a file.
    pub(super) fn write(&self, guest: &Guest) -> PathBuf {
        let bytes = match guest {
            Guest::Package(package) => std::fs::read(guests::component(package)).unwrap(),
            Guest::Patched(marker) => guests::patched("raw", "describe:regular", &format!("describe:{marker}")),
            Guest::Text(places) => text_guests::component(places),
        };
        // A name of its own for each, as several may be at it.
        let number = self.files.fetch_add(1, Ordering::Relaxed);
        let directory = self.directory.path().join(number.to_string());
        std::fs::create_dir(&directory).unwrap();
        let path = directory.join("evil.wasm");
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// A well-behaved lane that runs batches until it is told to stop.
    pub(super) async fn good_lane(&self) -> GoodLane {
        let component = self.load(guests::component("conformance")).await.unwrap();
        let mut lane = Room::of(&component, r#"{"factor":2}"#).lane("in", 7);
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let task = tokio::spawn(async move {
            let mut batches = 0i64;
            while !stopped.load(Ordering::Relaxed) {
                right_batch(&mut lane, batches).await;
                batches += 1;
                tokio::task::yield_now().await;
            }
            batches
        });
        GoodLane { stop, task }
    }
}

/// Three records: one is echoed, one is multiplied, one is skipped.
async fn right_batch(lane: &mut TestLane, batch: i64) {
    let record = |n: i64, key: &str| Record::new(batch * 3 + n, format!("{batch}:{n}")).key(key);
    let records = [record(0, "echo"), record(1, "multiply"), record(2, "skip")];
    let emits = lane.run(&records).await.unwrap();
    let found = emits.iter().map(|emit| (emit.outlet.as_str(), emit.record.offset, emit.record.value.as_deref()));
    let [first, second] = [0, 1].map(|n| (batch * 3 + n, format!("{batch}:{n}")));
    let expect = [&first, &second, &second].map(|(offset, value)| ("out", *offset, Some(value.as_bytes())));
    assert!(found.eq(expect), "batch {batch}: {emits:?}");
}

/// See [`Ward::good_lane`].
pub(super) struct GoodLane {
    stop: Arc<AtomicBool>,
    task: JoinHandle<i64>,
}

impl GoodLane {
    /// How many batches it has run, all of them right.
    pub(super) async fn stop(self) -> i64 {
        self.stop.store(true, Ordering::Relaxed);
        self.task.await.unwrap()
    }
}

/// The parameters of a case, as the platform sends them.
pub(super) fn config(case: &Case) -> String {
    match case.guest {
        Guest::Package("raw") => r#"{"label":"l"}"#.into(),
        Guest::Package("evil" | "faulty") => format!(r#"{{"start":"{}"}}"#, case.start),
        _ => "{}".into(),
    }
}

/// Three records, the second of which says what the case is; `raw` looks at the first one's key.
pub(super) fn records(case: &Case) -> [Record; 3] {
    ["echo", case.word, "echo"].map({
        let mut offset = 9;
        move |word| {
            offset += 1;
            Record::new(offset, word).key(case.word)
        }
    })
}
