"""HTTP client of the Stripe library over our session, with limits of size, time and rate.

The library's own client follows redirects, reads responses of any size, passes on aiohttp's errors
with the URL while it reads, and describes the machine in its headers. Its telemetry makes a file in
the home directory and sends it. With `STRIPE_LOG` in the environment, which the host can forge, it
writes requests and e-mail addresses to standard error. Its logger writes URLs and sent values.
"""

import asyncio
import contextlib
import logging
import re
import ssl
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from typing import Final

import aiohttp
import stripe
from stripe import _util as stripe_logging

from node.processor.port import Fault, ProcessorError
from node.runtime.clock import Clock
from node.runtime.http_client import FAILURES, NoResponse, bounded_body, no_response, plain_session, request
from node.runtime.processor_time import require_few_values

_KNOWN_CODES: Final = frozenset(
    {
        "account_invalid",
        "amount_too_large",
        "amount_too_small",
        "api_key_expired",
        "balance_insufficient",
        "country_unsupported",
        "email_invalid",
        "idempotency_key_in_use",
        "invalid_characters",
        "livemode_mismatch",
        "lock_timeout",
        "parameter_invalid_empty",
        "parameter_invalid_integer",
        "parameter_invalid_string_empty",
        "parameter_missing",
        "parameter_unknown",
        "parameters_exclusive",
        "payment_intent_unexpected_state",
        "payment_method_types_no_longer_supported",
        "platform_api_key_expired",
        "rate_limit",
        "resource_missing",
        "secret_key_required",
        "testmode_charges_only",
        "tls_version_unsupported",
    }
)
"""Codes that may be logged. An unknown code might repeat a parameter."""

_FAULTS: Final[Sequence[tuple[type[Exception], Fault, str]]] = (
    (stripe.AuthenticationError, Fault.UNAUTHORIZED, "it does not know the secret key"),
    (stripe.PermissionError, Fault.UNAUTHORIZED, "the secret key may not do this"),
    (stripe.RateLimitError, Fault.UNAVAILABLE, "too many requests"),
    (stripe.IdempotencyError, Fault.REFUSED, "the idempotency key was used for something else"),
    (stripe.InvalidRequestError, Fault.REFUSED, "it refused"),
    (stripe.CardError, Fault.REFUSED, "it refused"),
    (stripe.APIError, Fault.UNAVAILABLE, "it failed"),
    (TimeoutError, Fault.UNAVAILABLE, NoResponse.LATE.value),
    (UnicodeEncodeError, Fault.REFUSED, "what it is to be asked is no text"),
)
"""Fault of each class of errors. The first class that fits counts."""

_REQUEST: Final = re.compile(r"req_[A-Za-z0-9]{6,40}")


def error_of(error: Exception) -> ProcessorError:
    """Returns our error for the library's, without the message, which repeats what was sent.

    Source: https://docs.stripe.com/error-handling, https://docs.stripe.com/error-codes.
    """
    fault, reason = _fault(error)
    return ProcessorError(fault, reason + _details(error))


def _fault(error: Exception) -> tuple[Fault, str]:
    if isinstance(error, stripe.InvalidRequestError) and (error.http_status == 404 or error.code == "resource_missing"):
        return Fault.NOT_FOUND, "there is no such object"
    if isinstance(error, stripe.APIConnectionError):
        said = error.user_message
        return Fault.UNAVAILABLE, said if said in set(NoResponse) else NoResponse.BROKEN
    # In order, since the library derives some of its classes from others.
    met = ((fault, reason) for kind, fault, reason in _FAULTS if isinstance(error, kind))
    return next(met, (Fault.UNAVAILABLE, "its answer cannot be read"))


def _details(error: Exception) -> str:
    if not isinstance(error, stripe.StripeError):
        return ""
    request = error.request_id if isinstance(error.request_id, str) else ""
    code = error.code if isinstance(error.code, str) else ""
    known = [
        "" if error.http_status is None else str(int(error.http_status)),
        code if code in _KNOWN_CODES else "",
        request if _REQUEST.fullmatch(request) else "",
    ]
    described = " ".join(filter(None, known))
    return f" ({described})" if described else ""


SENT: Final = frozenset({"authorization", "content-type", "idempotency-key", "stripe-version"})
"""Headers of the library that are sent."""
HEARD: Final = ("stripe-should-retry", "request-id")
"""Headers of a response that the library may see. Others make it log the processor's message."""
USER_AGENT: Final = "svc-node"
TOO_MANY: Final = 429

CONNECT_TIMEOUT_S: Final = 5.0
ATTEMPT_TIMEOUT_S: Final = 10.0
"""Time-out of one HTTP exchange. The processor's slowest calls take some seconds."""
RESPONSE_MAX_BYTES: Final = 16 * 1024 * 1024
"""Maximum size of a decompressed response, far above a page of 100 events."""
RESPONSE_MAX_VALUES: Final = 200_000
"""Maximum JSON values in a response, ten times those of a page of 100 events."""
INLINE_BYTES: Final = 64 * 1024
"""Maximum size read on the event loop, in about a millisecond. Larger bodies need a thread."""
ANSWERED: Final = range(200, 300)
CONCURRENT_MAX: Final = 8
REQUESTS_PER_SECOND: Final = 20.0
"""Calls of this node. An account has 100, in test mode 25 (https://docs.stripe.com/rate-limits)."""
TOO_MANY_REST_S: Final = 1.0
"""Pause after a 429 without `Retry-After`."""
TOO_MANY_REST_MAX_S: Final = 30.0
"""Maximum pause that a `Retry-After` causes."""

_SECONDS: Final = re.compile(r"[0-9]{1,6}")


def silence_library() -> None:
    """Turns the library's telemetry and logs off, only possible by its globals. Idempotent."""
    stripe.enable_telemetry = False
    stripe.log = None
    stripe_logging.STRIPE_LOG = None
    logger = logging.getLogger("stripe")
    logger.setLevel(logging.CRITICAL + 1)
    logger.propagate = False


class RateLimit:
    """Spaces calls evenly, with few at a time, so that the processor refuses none as too many."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._slots = asyncio.Semaphore(CONCURRENT_MAX)
        self._next_at = float("-inf")
        self._rests_until = float("-inf")

    @contextlib.asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Waits for a free slot and its time, and holds the slot inside."""
        async with self._slots:
            # Set before the wait, or two callers that wait would go at the same moment.
            at = max(self._next_at, self._clock.monotonic())
            self._next_at = at + 1 / REQUESTS_PER_SECOND
            # Checked again after each wait, since another call's 429 may have begun a pause.
            while (wait_s := max(at, self._rests_until) - self._clock.monotonic()) > 0:
                await self._clock.sleep(wait_s)
            yield

    def rest(self, asked_s: str | None) -> None:
        """Pauses calls after a 429. `asked_s` is its `Retry-After`."""
        wait_s = float(asked_s) if asked_s and _SECONDS.fullmatch(asked_s) else TOO_MANY_REST_S
        until = self._clock.monotonic() + min(wait_s, TOO_MANY_REST_MAX_S)
        self._rests_until = max(self._rests_until, until)


class Heard(dict[str, str]):
    """Response headers for the library, and `body`, which it would parse on the event loop."""

    def __init__(self, headers: Mapping[str, str], body: bytes) -> None:
        super().__init__(headers)
        self.body = body


class BoundedClient(stripe.AIOHTTPClient):
    """Makes one attempt of a call, which the library may repeat. Its `session` must be closed."""

    def __init__(self, clock: Clock, trust: ssl.SSLContext | None) -> None:
        timeout = aiohttp.ClientTimeout(total=ATTEMPT_TIMEOUT_S, connect=CONNECT_TIMEOUT_S)
        self.session: Final = plain_session(trust, connections=CONCURRENT_MAX, timeout=timeout)
        super().__init__(session=self.session)
        self._clock = clock
        self._rate_limit = RateLimit(clock)

    def sleep_async(self, secs: float) -> Awaitable[None]:
        """Waits before a repetition."""
        return self._clock.sleep(secs)

    async def request_async(
        self, method: str, url: str, headers: Mapping[str, str], post_data: str | None = None
    ) -> tuple[bytes, int, Mapping[str, str]]:
        """Returns body, status and headers of one exchange. Raises stripe.APIConnectionError.

        Only an error has a body here. A successful one is in the headers (`Heard`).
        """
        try:
            async with self._rate_limit.slot():
                answer = await self._exchange(method, url, headers, post_data)
        except FAILURES as error:
            answer = no_response(error)
        # Raised outside the handler, without aiohttp's error, which has the URL.
        if isinstance(answer, NoResponse):
            # Neither is transient, so a repetition would only delay the error.
            again = answer not in {NoResponse.TLS, NoResponse.TOO_LARGE}
            raise stripe.APIConnectionError(answer.value, should_retry=again)  # type: ignore[no-untyped-call]
        return answer

    async def _exchange(
        self, method: str, url: str, headers: Mapping[str, str], post_data: str | None
    ) -> tuple[bytes, int, Mapping[str, str]] | NoResponse:
        sent = {name: value for name, value in headers.items() if name.lower() in SENT} | {"User-Agent": USER_AGENT}
        async with request(self.session, method.upper(), url, headers=sent, data=post_data) as response:
            body = await bounded_body(response, RESPONSE_MAX_BYTES)
            if isinstance(body, NoResponse):
                return body
            # The whole node pauses, since the limit is the account's.
            if response.status == TOO_MANY:
                self._rate_limit.rest(response.headers.get("Retry-After"))
            heard = {name: response.headers[name] for name in HEARD if name in response.headers}
            is_large = len(body) > INLINE_BYTES
            if not (await asyncio.to_thread(_holds_few_values, body) if is_large else _holds_few_values(body)):
                return NoResponse.TOO_LARGE
            if response.status in ANSWERED:
                return b"{}", response.status, Heard(heard, body)
            # The library reads errors, which have a few hundred bytes.
            return NoResponse.TOO_LARGE if is_large else (body, response.status, heard)


def _holds_few_values(body: bytes) -> bool:
    try:
        require_few_values(body, RESPONSE_MAX_VALUES)
    except ValueError:
        return False
    return True
