"""Requests to one node over proven connections, with deadlines and retries.

`svc_verifier.session` keeps the promise that no byte of a request leaves before the peer of that
connection is proven. This module adds errors by code, safe retries, and reading one's own writes
behind a balancer. The verifier is imported at the first call, since it takes half of a start.
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
"""Limit of one call with its retries, unless the caller sets another."""

_IDLE_S: Final = 1_000.0
"""Longest silence of a passed response. A run takes up to 900 s before its first byte."""
_FIRST_PAUSE_S: Final = 0.25
_LONGEST_PAUSE_S: Final = 8.0
# Temporary refusals. After 504 the same Idempotency-Key gets the final response of the write
# that the node sent (spec 2.7). A fault (500) would meet the next attempt too.
_RETRY_LATER: Final = frozenset({429, 503, 504})
_DISABLED: Final = "billing_disabled"
_OUTCOME_UNKNOWN: Final = "outcome_unknown"
"""`details.reason` of a run whose node ended before it responded."""
_ADDRESS_BYTES: Final = 20
_TEXT_CHARACTERS: Final = 2_000
"""Characters kept of a text in an error, since a node may send megabytes."""


class InsecureDevelopmentRootWarning(UserWarning):
    """A node is accepted under a development root, without any hardware."""


class Repeat(Enum):
    """When a request may be sent again."""

    FREELY = auto()
    """A request that changes nothing."""

    WITH_KEY = auto()
    """A change whose Idempotency-Key makes the node do it once."""

    WHEN_REFUSED = auto()
    """A request that may be repeated only if it never began: not sent, or refused with 429."""


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
    """Whether to send no key, since the endpoint needs none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustIn:
    """Trust in a node, in the terms of `svc-verify`: a trust file, or an app id with providers."""

    trust: Path | None = None
    app_id: str | None = None
    rpc_urls: tuple[str, ...] = field(default=(), repr=False)
    """Providers of the contract's chain. URLs often hold a provider's key."""
    chain_id: int | None = None
    account_contract: str | None = None
    insecure_dev_root: Path | None = None
    proxy_url: str | None = None
    """An HTTP proxy with CONNECT. The environment's proxies are ignored."""

    def resolve(self, host: str) -> "Trust":
        """Returns the verifier's trust. Raises InvalidArgument and UnreadableFile."""
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
        """Returns the sources of collateral. Intel signs it, so all programs share one cache."""
        from svc_verifier.gathering.gather import development_sources, sources  # noqa: PLC0415 - see above

        if self.insecure_dev_root is not None:
            found = development_sources(self.insecure_dev_root)
        else:
            found = sources(cache=_cache_folder())
        return replace(found, proxy_url=self.proxy_url)


def warn_of_root(trusted: TrustIn, url: str) -> None:
    """Warns the caller's caller if a development root is configured."""
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
        # The key becomes a header as it is, and a line end in it would begin another header.
        if api_key is not None and not _is_key(api_key):
            raise InvalidArgument("The API key cannot be used: it is not printable ASCII without spaces.")
        # `not >` also refuses NaN, for which `<= 0` is false.
        if not timeout_s > 0:
            raise InvalidArgument("timeout_s is more than 0.")
        # Only a CONNECT proxy: any other kind would end TLS and read the request.
        if trusted.proxy_url is not None and urlsplit(trusted.proxy_url).scheme != "http":
            raise InvalidArgument("proxy_url is http://HOST[:PORT]; TLS to the node passes through it untouched.")
        self._api_key = api_key
        self._trusted = trusted
        self.timeout_s = timeout_s
        # One verification at a time: a burst of first calls must not fetch collateral for each.
        self._opening = asyncio.Lock()
        self._attempts = 0
        self._refusal: SvcError | None = None
        self._open = AsyncExitStack()
        self._session: AttestedSession | None = None
        self._is_closed = False
        self.highest_block: int | None = None
        """Highest block of all responses. A run asks for a decision at this block or later."""

    @property
    def report(self) -> "Report | None":
        """The report of the last verification; None before the first."""
        verification = None if self._session is None else self._session.verification
        return None if verification is None else verification.report

    @property
    def attested_config(self) -> "AttestedConfig | None":
        """Configuration that the node attested in the last verification; None before the first."""
        verification = None if self._session is None else self._session.verification
        return None if verification is None else verification.attested_config

    @property
    def trusted(self) -> TrustIn:
        """The trust as configured."""
        return self._trusted

    def trust(self) -> "Trust":
        """Returns the configured trust in the verifier's form, without network access.

        Raises InvalidArgument and UnreadableFile.
        """
        return self._trusted.resolve(self._address.name)

    async def open(self) -> "AttestedSession":
        """Verifies the node once. Raises NodeNotAccepted, Unreachable and other SvcError."""
        if self._is_closed:
            raise InvalidArgument("The client is closed.")
        if self._session is not None:
            return self._session
        # Read before the wait: a refusal counts for this call only if the attempt ended during it.
        attempts = self._attempts
        async with self._opening:
            if self._session is None:
                # Waiting calls share one attempt's outcome; else each would verify again.
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
        """Closes all connections. Later calls are refused."""
        # Set before the first await, so that no call opens the session again meanwhile.
        self._is_closed = True
        await self._open.aclose()
        self._session = None

    async def call(self, call: Call, timeout_s: float | None = None) -> "Response":
        """Sends a request, again if that is safe, and return its 2xx response.

        Raises ApiError, NodeNotAccepted, Unreachable, and Unanswered for a run without a response.
        """
        # One deadline for the verification, all attempts and the pauses between them.
        deadline = time.monotonic() + (self.timeout_s if timeout_s is None else timeout_s)
        # Made once: without the same Idempotency-Key the node would do a write twice.
        headers = self._headers(call)
        body = None if call.method == "GET" else _body(call.body)
        pause_s = _FIRST_PAUSE_S
        while True:
            session = await self._in_time(self.open(), deadline)
            outcome = await self._once(session, call, headers, body, deadline)
            # `_once` returns only errors after which the request may be repeated.
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
                # Wait as long as the node says, plus the growing pause.
                least_s = _retry_after_s(outcome)
            else:
                failure, least_s = outcome, 0.0
            # Jitter, so that clients refused together do not come back together.
            wait_s = least_s + pause_s * random.uniform(0.5, 1.0)  # noqa: S311 - jitter
            # Raise this error now: it says more than a time-out after a useless pause.
            if time.monotonic() + wait_s >= deadline:
                raise failure
            await asyncio.sleep(wait_s)
            pause_s = min(_LONGEST_PAUSE_S, pause_s * 2)

    @asynccontextmanager
    async def forward(
        self, method: str, path: str, headers: Mapping[str, str], body: AsyncIterator[bytes] | None
    ) -> "AsyncIterator[Streamed]":
        """Sends another program's request unchanged, once. Yields any response, both in parts.

        Raises NodeNotAccepted, Unreachable, InvalidAnswer. A response cut off raises VerifierError.
        """
        session = await self._in_time(self.open(), time.monotonic() + self.timeout_s)
        try:
            # Never repeated: only the program that made the request knows whether that is safe.
            async with session.stream(method, path, body, headers, _IDLE_S) as answer:
                yield answer
        except VerifierError as error:
            raise _refused(error) from None

    async def _once(
        self, session: "AttestedSession", call: Call, headers: Mapping[str, str], body: bytes | None, deadline: float
    ) -> "Response | SvcError":
        """Returns the response, or the error of a request that may be repeated. Raises others."""
        from svc_verifier.session import NoAnswerError  # noqa: PLC0415 - see above

        path = call.path if call.at_root else BASE + call.path
        try:
            return await session.request(call.method, path, body, headers, timeout_s=_left(deadline))
        except NoAnswerError as error:
            # `was_sent` is true once a proven connection was handed out: a byte may have left
            # by then.
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
        # Send the key only to endpoints that need it.
        if self._api_key is not None and not call.is_public:
            headers["X-Api-Key"] = self._api_key
        if call.repeat is Repeat.WITH_KEY:
            # A sign-up's response holds a key, and a repeat shows it again: keep this as secret.
            headers["Idempotency-Key"] = secrets.token_urlsafe(32)
        return headers

    def _note(self, response: "Response") -> None:
        """Remembers the highest block of all responses."""
        # Search the bytes first: most responses name no block, and some are megabytes of JSON.
        if b'"block_number"' not in response.body or not response.body.startswith(b"{"):
            return
        number = _object(response).get("block_number")
        # `type`, since True is an int; the highest, since nodes respond in any order.
        if type(number) is int and (self.highest_block is None or number > self.highest_block):
            self.highest_block = number


def error_of(response: "Response") -> ApiError:
    """Returns the error in a response, by its status."""
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
    # A node that sells no credit responds 503 as well, and no retry changes that.
    is_disabled = response.status == 503 and _object(response).get("error") == _DISABLED
    # A fault ended a run that never begins again: its Idempotency-Key always gives this response.
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
    # The node sends seconds. A date (RFC 9110 10.2.3) would need a clock that agrees with the
    # node's.
    return float(text) if text.isascii() and text.isdigit() else 0.0


def _left(deadline: float) -> float:
    # Never 0, which the session takes as no limit.
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
    """Returns the folder in which `svc-verify` keeps collateral; None without a home folder."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    try:
        base = Path(named) if named.startswith("/") else Path.home() / ".cache"
    except RuntimeError:
        return None
    return base / "svc-verify" / "collateral"
