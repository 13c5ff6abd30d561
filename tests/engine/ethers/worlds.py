"""One list of cases, answered by the library inside an action and by the stock package under Node."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from node.engine.process_engine import ProcessEngine
from tests.engine.hosts import run
from tests.support.node import REPOSITORY

_FOLDER = Path(__file__).parent
OPERATIONS = (_FOLDER / "operations.js").read_text(encoding="utf-8")
_SPECIAL = {"ethers": "specialOf5", "ethers6": "specialOf6"}


@dataclass(frozen=True, slots=True)
class Case:
    """One thing to do: a path inside the library, or a name of operations.js."""

    does: str
    arguments: tuple[JsonValue, ...]


def _plain(cases: list[Case]) -> list[JsonValue]:
    return [{"does": case.does, "arguments": list(case.arguments)} for case in cases]


async def inside(engine: ProcessEngine, library: str, cases: list[Case]) -> list[JsonValue]:
    """The answers of the library in an action."""
    main = f"const main = ({{ cases }}) => operate({library}, {_SPECIAL[library]}({library}), cases);"
    outcome = await run(engine, f"{OPERATIONS}\n{main}", {"cases": _plain(cases)})
    assert outcome.error is None, outcome.error
    assert isinstance(outcome.response, list)
    return outcome.response


async def stock(library: str, cases: list[Case]) -> list[JsonValue]:
    """The answers of the stock package."""
    process = await asyncio.create_subprocess_exec(
        str(REPOSITORY / ".venv" / "bin" / "node"),
        str(_FOLDER / "stock.mjs"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await process.communicate(json.dumps({"library": library, "cases": _plain(cases)}).encode())
    assert process.returncode == 0
    answers = json.loads(output)
    assert isinstance(answers, list)
    return answers
