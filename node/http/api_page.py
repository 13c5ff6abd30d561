"""The OpenAPI document and the API page, which shows it with Swagger UI from files of the node."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from aiohttp import web
from multidict import CIMultiDict

from node.api.assets import versioned
from node.api.calls import Document
from node.http.answers import COMMON_HEADERS
from node.http.documents import KEPT, PAGE_HEADERS, PAGE_POLICY, REVALIDATED, document_answer, serving
from node.http.pipeline import API_PREFIX

DOCUMENT_PATH: Final = f"{API_PREFIX}/openapi.json"
PAGE_PATH: Final = f"{API_PREFIX}/swagger-ui"
_OURS: Final = Path(__file__).parent / "swagger_page"
_FROM_NPM: Final = Path(__file__).parent / "swagger_ui"
"""Folder of the files that `make setup` copies from swagger-ui-dist."""

_HTML: Final = "text/html; charset=utf-8"
_TYPES: Final[Mapping[str, str]] = {
    "swagger-ui.css": "text/css; charset=utf-8",
    "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
    "favicon-32x32.png": "image/png",
    "start.js": "text/javascript; charset=utf-8",
    "page.css": "text/css; charset=utf-8",
}
# Swagger UI assigns markup as text, which trusted types would stop.
_HEADERS: Final[Mapping[str, str]] = {**PAGE_HEADERS, "Content-Security-Policy": PAGE_POLICY}
_ASSETS_MARK: Final = b"@assets@"
_MISSING_PAGE: Final = (
    b"<!doctype html><title>API</title><p>The page's files are missing: run <code>make setup</code>.\n"
)


def add_api_page(application: web.Application, document: bytes, assets: Path = _FROM_NPM) -> None:
    """Serves the OpenAPI `document`, its page and files (read once, now), and a redirect at `/`."""
    described = Document.fixed(document, "application/json; charset=utf-8")

    async def describe(request: web.Request) -> web.Response:
        return document_answer(described, request, 200, {}).response()

    async def redirect(_: web.Request) -> web.Response:
        return web.Response(status=302, headers=CIMultiDict({**COMMON_HEADERS, "Location": PAGE_PATH}))

    add = application.router.add_get
    add(DOCUMENT_PATH, describe)
    add("/", redirect)
    page, files = _page(assets)
    for path in (PAGE_PATH, f"{PAGE_PATH}/"):
        add(path, serving(page, {**_HEADERS, **REVALIDATED}))
    # By exact path, so that no path of a request reaches the file system.
    for path, file in files.items():
        add(f"{PAGE_PATH}/{path}", serving(file, {**_HEADERS, **KEPT}))


def _page(assets: Path) -> tuple[Document, Mapping[str, Document]]:
    """Returns the page and its files; without those of npm, a page that says how to get them."""
    paths = {name: (_OURS if (_OURS / name).exists() else assets) / name for name in _TYPES}
    if not all(path.is_file() for path in paths.values()):
        return Document.fixed(_MISSING_PAGE, _HTML), {}
    folder, files = versioned({name: Document.fixed(path.read_bytes(), _TYPES[name]) for name, path in paths.items()})
    page = (_OURS / "index.html").read_bytes().replace(_ASSETS_MARK, f"{PAGE_PATH}/{folder}".encode())
    return Document.fixed(page, _HTML), files
