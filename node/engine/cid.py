"""CIDs of action sources: computed exactly as IPFS does, and parsed in every accepted form.

The CID of a source is CIDv0 of the UnixFS file over its exact UTF-8 bytes: dag-pb, 262,144-byte chunks,
non-raw leaves, balanced tree of at most 174 links a node, the defaults of `ipfs add`. The two protobuf messages
are written by hand: field numbers are those of the dag-pb and UnixFS specifications.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from node.engine.errors import InvalidCidError, InvalidSourceError
from node.engine.multibase import decode_base58, decode_multibase, encode_base58

CHUNK_BYTES: Final = 262_144
MAX_LINKS: Final = 174

_SHA256_MULTIHASH: Final = b"\x12\x20"
_CIDV1_DAG_PB: Final = b"\x01\x70" + _SHA256_MULTIHASH
_CIDV0_LENGTH: Final = 46
_DIGEST_BYTES: Final = 32
_HASH_PATTERN: Final = re.compile(r"(0[xX])?[0-9a-fA-F]{64}")


@dataclass(frozen=True, slots=True)
class _Node:
    """A block of the tree: its multihash, its file bytes, and its own size with everything below it."""

    multihash: bytes
    file_bytes: int
    tree_bytes: int


def cid_of_source(text: str) -> str:
    """Return the CIDv0 of a source. Raises InvalidSourceError when it holds lone surrogates and so has no UTF-8 form."""
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise InvalidSourceError(error.start) from None
    return cid_of_bytes(data)


def cid_of_bytes(data: bytes) -> str:
    """Return the CIDv0 of a file with these bytes."""
    view = memoryview(data)
    layer = [_leaf(view[start : start + CHUNK_BYTES]) for start in range(0, len(data), CHUNK_BYTES)] or [_leaf(view)]
    while len(layer) > 1:
        layer = [_branch(layer[start : start + MAX_LINKS]) for start in range(0, len(layer), MAX_LINKS)]
    return _v0(layer[0].multihash)


@lru_cache(maxsize=4096)
def _v0(multihash: bytes) -> str:
    """Encode a multihash. Cached, since dividing a number of 34 bytes costs more than hashing a source."""
    return encode_base58(multihash)


def parse_cid(text: str) -> str:
    """Return the CIDv0 of a CIDv0, or of a dag-pb sha2-256 CIDv1 in any multibase.

    Raises InvalidCidError for everything else, with its own message for a hash or another kind of CID.
    """
    if _HASH_PATTERN.fullmatch(text):
        raise InvalidCidError("A hash was given where a CID belongs.")
    try:
        return _to_v0(text)
    except ValueError:
        raise InvalidCidError("This is not a CID.") from None


def _to_v0(text: str) -> str:
    if len(text) == _CIDV0_LENGTH and text.startswith("Qm"):
        return encode_base58(_checked(decode_base58(text), _SHA256_MULTIHASH))
    multihash = _checked(decode_multibase(text), _CIDV1_DAG_PB)[2:]
    return encode_base58(multihash)


def _checked(decoded: bytes, prefix: bytes) -> bytes:
    if len(decoded) == len(prefix) + _DIGEST_BYTES and decoded.startswith(prefix):
        return decoded
    if decoded[:1] == b"\x01" and not decoded.startswith(prefix):
        raise InvalidCidError("This CID is not of a dag-pb file under sha2-256, so it cannot be an action's.")
    raise ValueError("no CID")


def _leaf(chunk: memoryview) -> _Node:
    size = len(chunk)
    content = _field(2, bytes(chunk)) if size else b""
    block = _field(1, _FILE + content + _number(3, size))
    return _Node(_multihash(block), size, len(block))


def _branch(children: Sequence[_Node]) -> _Node:
    size = sum(child.file_bytes for child in children)
    sizes = b"".join(_number(4, child.file_bytes) for child in children)
    block = b"".join(_link(child) for child in children) + _field(1, _FILE + _number(3, size) + sizes)
    return _Node(_multihash(block), size, len(block) + sum(child.tree_bytes for child in children))


def _link(child: _Node) -> bytes:
    return _field(2, _field(1, child.multihash) + _field(2, b"") + _number(3, child.tree_bytes))


def _multihash(block: bytes) -> bytes:
    return _SHA256_MULTIHASH + hashlib.sha256(block).digest()


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


_FILE: Final = _number(1, 2)
"""UnixFS `Type: File`."""
