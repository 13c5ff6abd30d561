"""The rules that hold across the attestation endpoints, checked on `svc-devkit run` by a script that shares no code."""

import hashlib
import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attestation.relay import Forge, own_certificate, relay, trusting
from tests.support.node import REPOSITORY, NodeProcess, running_node

SCRIPT = REPOSITORY / "examples" / "check_attestation.py"
RULES = ("rule 1", "rule 2", "rule 3", "rule 4")


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeProcess]:
    with running_node(tmp_path_factory.mktemp("n"), {"SVC_HTTPS_PORT": "0"}) as running:
        yield running


def check(node: NodeProcess, url: str | None = None, app_id: str | None = None) -> tuple[int, str]:
    """Exit code and output of the script."""
    expected = app_id or node.log_value("tee-app-id")
    command = [sys.executable, str(SCRIPT), url or node.log_value("https"), "--rpc", node.log_value("chain")]
    done = subprocess.run([*command, "--app-id", expected], capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_the_script_shares_no_code() -> None:
    source = SCRIPT.read_text()
    imported = {line.split()[1].split(".")[0] for line in source.splitlines() if line.startswith(("import ", "from "))}
    assert imported <= set(sys.stdlib_module_names)


@pytest.mark.exhaustive
def test_every_rule_holds(node: NodeProcess) -> None:
    code, printed = check(node)
    assert code == 0, printed
    for rule in RULES:
        assert f"ok    {rule}:" in printed
    assert "FAIL" not in printed


@pytest.mark.exhaustive
def test_both_ports_of_a_development_node_serve_the_same_evidence(node: NodeProcess, tmp_path: Path) -> None:
    seen = []
    for url in (node.url, node.log_value("https")):
        with urllib.request.urlopen(f"{url}/evidences", timeout=20, context=trusting()) as answer:
            assert answer.url == f"{url}/evidences/"
            seen.append((answer.headers["ETag"], answer.read()))
    assert seen[0] == seen[1]


def test_another_app_is_noticed(node: NodeProcess) -> None:
    code, printed = check(node, app_id="0x" + "11" * 20)
    assert code == 1
    assert "FAIL  the app id is the expected one" in printed


def truly(_: str, body: bytes) -> bytes:
    return body


def changed_compose(path: str, body: bytes) -> bytes:
    return body.replace(b"restart: ", b"restarT: ") if path == "/info" else body


def unpinned(path: str, body: bytes) -> bytes:
    """Another compose text with its own hash: only the quote knows better, but an image without digest shows first."""
    if path != "/info":
        return body
    info = json.loads(body)
    compose = json.loads(info["tcb_info"]["app_compose"])
    compose["docker_compose_file"] = "services:\n  a:\n    image: svc-node:latest # @sha256:" + "0" * 64 + "\n"
    return _with_compose(info, compose)


def _with_compose(info: dict[str, dict[str, str] | str], compose: dict[str, object]) -> bytes:
    text = json.dumps(compose)
    tcb = info["tcb_info"]
    assert isinstance(tcb, dict)
    whole = {
        **info,
        "compose_hash": hashlib.sha256(text.encode()).hexdigest(),
        "tcb_info": {**tcb, "app_compose": text},
    }
    return json.dumps(whole).encode()


@pytest.mark.parametrize(
    ("forge", "found"),
    [
        (changed_compose, "FAIL  rule 1"),
        (unpinned, "FAIL  rule 2"),
        (truly, "FAIL  rule 3"),
    ],
)
def test_an_impostor_is_noticed(node: NodeProcess, tmp_path: Path, forge: Forge, found: str) -> None:
    own_certificate(tmp_path)
    with relay(node.log_value("https"), tmp_path, forge) as impostor:
        code, printed = check(node, impostor)
    assert code == 1
    assert found in printed


def test_an_impostor_that_forges_the_evidence_is_noticed(node: NodeProcess, tmp_path: Path) -> None:
    """Its own certificate, with a sha256sum.txt that lists it: the quote is over another list."""
    pem = own_certificate(tmp_path)
    account = b'{"uri":"self-signed"}\n'
    names = (("acme-account.json", account), ("cert-localhost.pem", pem))
    sums = "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in names).encode()
    forged = {
        "/evidences/cert-localhost.pem": pem,
        "/evidences/sha256sum.txt": sums,
        "/evidences/acme-account.json": account,
    }
    with relay(node.log_value("https"), tmp_path, forged.get) as impostor:
        code, printed = check(node, impostor)
    assert code == 1
    assert "ok    rule 3" in printed
    assert "FAIL  the evidence's quote is over sha256sum.txt" in printed


def test_an_impostor_that_forges_the_evidences_quote_too_is_noticed_by_the_nonce(
    node: NodeProcess, tmp_path: Path
) -> None:
    """A reader who does not verify the quote's signature is fooled by the file; the fresh quote names another key."""
    pem = own_certificate(tmp_path)
    account = b'{"uri":"self-signed"}\n'
    names = (("acme-account.json", account), ("cert-localhost.pem", pem))
    sums = "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in names).encode()

    def forge(path: str, body: bytes) -> bytes:
        if path == "/evidences/quote.json":
            answer = json.loads(body)
            quote = bytes.fromhex(answer["quote"])
            over = hashlib.sha256(sums).digest() + bytes(32)
            return json.dumps({**answer, "quote": (quote[:568] + over + quote[632:]).hex()}).encode()
        forged = {"cert-localhost.pem": pem, "sha256sum.txt": sums, "acme-account.json": account}
        return forged.get(path.removeprefix("/evidences/"), body)

    with relay(node.log_value("https"), tmp_path, forge) as impostor:
        code, printed = check(node, impostor)
    assert code == 1
    assert "ok    the evidence's quote is over sha256sum.txt" in printed
    assert "FAIL  it names this connection's key" in printed
