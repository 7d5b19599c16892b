//! Turns orders into bundles of priced lines: a streamlet that is one composed stream.

mod order_lines;

streamlet::export!(order_lines::OrderLines);

#[cfg(test)]
mod tests;
