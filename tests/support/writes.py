"""Chain writes on a real local chain with the real contract, a real keyring and a real database."""

import contextlib
import itertools
import json
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import aiohttp
import pytest
from eth_abi.abi import encode
from pydantic import JsonValue

from node.chain.abi import ContractAbi, account_config_abi
from node.chain.port import ChainNews, ContractCall, Page, WriteIntent, WriteObserver, WriteResult
from node.chain.quorum.client import DisagreementObserver, QuorumClient
from node.chain.quorum.reader import MinimumBlock
from node.chain.rpc import JsonRpc
from node.chain.writes.journal import Journal
from node.chain.writes.model import Chain, OnStep, ignore_step
from node.chain.writes.transactor import Transactor
from node.chain.writes.writer import ChainWrites
from node.keyring.enclave import EnclaveKeyring
from node.ledger.port import LedgerDatabase
from node.ledger.sqlite_ledger import SqliteLedger
from node.runtime.clock import Clock
from node.settings.chain import ChainWriteSettings, RpcSettings
from node.settings.ledger import LedgerSettings
from tests.support.ledgers import LedgerWorld
from tests.support.no_news import NoNews
from tests.support.postgres_ledger import SharedDatabase
from tests.support.views import reader_over

ARTIFACT = Path(__file__).parents[2] / "node" / "chain" / "contract" / "AccountConfig.json"
CHAIN_ID = 31337
ETHER = 10**18
OWNER_CHANGE_DELAY_S = 3600
ROOT = bytes(range(32))
ANYWHERE = "0x" + "00" * 20
TRANSACT_GAS = 1_000_000
"""Far more than any call of the tests takes."""

UNHURRIED = RpcSettings(rpc_attempt_timeout_s=30.0, rpc_call_timeout_s=60.0)
"""No test ends by these, however busy the machine is."""
CONSTANTS = {
    "IN_FLIGHT_MAX": ("payer_accounts",),
    "QUEUE_TIMEOUT_S": ("writer",),
    "CHECK_INTERVAL_S": ("tracker",),
    "RESEND_AFTER_S": ("tracker",),
    "NONCE_PROOF_S": ("tracker",),
    "KEEP_FINISHED_S": ("transactor",),
    "TIP_MAX_AGE_S": ("simulation",),
    "SETUP_TIMEOUT_S": ("payers",),
    "RETRY_INTERVAL_S": ("payers",),
    "RECOVERY_WAIT_S": ("tracker",),
}
"""Constants of chain writes that tests change, and the modules that have them."""
BY_HAND_S = 3600.0
"""As CHECK_INTERVAL_S: the test checks unfinished writes itself, so that no other commit comes in between."""


def local_settings(**changed: Any) -> ChainWriteSettings:
    """The settings with these changed, also to values that an operator may not give.

    The local chain now and then forgets a transaction in its pool (foundry issue 10122) until a dearer one comes.
    """
    return ChainWriteSettings().model_copy(update={"write_replace_after_s": 3.0, **changed})


def set_constants(patch: pytest.MonkeyPatch, **values: float) -> None:
    """Change constants of chain writes for the rest of the test."""
    for name, value in values.items():
        for module in CONSTANTS[name]:
            patch.setattr(f"node.chain.writes.{module}.{name}", value)


@dataclass
class Told:
    """An observer that remembers."""

    ended: list[tuple[WriteIntent, WriteResult | None]] = field(default_factory=list)
    taken_up: list[WriteIntent] = field(default_factory=list)
    reverted: list[WriteIntent] = field(default_factory=list)
    raised: list[tuple[WriteIntent, int]] = field(default_factory=list)

    async def write_ended(self, intent: WriteIntent, result: WriteResult | None) -> None:
        self.ended.append((intent, result))

    async def write_taken_up(self, intent: WriteIntent) -> None:
        self.taken_up.append(intent)

    async def write_reverted(self, intent: WriteIntent) -> None:
        self.reverted.append(intent)

    async def offer_raised(self, intent: WriteIntent, more_wei: int) -> None:
        self.raised.append((intent, more_wei))

    def of(self, write_id: str) -> list[WriteResult | None]:
        return [result for intent, result in self.ended if intent.write_id == write_id]


@dataclass
class Heard:
    """A ChainNews that remembers. `on_account` sees how things stand at that moment."""

    accounts: list[tuple[int, int]] = field(default_factory=list)
    forks: list[int] = field(default_factory=list)
    on_account: Callable[[], None] = lambda: None

    def account_changed(self, master_hash: int, block_number: int) -> None:
        self.accounts.append((master_hash, block_number))
        self.on_account()

    def reorganised(self, fork_number: int) -> None:
        self.forks.append(fork_number)


@dataclass
class WriteWorld:
    """A contract on a chain. `rpc` is the test's own way to it; what `open` makes may go through a proxy."""

    rpc: JsonRpc
    url: str
    contract: str
    keyring: EnclaveKeyring
    abi: ContractAbi = field(default_factory=account_config_abi)
    numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    @contextlib.asynccontextmanager
    async def open(
        self,
        place: Path | LedgerWorld | SharedDatabase,
        *,
        told: WriteObserver | None = None,
        urls: Sequence[str] = (),
        quorum: int = 1,
        floor: MinimumBlock | None = None,
        news: ChainNews | None = None,
        observer: DisagreementObserver | None = None,
        instance: str = "first",
        settings: ChainWriteSettings | None = None,
        rpc_limits: RpcSettings | None = None,
        on_step: OnStep = ignore_step,
        books: LedgerDatabase | None = None,
        clock: Clock | None = None,
    ) -> AsyncIterator[ChainWrites]:
        """A node's writes, running, their journal in a file or in the database of `place`, or in `books`, open already.

        With several `urls` the contract is read past them: reads have tests of their own.
        """
        async with aiohttp.ClientSession() as session:
            rpc, floor = (
                JsonRpc(session, urls or [self.url], rpc_limits or UNHURRIED),
                floor or MinimumBlock(may_fall=not urls),
            )
            client = QuorumClient(rpc, RpcSettings(rpc_quorum=quorum), observer)
            chain = Chain(client, CHAIN_ID, self.contract, self.abi, floor, news or NoNews())
            reads = reader_over(rpc if len(rpc.providers) == 1 else self.rpc, self.contract, time.time, floor)
            opened = books or await opened_books(place, instance)
            try:
                journal = Journal(opened.database, self.keyring.idempotency_sealer(), CHAIN_ID, instance)
                transactor = Transactor(chain, journal, settings or local_settings(), clock, on_step)
                writes = ChainWrites(transactor, self.keyring, reads)
                async with writes.running(told or Told()):
                    yield writes
            finally:
                if books is None:
                    await opened.close()

    def intent(self, function: str, *arguments: object, **more: Any) -> WriteIntent:
        """An intent under a write id of its own."""
        return WriteIntent(f"write {next(self.numbers)}", ContractCall(function, arguments), **more)

    def new_account(self, account: int, **more: Any) -> WriteIntent:
        return self.intent("newAccount", account, True, "account", "", ANYWHERE, **more)

    def add_group(self, account: int, name: str = "group", **more: Any) -> WriteIntent:
        return self.intent("addGroup", account, name, "", (), (), **more)

    async def group_names(self, account: int) -> Sequence[str]:
        """The names of the account's groups, in order of creation, by the test's own reading."""
        groups = await reader_over(self.rpc, self.contract, time.time).groups(account, Page(0, 2000))
        return [group.name for group in groups.items]

    async def owner(self) -> str:
        """The contract's owner, an unlocked account of the chain."""
        return str(cast("list[str]", await self.rpc.call("eth_accounts"))[0])

    async def stranger(self) -> str:
        """Another unlocked account with ether."""
        return str(cast("list[str]", await self.rpc.call("eth_accounts"))[1])

    async def transact(self, sender: str, function: str, *arguments: Any) -> None:
        """Call the contract as an unlocked account, past the node."""
        data = "0x" + self.abi.encode_call(function, arguments).hex()
        # An estimate would be too low where the block's second, which the contract stores, changes after it.
        call: dict[str, JsonValue] = {"from": sender, "to": self.contract, "data": data, "gas": hex(TRANSACT_GAS)}
        receipt = await self.rpc.call("eth_sendTransactionSync", [call])
        assert isinstance(receipt, dict)
        assert receipt["status"] == "0x1", receipt

    async def names(self, admin_payer: str, delay_s: int = OWNER_CHANGE_DELAY_S) -> None:
        """The owner puts an admin payer in place, with the delay it takes; 0 for a contract's first."""
        await self.transact(await self.owner(), "setAdminApiPayerAccount", admin_payer)
        if delay_s:
            await self.rpc.call("evm_increaseTime", [delay_s])
            await self.mine()
            await self.transact(await self.owner(), "applyOwnerChange")

    async def payers(self) -> Sequence[str]:
        """The contract's payers, by the test's own reading."""
        return await reader_over(self.rpc, self.contract, time.time).api_payers()

    async def without_admin_payer(self) -> "WriteWorld":
        """Another contract on the same chain, whose admin payer nobody has named yet."""
        return WriteWorld(self.rpc, self.url, await _deployed(self.rpc, ANYWHERE), self.keyring)

    async def count(self, address: str, tag: str = "latest") -> int:
        return int(str(await self.rpc.call("eth_getTransactionCount", [address, tag])), 16)

    async def set_balance(self, address: str, wei: int) -> None:
        await self.rpc.call("anvil_setBalance", [address, hex(wei)])

    async def until_pending(self, transactions: int) -> None:
        """Wait until so many transactions wait for a block that `mine` is to make."""
        while await self.rpc.call("txpool_status") != {"pending": hex(transactions), "queued": "0x0"}:
            pass

    async def automine(self, on: bool) -> None:
        await self.rpc.call("evm_setAutomine", [on])

    async def mine(self) -> None:
        await self.rpc.call("evm_mine", [])


async def opened_books(place: Path | LedgerWorld | SharedDatabase, instance: str) -> LedgerDatabase:
    """The ledger's database as a node of that name opens it: the file, or that of the world."""
    if isinstance(place, Path):
        return await SqliteLedger.open(place, LedgerSettings(), time.time)
    return await (place.node(instance) if isinstance(place, SharedDatabase) else place.open())


async def write_world(session: aiohttp.ClientSession, url: str, admin_ether: int = 100) -> WriteWorld:
    """Deploy the contract for the test enclave's admin payer, which gets some ether, on the chain at `url`."""
    rpc = JsonRpc(session, [url], UNHURRIED)
    admin = EnclaveKeyring(ROOT, CHAIN_ID, ANYWHERE).admin_payer().address
    world = WriteWorld(rpc, url, await _deployed(rpc, admin), EnclaveKeyring(ROOT, CHAIN_ID, ANYWHERE))
    await world.set_balance(admin, admin_ether * ETHER)
    return world


async def _deployed(rpc: JsonRpc, admin_payer: str) -> str:
    accounts = await rpc.call("eth_accounts")
    assert isinstance(accounts, list)
    arguments = encode(["address", "address", "uint256"], [accounts[0], admin_payer, OWNER_CHANGE_DELAY_S])
    bytecode = json.loads(ARTIFACT.read_text())["bytecode"] + arguments.hex()
    creation = {"from": accounts[0], "data": bytecode, "gas": hex(30_000_000)}
    receipt = await rpc.call("eth_sendTransactionSync", [creation])
    assert isinstance(receipt, dict)
    assert receipt["status"] == "0x1", receipt
    return str(receipt["contractAddress"])
