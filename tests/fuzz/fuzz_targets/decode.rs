//! Any bytes as a message from the sidecar: the host's reader takes what prost takes, and reads the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use streamlet_tests::wire_oracle::compare;

fuzz_target!(|data: &[u8]| compare(data));
