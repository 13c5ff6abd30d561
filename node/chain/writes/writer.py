"""Account writes: simulates, journals, sends, waits for the receipt, recalls earlier outcomes.

`ChainWrites` puts the package together: one object to construct, one context to run it in.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Final

import structlog

from node.chain.contract_errors import revert_to_error
from node.chain.errors import (
    ChainUnavailableError,
    JournalCommitUnknownError,
    JournalUnavailableError,
    TooManyWritesError,
    WriteRepeatedError,
    WriteUnconfirmedError,
)
from node.chain.port import (
    AccountReads,
    BeforeSending,
    RecalledWrite,
    WriteIntent,
    WriteObserver,
    WriteResult,
    send_at_any_cost,
)
from node.chain.rpc import CallRevertedError, RpcError, chain_unavailable
from node.chain.writes.broadcast import POLL_MAX_S
from node.chain.writes.finaliser import result_of
from node.chain.writes.journal import DuplicateWriteError
from node.chain.writes.journal_rows import SealedElsewhereError
from node.chain.writes.model import Failed, JournaledWrite, OpenWrite, Outcome, Purpose
from node.chain.writes.payer_accounts import PayerAccount, reserve_wei
from node.chain.writes.payers import PayerPool
from node.chain.writes.simulation import PreparedTransaction
from node.chain.writes.tracker import WriteTracker
from node.chain.writes.transactor import Transactor
from node.database.port import RETRY_AFTER_S, CommitUnknownError, DatabaseUnavailableError
from node.errors import DomainError, StartupRefusedError
from node.keyring.port import Keyring
from node.runtime.clock import Backoff
from node.runtime.tasks import TaskSet

FIRST_PAUSE_S: Final = 0.02
"""Pause before the journal is read again for another instance's write; it doubles each time."""

ASK_AGAIN_S: Final = 0.7
"""Longest wait for a commit's lost result; with the wait before it within three seconds."""

QUEUE_TIMEOUT_S: Final = 10.0
"""Longest wait of a write for a payer below its limit, before the caller's deadline begins."""

PAYER_REFUSALS: Final = frozenset({"NoAccountAccess", "OnlyApiPayer"})
"""Reverts by which the contract refuses a sender as payer. The first may also be an account's."""

_log = structlog.get_logger(__name__)


class AccountWriter:
    """Implements AccountWrites and WriteRecall."""

    def __init__(self, tracker: WriteTracker) -> None:
        self._tracker = tracker
        self._transactor = tracker.transactor
        self._settings = self._transactor.settings
        self._clock = self._transactor.clock
        self._running = TaskSet("chain writes")

    async def write(self, intent: WriteIntent, before_sending: BeforeSending = send_at_any_cost) -> WriteResult:
        """Simulates, journals, sends and waits for the receipt. Raises as AccountWrites.write."""
        try:
            payer, prepared = await self._prepare(intent, self._clock.monotonic() + QUEUE_TIMEOUT_S)
            try:
                # Between simulation and journal, so a write that would revert takes no budget.
                await before_sending(prepared.cost_max)
            except BaseException:
                await self._transactor.payers.release(payer)
                raise
            write = await self._submit(payer, prepared, intent)
        except CallRevertedError as reverted:
            self._check_payers_after(reverted)
            abi = self._transactor.chain.abi
            refusal = revert_to_error(abi, reverted.data, intent.caller_hash, intent.call.function)
            return await self._earlier_attempt(intent, refusal)
        except DuplicateWriteError:
            return await self._result_of_twin(intent)
        except RpcError as error:
            raise chain_unavailable(error) from error
        except CommitUnknownError as error:
            raise await self._ask_again(intent, error) from error
        except DatabaseUnavailableError as error:
            raise JournalUnavailableError(error.retry_after_s or RETRY_AFTER_S) from error
        outcome = await self._outcome(write, self._receipt_deadline())
        if isinstance(outcome, Failed):
            raise outcome.error
        return result_of(write.row, outcome)

    async def earlier(self, idempotency_id: str) -> WriteResult | None:
        """Returns the result of an earlier request's write of this id (AccountWrites.earlier)."""
        found = await self.recall(idempotency_id)
        if found is None or isinstance(found.failure, ChainUnavailableError):
            return None
        if found.failure is not None:
            raise found.failure
        return found.result

    async def recall(self, idempotency_id: str) -> RecalledWrite | None:
        """Returns the outcome of the write journaled under this id (see WriteRecall.recall)."""
        # Set before the journal is read, so that the whole call has one time limit.
        deadline = self._receipt_deadline()
        row = await self._transactor.journal.find(idempotency_id)
        if row is None:
            return None
        outcome = row.outcome
        if outcome is None and (write := self._transactor.payers.find(row.payer, row.nonce)) is not None:
            outcome = await self._outcome(write, deadline)
        if outcome is None:
            outcome = await self._outcome_in_journal(idempotency_id, row, deadline)
        if isinstance(outcome, Failed):
            return RecalledWrite({}, None, outcome.error, row.journaled_at)
        # The write may have ended before a restart. The caller's next read must show it.
        self._transactor.chain.floor.raise_to(outcome.block_number)
        result = result_of(row, outcome)
        return RecalledWrite(result.answer, result, None, row.journaled_at)

    async def is_journaled(self, write_id: str) -> bool:
        """Whether the write of this id is journaled (see AccountWrites.is_journaled)."""
        return await self._transactor.journal.has(write_id)

    async def stop(self) -> None:
        """Wait until no write is between its simulation and the journal."""
        await self._running.drain()

    async def _ask_again(self, intent: WriteIntent, error: CommitUnknownError) -> DatabaseUnavailableError:
        """Returns the error of an unsent write: it was not journaled, or that is unknown."""
        with contextlib.suppress(DomainError, TimeoutError):
            async with asyncio.timeout(ASK_AGAIN_S):
                if not await self._transactor.journal.was_stored(intent.write_id):
                    return JournalUnavailableError(error.retry_after_s or RETRY_AFTER_S)
        # Also if it is stored: the tracker cancels it, but a restart before that sends it.
        return JournalCommitUnknownError()

    async def _outcome_in_journal(self, idempotency_id: str, row: JournaledWrite, deadline: float) -> Outcome:
        """Waits for the outcome of a write of another instance, or ended after its row was read."""
        latest, backoff = row, Backoff(FIRST_PAUSE_S, POLL_MAX_S)
        while latest.outcome is None:
            left_s = deadline - self._clock.monotonic()
            if left_s <= 0:
                raise WriteUnconfirmedError(latest.attempts[-1].hash)
            await self._clock.sleep(min(backoff.failed(), left_s))
            latest = await self._transactor.journal.find(idempotency_id) or latest
        return latest.outcome

    async def _prepare(self, intent: WriteIntent, deadline: float) -> tuple[PayerAccount, PreparedTransaction]:
        """Acquires a payer that can afford the write, and simulates it. The caller releases it."""
        keep = 0 if intent.may_use_reserve else reserve_wei(self._settings)
        chain, needed = self._transactor.chain, keep
        data = chain.abi.encode_call(intent.call.function, intent.call.arguments)
        while True:
            payer = await self._acquire_payer(needed, deadline)
            try:
                gas_max = self._settings.write_gas_limit_max
                prepared = await self._tracker.prepare(payer, chain.contract, data, gas_max=gas_max)
            except BaseException:
                await self._transactor.payers.release(payer)
                raise
            # Checked after the simulation, which finds the gas. Other writes of this payer may have
            # ended meanwhile.
            if payer.available_wei >= keep + prepared.cost_max:
                return payer, prepared
            needed = keep + prepared.cost_max
            await self._transactor.payers.release(payer)
            self._transactor.on_payer_problem()

    async def _acquire_payer(self, needed_wei: int, deadline: float) -> PayerAccount:
        try:
            async with asyncio.timeout(deadline - self._clock.monotonic()):
                payer = await self._transactor.payers.acquire(needed_wei)
        except TimeoutError:
            raise TooManyWritesError from None
        if payer is None:
            self._transactor.on_payer_problem()
            raise self._transactor.payers.refusal()
        return payer

    async def _submit(self, payer: PayerAccount, prepared: PreparedTransaction, intent: WriteIntent) -> OpenWrite:
        """Journal and send, also when the caller goes away meanwhile."""
        submitted: asyncio.Future[OpenWrite] = asyncio.get_running_loop().create_future()

        async def submit() -> None:
            try:
                write = await self._transactor.submit(payer, prepared, Purpose.ACCOUNT, intent)
            except Exception as error:  # noqa: BLE001 - raised to the caller
                if not submitted.cancelled():
                    submitted.set_exception(error)
            else:
                if not submitted.cancelled():
                    submitted.set_result(write)
            finally:
                await self._transactor.payers.release(payer)

        # A separate task: a cancellation between commit and `track` would leave the write unsent.
        self._running.start(submit())
        return await submitted

    async def _outcome(self, write: OpenWrite, deadline: float) -> Outcome:
        await asyncio.wait([write.ended], timeout=max(0.0, deadline - self._clock.monotonic()))
        if not write.ended.done():
            write.log_incomplete()
            raise WriteUnconfirmedError(write.latest.hash)
        return write.ended.result()

    async def _earlier_attempt(self, intent: WriteIntent, refusal: DomainError) -> WriteResult:
        """Returns the result of another attempt at this request, or raises `refusal`."""
        if intent.idempotency_id and (result := await self.earlier(intent.idempotency_id)):
            return result
        raise refusal

    async def _result_of_twin(self, intent: WriteIntent) -> WriteResult:
        """Returns the result of the journaled write of this request, or raises its failure."""
        found = await self.recall(intent.idempotency_id) if intent.idempotency_id else None
        if found is not None and found.failure is not None:
            # Also if it may be retried: it was unfinished when this attempt came, and undone.
            raise found.failure
        if found is None or found.result is None:
            raise WriteRepeatedError
        return found.result

    def _receipt_deadline(self) -> float:
        return self._clock.monotonic() + self._settings.write_receipt_timeout_s

    def _check_payers_after(self, reverted: CallRevertedError) -> None:
        """Starts a round over the payers if the contract refuses this one; it may refuse all."""
        error = self._transactor.chain.abi.decode_error(reverted.data)
        if error is not None and error.name in PAYER_REFUSALS:
            self._transactor.on_payer_problem()


class ChainWrites:
    """`writer` and `payers`, usable inside `running`. The journal's instance gives payers' keys."""

    def __init__(self, transactor: Transactor, keyring: Keyring, reads: AccountReads) -> None:
        self.transactor = transactor
        self.tracker = WriteTracker(transactor)
        self.writer = AccountWriter(self.tracker)
        self.payers = PayerPool(keyring, reads, self.tracker)

    @contextlib.asynccontextmanager
    async def running(self, observer: WriteObserver) -> AsyncIterator[None]:
        """Recovers earlier writes, registers and funds the payers, then serves until the end.

        Raises ChainUnavailableError if the chain cannot be reached at the start,
        DatabaseUnavailableError if the journal cannot, StartupRefusedError (`data_dir`) if the
        journal was written under another root.
        """
        self.transactor.finaliser.observer = observer
        await self.transactor.journal.open()
        await self._recover()
        try:
            await self.payers.start()
            yield
        finally:
            # New writes first, so that nothing is journaled once the tracker has stopped.
            await self.writer.stop()
            await self.payers.stop()
            await self.tracker.stop()

    async def _recover(self) -> None:
        try:
            await self.payers.acquire_leases()
            await self.tracker.start()
        except RpcError as error:
            raise chain_unavailable(error) from error
        except SealedElsewhereError as error:
            what = (
                "The journal of writes, in ledger.sqlite3 there or in the database of ledger_url, was written under "
                "another root key: it belongs to another node."
            )
            raise StartupRefusedError("data_dir", what) from error
