"""What the documents say is there: commands, output, links, endpoints, settings, files."""

import functools
import json
import re
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from devkit.settings import DevelopmentSettings
from node.cli import main as command_line
from node.settings import PREFIX
from svc_client.profile import FOLDER_VARIABLE
from tests.support.apt import require_curl
from tests.support.node import REPOSITORY, NodeProcess, running_node

OUTSIDE = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "client/README.md", "verifier/README.md")
PAGES = [*(REPOSITORY / name for name in OUTSIDE), *sorted((REPOSITORY / "docs").rglob("*.md"))]
BASE = "/core/v1"
FENCE = re.compile(r"^ *```.*?^ *```$", re.DOTALL | re.MULTILINE)
SPAN = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
VARYING = (
    (re.compile(r"0x[0-9a-fA-F]{40,}"), "0x…"),
    (re.compile(r'("(?:usage_)?api_key"):"[^"]*"'), r'\1:"…"'),
    (re.compile(r'("(?:block_number|duration_ms)"):[0-9.]+'), r"\1:…"),
)
"""What differs from run to run: addresses, hashes, signatures, keys, heights, durations."""


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NodeProcess]:
    with running_node(tmp_path_factory.mktemp("data")) as running:
        yield running


@pytest.fixture(scope="module")
def openapi(node: NodeProcess) -> Any:
    with urllib.request.urlopen(f"{node.api}/openapi.json") as response:
        return json.loads(response.read())


def console_block(name: str) -> tuple[str, str]:
    """The commands of a marked block of README.md or docs/api.md, as a script, and what the page says they print."""
    pages = "".join((REPOSITORY / page).read_text() for page in ("README.md", "docs/api.md"))
    found = re.search(rf"<!-- {name} -->\n```console\n(.*?)```\n<!-- /{name} -->", pages, re.DOTALL)
    assert found is not None
    lines = found[1].splitlines(keepends=True)
    commands = "".join(line[2:] for line in lines if line.startswith(("$ ", "> ")))
    return commands, "".join(line for line in lines if not line.startswith(("$ ", "> ")))


def without_varying(text: str) -> str:
    for pattern, stand_in in VARYING:
        text = pattern.sub(stand_in, text)
    return "\n".join(line for line in text.splitlines() if line.strip())


@pytest.mark.parametrize("name", ["first-call", "walk"])
def test_the_commands_of_the_readme_print_what_it_says(node: NodeProcess, name: str) -> None:
    require_curl()
    commands, said = console_block(name)
    there = commands.replace("http://127.0.0.1:8000", node.url).replace("walk.sh", f"walk.sh {node.url}")
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", there],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert without_varying(ran.stdout) == without_varying(said)
    assert '"has_error":false' in said


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in LINK.findall(FENCE.sub("", page.read_text())):
        path, _, anchor = link.partition("#")
        assert ":" not in path, f"{link}: a document of the project leans on nothing outside it"
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert target.is_relative_to(REPOSITORY), link
        assert not anchor or anchor in anchors(target), link


def names_in(value: object) -> Iterator[str]:
    """Every property, parameter, enum value and path of an OpenAPI document."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield str(name).removeprefix("/")
            yield from names_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from names_in(inner)
    elif isinstance(value, str):
        yield value


@functools.cache
def words_of_sources() -> frozenset[str]:
    """Every identifier of the programs."""
    folders = (REPOSITORY / name for name in ("node", "attest", "verifier", "client", "compose", "image", "devkit"))
    return frozenset(
        word for folder in folders for path in folder.rglob("*.py") for word in re.findall(r"\w+", path.read_text())
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_every_name_is_a_name_of_the_node(page: Path, openapi: Any) -> None:
    settings = set(DevelopmentSettings.model_fields)
    known = {*names_in(openapi), *settings, *words_of_sources()}
    for span in SPAN.findall(FENCE.sub("", page.read_text())):
        if re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)+", span):
            assert span in known, span
        for variable in re.findall(rf"\b{PREFIX}([A-Z_]+)", span):
            of_a_provider = variable.startswith("RPC_AUTHORIZATION_")
            assert variable.lower() in settings or of_a_provider or f"{PREFIX}{variable}" == FOLDER_VARIABLE, span
        if found := re.fullmatch(r"(GET|POST|DELETE|PUT) (/\S+)", span):
            assert found[1].lower() in openapi["paths"].get(found[2].removeprefix(BASE), {}), span
        elif span.startswith(f"{BASE}/"):
            assert span.removeprefix(BASE) in {"/openapi.json", "/swagger-ui", *openapi["paths"]}, span


TRACKED = re.compile(
    r"(?:node|attest|verifier|client|compose|image|devkit|tests|docs|examples|requirements|benchmarks)/[\w./-]*"
)
MADE = {f"image{line.rstrip('/')}" for line in (REPOSITORY / "image" / ".gitignore").read_text().split()}
"""What `make image` writes: not there before."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_and_symbol_is_where_the_page_says(page: Path) -> None:
    for line in FENCE.sub("", page.read_text()).splitlines():
        for path, symbol in re.findall(r"`([\w./-]+)`(?: `([A-Za-z_.]+)`)?", line):
            if not TRACKED.fullmatch(path) or any(path == made or path.startswith(f"{made}/") for made in MADE):
                continue
            assert (REPOSITORY / path).exists(), path
            for part in symbol.split("."):
                assert not part or re.search(rf"\b{part}\b", (REPOSITORY / path).read_text()), f"{path} {symbol}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_is_there(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):.*## ", (REPOSITORY / "Makefile").read_text(), re.MULTILINE))
    text = page.read_text()
    for target in re.findall(r"(?:`|^ *)make ([a-z]+)", text, re.MULTILINE):
        assert target in targets, target
    assert isinstance(command_line, click.Group)
    for command in re.findall(r"(?:`|^ *)svc-node ([a-z-]+)", text, re.MULTILINE):
        assert command in command_line.commands, command
