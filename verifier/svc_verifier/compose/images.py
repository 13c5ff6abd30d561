"""Every image of a compose file, and whether its digest pins it (spec.md, "Rules that hold across them" 2)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from svc_verifier.compose.findings import Finding, Subject, at
from svc_verifier.compose.services import Service
from svc_verifier.compose.tree import Fields, Node, Scalar

_PINNED: Final = re.compile(r"[a-z0-9][A-Za-z0-9._:/-]*@sha256:([0-9a-f]{64})")
"""Name, perhaps with registry and tag, and a whole digest; nothing that is replaced, quoted or cut short."""

_MUTABLE_PULLS: Final = frozenset({"build"})


@dataclass(frozen=True, slots=True)
class PinnedImage:
    """One image; `digest` is its 32-byte sha256."""

    service: str
    reference: str
    digest: bytes


def pinned_images(services: tuple[Service, ...]) -> tuple[PinnedImage, ...]:
    """Those that are pinned."""
    found = []
    for service in services:
        for image in _references(service):
            match = _PINNED.fullmatch(image.text) if isinstance(image, Scalar) else None
            if isinstance(image, Scalar) and match:
                found.append(PinnedImage(service.name, image.text, bytes.fromhex(match[1])))
    return tuple(found)


def image_findings(services: tuple[Service, ...]) -> Iterator[Finding]:
    """An objection to each image that is missing, not a text, or not pinned by a sha256 digest."""
    for service in services:
        if not service.fields.all("image"):
            yield Finding(Subject.IMAGES, at(service.fields.line, f"service {service.name!r} names no image"))
        for image in _references(service):
            if not isinstance(image, Scalar) or not image.is_text:
                yield Finding(Subject.IMAGES, at(image.line, f"service {service.name!r}: image is no text"))
            elif not _PINNED.fullmatch(image.text):
                what = f"service {service.name!r}: image {image.text!r} is not pinned by @sha256: and 64 hex digits"
                yield Finding(Subject.IMAGES, at(image.line, what))
        for policy in service.fields.all("pull_policy"):
            if not isinstance(policy, Scalar) or policy.text in _MUTABLE_PULLS:
                yield Finding(
                    Subject.IMAGES, at(policy.line, f"service {service.name!r}: pull_policy builds the image")
                )


def _references(service: Service) -> Iterator[Node]:
    """The service's image, and images mounted as volumes."""
    yield from service.fields.all("image")
    for volume in service.entries("volumes"):
        if isinstance(volume, Fields) and any(
            isinstance(kind, Scalar) and kind.text == "image" for kind in volume.all("type")
        ):
            yield from volume.all("source") or (volume,)
