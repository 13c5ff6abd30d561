"""`make image-refresh` locks the newest Debian packages and the wheels of the requirements."""

import dataclasses
import hashlib
import re
import tempfile
import urllib.parse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from image import npm, wheel
from image.commands import ImageError, run
from image.lock import Archive, Deb, Lock, Package
from image.mirrors import Mirrors
from image.selection import ARCHITECTURE, BUILD_DEBS, DEBS, NPM, SUITES

REQUIREMENTS: Final = Path("requirements", "node.txt")
BUILD_REQUIREMENTS: Final = Path("requirements", "build.txt")
_KEYRING: Final = "/usr/share/keyrings/debian-archive-keyring.gpg"
_PRINTED: Final = re.compile(r"^'([^']+)' (\S+)_(\S+)_[a-z0-9]+\.deb [0-9]+ SHA256:([0-9a-f]{64})$")


def refreshed(source: Path, mirrors: Mirrors, before: Lock | None, now: int) -> Lock:
    """Returns the newest lock, or `before` when nothing changed. `now` is in unix seconds."""
    debs = newest(mirrors, (*DEBS, *BUILD_DEBS))
    lock = Lock(
        refreshed=now,
        debs=tuple(debs[name] for name in DEBS),
        build_debs=tuple(debs[name] for name in BUILD_DEBS),
        wheels=_wheels(source / REQUIREMENTS),
        build_wheels=_wheels(source / BUILD_REQUIREMENTS),
        npm=tuple(_npm(source, folder) for folder in NPM),
    )
    if before is not None and dataclasses.replace(before, refreshed=now) == lock:
        # Files of the lower layers carry the lock's time. A new one would change all digests.
        return before
    return lock


def newest(mirrors: Mirrors, names: Sequence[str]) -> dict[str, Deb]:
    """Fetch the signed indices and return the newest version of each package."""
    with tempfile.TemporaryDirectory() as folder:
        options = _private_apt(Path(folder), mirrors)
        run(("apt-get", *options, "--quiet", "update"))
        printed = run(("apt-get", *options, "download", "--print-uris", *names))
    found = {deb.name: deb for deb in (_deb(line, mirrors) for line in printed.decode().splitlines())}
    if missing := [name for name in names if name not in found]:
        raise ImageError(f"apt offers no {', '.join(missing)}.")
    return found


def changes(before: Lock | None, after: Lock) -> list[str]:
    """Returns a line for each difference."""
    old, new = _versions(before), _versions(after)
    changed = sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
    return [f"{name}: {old.get(name, 'not there')} → {new.get(name, 'not there')}" for name in changed]


def _versions(lock: Lock | None) -> Mapping[str, str]:
    parts = () if lock is None else lock.parts
    return {part.name: f"{part.version} ({part.sha256[:12]})" for part in parts}


def _private_apt(folder: Path, mirrors: Mirrors) -> tuple[str, ...]:
    """Returns options for an apt with the two mirrors and Debian's keys alone."""
    for part in ("state/lists/partial", "cache/archives/partial", "etc/preferences.d"):
        (folder / part).mkdir(parents=True)
    # Empty, since this machine's packages must not decide which version is offered.
    (folder / "status").touch()
    lines = [
        f"deb [arch={ARCHITECTURE} signed-by={_KEYRING}] {mirror.url} {suite} main\n"
        for mirror, suites in ((mirrors.main, SUITES["main"]), (mirrors.security, SUITES["security"]))
        for suite in suites
    ]
    (folder / "sources.list").write_text("".join(lines))
    logins = [
        f"machine {mirror.url} login {mirror.user} password {mirror.password}\n"
        for mirror in (mirrors.main, mirrors.security)
        if mirror.user
    ]
    (folder / "auth.conf").write_text("".join(logins))
    settings = {
        "Dir::Etc::netrc": folder / "auth.conf",
        "Dir::Etc::netrcparts": "-",
        "Dir::State": folder / "state",
        "Dir::State::status": folder / "status",
        "Dir::Cache": folder / "cache",
        "Dir::Etc::sourcelist": folder / "sources.list",
        "Dir::Etc::sourceparts": "-",
        "Dir::Etc::preferencesparts": folder / "etc/preferences.d",
        "Dir::Etc::preferences": "-",
        "APT::Architecture": ARCHITECTURE,
        # apt would fetch as _apt, a user that cannot write to this folder.
        "APT::Sandbox::User": "",
        # By default a mirror that is down is a warning, and an old index would pass as the newest.
        "APT::Update::Error-Mode": "any",
        "Acquire::Languages": "none",
    }
    return tuple(part for name, value in settings.items() for part in ("-o", f"{name}={value}"))


def _deb(line: str, mirrors: Mirrors) -> Deb:
    printed = _PRINTED.match(line)
    if printed is None:
        raise ImageError(f"apt said something else than expected of a package: {line}")
    url, name, version, sha256 = printed.groups()
    archive: Archive = "security" if url.startswith(f"{mirrors.security.url}/") else "main"
    path = urllib.parse.unquote(url.removeprefix(f"{mirrors.of(archive).url}/"))
    return Deb(name=name, version=urllib.parse.unquote(version), archive=archive, path=path, sha256=sha256)


def _wheels(requirements: Path) -> tuple[Package, ...]:
    text = requirements.read_text()
    by_hash = {sha256: key for key, hashes in wheel.locked(text).items() for sha256 in hashes}
    found = []
    for file, data in wheel.download(text).items():
        sha256 = hashlib.sha256(data).hexdigest()
        name, version = by_hash[sha256]
        found.append(Package(name=name, version=version, file=file, sha256=sha256))
    wheel.require_agreement(found, text, str(requirements))
    return tuple(sorted(found, key=lambda wheel: wheel.name))


def _npm(source: Path, folder: str) -> Package:
    name, version, _ = npm.locked(source)[folder]
    file, tarball = npm.fetch(name, version)
    package = Package(name=name, version=version, file=file, sha256=hashlib.sha256(tarball).hexdigest())
    npm.require_integrity(source, folder, package, tarball)
    return package
