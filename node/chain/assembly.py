"""The chain room put together: endpoints, their quorum, live reads, the cache on them, and the listener that voids it."""

import contextlib
import math
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

from prometheus_client import CollectorRegistry, Gauge
from pydantic import JsonValue

from node.chain.abi import account_config_abi
from node.chain.admins.admins import AccountAdmins, AdminSources
from node.chain.admins.history import AdminEvents
from node.chain.admins.limits import AdminHistoryLimits
from node.chain.attested_contract import attested_contract
from node.chain.authorisations.cache import CachedAuthorisations, ChainSight
from node.chain.authorisations.limits import AuthorisationLimits
from node.chain.authorisations.metrics import CacheMetrics
from node.chain.block_floor import BlockFloor
from node.chain.deployment import ExpectedDeployment, verify_deployment
from node.chain.explanations import ExplanationReader
from node.chain.listener import Cursors, ListenedContract, Listener, ListenerLimits, ListenerPorts
from node.chain.listener.queries import account_event_topics
from node.chain.quorum.client import QuorumClient
from node.chain.quorum.limits import QuorumLimits
from node.chain.quorum.reader import HeadWatch, QuorumReader
from node.chain.quorum.reputation import DisagreementMetrics
from node.chain.reads import AccountReader
from node.chain.rpc import JsonRpc
from node.chain.several_news import SeveralNews
from node.chain.view import ContractViews
from node.chain.wallet_contracts import QuorumWalletContracts, WalletContractLimits
from node.database.sqlite import SqliteDatabase
from node.errors import StartupRefusedError
from node.runtime.clock import Clock, ElapsedClock
from node.values import ZERO_ADDRESS


@dataclass(frozen=True, slots=True)
class ChainPlace:
    """Which contract on which chain, over which endpoints; `websocket_endpoints` as in `Listener`."""

    rpc: JsonRpc
    chain_id: int
    contract: str
    websocket_endpoints: Sequence[str] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainLimits:
    """The limits of each part.

    `min_block_timeout_s` is how long a request waits for its `min_block`. A contract whose owner's changes wait for less
    than `min_owner_change_delay_s` is refused.
    """

    quorum: QuorumLimits = field(default_factory=QuorumLimits)
    authorisations: AuthorisationLimits = field(default_factory=AuthorisationLimits)
    listener: ListenerLimits = field(default_factory=ListenerLimits)
    admins: AdminHistoryLimits = field(default_factory=AdminHistoryLimits)
    wallet_contracts: WalletContractLimits = field(default_factory=WalletContractLimits)
    min_block_timeout_s: float = 10.0
    min_owner_change_delay_s: int = 0


class ChainRoom:
    """One contract, read. `reads` are live; `authorisations` and `admins` are cached, and good only inside `listening`.

    `news` is to be told of what this node itself changes on chain.

    What an endpoint takes is measured by the process's own clock, whatever `clocks` say.
    """

    def __init__(
        self, place: ChainPlace, limits: ChainLimits, registry: CollectorRegistry, clocks: Clock | None = None
    ) -> None:
        self._place = place
        self._limits = limits
        self._clocks = clocks = clocks or Clock()
        self.rpc = place.rpc
        self.abi = account_config_abi()
        # Only a chain whose blocks may be of any age, the local one, ever loses its newest for good.
        self.floor = BlockFloor(may_fall=limits.quorum.chain_max_head_age_s == 0)
        self.disagreements = DisagreementMetrics(registry)
        self.client = QuorumClient(place.rpc, limits.quorum, self.disagreements)
        self.quorum = QuorumReader(self.client, self.floor, clocks.unix)
        self._views = views = ContractViews(self.quorum, self.abi, place.contract)
        self.reads = AccountReader(views, self.abi, clocks.unix)
        self.wallet_contracts = QuorumWalletContracts(self.quorum, limits.wallet_contracts)
        self.explanations = ExplanationReader(views, clocks.unix)
        self.reach = HeadWatch(self.quorum, limits.min_block_timeout_s, limits.quorum).reach
        self.authorisations = CachedAuthorisations(
            self.reads,
            ChainSight(self._head_timestamp, self.reach, self.lag_s),
            clocks.unix,
            clocks.monotonic,
            CacheMetrics(registry),
            limits.authorisations,
        )
        events = AdminEvents.of(self.abi, place.contract)
        self.admins = AccountAdmins(
            AdminSources(views, self.client, events),
            self.lag_s,
            ElapsedClock(clocks),
            limits.admins,
        )
        self.news = SeveralNews(self.authorisations, self.admins)
        self.listener: Listener | None = None
        self._show(registry)

    async def verify(self) -> None:
        """Pass when a quorum of endpoints serves this contract, and its code is the published one.

        Raises StartupRefusedError naming the wrong setting.
        """
        place = self._place
        expected = ExpectedDeployment(place.chain_id, place.contract, self._limits.min_owner_change_delay_s)
        await verify_deployment(place.rpc, self.abi, expected, self.client.quorum)

    async def require_admin_payer(self, own: str) -> None:
        """Pass when the contract's admin payer is `own` (EIP-55) or not named yet; reads insist on it from then on.

        Raises StartupRefusedError (`contract_address`) when another one is named, NodeError `chain_unavailable`.
        """
        self.reads.require_admin_payer(own)
        named = (await self.reads.administration()).admin_payer
        if named not in {own, ZERO_ADDRESS}:
            raise StartupRefusedError(
                "contract_address",
                f"The admin payer of the contract at {self._place.contract} is {named}; this enclave's is {own}. Whoever"
                " holds that key may write every API-mode account. Run the node as the app (the same app id) that the"
                " contract was made for, or deploy a new contract: replacing its admin payer is counted for good, and"
                " nodes run nothing for API-mode accounts from then on.",
            )

    async def attested_contract(self) -> dict[str, JsonValue]:
        """Return the statement's part about the account contract. Raises NodeError `chain_unavailable`."""
        return await attested_contract(self._views, self._place.chain_id, self._place.contract)

    @contextlib.asynccontextmanager
    async def listening(self, database: SqliteDatabase) -> AsyncIterator[None]:
        """Follow the chain, so that what changes on it voids what is cached; positions are kept in `database`."""
        place = self._place
        self.listener = Listener(
            self.client,
            ListenedContract(place.chain_id, place.contract, account_event_topics(self.abi)),
            ListenerPorts(self.news, self.quorum, self.quorum.observed, await Cursors.open(database)),
            self._limits.listener,
            # While a virtual machine is suspended its monotonic clock stands still, and nothing is heard.
            Clock(ElapsedClock(self._clocks), self._clocks.unix),
            place.websocket_endpoints,
        )
        async with self.listener.running():
            yield

    def lag_s(self) -> float | None:
        """How old the listener's news may be, in seconds; None before it has any."""
        return None if self.listener is None else self.listener.lag_s()

    def _show(self, registry: CollectorRegistry) -> None:
        """To Prometheus; what is not known yet is NaN."""
        lag = Gauge("svc_account_event_listener_lag_seconds", "Age of the listener's news.", registry=registry)
        lag.set_function(lambda: math.nan if (lag_s := self.lag_s()) is None else lag_s)
        head = Gauge("svc_chain_head_number", "The block the endpoints last agreed on.", registry=registry)
        head.set_function(lambda: math.nan if self.quorum.head is None else self.quorum.head.number)

    def _head_timestamp(self) -> int:
        return 0 if self.quorum.head is None else self.quorum.head.timestamp
