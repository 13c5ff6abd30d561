"""`svc chain` as people and scripts run it: previews, questions, exit codes, the passphrase, batch files. No node answers."""

import asyncio
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from svc_client.cli import main
from svc_client.cli_context import Exit
from svc_client.profile import FOLDER_VARIABLE, Profile, save_profile
from tests.support import rpc_proxy
from tests.support.lies import altering, per_call
from tests.support.node import REPOSITORY
from tests.support.sovereign import NOBODY, PASSPHRASE, SUCCESSOR, WALLET, Stage, keystore

pytestmark = pytest.mark.exhaustive
CID = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG"
KEY = "0x" + "ab" * 32
ANYBODY = ["--admin", WALLET.address]


@dataclass(frozen=True)
class Shell:
    """Runs `svc chain` in this process with a profile of a node that does not answer."""

    stage: Stage
    folder: Path
    keystore: Path

    async def run(self, *arguments: str, stdin: str = f"{PASSPHRASE}\n") -> Result:
        def run() -> Result:
            return CliRunner().invoke(main, ["chain", *arguments], input=stdin, env={FOLDER_VARIABLE: str(self.folder)})

        ran = await asyncio.to_thread(run)
        for secret in (PASSPHRASE, WALLET.key.hex()):
            assert secret not in ran.stdout + ran.stderr
        assert "Traceback" not in ran.stderr
        return ran

    async def send(self, *arguments: str) -> Any:
        """A command that sends, without a question; its JSON."""
        ran = await self.run(*arguments, "--keystore", str(self.keystore), "--yes", "--json")
        assert ran.exit_code == 0, ran.stderr
        assert "will " in ran.stderr
        assert "sending transaction 0x" in ran.stderr
        return json.loads(ran.stdout)

    async def read(self, *arguments: str) -> Any:
        ran = await self.run(*arguments, *ANYBODY, "--json")
        assert ran.exit_code == 0, ran.stderr
        return json.loads(ran.stdout)


@pytest.fixture
def shell(stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "profiles"))
    profile = Profile(
        url=NOBODY,
        app_id="0x" + "11" * 20,
        rpc_urls=(stage.one.url, stage.two.url),
        account_contract=stage.contract,
        insecure_dev_root=str(stage.root),
    )
    save_profile("default", profile)
    return Shell(stage, tmp_path / "profiles", keystore(tmp_path))


async def test_a_day_of_an_administrator(shell: Shell) -> None:
    assert (await shell.read("status"))["exists"] is False
    opened = await shell.send("open", "me")
    assert (await shell.stage.chain.rpc.ask("eth_getTransactionByHash", opened["transaction_hash"]))["nonce"] == "0x0"
    assert (await shell.read("status"))["is_admin"] is True
    wallet = ["0x" + "11" * 20, "0x" + "01" * 32]
    await shell.send("wallet", "register", *wallet, "--name", "signer")
    assert [each["name"] for each in await shell.read("wallet", "list")] == ["signer"]
    await shell.send("action", "add", CID, "--name", "sign")
    await shell.send("action", "rename", CID, "--name", "sign2")
    group = (await shell.send("group", "create", "g", "--action", CID))["group_id"]
    await shell.send("group", "allow", group, "--wallet", wallet[0], "--action", KEY)
    await shell.send("group", "forbid", group, "--action", KEY)
    await shell.send("group", "rename", group, "--name", "h")
    (listed,) = await shell.read("group", "list")
    assert (listed["name"], listed["pkp_ids_permitted"]) == ("h", [wallet[0]])
    limits = ["--expires", "none", "--cap-cents", "500"]
    await shell.send("key", "set", KEY, "--name", "k", "--execute-in", group, *limits)
    await shell.send("key", "update", KEY, "--name", "l", *limits)
    await shell.send("key", "rename", KEY, "--name", "m")
    (listed,) = await shell.read("key", "list")
    assert (listed["name"], listed["balance"], listed["can_execute_in_groups"]) == ("m", 500, [])
    await shell.send("key", "remove", KEY)
    await shell.send("clear-keys")
    await shell.send("group", "update", group, "--name", "i")
    await shell.send("group", "remove", group)
    assert [each["action_ipfs_cid"] for each in await shell.read("action", "list")] == [CID]
    await shell.send("action", "remove", CID)
    await shell.send("transfer", SUCCESSOR.address)
    assert (await shell.read("status"))["admin_wallet_address"] == SUCCESSOR.address


async def test_nothing_is_sent_without_yes(shell: Shell) -> None:
    keyed = ["--keystore", str(shell.keystore)]
    for stdin in (f"{PASSPHRASE}\n", f"{PASSPHRASE}\nn\n"):
        ran = await shell.run("open", "me\x1b[2J", *keyed, stdin=stdin)
        assert (ran.exit_code, ran.stdout) == (Exit.MISUSE, "")
        assert "will open the account" in ran.stderr
        assert "for at most 0.000" in ran.stderr
        assert "\x1b" not in ran.stderr
    assert await shell.stage.sent_count() == 0
    assert (await shell.run("open", "me", *keyed, stdin=f"{PASSPHRASE}\ny\n")).exit_code == 0


async def test_a_batch_file_is_written_and_nothing_sent(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "batch.json"
    ran = await shell.run("open", "me", "--safe-batch", str(file), "--safe", SUCCESSOR.address)
    assert ran.exit_code == 0, ran.stderr
    (made,) = json.loads(file.read_text())["transactions"]
    assert (made["contractMethod"]["name"], made["contractInputsValues"]["name"]) == ("newChainSecuredAccount", "me")
    assert await shell.stage.sent_count(SUCCESSOR) == 0


CODES: list[tuple[str, list[str], str, Exit]] = [
    ("no wallet", ["open", "me"], "", Exit.MISUSE),
    ("two ways", ["open", "me", "--keystore", "FILE", "--safe-batch", "b"], "", Exit.MISUSE),
    ("no Safe", ["open", "me", "--safe-batch", "b"], "", Exit.MISUSE),
    ("nobody's account", ["status"], "", Exit.MISUSE),
    ("no address", ["status", "--admin", "me"], "", Exit.MISUSE),
    ("a Safe that mints", ["key", "create", "k", "--safe-batch", "b", "--safe", WALLET.address], "", Exit.MISUSE),
    ("a wrong passphrase", ["open", "me", "--keystore", "FILE", "--yes"], "wrong\n", Exit.MISUSE),
    ("no limit", ["key", "set", KEY, "--name", "k", "--keystore", "FILE", "--yes"], "", Exit.MISUSE),
    ("an absent keystore", ["open", "me", "--keystore", "/nowhere", "--yes"], "", Exit.MALFORMED),
    ("a batch that cannot be written", ["open", "m", "--safe-batch", "/nowhere/b", "--safe", SUCCESSOR.address], "", Exit.MALFORMED),
    ("refused by the contract", ["group", "remove", "9", "--keystore", "FILE", "--yes"], "", Exit.REFUSED),
    ("too dear", ["open", "me", "--keystore", "FILE", "--yes", "--max-fee-gwei", "0.0001"], "", Exit.REFUSED),
    ("minting without an account", ["wallet", "create", "--keystore", "FILE", "--yes"], "", Exit.MISUSE),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "stdin", "code"), [each[1:] for each in CODES], ids=[each[0] for each in CODES])
async def test_exit_codes(shell: Shell, arguments: list[str], stdin: str, code: Exit) -> None:
    named = [str(shell.keystore) if each == "FILE" else each for each in arguments]
    ran = await shell.run(*named, stdin=stdin or f"{PASSPHRASE}\n")
    assert (ran.exit_code, ran.stdout) == (code, ""), ran.stderr
    assert await shell.stage.sent_count() == 0


async def test_exit_codes_of_providers_and_contracts(shell: Shell) -> None:
    stage = shell.stage
    stage.two.behaviour = per_call(altering({"eth_call"}, lambda said: f"{said[:-1]}7"))
    ran = await shell.run("status", *ANYBODY)
    assert (ran.exit_code, "contradict each other" in ran.stderr) == (Exit.UNDECIDED, True), ran.stderr
    stage.two.behaviour = rpc_proxy.drop
    assert (await shell.run("status", *ANYBODY)).exit_code == Exit.NO_ANSWER
    stage.two.behaviour = rpc_proxy.honest
    await stage.chain.rpc.ask("anvil_setCode", stage.contract, "0x00")
    ran = await shell.run("open", "me", "--keystore", str(shell.keystore), "--yes")
    assert (ran.exit_code, "accounts.code" in ran.stderr) == (Exit.NOT_ACCEPTED, True)


async def test_as_a_process(shell: Shell) -> None:
    def run(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "svc_client", "chain", *arguments],
            cwd=REPOSITORY,
            env={**os.environ, FOLDER_VARIABLE: str(shell.folder)},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    opened = await asyncio.to_thread(run, "open", "me", "--keystore", str(shell.keystore), "--yes", stdin=PASSPHRASE)
    assert opened.returncode == 0, opened.stderr
    assert opened.stdout.startswith("transaction_hash")
    again = await asyncio.to_thread(run, "open", "me", "--keystore", str(shell.keystore), "--yes", stdin=PASSPHRASE)
    assert (again.returncode, again.stdout) == (Exit.REFUSED, "")
    assert "AccountAlreadyExists" in again.stderr
