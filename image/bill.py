"""Documents beside an image: bill of materials (CycloneDX 1.6), licences, list of files."""

import hashlib
import json
import re
import uuid
from collections.abc import Sequence
from typing import Final

from image.components import Component
from image.tree import Entry, File, Folder, Link, Tree, with_parents

SPDX: Final = frozenset(
    """0BSD Apache-2.0 Artistic-2.0 BSD-2-Clause BSD-3-Clause BSL-1.0 CC0-1.0 CNRI-Python GPL-2.0-only GPL-2.0-or-later
    ISC LGPL-2.1-only LGPL-2.1-or-later MIT MIT-0 MPL-2.0 PSF-2.0 Python-2.0 Unicode-3.0 Unlicense Zlib""".split()  # noqa: SIM905 - reads better as a text
)
_EXCEPTIONS: Final = frozenset({"LLVM-exception", "GCC-exception-3.1"})
_OPERATORS: Final = frozenset({"AND", "OR", "WITH"})


def is_expression(text: str) -> bool:
    """Whether it is a compound SPDX expression (annex D of its specification)."""
    words = re.findall(r"[^\s()]+", text)
    return (
        len(words) > 1
        and len(words) % 2 == 1
        and all(word in _OPERATORS if place % 2 else word in SPDX | _EXCEPTIONS for place, word in enumerate(words))
    )


def cyclonedx(parts: Sequence[Component], name: str, version: str, digest: str, created: str) -> str:
    """Returns CycloneDX 1.6 as JSON, with a serial number derived from the image's digest."""
    image: dict[str, object] = {"type": "container", "bom-ref": digest, "name": name, "version": version}
    image |= {"hashes": [_sha256(digest.removeprefix("sha256:"))]}
    # Dependencies of the image, and of each component on the code compiled into it.
    inner: dict[str, list[str]] = {digest: []}
    for part in parts:
        for place in part.within or (digest,):
            inner.setdefault(place, []).append(part.purl)
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, digest)}",
        "version": 1,
        "metadata": {"timestamp": created, "component": image},
        "components": [_component(part) for part in parts],
        "dependencies": [{"ref": place, "dependsOn": purls} for place, purls in inner.items()],
    }
    return json.dumps(bill, indent=1) + "\n"


def licence_list(parts: Sequence[Component], digest: str) -> str:
    """Returns a table in Markdown. The texts are in the image."""
    rows = [f"| {part.name} | {part.version} | {', '.join(part.licences)} | {part.where} |" for part in parts]
    return (
        f"# Licences of {digest}\n\n"
        "The texts are in the image: `/usr/share/doc/*/copyright`, `/usr/share/common-licenses`, the `.dist-info` folders,\n"
        "and the first comment of each bundle.\n\n"
        "| Name | Version | Licence | Where |\n| --- | --- | --- | --- |\n" + "\n".join(rows) + "\n"
    )


def file_list(tree: Tree) -> str:
    """Returns a line for each path with mode, owner, size, and SHA-256 or target of a link."""
    return "".join(_line(path, entry) + "\n" for path, entry in with_parents(tree).items())


def _line(path: str, entry: Entry) -> str:
    match entry:
        case File(data, executable):
            mode = "0755" if executable else "0644"
            return f"{mode} 0 {len(data)} {hashlib.sha256(data).hexdigest()} /{path}"
        case Folder(mode, owner):
            return f"{mode:04o} {owner} - - /{path}/"
        case Link(target):
            return f"link 0 - - /{path} -> {target}"


def _component(part: Component) -> dict[str, object]:
    described: dict[str, object] = {
        "type": "library",
        "bom-ref": part.purl,
        "name": part.name,
        "version": part.version,
        "purl": part.purl,
        "licenses": _licences(part.licences),
        "properties": [{"name": "where", "value": part.where}],
    }
    return described | ({"hashes": [_sha256(part.sha256)]} if part.sha256 else {})


def _licences(names: Sequence[str]) -> list[dict[str, object]]:
    """Returns a `licenseChoice` (CycloneDX 1.6), one expression or several names."""
    if len(names) == 1 and is_expression(names[0]):
        return [{"expression": names[0]}]
    return [{"license": {"id" if name in SPDX else "name": name}} for name in names]


def _sha256(digest: str) -> dict[str, str]:
    return {"alg": "SHA-256", "content": digest}
