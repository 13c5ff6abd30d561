"""An action cannot say that the node ended it: callers act on those names."""

import pytest

from node.engine.port import StopReason
from node.engine.process_engine import ProcessEngine
from tests.engine.hosts import run

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize("name", sorted(StopReason))
async def test_the_name_of_a_limit_is_the_nodes_alone(engine: ProcessEngine, name: str) -> None:
    code = f"function main() {{ throw Object.assign(new Error('so it says'), {{ name: {{ toString: () => '{name}' }} }}); }}"
    outcome = await run(engine, code)
    assert outcome.error is not None
    assert (outcome.error.name, outcome.error.message) == ("Error", "so it says")


async def test_any_other_name_is_the_actions(engine: ProcessEngine) -> None:
    code = "class ActionFailed extends Error { name = 'ActionFailed'; }\nfunction main() { throw new ActionFailed('mine'); }"
    outcome = await run(engine, code)
    assert outcome.error is not None
    assert (outcome.error.name, outcome.error.message) == ("ActionFailed", "mine")
