"""`svc dashboard` and `svc billing add` as programs, before a real node whose files can be changed."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from svc_client.cli_context import Exit
from tests.support.node import REPOSITORY, running_node
from tests.support.verifying import UNHURRIED, VerifiableNode

pytestmark = pytest.mark.exhaustive

TIMEOUT_S = 120
CARD = {"payment_method": "pm_card_visa", "key": "pk_test_local"}


@dataclass(frozen=True)
class Shell:
    """Runs `svc` with a profile of this node that has an account."""

    node: VerifiableNode
    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "SVC_CLIENT_FOLDER": str(self.folder), "PYTHONUNBUFFERED": "1"}

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "svc_client", *arguments],
            cwd=REPOSITORY,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "svc_client", *arguments],
            cwd=REPOSITORY,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


@contextlib.contextmanager
def shell_of(folder: Path, settings: dict[str, str], page: Path | None = None) -> Iterator[Shell]:
    constants = None if page is None else {"node.dashboard.assets.PAGE": str(page)}
    with running_node(folder / "data", {**UNHURRIED, **settings}, constants=constants) as process:
        shell = Shell(VerifiableNode(process), folder / "profiles")
        login = shell.run("login", shell.node.address.origin, *shell.node.arguments(), "--no-key")
        assert login.returncode == 0, login.stderr
        assert shell.run("account", "create", "me").returncode == 0
        yield shell


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the dashboard's pages, which the node serves."""
    return Path(shutil.copytree(REPOSITORY / "node" / "dashboard" / "page", tmp_path_factory.mktemp("disk") / "page"))


@pytest.fixture(scope="module")
def shell(page: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    with shell_of(tmp_path_factory.mktemp("node"), {}, page) as made:
        yield made


async def body_of(session: aiohttp.ClientSession, url: str) -> tuple[int, bytes]:
    async with session.get(url) as response:
        return response.status, await response.read()


@contextlib.contextmanager
def dashboard_of(shell: Shell) -> Iterator[Any]:
    """`svc dashboard`, which must end well when it is told to stop; what it printed."""
    process = shell.start("dashboard", "--listen", "127.0.0.1:0", "--no-open", "--json")
    try:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0


async def test_it_serves_what_the_node_attests_until_it_is_told_to_stop(shell: Shell) -> None:
    with dashboard_of(shell) as told:
        async with aiohttp.ClientSession() as session:
            for path in ("", "pay.html", "manifest.json"):
                theirs = await body_of(session, f"{shell.node.process.url}/dashboard/{path}")
                assert await body_of(session, told["url"] + path) == theirs
                assert theirs[0] == 200
            async with session.get(f"{told['url']}verified.json") as response:
                verified = await response.json()
        assert verified["manifest_sha256"] == told["manifest_sha256"]
        assert (verified["verdict"], verified["node"]) == ("accepted", shell.node.address.origin)


async def test_a_byte_that_flips_on_the_node_s_disk_reaches_nobody(shell: Shell, page: Path) -> None:
    file = page / "main.mjs"
    before = file.read_bytes()
    file.write_bytes(bytes([before[0] ^ 1]) + before[1:])
    try:
        with dashboard_of(shell) as told:
            async with aiohttp.ClientSession() as session:
                _, manifest = await body_of(session, f"{told['url']}manifest.json")
                (path,) = (each for each in json.loads(manifest) if each.endswith("/main.mjs"))
                assert await body_of(session, told["url"] + path) == (200, before)
    finally:
        file.write_bytes(before)


async def paid(processor: str, secret: str) -> Any:
    """Pay as the payment page does: with the client secret and the publishable key."""
    url = f"{processor}/v1/payment_intents/{secret.split('_secret_', maxsplit=1)[0]}/confirm"
    data = {**CARD, "client_secret": secret}
    async with aiohttp.ClientSession() as session, session.post(url, data=data) as response:
        return await response.json()


async def test_svc_billing_add_waits_until_the_page_has_paid(shell: Shell) -> None:
    process = shell.start("billing", "add", "--amount", "12.34", "--no-open", "--json")
    assert process.stderr is not None
    said = ""
    while "pay at " not in said:
        line = process.stderr.readline()
        assert line, said
        said += line
    url = said.partition("pay at ")[2].split(" ")[0].removesuffix("pay.html#command")
    async with aiohttp.ClientSession() as session:
        assert (await body_of(session, f"{url}pay.html"))[0] == 200
        foreign = {"Origin": "https://evil.example"}
        for path, headers, status in (
            ("payment.json", foreign, 403),
            ("payment.json", {"Sec-Fetch-Site": "same-site"}, 403),
            ("../core/v1/billing/balance", {}, 404),
            ("verified.json", {}, 404),
        ):
            async with session.get(url + path, headers=headers) as response:
                assert response.status == status, path
        async with session.get(f"{url}payment.json") as response:
            assert response.headers["Cache-Control"] == "no-store"
            secret = (await response.json())["client_secret"]
        assert secret not in said
        assert (await paid(shell.node.process.log_value("processor"), secret))["status"] == "succeeded"
        async with session.post(f"{url}paid") as response:
            assert response.status == 204
    stdout, stderr = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0, stderr
    assert json.loads(stdout)["credited_cents"] == 1234


def test_ctrl_c_ends_the_wait_and_says_how_to_go_on(shell: Shell) -> None:
    process = shell.start("billing", "add", "--amount", "5", "--no-open")
    assert process.stderr is not None
    said = ""
    while "pay at " not in said:
        said += process.stderr.readline()
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=TIMEOUT_S)
    assert (process.returncode, stdout) == (Exit.NO_ANSWER, "")
    assert "svc billing confirm pi_" in stderr
    assert "_secret_" not in said + stderr


async def test_a_node_without_a_dashboard_says_so_everywhere(tmp_path: Path) -> None:
    with shell_of(tmp_path, {"SVC_DASHBOARD": "off"}) as shell:
        async with aiohttp.ClientSession() as session:
            assert (await body_of(session, f"{shell.node.process.url}/dashboard/"))[0] == 404
            nonce = "ab" * 32
            async with session.get(f"{shell.node.process.url}/attestation?nonce={nonce}") as response:
                statement = json.loads((await response.json())["statement"])
        assert statement["config"]["dashboard"] is None
        assert not any(line.startswith("dashboard ") for line in shell.node.process.log)
        ran = shell.run("dashboard", "--listen", "127.0.0.1:0", "--no-open")
        assert (ran.returncode, "attests no dashboard" in ran.stderr) == (Exit.NOT_ACCEPTED, True)
        begun = shell.run("billing", "add", "--amount", "5", "--json")
        assert "_secret_" in json.loads(begun.stdout)["client_secret"]
