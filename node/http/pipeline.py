"""Checks of every request, in order, from the headers to the typed response.

Cheap checks come first, and each protects the next: size, the node's places, limits of the address,
key, the account's places, body and input, kind of key. The handler decides permissions at the end.
"""

import asyncio
import math
from dataclasses import dataclass
from functools import partial
from typing import Final, cast, get_args, get_origin

from aiohttp import web
from pydantic import BaseModel, TypeAdapter

from node.api.calls import Call, Document, Listing
from node.api.errors import ErrorCode, NodeError, UnknownKeyError, as_node_error
from node.api.paging import PageQuery
from node.chain.read_meter import metered
from node.errors import DomainError
from node.http.answers import (
    CONTEXT,
    NO_STORE,
    STATUS_OF,
    Answer,
    RequestContext,
    error_answer,
    paging_headers,
    prefers_csv,
)
from node.http.authentication import Authenticator, check_kind, key_hash_of, wallet_auth_of
from node.http.documents import document_answer
from node.http.endpoint import AnyEndpoint, Auth
from node.http.idempotency import Idempotency, KeyedAttempt, KeyedRequest, idempotency_key_of
from node.http.inputs import INLINE_BYTES, large_input, small_input
from node.http.protocol import cancelled_on_disconnect
from node.http.rate import ReadBudget, RequestReads
from node.http.reading import ArrivingBodies, check_content_length, read_arrived, read_body
from node.permissions.grants import Caller
from node.runtime.limits import Gate, LimitReachedError, TokenBuckets, rate_limit_client
from node.runtime.processor_time import ClientTime, ProcessorShares
from node.settings.http import HttpSettings

API_PREFIX: Final = "/core/v1"
TURN_TIMEOUT_S: Final = 15.0
"""Longest wait of a large body for its address's share of the processor. A hundred bodies of the
largest size take that long."""
_DEPRECATED_SINCE: Final = "@1767225600"
"""Start of every deprecation (RFC 9745): this API's first day, 2026-01-01."""


@dataclass(frozen=True, slots=True)
class RateLimits:
    """Token buckets of the pipeline."""

    mints: TokenBuckets
    anonymous_idempotency_keys: TokenBuckets
    rereads: TokenBuckets
    reads: ReadBudget


class Pipeline:
    """Objects that the checks of all requests share, such as limits, token buckets and gates."""

    def __init__(
        self,
        limits: HttpSettings,
        authenticator: Authenticator,
        idempotency: Idempotency,
        rates: RateLimits,
    ) -> None:
        self.limits = limits
        self.authenticator = authenticator
        self.idempotency = idempotency
        self.rates = rates
        self.load = Gate("This node is working on as many requests as it can.", limits.http_max_concurrent_requests)
        self.bodies = ArrivingBodies(limits)
        self.shares = ProcessorShares()

    def route(self, endpoint: AnyEndpoint) -> "Route":
        """Return the route that serves one endpoint."""
        return Route(self, endpoint)


class Route:
    """Serves one endpoint, and keeps what can be computed once for it."""

    def __init__(self, pipeline: Pipeline, endpoint: AnyEndpoint) -> None:
        self._pipeline = pipeline
        self.endpoint = endpoint
        limits = pipeline.limits
        self.max_body_bytes = limits.http_max_body_bytes
        if not endpoint.limits.takes_code:
            self.max_body_bytes = min(limits.http_max_other_body_bytes, limits.http_max_body_bytes)
        self.answers = answer_adapter(endpoint)
        # Nothing is cached unless the handler says so: responses are live, and some are secret.
        self.headers = dict(NO_STORE)
        if endpoint.operation.deprecated_by is not None:
            self.headers["Deprecation"] = _DEPRECATED_SINCE
            self.headers["Link"] = f'<{API_PREFIX}{endpoint.operation.deprecated_by}>; rel="successor-version"'

    async def answer(self, request: web.Request) -> web.Response:
        """Pass a request through all checks to the handler. Raises NodeError for a failed check."""
        return (await _Exchange(self._pipeline, self, request, request[CONTEXT]).answer()).response()


class _Exchange:
    """Request on its way through the checks."""

    __slots__ = ("_body", "_call", "_context", "_endpoint", "_memory", "_pipeline", "_reads", "_request", "_route")

    def __init__(self, pipeline: Pipeline, route: Route, request: web.Request, context: RequestContext) -> None:
        self._pipeline = pipeline
        self._route = route
        self._endpoint = route.endpoint
        self._request = request
        self._context = context
        # Counts the request's reads of the chain for its address and its account.
        self._reads = RequestReads(pipeline.rates.reads, context.client)
        self._body: bytes | None = None
        self._memory = pipeline.bodies.memory(context.client)
        self._call = self._fresh_call()

    async def answer(self) -> Answer:
        """Make the checks up to the caller's, then continue with body and handler."""
        endpoint, pipeline, reads = self._endpoint, self._pipeline, self._reads
        # The cheapest check first, since it needs no place, chain or body.
        check_content_length(self._request, self._route.max_body_bytes)
        meter = None if endpoint.access.auth is Auth.NONE and not endpoint.limits.free_mint else reads
        # The body's memory stays counted until the response, since the body is kept for a second
        # look-up of the key, the MAC of the stored request and the handler.
        with pipeline.load, self._memory, reads, metered(meter):
            if endpoint.limits.free_mint:
                pipeline.rates.mints.take(self._context.client)
            try:
                caller = await self._authenticate()
            except UnknownKeyError:
                # This node may not have seen the block that added a key made at another node.
                if not await self._until_known():
                    raise
                self._call = self._fresh_call()
                caller = await self._authenticate()
            if endpoint.limits.account_gate is None or caller is None:
                return await self._once()
            # After authentication, so that only the account can fill its places. Before the body,
            # so that the places bound the account's waiting uploads.
            with endpoint.limits.account_gate.place(caller.master_hash):
                return await self._once()

    def _fresh_call(self) -> Call:
        endpoint, context = self._endpoint, self._context
        call = Call(
            context.request_id, context.client_address, context.correlation_id, status=endpoint.responses.success
        )
        call.note = context.note
        # A method of this object would make a reference cycle with the call, which is freed late.
        call.may_reread = partial(self._pipeline.rates.rereads.may_take, context.client)
        if endpoint.operation.host_root:
            # As it was sent, or None unless there is exactly one. `node.http.reading` has removed
            # it where the request line names another host.
            named = self._request.headers.getall("Host", ())
            call.host = named[0] if len(named) == 1 else None
        if endpoint.responses.also_csv:
            call.headers["Vary"] = "Accept"
            call.wants_csv = prefers_csv(self._request.headers.get("Accept", ""))
        return call

    async def _authenticate(self) -> Caller | None:
        """Find the caller. Raises NodeError, and UnknownKeyError for an unknown key."""
        endpoint, authenticator, client = self._endpoint, self._pipeline.authenticator, self._context.client
        signed = wallet_auth_of(self._request) if endpoint.access.wallet_auth else None
        # A wrong signature is refused: trying the key then would give the request two callers.
        if signed is not None:
            caller: Caller | None = await authenticator.authenticate_wallet(signed, client)
            self._call.by_wallet = True
        elif endpoint.access.auth is not Auth.NONE:
            key_hash = key_hash_of(self._request)
            # A known key counts for its account first, which many addresses may share.
            self._reads.belong_to(authenticator.account_of(key_hash))
            caller = await authenticator.authenticate(endpoint, key_hash, client)
        else:
            return None
        self._call.authenticated = caller
        if caller is not None:
            self._reads.belong_to(caller.master_hash)
        return caller

    async def _until_known(self) -> bool:
        """Wait for the block that may make a key known; False if the input is wrong or names none.

        Otherwise a key just made at another node is refused, though its client named the block.
        """
        endpoint, pipeline = self._endpoint, self._pipeline
        if endpoint.operation.until_known is None:
            return False
        try:
            given = await self._input(await self._read())
        # Without memory for the body the key stays undecided, and the client may retry.
        except LimitReachedError:
            raise
        except DomainError:
            return False
        # A caller without a known key holds no place meanwhile, and few of an address may wait.
        with (
            pipeline.bodies.arriving(self._context.client),
            pipeline.load.given_up(),
            cancelled_on_disconnect(self._request),
        ):
            return await endpoint.operation.until_known(given)

    async def _once(self) -> Answer:
        """Read the body and call the handler; a POST with an Idempotency-Key is done once."""
        endpoint, context = self._endpoint, self._context
        key = None
        if endpoint.operation.method == "POST":
            key = idempotency_key_of(self._request, is_secret=endpoint.repetition.key_is_secret)
        # Each key costs a database row. With an account, the account's share bounds them.
        if key is not None and endpoint.access.auth is Auth.NONE:
            self._pipeline.rates.anonymous_idempotency_keys.take(context.client)
        body = await self._read()
        return await (self._work(body) if key is None else self._work_once(body, key))

    async def _read(self) -> bytes:
        """Return the request's body, read once. Raises NodeError, and LimitReachedError."""
        if self._body is None:
            self._body = read_arrived(self._request, self._route.max_body_bytes)
        if self._body is None:
            pipeline, max_bytes, take = self._pipeline, self._route.max_body_bytes, self._memory.add
            if self._request.content.is_eof():  # the whole body has arrived
                self._body = await read_body(self._request, max_bytes, take)
            else:
                with pipeline.bodies.arriving(self._context.client), pipeline.load.given_up():
                    self._body = await read_body(self._request, max_bytes, take)
        return self._body

    async def _input(self, body: bytes) -> BaseModel:
        pipeline = self._pipeline
        if len(body) <= INLINE_BYTES:
            return small_input(self._endpoint, self._request, body, pipeline.limits)
        client = pipeline.shares.of(self._context.client)
        # Parsing large JSON holds the interpreter lock, so it uses the address's share of time.
        if client.must_wait:
            # Waiters give up their place, or a thousand would take all. `arriving` bounds them.
            with (
                pipeline.bodies.arriving(self._context.client),
                pipeline.load.given_up(),
                cancelled_on_disconnect(self._request),
            ):
                await _turn_of(client)
        return await large_input(self._endpoint, self._request, body, pipeline.limits, client)

    async def _work_once(self, body: bytes, key: str) -> Answer:
        endpoint, call = self._endpoint, self._call

        async def produce(attempt: KeyedAttempt) -> Answer:
            call.idempotency_id, call.attempt = attempt.idempotency_id, attempt
            # A refusal is a response too: the same key must get it again, whatever has changed.
            try:
                return await self._work(body, attempt)
            except DomainError as error:
                return error_answer(as_node_error(error), call.request_id)

        def refuse(error: DomainError) -> Answer:
            return error_answer(as_node_error(error), call.request_id)

        async def authorise(stored: Answer | None) -> None:
            call.wallets_used = () if stored is None else stored.wallets
            try:
                given = await self._input(body)
                # Checked again, since the account may have been converted since then.
                _check_kind(endpoint, call)
                if endpoint.authorise is not None:
                    await endpoint.authorise(call, given)
            except DomainError as error:
                # If the stored response is the same refusal, it is shown.
                if stored is None or stored.status != STATUS_OF[as_node_error(error).code]:
                    raise

        # Charged to the account, so that a new usage key brings no share of its own.
        if call.authenticated is None:
            key_hash, owner = None, b"address" + rate_limit_client(call.client_address).encode()
        else:
            key_hash, owner = call.authenticated.key_hash, b"account" + call.authenticated.master_hash.to_bytes(32)
        keyed = KeyedRequest(
            key_hash,
            endpoint.operation.method,
            endpoint.operation.path,
            key,
            body,
            endpoint.repetition.one_time_secret,
            endpoint.repetition.from_write,
            owner,
            endpoint.limits.largest_answer_bytes,
            None if call.authenticated is None else call.authenticated.master_hash,
            endpoint.repetition.key_is_secret,
        )
        return await self._pipeline.idempotency.answer(keyed, produce, refuse, authorise)

    async def _work(self, body: bytes, attempt: KeyedAttempt | None = None) -> Answer:
        endpoint, call, request, route = self._endpoint, self._call, self._request, self._route
        given = await self._input(body)
        # After the body, so that a malformed request is 400 for every kind of key.
        _check_kind(endpoint, call)
        # Other work runs to its end: a signed write is followed, and its response stored.
        if endpoint.limits.cancel_on_disconnect:
            with cancelled_on_disconnect(request) as connection:
                if attempt is not None:
                    attempt.detach = connection.detach
                value = await endpoint.operation.handle(call, given)
        else:
            value = await endpoint.operation.handle(call, given)
        # The price of the call covers its reads; only now is it known whether it was charged.
        if endpoint.limits.is_paid(value):
            self._reads.give_back()
        headers = {**route.headers, **call.headers}
        if isinstance(value, Document):
            return document_answer(value, request, call.status, headers)
        if isinstance(value, Listing):
            if not isinstance(given, PageQuery):
                raise NodeError(ErrorCode.INTERNAL_ERROR, "A list needs a page.")
            headers.update(paging_headers(request.path, request.query, given, value.total))
            value = list(value.items)
        return Answer(call.status, route.answers.dump_json(value), headers, call.wallets_used)


def answer_adapter(endpoint: AnyEndpoint) -> TypeAdapter[object]:
    """Return the serializer of the endpoint's response; `Listing[Item]` becomes a bare array."""
    shape = endpoint.operation.answers
    if get_origin(shape) is Listing:
        (item,) = get_args(shape)
        return TypeAdapter(list[item])  # type: ignore[valid-type]  # the item type is a value here
    return TypeAdapter(cast("type[object]", shape))


async def _turn_of(client: ClientTime) -> None:
    """Wait for the client's share of the processor. Raises LimitReachedError after the timeout."""
    try:
        async with asyncio.timeout(TURN_TIMEOUT_S):
            await client.turn()
    except TimeoutError:
        raise LimitReachedError(
            "The large bodies of this address have used its share of the processor up.",
            fix="Send fewer or smaller bodies, and the request again later.",
            retry_after_s=math.ceil(TURN_TIMEOUT_S),
        ) from None


def _check_kind(endpoint: AnyEndpoint, call: Call) -> None:
    """Raises NodeError `forbidden` for a kind of key that the endpoint does not take."""
    if call.authenticated is not None and not call.by_wallet:
        check_kind(endpoint, call.authenticated)
