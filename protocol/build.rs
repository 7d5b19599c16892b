//! Generates the messages and services of `ankka.flow.v1` into `OUT_DIR`, when the feature `grpc` asks for them.
//!
//! protox reads the `.proto` files, so no contributor needs `protoc`, and nothing generated is committed.

#[cfg(feature = "grpc")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=proto");
    let files = protox::compile(
        ["ankka/flow/v1/payload.proto", "ankka/flow/v1/discovery.proto", "ankka/flow/v1/streamlet.proto"],
        ["proto"],
    )?;
    // `Bytes` lets a decoded record share the received message's memory.
    tonic_prost_build::configure().bytes(".").compile_fds(files)?;
    Ok(())
}

#[cfg(not(feature = "grpc"))]
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
}
