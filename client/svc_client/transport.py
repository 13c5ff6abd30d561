"""Requests to one node over proven connections, with deadlines and retries.

The promise of the client is kept by `svc_verifier.session`: no byte of a request leaves before the peer of that very
connection is proven. This module adds what an API client needs on top: errors by code, retries that never do a thing twice,
and reading one's own writes behind a balancer. The verifier is imported at the first call: half a start would go into it.
"""

import asyncio
import json
import os
import random
import secrets
import time
import warnings
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlsplit

from svc_client.errors import (
    BY_STATUS,
    ApiError,
    InvalidAnswer,
    InvalidArgument,
    NodeNotAccepted,
    SvcError,
    Unanswered,
    Unreachable,
    UnreadableFile,
)
from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.addresses import HostAddress

if TYPE_CHECKING:
    from svc_verifier.check import Report
    from svc_verifier.formats.info import AttestedConfig
    from svc_verifier.gathering.gather import Sources
    from svc_verifier.session import AttestedSession, Response, Streamed
    from svc_verifier.trust import Trust

Result = TypeVar("Result")

BASE: Final = "/core/v1"
TIMEOUT_S: Final = 120.0
"""For one call with its retries, unless the caller says otherwise."""

_IDLE_S: Final = 1_000.0
"""Of an answer that is passed on: a run takes up to 900 s before its first byte."""
_FIRST_PAUSE_S: Final = 0.25
_LONGEST_PAUSE_S: Final = 8.0
# Refusals that pass. 504 is among them: with the same Idempotency-Key the node gives the final answer of a write that
# it has sent already (spec 2.7). 500 is not: a fault of the node would meet the next attempt too.
_RETRY_LATER: Final = frozenset({429, 503, 504})
_DISABLED: Final = "billing_disabled"
_OUTCOME_UNKNOWN: Final = "outcome_unknown"
"""`details.reason` of a run whose node ended before it answered."""
_ADDRESS_BYTES: Final = 20
_TEXT_CHARACTERS: Final = 2_000
"""Of a text in an error: a node may send megabytes."""


class InsecureDevelopmentRootWarning(UserWarning):
    """A node is accepted under a development root: no hardware vouches for it."""


class Repeat(Enum):
    """When a request may be sent again."""

    FREELY = auto()
    """A request that changes nothing."""

    WITH_KEY = auto()
    """A change whose Idempotency-Key makes the node do it once."""

    WHEN_REFUSED = auto()
    """Only while it was never begun: not sent, or answered 429."""


@dataclass(frozen=True, slots=True)
class Call:
    """A request. `path` begins with a slash and is below `/core/v1` unless `at_root`."""

    method: str
    path: str
    body: Any = None
    repeat: Repeat = Repeat.FREELY
    accept: str = "application/json"
    at_root: bool = False
    is_public: bool = False
    """The key stays here: the endpoint needs none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustIn:
    """Trust in a node: the words of `svc-verify`. A trust file, or an app id with the contract's providers."""

    trust: Path | None = None
    app_id: str | None = None
    rpc_urls: tuple[str, ...] = field(default=(), repr=False)
    """Often with a provider's key in them."""
    chain_id: int | None = None
    account_contract: str | None = None
    insecure_dev_root: Path | None = None
    proxy_url: str | None = None
    """An HTTP proxy that carries tunnels (CONNECT). The environment names none."""

    def resolve(self, host: str) -> "Trust":
        """Return the verifier's trust. Raises InvalidArgument and UnreadableFile."""
        from svc_verifier.trust_file import ContradictionError, TrustOptions, trust_for  # noqa: PLC0415 - see above

        app_id, contract = _address("app_id", self.app_id), _address("account_contract", self.account_contract)
        try:
            options = TrustOptions(
                app_id=app_id,
                chain_id=self.chain_id,
                rpc_urls=self.rpc_urls,
                trust_file=self.trust,
                account_contract=contract,
                insecure_dev_root=self.insecure_dev_root,
            )
            return trust_for(host, options, live=True)
        except ContradictionError as error:
            raise InvalidArgument(f"The trust in {host} cannot be used: {error}") from None
        except (VerifierError, OSError, ValueError) as error:
            raise UnreadableFile(f"The trust in {host} cannot be read: {error}") from None

    def sources(self) -> "Sources":
        """Return where collateral comes from. What Intel says is signed, so one cache serves every program of a user."""
        from svc_verifier.gathering.gather import development_sources, sources  # noqa: PLC0415 - see above

        if self.insecure_dev_root is not None:
            found = development_sources(self.insecure_dev_root)
        else:
            found = sources(cache=_cache_folder())
        return replace(found, proxy_url=self.proxy_url)


def warn_of_root(trusted: TrustIn, url: str) -> None:
    """Warn the caller's caller when a development root is named."""
    if trusted.insecure_dev_root is not None:
        warnings.warn(
            f"{url} is trusted under a development root: no hardware vouches for it",
            InsecureDevelopmentRootWarning,
            stacklevel=3,
        )


class Transport:
    """Connections to one node, opened at the first call. Use it from one event loop."""

    def __init__(self, url: str, api_key: str | None, trusted: TrustIn, timeout_s: float = TIMEOUT_S) -> None:
        try:
            self._address = HostAddress.of(url)
        except VerifierError as error:
            raise InvalidArgument(f"The address of the node cannot be used: {error}") from None
        # The key becomes a header as it is: a line end in it would begin a header of its own.
        if api_key is not None and not _is_key(api_key):
            raise InvalidArgument("The API key cannot be used: it is not printable ASCII without spaces.")
        # Not `<= 0`, which is false for "not a number" as well.
        if not timeout_s > 0:
            raise InvalidArgument("timeout_s is more than 0.")
        # A tunnel (CONNECT) alone: any other kind of proxy would end TLS and read the request.
        if trusted.proxy_url is not None and urlsplit(trusted.proxy_url).scheme != "http":
            raise InvalidArgument("proxy_url is http://HOST[:PORT]; TLS to the node passes through it untouched.")
        self._api_key = api_key
        self._trusted = trusted
        self.timeout_s = timeout_s
        # One verification at a time: it fetches quotes and collateral, which a burst of first calls would each ask for.
        self._opening = asyncio.Lock()
        self._attempts = 0
        self._refusal: SvcError | None = None
        self._open = AsyncExitStack()
        self._session: AttestedSession | None = None
        self._is_closed = False
        self.highest_block: int | None = None
        """Of all answers so far: a run asks for a decision at this block or later."""

    @property
    def report(self) -> "Report | None":
        """The report of the last verification; None before the first."""
        verification = None if self._session is None else self._session.verification
        return None if verification is None else verification.report

    @property
    def attested_config(self) -> "AttestedConfig | None":
        """The configuration that the node attested in the last verification; None before the first."""
        verification = None if self._session is None else self._session.verification
        return None if verification is None else verification.attested_config

    @property
    def trusted(self) -> TrustIn:
        """The trust as it was named."""
        return self._trusted

    def trust(self) -> "Trust":
        """Return the verifier's trust, without connecting. Raises InvalidArgument and UnreadableFile."""
        return self._trusted.resolve(self._address.name)

    async def open(self) -> "AttestedSession":
        """Verify the node unless that was done. Raises NodeNotAccepted, Unreachable and SvcError."""
        if self._is_closed:
            raise InvalidArgument("The client is closed.")
        if self._session is not None:
            return self._session
        # Taken before the wait for the lock: a refusal counts for this call only if the attempt ended while it waited.
        attempts = self._attempts
        async with self._opening:
            if self._session is None:
                # Calls that waited for one attempt share its outcome; each looking again would take as many looks as calls.
                if self._refusal is not None and self._attempts != attempts:
                    raise self._refusal
                try:
                    self._session = await self._verified(self._trusted.resolve(self._address.name))
                except SvcError as error:
                    self._refusal = error
                    raise
                finally:
                    self._attempts += 1
        return self._session

    async def _verified(self, trust: "Trust") -> "AttestedSession":
        from svc_verifier.session import attested_session  # noqa: PLC0415 - see above

        try:
            opened = attested_session(self._address.origin, trust, self._trusted.sources())
            return await self._open.enter_async_context(opened)
        except VerifierError as error:
            raise _refused(error) from None
        except OSError as error:
            raise UnreadableFile(f"TLS cannot be set up: {error}") from None

    async def close(self) -> None:
        """Close all connections. Calls after that are refused."""
        # Set before the first await, so that no call opens the session again while it closes.
        self._is_closed = True
        await self._open.aclose()
        self._session = None

    async def call(self, call: Call, timeout_s: float | None = None) -> "Response":
        """Send a request, again where that is safe, and return its 2xx response.

        Raises ApiError by the node's code, NodeNotAccepted, Unreachable, and Unanswered for a run without an answer.
        """
        # One deadline for the verification, all attempts and the pauses between them.
        deadline = time.monotonic() + (self.timeout_s if timeout_s is None else timeout_s)
        # Made once: every attempt carries the same Idempotency-Key, or the node would do a write twice.
        headers = self._headers(call)
        body = None if call.method == "GET" else _body(call.body)
        pause_s = _FIRST_PAUSE_S
        while True:
            session = await self._in_time(self.open(), deadline)
            outcome = await self._once(session, call, headers, body, deadline)
            # `_once` returns only errors after which the request may be sent again.
            if not isinstance(outcome, SvcError):
                if outcome.status // 100 == 2:
                    self._note(outcome)
                    return outcome
                told = error_of(outcome)
                if told.details.get("reason") == _OUTCOME_UNKNOWN:
                    raise Unanswered(str(told))
                failure: SvcError = told
                if not _may_repeat(call, outcome):
                    raise failure
                # The node says how long it refuses; the growing pause comes on top of it.
                least_s = _retry_after_s(outcome)
            else:
                failure, least_s = outcome, 0.0
            # Jitter: clients that were refused together must not come back together.
            wait_s = least_s + pause_s * random.uniform(0.5, 1.0)  # noqa: S311 - jitter
            # The error of now says more than a time-out after a pause that leads nowhere.
            if time.monotonic() + wait_s >= deadline:
                raise failure
            await asyncio.sleep(wait_s)
            pause_s = min(_LONGEST_PAUSE_S, pause_s * 2)

    @asynccontextmanager
    async def forward(
        self, method: str, path: str, headers: Mapping[str, str], body: AsyncIterator[bytes] | None
    ) -> "AsyncIterator[Streamed]":
        """Send a request of somebody else's as it is, once, and give its answer whatever its status, both in parts.

        Raises NodeNotAccepted, Unreachable and InvalidAnswer. The answer's parts raise VerifierError where they break off.
        """
        session = await self._in_time(self.open(), time.monotonic() + self.timeout_s)
        try:
            # Never repeated here: only the program that made the request knows whether it may be.
            async with session.stream(method, path, body, headers, _IDLE_S) as answer:
                yield answer
        except VerifierError as error:
            raise _refused(error) from None

    async def _once(
        self, session: "AttestedSession", call: Call, headers: Mapping[str, str], body: bytes | None, deadline: float
    ) -> "Response | SvcError":
        """Return the response, or the error of a request that may be sent again; raise any other."""
        from svc_verifier.session import NoAnswerError  # noqa: PLC0415 - see above

        path = call.path if call.at_root else BASE + call.path
        try:
            return await session.request(call.method, path, body, headers, timeout_s=_left(deadline))
        except NoAnswerError as error:
            # `was_sent` is true from the moment at which a proven connection was handed out: a byte may have left by
            # then.
            if call.repeat is Repeat.WHEN_REFUSED and error.was_sent:
                raise Unanswered("The run was sent and no answer came; it may have run and been charged.") from None
            return Unreachable(str(error))
        except VerifierError as error:
            raise _refused(error) from None

    async def _in_time(self, opening: "Coroutine[None, None, AttestedSession]", deadline: float) -> "AttestedSession":
        try:
            async with asyncio.timeout(_left(deadline)):
                return await opening
        except TimeoutError:
            raise Unreachable(f"{self._address.name} was not verified in time.") from None

    def _headers(self, call: Call) -> dict[str, str]:
        headers = {"Accept": call.accept}
        if call.method == "POST":
            headers["Content-Type"] = "application/json"
        # The key goes to the endpoints that need it, and to no other.
        if self._api_key is not None and not call.is_public:
            headers["X-Api-Key"] = self._api_key
        if call.repeat is Repeat.WITH_KEY:
            # A sign-up's answer is shown to whoever repeats this: a secret as strong as the key that it brings.
            headers["Idempotency-Key"] = secrets.token_urlsafe(32)
        return headers

    def _note(self, response: "Response") -> None:
        """Remember the highest block an answer names."""
        # A cheap look first: most answers name no block, and some are megabytes of JSON.
        if b'"block_number"' not in response.body or not response.body.startswith(b"{"):
            return
        number = _object(response).get("block_number")
        # `type`, since true is an int to Python; the highest, since answers of several nodes come in any order.
        if type(number) is int and (self.highest_block is None or number > self.highest_block):
            self.highest_block = number


def error_of(response: "Response") -> ApiError:
    """Return the error that a response tells, by its status."""
    told = _object(response)
    kind = BY_STATUS.get(response.status, ApiError)
    details = told.get("details")
    return kind(
        response.status,
        _text(told.get("error")) or "unknown",
        _text(told.get("message")) or f"The node answered {response.status}.",
        fix=_text(told.get("fix")),
        request_id=_text(told.get("request_id")) or _text(response.headers.get("x-request-id")),
        details=details if isinstance(details, dict) else None,
    )


def _may_repeat(call: Call, response: "Response") -> bool:
    if call.repeat is Repeat.WHEN_REFUSED:
        return response.status == 429
    # 409 with Retry-After: another node still works on this Idempotency-Key.
    is_in_use = response.status == 409 and call.repeat is Repeat.WITH_KEY and "retry-after" in response.headers
    # A node that sells no credit answers 503 as well, and sells none a second later.
    is_disabled = response.status == 503 and _object(response).get("error") == _DISABLED
    # A fault that ended a run which is not begun again: its Idempotency-Key gives this answer for ever.
    is_kept = "idempotency-replayed" in response.headers
    return is_in_use or (response.status in _RETRY_LATER and not is_disabled and not is_kept)


def _body(value: Any) -> bytes:
    try:
        return json.dumps(value, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidArgument(f"The request has no JSON form: {error}") from None


def _object(response: "Response") -> Mapping[str, Any]:
    try:
        value = response.json()
    except VerifierError:
        return {}
    return value if isinstance(value, dict) else {}


def _retry_after_s(response: "Response") -> float:
    text = response.headers.get("retry-after", "")
    # Seconds are what the node sends; the date that RFC 9110 10.2.3 allows as well would need a clock that agrees with
    # it.
    return float(text) if text.isascii() and text.isdigit() else 0.0


def _left(deadline: float) -> float:
    # Never 0: the session takes that for a limit that was not given, and waits for its own.
    return max(0.001, deadline - time.monotonic())


def _refused(error: VerifierError) -> SvcError:
    from svc_verifier.session import NotAcceptedError  # noqa: PLC0415 - see above

    if error.code is VerifierErrorCode.UNREACHABLE:
        return Unreachable(str(error))
    if error.code is VerifierErrorCode.NOT_ACCEPTED:
        return NodeNotAccepted(str(error), error.report if isinstance(error, NotAcceptedError) else None)
    if error.code in {VerifierErrorCode.BAD_HOST, VerifierErrorCode.OTHER_HOST}:
        return InvalidArgument(str(error))
    return InvalidAnswer(str(error))


def _text(value: object) -> str | None:
    return value[:_TEXT_CHARACTERS] if isinstance(value, str) else None


def _is_key(text: str) -> bool:
    return bool(text) and text.isascii() and text.isprintable() and " " not in text


def _address(name: str, text: str | None) -> bytes | None:
    if text is None:
        return None
    try:
        value = bytes.fromhex(text.removeprefix("0x"))
    except ValueError:
        value = b""
    if len(value) != _ADDRESS_BYTES:
        raise InvalidArgument(f"{name} is no address: 0x and 40 hex digits.")
    return value


def _cache_folder() -> Path | None:
    """Return the folder in which `svc-verify` keeps collateral; None where there is no home."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    try:
        base = Path(named) if named.startswith("/") else Path.home() / ".cache"
    except RuntimeError:
        return None
    return base / "svc-verify" / "collateral"
