//! On a real Apache Kafka, which `tests/kafka/kafka` starts. Without Java or Maven these tests say that they did not run.

mod check;
mod helpers;
mod tap;
