"""Files of the dashboard and their manifest.

The manifest maps paths below `/dashboard/` to the SHA-256 of the served bytes. The attested
configuration has the hash of its RFC 8785 JSON, so that a client can check every file. The node
reads the files once, when it starts.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from node.api.assets import manifest_of, versioned
from node.api.calls import Document
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


class Dashboard:
    """Files of a dashboard by path below `/dashboard/`, and their manifest."""

    def __init__(self, files: Mapping[str, Document], processor_script: str | None) -> None:
        self.files: Final = files
        self.processor_script: Final = processor_script
        self.manifest: Final = manifest_of(files)

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
    folder, assets = versioned({name: _document(path, {}) for name, path in sources.items() if name not in pages})
    files = dict(assets)
    marks = {_ASSETS_MARK: folder.encode()}
    files[START] = _document(pages[START], marks)
    if script is not None:
        files[PAYMENT] = _document(pages[PAYMENT], {**marks, _SCRIPT_MARK: script.encode()})
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


def _document(source: Path, marks: Mapping[bytes, bytes]) -> Document:
    """Returns a file with `marks` replaced, as it is served."""
    try:
        with source.open("rb") as file:
            # One byte more than is allowed shows a file that is too long.
            body = file.read(FILE_MAX_BYTES + 1)
    except OSError as error:
        raise _refused(f"{source} cannot be read ({error.strerror}).") from None
    if len(body) > FILE_MAX_BYTES:
        raise _refused(f"{source} is longer than {FILE_MAX_BYTES} bytes.")
    for mark, value in marks.items():
        body = body.replace(mark, value)
    return Document.fixed(body, TYPES[source.suffix])


def _refused(message: str) -> StartupRefusedError:
    return StartupRefusedError("dashboard", message)
