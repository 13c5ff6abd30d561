"""Running actions: authorise, set credit aside, run, settle what ran. Explaining why a key may run one, or why not."""

import asyncio
import sys
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import structlog

from node.billing.charging import Prices, spender_of
from node.chain.port import AccountReads, Authorisation, Authorisations, Explanations, MayReread
from node.engine.cid import cid_of_source
from node.engine.egress.egress import Egress
from node.engine.port import Engine
from node.errors import DomainError
from node.execution.host_calls import Derivation, WalletKeys
from node.execution.meter import Charged, ExecutionMetrics, Meter, Tariff
from node.execution.models import (
    ExplainAnswer,
    ExplainRequest,
    Order,
    SvcActionAnswer,
    check_max_seconds,
    check_params,
    params_are_flat,
    too_large,
)
from node.execution.run import FUNDS_LEAD_S, REQUEST_ID, Run, RunEnvironment, SecondSeconds, stopping
from node.http.authentication import UnknownKeyError
from node.http.errors import ErrorCode, as_node_error, forbidden, wallet_missing
from node.http.rate import MINUTE_S, RateLimiter
from node.keyring.port import Keyring
from node.ledger.port import Ledger, Spender
from node.permissions.grants import (
    Allowed,
    Caller,
    Decided,
    Denial,
    Missing,
    is_expired,
    reason,
    visible_group,
    what_is_missing,
)
from node.runtime.clock import Clock
from node.runtime.processor_time import ProcessorShares
from node.runtime.tasks import TaskSet
from node.settings.execution import ActionSettings, ExplainSettings
from node.values import UniqueIds, hash_of_text, u256_hex

INLINE_CID_CHARACTERS: Final = 256 * 1024
"""Sources above this size are hashed in a thread: a megabyte takes milliseconds."""
_MAX_REMEMBERED: Final = 1024
_MAX_REMEMBERED_BYTES: Final = 16 * 1024 * 1024
"""Sources kept in memory so that those seen before are not hashed again; one takes at most `INLINE_CID_CHARACTERS`."""
_TRACKED_ACCOUNTS_MAX: Final = 100_000
"""Accounts whose counters of questions to explain are kept in memory, a hundred bytes each."""
_REFUSALS: Final = frozenset({ErrorCode.UNAUTHORIZED, ErrorCode.FORBIDDEN})
_NONE_USED: Final[Sequence[str]] = ()
_log = structlog.get_logger(__name__)


class Program(NamedTuple):
    """The CIDv0 of a source, and the hash of that CID."""

    cid: str
    action_hash: int


class Programs:
    """Names sources; the one used longest ago is forgotten first."""

    def __init__(self, settings: ActionSettings) -> None:
        self._code_bytes_max = settings.action_code_bytes
        self._known: OrderedDict[str, Program] = OrderedDict()
        self._known_bytes = 0

    def __len__(self) -> int:
        return len(self._known)

    def __contains__(self, source: str) -> bool:
        return source in self._known

    async def of(self, source: str) -> Program:
        """Return the CID of this source and its hash. Raises NodeError 400 and `payload_too_large`."""
        # A character has at least one byte: what is too long in characters is refused before any of it is hashed.
        self._check_size(len(source))
        if len(source) > INLINE_CID_CHARACTERS:
            # Not looked for: to hash the text for a dictionary takes long too.
            cid, size = await asyncio.to_thread(_cid_and_size, source)
            self._check_size(size)
            return Program(cid, hash_of_text(cid))
        known = self._known.get(source)
        if known is not None:
            self._known.move_to_end(source)
            return known
        # The CID first: it refuses half a surrogate pair, which `encode` could not measure.
        cid = cid_of_source(source)
        self._check_size(len(source.encode()))
        program = Program(cid, hash_of_text(cid))
        self._remember(source, program)
        return program

    def _check_size(self, size: int) -> None:
        if size > self._code_bytes_max:
            raise too_large("The code", self._code_bytes_max)

    def _remember(self, source: str, program: Program) -> None:
        self._known[source] = program
        # What Python holds: a text with one emoji takes four bytes for each of its characters.
        self._known_bytes += sys.getsizeof(source)
        while len(self._known) > _MAX_REMEMBERED or self._known_bytes > _MAX_REMEMBERED_BYTES:
            forgotten, _ = self._known.popitem(last=False)
            self._known_bytes -= sys.getsizeof(forgotten)


def _cid_and_size(source: str) -> tuple[str, int]:
    cid = cid_of_source(source)
    return cid, len(source.encode())


class Authority:
    """Asks for the contract's decision, at or after the block a request names; `now` is unix seconds."""

    def __init__(self, authorisations: Authorisations, now: Callable[[], float]) -> None:
        self._authorisations = authorisations
        self._now = now

    async def authorise(
        self, caller: Caller, action_hash: int, min_block: int | None, may_reread: MayReread
    ) -> Authorisation:
        """Return the contract's yes, decided at one block.

        Raises NodeError 401 for a key gone by now, 403 with `details.missing`, 503 for a chain that is out of reach or
        does not reach `min_block` in time.
        """
        decision = await self._authorisations.execution(caller, action_hash, min_block or 0, may_reread)
        # The answer may be of another moment than the authentication: the key may be gone, or expired by either clock.
        if decision.master_hash != caller.master_hash or self.has_expired(decision):
            raise UnknownKeyError
        missing = what_is_missing(Decided(decision.is_account_key, decision.managed, decision.may_execute))
        if missing is not None:
            raise forbidden(Denial(missing), caller)
        return decision

    def has_expired(self, decision: Authorisation) -> bool:
        """Return whether the key of this decision has expired, by the node's clock or that of the decision's block."""
        return is_expired(decision.expiration, self._now(), decision.block_timestamp)


class ContinuedAuthorisation:
    """Authorisation of one run while it goes on, which began with `decision`.

    Nothing is remembered here but the last yes, so that what is revoked while an action runs ends.
    """

    def __init__(self, authority: Authority, order: Order, action_hash: int, decision: Authorisation) -> None:
        self._authority = authority
        self._order = order
        self._action_hash = action_hash
        self._decision = decision

    async def present_spender(self) -> Spender | None:
        """Return the payer with the key's present cap; None when the key may not run the action any more."""
        caller = self._order.caller
        try:
            self._decision = await self._authority.authorise(
                caller, self._action_hash, self._order.request.min_block, self._order.may_reread
            )
        except DomainError as error:
            # Where nobody can tell, the action lives as after a host call (spec 5.5). Of expiry the last yes tells.
            if as_node_error(error).code in _REFUSALS or self._authority.has_expired(self._decision):
                return None
        return spender_of(replace(caller, cap_cents=self._decision.cap_cents))


@dataclass(frozen=True, slots=True)
class ExecutionParts:
    """Components that running an action stands on."""

    authorisations: Authorisations
    derivation: Derivation
    engine: Engine
    keyring: Keyring
    ledger: Ledger
    metrics: ExecutionMetrics
    egress: Egress


class Executed(NamedTuple):
    """The answer, the block at which the run was authorised, and the addresses of the wallets that it used."""

    answer: SvcActionAnswer
    authorised_at_block: int
    wallets: Sequence[str]


class ExecutionService:
    """Runs actions for callers; `close` it before its engine and its ledger."""

    def __init__(
        self,
        parts: ExecutionParts,
        prices: Prices,
        settings: ActionSettings | None = None,
        clock: Clock | None = None,
    ) -> None:
        clock = clock or Clock()
        self._parts = parts
        self._settings = settings or ActionSettings()
        self._authority = Authority(parts.authorisations, clock.unix)
        self._tariff = Tariff(parts.ledger, prices, self._settings.action_uncharged_s_per_hour, clock)
        self._endings = TaskSet("executions")
        self._environment = RunEnvironment(
            parts.engine,
            parts.keyring,
            parts.egress,
            parts.metrics,
            self._settings,
            clock,
            self._endings,
            SecondSeconds(max(0.0, 1.0 - FUNDS_LEAD_S)),
        )
        self._runs: set[Run] = set()
        self._all_ended: asyncio.Future[None] | None = None
        self._stopping = False
        self._last_call: asyncio.TimerHandle | None = None
        self._shares = ProcessorShares()
        self._ids = UniqueIds()
        self._programs = Programs(self._settings)

    async def cid_of(self, source: str) -> str:
        """Return the CIDv0 of a source. Raises NodeError 400 and `payload_too_large`."""
        return (await self._programs.of(source)).cid

    async def run(self, order: Order) -> Executed:
        """Run an action in the calling task. Cancelled, it is killed and what ran is charged.

        Whatever the action does wrong is an answer with `has_error`. Raises NodeError 400, 401, 402, 403, 413, 429
        and, for the node's own faults, 5xx. Nothing is charged for what did not begin to run; where it had begun,
        `details.charged_cents` says what is.
        """
        caller, params, max_seconds = order.caller, order.request.js_params, order.request.max_seconds
        # The body before the permission, as at every endpoint (spec 2.1).
        check_max_seconds(max_seconds, self._settings)
        if not params_are_flat(params, self._settings):
            await check_params(params, self._settings, self._shares.of(caller.master_hash))
        # Authorised again before each further second, and by `WalletKeys` for the wallet of each host call.
        program, decision = await self._authorised(order)
        # After the last await before the run is among `_runs`: what `stop` does not see must not begin.
        if self._stopping:
            raise stopping()
        paid_by = Charged(self._ids.ordered(), program.cid, order.headers.get(REQUEST_ID))
        wallets = self._wallets(order, program)
        continued = ContinuedAuthorisation(self._authority, order, program.action_hash, decision)
        meter = Meter(self._tariff, spender_of(caller), continued.present_spender, paid_by, max_seconds)
        answer = await self._answer(Run(self._environment, order, paid_by, meter, wallets))
        return Executed(answer, decision.block_number, sorted(wallets.used) if wallets.used else _NONE_USED)

    async def authorise(self, order: Order, wallets: Sequence[str]) -> None:
        """Pass when the caller may run the action now and use each of these wallets in it.

        Raises NodeError 401, 403, 413 and `chain_unavailable`.
        """
        program, _ = await self._authorised(order)
        keys = self._wallets(order, program)
        # A stored answer may hold what these wallets signed: it is shown to nobody who may not use them now (spec 2.7).
        for wallet in wallets:
            if not await keys.may_use(wallet):
                raise forbidden(Denial(Missing.WALLET_IN_GROUP), order.caller)

    async def stop(self, lets_keyed_s: float = 0.0) -> None:
        """End what runs at once, each answered with its logs so far and charged; begin no more.

        What has an Idempotency-Key has so many seconds to end by itself, since it is never begun again.
        """
        self._stopping = True
        for run in self._runs:
            run.end(lets_once=lets_keyed_s > 0)
        self._last_call = asyncio.get_running_loop().call_later(lets_keyed_s, self._end_all)

    def _end_all(self) -> None:
        for run in self._runs:
            run.end()

    async def close(self) -> None:
        """Kill what runs, charge what ran, and wait until that is done."""
        if self._last_call is not None:
            self._last_call.cancel()
        for run in self._runs:
            run.cancel()
        # Runs first, then the settlements they leave behind, then what the ledger still owes an answer for.
        if self._runs:
            self._all_ended = asyncio.get_running_loop().create_future()
            await self._all_ended
        await self._endings.drain()
        if given_up := await self._tariff.close():
            _log.error("executions_not_charged", executions=given_up, fix="the ledger was out when the node stopped")

    async def _authorised(self, order: Order) -> tuple[Program, Authorisation]:
        """Return what names the code, and the decision that lets the caller run it. Raises NodeError 401, 403, 413, 503."""
        program, request = await self._programs.of(order.request.code), order.request
        decision = await self._authority.authorise(
            order.caller, program.action_hash, request.min_block, order.may_reread
        )
        return program, decision

    def _wallets(self, order: Order, program: Program) -> WalletKeys:
        parts, min_block = self._parts, order.request.min_block or 0
        caller, may_reread = order.caller, order.may_reread
        return WalletKeys(parts.authorisations, parts.derivation, caller, program.action_hash, min_block, may_reread)

    async def _answer(self, run: Run) -> SvcActionAnswer:
        self._runs.add(run)
        try:
            return await run.answer()
        finally:
            self._runs.discard(run)
            if self._all_ended is not None and not self._runs and not self._all_ended.done():
                self._all_ended.set_result(None)


class ExplainService:
    """Answers `explain` live from the chain, never from a cache.

    `cid_of` computes the CIDv0 of a source; `clock` is monotonic, in seconds, for the rate.
    """

    def __init__(
        self,
        explanations: Explanations,
        reads: AccountReads,
        prices: Prices,
        cid_of: Callable[[str], Awaitable[str]],
        settings: ExplainSettings,
        clock: Callable[[], float],
    ) -> None:
        self._explanations = explanations
        self._reads = reads
        self._price_cents = prices.execution_cents_per_second
        self._cid_of = cid_of
        per_minute = settings.explain_per_minute_per_account
        self._rate = RateLimiter(
            "questions to explain of this account", per_minute, MINUTE_S, clock, _TRACKED_ACCOUNTS_MAX
        )

    async def explain(self, caller: Caller, request: ExplainRequest) -> ExplainAnswer:
        """Return the decision on the calling key itself; a deny is an answer, no error.

        Raises NodeError 400, 401 for a key gone by now, 404 for a wallet the account does not have, 413, 429, 503.
        """
        # Free, and each one a read of the chain: counted before anything else is done for it.
        self._rate.take(u256_hex(caller.master_hash))
        cid = request.action_ipfs_cid or await self._cid_of(request.code or "")
        wallet = await self._wallet(caller, request.pkp_id)
        found = await self._explanations.explanation(caller.key_hash, hash_of_text(cid), wallet)
        if found is None:
            raise UnknownKeyError
        decision = found.decision
        may_use_wallet = decision.wallets[0] if decision.wallets else None
        decided = Decided(decision.is_account_key, decision.managed, decision.may_execute, may_use_wallet)
        verdict = reason(found.caller, decided, found.groups)
        # Of a denial only a group of the key's own lists: an id tells that the group exists.
        group = verdict.group if isinstance(verdict, Allowed) else visible_group(found.caller, verdict)
        return ExplainAnswer(
            decision="allow" if isinstance(verdict, Allowed) else "deny",
            missing=None if isinstance(verdict, Allowed) else verdict.missing,
            group=None if group is None else str(group),
            block_number=decision.block_number,
            price_cents_per_second=self._price_cents,
        )

    async def _wallet(self, caller: Caller, pkp_id: str | int | None) -> str | None:
        """Return the address of a wallet of the account; a registration is for good, so it may be read ahead of the decision."""
        if pkp_id is None:
            return None
        if isinstance(pkp_id, int):
            wallet = await self._reads.wallet_by_id(caller.master_hash, pkp_id)
        else:
            wallet = await self._reads.wallet(caller.master_hash, pkp_id)
        if wallet is None:
            raise wallet_missing(pkp_id)
        return wallet.address
