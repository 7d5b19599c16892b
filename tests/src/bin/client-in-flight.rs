//! A client to be killed: it starts a conversation with the process at the address it is given, sends a batch that loops,
//! says so, and waits.

use std::time::Duration;

use streamlet_tests::records::Record;
use streamlet_tests::sidecar::Sidecar;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let Some(address) = std::env::args().nth(1) else { return };
    let talk = Sidecar::dial(&address).await.start("{}").await;
    talk.batch(1, "in", 0, &[Record::new(0, "loop")]).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    #[expect(clippy::print_stdout, reason = "whoever kills it waits for this line")]
    {
        println!("in flight");
    }
    std::future::pending::<()>().await;
    drop(talk);
}
