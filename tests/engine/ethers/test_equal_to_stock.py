"""What the libraries of an action answer is what the stock packages answer under Node, byte for byte."""

from collections.abc import Callable

import pytest

from node.engine.process_engine import ProcessEngine
from tests.engine.ethers import generated, utilities
from tests.engine.ethers.worlds import Case, inside, stock

pytestmark = pytest.mark.asyncio(loop_scope="module")

GROUPS: dict[str, Callable[[int], list[Case]]] = {
    "signing": generated.signing,
    "transactions": generated.transactions,
    "abi": generated.abi,
    "phrases": generated.wallets_of_a_phrase,
    "keys": utilities.keys,
}
WITHOUT_A_CODE = {"failed": True}
"""An error that is not of the library's own making: the native functions fail as well, in their own words."""


@pytest.mark.parametrize("library", ["ethers", "ethers6"])
@pytest.mark.parametrize("group", GROUPS)
async def test_equal_to_the_stock_package(engine: ProcessEngine, library: str, group: str) -> None:
    await compare(engine, library, GROUPS[group](len(group)))


@pytest.mark.exhaustive
async def test_the_utilities_of_v5(engine: ProcessEngine) -> None:
    await compare(engine, "ethers", utilities.of_v5(5))


@pytest.mark.exhaustive
async def test_the_utilities_of_v6(engine: ProcessEngine) -> None:
    await compare(engine, "ethers6", utilities.of_v6(6))


async def compare(engine: ProcessEngine, library: str, cases: list[Case]) -> None:
    ours, theirs = await inside(engine, library, cases), await stock(library, cases)
    assert len(ours) == len(theirs) == len(cases)
    for case, our, their in zip(cases, ours, theirs, strict=True):
        if their == WITHOUT_A_CODE:
            assert isinstance(our, dict), case
            assert "failed" in our, case
        else:
            assert our == their, case
