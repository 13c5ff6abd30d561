"""The banners of docs/packages.md: each declares what is missing without it, and stops no script."""

import re

import pytest

from node.engine.process_engine import ProcessEngine
from tests.engine.language.twin import in_action
from tests.support.node import REPOSITORY

pytestmark = pytest.mark.asyncio(loop_scope="module")

PAGE = (REPOSITORY / "docs" / "packages.md").read_text()
BANNERS = sorted(set(re.findall(r'--banner:js="([^"]+)"', PAGE)))
NAMES = sorted({name for banner in BANNERS for name in re.findall(r"(?:var|,) (\w+) = ", banner)})
KINDS = f"const main = () => [{', '.join(f'typeof {name}' for name in NAMES)}]"


async def test_the_page_has_banners() -> None:
    assert NAMES == ["Intl", "WebSocket", "process"]


async def test_the_names_are_missing_without_them(engine: ProcessEngine) -> None:
    assert await in_action(engine, KINDS) == ["undefined"] * len(NAMES)


@pytest.mark.parametrize("banner", BANNERS)
async def test_a_banner_declares_its_names(engine: ProcessEngine, banner: str) -> None:
    declared = [f" {name} = " in banner for name in NAMES]
    assert await in_action(engine, f"{banner}\n{KINDS}.map((kind) => kind !== 'undefined');") == declared


@pytest.mark.parametrize("missing", re.findall(r"^\| `(\w+) is not defined`", PAGE, re.MULTILINE))
async def test_an_action_says_what_is_missing_as_the_page_does(engine: ProcessEngine, missing: str) -> None:
    told = f"function main() {{ try {{ return {missing}; }} catch (error) {{ return error.message; }} }}"
    assert await in_action(engine, told) == f"{missing} is not defined"
