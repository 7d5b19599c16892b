//! Which of Kafka's errors pass by themselves, as connections come back and groups and coordinators settle.

use rdkafka::error::{KafkaError, RDKafkaErrorCode};

/// Whether whatever failed may just go on.
pub(super) fn passes(error: &KafkaError) -> bool {
    use RDKafkaErrorCode as Code;
    matches!(
        error.rdkafka_error_code(),
        Some(
            Code::BrokerTransportFailure
                | Code::AllBrokersDown
                | Code::NetworkException
                | Code::Resolve
                | Code::OperationTimedOut
                | Code::RequestTimedOut
                | Code::NotCoordinator
                | Code::CoordinatorNotAvailable
                | Code::CoordinatorLoadInProgress
                | Code::WaitingForCoordinator
                | Code::RebalanceInProgress
                | Code::IllegalGeneration
                | Code::StaleMemberEpoch
                | Code::UnknownMemberId
                | Code::AssignmentLost
        )
    )
}
