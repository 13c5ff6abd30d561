"""The order of checks every request passes (decisions.md section 3), from headers to the typed answer."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, cast, get_args, get_origin

from aiohttp import web
from pydantic import BaseModel, TypeAdapter

from node.chain.read_meter import metered
from node.http.accept import prefers_csv
from node.http.addresses import rate_limit_client
from node.http.answers import NO_STORE, Answer, Document, document_answer, error_answer
from node.http.authentication import Authenticator, UnknownKeyError, check_kind, key_hash_of, wallet_auth_of
from node.http.body import ArrivingBodies, check_content_length, read_body
from node.http.endpoint import AnyEndpoint, Auth, Call, Listing
from node.http.envelope import CONTEXT, RequestContext
from node.http.errors import DomainError, ErrorCode, NodeError, as_node_error
from node.http.idempotency import Idempotency, KeyedRequest, idempotency_key_of
from node.http.inputs import INLINE_BYTES, large_input, small_input
from node.http.paging import PageQuery, paging_headers
from node.http.protocol import cancelled_on_disconnect
from node.http.rate import LoadGate, RateLimiter
from node.http.read_budget import ReadBudget, RequestReads
from node.http.requested_host import requested_host
from node.runtime.processor_time import ProcessorShares
from node.settings.http import HttpSettings

API_PREFIX: Final = "/core/v1"
_BODY: Final = web.RequestKey("_BODY", bytes)
_READS: Final = web.RequestKey("_READS", RequestReads)
_DEPRECATED_SINCE: Final = "@1767225600"
"""RFC 9745: what is deprecated has been so since this API's first day, 2026-01-01."""


@dataclass(frozen=True, slots=True)
class RateLimits:
    """The buckets the pipeline asks."""

    mints: RateLimiter
    anonymous_idempotency_keys: RateLimiter
    rereads: RateLimiter
    reads: ReadBudget


class Pipeline:
    """Serves endpoints; everything a request needs besides its handler."""

    def __init__(
        self,
        limits: HttpSettings,
        authenticator: Authenticator,
        idempotency: Idempotency,
        rates: RateLimits,
    ) -> None:
        self._limits = limits
        self._authenticator = authenticator
        self._idempotency = idempotency
        self._rates = rates
        self._load = LoadGate(limits.http_max_concurrent_requests)
        self._bodies = ArrivingBodies(limits)
        self._shares = ProcessorShares()

    def route(self, endpoint: AnyEndpoint) -> "Route":
        """What serves one endpoint."""
        return Route(self, endpoint)

    async def answer(self, route: "Route", request: web.Request) -> Answer:
        """Pass one request through all checks to the handler. Raises NodeError for the first check that fails."""
        endpoint = route.endpoint
        context = request[CONTEXT]
        check_content_length(request, self._limits.http_max_body_bytes)
        # The request's reads of the chain count for its address and account; other endpoints read nothing for it.
        reads = request[_READS] = RequestReads(self._rates.reads, rate_limit_client(context.client_address))
        with self._load, reads, metered(None if endpoint.auth is Auth.NONE and not endpoint.free_mint else reads):
            self._check_mints(endpoint, context)
            try:
                call = await self._authenticate(endpoint, request, context)
            except UnknownKeyError:
                if not await self._until_known(endpoint, request, context):
                    raise
                call = await self._authenticate(endpoint, request, context)
            if endpoint.account_gate is None or call.authenticated is None:
                return await self._once(route, request, call)
            with endpoint.account_gate.enter(call.authenticated):
                return await self._once(route, request, call)

    def _check_mints(self, endpoint: AnyEndpoint, context: RequestContext) -> None:
        if endpoint.free_mint:
            self._rates.mints.take(rate_limit_client(context.client_address))

    async def _authenticate(self, endpoint: AnyEndpoint, request: web.Request, context: RequestContext) -> Call:
        call = Call(context.request_id, context.client_address, context.correlation_id, status=endpoint.success_status)
        call.note = context.notes.add
        if endpoint.host_root:
            call.host = requested_host(request)
        if endpoint.also_csv:
            call.headers["Vary"] = "Accept"
            call.wants_csv = prefers_csv(request.headers.get("Accept", ""))
        call.may_reread = partial(self._rates.rereads.may_take, rate_limit_client(context.client_address))
        signed = wallet_auth_of(request) if endpoint.wallet_auth else None
        if signed is not None:  # also when it is wrong: a key beside it then counts for nothing
            call.authenticated = await self._authenticator.authenticate_wallet(signed, context.client_address)
            call.by_wallet = True
        elif endpoint.auth is not Auth.NONE:
            key_hash = key_hash_of(request)
            request[_READS].belong_to(self._authenticator.account_of(key_hash))
            call.authenticated = await self._authenticator.authenticate(endpoint, key_hash, context.client_address)
        if call.authenticated is not None:
            request[_READS].belong_to(call.authenticated.master_hash)
        return call

    async def _until_known(self, endpoint: AnyEndpoint, request: web.Request, context: RequestContext) -> bool:
        """Wait for the block at which an unknown key may be known; False when the request names none, or is wrong.

        A key that was just made through another node would be refused, though its client named the block to wait for.
        """
        if endpoint.until_known is None:
            return False
        address = rate_limit_client(context.client_address)
        try:
            with self._bodies.memory(address) as take:
                body = request[_BODY] = await self._body(request, address, take)
                given = await self._input(endpoint, request, body)
        except DomainError:
            return False
        # Nobody without a key holds a place of the node's meanwhile.
        with self._load.waiting_for_client(), cancelled_on_disconnect(request):
            return await endpoint.until_known(given)

    async def _body(self, request: web.Request, address: str, take: Callable[[int], None]) -> bytes:
        """The request's body, which arrives once."""
        read: bytes | None = request.get(_BODY)
        if read is not None:
            take(len(read))
            return read
        if request.content.is_eof():  # all there, or none: nobody waits for the client
            return await read_body(request, self._limits, take)
        with self._bodies.arriving(address), self._load.waiting_for_client():
            return await read_body(request, self._limits, take)

    async def _input(self, endpoint: AnyEndpoint, request: web.Request, body: bytes) -> BaseModel:
        if len(body) <= INLINE_BYTES:
            return small_input(endpoint, request, body, self._limits)
        address = rate_limit_client(request[CONTEXT].client_address)
        client = self._shares.of(address)
        if client.must_wait:
            # So many of one address wait as may be arriving, and without a place: a thousand of them would take them all.
            with self._bodies.arriving(address), self._load.waiting_for_client():
                await client.turn()
        return await large_input(endpoint, request, body, self._limits, client)

    async def _once(self, route: "Route", request: web.Request, call: Call) -> Answer:
        """Idempotency around body and handler, for a POST that asks for it."""
        endpoint = route.endpoint
        key = idempotency_key_of(request) if endpoint.method == "POST" else None
        if key is not None and endpoint.auth is Auth.NONE:
            self._rates.anonymous_idempotency_keys.take(rate_limit_client(call.client_address))
        address = rate_limit_client(call.client_address)
        with self._bodies.memory(address) as take:
            body = await self._body(request, address, take)
            if key is None:
                return await self._work(route, request, body, call)
            return await self._work_once(route, request, body, call, key)

    async def _work_once(self, route: "Route", request: web.Request, body: bytes, call: Call, key: str) -> Answer:
        endpoint = route.endpoint

        async def produce(idempotency_id: str) -> Answer:
            call.idempotency_id = idempotency_id
            try:
                return await self._work(route, request, body, call)
            except DomainError as error:
                return error_answer(as_node_error(error), call.request_id)

        def refuse(error: DomainError) -> Answer:
            return error_answer(as_node_error(error), call.request_id)

        async def authorise(stored: Answer | None) -> None:
            call.wallets_used = () if stored is None else stored.wallets
            try:
                given = await self._input(endpoint, request, body)
                _check_kind(endpoint, call)
                if endpoint.authorise is not None:
                    await endpoint.authorise(call, given)
            except DomainError as error:
                if (
                    stored is None or stored.status != as_node_error(error).status
                ):  # else it is the refusal that was stored
                    raise

        keyed = KeyedRequest(
            None if call.authenticated is None else call.authenticated.key_hash,
            endpoint.method,
            endpoint.path,
            key,
            body,
            endpoint.one_time_secret,
            endpoint.from_write,
            _owner(call),
            endpoint.largest_answer_bytes,
        )
        return await self._idempotency.answer(keyed, produce, refuse, authorise)

    async def _work(self, route: "Route", request: web.Request, body: bytes, call: Call) -> Answer:
        endpoint = route.endpoint
        given = await self._input(endpoint, request, body)
        _check_kind(endpoint, call)
        if endpoint.cancel_on_disconnect:
            with cancelled_on_disconnect(request):
                value = await endpoint.handle(call, given)
        else:
            value = await endpoint.handle(call, given)
        if endpoint.is_paid(value):
            request[_READS].give_back()
        headers = {**route.headers, **call.headers}
        if isinstance(value, Document):
            return document_answer(value, request.if_none_match, call.status, headers)
        if isinstance(value, Listing):
            if not isinstance(given, PageQuery):
                raise NodeError(ErrorCode.INTERNAL_ERROR, "A list needs a page.")
            headers.update(paging_headers(request.path, request.query, given, value.total))
            value = list(value.items)
        return Answer(call.status, route.answers.dump_json(value), headers, call.wallets_used)


class Route:
    """One endpoint with everything about it that is worth computing once."""

    def __init__(self, pipeline: Pipeline, endpoint: AnyEndpoint) -> None:
        self._pipeline = pipeline
        self.endpoint = endpoint
        self.answers = answer_adapter(endpoint)
        self.headers = _fixed_headers(endpoint)

    async def serve(self, request: web.Request) -> web.Response:
        """The aiohttp handler."""
        answer = await self._pipeline.answer(self, request)
        return answer.response()


def answer_adapter(endpoint: AnyEndpoint) -> TypeAdapter[object]:
    """What writes, and describes, the endpoint's answer; a `Listing[Item]` is a bare array."""
    shape = endpoint.answers
    if get_origin(shape) is Listing:
        (item,) = get_args(shape)
        return TypeAdapter(list[item])  # type: ignore[valid-type]  # the item type is a value here
    return TypeAdapter(cast("type[object]", shape))


def _check_kind(endpoint: AnyEndpoint, call: Call) -> None:
    """Raises NodeError `forbidden` for a kind of key that the endpoint does not take."""
    if call.authenticated is not None and not call.by_wallet:
        check_kind(endpoint, call.authenticated)


def _owner(call: Call) -> bytes:
    """Owner against whose share the stored answer of a keyed request counts."""
    if call.authenticated is None:
        return b"address" + rate_limit_client(call.client_address).encode()
    return b"account" + call.authenticated.master_hash.to_bytes(32)


def _fixed_headers(endpoint: AnyEndpoint) -> dict[str, str]:
    """Cached by nobody unless the handler says otherwise: answers are live, and some are secret."""
    headers = dict(NO_STORE)
    if endpoint.deprecated_by is not None:
        headers["Deprecation"] = _DEPRECATED_SINCE
        headers["Link"] = f'<{API_PREFIX}{endpoint.deprecated_by}>; rel="successor-version"'
    return headers
