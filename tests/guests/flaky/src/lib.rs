//! A streamlet that fails now and then, by chance: what comes again after a failure may go well. For chaos.

#![expect(clippy::panic, reason = "panicking is what it is for")]

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::thread;
use std::time::Duration;

use streamlet::prelude::*;

/// How long a slow batch takes.
const SLOW: Duration = Duration::from_millis(50);

/// Routes numbers to the outlet of their parity, unless it fails.
#[derive(Streamlet)]
struct Flaky {
    #[inlet(name = "in", schema = "numbers.v1")]
    main: Inlet,
    #[outlet(schema = "numbers.v1")]
    even: Outlet,
    #[outlet(schema = "numbers.v1")]
    odd: Outlet,
    /// Of a thousand batches so many fail, so many trap, and so many are slow.
    #[parameter(default = 0)]
    odds: i64,
}

impl Process for Flaky {
    fn process(&mut self, batch: &Batch, out: &mut Emits) -> Result<()> {
        debug_assert!(batch.inlet() == self.main, "there is one inlet");
        let chance = RandomState::new().build_hasher().finish() % 1000;
        let odds = u64::try_from(self.odds).unwrap_or(0);
        for (position, record) in batch.into_iter().enumerate() {
            // In the middle of the batch: some of its emits have been made by then.
            if position == batch.len() / 2 {
                match chance / odds.max(1) {
                    0 if odds > 0 => fail!("it is bad luck"),
                    1 if odds > 0 => panic!("it is very bad luck"),
                    2 if odds > 0 => thread::sleep(SLOW),
                    _ => {}
                }
            }
            let number = record.text()?.split(' ').next().and_then(|number| number.parse::<u64>().ok());
            let Some(number) = number else { fail!("the value does not begin with a number") };
            out.forward(if number % 2 == 0 { self.even } else { self.odd }, record);
        }
        Ok(())
    }
}

streamlet::export!(Flaky);
