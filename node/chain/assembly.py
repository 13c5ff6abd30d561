"""Composition of the chain component: providers, quorum, live reads, caches and listener."""

import contextlib
import math
from collections.abc import AsyncIterator

from prometheus_client import CollectorRegistry, Gauge
from pydantic import JsonValue

from node.chain.abi import account_config_abi
from node.chain.admins import AccountAdmins, AdminEvents
from node.chain.authorisations.cache import CachedAuthorisations, CacheMetrics, ChainView
from node.chain.deployment import attested_contract, verify_deployment
from node.chain.foreign_contracts import QuorumWalletContracts
from node.chain.listener import Cursors, ListenedContract, Listener, ListenerPorts
from node.chain.listener.queries import account_event_topics
from node.chain.port import ChainNews
from node.chain.quorum.client import DisagreementMetrics, QuorumClient
from node.chain.quorum.reader import HeadWatch, MinimumBlock, QuorumReader
from node.chain.reads import AccountReader, ContractViews
from node.chain.rpc import JsonRpc
from node.database.sqlite import SqliteDatabase
from node.errors import StartupRefusedError
from node.runtime.clock import Clock, ElapsedClock
from node.settings import Settings
from node.values import ZERO_ADDRESS


class EventFanOut:
    """Passes each chain event to every cache that must invalidate, in order."""

    def __init__(self, *receivers: ChainNews) -> None:
        self._receivers = receivers

    def account_changed(self, master_hash: int, block_number: int) -> None:
        """Passes on an event of this account in this block."""
        for receiver in self._receivers:
            receiver.account_changed(master_hash, block_number)

    def reorganised(self, fork_number: int) -> None:
        """Passes on that the blocks after `fork_number` were replaced."""
        for receiver in self._receivers:
            receiver.reorganised(fork_number)


class ChainComponent:
    """The contract of `settings`, read through the providers of `rpc`.

    `reads` are live. `authorisations` and `admins` are cached, and valid only inside `listening`.
    This node's own writes go to `news`. Providers' time-outs use the system clock, not `clock`.
    """

    def __init__(
        self, rpc: JsonRpc, settings: Settings, registry: CollectorRegistry, clock: Clock | None = None
    ) -> None:
        self._settings = settings
        self._clock = clock = clock or Clock()
        self.rpc = rpc
        self.abi = account_config_abi()
        # Only the local chain, whose blocks may be of any age, loses its newest blocks for good.
        self.floor = MinimumBlock(may_fall=settings.chain_max_head_age_s == 0)
        self.disagreements = DisagreementMetrics(registry)
        self.client = QuorumClient(rpc, settings, self.disagreements)
        self.quorum = QuorumReader(self.client, self.floor, clock.unix)
        self._views = views = ContractViews(self.quorum, self.abi, settings.contract_address)
        self.reads = AccountReader(views, self.abi, clock.unix)
        self.wallet_contracts = QuorumWalletContracts(self.quorum, settings)
        self.reach = HeadWatch(self.quorum, settings.action_min_block_timeout_s).reach
        self.authorisations = CachedAuthorisations(
            self.reads,
            ChainView(self._head_timestamp, self.reach, self.lag_s),
            settings,
            clock,
            CacheMetrics(registry),
        )
        events = AdminEvents.of(self.abi, settings.contract_address)
        self.admins = AccountAdmins(views, self.client, events, self.lag_s, ElapsedClock(clock), settings)
        self.news = EventFanOut(self.authorisations, self.admins)
        self.listener: Listener | None = None
        self._publish(registry)

    async def verify(self) -> None:
        """Checks that a quorum of providers serves this contract with the published code.

        Raises StartupRefusedError, which names the wrong setting.
        """
        settings = self._settings
        contract, min_delay_s = settings.contract_address, settings.min_owner_change_delay_s
        await verify_deployment(self.rpc, self.abi, settings.chain_id, contract, min_delay_s, self.client.quorum)

    async def require_admin_payer(self, own: str) -> None:
        """Requires that the contract's admin payer is `own` (EIP-55) or not named, also in reads.

        Raises StartupRefusedError (`contract_address`) for another one, ChainUnavailableError.
        """
        # Set before the read below, so that every decision during it is checked too.
        self.reads.require_admin_payer(own)
        named = (await self.reads.administration()).admin_payer
        # Without an admin payer there are no payers to distrust (spec 11.3).
        if named not in {own, ZERO_ADDRESS}:
            raise StartupRefusedError(
                "contract_address",
                f"The admin payer of the contract at {self._settings.contract_address} is {named}; this enclave's is {own}. Whoever"
                " holds that key may write every API-mode account. Run the node as the app (the same app id) that the"
                " contract was made for, or deploy a new contract: replacing its admin payer is counted for good, and"
                " nodes run nothing for API-mode accounts from then on.",
            )

    async def attested_contract(self) -> dict[str, JsonValue]:
        """Returns the statement's part on the account contract. Raises ChainUnavailableError."""
        return await attested_contract(self._views, self._settings.chain_id, self._settings.contract_address)

    @contextlib.asynccontextmanager
    async def listening(self, database: SqliteDatabase) -> AsyncIterator[None]:
        """Follows the chain and invalidates the caches. `database` stores checkpoints."""
        settings = self._settings
        self.listener = Listener(
            self.client,
            ListenedContract(settings.chain_id, settings.contract_address, account_event_topics(self.abi)),
            ListenerPorts(
                self.news, self.quorum.saw, self.quorum.is_fresh, self.quorum.observed, await Cursors.open(database)
            ),
            settings,
            # The monotonic clock stops while a virtual machine is suspended, and so do events.
            Clock(ElapsedClock(self._clock), self._clock.unix),
            settings.rpc_websocket_endpoints,
        )
        async with self.listener.running():
            yield

    def lag_s(self) -> float | None:
        """Returns the age of the oldest change that may be unseen; None before the first poll."""
        return None if self.listener is None else self.listener.lag_s()

    def _publish(self, registry: CollectorRegistry) -> None:
        """Adds gauges to the registry. Unknown values are NaN."""
        lag = Gauge("svc_account_event_listener_lag_seconds", "Age of the listener's news.", registry=registry)
        lag.set_function(lambda: math.nan if (lag_s := self.lag_s()) is None else lag_s)
        head = Gauge("svc_chain_head_number", "The block the endpoints last agreed on.", registry=registry)
        head.set_function(lambda: math.nan if self.quorum.head is None else self.quorum.head.number)

    def _head_timestamp(self) -> int:
        return 0 if self.quorum.head is None else self.quorum.head.timestamp
