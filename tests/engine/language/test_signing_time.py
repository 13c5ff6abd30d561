"""The time of a signature on P-256 does not tell how long its nonce is: nonces follow from the message, and callers see times."""

import hashlib
import hmac
import itertools
import statistics
import time
from collections.abc import Iterator

import pytest

from node.engine.worker import natives
from node.engine.worker.openssl import AesStream
from tests.engine.natives import at_once

PRIVATE = bytes.fromhex("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721")
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
SHORT_BITS = 244
"""Of a nonce: one in 4,096. Arithmetic that skips leading zeros takes some 3 % less time for it."""
ROUNDS = 400
DIFFERENCE_MAX = 0.015


def nonce_of(message: bytes) -> int:
    """The nonce of RFC 6979, by SHA-256, if the first candidate serves."""
    digest = int.from_bytes(hashlib.sha256(message).digest()) % ORDER
    seed = PRIVATE + digest.to_bytes(32)
    value, key = b"\x01" * 32, bytes(32)
    for mark in (b"\x00", b"\x01"):
        key = hmac.digest(key, value + mark + seed, "sha256")
        value = hmac.digest(key, value, "sha256")
    return int.from_bytes(hmac.digest(key, value, "sha256"))


def messages(*, short: bool) -> Iterator[bytes]:
    for number in itertools.count():
        message = number.to_bytes(8)
        if (nonce_of(message).bit_length() <= SHORT_BITS) if short else nonce_of(message) >> 255:
            yield message


@pytest.mark.exhaustive
def test_a_short_nonce_takes_as_long_as_a_long_one() -> None:
    sign = at_once(natives.crypto_functions(AesStream)["ecSign"])
    kinds = [[message.hex() for message in itertools.islice(messages(short=short), 4)] for short in (True, False)]
    times: tuple[list[int], list[int]] = ([], [])
    # By turns, so that whatever else the machine does makes both slower.
    for _, kind, place in itertools.product(range(ROUNDS), (0, 1), range(4)):
        began = time.thread_time_ns()
        sign("P-256", PRIVATE.hex(), "SHA-256", kinds[kind][place])
        times[kind].append(time.thread_time_ns() - began)
    short, long = (statistics.median(taken) for taken in times)
    assert abs(short / long - 1) < DIFFERENCE_MAX, f"{short:.0f} ns and {long:.0f} ns"
