//! The soak of `benches/soak.rs`, some seconds of it.

use std::time::Duration;

use streamlet_tests::service::Service;
use streamlet_tests::soak::{Soak, growth_percent, trap};

use crate::serve;

/// The bound of the long soak is 5 %; a short one is done while the allocator still takes what it will need.
const GROWTH_PERCENT_MAX: f64 = 25.0;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn some_seconds_of_faults() {
    let mut service = Service::start(serve("evil"));
    let soak = Soak { batches: 50_000, partitions: 32, one_fault_in: 50, supersede_after: Duration::from_millis(500) };
    let soaked = soak.run(&service).await;
    assert!(soaked.failures > 500 && soaked.superseded > 1, "{soaked:?}");
    let trapped = trap(&service, 2000).await;
    eprintln!("{soaked:?}\n{trapped:?}");
    for resident_bytes in [soaked.resident_bytes, trapped.resident_bytes] {
        let growth = growth_percent(resident_bytes);
        assert!(growth < GROWTH_PERCENT_MAX, "{growth} % more memory: {soaked:?} {trapped:?}");
    }
    assert!(service.is_running() && !service.log().contains("panicked at host"), "{}", service.log());
}
