"""Files of the dashboard and their manifest.

The manifest maps paths below `/dashboard/` to the SHA-256 of the served bytes. The attested
configuration has the hash of its RFC 8785 JSON, so that a client can check every file.
"""

import gzip
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import rfc8785

from node.errors import StartupRefusedError
from node.settings.credits import ProcessorSettings

_HERE: Final = Path(__file__).parent
PAGE: Final = "page"
BUNDLE: Final = "bundle"
VENDOR: Final = "vendor"
"""Folders beside this file. `make libraries` makes the bundle of npm packages; `make setup` and the
image's build copy the JavaScript client to the last."""
START: Final = "index.html"
PAYMENT: Final = "pay.html"
"""Page of a card payment, the only one that loads a script of another origin."""
FILE_MAX_BYTES: Final = 1024 * 1024
TYPES: Final[Mapping[str, str]] = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)+")
_ASSETS_MARK: Final = b"@assets@"
_SCRIPT_MARK: Final = b"@processor@"
_PROCESSOR_SCRIPT: Final = "https://js.stripe.com/v3/"


class AssetChangedError(Exception):
    """A file has changed since the node started."""


@dataclass(frozen=True, slots=True)
class Asset:
    """File of the dashboard. `marks` are replaced before it is served; `sha256` is of the result.

    `compressed` is the file as gzip (RFC 1952), made once.
    """

    source: Path
    sha256: str
    compressed: bytes = field(repr=False)
    marks: Mapping[bytes, bytes] = field(default_factory=dict)

    @property
    def content_type(self) -> str:
        """Returns the value of Content-Type."""
        return TYPES[self.source.suffix]

    def read(self) -> bytes:
        """Returns the bytes to serve. Raises AssetChangedError."""
        try:
            body = _read(self.source, self.marks)
        except OSError:
            body = b""
        # The statement has this hash, so a file that changed on disk must not reach a browser.
        if hashlib.sha256(body).hexdigest() != self.sha256:
            raise AssetChangedError(self.source.name)
        return body


class Dashboard:
    """Files of a dashboard by path below `/dashboard/`, and their manifest."""

    def __init__(self, files: Mapping[str, Asset], processor_script: str | None) -> None:
        self.files: Final = files
        self.processor_script: Final = processor_script
        self.manifest: Final = _manifest({path: asset.sha256 for path, asset in files.items()})

    @property
    def manifest_sha256(self) -> str:
        """Returns the SHA-256 of the manifest, in hex."""
        return hashlib.sha256(self.manifest).hexdigest()


def processor_script(settings: ProcessorSettings) -> str | None:
    """Returns the URL of the processor's script for browsers; None if no card can be charged."""
    if not settings.processor_secret_key.get_secret_value():
        return None
    # A processor without TLS is a stand-in with its own script. A production node refuses it.
    parts = urlsplit(settings.processor_url)
    return f"{parts.scheme}://{parts.netloc}/v3/" if parts.scheme == "http" else _PROCESSOR_SCRIPT


def load_dashboard(script: str | None, folders: Sequence[Path] | None = None) -> Dashboard:
    """Returns the dashboard of the folders, or of the node's; it needs `script` for payments.

    Raises StartupRefusedError when a folder is missing or holds a file that cannot be served.
    """
    sources = _sources(folders or (_HERE / PAGE, _HERE / BUNDLE, _HERE / VENDOR))
    pages = {name: path for name, path in sources.items() if path.suffix == ".html"}
    assets = {name: _asset(path, {}) for name, path in sources.items() if name not in pages}
    # The version names the content, so that a browser may cache these files without limit.
    version = hashlib.sha256(_manifest({name: asset.sha256 for name, asset in assets.items()})).hexdigest()[:16]
    files = {f"assets/{version}/{name}": asset for name, asset in assets.items()}
    marks = {_ASSETS_MARK: f"assets/{version}".encode()}
    files[START] = _asset(pages[START], marks)
    if script is not None:
        files[PAYMENT] = _asset(pages[PAYMENT], {**marks, _SCRIPT_MARK: script.encode()})
    return Dashboard(files, script)


def _sources(folders: Sequence[Path]) -> dict[str, Path]:
    """Returns the files by name. A browser sees them in one directory."""
    found: dict[str, Path] = {}
    for folder in folders:
        if not folder.is_dir():
            raise _refused(f"{folder} is missing: run `make setup`, or set dashboard to off.")
        for path in sorted(folder.iterdir()):
            if path.suffix not in TYPES or not path.is_file() or not _NAME.fullmatch(path.name):
                raise _refused(f"{path} cannot be served.")
            if path.name in found:
                raise _refused(f"{path} and {found[path.name]} have one name.")
            found[path.name] = path
    for name in (START, PAYMENT):
        if name not in found:
            raise _refused(f"{name} is missing.")
    return found


def _asset(source: Path, marks: Mapping[bytes, bytes]) -> Asset:
    try:
        body = _read(source, marks)
    except OSError as error:
        raise _refused(f"{source} cannot be read ({error.strerror}).") from None
    if len(body) > FILE_MAX_BYTES:
        raise _refused(f"{source} is longer than {FILE_MAX_BYTES} bytes.")
    return Asset(source, hashlib.sha256(body).hexdigest(), gzip.compress(body, mtime=0), marks)


def _read(source: Path, marks: Mapping[bytes, bytes]) -> bytes:
    with source.open("rb") as file:
        # One byte more than is allowed shows a file that has grown.
        body = file.read(FILE_MAX_BYTES + 1)
    for mark, value in marks.items():
        body = body.replace(mark, value)
    return body


def _manifest(hashes: Mapping[str, str]) -> bytes:
    return rfc8785.dumps(dict(hashes))


def _refused(message: str) -> StartupRefusedError:
    return StartupRefusedError("dashboard", message)
