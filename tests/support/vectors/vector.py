"""One vector: what is given, what must come out, and how it lies on the disk."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.support.contract import REPOSITORY
from tests.support.fixtures import FIXTURES, quote_bytes

FOLDER: Final = REPOSITORY / "tests" / "vectors"
BASES: Final = "base"


@dataclass(frozen=True, kw_only=True)
class Vector:
    """`given` is an RFC 7396 merge patch of the file `base`, or the whole input. `checks` are those it exercises."""

    stage: str
    name: str
    given: Mapping[str, Any]
    expected: Mapping[str, Any]
    base: str = ""
    checks: tuple[str, ...] = ()
    fixtures: bool = field(default=False)

    @property
    def folder(self) -> str:
        """Path below tests/vectors. It follows from the case alone, so that others may come and go."""
        return f"{self.stage}/{slug(self.name)}"

    def files(self) -> Mapping[str, str]:
        """By path below tests/vectors."""
        manifest = {
            "about": self.name,
            "stage": self.stage,
            "checks": sorted(self.checks),
            **({"base": f"{BASES}/{self.base}"} if self.base else {}),
            **({"needs": "../shared/fixtures"} if self.fixtures else {}),
        }
        contents = {"manifest.json": manifest, "input.json": self.given, "expected.json": self.expected}
        return {f"{self.folder}/{name}": written(content) for name, content in contents.items()}


def written(content: object) -> str:
    """As every file here is written."""
    return json.dumps(content, indent=1, sort_keys=True) + "\n"


def slug(name: str) -> str:
    """Returns the words of a name, for a folder: never cut, since two names may differ at their ends alone."""
    return "-".join(re.findall("[a-z0-9]+", name.lower()))


def patch_of(base: Any, target: Any) -> Any:
    """The merge patch that makes `target` of `base`; arrays are replaced whole, as RFC 7396 has it."""
    if not isinstance(base, dict) or not isinstance(target, dict):
        return target
    gone: dict[str, Any] = dict.fromkeys(base.keys() - target.keys())
    changed = {
        key: patch_of(base[key], value) if key in base else value
        for key, value in target.items()
        if key not in base or base[key] != value
    }
    return gone | changed


def merged(base: Any, patch: Any) -> Any:
    """RFC 7396."""
    if not isinstance(patch, dict):
        return patch
    target = dict(base) if isinstance(base, dict) else {}
    for key, value in patch.items():
        if value is None:
            target.pop(key, None)
        else:
            target[key] = merged(target.get(key), value)
    return target


def read_input(folder: Path) -> dict[str, Any]:
    """The whole input of a vector: patched, and with the fixtures it names in their places."""
    manifest = json.loads((folder / "manifest.json").read_text())
    given = json.loads((folder / "input.json").read_text())
    if "base" in manifest:
        given = merged(json.loads((FOLDER / manifest["base"]).read_text()), given)
    resolved: dict[str, Any] = _resolved(given)
    return resolved


def _resolved(given: Any) -> Any:
    if isinstance(given, dict) and set(given) == {"fixture", "as"}:
        name = given["fixture"]
        match given["as"]:
            case "quote":
                return quote_bytes(name).hex()
            case "event_log":
                return json.loads((FIXTURES / name).read_text())["event_log"]
            case _:
                return (FIXTURES / name).read_text()
    if isinstance(given, dict):
        return {key: _resolved(value) for key, value in given.items()}
    return given
