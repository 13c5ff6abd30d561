"""The CID that the dashboard computes is that of the node."""

from pathlib import Path

import pytest

from node.engine.cid import CHUNK_BYTES, MAX_LINKS, cid_of_source
from tests.support.javascript import ran_javascript

COMPUTE = """
import { cidOfSource } from "./cid.mjs";
const found = [];
for (const [unit, times] of given) found.push(await cidOfSource(unit.repeat(times)).catch((error) => error.name));
console.log(JSON.stringify(found));
"""
# Where the length of a field needs another byte, a chunk is full, and a branch has its second link.
SIZES = [
    0,
    1,
    3,
    121,
    122,
    127,
    128,
    16_375,
    16_384,
    CHUNK_BYTES - 1,
    CHUNK_BYTES,
    CHUNK_BYTES + 1,
    2 * CHUNK_BYTES + 5,
]
SOURCES = [("a", size) for size in SIZES] + [
    ("async function main() { return '€ 𝄞'; }\n", times) for times in (1, 40, 9_000)
]


def test_it_is_that_of_the_node_at_every_boundary(modules: Path) -> None:
    assert ran_javascript(COMPUTE, SOURCES, modules) == [cid_of_source(unit * times) for unit, times in SOURCES]


def test_half_a_character_has_none(modules: Path) -> None:
    assert ran_javascript(COMPUTE, [("a\ud800b", 1), ("\udc00", 1)], modules) == ["RangeError", "RangeError"]


@pytest.mark.exhaustive
def test_a_tree_of_two_levels_is_that_of_the_node(modules: Path) -> None:
    sources = [("a", MAX_LINKS * CHUNK_BYTES + more) for more in (0, 1)]
    assert ran_javascript(COMPUTE, sources, modules) == [cid_of_source(unit * times) for unit, times in sources]
