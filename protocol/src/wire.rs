//! The messages and services of `ankka.flow.v1`, generated while building from the platform's own `.proto` files.
//!
//! Owns nothing written by hand, so it refuses nothing: rules live in [`crate::descriptor`] and in the host. Fields of
//! bytes are `bytes::Bytes`, so that a decoded record shares the memory of the message it came in.
//!
//! ```
//! use prost::Message as _;
//! use streamlet_protocol::wire::{FromProcess, Ack, from_process};
//!
//! let message = FromProcess { message: Some(from_process::Message::Ack(Ack { batch_id: 7 })) };
//! assert_eq!(message.encode_to_vec(), [0x12, 0x02, 0x08, 0x07]);
//! ```

pub use generated::*;

#[expect(
    missing_docs,
    unused_qualifications,
    clippy::pedantic,
    clippy::allow_attributes,
    clippy::allow_attributes_without_reason,
    reason = "generated: its documentation is the .proto files' comments, its style the generator's"
)]
mod generated {
    tonic::include_proto!("ankka.flow.v1");
}
