"""A zygote and a worker that are not ours: they speak the protocol up to the first job, then do what the program names.

Run as a script, in the place of the real zygote; its workers stand for ones whose engine was taken over. `fiber` is the fiber
of the first job, 1; where a deed needs a neighbour, it waits until the node has begun further fibers.
"""

import importlib
import json
import os
import signal
import sys
import time
from collections.abc import Callable

FIBER = 1


def receive() -> tuple[bytes, int, bytes]:
    header = read(9)
    return header[:1], int.from_bytes(header[1:5]), read(int.from_bytes(header[5:]))


def read(count: int) -> bytes:
    body = b""
    while len(body) < count:
        part = os.read(0, count - len(body))
        if not part:
            os._exit(0)
        body += part
    return body


def say(kind: bytes, body: bytes) -> None:
    """A frame of the time before the worker is ready."""
    os.write(0, kind + len(body).to_bytes(4) + body)


def send(kind: bytes, body: bytes, length: int | None = None, fiber: int = FIBER) -> None:
    left = kind + fiber.to_bytes(4) + (len(body) if length is None else length).to_bytes(4) + body
    while left:
        left = left[os.write(0, left) :]


def flood(kind: bytes, body: bytes, fiber: int = FIBER) -> None:
    while True:
        send(kind, body, fiber=fiber)


def wait_for_ever() -> None:
    while True:
        time.sleep(60)


def confirm_what_is_ended() -> None:
    """As an honest worker does, from now on."""
    while True:
        kind, fiber, _ = receive()
        if kind == b"K":
            send(b"K", b"", fiber=fiber)


def then_confirm(kind: bytes, body: bytes) -> None:
    send(kind, body)
    confirm_what_is_ended()


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
    for byte in b"D" + FIBER.to_bytes(4) + (2).to_bytes(4) + b"42":
        os.write(0, bytes([byte]))
        time.sleep(0.001)
    wait_for_ever()


def deaf() -> None:
    for number in range(400):
        send(b"C", json.dumps([number, "getPrivateKey", [{"text": "x" * 10_000}]]).encode())
    wait_for_ever()


def calls_beyond_what_may_wait() -> None:
    for number in range(60):
        send(b"C", json.dumps([number, "fetch", [{"text": "x" * 100_000}]]).encode())
    wait_for_ever()


def honest_after_two_answers_to_one_id() -> None:
    send(b"C", b'[7,"a",[1]]')
    send(b"C", b'[7,"b",[2]]')
    answers = sorted(receive()[2].decode() for _ in range(2))
    send(b"D", json.dumps(answers).encode())
    wait_for_ever()


def result_and_more() -> None:
    send(b"D", b"1")
    flood(b"L", b'"more"')


def close_and_stay() -> None:
    os.close(0)
    wait_for_ever()


def two_results() -> None:
    send(b"D", b"1")
    send(b"D", b"2")
    wait_for_ever()


def skipped(kind: bytes, length: int) -> None:
    """A frame longer than the limit, whole; then what an honest worker does."""
    send(kind, b"x" * length)
    confirm_what_is_ended()


DEEDS: dict[str, Callable[[], None]] = {
    "unknown kind": lambda: send(b"Z", b"{}"),
    "ready again": lambda: send(b"R", b""),
    "another process": lambda: send(b"P", b"1"),
    "broken": lambda: send(b"B", b"a reason"),
    "four gigabytes of result": lambda: send(b"D", b"", 2**32 - 1),
    "four gigabytes of log": lambda: send(b"L", b"", 2**32 - 1),
    "four gigabytes of call": lambda: send(b"C", b"", 2**32 - 1),
    "five megabytes of result": lambda: skipped(b"D", 5_000_000),
    "five megabytes of log": lambda: skipped(b"L", 5_000_000),
    "five megabytes of call": lambda: skipped(b"C", 5_000_000),
    "partial": partial,
    "bytewise": bytewise,
    "silence": wait_for_ever,
    "silence, and confirms": confirm_what_is_ended,
    "leave": lambda: sys.exit(0),
    "leave with a code": lambda: sys.exit(3),
    "close the socket and stay": close_and_stay,
    "segmentation fault": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "forbidden call": lambda: os.kill(os.getpid(), signal.SIGSYS),
    "killed by the kernel": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "out of processor time": lambda: os.kill(os.getpid(), signal.SIGXCPU),
    "result and more": result_and_more,
    "two results": two_results,
    "result no text": lambda: then_confirm(b"D", b"\xff\xfe"),
    "result no JSON": lambda: then_confirm(b"D", b"{"),
    "result empty": lambda: then_confirm(b"D", b""),
    "result NaN": lambda: then_confirm(b"D", b"NaN"),
    "result infinite": lambda: then_confirm(b"D", b"[1e999]"),
    "result deep": lambda: then_confirm(b"D", b"[" * 500_000),
    "result with two values": lambda: then_confirm(b"D", b"1 2"),
    "result of many values": lambda: then_confirm(b"D", b"[" + b"[]," * 300_000 + b"0]"),
    "result of half pairs": lambda: then_confirm(b"D", b'"' + b"\\ud800" * 170_000 + b'"'),
    "log no text": lambda: then_confirm(b"L", b"{}"),
    "log longer than all logs": lambda: then_confirm(b"L", b'"' + b"x" * 4_000_000 + b'"'),
    "log of many values": lambda: then_confirm(b"L", b"[" + b"0," * 200_000 + b"0]"),
    "log flood": lambda: flood(b"L", b'"' + b"x" * 100 + b'"'),
    "log deep": lambda: then_confirm(b"L", b"[" * 500_000),
    "call no list": lambda: then_confirm(b"C", b"{}"),
    "call of a truth": lambda: then_confirm(b"C", b'[true,"a",[]]'),
    "call deep": lambda: then_confirm(b"C", b'[1,"a",' + b"[" * 500_000),
    "call of half a pair": lambda: then_confirm(b"C", b'[1,"a",["\\ud800"]]'),
    "call without arguments": lambda: then_confirm(b"C", b'[1,"a"]'),
    "call of a number": lambda: then_confirm(b"C", b"[1,2,[]]"),
    "call of a million values": lambda: then_confirm(b"C", b'[1,"fetch",[' + b"[]," * 1_000_000 + b"0]]"),
    "call flood": lambda: flood(b"C", b'[1,"a",[]]'),
    "calls beyond what may wait": calls_beyond_what_may_wait,
    "deaf": deaf,
    "two answers": honest_after_two_answers_to_one_id,
    "error without stack": lambda: then_confirm(b"E", b'{"name":"a","message":"b"}'),
    "error of a secret shape": lambda: then_confirm(b"E", b'{"name":1,"message":"b","stack":""}'),
    "error with a million values beside": lambda: then_confirm(
        b"E", b'{"name":"a","message":"b","stack":"c","more":[' + b"[]," * 1_000_000 + b"0]}"
    ),
    "error longer than any": lambda: then_confirm(
        b"E", b'{"name":"a","message":"' + b"x" * 3_000_000 + b'","stack":"c"}'
    ),
    "answer to a call": lambda: send(b"A", b"[1,true,1]"),
    "job to the node": lambda: send(b"J", b"{}"),
    "kind of no text": lambda: send(b"\xff", b""),
    "half a header": half_a_header,
    "nothing after the header": nothing_after_the_header,
    "out of memory": lambda: then_confirm(b"M", b""),
    "crash of the fiber": lambda: then_confirm(b"X", b""),
    "no memory of the node": lambda: then_confirm(b"S", b""),
    "confirms what nobody ended": lambda: send(b"K", b""),
    "fiber zero": lambda: send(b"D", b"1", fiber=0),
    "fiber that was never begun": lambda: send(b"D", b"1", fiber=2**32 - 1),
    "result of the fiber to come": lambda: send(b"D", b"1", fiber=FIBER + 1),
}


def answered(fiber: int, body: bytes = b'"honest"') -> None:
    send(b"D", body, fiber=fiber)


def serve_honestly(kind: bytes, fiber: int) -> None:
    if kind == b"J":
        answered(fiber)
    elif kind == b"K":
        send(b"K", b"", fiber=fiber)


def beside(deed: Callable[[], None]) -> Callable[[], None]:
    """Do something with fiber 1 once fiber 2 has begun, and serve every other fiber honestly from then on."""

    def run() -> None:
        fiber = 0
        while fiber != FIBER + 1:
            kind, fiber, _ = receive()
        deed()
        answered(fiber)
        while True:
            kind, fiber, _ = receive()
            serve_honestly(kind, fiber)

    return run


def times(count: int, kind: bytes, body: bytes) -> None:
    for _ in range(count):
        send(kind, body)


def a_frame_after_its_end() -> None:
    send(b"D", b"1")
    send(b"L", b'"x"')


def never_confirming() -> None:
    while True:
        receive()


BESIDE: dict[str, Callable[[], None]] = {
    "a call no action makes": beside(lambda: send(b"C", b"{}")),
    "a log no action writes": beside(lambda: send(b"L", b"[1]")),
    "a flood of logs": beside(lambda: times(500, b"L", b'"' + b"x" * 1000 + b'"')),
    "five megabytes of log": beside(lambda: send(b"L", b"x" * 5_000_000)),
    "five megabytes of call": beside(lambda: send(b"C", b"x" * 5_000_000)),
    "more calls than it may make": beside(lambda: times(80, b"C", b'[1,"a",[]]')),
    "out of memory": beside(lambda: send(b"M", b"")),
    "a crash of its instance": beside(lambda: send(b"X", b"")),
    "no memory of the node": beside(lambda: send(b"S", b"")),
    "a frame of no fiber": beside(lambda: send(b"L", b'"x"', fiber=77)),
    "a frame after its end": beside(a_frame_after_its_end),
    "no frame at all": beside(lambda: send(b"Z", b"")),
    "its death": beside(lambda: os.kill(os.getpid(), signal.SIGSEGV)),
    "no confirmation": never_confirming,
}


def misbehave(where: str, behaviour: str) -> None:
    if behaviour == f"{where} dies":
        sys.exit(1)
    if behaviour == f"{where} complains":
        say(b"B", b"no sandbox here")
        wait_for_ever()
    if behaviour == f"{where} is never ready":
        wait_for_ever()
    if behaviour == f"{where} says too much":
        os.write(0, b"B" + (2**32 - 1).to_bytes(4))
        wait_for_ever()


def main() -> None:
    root, behaviour = sys.argv[1:]
    sys.path.insert(0, root)
    forking = importlib.import_module("node.engine.zygote.forking")
    misbehave("zygote", behaviour)
    say(b"R", b"")
    forking.serve()
    if behaviour == "worker is somebody else":
        say(b"P", str(os.getppid()).encode())
        wait_for_ever()
    misbehave("unknown worker", behaviour)
    say(b"P", str(os.getpid()).encode())
    misbehave("worker", behaviour)
    say(b"R", b"")
    _, _, program = receive()
    receive()
    (BESIDE if behaviour == "lies beside others" else DEEDS)[json.loads(program)]()
    # The fork has no part in the interpreter's tidying up.
    os._exit(0)


if __name__ == "__main__":
    main()
