"""An operator who follows docs/operators.md, on a local chain: the page's own commands, with this tree's programs."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.support.apt import require_curl
from tests.support.contract import REPOSITORY

PAGE = (REPOSITORY / "docs" / "operators.md").read_text()
TIMEOUT_S = 120
VARYING = (
    (re.compile(r"0x[0-9a-fA-F]{40,}|[0-9a-f]{64}"), "…"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d ?(?:UTC|Z)"), "(time)"),
    (re.compile(r"block \d+"), "block N"),
    (re.compile(r"\d+ bytes"), "N bytes"),
    (re.compile(r"^DEV ", re.MULTILINE), ""),
    (re.compile(r" \(INSECURE development root: [^)]*\)"), ""),
    (re.compile(r"\(\d+ passed[^)]*\)"), "(counts)"),
    (re.compile(r"chain \d+"), "chain N"),
    (re.compile(r"\b\d+ s\b"), "N s"),
    (re.compile(r"localhost:\d+|localhost|node\.example"), "(host)"),
)
"""What differs from run to run, and what a simulated TEE and a local chain have in place of the page's examples."""


def block(name: str) -> str:
    """The content of a marked block of the page."""
    found = re.search(rf"<!-- {name} -->\n```(?:console|sh)\n(.*?)```\n<!-- /{name} -->", PAGE, re.DOTALL)
    assert found is not None, name
    return found[1]


def names_of_blocks() -> list[str]:
    """All of them, in the page's order."""
    return re.findall(r"^<!-- ([a-z-]+) -->$", PAGE, re.MULTILINE)


def without_varying(text: str) -> list[str]:
    """The lines that are the same in every run."""
    for pattern, stand_in in VARYING:
        text = pattern.sub(stand_in, text)
    return [re.sub(r"\s+", " ", line).strip() for line in text.splitlines() if line.strip()]


class Operator:
    """Keeps its shell's variables from block to block.

    `programs` are our commands; wherever an argument names one of `hosts`, they get the local address instead, as a
    resolver would have it. `front` is the address of the machine that the platform's gateway picks at this moment.
    """

    def __init__(self, folder: Path, name: str, hosts: Mapping[str, str], dev_root: Path) -> None:
        require_curl()
        self.folder = folder
        self._front = folder / "front"
        self.meets(name)
        self._variables = folder / "variables.sh"
        self._variables.write_text("")
        self.followed: list[str] = []
        (folder / "bin").mkdir()
        for program, module, more in (
            ("svc-compose", "-m compose", ""),
            ("svc-node", "-m node", ""),
            ("svc-verify", "-m svc_verifier", f"--insecure-dev-root {dev_root}"),
        ):
            self._program(program, f"{sys.executable} {module}", more, name, hosts)
        self._program("curl", "/usr/bin/env PATH=/usr/local/bin:/usr/bin:/bin curl", "--insecure", name, hosts)
        for linked in ("examples", ".venv"):
            (folder / linked).symlink_to(REPOSITORY / linked)

    def _program(self, program: str, runs: str, more: str, name: str, hosts: Mapping[str, str]) -> None:
        pairs = [*((host, f"'{address}'") for host, address in hosts.items()), (name, f'$(cat "{self._front}")')]
        replaced = "".join(f"  from='{host}' to={address}; a=${{a//\"$from\"/$to}}\n" for host, address in pairs)
        text = (
            f'#!/bin/bash\nargs=()\nfor a; do\n{replaced}  args+=("$a")\ndone\n'
            f'PYTHONPATH={REPOSITORY} exec {runs} "${{args[@]}}" {more}\n'
        )
        path = self.folder / "bin" / program
        path.write_text(text)
        path.chmod(0o755)

    def meets(self, origin: str) -> None:
        """From now on the page's host is this machine."""
        self._front.write_text(origin)

    def sets(self, variables: Mapping[str, str]) -> None:
        """What the page leaves to the operator."""
        self._variables.write_text("".join(f"export {name}='{value}'\n" for name, value in variables.items()))

    def variable(self, name: str) -> str:
        """What the page's commands set."""
        found = re.search(rf'^declare -x {name}="(.*)"$', self._variables.read_text(), re.MULTILINE)
        assert found is not None, name
        return found[1]

    def follows(self, name: str) -> str:
        """Run the block's commands, which must print what the page says; what they printed."""
        lines = block(name).splitlines(keepends=True)
        commands = "".join(line[2:] for line in lines if line.startswith(("$ ", "> ")))
        said = "".join(line for line in lines if not line.startswith(("$ ", "> ")))
        self.followed.append(name)
        ran = self.runs(f'. "{self._variables}"\n{commands}\nexport -p > "{self._variables}"\n')
        assert without_varying(ran) == without_varying(said), f"{name}:\n{ran}"
        return ran

    def runs(self, script: str) -> str:
        """What it prints; it must end well."""
        ran = subprocess.run(
            ["bash", "-eu", "-c", script],
            cwd=self.folder,
            env=os.environ | {"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        assert ran.returncode == 0, f"{script}: {ran.stdout}{ran.stderr}"
        return ran.stdout
