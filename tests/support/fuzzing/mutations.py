"""Changes of bytes, texts and JSON trees, all drawn from one seeded generator: the same number makes the same input."""

import json
from random import Random
from typing import Any, Final

NUMBERS: Final = (
    0,
    1,
    -1,
    2,
    127,
    128,
    255,
    256,
    65_535,
    65_536,
    1 << 31,
    (1 << 32) - 1,
    1 << 32,
    1 << 63,
    1 << 64,
    10**40,
)
TEXTS: Final = (
    "", " ", "0", "0x", "zz", "00", "ff" * 48, "\x00", "\ud800", "é", "\u202e", "a" * 5_000, "0x" + "11" * 32, "١٢", "null",
    "-----BEGIN CERTIFICATE-----", "{", "[" * 200, "2026-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "${X}", "&a [*a]",
)  # fmt: skip
LONGEST: Final = 200_000


def mutate_bytes(data: bytes, random: Random) -> bytes:
    """One to eight changes: bits, lengths, cuts, copies, insertions."""
    raw = bytearray(data)
    for _ in range(random.randint(1, 8)):
        if not raw:
            return random.randbytes(random.randint(0, 64))
        _change(raw, random)
    return bytes(raw[:LONGEST])


def _change(raw: bytearray, random: Random) -> None:
    place = random.randrange(len(raw))
    match random.randrange(7):
        case 0:
            raw[place] ^= 1 << random.randrange(8)
        case 1:
            raw[place] = random.choice((0, 1, 0x7F, 0x80, 0xFF, 0x22, 0x5B, 0x7B))
        case 2:
            del raw[place:]
        case 3:
            del raw[place : place + random.randint(1, 32)]
        case 4:
            raw[place:place] = raw[place : place + random.randint(1, 256)]
        case 5:
            width = random.choice((2, 4))
            raw[place : place + width] = random.choice((0, 1, 0xFFFF, 0xFFFFFFFF, len(raw))).to_bytes(8, "little")[
                :width
            ]
        case _:
            raw[place:place] = random.randbytes(random.randint(1, 16))


def mutate_text(text: str, random: Random) -> str:
    """Characters instead of bytes: changed, left out, repeated, or one of the texts that parsers stumble over."""
    for _ in range(random.randint(1, 4)):
        place = random.randint(0, len(text))
        length = random.choice((0, 1, 1, 2, 8, 64))
        match random.randrange(3):
            case 0:
                text = text[:place] + random.choice(TEXTS) + text[place + length :]
            case 1:
                text = text[:place] + text[place : place + length] * 2 + text[place + length :]
            case _:
                text = text[:place] + text[place + length :]
    return text[:LONGEST]


def mutate_tree(tree: Any, random: Random) -> Any:
    """A JSON tree with one to three members changed, moved, removed or added."""
    tree = json.loads(json.dumps(tree))
    for _ in range(random.randint(1, 3)):
        tree = _mutated(tree, random)
    return tree


def mutate_json(text: str, random: Random) -> str:
    """A JSON text: mostly as a tree, sometimes as text, so that it is no JSON any more."""
    if random.random() < 0.2:
        return mutate_text(text, random)
    written = json.dumps(mutate_tree(json.loads(text), random), ensure_ascii=random.random() < 0.5)
    if random.random() < 0.05:
        written = written.replace("}", ',"version":1,"version":2}', 1)
    return written


def _mutated(tree: Any, random: Random) -> Any:
    if isinstance(tree, dict) and tree and random.random() < 0.85:
        key = random.choice(sorted(tree))
        match random.randrange(6):
            case 0:
                del tree[key]
            case 1:
                tree[random.choice(TEXTS)] = tree.pop(key)
            case _:
                tree[key] = _mutated(tree[key], random)
        return tree
    if isinstance(tree, list) and tree and random.random() < 0.85:
        place = random.randrange(len(tree))
        match random.randrange(6):
            case 0:
                del tree[place]
            case 1:
                tree.insert(random.randrange(len(tree) + 1), tree[place])
            case _:
                tree[place] = _mutated(tree[place], random)
        return tree
    return _other(tree, random)


def _other(leaf: Any, random: Random) -> Any:
    if isinstance(leaf, str) and random.random() < 0.6:
        if leaf[:1] in {"{", "["} and random.random() < 0.7:
            try:
                return json.dumps(mutate_tree(json.loads(leaf), random))
            except ValueError:
                return mutate_text(leaf, random)
        return mutate_text(leaf, random)
    if isinstance(leaf, int) and random.random() < 0.6:
        return random.choice((leaf + 1, leaf - 1, -leaf, *NUMBERS))
    return random.choice((None, True, False, [], {}, 1.5, *NUMBERS, *TEXTS))
