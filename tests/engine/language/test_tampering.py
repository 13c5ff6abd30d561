"""An action that replaces a member of the language or of the web reaches the prelude by none of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
from pydantic import JsonValue

from node.engine.process_engine import ProcessEngine
from tests.engine.hosts import EchoHost, run
from tests.engine.language.test_fetch import ANSWER

pytestmark = pytest.mark.asyncio(loop_scope="module")

CODE: Final = (Path(__file__).parent / "tampering.js").read_text(encoding="utf-8")
AT_ONCE: Final = 20
"""Members that one action replaces, so that it stays within the bounds of its calls."""
ACTIONS: Final = 38
"""Enough for all members."""


class Answering(EchoHost):
    """Answers `fetch`; every other call with what was asked."""

    async def call(self, name: str, arguments: Sequence[JsonValue]) -> JsonValue:
        return dict(ANSWER) if name == "fetch" else await super().call(name, arguments)


@pytest.mark.parametrize("part", range(ACTIONS))
async def test_what_the_prelude_offers_works_as_before(engine: ProcessEngine, part: int) -> None:
    start, end = part * AT_ONCE, (part + 1) * AT_ONCE
    outcome = await run(engine, CODE, {"from": start, "to": end}, Answering())
    assert outcome.error is None, outcome
    response = outcome.response
    assert isinstance(response, dict)
    count = response["count"]
    assert isinstance(count, int)
    assert (response["errors"], response["different"]) == ([], [])
    assert count <= ACTIONS * AT_ONCE, "raise ACTIONS"
    replaced = max(min(end, count) - start, 0)
    assert outcome.logs.split("\n") == ['a {"b":1} [1] 1n'] * (1 + replaced)
