//! Sends cart events that are worth a look to an outlet of their own.

use serde::Deserialize;
use streamlet::prelude::*;

/// Routes cart events to the valid or review outlet.
#[derive(Streamlet)]
struct CartRouter {
    #[inlet(name = "in", schema = "cart-events.v1")]
    carts: Inlet,
    #[outlet(schema = "cart-events.v1")]
    valid: Outlet,
    #[outlet(schema = "cart-events.v1")]
    review: Outlet,
    /// Carts with a total above this go to the review outlet.
    #[parameter(default = 100)]
    review_threshold: i64,
}

#[derive(Deserialize)]
struct Cart {
    total: i64,
}

impl Process for CartRouter {
    fn process(&mut self, batch: &Batch, out: &mut Emits) -> Result<()> {
        for record in batch {
            let cart: Cart = record.json()?;
            out.forward(if cart.total > self.review_threshold { self.review } else { self.valid }, record);
        }
        Ok(())
    }
}

streamlet::export!(CartRouter);

#[cfg(test)]
mod tests {
    use super::*;
    use streamlet::testing::{self, Harness, Record, hash_partitioner};

    fn cart(id: &str, total: i64) -> Record {
        Record::new(format!(r#"{{"cart_id":"{id}","total":{total}}}"#)).key(id)
    }

    #[test]
    fn carts_above_the_threshold_are_reviewed() {
        let outcome =
            Harness::<CartRouter>::new().put_all("in", [cart("c1", 100), cart("c2", 101), cart("c3", -5)]).run();
        assert_eq!(outcome.records("valid"), [cart("c1", 100), cart("c3", -5)]);
        assert_eq!(outcome.records("review"), [cart("c2", 101)]);
        assert!(outcome.skipped().is_empty() && outcome.failures().is_empty());
    }

    #[test]
    fn a_deployment_sets_the_threshold() {
        let outcome = Harness::<CartRouter>::new().set("review-threshold", 50).put("in", cart("c1", 60)).run();
        assert_eq!(outcome.records("review"), [cart("c1", 60)]);
    }

    #[test]
    fn a_cart_without_total_fails_its_batch_and_names_itself() {
        let outcome = Harness::<CartRouter>::new()
            .max_records(1)
            .put_all("in", [cart("c1", 1), Record::new(r#"{"cart_id":"c2"}"#), cart("c3", 3)])
            .run();
        assert_eq!(outcome.records("valid"), [cart("c1", 1)], "what was acknowledged stays, what follows waits");
        let [failure] = outcome.failures() else { panic!("one batch fails") };
        assert_eq!(failure.message, "value is not the JSON expected: missing field `total` at line 1 column 16");
        assert_eq!((failure.inlet, failure.partition, failure.offset), ("in", 0, Some(1)));
    }

    #[test]
    fn the_events_beside_this_crate_go_both_ways() {
        let events = include_str!("../events.ndjson").lines().map(Record::new);
        let outcome = Harness::<CartRouter>::new().partitions(hash_partitioner(3)).put_all("in", events).run();
        assert!(outcome.failures().is_empty());
        let (valid, review) = (outcome.records("valid").len(), outcome.records("review").len());
        assert_eq!(valid + review, 50);
        assert!(valid > 10 && review > 10, "{valid} valid, {review} for review");
    }

    #[test]
    fn the_descriptor_file_is_up_to_date() {
        testing::check_descriptor::<CartRouter>("flow/descriptor.json");
    }
}
