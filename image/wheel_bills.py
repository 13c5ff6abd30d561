"""What is compiled into wheels, as far as they bring a bill of materials of their own (PEP 770, CycloneDX)."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from image.errors import ImageError
from image.tree import File, Tree

_BILL: Final = re.compile(r"(?:.*/)?[^/]+\.dist-info/sboms/[^/]+\.json")
Stated = tuple[str, str, str, tuple[str, ...], str | None]
"""Name, version, package URL, licences, SHA-256 of what it was built from."""


def compiled_into(wheel: Tree) -> Iterator[Stated]:
    """Each component the wheel's bills name, in their order. Raises ImageError for a bill that cannot be read."""
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
