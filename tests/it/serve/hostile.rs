//! What a port has to bear that anything in the pod may connect to.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tonic::Code;

use super::{echo, emits, ready};

/// The beginning of HTTP/2, with an empty SETTINGS frame.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn garbage_and_silence_hurt_nobody() {
    let mut service = ready("conformance");
    let mut talk = service.dial().await.start("{}").await;
    talk.run(1, &[echo(0)]).await.unwrap();
    let mut silent = Vec::new();
    for _ in 0..50 {
        silent.push(TcpStream::connect(service.address()).await.unwrap());
    }
    for garbage in [
        &b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"[..],
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        &[0xff; 4096],
        b"\n",
        PREFACE,
        &[PREFACE, &[0xff; 100]].concat(),
        &[PREFACE, b"\xff\xff\xff\x01\x04\0\0\0\x01"].concat(),
    ] {
        let mut stream = TcpStream::connect(service.address()).await.unwrap();
        // It may be closed before all is written.
        let _ = stream.write_all(garbage).await;
        let mut answer = [0; 512];
        let _ = tokio::time::timeout(Duration::from_millis(200), stream.read(&mut answer)).await;
    }
    // Half of a connection, left open.
    let mut half = TcpStream::connect(service.address()).await.unwrap();
    half.write_all(&PREFACE[..10]).await.unwrap();
    assert_eq!(talk.run(2, &[echo(1)]).await, Ok(emits("out", &[echo(1)])));
    let mut other = service.dial().await.start("{}").await;
    assert_eq!(other.run(1, &[echo(0)]).await, Ok(emits("out", &[echo(0)])));
    assert!(service.is_running());
    assert!(!service.log().contains("panicked"), "{}", service.log());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_the_loopback_interface_is_listened_to() {
    let service = ready("conformance");
    assert!(service.address().starts_with("127.0.0.1:"), "{}", service.address());
    let (_, port) = service.address().split_once(':').unwrap();
    // Another address of this machine, even one of the loopback network, is refused.
    assert!(TcpStream::connect(format!("127.0.0.2:{port}")).await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_streams_that_say_nothing() {
    let service = ready("conformance");
    let mut silent = Vec::new();
    for _ in 0..5 {
        let sidecar = service.dial().await;
        for _ in 0..30 {
            silent.push(sidecar.open().await);
        }
    }
    let mut talk = service.dial().await.start("{}").await;
    assert_eq!(talk.run(1, &[echo(0)]).await, Ok(emits("out", &[echo(0)])));
    for talk in &mut silent {
        talk.half_close();
    }
    for mut talk in silent {
        assert_eq!(talk.end().await.code(), Code::Ok);
    }
    assert_eq!(talk.run(2, &[echo(1)]).await, Ok(emits("out", &[echo(1)])));
}
