"""Swagger UI from local files alone, under a policy that lets it talk to nobody but this node."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Final

from aiohttp import web
from multidict import CIMultiDict

from node.http.answers import COMMON_HEADERS
from node.http.pipeline import API_PREFIX

PAGE_PATH: Final = f"{API_PREFIX}/swagger-ui"
_OURS: Final = Path(__file__).parent / "swagger_page"
_FROM_NPM: Final = Path(__file__).parent / "swagger_ui"
"""Copied there from swagger-ui-dist by `make setup`."""

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_TYPES: Final[Mapping[str, str]] = {
    "swagger-ui.css": "text/css; charset=utf-8",
    "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
    "favicon-32x32.png": "image/png",
    "start.js": "text/javascript; charset=utf-8",
    "page.css": "text/css; charset=utf-8",
}
_MISSING_PAGE: Final = (
    b"<!doctype html><title>API</title><p>The page's files are missing: run <code>make setup</code>.\n"
)


def add_swagger_ui(application: web.Application, assets: Path = _FROM_NPM) -> None:
    """Serve the page, its files (read once, now), and a redirect to it at `/`."""
    files = _read_files(assets)
    page = (_OURS / "index.html").read_bytes() if files.keys() == _TYPES.keys() else _MISSING_PAGE

    async def show(_: web.Request) -> web.Response:
        return _response(page, "text/html; charset=utf-8")

    async def redirect(_: web.Request) -> web.Response:
        return web.Response(status=302, headers=CIMultiDict({**COMMON_HEADERS, "Location": PAGE_PATH}))

    application.router.add_get("/", redirect)
    application.router.add_get(PAGE_PATH, show)
    application.router.add_get(f"{PAGE_PATH}/", show)
    for name, content in files.items():
        application.router.add_get(f"{PAGE_PATH}/{name}", _file_handler(name, content))


def _read_files(assets: Path) -> dict[str, bytes]:
    candidates = {name: (_OURS if (_OURS / name).exists() else assets) / name for name in _TYPES}
    return {name: path.read_bytes() for name, path in candidates.items() if path.is_file()}


def _file_handler(name: str, content: bytes) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def show(_: web.Request) -> web.Response:
        return _response(content, _TYPES[name])

    return show


def _response(body: bytes, content_type: str) -> web.Response:
    headers = CIMultiDict(COMMON_HEADERS)
    headers["Content-Type"] = content_type
    headers["Content-Security-Policy"] = _POLICY
    headers["X-Frame-Options"] = "DENY"
    headers["Cache-Control"] = "no-cache"
    return web.Response(body=body, headers=headers)
