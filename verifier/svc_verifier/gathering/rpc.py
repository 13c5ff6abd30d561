"""JSON-RPC over aiohttp: one endpoint's answers, all at one block, with a ceiling on everything it sends.

A URL may hold credentials: it never appears in a message, only its host does.
"""

import itertools
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

import aiohttp

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.strict_json import Json, parse_json_object
from svc_verifier.gathering.limits import GatheringLimits
from svc_verifier.rpc_url import rpc_host

NESTING: Final = 16


class RpcRefusedError(Exception):
    """The endpoint answered with an error of its own; `reverted` when a contract said so."""

    def __init__(self, message: str, *, reverted: bool) -> None:
        super().__init__(message)
        self.reverted = reverted


class RpcEndpoint:
    """JSON-RPC endpoint. `name` is its host and port. A proxy is used for https alone: it would read and change http."""

    def __init__(
        self, session: aiohttp.ClientSession, url: str, limits: GatheringLimits, proxy_url: str | None = None
    ) -> None:
        self.name = rpc_host(url)
        self._session = session
        self._url = url
        self._limits = limits
        self._proxy_url = proxy_url if urlsplit(url).scheme == "https" else None
        self._ids = itertools.count(1)
        self._bytes_left = limits.rpc_total_bytes

    async def call(self, method: str, parameters: Sequence[Json]) -> Json:
        """The result. Raises VerifierError(UNREACHABLE) when there is no answer, RpcRefusedError for one that is an error."""
        number = next(self._ids)
        request: dict[str, Json] = {"jsonrpc": "2.0", "id": number, "method": method, "params": list(parameters)}
        answer = parse_json_object(await self._post(request), f"{self.name}: {method}", self._limits.rpc_bytes, NESTING)
        if answer.get("id") != number:
            raise self._unreachable("answers another request")
        error = answer.get("error")
        if error is not None:
            raise RpcRefusedError(f"{self.name}: {method} was refused", reverted=_is_revert(error))
        if "result" not in answer:
            raise self._unreachable("answers without a result")
        return answer["result"]

    async def _post(self, request: dict[str, Json]) -> bytes:
        timeout = aiohttp.ClientTimeout(total=self._limits.rpc_timeout_s)
        limit = min(self._limits.rpc_bytes, self._bytes_left)
        try:
            async with self._session.post(
                self._url, json=request, timeout=timeout, proxy=self._proxy_url, allow_redirects=False
            ) as response:
                body = await read_bounded(response, limit)
        except Exception as error:  # noqa: BLE001 - whatever a stranger's bytes make a library raise
            raise self._unreachable(f"cannot be reached ({type(error).__name__})") from None
        self._bytes_left -= limit if body is None else len(body)
        if body is None:
            raise self._unreachable(f"answers with more than {limit} bytes")
        if response.status != 200 and not body.lstrip().startswith(b"{"):
            raise self._unreachable(f"answers HTTP {response.status}")
        return body

    def _unreachable(self, what: str) -> VerifierError:
        return VerifierError(VerifierErrorCode.UNREACHABLE, f"{self.name}: {what}")


async def read_bounded(response: aiohttp.ClientResponse, limit_bytes: int) -> bytes | None:
    """The body; None when it is longer."""
    body = bytearray()
    async for block in response.content.iter_chunked(65_536):
        body += block
        if len(body) > limit_bytes:
            return None
    return bytes(body)


def _is_revert(error: Json) -> bool:
    """JSON-RPC has no code of its own for it: 3 is what most nodes use, the others say so in words."""
    if not isinstance(error, dict):
        return False
    return error.get("code") == 3 or "revert" in str(error.get("message", "")).lower()
