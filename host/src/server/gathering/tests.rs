//! What arrives, when, and that nothing is lost.

use std::future::poll_fn;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};

use super::*;

fn pair(capacity: usize) -> (Gathering<DuplexStream>, DuplexStream) {
    let (ours, theirs) = duplex(capacity);
    (Gathering::new(ours), theirs)
}

/// What has arrived, without waiting for more.
async fn arrived(theirs: &mut DuplexStream) -> usize {
    let mut bytes = vec![0; 1 << 20];
    tokio::select! {
        biased;
        read = theirs.read(&mut bytes) => read.unwrap(),
        () = std::future::ready(()) => 0,
    }
}

#[tokio::test]
async fn little_is_sent_at_once() {
    let (mut ours, mut theirs) = pair(1 << 20);
    ours.write_all(&[7; LITTLE_BYTES_MAX - 1]).await.unwrap();
    assert_eq!(arrived(&mut theirs).await, 0, "it is not flushed");
    ours.flush().await.unwrap();
    assert_eq!(arrived(&mut theirs).await, LITTLE_BYTES_MAX - 1);
}

#[tokio::test]
async fn more_than_a_frame_waits_for_the_next_turn_or_for_a_lot() {
    let (mut ours, mut theirs) = pair(1 << 20);
    for _ in 0..3 {
        ours.write_all(&[7; LITTLE_BYTES_MAX]).await.unwrap();
        ours.flush().await.unwrap();
        assert_eq!(arrived(&mut theirs).await, 0);
    }
    // The turn has been asked for, once, and begins with reading.
    let mut nothing = [0; 1];
    let read = poll_fn(|cx| Poll::Ready(Pin::new(&mut ours).poll_read(cx, &mut ReadBuf::new(&mut nothing)).is_ready()));
    assert!(!read.await, "there is nothing to read");
    assert_eq!(arrived(&mut theirs).await, 3 * LITTLE_BYTES_MAX);
    ours.write_all(&vec![7; A_LOT_BYTES]).await.unwrap();
    ours.flush().await.unwrap();
    assert_eq!(arrived(&mut theirs).await, A_LOT_BYTES);
}

/// A task that only writes and flushes gets the turn that it needs.
#[tokio::test]
async fn a_flush_that_waits_wakes_its_task() {
    let (mut ours, mut theirs) = pair(1 << 20);
    let task = tokio::spawn(async move {
        let mut is_first = true;
        poll_fn(|cx| {
            if std::mem::take(&mut is_first) {
                assert!(Pin::new(&mut ours).poll_write(cx, &[7; LITTLE_BYTES_MAX]).is_ready());
                assert!(Pin::new(&mut ours).poll_flush(cx).is_ready());
            }
            let mut nothing = [0; 1];
            Pin::new(&mut ours).poll_read(cx, &mut ReadBuf::new(&mut nothing))
        })
        .await
    });
    let mut bytes = [0; LITTLE_BYTES_MAX];
    theirs.read_exact(&mut bytes).await.unwrap();
    drop(theirs);
    task.await.unwrap().unwrap();
}

/// Whatever the reader takes at a time, and whenever it is flushed, what arrives is what was written.
#[tokio::test]
async fn a_slow_reader_gets_everything_in_order() {
    for capacity in [1, 1000, 20_000, 300_000] {
        let (mut ours, mut theirs) = pair(capacity);
        let written = (0..300_000u32).flat_map(u32::to_le_bytes).take(700_000).collect::<Vec<_>>();
        let expect = written.clone();
        let writing = tokio::spawn(async move {
            let mut rest = &written[..];
            for size in [1, 9, 16_384, 9, 16_384, 100_000, 9, 5].into_iter().cycle() {
                let (now, after) = rest.split_at(size.min(rest.len()));
                let (head, body) = now.split_at(now.len() / 3);
                let mut slices = [IoSlice::new(head), IoSlice::new(body)];
                let mut slices = &mut slices[..];
                while slices.iter().any(|slice| !slice.is_empty()) {
                    let count = ours.write_vectored(slices).await.unwrap();
                    IoSlice::advance_slices(&mut slices, count);
                }
                ours.flush().await.unwrap();
                rest = after;
                if rest.is_empty() {
                    break;
                }
            }
            ours.shutdown().await.unwrap();
        });
        let mut read = Vec::new();
        theirs.read_to_end(&mut read).await.unwrap();
        writing.await.unwrap();
        assert!(read == expect, "capacity {capacity}");
    }
}
