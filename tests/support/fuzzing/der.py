"""Changes of DER that keep its lengths: flipped bytes, and elements under another ASN.1 tag."""

import base64
import re
from collections.abc import Iterator
from random import Random
from typing import Final

TAGS: Final = bytes.fromhex("00 01 02 03 04 05 06 09 0a 0c 12 13 14 16 17 18 1a 1c 1e 30 31 80 81 82 86 a0 a1 a3 ff")
"""Universal types of every kind, context-specific ones, and what is none."""

BIT_STRING: Final = 0x03
TEXT_TAGS: Final = frozenset({0x0C, 0x13, 0x16})
"""Names as BIT STRINGs are what cryptography reads late and raises TypeError for: tried more often than all else."""

_PEM: Final = re.compile(rb"-----BEGIN CERTIFICATE-----\n(.*?)-----END CERTIFICATE-----", re.DOTALL)


def elements(der: bytes, start: int = 0, end: int | None = None) -> Iterator[int]:
    """Where the tags are, of elements inside elements too. Bytes that are no DER end it."""
    end = len(der) if end is None else end
    while start + 2 <= end:
        tag, length, place = der[start], der[start + 1], start + 2
        if length & 0x80:
            size = length & 0x7F
            length, place = int.from_bytes(der[place : place + size], "big"), place + size
        if not tag or place + length > end:
            return
        yield start
        if tag & 0x20:
            yield from elements(der, place, place + length)
        elif tag == 0x04:
            yield from elements(der, place, place + length)  # an extension's value is DER again
        start = place + length


def mutate_der(der: bytes, random: Random) -> bytes:
    """One to three elements under another tag, and sometimes a flipped bit as well."""
    raw = bytearray(der)
    places = list(elements(der))
    texts = [place for place in places if der[place] in TEXT_TAGS] or places
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        raw[random.choice(random.choice((places, texts)))] = random.choice((BIT_STRING, random.choice(TAGS)))
    if random.random() < 0.25:
        raw[random.randrange(len(raw))] ^= 1 << random.randrange(8)
    return bytes(raw)


def mutate_pem(pem: bytes, random: Random) -> bytes:
    """One certificate of a chain changed; the text is as long as before."""
    blocks = list(_PEM.finditer(pem))
    block = random.choice(blocks)
    changed = mutate_der(base64.b64decode(block[1]), random)
    width = block[1].index(b"\n")
    text = base64.b64encode(changed)
    lines = b"".join(text[start : start + width] + b"\n" for start in range(0, len(text), width))
    return pem[: block.start(1)] + lines + pem[block.end(1) :]


def pem_of(der: bytes) -> bytes:
    """A block whose content nobody looked at."""
    text = base64.encodebytes(der)
    return b"-----BEGIN CERTIFICATE-----\n" + text + b"-----END CERTIFICATE-----\n"
