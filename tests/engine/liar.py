"""A zygote and a child that are not ours: they speak the protocol up to the job, then do what the job's `code` names.

Run as a script, in the place of the real zygote; its children stand for ones whose engine was taken over.
"""

import importlib
import json
import os
import signal
import sys
import time
from collections.abc import Callable


def receive() -> bytes:
    return read(int.from_bytes(read(5)[1:]))


def read(count: int) -> bytes:
    body = b""
    while len(body) < count:
        part = os.read(0, count - len(body))
        if not part:
            sys.exit()
        body += part
    return body


def send(kind: bytes, body: bytes, length: int | None = None) -> None:
    os.write(0, kind + (len(body) if length is None else length).to_bytes(4) + body)


def flood(kind: bytes, body: bytes) -> None:
    while True:
        send(kind, body)


def wait_for_ever() -> None:
    while True:
        time.sleep(60)


def partial() -> None:
    send(b"D", b'"half', 1000)
    wait_for_ever()


def half_a_header() -> None:
    os.write(0, b"D\0\0")
    wait_for_ever()


def nothing_after_the_header() -> None:
    send(b"L", b"", 100)
    wait_for_ever()


def bytewise() -> None:
    for byte in b"D" + (2).to_bytes(4) + b"42":
        os.write(0, bytes([byte]))
        time.sleep(0.001)
    wait_for_ever()


def deaf() -> None:
    for number in range(1000):
        send(b"C", json.dumps([number, "getPrivateKey", [{"text": "x" * 10_000}]]).encode())
    wait_for_ever()


def honest_after_two_answers_to_one_id() -> None:
    send(b"C", b'[7,"a",[1]]')
    send(b"C", b'[7,"b",[2]]')
    answers = sorted(receive().decode() for _ in range(2))
    send(b"D", json.dumps(answers).encode())


def result_and_more() -> None:
    send(b"D", b"1")
    flood(b"L", b'"more"')


DEEDS: dict[str, Callable[[], None]] = {
    "unknown kind": lambda: send(b"Z", b"{}"),
    "ready again": lambda: send(b"R", b""),
    "another process": lambda: send(b"P", b"1"),
    "broken": lambda: send(b"B", b"a reason"),
    "four gigabytes of result": lambda: send(b"D", b"", 2**32 - 1),
    "four gigabytes of log": lambda: send(b"L", b"", 2**32 - 1),
    "four gigabytes of call": lambda: send(b"C", b"", 2**32 - 1),
    "partial": partial,
    "bytewise": bytewise,
    "silence": wait_for_ever,
    "leave": lambda: sys.exit(0),
    "leave with a code": lambda: sys.exit(3),
    "segmentation fault": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "forbidden call": lambda: os.kill(os.getpid(), signal.SIGSYS),
    "killed by the kernel": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "out of processor time": lambda: os.kill(os.getpid(), signal.SIGXCPU),
    "result and more": result_and_more,
    "result no text": lambda: send(b"D", b"\xff\xfe"),
    "result no JSON": lambda: send(b"D", b"{"),
    "result empty": lambda: send(b"D", b""),
    "result NaN": lambda: send(b"D", b"NaN"),
    "result infinite": lambda: send(b"D", b"[1e999]"),
    "result deep": lambda: send(b"D", b"[" * 500_000),
    "result with two values": lambda: send(b"D", b"1 2"),
    "result of many values": lambda: send(b"D", b"[" + b"[]," * 300_000 + b"0]"),
    "result of half pairs": lambda: send(b"D", b'"' + b"\\ud800" * 170_000 + b'"'),
    "log no text": lambda: send(b"L", b"{}"),
    "log longer than all logs": lambda: send(b"L", b'"' + b"x" * 4_000_000 + b'"'),
    "log of many values": lambda: send(b"L", b"[" + b"0," * 200_000 + b"0]"),
    "log flood": lambda: flood(b"L", b'"' + b"x" * 100 + b'"'),
    "call no list": lambda: send(b"C", b"{}"),
    "call of a truth": lambda: send(b"C", b'[true,"a",[]]'),
    "call deep": lambda: send(b"C", b'[1,"a",' + b"[" * 500_000),
    "call of half a pair": lambda: send(b"C", b'[1,"a",["\\ud800"]]'),
    "log deep": lambda: send(b"L", b"[" * 500_000),
    "call without arguments": lambda: send(b"C", b'[1,"a"]'),
    "call of a number": lambda: send(b"C", b"[1,2,[]]"),
    "call flood": lambda: flood(b"C", b'[1,"a",[]]'),
    "deaf": deaf,
    "two answers": honest_after_two_answers_to_one_id,
    "error without stack": lambda: send(b"E", b'{"name":"a","message":"b"}'),
    "error of a secret shape": lambda: send(b"E", b'{"name":1,"message":"b","stack":""}'),
    "error with a million values beside": lambda: send(
        b"E", b'{"name":"a","message":"b","stack":"c","more":[' + b"[]," * 1_000_000 + b"0]}"
    ),
    "error longer than any": lambda: send(b"E", b'{"name":"a","message":"' + b"x" * 3_000_000 + b'","stack":"c"}'),
    "call of a million values": lambda: send(b"C", b'[1,"a",[' + b"[]," * 1_000_000 + b"0]]"),
    "answer to a call": lambda: send(b"A", b"[1,true,1]"),
    "job to the node": lambda: send(b"J", b"{}"),
    "kind of no text": lambda: send(b"\xff", b""),
    "half a header": half_a_header,
    "nothing after the header": nothing_after_the_header,
    "out of memory": lambda: send(b"M", b""),
}


def misbehave(where: str, behaviour: str) -> None:
    if behaviour == f"{where} dies":
        sys.exit(1)
    if behaviour == f"{where} complains":
        send(b"B", b"no sandbox here")
        wait_for_ever()
    if behaviour == f"{where} is never ready":
        wait_for_ever()


def main() -> None:
    root, behaviour = sys.argv[1:]
    sys.path.insert(0, root)
    forking = importlib.import_module("node.engine.zygote.forking")
    receive()
    misbehave("zygote", behaviour)
    send(b"R", b"")
    forking.serve()
    if behaviour == "child is somebody else":
        send(b"P", str(os.getppid()).encode())
        wait_for_ever()
    misbehave("unknown child", behaviour)
    send(b"P", str(os.getpid()).encode())
    misbehave("child", behaviour)
    send(b"R", b"")
    DEEDS[json.loads(receive())["code"]]()
    # The fork has no part in the interpreter's tidying up.
    os._exit(0)


if __name__ == "__main__":
    main()
