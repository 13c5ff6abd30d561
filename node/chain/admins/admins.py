"""Present and former admins of an account, by a quorum of endpoints. Keys may have been derived under the hash of each."""

import math
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

from node.chain.admins.history import AdminEvents, EndpointHistory
from node.chain.errors import contradicted, too_few_answer
from node.chain.port import Head
from node.chain.quorum.client import DISAGREE, OUTVOTED, QuorumClient
from node.chain.records import Struct
from node.chain.rpc import Endpoint
from node.chain.view import ContractViews
from node.runtime.single_flight import SingleFlight
from node.settings.chain import AuthorisationSettings
from node.values import hash_of_address

ACCOUNTS_MAX: Final = 10_000
"""Accounts whose admins are cached, some megabytes; beyond it the least recently used one leaves."""

HEDGE_DELAY_S: Final = 5.0
"""An endpoint slower than this is not waited for alone: logs take longer than views."""

_UNCONFIRMED: Final = -math.inf


@dataclass(frozen=True, slots=True)
class AdminSources:
    """Views that a quorum answers, and the logs of endpoints, of which a quorum must give the same history."""

    views: ContractViews
    client: QuorumClient
    events: AdminEvents


@dataclass(frozen=True, slots=True)
class _Known:
    """Admins from the present one back, as of a block; `confirmed_at` is the start of the read, in monotonic seconds."""

    admins: Sequence[str]
    block_number: int
    confirmed_at: float


@dataclass(slots=True)
class _ReadEvents:
    """Events that arrived while a history was being read."""

    changed_at_block: int = 0
    reorganised: bool = False


class AccountAdmins:
    """Cache of admin histories, notified of changes as a `ChainNews`. `clock` is rising seconds.

    A history only grows at its newest end, so a cached one is complete while its newest admin is the present one.
    """

    def __init__(
        self,
        sources: AdminSources,
        lag_s: Callable[[], float | None],
        clock: Callable[[], float],
        settings: AuthorisationSettings,
    ) -> None:
        self._sources = sources
        self._lag_s = lag_s
        self._clock = clock
        self._settings = settings
        self._histories = {
            endpoint: EndpointHistory(endpoint, sources.events) for endpoint in sources.client.rpc.endpoints
        }
        self._known: OrderedDict[int, _Known] = OrderedDict()
        self._events_while_read: dict[int, _ReadEvents] = {}
        self._flights = SingleFlight[Sequence[int]]()

    def kept(self, account: int) -> Sequence[int] | None:
        """Return the cached hashes of the account's admins, the present one first; None if they may have changed."""
        known, lag_s = self._known.get(account), self._lag_s()
        # While the listener lags, a change of the admin may have been missed.
        if known is None or lag_s is None or lag_s > self._settings.authorisation_stalled_after_s:
            return None
        if self._clock() - known.confirmed_at >= self._settings.authorisation_grant_ttl_s:
            return None
        self._known.move_to_end(account)
        return _hashes(known.admins)

    async def read(self, account: int) -> Sequence[int]:
        """Return the hashes as of the head; none for a managed or unknown account. `account` is the master hash.

        Raises ChainUnavailableError when no quorum of endpoints gives the same history.
        """
        return await self._flights.run(account, lambda: self._read(account), lambda _: False)

    def account_changed(self, master_hash: int, block_number: int) -> None:
        """Note an event of this account in this block: its admin must be read again."""
        known, events = self._known.get(master_hash), self._events_while_read.get(master_hash)
        if known is not None and block_number > known.block_number:
            self._known[master_hash] = replace(known, confirmed_at=_UNCONFIRMED)
        if events is not None:
            events.changed_at_block = max(events.changed_at_block, block_number)

    def reorganised(self, fork_number: int) -> None:
        """Note that the blocks after `fork_number` have been replaced: reads at them are void."""
        for account in [account for account, known in self._known.items() if known.block_number > fork_number]:
            del self._known[account]
        for events in self._events_while_read.values():
            events.reorganised = True

    async def _read(self, account: int) -> Sequence[int]:
        events = self._events_while_read[account] = _ReadEvents()
        try:
            return await self._history_of(account, events)
        finally:
            del self._events_while_read[account]

    async def _history_of(self, account: int, events: _ReadEvents) -> Sequence[int]:
        began_at = self._clock()
        head, (returned,) = await self._sources.views.at_head([("getAccount", (account,))])
        present = _present_admin(account, returned)
        if present is None:
            return ()
        known = self._known.get(account)
        is_complete = known is not None and known.admins[0] == present
        admins = known.admins if known is not None and is_complete else await self._agreed(account, present, head)
        # Its block may be gone, so the result is used once and not kept.
        if not events.reorganised:
            # A change after the head that was read came while reading.
            confirmed_at = began_at if events.changed_at_block <= head.number else _UNCONFIRMED
            self._keep(account, _Known(admins, head.number, confirmed_at))
        return _hashes(admins)

    def _keep(self, account: int, known: _Known) -> None:
        self._known[account] = known
        self._known.move_to_end(account)
        while len(self._known) > ACCOUNTS_MAX:
            self._known.popitem(last=False)

    async def _agreed(self, account: int, present: str, head: Head) -> Sequence[str]:
        """Return the history that a quorum of endpoints gives: an invented one would lend the account another's keys.

        A history without its newest link is no vote, so an endpoint that is merely behind contradicts nobody.
        """

        async def question(endpoint: Endpoint, _: float) -> tuple[str, ...]:
            return tuple(await self._histories[endpoint].admins(account, present, head.number))

        client = self._sources.client
        tally = await client.vote(question, HEDGE_DELAY_S)
        if tally.agreed is None:
            for endpoint in tally.votes if tally.is_divided else ():
                client.reputation.disagreed(endpoint, DISAGREE, what="admins", block_number=head.number)
            raise contradicted() if tally.is_divided else too_few_answer()
        for endpoint in tally.contradicting(tally.agreed):
            client.reputation.disagreed(endpoint, OUTVOTED, what="admins", block_number=head.number)
        return tally.agreed[0]


def _present_admin(account: int, returned: Struct) -> str | None:
    """Return the wallet that administers the account of this master hash on chain; None if none does."""
    master, managed, is_master, admin, *_ = cast("Struct", returned[0])
    if master != account or managed or not is_master:
        return None
    return cast("str", admin)


def _hashes(admins: Sequence[str]) -> Sequence[int]:
    return tuple(map(hash_of_address, admins))
