"""Requests to one node over proven connections, with deadlines and retries.

The promise of the client is kept by `svc_verifier.session`: no byte of a request leaves before the peer of that very
connection is proven. This module adds what an API client needs on top: errors by code, retries that never do a thing twice,
and reading one's own writes behind a balancer.
"""

import asyncio
import json
import random
import threading
import time
import uuid
import warnings
from collections.abc import Coroutine, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import Final, TypeVar

from pydantic import JsonValue

from svc_client.errors import BY_STATUS, ApiError, NodeNotAccepted, SvcError, Unanswered, Unreachable
from svc_verifier.addresses import HostAddress
from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.gathering.sources import development_sources, sources
from svc_verifier.report import Report
from svc_verifier.session import AttestedSession, NotAcceptedError, Response, attested_session
from svc_verifier.trust import Trust
from svc_verifier.trust_options import ContradictionError, TrustOptions, trust_for

Result = TypeVar("Result")

BASE: Final = "/core/v1"
TIMEOUT_S: Final = 120.0
"""For one call with its retries, unless the caller says otherwise."""

_FIRST_PAUSE_S: Final = 0.25
_LONGEST_PAUSE_S: Final = 8.0
_RETRY_LATER: Final = frozenset({429, 503, 504})
_ADDRESS_BYTES: Final = 20


class InsecureDevelopmentRootWarning(UserWarning):
    """A node is accepted under a development root: no hardware vouches for it."""


class Repeat(Enum):
    """When a request may be sent again."""

    FREELY = auto()
    """It changes nothing."""

    WITH_KEY = auto()
    """It changes something, and its Idempotency-Key makes the node do it once."""

    WHEN_REFUSED = auto()
    """Only after an answer that says it was never begun (429)."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request. `path` begins with a slash and is below `/core/v1` unless `at_root`."""

    method: str
    path: str
    body: JsonValue = None
    repeat: Repeat = Repeat.FREELY
    accept: str = "application/json"
    at_root: bool = False
    is_public: bool = False
    """The key stays here: the endpoint needs none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustIn:
    """What a node must prove: the words of `svc-verify`. A trust file, or an app id with the contract's providers."""

    trust: Path | None = None
    app_id: str | None = None
    rpc_urls: tuple[str, ...] = ()
    chain_id: int | None = None
    account_contract: str | None = None
    insecure_dev_root: Path | None = None

    def resolve(self, host: str) -> Trust:
        """Return the verifier's trust. Raises SvcError for what contradicts itself or cannot be read."""
        try:
            options = TrustOptions(
                app_id=_address("app_id", self.app_id),
                chain_id=self.chain_id,
                rpc_urls=self.rpc_urls,
                trust_file=self.trust,
                account_contract=_address("account_contract", self.account_contract),
                insecure_dev_root=self.insecure_dev_root,
            )
            return trust_for(host, options, live=True)
        except (ContradictionError, VerifierError, OSError) as error:
            raise SvcError(f"The trust in {host} cannot be used: {error}") from None


class Transport:
    """Connections to one node, opened at the first call. Use it from one event loop."""

    def __init__(self, url: str, api_key: str | None, trusted: TrustIn, timeout_s: float = TIMEOUT_S) -> None:
        try:
            self._address = HostAddress.of(url)
        except VerifierError as error:
            raise SvcError(f"{url} is no address of a node: {error}") from None
        self._api_key = api_key
        self._trusted = trusted
        self._timeout_s = timeout_s
        self._opening = asyncio.Lock()
        self._open = AsyncExitStack()
        self._session: AttestedSession | None = None
        self.highest_block: int | None = None
        """Of all answers so far: a run asks for a decision at this block or later."""

    @property
    def report(self) -> Report | None:
        """The report of the last verification; None before the first."""
        verification = None if self._session is None else self._session.verification
        return None if verification is None else verification.report

    async def open(self) -> AttestedSession:
        """Verify the node unless that was done. Raises NodeNotAccepted, Unreachable and SvcError."""
        async with self._opening:
            if self._session is None:
                trust = self._trusted.resolve(self._address.name)
                self._session = await self._verified(trust)
        return self._session

    async def _verified(self, trust: Trust) -> AttestedSession:
        root = self._trusted.insecure_dev_root
        if root is not None:
            warnings.warn(
                f"{self._address.name} is trusted under a development root: no hardware vouches for it",
                InsecureDevelopmentRootWarning,
                stacklevel=4,
            )
        from_where = sources() if root is None else development_sources(root)
        try:
            return await self._open.enter_async_context(attested_session(self._address.origin, trust, from_where))
        except NotAcceptedError as error:
            raise NodeNotAccepted(str(error), error.report) from None
        except VerifierError as error:
            raise _refused(error) from None

    async def close(self) -> None:
        """Close all connections."""
        await self._open.aclose()
        self._session = None

    async def call(self, call: Call, timeout_s: float | None = None) -> Response:
        """Send a request, again where that is safe, and return its 2xx response.

        Raises ApiError by the node's code, NodeNotAccepted, Unreachable, and Unanswered for a run without an answer.
        """
        deadline = time.monotonic() + (timeout_s or self._timeout_s)
        headers = self._headers(call)
        body = None if call.body is None and call.method == "GET" else json.dumps(call.body).encode()
        pause_s = _FIRST_PAUSE_S
        while True:
            session = await self._in_time(self.open(), deadline)
            retry_after_s: float | None = None
            try:
                path = call.path if call.at_root else BASE + call.path
                left_s = _left(deadline)
                response = await session.request(call.method, path, body, headers, timeout_s=left_s)
            except NotAcceptedError as error:
                raise NodeNotAccepted(str(error), error.report) from None
            except VerifierError as error:
                failure = _refused(error)
                if call.repeat is Repeat.WHEN_REFUSED and isinstance(failure, Unreachable):
                    raise Unanswered("The run was sent and no answer came; it may have run and been charged.") from None
                if not isinstance(failure, Unreachable):
                    raise failure from None
            else:
                self._note(response)
                if response.status < 300:
                    return response
                failure = error_of(response)
                if not _may_repeat(call, response.status):
                    raise failure
                retry_after_s = _retry_after_s(response)
            wait_s = retry_after_s if retry_after_s is not None else pause_s * random.uniform(0.5, 1.0)  # noqa: S311 - jitter
            if time.monotonic() + wait_s >= deadline:
                raise failure
            await asyncio.sleep(wait_s)
            pause_s = min(_LONGEST_PAUSE_S, pause_s * 2)

    async def _in_time(self, opening: Coroutine[None, None, AttestedSession], deadline: float) -> AttestedSession:
        try:
            async with asyncio.timeout(_left(deadline)):
                return await opening
        except TimeoutError:
            raise Unreachable(f"{self._address.name} was not verified in time.") from None

    def _headers(self, call: Call) -> dict[str, str]:
        headers = {"Accept": call.accept}
        if call.method == "POST":
            headers["Content-Type"] = "application/json"
        if self._api_key is not None and not call.is_public:
            headers["X-Api-Key"] = self._api_key
        if call.repeat is Repeat.WITH_KEY:
            headers["Idempotency-Key"] = uuid.uuid4().hex
        return headers

    def _note(self, response: Response) -> None:
        """Remember the highest block an answer names."""
        if not response.headers.get("content-type", "").startswith("application/json"):
            return
        number = _object(response).get("block_number")
        if isinstance(number, int) and (self.highest_block is None or number > self.highest_block):
            self.highest_block = number


class SyncTransport:
    """The same for programs without an event loop: it runs in a thread of its own, so that any thread may call."""

    def __init__(self, url: str, api_key: str | None, trusted: TrustIn, timeout_s: float = TIMEOUT_S) -> None:
        self._transport = Transport(url, api_key, trusted, timeout_s)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="svc-client", daemon=True)
        self._thread.start()

    @property
    def report(self) -> Report | None:
        """The report of the last verification; None before the first."""
        return self._transport.report

    @property
    def highest_block(self) -> int | None:
        """The highest block of all answers so far."""
        return self._transport.highest_block

    def open(self) -> AttestedSession:
        """Verify the node unless that was done."""
        return self._run(self._transport.open())

    def call(self, call: Call, timeout_s: float | None = None) -> Response:
        """Send a request as `Transport.call` does."""
        return self._run(self._transport.call(call, timeout_s))

    def close(self) -> None:
        """Close all connections and end the thread. Nothing happens the second time."""
        if self._loop.is_closed():
            return
        self._run(self._transport.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, work: Coroutine[None, None, Result]) -> Result:
        running = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return running.result()
        except BaseException:
            running.cancel()  # Ctrl-C in the caller's thread ends the request as well
            raise


def error_of(response: Response) -> ApiError:
    """Return the error that a response tells, by its status."""
    told = _object(response)
    kind = BY_STATUS.get(response.status, ApiError)
    details = told.get("details")
    return kind(
        response.status,
        str(told.get("error", "unknown")),
        str(told.get("message", f"The node answered {response.status}.")),
        fix=_text(told.get("fix")),
        request_id=_text(told.get("request_id")) or response.headers.get("x-request-id"),
        details=details if isinstance(details, dict) else None,
    )


def _may_repeat(call: Call, status: int) -> bool:
    if call.repeat is Repeat.WHEN_REFUSED:
        return status == 429
    return status in _RETRY_LATER


def _object(response: Response) -> Mapping[str, JsonValue]:
    try:
        value = response.json()
    except VerifierError:
        return {}
    return value if isinstance(value, dict) else {}


def _retry_after_s(response: Response) -> float | None:
    text = response.headers.get("retry-after", "")
    return float(text) if text.isascii() and text.isdigit() else None


def _left(deadline: float) -> float:
    return max(0.001, deadline - time.monotonic())


def _refused(error: VerifierError) -> SvcError:
    if error.code is VerifierErrorCode.UNREACHABLE:
        return Unreachable(str(error))
    if error.code is VerifierErrorCode.NOT_ACCEPTED:
        return NodeNotAccepted(str(error), None)
    return SvcError(str(error))


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None


def _address(name: str, text: str | None) -> bytes | None:
    if text is None:
        return None
    try:
        value = bytes.fromhex(text.removeprefix("0x"))
    except ValueError:
        value = b""
    if len(value) != _ADDRESS_BYTES:
        raise SvcError(f"{name} is no address: 0x and 40 hex digits.")
    return value
