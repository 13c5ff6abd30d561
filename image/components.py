"""Components of an image with versions and licences, from Debian, PyPI, npm and ourselves."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from email.parser import Parser
from pathlib import Path, PurePosixPath
from typing import Any, Final
from urllib.parse import quote

from image import wheel
from image.commands import ImageError
from image.debian import control_of, files_of
from image.lock import Deb, Lock, Package, Store
from image.selection import NPM, RELEASE, SITE
from image.tree import File, Link, Tree

_BILL: Final = re.compile(r"(?:.*/)?[^/]+\.dist-info/sboms/[^/]+\.json")
Stated = tuple[str, str, str, tuple[str, ...], str | None]
"""Name, version, package URL, licences, and SHA-256 of the source."""


def compiled_into(wheel: Tree) -> Iterator[Stated]:
    """Yields the components that the wheel's bills name. Raises ImageError."""
    for path, entry in sorted(wheel.items()):
        if _BILL.fullmatch(path) and isinstance(entry, File):
            try:
                bill = json.loads(entry.data)
                if bill.get("bomFormat") == "CycloneDX":
                    yield from (_stated(component) for component in bill.get("components", []))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise ImageError(f"the bill of materials {path} cannot be read: {error!r}.") from error


def _stated(component: dict[str, Any]) -> Stated:
    hashes = [each["content"] for each in component.get("hashes", []) if each["alg"] == "SHA-256"]
    licences = [_licence(each) for each in component.get("licenses", [])]
    return component["name"], component["version"], component["purl"], tuple(licences), next(iter(hashes), None)


def _licence(choice: dict[str, Any]) -> str:
    named = choice.get("license", {})
    return str(choice.get("expression") or named.get("id") or named["name"])


_LICENCE_LINE: Final = re.compile(r"^License:[ \t]*(\S.*)$", re.MULTILINE)
_COMMON: Final = re.compile(r"/usr/share/common-licenses/([A-Za-z0-9.+-]*[A-Za-z0-9+])")
"""References of free texts to the licences that base-files brings."""

_WRITTEN_OUT: Final[Mapping[str, str]] = {
    "PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2": "Python-2.0",
    "GCC RUNTIME LIBRARY EXCEPTION": "GCC-exception-3.1",
}
"""Headings of whole licence texts within a free text, with the SPDX names of these licences."""

_OF_OTHERS: Final = "Licenses for Software linked to"
"""Heading in Python's file, after which licences of libraries outside of the package follow."""


def copyright_file(name: str, trees: Mapping[str, Tree]) -> str:
    """Returns the copyright text of a package, whose folder may link to another package's."""
    folder = PurePosixPath("usr/share/doc", name)
    link = trees[name].get(str(folder))
    holder = PurePosixPath(link.target).name if isinstance(link, Link) else name
    entry = trees.get(holder, {}).get(str(folder.with_name(holder) / "copyright"))
    return entry.data.decode(errors="replace") if isinstance(entry, File) else ""


def licences_in(text: str) -> tuple[str, ...]:
    """Returns the names of the licences in a text, sorted."""
    if text.startswith("Format:"):
        return tuple(sorted({name.strip() for name in _LICENCE_LINE.findall(text)}))
    text = text.partition(_OF_OTHERS)[0]
    written = {name for heading, name in _WRITTEN_OUT.items() if heading in text}
    return tuple(sorted(written | set(_COMMON.findall(text))))


BUNDLES: Final = (
    "node/dashboard/bundle/ethereum.js",
    "node/engine/libraries/ethers.js",
    "node/engine/libraries/ethers6.js",
    "node/engine/libraries/streams.js",
)
"""Bundles whose first comment names the npm packages in them."""

COMPILED_IN: Final = ("@openzeppelin/contracts",)
"""Packages of package-lock.json that are compiled into the account contract."""

GUEST: Final = "node/engine/guest"
GUEST_LOCK: Final = "requirements/guest.txt"
GUEST_LIBRARIES: Final = {
    "libclang-rt-19-dev-wasm32": ("Apache-2.0 WITH LLVM-exception",),
    "wasi-libc": ("Apache-2.0 WITH LLVM-exception", "MIT", "BSD-2-Clause"),
}
"""Debian packages whose code is linked into the guest. The compiler leaves none in it."""

_NOT_STATED: Final = "not stated"
_CLASSIFIER: Final = "License :: OSI Approved :: "
_LONGEST_NAME: Final = 80


@dataclass(frozen=True, slots=True)
class Component:
    """Part of an image. `purl` is a package URL; `within` those of what it is compiled into.

    `sha256` is of the file it came as, if any. `where` says how it came into the image.
    """

    name: str
    version: str
    purl: str
    licences: tuple[str, ...]
    where: str
    sha256: str | None = None
    within: tuple[str, ...] = ()


def components(lock: Lock, store: Store, source: Path, own: tuple[str, bytes]) -> list[Component]:
    """Returns all components, sorted by package URL. `own` is our wheel's name and content."""
    debs = {deb.name: store.get(deb.sha256) for deb in lock.debs}
    unpacked = {name: files_of(content) for name, content in debs.items()}
    wheels = {package.sha256: wheel.files_of(store.get(package.sha256)) for package in lock.wheels}
    packages = {sha256: _of_wheel(tree, sha256) for sha256, tree in wheels.items()}
    found = [
        *(_of_deb(deb, debs[deb.name], unpacked) for deb in lock.debs),
        *packages.values(),
        *_compiled((packages[sha256], tree) for sha256, tree in wheels.items()),
        _of_wheel(wheel.files_of(own[1]), None),
        *_of_npm(lock.npm, source),
        *_of_guest(source),
    ]
    # Sorted, since the documents are compared byte for byte as the image is.
    return sorted(found, key=lambda component: component.purl)


def _of_deb(deb: Deb, content: bytes, trees: Mapping[str, Tree]) -> Component:
    control = control_of(content)
    source = control.get("Source", deb.name).split(" ")[0]
    name, version = (_escaped(text) for text in (deb.name, deb.version))
    place = f"arch={control['Architecture']}&distro={RELEASE}&upstream={_escaped(source)}"
    return Component(
        name=deb.name,
        version=deb.version,
        purl=f"pkg:deb/debian/{name}@{version}?{place}",
        licences=licences_in(copyright_file(deb.name, trees)) or (_NOT_STATED,),
        where="Debian package",
        sha256=deb.sha256,
    )


def _escaped(text: str) -> str:
    """Returns the text as package URLs escape it."""
    return quote(text, safe="~.-_")


def _compiled(wheels: Iterable[tuple[Component, Tree]]) -> Iterable[Component]:
    """Returns the components that the wheels' own bills of materials name, each once."""
    found: dict[str, Component] = {}
    for package, tree in wheels:
        for name, version, purl, licences, sha256 in compiled_into(tree):
            within = [*(found[purl].within if purl in found else ()), package.purl]
            stated = licences or (f"see {package.name}",)
            names = dict.fromkeys(each.rpartition("/")[2].partition("@")[0] for each in within)
            where = f"compiled into {', '.join(names)}"
            found[purl] = Component(name, version, purl, stated, where, sha256, tuple(dict.fromkeys(within)))
    return found.values()


def _of_wheel(tree: Tree, sha256: str | None) -> Component:
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
    """Returns the first line of each licence file, for a wheel whose metadata states none."""
    texts = (_text(tree, path) for path in sorted(tree) if re.search(r"\.dist-info/(licenses/)?LICEN[CS]E[^/]*$", path))
    return tuple(text.strip().split("\n")[0][:_LONGEST_NAME] for text in texts if text.strip()) or (_NOT_STATED,)


def _of_npm(fetched: Sequence[Package], source: Path) -> Iterable[Component]:
    locked = json.loads((source / "package-lock.json").read_text())["packages"]
    licences = {
        (str(entry.get("name", path.rpartition("node_modules/")[2])), str(entry["version"])): str(entry.get("license"))
        for path, entry in locked.items()
        if path
    }
    hashes = {(package.name, package.version): package.sha256 for package in fetched}
    compiled = {(name, str(locked[f"node_modules/{name}"]["version"])) for name in COMPILED_IN}
    served = {(package.name, package.version): place for package, place in zip(fetched, NPM.values(), strict=True)}
    places = dict(sorted(served.items())) | dict.fromkeys(compiled, "node/chain/contract")
    for bundle in BUNDLES:
        for key in bundled((source / bundle).read_text()):
            places[key] = f"{places[key]}, {bundle}" if key in places else bundle
    for (name, version), where in places.items():
        purl = f"pkg:npm/{name.replace('@', '%40')}@{version}"
        licence = licences.get((name, version), _NOT_STATED)
        yield Component(name, version, purl, (licence,), where, hashes.get((name, version)))


def _of_guest(source: Path) -> Iterable[Component]:
    """Returns the components compiled into the WebAssembly module of the engine of actions."""
    built = json.loads((source / GUEST / "toolchain.json").read_text())
    where = f"compiled into {GUEST}/guest.wasm, SHA-256 {built['sha256']}"
    engine = re.search(
        r"^quickjs-ng==(\S+) .*?sha256:([0-9a-f]{64})", (source / GUEST_LOCK).read_text(), re.MULTILINE | re.DOTALL
    )
    if engine is None:
        raise ImageError(f"{GUEST_LOCK} names no source of quickjs-ng.")
    version, sha256 = engine.groups()
    yield Component("quickjs-ng", version, f"pkg:pypi/quickjs-ng@{version}", ("MIT",), where, sha256)
    for name, licences in GUEST_LIBRARIES.items():
        version = built["packages"][name]
        yield Component(name, version, f"pkg:deb/debian/{name}@{_escaped(version)}?distro={RELEASE}", licences, where)


def bundled(script: str) -> list[tuple[str, str]]:
    """Returns the names and versions that a bundle's first comment lists."""
    comment = script[: script.find("*/")]
    listed = [line.removesuffix(":") for line in comment.split("\n") if re.fullmatch(r"(\S+ \d\S*, )*\S+ \d\S*:", line)]
    pairs = (part.split(" ") for line in listed for part in line.split(", "))
    return [(name, version) for name, version in pairs]


def _text(tree: Tree | Mapping[str, object], path: str) -> str:
    entry = tree[path]
    return entry.data.decode() if isinstance(entry, File) else ""
