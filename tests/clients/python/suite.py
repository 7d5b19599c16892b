#!/usr/bin/env python3
"""A second, independent client: Python's grpcio, generated from the .proto files, against `streamlet serve`.

    python tests/clients/python/suite.py 127.0.0.1:9010

The process has to serve the reference streamlet `conformance`. It is asked for its descriptor and led through one
conversation; the transcript goes to standard output. Exit code 0: all was as it has to be; 1: something was not, which
the last line says. Needs grpcio and grpcio-tools.
"""

import importlib
import pathlib
import queue
import sys
import tempfile

import grpc
from grpc_tools import protoc

PROTO = pathlib.Path(__file__).resolve().parents[3] / "protocol" / "proto"
PACKAGE = "ankka/flow/v1"
FILES = ["payload", "discovery", "streamlet"]
WAIT_SECONDS = 10


def generate(folder):
    """Compiles the .proto files into `folder` and returns their modules by name."""
    arguments = ["protoc", f"-I{PROTO}", f"--python_out={folder}", f"--grpc_python_out={folder}"]
    if protoc.main(arguments + [f"{PACKAGE}/{name}.proto" for name in FILES]) != 0:
        raise SystemExit("the .proto files do not compile")
    sys.path.insert(0, folder)
    names = [f"{name}_pb2" for name in FILES] + ["discovery_pb2_grpc", "streamlet_pb2_grpc"]
    return {name: importlib.import_module(f"{PACKAGE.replace('/', '.')}.{name}") for name in names}


def check(holds, what):
    if not holds:
        raise AssertionError(what)


class Conversation:
    """One `Run`: messages go in by `say`, answers come out by `hear`."""

    def __init__(self, stub, messages):
        self.messages, self.to_say = messages, queue.SimpleQueue()
        self.answers = stub.Run(iter(self.to_say.get, None), timeout=WAIT_SECONDS)

    def say(self, **field):
        print(f"-> {next(iter(field))}")
        self.to_say.put(self.messages.ToProcess(**field))

    def half_close(self):
        self.to_say.put(None)

    def hear(self):
        message = next(self.answers)
        kind = message.WhichOneof("message")
        answer = getattr(message, kind)
        detail = ""
        if kind == "emit":
            detail = f" to {answer.outlet}: {answer.record.value!r}"
        elif kind == "fail":
            detail = f": {answer.error.message.splitlines()[0]}"
        print(f"<- {kind} of {answer.batch_id}{detail}")
        return kind, answer

    def run(self, batch_id, records):
        """A batch on inlet `in`, partition 0, and its emits; or the text of its failure."""
        self.say(batch=self.messages.Batch(batch_id=batch_id, inlet="in", partition=0, records=records))
        emits = []
        while True:
            kind, answer = self.hear()
            check(answer.batch_id == batch_id, f"{kind} of batch {answer.batch_id}, not {batch_id}")
            if kind == "emit":
                emits.append(answer)
            elif kind == "ack":
                return emits
            else:
                check(not emits, "a failed batch emits nothing")
                return answer.error.message


def converse(channel, modules):
    messages, payload = modules["streamlet_pb2"], modules["payload_pb2"]

    discovery = modules["discovery_pb2_grpc"].DiscoveryStub(channel)
    information = modules["discovery_pb2"].SidecarInfo(protocol_version="1.0", sidecar_version="python")
    spec = discovery.Discover(information, timeout=WAIT_SECONDS)
    print(f"<- spec of {spec.streamlet.name}, protocol {spec.protocol_version}, by {spec.sdk.name} {spec.sdk.version}")
    check(spec.protocol_version == "1.0", "the protocol's version")
    check(spec.streamlet.name == "conformance", "the streamlet's name")
    problems = [payload.Problem(message=f"problem {n} of suite.py, of no importance") for n in (1, 2)]
    discovery.ReportError(payload.Problems(problems=problems), timeout=WAIT_SECONDS)
    print("<- problems taken")

    def record(offset, key, value=b'{"n":0}', headers=()):
        headers = [payload.Header(key=name, value=content) for name, content in headers]
        body = payload.Record(key=key, headers=headers, value=value)
        return messages.InputRecord(offset=offset, timestamp_ms=0, record=body)

    def bind(*ports):
        return [messages.PortBinding(port=port, topic=f"t-{port}") for port in ports]

    conversation = Conversation(modules["streamlet_pb2_grpc"].StreamletStub(channel), messages)
    conversation.say(
        start=messages.Start(
            conversation_id="00000000-0000-4000-8000-000000000001",
            pipeline="conformance",
            streamlet="conformance",
            config_json='{"factor":3,"mode":"echo"}',
            inlets=bind("in", "side"),
            outlets=bind("other", "out"),
            max_message_bytes=4 << 20,
        )
    )
    headers = [("a", b"1"), ("a", b"\x00\xff"), ("b", b"")]
    echoed = record(0, b"echo", headers=headers)
    emits = conversation.run(1, [echoed])
    check([(emit.outlet, emit.record) for emit in emits] == [("out", echoed.record)], "an echo is the record")
    emits = conversation.run(2, [record(1, b"fan"), record(2, b"skip"), record(3, b"multiply")])
    check([emit.outlet for emit in emits] == ["out", "other", "out", "out", "out"], "the outlets, in order")
    check([emit.record.headers[-1].value for emit in emits[2:]] == [b"1", b"2", b"3"], "the copies are numbered")
    emits = conversation.run(3, [record(4, b"unkeyed"), record(5, None), record(6, b"")])
    check([emit.record.HasField("key") for emit in emits] == [False, False, True], "keys that are not there")
    text = conversation.run(4, [record(7, b"fail")])
    check(isinstance(text, str) and "the record said fail" in text, "a failure says why")
    conversation.say(stop=messages.Stop(reason="done"))
    conversation.half_close()
    check(next(conversation.answers, None) is None, "nothing comes after the last answer")
    print("<- completed")


def main():
    if len(sys.argv) != 2:
        raise SystemExit("usage: suite.py HOST:PORT")
    with tempfile.TemporaryDirectory() as folder:
        modules = generate(folder)
        with grpc.insecure_channel(sys.argv[1]) as channel:
            try:
                converse(channel, modules)
            except (AssertionError, grpc.RpcError, StopIteration) as fault:
                print(f"FAILED: {fault!r}")
                return 1
    print("all as it has to be")
    return 0


if __name__ == "__main__":
    sys.exit(main())
