"""The chain and the account contract on it, for /health: shown to anybody, so it names no host and no URL."""

from collections.abc import Callable

from node.chain.assembly import ChainRoom
from node.chain.listener import FollowerStatus
from node.chain.rpc import Endpoint
from node.chain.writes.payer_status import PayersStatus
from node.status.models import (
    AccountContractState,
    AuthorisationCacheSize,
    ChainHead,
    Freshness,
    RpcEndpointState,
    ScheduledOwnerChange,
)

MILLISECONDS = 1000


class ContractReport:
    """The contract's administration as the rounds over the payers read it."""

    def __init__(self, status: Callable[[], PayersStatus]) -> None:
        self._status = status

    def report(self) -> AccountContractState:
        """As of the last round, without asking anybody."""
        status = self._status()
        read = status.administration
        scheduled = None if read is None else read.scheduled
        return AccountContractState(
            admin_payer=status.admin_state.value,
            admin_payer_replacements=None if read is None else read.admin_payer_replacements,
            owner=None if read is None else read.owner,
            owner_change_delay_seconds=None if read is None else read.owner_change_delay_s,
            scheduled_owner_change=None
            if scheduled is None
            else ScheduledOwnerChange(admin_payer=scheduled.admin_payer, effective_at=scheduled.effective_at),
            payers_of_others=None if read is None else list(status.payers_of_others),
        )


class ChainReport:
    """What the chain room knows of itself. `now` is unix seconds."""

    def __init__(self, chain: ChainRoom, now: Callable[[], float]) -> None:
        self._chain = chain
        self._now = now

    def report(self) -> Freshness:
        """As of now, without asking anybody."""
        cache = self._chain.authorisations
        return Freshness(
            account_event_listener_lag_seconds=self._chain.lag_s(),
            chain_head=self._head(),
            rpc_quorum=self._chain.client.quorum,
            rpc_endpoints=self._endpoints(),
            authorisation_cache=AuthorisationCacheSize(keys=cache.keys, readings=cache.readings),
        )

    def _head(self) -> ChainHead | None:
        head = self._chain.quorum.head
        if head is None:
            return None
        age_s = max(0.0, self._now() - head.timestamp)
        return ChainHead(block_number=head.number, timestamp=head.timestamp, age_seconds=age_s)

    def _endpoints(self) -> list[RpcEndpointState]:
        followed = () if self._chain.listener is None else self._chain.listener.status()
        endpoints = self._chain.rpc.endpoints
        return [
            self._endpoint(number, endpoint, followed[number - 1] if followed else None)
            for number, endpoint in enumerate(endpoints, start=1)
        ]

    def _endpoint(self, number: int, endpoint: Endpoint, followed: FollowerStatus | None) -> RpcEndpointState:
        health, head = endpoint.health(), self._chain.quorum.head_of(endpoint)
        return RpcEndpointState(
            number=number,
            healthy=health.healthy,
            block_number=None if head is None else head.number,
            latency_ms=None if health.latency_s is None else round(health.latency_s * MILLISECONDS, 3),
            consecutive_faults=health.consecutive_faults,
            disagreements=self._chain.disagreements.count_of(endpoint.host),
            websocket=followed is not None and followed.websocket,
        )
