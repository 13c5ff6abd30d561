"""docs/selling-credit.md: its file is rendered and accepted, and has all that selling needs."""

import json
import re
from pathlib import Path

import pytest
import yaml

from tests.compose.conftest import Run, run
from tests.support.measured_files import IMAGE
from tests.support.node import REPOSITORY

__all__ = ["run"]

PAGE = (REPOSITORY / "docs" / "selling-credit.md").read_text()


@pytest.fixture
def rendered(run: Run, tmp_path: Path) -> str:
    """The docker compose file that the page's commands write."""
    (block,) = re.findall(r"<!-- selling -->\n(.*?)<!-- /selling -->", PAGE, re.DOTALL)
    settings, commands = re.findall(r"```(?:toml)?\n(.*?)```", block, re.DOTALL)
    (tmp_path / "settings.toml").write_text(settings)
    named = {"$IMAGE": IMAGE, "$KMS_CA_KEY": "ab" * 91}
    for command in commands.strip().splitlines():
        program, *arguments = command.split()
        assert program == "svc-compose"
        ran = run(*(named.get(argument, argument) for argument in arguments))
        assert ran.code == 0, ran.out + ran.err
    return str(json.loads((tmp_path / "app-compose.json").read_text())["docker_compose_file"])


@pytest.mark.exhaustive
def test_the_file_of_the_page_sells_credit(rendered: str) -> None:
    node = yaml.safe_load(rendered)["services"]["node"]
    assert set(node["environment"]) == set(re.findall(r"`(SVC_[A-Z_]+)`", PAGE)), "the secrets of its third step"
    assert node["mem_limit"] == "6g"
    assert node["logging"]["options"]["max-size"] == "50m"
    assert "billing" not in rendered
