"""Payers of an instance, derived from its id, registered in the contract, and kept in gas money.

The admin payer registers and funds them. Every instance signs with its key, so two may take one
nonce. The loser's transaction then ends as superseded, and the round is repeated.
"""

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum, auto
from typing import Final

import structlog

from node.chain.port import AccountReads, Administration
from node.chain.rpc import CallRevertedError, RpcCall, RpcError
from node.chain.writes.model import Mined, OpenWrite, Purpose
from node.chain.writes.payer_accounts import TAKEN, PayerAccount
from node.chain.writes.payer_status import AdminPayerState, PayersStatus, PayerStatus
from node.chain.writes.tracker import WriteTracker
from node.database.port import DatabaseUnavailableError
from node.errors import DomainError
from node.keyring.port import Keyring
from node.runtime.tasks import TaskSet

RETRY_INTERVAL_S: Final = 5.0
"""Pause after a failed round, at most `payer_rebalance_interval_s`: operators act at any time."""

SETUP_TIMEOUT_S: Final = 60.0
"""Longest wait of a start for registration and the first top-ups: a few blocks of a slow chain."""

SPACING_S: Final = 1.0
"""Least pause between two rounds: many writes that find a poor payer ask for one top-up."""

_log = structlog.get_logger(__name__)


class FundingResult(Enum):
    """Result of a round over the payers."""

    DONE = auto()
    OUTBID = auto()
    """Another instance's transaction took the admin payer's nonce, so the round is repeated."""
    PROBLEM = auto()
    """The operator has to act, or the chain does not answer."""


class PayerFunding:
    """Registers the `payers` of an instance and tops them up from the `admin` payer.

    `problem` is a sentence for the operator, or None.
    """

    def __init__(
        self, tracker: WriteTracker, reads: AccountReads, admin: PayerAccount, payers: Sequence[PayerAccount]
    ) -> None:
        self._tracker = tracker
        self._transactor = tracker.transactor
        self._reads = reads
        self._admin = admin
        self._payers = payers
        self._settings = tracker.transactor.settings
        self._clock = tracker.transactor.clock
        self._administration: Administration | None = None
        self._registered: frozenset[str] = frozenset()
        self._read_at: float | None = None
        self._found: str | None = None
        self._one_at_a_time = asyncio.Lock()
        self.problem: str | None = None

    def status(self) -> PayersStatus:
        """Returns the state as of the last round and the writes since."""
        payers = [self._status(payer, registered=payer.address in self._registered) for payer in self._payers]
        age_s = None if self._read_at is None else self._clock.monotonic() - self._read_at
        admin = self._admin
        return PayersStatus(payers, admin.address, admin.balance_wei, self.problem, age_s, self._administration)

    async def run_once(self) -> FundingResult:
        """Reads balances, registers missing payers, tops up low ones, and waits until all is mined.

        Raises RpcRefusedError, RpcUnavailableError, CallRevertedError or DomainError if the chain
        does not answer as it should.
        """
        async with self._one_at_a_time:  # two rounds at once would each report the other's problem
            self._found = None
            return await self._round()

    async def _round(self) -> FundingResult:
        await self._read_state()
        # Under another admin payer, or none, this instance's payers cannot write and get no money.
        sent = [*await self._register(), *await self._top_up()] if self._is_named() else []
        mined = [await _is_mined(write) for write in sent]
        if sent:
            await self._read_state()
        # Set only now: during a round, /health shows the problem of the round before.
        self.problem = self._found
        if self.problem is not None:
            return FundingResult.PROBLEM
        return FundingResult.DONE if all(mined) else FundingResult.OUTBID

    async def _read_state(self) -> None:
        """Reads balances and registrations. From then on only registered payers may send."""
        await self._read_balances()
        self._note_administration(await self._reads.administration())
        self._read_at = self._clock.monotonic()
        # Only after both reads: a payer with money that the contract does not name cannot write.
        self._transactor.payers.are_balances_known = True
        await self._transactor.payers.wake_waiting()

    def _report(self, problem: str) -> None:
        self._found = self.problem = problem

    async def _read_balances(self) -> None:
        payers = [self._admin, *self._payers]
        calls = [RpcCall("eth_getBalance", [payer.address, "latest"]) for payer in payers]
        client = self._transactor.chain.client
        for payer, balances in zip(payers, await client.numbers(calls), strict=True):
            # A low balance costs the admin payer money, so a quorum must show it.
            payer.balance_wei = client.at_most(balances)

    def _note_administration(self, read: Administration) -> None:
        known, self._administration = self._administration, read
        if known is None or (known.owner, known.admin_payer) != (read.owner, read.admin_payer):
            _log.info(
                "contract_administration", owner=read.owner, admin_payer=read.admin_payer, own=self._admin.address
            )
        if read.scheduled is not None and (known is None or known.scheduled != read.scheduled):
            scheduled = read.scheduled
            _log.error("owner_change_scheduled", admin_payer=scheduled.admin_payer, effective_at=scheduled.effective_at)
        # A payer registered by another admin payer belongs to that one, even at our address.
        trusted = self.status().admin_state is AdminPayerState.OWN
        self._registered = frozenset(read.payers if trusted else ())
        for payer in self._payers:
            if payer.address in self._registered:
                self._transactor.payers.admit(payer)
            else:
                self._transactor.payers.dismiss(payer)

    def _is_named(self) -> bool:
        """Whether this enclave's admin payer is and was the only one. Reports a problem if not."""
        state, own = self.status().admin_state, self._admin.address
        if state is AdminPayerState.UNNAMED:
            self._report(
                f"The contract has no admin payer yet, so API-mode writes are refused: its owner must name this node's"
                f" admin payer {own} with setAdminApiPayerAccount."
            )
        elif state is AdminPayerState.OTHER:
            named = self._administration.admin_payer if self._administration else None
            self._report(
                f"The contract's owner has named another admin payer, {named}, whose payers may write every API-mode"
                f" account: writes and runs of such accounts are refused, for good: naming this node's admin payer {own}"
                " again does not take back what they wrote. Ask the owners."
            )
            _log.error("admin_payer_is_another", named=named, own=own)
        elif state is AdminPayerState.REPLACED:
            self._report(
                "The contract has had another admin payer, whose payers may have written every API-mode account: writes"
                " and runs of such accounts are refused, for good. Deploy a new contract."
            )
            _log.error("admin_payer_was_another", own=own)
        return state is AdminPayerState.OWN

    async def _register(self) -> Sequence[OpenWrite]:
        """Registers the payers that are missing. Returns the write, maybe of an earlier round."""
        missing = [payer.address for payer in self._payers if payer.address not in self._registered]
        if not missing:
            return []
        # A cancelled round, or one whose process was killed, leaves its registration under way. A
        # second one would take another nonce behind it and pay for nothing.
        if under_way := [write for write in self._admin.in_order() if write.row.purpose is Purpose.PAYERS]:
            return under_way
        chain = self._transactor.chain
        write = await self._send(chain.contract, chain.abi.encode_call("addApiPayers", [missing]), 0, Purpose.PAYERS)
        return [write] if write else []

    async def _top_up(self) -> Sequence[OpenWrite]:
        """Send each low payer what it lacks, the poorest first, as far as the money goes."""
        awaiting = {write.row.transaction.to for write in self._admin.open.values()}
        low = [payer for payer in self._payers if payer.balance_wei < self._settings.payer_low_balance_wei]
        sent: list[OpenWrite] = []
        for payer in sorted(low, key=lambda payer: payer.balance_wei):
            # The balance lacks an unmined top-up, and a second one would exceed the target.
            if payer.address in awaiting:
                continue
            lacks = self._settings.payer_target_balance_wei - payer.balance_wei
            if (write := await self._send(payer.address, b"", lacks, Purpose.TOP_UP)) is None:
                _log.warning("a payer could not be topped up", payer=payer.address, admin=self._admin.address)
                break
            sent.append(write)
        return sent

    async def _send(self, to: str, data: bytes, value: int, purpose: Purpose) -> OpenWrite | None:
        """Send one transaction of the admin payer; None when it cannot pay for it."""
        # Checked before the simulation too: providers refuse to simulate a transfer of too much.
        if self._admin.available_wei > value:
            prepared = await self._tracker.prepare(self._admin, to, data, value)
            # `cost_max` includes the value: a transaction that is not covered blocks later nonces.
            if prepared.cost_max <= self._admin.available_wei:
                # Shielded: a stored transaction that is not tracked would block later nonces.
                return await asyncio.shield(self._transactor.submit(self._admin, prepared, purpose, None))
        self._report(
            f"The admin payer {self._admin.address} has not enough gas money: {self._admin.available_wei} wei for a "
            f"transaction of {value} wei and its fee. Send some, or lower payer_target_balance_wei."
        )
        return None

    def _status(self, payer: PayerAccount, *, registered: bool) -> PayerStatus:
        return PayerStatus(payer.address, payer.balance_wei, registered, registered and payer.available_wei > 0)


async def _is_mined(write: OpenWrite) -> bool:
    await asyncio.wait([write.ended])
    return isinstance(write.ended.result(), Mined)


class PayerPool:
    """Payers 0 to `payer_count` - 1 of an instance, and the admin payer that all instances share.

    Two instances never share a payer, since keys are derived from the instance's id. Usable once
    `acquire_leases` has run. `funding` runs the rounds over the payers.
    """

    funding: PayerFunding

    def __init__(self, keyring: Keyring, reads: AccountReads, tracker: WriteTracker) -> None:
        self._reads = reads
        self._tracker = tracker
        self._transactor = tracker.transactor
        self._settings = tracker.transactor.settings
        instance = tracker.transactor.journal.instance
        self._keys = [keyring.payer(instance, index) for index in range(self._settings.payer_count)]
        self._admin_key = keyring.admin_payer()
        self._wanted = asyncio.Event()
        self._background = TaskSet("chain writes")

    @property
    def addresses(self) -> Sequence[str]:
        """Addresses of this instance's payers, EIP-55, in order of their index."""
        return [key.address for key in self._keys]

    @property
    def admin_address(self) -> str:
        """Address of the admin payer, EIP-55, to which the operator sends gas money."""
        return self._admin_key.address

    def status(self) -> PayersStatus:
        """Returns the last round's state. No payer is ready if another node has the lease."""
        status = self.funding.status()
        if not self._transactor.journal.is_lease_lost:
            return status
        return replace(status, payers=[replace(payer, ready=False) for payer in status.payers], problem=TAKEN)

    async def acquire_leases(self) -> None:
        """Acquires leases of these payers, the admin payer, and others with unfinished writes."""
        admin = await self._transactor.add_payer(self._admin_key.address, self._admin_key, shared=True)
        payers = [await self._transactor.add_payer(key.address, key) for key in self._keys]
        known = {payer.address for payer in (admin, *payers)}
        for address in await self._transactor.journal.payers_with_unfinished():
            if address not in known:
                _log.warning("unfinished writes of a payer that is no longer used are sent again", payer=address)
                # `payer_count` was lowered: the key is not derived, but the stored bytes suffice.
                await self._transactor.add_payer(address, None)
        self.funding = PayerFunding(self._tracker, self._reads, admin, payers)

    async def start(self) -> None:
        """Registers and funds for at most `SETUP_TIMEOUT_S`, then goes on in the background."""
        self._transactor.on_payer_problem = self._wanted.set
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SETUP_TIMEOUT_S):
                ended = FundingResult.OUTBID
                while ended is FundingResult.OUTBID:
                    ended = await self._round()
        self._background.keep(self._run)

    async def stop(self) -> None:
        """Stop. Unfinished top-ups are in the journal."""
        await self._background.stop()

    async def _run(self) -> None:
        usual_s = self._settings.payer_rebalance_interval_s
        retry_s = min(RETRY_INTERVAL_S, usual_s)
        pause_s = retry_s
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause_s):
                    await self._wanted.wait()
            self._wanted.clear()
            ended = await self._round()
            # A top-up or a naming by hand may come at any time, so a failed round repeats soon.
            pause_s = usual_s if ended is FundingResult.DONE else retry_s
            try:
                await self._transactor.prune()
            except DomainError as error:
                _log.warning("finished writes could not be deleted yet", error=type(error).__name__)
            await self._transactor.clock.sleep(SPACING_S)

    async def _round(self) -> FundingResult:
        try:
            ended = await self.funding.run_once()
        except (RpcError, CallRevertedError, DomainError) as error:
            is_database_out = isinstance(error, DatabaseUnavailableError)
            cause = "the database is out" if is_database_out else "the chain does not answer as it should"
            self.funding.problem = f"The payers could not be checked: {cause}."
            _log.warning("payers could not be checked", error=str(error))
            return FundingResult.PROBLEM
        if self.funding.problem is not None:
            _log.warning("payers need the operator", problem=self.funding.problem)
        return ended
