//! The guide's first streamlet and its test, which stand there word for word; and the example of the page on streams.

// streamlet
use serde::Deserialize;
use streamlet::prelude::*;

/// Keeps payments that look honest.
#[derive(Streamlet)]
struct FraudFilter {
    #[inlet(schema = "payments.v1")]
    payments: Inlet,
    #[outlet(schema = "payments.v1")]
    honest: Outlet,
    /// Payments above this are dropped.
    #[parameter(default = 5000)]
    max_amount: i64,
}

#[derive(Deserialize)]
struct Payment {
    amount: i64,
}

impl Process for FraudFilter {
    fn process(&mut self, batch: &Batch, out: &mut Emits) -> Result<()> {
        for record in batch {
            let payment: Payment = record.json()?;
            if payment.amount <= self.max_amount {
                out.forward(self.honest, record);
            }
        }
        Ok(())
    }
}
streamlet::export!(FraudFilter);
// tests
#[cfg(test)]
mod tests {
    use streamlet::testing::{Harness, Record, hash_partitioner};

    use super::*;

    #[test]
    fn small_payments_are_honest() {
        let outcome = Harness::<FraudFilter>::new()
            .set("max-amount", 10)
            .partitions(hash_partitioner(3))
            .max_records(2)
            .put("payments", Record::new(r#"{"amount":7}"#).key("c1"))
            .put("payments", Record::new(r#"{"amount":70}"#).key("c1"))
            .put("payments", Record::new("no payment").key("c2"))
            .run();
        assert_eq!(outcome.records("honest"), [Record::new(r#"{"amount":7}"#).key("c1")]);
        assert_eq!(outcome.skipped().len(), 1);
        assert_eq!(outcome.failures().len(), 1);
    }
}
// end

#[test]
fn the_guide_shows_this_file() {
    let (guide, own) = (include_str!("../GUIDE.md"), include_str!("guide.rs"));
    let listing = |from: &str, to: &str| own.split_once(from).and_then(|(_, rest)| rest.split_once(to)).unwrap().0;
    assert!(guide.contains(listing("// streamlet\n", "// tests\n")), "the streamlet");
    assert!(guide.contains(listing("// tests\n", "// end\n")), "its test");
}

#[test]
fn the_page_on_streams_shows_the_example() {
    let (page, example) =
        (include_str!("../STREAMS.md"), include_str!("../../examples/order-lines/src/order_lines.rs"));
    let from = example.find("    fn process(").unwrap();
    let process = example[from..].split_once("\n    }\n").unwrap().0;
    assert!(process.contains(".run_to_end()") && page.contains(process));
}
