"""What is said of an image beside it: a bill of materials (CycloneDX 1.6), the licences, the list of its files."""

import hashlib
import json
import uuid
from collections.abc import Sequence

from image.components import Component
from image.spdx import SPDX, is_expression
from image.tree import Entry, File, Folder, Link, Tree, with_parents


def cyclonedx(parts: Sequence[Component], name: str, version: str, digest: str, created: str) -> str:
    """CycloneDX 1.6 as JSON. Its serial number follows from the image's digest; `created` is RFC 3339."""
    image: dict[str, object] = {"type": "container", "bom-ref": digest, "name": name, "version": version}
    image |= {"hashes": [_sha256(digest.removeprefix("sha256:"))]}
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, digest)}",
        "version": 1,
        "metadata": {"timestamp": created, "component": image},
        "components": [_component(part) for part in parts],
        "dependencies": _dependencies(parts, digest),
    }
    return json.dumps(bill, indent=1) + "\n"


def licence_list(parts: Sequence[Component], digest: str) -> str:
    """A table in Markdown. The texts are in the image."""
    rows = [f"| {part.name} | {part.version} | {', '.join(part.licences)} | {part.where} |" for part in parts]
    return (
        f"# Licences of {digest}\n\n"
        "The texts are in the image: `/usr/share/doc/*/copyright`, `/usr/share/common-licenses`, the `.dist-info` folders,\n"
        "and the first comment of each bundle.\n\n"
        "| Name | Version | Licence | Where |\n| --- | --- | --- | --- |\n" + "\n".join(rows) + "\n"
    )


def file_list(tree: Tree) -> str:
    """One line for each path: mode, owner, size, SHA-256 or what it links to."""
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


def _dependencies(parts: Sequence[Component], digest: str) -> list[dict[str, object]]:
    """The image of what stands by itself, and that of what is compiled into it."""
    inner: dict[str, list[str]] = {digest: []}
    for part in parts:
        for place in part.within or (digest,):
            inner.setdefault(place, []).append(part.purl)
    return [{"ref": place, "dependsOn": purls} for place, purls in inner.items()]


def _licences(names: Sequence[str]) -> list[dict[str, object]]:
    """An expression stands alone (CycloneDX 1.6, `licenseChoice`); a name of SPDX's list is an id, others are names."""
    if len(names) == 1 and is_expression(names[0]):
        return [{"expression": names[0]}]
    return [{"license": {"id" if name in SPDX else "name": name}} for name in names]


def _sha256(digest: str) -> dict[str, str]:
    return {"alg": "SHA-256", "content": digest}
