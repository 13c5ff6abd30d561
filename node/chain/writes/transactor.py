"""Signs, stores and sends transactions of the payers (EIP-1559), and stores before it sends.

No other module signs. A transaction gets its nonce, its signature and its row in one commit of the
journal; a replacement under the same nonce is stored before it is sent as well.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import structlog

from node.chain.port import WriteIntent
from node.chain.writes.broadcast import ReceiptPoller, Sender
from node.chain.writes.finaliser import WriteFinaliser
from node.chain.writes.journal import Journal
from node.chain.writes.model import (
    Attempt,
    CancelReason,
    Chain,
    Draft,
    Fees,
    JournaledWrite,
    OnStep,
    OpenWrite,
    Purpose,
    Transaction,
    WriteStep,
    ignore_step,
)
from node.chain.writes.payer_accounts import PayerAccount, PayerAccounts
from node.chain.writes.simulation import PreparedTransaction, Simulator
from node.errors import DomainError
from node.keyring.port import SigningKey
from node.keyring.transactions import sign_transaction, transaction_hash
from node.runtime.clock import Clock
from node.settings.chain import ChainWriteSettings

TRANSFER_GAS: Final = 21_000
"""Gas of an empty transaction (Yellow Paper, G_transaction)."""

KEEP_FINISHED_S: Final = 25 * 3600.0
"""Time that finished writes stay in the journal: an hour more than Idempotency-Key results."""

_log = structlog.get_logger(__name__)


class Transactor:
    """Takes transactions for users and for the payers themselves from signature to receipt.

    `on_payer_problem` is called when a payer lacks gas money, or when the contract refuses it.
    """

    def __init__(
        self,
        chain: Chain,
        journal: Journal,
        settings: ChainWriteSettings,
        clock: Clock | None = None,
        on_step: OnStep = ignore_step,
    ) -> None:
        clock = clock or Clock()
        self.chain: Final = chain
        self.journal: Final = journal
        self.settings: Final = settings
        self.clock: Final = clock
        self.on_step: Final = on_step
        self.on_payer_problem: Callable[[], None] = _ignore
        self.payers: Final = PayerAccounts()
        self.finaliser: Final = WriteFinaliser(chain, journal, self.payers, clock, on_step)
        self.simulator: Final = Simulator(chain, settings, clock)
        self.sender: Final = Sender(chain.client, clock, self.finaliser.finalise, self._payer_problem, on_step)
        self.receipts: Final = ReceiptPoller(chain.client, self.payers, clock, self.finaliser.finalise)
        journal.on_unsent = self._withdraw

    async def add_payer(self, address: str, key: SigningKey | None, *, shared: bool = False) -> PayerAccount:
        """Take the payer's lease and track everything unfinished that the journal holds of it."""
        # The lease comes before the read: from here no other process adds or ends a row of it.
        payer = PayerAccount(address, key, await self.journal.acquire_lease(address), shared=shared)
        for row in await self.journal.unfinished(address):
            payer.track(OpenWrite.of(row, self.clock.monotonic()))
        self.payers.add(payer)
        return payer

    async def submit(
        self, payer: PayerAccount, prepared: PreparedTransaction, purpose: Purpose, intent: WriteIntent | None
    ) -> OpenWrite:
        """Sign, store and send. Must not be cancelled.

        Raises DuplicateWriteError, and DomainError if it could not be stored, so nothing is sent.
        """
        now = self.clock.unix()

        def sign(nonce: int) -> Attempt:
            attempt = self._sign(payer, nonce, prepared.transaction, prepared.fees, now, None)
            self.on_step(WriteStep.SIGNED)
            return attempt

        draft = Draft(payer.address, purpose, prepared.transaction, intent, prepared.count, now)
        row = await self.journal.append(draft, sign)
        write = OpenWrite.of(row, self.clock.monotonic())
        # First of all: a stored transaction must be tracked, also if a later step fails.
        payer.track(write)
        self.on_step(WriteStep.STORED)
        self.sender.push(payer, write)
        self.receipts.wake()
        return write

    async def replace(self, payer: PayerAccount, write: OpenWrite, fees: Fees, cancels: CancelReason | None) -> None:
        """Signs and stores an attempt under a write's nonce: its transaction or an empty one."""
        transaction = empty_transaction(payer.address) if cancels else write.row.transaction
        attempt = self._sign(payer, write.row.nonce, transaction, fees, self.clock.unix(), cancels)
        # Stored first: once sent, either attempt may be mined, and a restart must poll both.
        await self.journal.add_attempt(write.row, attempt)
        if cancels and not write.latest.cancels:
            _log.warning("a write is cancelled", payer=payer.address, nonce=write.row.nonce, reason=cancels.value)
        write.replace(attempt)

    async def fill(self, payer: PayerAccount, nonces: Sequence[int], fees: Fees) -> Mapping[int, JournaledWrite]:
        """Signs and stores empty transactions under nonces counted long ago that have no row."""
        transaction = empty_transaction(payer.address)
        draft = Draft(payer.address, Purpose.FILLER, transaction, None, 0, self.clock.unix())

        def sign(nonce: int) -> Attempt:
            return self._sign(payer, nonce, transaction, fees, self.clock.unix(), CancelReason.NO_ROW)

        return {nonce: await self.journal.fill(draft, nonce, sign) for nonce in nonces}

    def is_as_signed(self, payer: PayerAccount, row: JournaledWrite) -> bool:
        """Whether the transaction of a row is the one that its payer signed first.

        The database operator can write another one, which must not be signed under a new offer.
        Signatures are deterministic (RFC 6979): signing an intact row yields the stored bytes.
        """
        first = row.attempts[0]
        try:
            # The time is no signed field, so the stored one is as good as any.
            again = self._sign(payer, row.nonce, row.transaction, first.fees, first.stored_at, None)
        except DomainError:
            return False
        return again.raw == first.raw

    async def prune(self) -> None:
        """Delete the writes that ended longer ago than `KEEP_FINISHED_S`."""
        await self.journal.prune(self.clock.unix() - KEEP_FINISHED_S)

    async def stop(self) -> None:
        """Stop sending, and journal the outcomes that are known."""
        await self.sender.stop()
        await self.finaliser.stop(self.settings.write_stop_timeout_s)

    def _sign(
        self,
        payer: PayerAccount,
        nonce: int,
        transaction: Transaction,
        fees: Fees,
        now: float,
        cancels: CancelReason | None,
    ) -> Attempt:
        # A payer of an earlier configuration: its stored bytes are sent, and nothing new is signed.
        if payer.key is None:
            raise ValueError("a payer without its key signs nothing")
        fields = {
            # EIP-1559. The signed chain id prevents replay on another chain.
            "type": 2,
            "chainId": self.chain.chain_id,
            "nonce": nonce,
            "to": transaction.to,
            "value": transaction.value,
            "data": transaction.data,
            "gas": transaction.gas_limit,
            "maxFeePerGas": fees.max_fee,
            "maxPriorityFeePerGas": fees.priority_fee,
        }
        raw = sign_transaction(payer.key, fields)
        return Attempt(transaction_hash(raw), raw, fees, cancels, now)

    def _withdraw(self, row: JournaledWrite) -> None:
        """Tracks a stored write whose caller got an error, so that the tracker cancels it."""
        if (payer := self.payers.get(row.payer)) is not None:
            write = OpenWrite.of(row, self.clock.monotonic())
            write.withdrawn = True
            payer.track(write)

    def _payer_problem(self) -> None:
        self.on_payer_problem()


def empty_transaction(payer: str) -> Transaction:
    """Returns a transfer of nothing from the payer to itself, which only uses up a nonce."""
    return Transaction(to=payer, data=b"", value=0, gas_limit=TRANSFER_GAS)


def _ignore() -> None:
    """Do nothing until a listener is set."""
