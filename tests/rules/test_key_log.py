"""No TLS context of ours writes its keys to the file that SSLKEYLOGFILE names, in whatever program, whoever set the environment."""

import ast
import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.egress.certificates import tls_for
from tests.engine.egress.servers import answer, server
from tests.support.node import REPOSITORY, running_node
from tests.support.verifying import VerifiableNode

DISTRIBUTIONS = ("node", "attest", "verifier/svc_verifier", "client/svc_client", "compose", "image", "devkit")
NEEDED = {
    "aiohttp.ClientSession": "connector",
    "aiohttp.TCPConnector": "ssl",
    "urllib.request.urlopen": "context",
    "http.client.HTTPSConnection": "context",
    "ssl.create_default_context": None,
    "ssl._create_default_https_context": None,
    "urllib3.util.create_urllib3_context": None,
}
"""Calls that make a context of the library's own, and the argument that names another one; None: there is no such argument."""

KEYS = ("CLIENT_RANDOM", "CLIENT_HANDSHAKE_TRAFFIC_SECRET", "CLIENT_TRAFFIC_SECRET_0")
MEETING = """
import asyncio, contextlib, sys, aiohttp
from pathlib import Path
url = sys.argv[1]
async def meet():
{body}
with contextlib.suppress(Exception):
    asyncio.run(meet())
"""
MEETINGS = {
    "the library alone": """
    async with aiohttp.ClientSession() as session:
        await session.get(url)
""",
    "verifier, client and compose: a provider": """
    from svc_verifier.gathering.host import plain_session
    async with plain_session() as session:
        await session.get(url)
""",
    "verifier and client: a host": """
    from svc_verifier.formats.addresses import HostAddress
    from svc_verifier.gathering.host import GatheringLimits, Host
    async with Host(HostAddress.of(url), GatheringLimits(), asyncio.get_running_loop().time() + 20) as host:
        await host.get("/")
""",
    "attest: the guest agent": """
    from attest.guest_agent import GuestAgent
    async with GuestAgent(url) as agent:
        await agent.info()
""",
    "image: a mirror": """
    from image.lock import Deb
    from image.mirrors import Mirrors, fetch, mirror_of
    mirror = mirror_of(url, "mirror")
    package = Deb("a", "1", "main", "pool/a.deb", "00" * 32)
    await asyncio.to_thread(fetch, package, Mirrors(main=mirror, security=mirror), lambda _: None)
""",
    "node: the log's collector": """
    from prometheus_client import CollectorRegistry
    from node.runtime.log_export import LogExport
    export = LogExport(url, CollectorRegistry())
    async with export.running():
        export.take("{}")
""",
    "node: providers and the processor": """
    from node.runtime.http_client import plain_session
    async with plain_session() as session:
        await session.get(url)
""",
}


def named(node: ast.expr, imported: dict[str, str]) -> str:
    """Return the dotted name of what is called, with the module of a name that was imported."""
    if isinstance(node, ast.Attribute):
        return f"{named(node.value, imported)}.{node.attr}"
    return imported.get(node.id, node.id) if isinstance(node, ast.Name) else ""


def calls(tree: ast.Module) -> Iterator[tuple[ast.Call, str]]:
    imported: dict[str, str] = {}
    for each in ast.walk(tree):
        if isinstance(each, ast.ImportFrom):
            imported |= {alias.asname or alias.name: f"{each.module}.{alias.name}" for alias in each.names}
        elif isinstance(each, ast.Import):
            imported |= {alias.asname: alias.name for alias in each.names if alias.asname}
    for each in ast.walk(tree):
        if isinstance(each, ast.Call):
            yield each, named(each.func, imported)


def faults(path: Path) -> list[str]:
    """Return the calls of a file that make a context of the library's own."""
    found: list[str] = []
    text = path.read_text()
    # Parsing all of the product takes seconds.
    if not any(each.rpartition(".")[2] in text for each in NEEDED):
        return found
    for call, name in calls(ast.parse(text)):
        if name in NEEDED and NEEDED[name] not in {each.arg for each in call.keywords}:
            found.append(f"{path}:{call.lineno}: {name}")
    return found


def test_no_context_is_the_library_s_own() -> None:
    files = [path for folder in DISTRIBUTIONS for path in (REPOSITORY / folder).rglob("*.py")]
    assert len(files) > 300
    assert [fault for path in files for fault in faults(path)] == []


@pytest.mark.parametrize(
    "text",
    [
        "import ssl\nssl.create_default_context()",
        "from ssl import create_default_context as make\nmake()",
        "import aiohttp\naiohttp.ClientSession()",
        "from aiohttp import TCPConnector\nTCPConnector(limit=1)",
        "import urllib.request\nurllib.request.urlopen('https://example.org', timeout=1)",
    ],
)
def test_each_of_them_would_be_found(text: str, tmp_path: Path) -> None:
    path = tmp_path / "sample.py"
    path.write_text(text)
    assert len(faults(path)) == 1


@pytest.mark.parametrize("name", MEETINGS)
async def test_a_client_writes_no_keys(name: str, tmp_path: Path) -> None:
    serving, _ = tls_for(["localhost"], tmp_path)
    met: list[str | None] = []
    # At the client's first message: the node believes no authority of the environment, and ends the handshake after that.
    serving.sni_callback = lambda _, asked, __: met.append(asked)
    keys = tmp_path / "keys"
    clean = {each: value for each, value in os.environ.items() if not each.upper().endswith("_PROXY")}
    environment = {**clean, "SSLKEYLOGFILE": str(keys), "SSL_CERT_FILE": str(tmp_path / "certificate.pem")}
    async with server(serving) as origin:
        origin.by_path["/"] = answer()
        script = MEETING.format(body=MEETINGS[name])
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", script, f"https://localhost:{origin.port}", env=environment, cwd=REPOSITORY
        )
        assert await process.wait() == 0
    assert set(met) == {"localhost"}
    # Libraries open the file as they are imported, and write their heading.
    assert any(each in written(keys) for each in KEYS) is (name == "the library alone")


def written(path: Path) -> str:
    return path.read_text() if path.exists() else ""


@pytest.mark.exhaustive
def test_real_programs_write_no_keys(tmp_path: Path) -> None:
    keys = {each: tmp_path / f"keys of {each}" for each in ("node", "svc", "svc-verify")}
    with running_node(tmp_path / "data", {"SSLKEYLOGFILE": str(keys["node"])}) as process:
        running = VerifiableNode(process)
        profiles = {"SVC_CLIENT_FOLDER": str(tmp_path / "profiles")}
        origin = running.address.origin
        for program, *arguments in (
            ("svc", "svc_client", "login", origin, *running.arguments(), "--no-key"),
            ("svc", "svc_client", "verify"),
            ("svc-verify", "svc_verifier", origin, *running.arguments()),
        ):
            environment = {**os.environ, **profiles, "SSLKEYLOGFILE": str(keys[program])}
            command = [sys.executable, "-m", *arguments]
            ran = subprocess.run(
                command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=120, check=False
            )
            assert ran.returncode == 0, ran.stderr
    for path in keys.values():
        assert not any(each in written(path) for each in KEYS), path
