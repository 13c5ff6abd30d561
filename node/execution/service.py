"""Running actions: authorise, set credit aside, run, settle what ran."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import structlog

from node.billing.charging import Prices, spender_of
from node.chain.port import Authorisation, Authorisations, MayReread
from node.engine.egress.egress import Egress
from node.engine.port import Engine
from node.execution.meter import Charged, Meter, Tariff
from node.execution.metrics import ExecutionObserver
from node.execution.models import SvcActionAnswer
from node.execution.orders import Order, Program, Programs, check_max_seconds, check_params, params_are_flat
from node.execution.run import FUNDS_LEAD_S, REQUEST_ID, Run, RunEnvironment, SecondSeconds, stopping
from node.execution.wallet_keys import Derivation, WalletKeys
from node.http.authentication import UnknownKeyError
from node.http.errors import forbidden
from node.keyring.port import Keyring
from node.ledger.port import Ledger
from node.permissions.decisions import Decided, Denial, Missing, what_is_missing
from node.permissions.grants import Caller, is_expired
from node.runtime.clock import Clock
from node.runtime.processor_time import ProcessorShares
from node.runtime.tasks import TaskSet
from node.runtime.unique_ids import UniqueIds
from node.settings.execution import ActionSettings

_NONE_USED: Final[Sequence[str]] = ()
_log = structlog.get_logger(__name__)


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
        expired = is_expired(decision.expiration, self._now(), decision.block_timestamp)
        if decision.master_hash != caller.master_hash or expired:
            raise UnknownKeyError
        missing = what_is_missing(Decided(decision.is_account_key, decision.managed, decision.may_execute))
        if missing is not None:
            raise forbidden(Denial(missing), caller)
        return decision


@dataclass(frozen=True, slots=True)
class ExecutionParts:
    """Components that running an action stands on."""

    authorisations: Authorisations
    derivation: Derivation
    engine: Engine
    keyring: Keyring
    ledger: Ledger
    observer: ExecutionObserver
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
            parts.observer,
            self._settings,
            clock,
            self._endings,
            SecondSeconds(max(0.0, 1.0 - FUNDS_LEAD_S)),
        )
        self._runs: set[Run] = set()
        self._all_ended: asyncio.Future[None] | None = None
        self._stopping = False
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
        check_max_seconds(max_seconds, self._settings)
        if not params_are_flat(params, self._settings):
            await check_params(params, self._settings, self._shares.of(caller.master_hash))
        program, decision = await self._authorised(order)
        if self._stopping:
            raise stopping()
        paid_by = Charged(self._ids.ordered(), program.cid, order.headers.get(REQUEST_ID))
        wallets = self._wallets(order, program)
        meter = Meter(self._tariff, spender_of(caller), paid_by, max_seconds)
        answer = await self._answer(Run(self._environment, order, paid_by, meter, wallets))
        return Executed(answer, decision.block_number, sorted(wallets.used) if wallets.used else _NONE_USED)

    async def authorise(self, order: Order, wallets: Sequence[str]) -> None:
        """Pass when the caller may run the action now and use each of these wallets in it.

        Raises NodeError 401, 403, 413 and `chain_unavailable`.
        """
        program, _ = await self._authorised(order)
        keys = self._wallets(order, program)
        for wallet in wallets:
            if not await keys.may_use(wallet):
                raise forbidden(Denial(Missing.WALLET_IN_GROUP), order.caller)

    async def stop(self) -> None:
        """End what runs at once, each answered with its logs so far and charged; begin no more."""
        self._stopping = True
        for run in self._runs:
            run.end()

    async def close(self) -> None:
        """Kill what runs, charge what ran, and wait until that is done."""
        for run in self._runs:
            run.cancel()
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
