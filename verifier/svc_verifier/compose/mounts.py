"""What of the machine a container reaches by mounts: an allow-list, since a path that nobody thought of may lead out.

Allowed are named volumes, anonymous volumes and the guest agent's sockets. Paths of the system and the container engine
are never allowed. Any other path is the user's to accept, by name.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from svc_verifier.compose.services import Service
from svc_verifier.compose.tree import Fields, Items, Node, Scalar

KEY_SOCKETS: Final = ("/run/dstack.sock", "/run/tappd.sock", "/run/dstack")
"""Of the guest agent, under `/run` or `/var/run`. Whoever mounts one holds every key of the app."""

_SYSTEM: Final = tuple(
    PurePosixPath("/", name)
    for name in "bin boot dev dstack etc home host-shared lib lib32 lib64 proc root run sbin sys tapp usr var".split()  # noqa: SIM905
)
"""Programs, devices and sockets of the machine. `/var` holds the engine's data, and in `/var/volatile` the upper layers of
`/usr`, `/bin` and `/etc`; `/dstack` (`/tapp` before) holds the compose file and what the host
shares; `/home` and `/root` what a login runs."""

_VOLUME_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_WITHOUT_A_SOURCE: Final = frozenset({"tmpfs", "image"})
"""Types of a mount that reach nothing of the machine; `images.py` judges the image."""


@dataclass(frozen=True, slots=True)
class Mount:
    """Path of the machine that something mounts. `forbidden`: no user may accept it."""

    by: str
    source: str
    line: int
    forbidden: bool


def mounts_to_judge(services: tuple[Service, ...], compose: Fields) -> Iterator[Mount]:
    """Every mount that is not allowed by itself."""
    for by, source, line in _sources(services, compose):
        if not _is_named_volume(source) and not reaches_keys(source):
            yield Mount(by, source, line, _is_forbidden(source))


def key_holders(services: tuple[Service, ...], compose: Fields) -> tuple[str, ...]:
    """The services that reach the guest agent, and so every key of the app; or the config or secret that leads there."""
    holders = {each.name for each in services for source, _ in mount_sources(each) if _may_reach(source, KEY_SOCKETS)}
    holders |= {name for name, source, _ in file_sources(compose) if _may_reach(source, KEY_SOCKETS)}
    return tuple(sorted(holders))


def file_sources(compose: Fields) -> Iterator[tuple[str, str, int]]:
    """Name, path and line of each config and secret that is a file: docker compose binds it like any mount.

    A path that is not absolute lies in the folder of the compose file, as one that starts with a dot.
    """
    for kind in ("configs", "secrets"):
        for listed in compose.all(kind):
            for name, entry in listed.pairs if isinstance(listed, Fields) else ():
                for text, line in _texts(entry.all("file")) if isinstance(entry, Fields) else ():
                    yield f"{kind} {name!r}", _as_path(text), line


def mount_sources(service: Service) -> Iterator[tuple[str, int]]:
    """Source and line of everything of the machine that is mounted into a service: a path, or a volume's name."""
    for volume in service.entries("volumes"):
        if isinstance(volume, Scalar):
            source, separator, _ = volume.text.partition(":")
            if separator or "$" in source:  # a target alone is an anonymous volume; a variable may hold both
                yield source, volume.line
        elif isinstance(volume, Fields):
            kinds = {kind.text if isinstance(kind, Scalar) else "" for kind in volume.all("type")}
            if kinds and kinds <= _WITHOUT_A_SOURCE:
                continue
            for text, line in _texts(volume.all("source")):
                yield text if kinds == {"volume"} else _as_path(text), line


def reaches_keys(source: str) -> bool:
    """Whether a source is the guest agent's socket, and nothing more."""
    path = _path(source)
    return path is not None and any(path.is_relative_to(place) for place in KEY_SOCKETS)


def _sources(services: tuple[Service, ...], compose: Fields) -> Iterator[tuple[str, str, int]]:
    for service in services:
        for source, line in mount_sources(service):
            yield f"service {service.name!r}", source, line
    yield from file_sources(compose)


def _is_named_volume(source: str) -> bool:
    return _VOLUME_NAME.fullmatch(source) is not None


def _is_forbidden(source: str) -> bool:
    """A path that holds a system path, lies in one, or cannot be read as one path of the machine."""
    path = _path(source)
    return path is None or any(path.is_relative_to(place) or place.is_relative_to(path) for place in _SYSTEM)


def _may_reach(source: str, places: tuple[str, ...]) -> bool:
    """Whether a source is one of the places, lies in one, or holds one. What is no plain path may be any."""
    if _is_named_volume(source):
        return False
    path = _path(source)
    near = (PurePosixPath(place) for place in places)
    return path is None or any(path.is_relative_to(place) or place.is_relative_to(path) for place in near)


def _path(source: str) -> PurePosixPath | None:
    """The absolute path, `/var/run` as `/run`, which it links to; None for anything that another reader may resolve."""
    if "$" in source or not source.startswith("/"):
        return None
    path = PurePosixPath("/" + source.lstrip("/"))  # Python keeps two slashes apart, Linux does not
    if ".." in path.parts:
        return None
    return PurePosixPath("/", *path.parts[2:]) if path.parts[1:3] == ("var", "run") else path


def _as_path(text: str) -> str:
    return text if text.startswith(("/", ".", "~")) else f"./{text}"


def _texts(values: tuple[Node, ...]) -> Iterator[tuple[str, int]]:
    for value in values:
        if isinstance(value, Scalar):
            yield value.text, value.line
        elif isinstance(value, Items):
            yield from _texts(value.items)
