"""What is mounted into the node: the guest agent's socket, a volume of its own and an ingress's evidence, each at its place.

Another source at the socket's place would be another guest agent; over the image's own folders a volume would be other code
than its digest names, and would outlive the next image.
"""

import re
from collections.abc import Iterator
from typing import Final

from compose.measured import Measured
from svc_verifier.compose.containers import file_sources
from svc_verifier.compose.tree import Fields, Scalar, Service

_SOCKET: Final = re.compile(r"/var/run/dstack\.sock:/var/run/dstack\.sock(:ro)?")
_DATA: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*:/data")
_EVIDENCE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*:/evidences:ro")
"""Volumes by name: a folder of the machine could be reached by other paths too."""
_VOLUME_KEYS: Final = frozenset({"labels"})
_SOURCE_KEYS: Final = frozenset({"content", "environment", "file", "labels"})
"""Where a config or secret comes from; a file is objected to by itself."""


def mount_objections(service: Service) -> Iterator[str]:
    """An objection to each mount of the node that `render` would not write."""
    places: list[str] = []
    for entry in service.entries("volumes"):
        parts = entry.text.split(":") if isinstance(entry, Scalar) else []
        if len(parts) not in {2, 3}:
            yield "a volume is not mounted as SOURCE:TARGET"
            continue
        places.append(parts[1])
        if not any(form.fullmatch(":".join(parts)) for form in (_SOCKET, _DATA, _EVIDENCE)):
            yield f"mounts {':'.join(parts)}, which is not what it needs where it needs it"
    for place in sorted({place for place in places if places.count(place) > 1}):
        yield f"{place} is mounted twice"
    if "/data" not in places:
        yield "no volume is mounted at /data: what the node keeps is lost with the container"


def volume_objections(measured: Measured) -> Iterator[str]:
    """By `name` or `external`, two volumes of a file are one volume of the engine: the node's, to another container."""
    for volumes in measured.tree.all("volumes"):
        for name, volume in volumes.pairs if isinstance(volumes, Fields) else ():
            for key, _ in volume.pairs if isinstance(volume, Fields) else ():
                if key not in _VOLUME_KEYS and not key.startswith("x-"):
                    yield f"volume {name!r} has {key}: it may be the node's own by another name"


def file_objections(measured: Measured) -> Iterator[str]:
    """A config or secret from elsewhere than this file: what it holds is not measured, whoever it is for.

    That a variable of the host's fills one is said by `check_host`.
    """
    for name, path, _ in file_sources(measured.tree):
        yield f"{name} is the file {path} of the machine, which is not measured: inline a config by content"
    for kind in ("configs", "secrets"):
        for listed in measured.tree.all(kind):
            for name, source in listed.pairs if isinstance(listed, Fields) else ():
                for key, _ in source.pairs if isinstance(source, Fields) else ():
                    if key not in _SOURCE_KEYS and not key.startswith("x-"):
                        yield f"{kind} {name!r} has {key}: what it holds is not measured"
