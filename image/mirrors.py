"""Mirrors of Debian packages, from settings or else from the machine's apt configuration."""

import base64
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Final

from image.commands import ImageError, run
from image.lock import Archive, Deb
from image.selection import RELEASE

FETCH_TIMEOUT_S: Final = 60.0
DEB_MAX_BYTES: Final = 64 * 1024 * 1024
FETCH_PAUSES_S: Final = (1.0, 4.0, 10.0)
"""Pauses between attempts. A busy mirror recovers within seconds."""
_GONE: Final = frozenset({404, 410})
_PASSING: Final = frozenset({408, 429, 500, 502, 503, 504})
_SETTINGS: Final[Mapping[Archive, str]] = {"main": "IMAGE_MIRROR", "security": "IMAGE_SECURITY_MIRROR"}
_ARCHIVES: Final[Mapping[Archive, str]] = {"main": "Debian Debian", "security": "Debian Debian-Security"}
"""Origin and label in the Release files of Debian's two archives, which hold all its releases."""
_RELEASES: Final = (RELEASE, "bookworm")
"""Releases of building machines. Their sources are known by the suite before apt has indices."""


@dataclass(frozen=True, slots=True)
class Mirror:
    """A mirror. `url` has no slash at the end and no credentials."""

    url: str
    user: str = ""
    password: str = field(default="", repr=False)

    @property
    def host(self) -> str:
        """Host name, without credentials."""
        return urllib.parse.urlsplit(self.url).hostname or ""


@dataclass(frozen=True, slots=True)
class Mirrors:
    """Mirrors of the release with its updates, and of its security suite."""

    main: Mirror
    security: Mirror

    def of(self, archive: Archive) -> Mirror:
        """Returns the mirror of an archive."""
        return self.main if archive == "main" else self.security


def mirrors(settings: Mapping[str, str]) -> Mirrors:
    """Returns the mirrors of IMAGE_…MIRROR settings, else of apt. Raises ImageError without any."""
    return Mirrors(main=_mirror("main", settings), security=_mirror("security", settings))


def mirror_of(url: str, setting: str) -> Mirror:
    """Parse an http or https URL. Raises ImageError, which names the setting and not the URL."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ImageError(f"{setting} is no http or https URL.")
    plain = parts._replace(netloc=parts.netloc.rpartition("@")[2], path=parts.path.rstrip("/"))
    user, password = (urllib.parse.unquote(part or "") for part in (parts.username, parts.password))
    return Mirror(urllib.parse.urlunsplit(plain), user, password)


def fetch(deb: Deb, source: Mirrors, pause: Callable[[float], None] = time.sleep) -> bytes:
    """Fetch a package. Raises ImageError, which names the ways out if the version is gone.

    A passing failure is retried after each of FETCH_PAUSES_S, which `pause` waits for.
    """
    for pause_s in FETCH_PAUSES_S:
        try:
            return _fetched(deb, source.of(deb.archive))
        except _PassingError:
            pause(pause_s)
    return _fetched(deb, source.of(deb.archive))


class _PassingError(ImageError):
    """A failure that may pass before another attempt."""


def _tls() -> ssl.SSLContext:
    """Returns TLS by the system's roots that ignores SSLKEYLOGFILE, since a login passes by it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # Alike on every Python, also for a private authority without key identifiers.
    context.verify_flags = ssl.VerifyFlags.VERIFY_X509_TRUSTED_FIRST
    context.load_default_certs()
    return context


def _fetched(deb: Deb, mirror: Mirror) -> bytes:
    request = urllib.request.Request(f"{mirror.url}/{urllib.parse.quote(deb.path)}")  # noqa: S310 - http(s): mirror_of
    if mirror.user:
        login = base64.b64encode(f"{mirror.user}:{mirror.password}".encode()).decode()
        # Unredirected, so that a mirror that redirects does not pass our login on.
        request.add_unredirected_header("Authorization", f"Basic {login}")
    try:
        with urllib.request.urlopen(request, timeout=FETCH_TIMEOUT_S, context=_tls()) as answer:  # noqa: S310 - as above
            # Bounded: over plain HTTP a network attacker may send anything. The hash in the lock
            # detects it, also when it is cut off here.
            content = answer.read(DEB_MAX_BYTES + 1)
    # First, since an HTTPError is an OSError, which the next branch would retry, even a 404.
    except urllib.error.HTTPError as error:
        error.close()
        if error.code in _GONE:
            raise ImageError(
                f"{mirror.host} has no {deb.name} {deb.version} any more: mirrors keep the newest versions only. Either\n"
                "  make image-refresh            writes the newest versions to image/lock.json (another image, another digest)\n"
                "  make image ARCHIVE=file       builds this very image from a kept archive (make image-archive)\n"
                f"  make image {_SETTINGS[deb.archive]}=…   takes it from a mirror that keeps old versions"
            ) from None
        kind = _PassingError if error.code in _PASSING else ImageError
        raise kind(f"{mirror.host} answered {error.code} for {deb.name} {deb.version}.") from None
    except (OSError, HTTPException) as error:
        raise _PassingError(
            f"{deb.name} {deb.version} could not be fetched from {mirror.host} ({error}). "
            f"Name another mirror with {_SETTINGS[deb.archive]}, or build from an archive: make image ARCHIVE=…"
        ) from None
    return bytes(content)


def _mirror(archive: Archive, settings: Mapping[str, str]) -> Mirror:
    named = settings.get(_SETTINGS[archive], "")
    return mirror_of(named or _apt_mirror(archive), _SETTINGS[archive])


def _apt_mirror(archive: Archive) -> str:
    hint = f"Name the mirror of Debian's {archive} archive: {_SETTINGS[archive]}=http://…"
    suffix = "-security" if archive == "security" else ""
    suites = tuple(f"{release}{suffix} main" for release in _RELEASES)
    # First by origin and label, since archives of others have suites of the same names. They are
    # in fetched indices; without any, the suite and component in the sources must do.
    for options, told, wanted in (
        ((), "$(ORIGIN) $(LABEL)", (_ARCHIVES[archive],)),
        (("--no-release-info",), "$(RELEASE) $(COMPONENT)", suites),
    ):
        command = ("apt-get", "indextargets", *options, "--format", f"$(REPO_URI) {told}", "Created-By: Packages")
        try:
            listed = run(command).decode()
        except ImageError as error:
            raise ImageError(f"This machine's apt could not be asked. {hint}") from error
        for url, _, found in (line.partition(" ") for line in listed.splitlines()):
            if found in wanted:
                return url
    raise ImageError(
        f"This machine's apt has no source of Debian's {archive} archive, or its sources name no suite of "
        f"{' or '.join(_RELEASES)} and were never fetched: then run apt-get update. {hint}"
    )
