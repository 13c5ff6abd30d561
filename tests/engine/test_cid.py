"""CIDs: equal to IPFS's own on every vector, and strict on what is not one."""

import base64
import hashlib
import json
import string
from pathlib import Path
from typing import TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.api.errors import ErrorCode, as_node_error
from node.engine.cid import cid_of_bytes, cid_of_source, decode_base58, encode_base58, parse_cid
from node.errors import DomainError

VECTORS = Path(__file__).parents[3] / "shared" / "cid-vectors.json"


class Vector(TypedDict, total=False):
    name: str
    size: int
    sha256: str
    cidv0: str
    cidv1_raw_single_block: str | None
    utf8: str


def load() -> list[Vector]:
    if not VECTORS.exists():
        return []
    vectors: list[Vector] = json.loads(VECTORS.read_text())["vectors"]
    return vectors


def content(vector: Vector) -> bytes:
    if "utf8" in vector:
        return vector["utf8"].encode()
    # The pattern has period 256 * 95: build one and repeat it, 45 MB byte by byte takes half a minute.
    period = bytes(32 + ((i * 31 + (i >> 8)) % 95) for i in range(256 * 95))
    return (period * (vector["size"] // len(period) + 1))[: vector["size"]]


@pytest.mark.skipif(not VECTORS.exists(), reason="../shared is not beside this checkout")
@pytest.mark.parametrize("vector", load(), ids=lambda vector: str(vector["name"]))
def test_equals_the_vector(vector: Vector) -> None:
    data = content(vector)
    assert hashlib.sha256(data).hexdigest() == vector["sha256"]
    assert cid_of_bytes(data) == vector["cidv0"]
    assert parse_cid(vector["cidv0"]) == vector["cidv0"]


def test_known_sources_without_the_vector_file() -> None:
    assert cid_of_source("") == "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH"
    assert cid_of_source("hello world") == "Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD"
    two_chunks = bytes(32 + ((i * 31 + (i >> 8)) % 95) for i in range(262145))
    assert cid_of_source(two_chunks.decode()) == "QmXgQDgJgf8B4GEJ2r9gkSQFCqsmWtmdqiqBnxp9VvJHwz"


def test_lone_surrogates_have_no_cid() -> None:
    with pytest.raises(DomainError) as refused:
        cid_of_source("a\ud800b")
    assert as_node_error(refused.value).code is ErrorCode.BAD_REQUEST


def cidv1_forms(digest: bytes) -> list[str]:
    cid = b"\x01\x70\x12\x20" + digest
    base32 = base64.b32encode(cid).decode()
    base64_url = base64.urlsafe_b64encode(cid).decode()
    hex32 = base64.b32hexencode(cid).decode()
    return [
        "b" + base32.lower().rstrip("="),
        "B" + base32.rstrip("="),
        "c" + base32.lower(),
        "C" + base32,
        "v" + hex32.lower().rstrip("="),
        "T" + hex32,
        "f" + cid.hex(),
        "F" + cid.hex().upper(),
        "z" + encode_base58(cid),
        "u" + base64_url.rstrip("="),
        "U" + base64_url,
        "m" + base64.b64encode(cid).decode().rstrip("="),
        "M" + base64.b64encode(cid).decode(),
        "k" + base36(cid),
        "K" + base36(cid).upper(),
    ]


def base36(data: bytes) -> str:
    value, digits = int.from_bytes(data), ""
    while value:
        value, remainder = divmod(value, 36)
        digits = (string.digits + string.ascii_lowercase)[remainder] + digits
    return digits


@given(st.binary(min_size=32, max_size=32))
def test_v1_of_every_base_is_the_same_v0(digest: bytes) -> None:
    v0 = encode_base58(b"\x12\x20" + digest)
    assert len(v0) == 46
    assert [parse_cid(form) for form in [v0, *cidv1_forms(digest)]] == [v0] * 16


@given(st.binary(max_size=80))
def test_base58_round_trip(data: bytes) -> None:
    assert decode_base58(encode_base58(data)) == data


@given(st.one_of(st.text(max_size=200), st.from_regex(r"[zZbBcfFuUmMkKQ][0-9A-Za-z=+/_-]{0,140}", fullmatch=True)))
def test_garbage_is_a_bad_request(text: str) -> None:
    outcome = parse_or_error(text)
    assert (
        (as_node_error(outcome).code is ErrorCode.BAD_REQUEST)
        if isinstance(outcome, DomainError)
        else outcome.startswith("Qm")
    )


def parse_or_error(text: str) -> str | DomainError:
    try:
        return parse_cid(text)
    except DomainError as error:
        return error


@pytest.mark.parametrize("text", ["0x" + "ab" * 32, "AB" * 32, "0X" + "00" * 32])
def test_a_hash_is_told_apart(text: str) -> None:
    with pytest.raises(DomainError, match="A hash was given where a CID belongs"):
        parse_cid(text)


@pytest.mark.parametrize(
    "text",
    [
        "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e",  # raw codec
        "f01701620" + "00" * 32,  # dag-pb under sha3-256
        "f01701240" + "00" * 64,  # sha2-512
    ],
)
def test_other_kinds_of_cid_are_told_apart(text: str) -> None:
    with pytest.raises(DomainError, match="not of a dag-pb file"):
        parse_cid(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Qm",
        "zQmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD",
        "Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyf0",
        " Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD",
        "Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD\n",
        "qmf412jqziuvutdgnb36fxfx7xg5v6kebsj4dpquhklyfd",
        "f01701220" + "00" * 31,
        "f01701220" + "00" * 33,
        "f01701220" + "0" * 63,
        "z" * 5000,
    ],
)
def test_near_misses_are_refused(text: str) -> None:
    with pytest.raises(DomainError, match="This is not a CID"):
        parse_cid(text)
