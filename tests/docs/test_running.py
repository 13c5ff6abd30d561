"""docs/running.md: the gas of a machine whose disk is lost is had back as the page says, with what metrics kept of it."""

import json
import re
import shutil
import tomllib
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.account import new_account
from tests.support.client import Client
from tests.support.contract import REPOSITORY
from tests.support.node import NodeProcess, running_node
from tests.support.ports import free_port
from tests.support.scraping import Scrape
from tests.support.serving import lent_platform, serving, unchecked

PAGE = (REPOSITORY / "docs" / "running.md").read_text()
BALANCE, NAMED = "svc_payer_balance_ether", "svc_instance_info"


@dataclass(frozen=True)
class Platform:
    """What `serve` is pointed at; `directory` is a new machine's each time."""

    node: NodeProcess
    settings: dict[str, object]
    directory: Path

    def count(self, address: str) -> int:
        body = json.dumps(
            {"jsonrpc": "2.0", "id": 1, "method": "eth_getTransactionCount", "params": [address, "latest"]}
        ).encode()
        request = urllib.request.Request(self.node.log_value("chain"), body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as response:
            return int(json.loads(response.read())["result"], 16)


@pytest.fixture
def platform(tmp_path: Path) -> Iterator[Platform]:
    data = tmp_path / "l"
    with running_node(data) as node:
        port = {"metrics_port": free_port(), "payer_count": 2}
        yield Platform(node, lent_platform(node, data) | port, tmp_path)


def machine(platform: Platform, name: str) -> Path:
    """The empty disk of a new machine."""
    directory = platform.directory / name
    directory.mkdir()
    return directory


def recovery(instance: str) -> dict[str, object]:
    """The lines of the page, of this instance."""
    found = re.search(r"<!-- recover -->\n *```toml\n(.*?) *```", PAGE, re.DOTALL)
    assert found is not None
    lines: dict[str, object] = tomllib.loads(found[1])
    assert set(lines) == {"instance_id", "payer_low_balance_wei"}
    return lines | {"instance_id": instance}


def scrape(platform: Platform) -> Scrape:
    return Scrape(f"http://127.0.0.1:{platform.settings['metrics_port']}/metrics")


def written(client: Client) -> None:
    """Some writes of a user."""
    account = new_account(client)
    for _ in range(3):
        account.wallet()


@pytest.mark.exhaustive
def test_a_machine_with_the_lost_ones_id_spends_its_gas(platform: Platform) -> None:
    assert all(f"last_over_time({name}[" in PAGE for name in (NAMED, BALANCE)), "what the page has an operator look up"
    lost = machine(platform, "lost")
    with serving(lost, platform.settings) as url:
        written(unchecked(url))
        kept = scrape(platform)
        admin = unchecked(url).get("get_admin_api_payer").ok()
    shutil.rmtree(lost)
    (instance,), stranded = kept.by("id", NAMED), kept.by("payer", BALANCE)
    funded, sent = platform.count(admin), sum(map(platform.count, stranded))
    with serving(machine(platform, "new"), platform.settings | recovery(instance)) as url:
        seen = scrape(platform)
        assert seen.by("payer", BALANCE).keys() == stranded.keys()
        assert set(seen.by("payer", "svc_payer_ready").values()) == {1.0}
        written(unchecked(url))
        assert seen.value("svc_payer_low_balance_ether") == 0.0
    assert sum(map(platform.count, stranded)) > sent
    assert platform.count(admin) == funded, "nothing was named or filled up"


@pytest.mark.exhaustive
def test_without_it_a_new_machine_has_other_payers(platform: Platform) -> None:
    seen = []
    for name in ("lost", "new"):
        with serving(machine(platform, name), platform.settings):
            seen.append(scrape(platform))
    assert not seen[0].by("payer", BALANCE).keys() & seen[1].by("payer", BALANCE).keys()
    assert not seen[0].by("id", NAMED).keys() & seen[1].by("id", NAMED).keys()
