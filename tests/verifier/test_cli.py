"""`svc-verify` as a process of its own: verdicts, exit codes, files, and what it never prints."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest

from devkit.deployed_contract import OWNER_CHANGE_DELAY_S
from svc_verifier.bundle import read_bundle
from svc_verifier.cli import group as command_group
from svc_verifier.errors import Exit
from svc_verifier.formats.addresses import DEFAULT_PROVIDERS
from svc_verifier.trust_file import load_trust
from tests.support.node import REPOSITORY
from tests.support.verifying import VerifiableNode

pytestmark = pytest.mark.exhaustive

NOWHERE = "https://localhost:1"
APP = ("--app-id", "0x" + "11" * 20)
NO_RPC = ("--rpc-url", "http://127.0.0.1:1")


def run(*arguments: str | Path, code: int, roots: Path | None = None) -> str:
    """What it printed; it must end with that exit code and without a traceback."""
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-m", "svc_verifier", *map(str, arguments)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        stdin=subprocess.DEVNULL,
        env=dict(os.environ) | ({} if roots is None else {"SSL_CERT_FILE": str(roots)}),
    )
    assert "Traceback" not in ran.stderr, ran.stderr
    assert ran.returncode == code, ran.stdout + ran.stderr
    return ran.stdout + ran.stderr


@pytest.fixture(scope="module")
def bundle(development_node: VerifiableNode, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bundle") / "bundle.json"
    run(development_node.address.origin, *development_node.arguments("--save", str(path)), code=0)
    return path


def test_the_first_argument_may_be_the_host(development_node: VerifiableNode) -> None:
    node = development_node
    said = run(node.address.origin, *node.arguments(), code=Exit.ACCEPTED)
    lines = said.splitlines()
    assert lines[0].startswith("DEV ACCEPTED localhost (INSECURE development root")
    assert len(lines) <= 12
    assert f"0x{node.app_id.hex()}" in said
    assert run("host", node.address.origin, *node.arguments("--json"), code=0).startswith("{")


def test_it_says_its_version() -> None:
    assert re.fullmatch(r"svc-verify, version \d+\.\d+\.\d+\n", run("--version", code=0))


def test_every_line_under_a_development_root_says_dev(development_node: VerifiableNode) -> None:
    node = development_node
    said = run(node.address.origin, *node.arguments("-v"), code=Exit.ACCEPTED)
    assert all(line.startswith("DEV") for line in said.splitlines())


def test_another_application_is_rejected(development_node: VerifiableNode) -> None:
    node = development_node
    rest = node.arguments()[2:]
    said = run(node.address.origin, *APP, *rest, code=Exit.REJECTED)
    assert said.startswith("DEV REJECTED localhost")
    assert "cause       identity.app-id: the measured app id is not the pinned one" in said


def test_another_root_is_rejected(development_node: VerifiableNode, tmp_path: Path) -> None:
    """Intel's root, to which no simulator's quote leads, whatever collateral there is; the report says what to do."""
    node = development_node
    rest = [*node.arguments()[:4], *node.arguments()[6:], "--collateral-url", "http://127.0.0.1:1"]
    said = run(node.address.origin, *rest, code=Exit.REJECTED)
    assert said.startswith("REJECTED localhost")
    assert "cause       hardware.signatures: " in said
    assert "looks like a simulator" in said
    assert "--insecure-dev-root" in said
    assert "ACCEPTED" not in said


def test_the_web_pki_is_asked_of_the_very_connection(development_node: VerifiableNode, tmp_path: Path) -> None:
    """With the node's certificate as the system's only root it is valid for its name, and for no other."""
    node, roots = development_node, tmp_path / "roots.pem"
    with urllib.request.urlopen(f"{node.process.url}/evidences/cert-localhost.pem") as response:
        roots.write_bytes(response.read())
    app = ("--app-id", f"0x{node.app_id.hex()}", "--chain-id", "31337", "--rpc-url", node.chain)
    asked = (*app, "--collateral-url", "http://127.0.0.1:1", "--json")

    def web_pki(origin: str, code: int, *, roots: Path | None) -> tuple[str, str]:
        report = json.loads(run(origin, *asked, code=code, roots=roots))
        return next((check["status"], check["why"]) for check in report["checks"] if check["id"] == "tls.web-pki")

    assert web_pki(node.address.origin, Exit.REJECTED, roots=roots) == ("passed", "")
    status, why = web_pki(node.address.origin, Exit.REJECTED, roots=None)
    assert (status, "not valid for localhost" in why) == ("failed", True)


def test_a_host_that_is_not_there_is_not_decided() -> None:
    said = run(NOWHERE, *APP, *NO_RPC, code=Exit.UNDECIDED)
    assert said.startswith("COULD NOT DECIDE localhost\ncause       hardware.quote: ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((NOWHERE,), "--app-id"),
        ((NOWHERE, "--app-id", "0x12"), "20 bytes"),
        (("http://localhost", *APP), "https://HOST"),
        (("https://a b", *APP), "https://HOST"),
        (("https://localhost/path", *APP), "https://HOST"),
        (("https://localhost:0", *APP), "https://HOST"),
        (("https://müller.example", *APP), "xn--mller-kva.example"),
        (("replya", "bundle.json"), "No such command 'replya'"),
        ((NOWHERE, *APP, "--chain-id", "999999"), "--rpc-url"),
        ((NOWHERE, *APP, "--chain-id", "0"), "--chain-id"),
        ((NOWHERE, *APP, "--timeout", "nan"), "--timeout"),
        (("watch", NOWHERE, *APP, "--interval-s", "nan"), "--interval-s"),
        ((NOWHERE, *APP, "--accept-tcb", "Revoked"), "Revoked"),
        ((NOWHERE, *APP, "--rpc-url", "ftp://user:hunter2@host"), "no http"),
        ((NOWHERE, *APP, *NO_RPC, "--save", "/no/such/folder/file"), "cannot be written"),
        ((NOWHERE, *APP, "--no-such-option"), "no-such-option"),
        ((NOWHERE, *APP, "--rpc-url", "http://[hunter2"), "no http"),
        ((), "Usage"),
    ],
)
def test_misuse_is_told_from_a_verdict(arguments: tuple[str, ...], said: str) -> None:
    printed = run(*arguments, code=Exit.MISUSE)
    assert said in printed
    assert "hunter2" not in printed


def test_a_trust_file_and_an_option_that_contradict_each_other_are_misuse(tmp_path: Path) -> None:
    trust = tmp_path / "trust.toml"
    trust.write_text('host = "localhost"\napp_id = "0x' + "22" * 20 + '"\nchain_id = 1\n')
    assert "--app-id" in run(NOWHERE, *APP, "--trust", trust, *NO_RPC, code=Exit.MISUSE)
    assert "--chain-id" in run(NOWHERE, "--chain-id", "2", "--trust", trust, *NO_RPC, code=Exit.MISUSE)
    assert "of localhost" in run("https://other.example", "--trust", trust, *NO_RPC, code=Exit.MISUSE)
    with trust.open("a") as file:
        file.write(f'kms_contract = "0x{"33" * 20}"\nkms_public_key = "0x33"\n[accounts]\ncontract = "0x{"33" * 20}"\n')
    for option, other in (
        ("--kms-contract", "0x" + "11" * 20),
        ("--kms-public-key", "0x11"),
        ("--account-contract", "0x" + "11" * 20),
    ):
        said = run(NOWHERE, option, other, "--trust", trust, *NO_RPC, code=Exit.MISUSE)
        assert f"{option} and the trust file name different values" in said


def test_files_that_cannot_be_read_are_malformed_input(tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    bad.write_bytes(b"\xff{")
    for arguments in (
        ("replay", bad, *APP),
        ("replay", tmp_path / "none", *APP),
        ("replay", "/dev/zero", *APP),
        (NOWHERE, "--trust", bad),
        (NOWHERE, "--trust", tmp_path / "none"),
        (NOWHERE, *APP, "--insecure-dev-root", bad),
    ):
        run(*arguments, code=Exit.MALFORMED)


def test_a_replay_gives_the_same_verdict_offline(development_node: VerifiableNode, bundle: Path) -> None:
    """Without a host, providers or collateral of today; the checks say who vouches for them."""
    live = run(development_node.address.origin, *development_node.arguments("--json"), code=0)
    replayed = json.loads(run("replay", bundle, *development_node.arguments(), "--json", code=0))
    assert [(c["id"], c["status"]) for c in replayed["checks"]] == [
        (c["id"], c["status"]) for c in json.loads(live)["checks"]
    ]
    vouching = {check["id"]: check["vouched_for"] for check in replayed["checks"] if check["status"] == "passed"}
    recorded = {name for name, who in vouching.items() if who == "recorded"}
    assert recorded == {
        name for name in vouching if name.startswith(("tls.", "governance.", "accounts.", "freshness."))
    }
    short = " ".join(run("replay", bundle, *development_node.arguments(), code=0).split())
    assert "replayed from a bundle of" in short
    said = run("replay", bundle, *development_node.arguments("-v"), code=0)
    assert "[proved]" in said
    assert "[recorded]" in said


def test_a_replay_need_not_name_the_endpoint_that_was_named_live(
    development_node: VerifiableNode, bundle: Path
) -> None:
    """The author of a bundle can invent two providers as easily as one.

    The report marks checks that rely on recorded answers as [recorded].
    """
    unnamed = development_node.arguments()[:-2]
    assert unnamed[-2] == "--insecure-dev-root"
    replayed = json.loads(run("replay", bundle, *unnamed, "--json", code=Exit.ACCEPTED))
    (providers,) = (check for check in replayed["checks"] if check["id"] == "governance.endpoints")
    assert providers["status"] == "skipped"
    two = (*development_node.arguments(), "--rpc-url", "https://another.example")
    said = run("replay", bundle, *two, code=Exit.UNDECIDED)
    assert said.splitlines()[1].startswith("DEV cause       governance.endpoints: ")


def test_a_replay_without_an_application_names_the_one_that_was_measured(
    development_node: VerifiableNode, bundle: Path
) -> None:
    """Only what the bundle proves: under another root nothing of it was measured for sure."""
    rest = development_node.arguments()[2:]
    said = run("replay", bundle, *rest, code=Exit.MISUSE)
    assert f"0x{development_node.app_id.hex()}" in said
    assert "--app-id" in said
    unproved = run("replay", bundle, "--chain-id", "31337", code=Exit.MISUSE)
    assert "does not prove" in unproved
    assert development_node.app_id.hex() not in unproved


def test_a_node_whose_account_contract_is_not_pinned_is_not_decided(development_node: VerifiableNode) -> None:
    node = development_node
    unpinned = [*node.arguments()[:2], *node.arguments()[4:]]
    said = run(node.address.origin, *unpinned, code=Exit.UNDECIDED)
    assert "no account contract is pinned; the node says that it uses" in " ".join(said.replace("DEV ", "").split())
    assert f"0x{node.account_contract.hex()}" in said
    assert "--account-contract" in said
    other = (*unpinned, "--account-contract", "0x" + "11" * 20, "--json")
    report = json.loads(run(node.address.origin, *other, code=Exit.REJECTED))
    failed = {check["id"] for check in report["checks"] if check["status"] == "failed"}
    assert failed == {"config.contract", "accounts.contract"}


def test_a_bundle_is_judged_by_what_is_trusted_now(development_node: VerifiableNode, bundle: Path) -> None:
    root = ("--insecure-dev-root", development_node.root)
    said = run("replay", bundle, *APP, *root, code=Exit.REJECTED)
    assert said.splitlines()[1].startswith("DEV cause       identity.app-id: ")
    app = ("--app-id", f"0x{development_node.app_id.hex()}")
    assert "hardware.signatures" in run("replay", bundle, *app, "--chain-id", "31337", code=Exit.REJECTED)


def test_a_bundle_somebody_changed_is_undecided_or_malformed(
    development_node: VerifiableNode, bundle: Path, tmp_path: Path
) -> None:
    changed = tmp_path / "changed.json"
    document = json.loads(bundle.read_text())
    document["now_s"] += 10 * 365 * 86_400
    changed.write_text(json.dumps(document))
    assert "hardware.collateral" in run("replay", changed, *development_node.arguments(), code=Exit.UNDECIDED)
    document["now_s"], document["host"] = json.loads(bundle.read_text())["now_s"], "other.example"
    changed.write_text(json.dumps(document))
    run("replay", changed, *development_node.arguments(), code=Exit.REJECTED)
    del document["host"]
    changed.write_text(json.dumps(document))
    assert "host" in run("replay", changed, *development_node.arguments(), code=Exit.MALFORMED)


def test_a_bundle_holds_no_credentials_of_endpoints(development_node: VerifiableNode, tmp_path: Path) -> None:
    node, path = development_node, tmp_path / "bundle.json"
    url = node.chain.replace("//", "//user:hunter2@")
    said = run(node.address.origin, *node.arguments()[:-1], url, "--save", path, "-v", code=0)
    assert "hunter2" not in said + path.read_text()


def test_files_are_written_beside_the_report(development_node: VerifiableNode, tmp_path: Path) -> None:
    node = development_node
    junit, page, saved = tmp_path / "junit.xml", tmp_path / "page.html", tmp_path / "bundle.json"
    asked = ("--junit", junit, "--html", page, "--save", saved)
    run(node.address.origin, *node.arguments(*map(str, asked)), code=0)
    assert fromstring(junit.read_text()).tag == "testsuites"
    assert page.read_text().startswith("<!doctype html>")
    assert read_bundle(saved).host == "localhost"
    assert {path.stat().st_mode & 0o077 for path in (junit, page, saved)} == {0}


def test_init_writes_nothing_nobody_agreed_to(development_node: VerifiableNode, tmp_path: Path) -> None:
    node, out = development_node, tmp_path / "trust.toml"
    rest = node.arguments("-v")[4:]
    said = run("init", node.address.origin, *rest, "--out", out, code=Exit.UNDECIDED)
    assert "THE HOST NAMED IT" in said
    assert "Hardware: is this" in said
    assert "Nothing was written" in said
    assert not out.exists()


def test_init_writes_what_then_accepts_and_never_over_another_file(
    development_node: VerifiableNode, tmp_path: Path
) -> None:
    node, out = development_node, tmp_path / "trust.toml"
    rest = node.arguments()[4:]
    said = run("init", node.address.origin, *rest, "--out", out, "--yes", code=0)
    assert "Hardware: is this" not in said
    assert "-v shows every check" in said
    assert "THE NODE NAMED IT" in said
    trust = load_trust(out)
    assert (trust.app_id, trust.host, trust.chain_id) == (node.app_id, "localhost", 31337)
    assert trust.kms_public_key is not None
    assert len(trust.owners) == 1
    assert len(trust.compose_hashes) == len(trust.os_images) == len(trust.acpi_tables) == len(trust.tcb.platforms) == 1
    assert len(trust.rpc_providers) == 1
    assert trust.accounts is not None
    assert trust.accounts.contract == node.account_contract
    assert len(trust.accounts.owners) == 1
    assert trust.accounts.minimum_owner_change_delay_s == OWNER_CHANGE_DELAY_S
    root = ("--insecure-dev-root", node.root)
    report = json.loads(run(node.address.origin, "--trust", out, *root, "--json", code=0))
    passed = {check["id"] for check in report["checks"] if check["status"] == "passed"}
    assert {"identity.key-provider", "governance.owner", "os.allowed", "os.acpi-tables"} <= passed
    assert {check["id"] for check in report["checks"] if check["group"] in {"accounts", "config"}} - passed == {
        "config.kms-key"
    }
    before = out.read_text()
    assert "is there already" in run("init", node.address.origin, *rest, "--out", out, "--yes", code=Exit.MISUSE)
    assert out.read_text() == before


def test_init_of_a_silent_host_writes_nothing(tmp_path: Path) -> None:
    out = tmp_path / "trust.toml"
    assert "no identity" in run("init", NOWHERE, *NO_RPC, "--out", out, "--yes", code=Exit.UNDECIDED)
    assert not out.exists()


def test_watch_tells_each_look_and_ends_after_so_many(development_node: VerifiableNode) -> None:
    node = development_node
    asked = node.arguments("--looks", "2", "--interval-s", "1", "--exit-on-change")
    said = run("watch", node.address.origin, *asked, code=0)
    assert len(said.splitlines()) == 2
    assert all(line.startswith("DEV ") for line in said.splitlines())
    lines = run("watch", node.address.origin, *asked, "--json", code=0).splitlines()
    looks = [json.loads(line) for line in lines]
    assert looks[0]["facts"]["TCB status"] == "UpToDate"
    assert [look["changes"] for look in looks] == [[], []]


@pytest.mark.parametrize("command", ["host", "watch"])
def test_stopping_it_is_no_fault_of_the_program(command: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(60)
        host = f"https://localhost:{silent.getsockname()[1]}"
        arguments = [sys.executable, "-m", "svc_verifier", command, host, *APP, *NO_RPC]
        with subprocess.Popen(arguments, cwd=REPOSITORY, stderr=subprocess.PIPE, text=True) as verifying:
            connection, _ = silent.accept()
            with connection:
                verifying.send_signal(signal.SIGINT)
                _, said = verifying.communicate(timeout=60)
    assert said.strip() == "svc-verify: stopped from outside"
    assert verifying.returncode == Exit.UNDECIDED


def test_the_public_endpoints_of_a_chain_are_two_operators() -> None:
    for first, second in DEFAULT_PROVIDERS.values():
        assert first.startswith("https://")
        assert second.startswith("https://")
        operators = [".".join(re.sub(r"^https://|/.*", "", url).split(".")[-2:]) for url in (first, second)]
        assert operators[0] != operators[1]


def test_a_fault_of_the_program_is_no_verdict(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(**_: object) -> None:
        raise RuntimeError("hunter2")

    monkeypatch.setattr(command_group, "commands", broken)
    with pytest.raises(SystemExit) as ended:
        command_group.main()
    assert ended.value.code == Exit.INTERNAL
    said = capsys.readouterr().err
    assert "nothing was decided" in said
    assert "hunter2" not in said
