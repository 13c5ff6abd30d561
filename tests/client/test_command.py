"""The program `svc`, as people and scripts run it: output, exit codes, secrets, questions."""

import contextlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest
from click.testing import CliRunner

from svc_client.cli import main
from svc_client.cli_account import show_usage_keys
from svc_client.cli_context import Commands, Context, Exit
from svc_client.errors import SvcError
from svc_client.models import UsageKey
from tests.support.client_arguments import arguments_for
from tests.support.node import REPOSITORY
from tests.support.verifying import VerifiableNode

SIGN = 'async function main({wallet}) { return Svc.Actions.signMessage({pkpId: wallet, message: "hello"}); }'
ERROR_LINE = re.compile(r"svc: |Usage: ")


@dataclass(frozen=True)
class Shell:
    """Runs `svc` with a folder for profiles of its own. `seen` is everything that was printed and every argument."""

    folder: Path
    seen: list[str]

    def run(self, *arguments: str, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
        ran = subprocess.run(
            [sys.executable, "-m", "svc_client", *arguments],
            cwd=REPOSITORY,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
            env={**os.environ, "SVC_CLIENT_FOLDER": str(self.folder), **environment},
        )
        self.seen.extend([*arguments, ran.stdout, ran.stderr])
        return ran

    def json(self, *arguments: str, stdin: str = "") -> Any:
        ran = self.run(*arguments, "--json", stdin=stdin)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return json.loads(ran.stdout)

    def key(self, profile: str = "default") -> str:
        return str(json.loads((self.folder / f"{profile}.json").read_text())["api_key"])


def trusting(node: VerifiableNode) -> list[str]:
    given = arguments_for(node)
    return [
        *("--app-id", given["app_id"], "--rpc-url", given["rpc_urls"][0]),
        *("--account-contract", given["account_contract"], "--insecure-dev-root", given["insecure_dev_root"]),
    ]


@pytest.fixture(scope="module")
def shell(node: VerifiableNode, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """A profile with an account of its own."""
    made = Shell(tmp_path_factory.mktemp("profiles"), [])
    login = made.run("login", node.address.origin, *trusting(node), "--no-key")
    assert login.returncode == 0, login.stderr
    assert "INSECURE development root" in login.stderr
    assert made.json("account", "create", "command")["wallet_address"].startswith("0x")
    yield made
    assert not any(made.key() in text for text in made.seen), "the key was printed or passed"


def test_a_first_start_names_the_one_command(tmp_path: Path) -> None:
    ran = Shell(tmp_path, []).run("wallet", "list")
    assert (ran.returncode, ran.stdout) == (Exit.MISUSE, "")
    assert ran.stderr.strip().endswith("make one: svc login https://HOST --trust FILE")


@pytest.mark.exhaustive
def test_a_profile_is_read_by_its_user_alone(shell: Shell) -> None:
    file = shell.folder / "default.json"
    assert (file.stat().st_mode & 0o777, shell.folder.stat().st_mode & 0o077) == (0o600, 0)
    other = shell.folder / "open.json"
    other.write_text(file.read_text())
    other.chmod(0o644)
    ran = shell.run("verify", "--profile", "open")
    assert (ran.returncode, "chmod 600" in ran.stderr) == (Exit.MALFORMED, True)


@pytest.mark.needs_root
def test_a_profile_of_another_user_is_refused(shell: Shell) -> None:
    file = shell.folder / "theirs.json"
    file.touch(0o600)
    file.write_text((shell.folder / "default.json").read_text())
    os.chown(file, 65_534, 65_534)
    ran = shell.run("account", "show", "--profile", "theirs")
    assert (ran.returncode, ran.stdout) == (Exit.MALFORMED, "")
    assert "belongs to another user" in ran.stderr


def test_no_account_is_made_where_its_key_cannot_be_kept(shell: Shell) -> None:
    """Nobody listens at the profile's node: the file is tried before anything is asked."""
    file = shell.folder / "full.json"
    file.touch(0o600)
    values = json.loads((shell.folder / "default.json").read_text())
    file.write_text(json.dumps({**values, "url": "https://localhost:1", "api_key": ""}))
    (shell.folder / "full.new").mkdir()
    ran = shell.run("account", "create", "lost", "--profile", "full")
    assert (ran.returncode, "cannot be written" in ran.stderr) == (Exit.MALFORMED, True), ran.stderr


def test_the_key_comes_by_standard_input(shell: Shell, node: VerifiableNode) -> None:
    bare = node.address.origin.removeprefix("https://")
    told = shell.json("login", bare, *trusting(node), "--profile", "two", stdin=f"{shell.key()}\n")
    assert json.loads(Path(told["profile"]).read_text())["url"] == node.address.origin
    assert told == {"host": "localhost", "profile": str(shell.folder / "two.json")}
    assert shell.key("two") == shell.key()
    assert shell.run("account", "create", "again", "--profile", "two").returncode == Exit.MISUSE
    for key in ("A" * 43 + "=", "", "with space", "k\u00e9y"):
        refused = shell.run("login", node.address.origin, *trusting(node), "--profile", "three", stdin=f"{key}\n")
        assert refused.returncode == Exit.MISUSE, (key, refused.stderr)
        assert not (shell.folder / "three.json").exists()


@pytest.mark.parametrize(
    ("expiration", "shown"),
    [
        ("0", "never"),
        ("1900000000", "2030-03-17 17:46:40 UTC"),
        ("1900000000000", "second 1900000000000 of Unix time"),
    ],
)
def test_an_expiry_is_a_date_to_a_person(capsys: pytest.CaptureFixture[str], expiration: str, shown: str) -> None:
    grants = dict.fromkeys(("can_create_groups", "can_delete_groups", "can_create_pkps"), False)
    lists = ("manage_ipfs_ids_in", "add_pkp_to", "remove_pkp_from", "execute_in")
    key = UsageKey.model_validate(
        {"id": "1", "api_key_hash": "0x1", "name": "k", "description": "", "expiration": expiration, "balance": 0}
        | grants
        | {f"can_{each}_groups": () for each in lists}
    )
    show_usage_keys(Context(), [key])
    assert shown in capsys.readouterr().out
    show_usage_keys(Context(as_json=True), [key])
    assert json.loads(capsys.readouterr().out)[0]["expiration"] == expiration


@pytest.mark.exhaustive
@pytest.mark.timeout(900)
def test_a_day_at_the_shell(shell: Shell, tmp_path: Path) -> None:
    wallet = shell.json("wallet", "create", "--name", "signer")["wallet_address"]
    assert wallet in shell.run("wallet", "list").stdout
    code = tmp_path / "sign.js"
    code.write_text(SIGN)
    group = shell.json("group", "create", "signers", "--wallet", wallet)["group_id"]
    cid = shell.json("action", "deploy", str(code), "--group", group)["action_ipfs_cid"]
    assert shell.json("action", "deploy", str(code), "--name", "again")["action_ipfs_cid"] == cid
    (listed,) = shell.json("action", "list", "--group", group)
    assert (listed["action_ipfs_cid"], listed["name"]) == (cid, "sign")
    params = json.dumps({"wallet": wallet})
    ran = shell.run("action", "run", str(code), "--params", params)
    assert re.fullmatch(r"0x[0-9a-f]{130}\n", ran.stdout), ran.stderr
    (tmp_path / "params.json").write_text(params)
    again = shell.json("action", "run", str(code), "--params", f"@{tmp_path}/params.json", "--idempotent")
    assert (again["response"], again["charged_cents"]) == (ran.stdout.strip(), 1)
    assert shell.run("action", "run", "-", stdin="() => 1; function main() { return {a: 1}; }").stdout == '{"a": 1}\n'
    assert shell.json("key", "why", "--file", str(code), "--wallet", wallet)["decision"] == "allow"
    usage = shell.json("key", "create", "backend", "--execute-in", group, "--cap-cents", "50")["usage_api_key"]
    assert usage
    (made,) = shell.json("key", "list")
    assert (made["name"], made["balance"]) == ("backend", 50)
    for cap, balance in ((), 50), (("--cap-cents", "none"), 0):
        hashed = made["api_key_hash"]
        updated = shell.run("key", "update", hashed, "--name", "b2", "--execute-in", group, *cap, "--yes")
        assert updated.returncode == 0, updated.stderr
        (listed_key,) = shell.json("key", "list")
        assert (listed_key["name"], listed_key["balance"]) == ("b2", balance)
    assert shell.json("account", "show")["reserved_cents"] == 0
    assert [each["service"] for each in shell.json("billing", "usage")].count("execution") >= 3
    period = ("--from", "2020-01-01T00:00:00Z", "--to", "2100-01-01T00:00:00Z")
    statement = shell.json("billing", "statement", *period)
    charged = sum(each["charged_cents"] for each in shell.json("billing", "usage"))
    assert statement["charged_cents"] == charged
    assert f"\n{charged} cents from" in shell.run("billing", "statement", *period).stdout
    assert "charged_cents" in shell.run("billing", "usage", "--csv").stdout.splitlines()[0]
    begun = shell.json("billing", "add", "--amount", "50", "--no-page")
    assert begun["payment_intent_id"]
    assert shell.run("action", "rename", listed["hashed_cid"], "--name", "renamed").returncode == 0
    assert shell.run("group", "forbid", group, "--hashed-cid", listed["hashed_cid"]).returncode == 0
    assert shell.run("group", "allow", group, "--action", cid).returncode == 0
    assert shell.run("group", "update", group, "--name", "none", "--yes").returncode == 0
    for command in (["action", "delete", listed["hashed_cid"]], ["key", "remove", made["api_key_hash"]]):
        unasked = shell.run(*command)
        assert (unasked.returncode, "nothing was done" in unasked.stderr) == (Exit.MISUSE, True)
        assert shell.run(*command, "--yes").returncode == 0
    assert shell.run("group", "remove", group, stdin="y\n").returncode == 0
    assert shell.json("group", "list") == shell.json("key", "list") == shell.json("action", "list") == []


@pytest.mark.exhaustive
def test_names_of_others_move_no_cursor(shell: Shell) -> None:
    wallet = shell.json("wallet", "create", "--name", "a\x1b[2Jb\rc")
    table = shell.run("wallet", "list").stdout
    assert "a?[2Jb?c" in table
    assert "\x1b" not in table
    assert wallet["wallet_address"] in table


CODES: list[tuple[str, list[str], Exit]] = [
    ("done", ["verify"], Exit.DONE),
    ("no such command", ["bogus"], Exit.MISUSE),
    ("no such option", ["wallet", "list", "--bogus"], Exit.MISUSE),
    ("a profile that is not there", ["verify", "--profile", "absent"], Exit.MISUSE),
    ("a name that is no profile's", ["verify", "--profile", "../x"], Exit.MISUSE),
    ("no JSON", ["action", "run", "-", "--params", "[1]"], Exit.MISUSE),
    ("no number", ["action", "run", "-", "--params", '{"a": NaN}'], Exit.MISUSE),
    ("nested too deeply", ["action", "run", "-", "--params", '{"a":' + "[" * 9000], Exit.MISUSE),
    ("no amount", ["billing", "add", "--amount", "nan"], Exit.MISUSE),
    ("an amount beyond every number", ["billing", "add", "--amount", "1e999999999"], Exit.MISUSE),
    ("a cap of nothing", ["key", "create", "a", "--cap-cents", "0"], Exit.MISUSE),
    ("an expiry that is no number", ["key", "create", "a", "--expires", "soon"], Exit.MISUSE),
    ("half a cent", ["billing", "add", "--amount", "5.001"], Exit.MISUSE),
    ("nothing to allow", ["group", "allow", "1"], Exit.MISUSE),
    ("a proxy for all the world", ["proxy", "--listen", "0.0.0.0:9000"], Exit.MISUSE),
    ("a file that is not there", ["action", "run", "/nowhere/code.js"], Exit.MALFORMED),
    ("a file that is no text", ["action", "run", "/bin/true"], Exit.MALFORMED),
    ("refused by the node", ["group", "remove", "999999", "--yes"], Exit.REFUSED),
    ("an amount the node refuses", ["billing", "add", "--amount", "1"], Exit.REFUSED),
    ("an address the node refuses", ["group", "allow", "1", "--wallet", "no"], Exit.REFUSED),
]


@pytest.mark.parametrize(("arguments", "code"), [each[1:] for each in CODES], ids=[each[0] for each in CODES])
def test_exit_codes(shell: Shell, arguments: list[str], code: Exit) -> None:
    ran = shell.run(*arguments, stdin="function main() {}")
    assert ran.returncode == code, ran.stderr
    assert "Traceback" not in ran.stderr
    if code is not Exit.DONE:
        assert ran.stdout == ""
        assert ERROR_LINE.search(ran.stderr)


PROFILES: list[tuple[str, dict[str, Any], Exit]] = [
    ("another application", {"app_id": "0x" + "ab" * 20}, Exit.NOT_ACCEPTED),
    ("no chain to ask", {"rpc_urls": ["http://127.0.0.1:1"]}, Exit.UNDECIDED),
    ("nobody there", {"url": "https://localhost:1"}, Exit.UNDECIDED),
    ("no URL of a node", {"url": "http://localhost"}, Exit.MISUSE),
    ("no trust at all", {"app_id": None}, Exit.MISUSE),
    ("a root that is not there", {"insecure_dev_root": "/nowhere"}, Exit.MALFORMED),
    ("a trust file that is not there", {"trust": "/nowhere"}, Exit.MALFORMED),
    ("a member too many", {"bogus": 1}, Exit.MALFORMED),
]


@pytest.mark.parametrize(("change", "code"), [each[1:] for each in PROFILES], ids=[each[0] for each in PROFILES])
def test_exit_codes_of_profiles(shell: Shell, change: dict[str, Any], code: Exit) -> None:
    values = json.loads((shell.folder / "default.json").read_text()) | change
    file = shell.folder / "changed.json"
    file.touch(0o600)
    file.write_text(json.dumps(values))
    ran = shell.run("account", "show", "--profile", "changed")
    assert (ran.returncode, ran.stdout) == (code, ""), ran.stderr
    assert "Traceback" not in ran.stderr


def test_an_action_that_fails_shows_its_logs_on_standard_error(shell: Shell) -> None:
    ran = shell.run(
        "action", "run", "-", stdin='function main() { console.log("se\\u001ben"); throw new Error("no"); }'
    )
    assert (ran.returncode, ran.stdout) == (Exit.REFUSED, "")
    assert "Error: no" in ran.stderr
    assert "se?en" in ran.stderr


@pytest.mark.exhaustive
def test_a_report_for_machines_and_one_for_people(shell: Shell) -> None:
    report = shell.json("verify")
    assert report["verdict"] == "accepted"
    assert shell.run("--json", "verify").stdout.startswith("{")
    assert shell.run("verify").stdout.startswith("DEV ACCEPTED localhost")


def test_shells_complete_commands_by_click_s_own_means(shell: Shell) -> None:
    asked = shell.run(_SVC_COMPLETE="bash_complete", COMP_WORDS="svc wal", COMP_CWORD="1")
    assert asked.stdout.strip() == "plain,wallet"


def test_what_others_say_in_an_error_does_not_look_like_a_message_of_this_program() -> None:
    @click.group(cls=Commands)
    def group() -> None:
        pass

    @group.command()
    def fail() -> None:
        raise SvcError("the node says: no\nsvc: sending transaction 0x1\r\n")

    ran = CliRunner().invoke(group, ["fail"])
    assert ran.stderr.splitlines() == ["svc: the node says: no", "    svc: sending transaction 0x1?", "    "]


SAID = "operation,\r\n\x1b]0;theirs\x07\x9b2J\u202ea,\r\n"


@pytest.mark.parametrize(("is_terminal", "shown"), [(False, SAID.encode()), (True, b"operation,\n?]0;theirs??2J?a,\n")])
def test_what_a_node_says_is_whole_for_a_program_and_moves_no_cursor(
    is_terminal: bool, shown: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = SimpleNamespace(billing=SimpleNamespace(usage_csv=lambda *_: SAID))
    monkeypatch.setattr(Context, "client", lambda _: contextlib.nullcontext(node))
    monkeypatch.setattr("click.testing._NamedTextIOWrapper.isatty", lambda _: is_terminal, raising=False)
    ran = CliRunner().invoke(main, ["billing", "usage", "--csv"])
    assert ran.stdout_bytes == shown
