"""What an image is made of, with versions and licences: Debian packages, wheels, npm packages, and our own."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from email.parser import Parser
from pathlib import Path
from typing import Final

from image import wheel
from image.deb import control_of, files_of
from image.lock import Deb, Lock, Package
from image.selection import ARCHITECTURE, SITE
from image.store import Store
from image.tree import File, Tree

BUNDLES: Final = ("node/engine/libraries/ethers.js", "node/engine/libraries/ethers6.js")
"""Their first comment names the npm packages in them."""

COMPILED_IN: Final = ("@openzeppelin/contracts",)
"""Of package-lock.json: in the account contract's code."""

_NOT_STATED: Final = "not stated"
_LICENCE_LINE: Final = re.compile(r"^License:[ \t]*(\S.*)$", re.MULTILINE)
_COMMON: Final = re.compile(r"/usr/share/common-licenses/([A-Za-z0-9.+-]*[A-Za-z0-9+])")
"""How copyright files without a format name the licences that base-files brings."""

_CLASSIFIER: Final = "License :: OSI Approved :: "
_LONGEST_NAME: Final = 80


@dataclass(frozen=True, slots=True)
class Component:
    """`purl` is a package URL; `sha256` of the file it came as, where it came as one; `where` says what it is in."""

    name: str
    version: str
    purl: str
    licences: tuple[str, ...]
    where: str
    sha256: str | None = None


def components(lock: Lock, store: Store, source: Path, own: tuple[str, bytes]) -> list[Component]:
    """All of an image, sorted by package URL. `own` is our wheel's file name and content."""
    found = [
        *(_of_deb(deb, store.get(deb.sha256)) for deb in lock.debs),
        *(_of_wheel(store.get(package.sha256), package.sha256) for package in lock.wheels),
        _of_wheel(own[1], None),
        *_of_npm(lock.npm, source),
    ]
    return sorted(found, key=lambda component: component.purl)


def _of_deb(deb: Deb, content: bytes) -> Component:
    tree = files_of(content)
    copyright_file = tree.get(f"usr/share/doc/{deb.name}/copyright")
    text = copyright_file.data.decode(errors="replace") if isinstance(copyright_file, File) else ""
    names = {name.strip() for name in (_LICENCE_LINE if text.startswith("Format:") else _COMMON).findall(text)}
    source = control_of(content).get("Source", deb.name).split(" ")[0]
    version = deb.version.replace("+", "%2B").replace(":", "%3A")
    return Component(
        name=deb.name,
        version=deb.version,
        purl=f"pkg:deb/debian/{deb.name.replace('+', '%2B')}@{version}?arch={ARCHITECTURE}&distro=bookworm&upstream={source}",
        licences=tuple(sorted(names)) or (f"see /usr/share/doc/{deb.name}/copyright",),
        where="Debian package",
        sha256=deb.sha256,
    )


def _of_wheel(content: bytes, sha256: str | None) -> Component:
    tree = wheel.files_of(content)
    (path,) = (path for path in tree if re.fullmatch(rf"{SITE}/[^/]+\.dist-info/METADATA", path))
    described = Parser().parsestr(_text(tree, path), headersonly=True)
    name, version = str(described["Name"]).lower().replace("_", "-"), str(described["Version"])
    stated = described["License-Expression"] or described["License"] or ""
    classified = [c.removeprefix(_CLASSIFIER) for c in described.get_all("Classifier", []) if c.startswith(_CLASSIFIER)]
    short = stated if stated and len(stated) <= _LONGEST_NAME and "\n" not in stated else ""
    licences = (short,) if short else tuple(classified) or _licence_files(tree)
    where = "wheel" if sha256 else "our wheel, built of this commit"
    return Component(name, version, f"pkg:pypi/{name}@{version.replace('+', '%2B')}", licences, where, sha256)


def _licence_files(tree: Tree) -> tuple[str, ...]:
    """Where a wheel states nothing: the first line of each licence it brings, which is a licence's name."""
    texts = (_text(tree, path) for path in sorted(tree) if re.search(r"\.dist-info/(licenses/)?LICEN[CS]E[^/]*$", path))
    return tuple(text.strip().split("\n")[0][:_LONGEST_NAME] for text in texts if text.strip()) or (_NOT_STATED,)


def _of_npm(fetched: Iterable[Package], source: Path) -> Iterable[Component]:
    locked = json.loads((source / "package-lock.json").read_text())["packages"]
    licences = {
        (str(entry.get("name", path.rpartition("node_modules/")[2])), str(entry["version"])): str(entry.get("license"))
        for path, entry in locked.items()
        if path
    }
    hashes = {(package.name, package.version): package.sha256 for package in fetched}
    compiled = {(name, str(locked[f"node_modules/{name}"]["version"])) for name in COMPILED_IN}
    places = dict.fromkeys(sorted(hashes), "node/http/swagger_ui") | dict.fromkeys(compiled, "node/chain/contract")
    for bundle in BUNDLES:
        for key in bundled((source / bundle).read_text()):
            places[key] = f"{places[key]}, {bundle}" if key in places else bundle
    for (name, version), where in places.items():
        purl = f"pkg:npm/{name.replace('@', '%40')}@{version}"
        licence = licences.get((name, version), _NOT_STATED)
        yield Component(name, version, purl, (licence,), where, hashes.get((name, version)))


def bundled(script: str) -> list[tuple[str, str]]:
    """The names and versions that a bundle's first comment lists."""
    comment = script[: script.find("*/")]
    listed = [line.removesuffix(":") for line in comment.split("\n") if re.fullmatch(r"(\S+ \d\S*, )*\S+ \d\S*:", line)]
    pairs = (part.split(" ") for line in listed for part in line.split(", "))
    return [(name, version) for name, version in pairs]


def _text(tree: Tree | Mapping[str, object], path: str) -> str:
    entry = tree[path]
    return entry.data.decode() if isinstance(entry, File) else ""
