"""Where Debian packages come from: settings, else what the building machine's own apt is configured with."""

import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPException
from typing import Final

from image.commands import run
from image.errors import ImageError
from image.lock import Archive, Deb
from image.selection import SUITES

FETCH_TIMEOUT_S: Final = 60.0
DEB_MAX_BYTES: Final = 64 * 1024 * 1024
_GONE: Final = frozenset({404, 410})
_SETTINGS: Final[Mapping[Archive, str]] = {"main": "IMAGE_MIRROR", "security": "IMAGE_SECURITY_MIRROR"}


@dataclass(frozen=True, slots=True)
class Mirrors:
    """Base URLs, without a slash at the end."""

    main: str
    security: str

    def base(self, archive: Archive) -> str:
        """Of one of the two archives."""
        return self.main if archive == "main" else self.security


def mirrors(settings: Mapping[str, str]) -> Mirrors:
    """From IMAGE_MIRROR and IMAGE_SECURITY_MIRROR, else from apt. Raises ImageError when neither says."""
    return Mirrors(main=_mirror("main", settings), security=_mirror("security", settings))


def fetch(deb: Deb, source: Mirrors) -> bytes:
    """The package. Raises ImageError; when the mirror has dropped this version, it says how to take the newest."""
    url = f"{source.base(deb.archive)}/{urllib.parse.quote(deb.path)}"
    if urllib.parse.urlsplit(url).scheme not in {"http", "https"}:
        raise ImageError(f"{_SETTINGS[deb.archive]} is no http or https URL.")
    try:
        with urllib.request.urlopen(url, timeout=FETCH_TIMEOUT_S) as answer:  # noqa: S310 - the scheme is checked above
            content = answer.read(DEB_MAX_BYTES + 1)
    except urllib.error.HTTPError as error:
        if error.code in _GONE:
            raise _dropped(deb, url) from error
        raise ImageError(f"{_host(url)} answered {error.code} for {deb.name} {deb.version}.") from error
    except (OSError, HTTPException) as error:
        raise ImageError(
            f"{deb.name} {deb.version} could not be fetched from {_host(url)} ({error}). "
            f"Name another mirror with {_SETTINGS[deb.archive]}, or build from an archive: make image ARCHIVE=…"
        ) from error
    return bytes(content)


def _mirror(archive: Archive, settings: Mapping[str, str]) -> str:
    named = settings.get(_SETTINGS[archive], "")
    return (named or _apt_mirror(archive)).rstrip("/")


def _apt_mirror(archive: Archive) -> str:
    hint = f"Name the mirror of Debian's {archive} archive: {_SETTINGS[archive]}=http://…"
    try:
        listed = run(("apt-get", "indextargets", "--format", "$(CODENAME) $(REPO_URI)", "Created-By: Packages"))
    except ImageError as error:
        raise ImageError(f"This machine's apt could not be asked. {hint}") from error
    for line in listed.decode().splitlines():
        suite, _, url = line.partition(" ")
        if suite in SUITES[archive]:
            return url
    raise ImageError(f"This machine's apt has no source of {SUITES[archive][0]}. {hint}")


def _dropped(deb: Deb, url: str) -> ImageError:
    return ImageError(
        f"{_host(url)} has no {deb.name} {deb.version} any more: mirrors keep the newest versions only. Either\n"
        "  make image-refresh            writes the newest versions to image/lock.json (another image, another digest)\n"
        "  make image ARCHIVE=file       builds this very image from a kept archive (make image-archive)\n"
        f"  make image {_SETTINGS[deb.archive]}=…   takes it from a mirror that keeps old versions"
    )


def _host(url: str) -> str:
    """The mirror's host: its URL may hold credentials."""
    return urllib.parse.urlsplit(url).hostname or "the mirror"
