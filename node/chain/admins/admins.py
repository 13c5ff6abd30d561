"""Admins of an account, present and former, by a quorum of endpoints: keys may have been derived under the hash of each."""

import math
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

from node.chain.admins.history import AdminEvents, EndpointHistory
from node.chain.admins.limits import AdminHistoryLimits
from node.chain.port import Head
from node.chain.quorum.client import QuorumClient
from node.chain.quorum.refusals import contradicted, too_few_answer
from node.chain.quorum.reputation import DISAGREE, OUTVOTED
from node.chain.records import Struct
from node.chain.rpc import Endpoint
from node.chain.view import ContractViews
from node.runtime.single_flight import SingleFlight
from node.values import hash_of_address

_UNCONFIRMED: Final = -math.inf


@dataclass(frozen=True, slots=True)
class AdminSources:
    """Sources: views that a quorum answers, and the logs of endpoints, of which a quorum must give the same history."""

    views: ContractViews
    client: QuorumClient
    events: AdminEvents


@dataclass(frozen=True, slots=True)
class _Known:
    """Admins from the present one back, as of a block; confirmed when the reading began, in monotonic seconds."""

    admins: Sequence[str]
    block_number: int
    confirmed_at: float


@dataclass(slots=True)
class _News:
    """Changes that arrived while a history was being read."""

    changed_at_block: int = 0
    reorganised: bool = False


class AccountAdmins:
    """Reads and keeps histories; as a `ChainNews` it is notified of changes. `clock` is seconds that pass, never falling.

    What is kept only ever grows at its end, so a kept history is whole for as long as its last admin is the present one.
    """

    def __init__(
        self,
        sources: AdminSources,
        lag_s: Callable[[], float | None],
        clock: Callable[[], float],
        limits: AdminHistoryLimits | None = None,
    ) -> None:
        self._sources = sources
        self._lag_s = lag_s
        self._clock = clock
        self._limits = limits or AdminHistoryLimits()
        self._histories = {
            endpoint: EndpointHistory(endpoint, sources.events, self._limits)
            for endpoint in sources.client.rpc.endpoints
        }
        self._known: OrderedDict[int, _Known] = OrderedDict()
        self._news: dict[int, _News] = {}
        self._flights = SingleFlight[Sequence[int]]()

    def kept(self, account: int) -> Sequence[int] | None:
        """The hashes of the account's admins, the present one first, if nothing is known to have changed; else None."""
        known, lag_s = self._known.get(account), self._lag_s()
        if known is None or lag_s is None or lag_s > self._limits.authorisation_stalled_after_s:
            return None
        if self._clock() - known.confirmed_at >= self._limits.authorisation_grant_ttl_s:
            return None
        self._known.move_to_end(account)
        return _hashes(known.admins)

    async def read(self, account: int) -> Sequence[int]:
        """The same, as of the head; of a managed account, or of none, nothing. `account` is the master hash.

        Raises NodeError `chain_unavailable` when no quorum of endpoints gives the same history.
        """
        return await self._flights.run(account, lambda: self._read(account), lambda _: False)

    def account_changed(self, master_hash: int, block_number: int) -> None:
        """Note an event of this account in this block: its admin must be asked again."""
        known, news = self._known.get(master_hash), self._news.get(master_hash)
        if known is not None and block_number > known.block_number:
            self._known[master_hash] = replace(known, confirmed_at=_UNCONFIRMED)
        if news is not None:
            news.changed_at_block = max(news.changed_at_block, block_number)

    def reorganised(self, fork_number: int) -> None:
        """Blocks after `fork_number` are no longer those that were there: what was read at them is void."""
        for account in [account for account, known in self._known.items() if known.block_number > fork_number]:
            del self._known[account]
        for news in self._news.values():
            news.reorganised = True

    async def _read(self, account: int) -> Sequence[int]:
        news = self._news[account] = _News()
        try:
            return await self._history_of(account, news)
        finally:
            del self._news[account]

    async def _history_of(self, account: int, news: _News) -> Sequence[int]:
        began_at = self._clock()
        head, (returned,) = await self._sources.views.at_head([("getAccount", (account,))])
        present = _present_admin(account, returned)
        if present is None:
            return ()
        known = self._known.get(account)
        whole = known is not None and known.admins[0] == present
        admins = known.admins if known is not None and whole else await self._agreed(account, present, head)
        if not news.reorganised:
            confirmed_at = began_at if news.changed_at_block <= head.number else _UNCONFIRMED
            self._keep(account, _Known(admins, head.number, confirmed_at))
        return _hashes(admins)

    def _keep(self, account: int, known: _Known) -> None:
        self._known[account] = known
        self._known.move_to_end(account)
        while len(self._known) > self._limits.max_accounts:
            self._known.popitem(last=False)

    async def _agreed(self, account: int, present: str, head: Head) -> Sequence[str]:
        """The history a quorum of endpoints gives. A liar's made-up past must not lend this account another one's keys.

        A history that lacks its newest link is refused, so that an endpoint that is merely behind contradicts nobody.
        """

        async def question(endpoint: Endpoint, _: float) -> tuple[str, ...]:
            return tuple(await self._histories[endpoint].admins(account, present, head.number))

        client = self._sources.client
        tally = await client.vote(question, self._limits.hedge_delay_s)
        if tally.agreed is None:
            for endpoint in tally.votes if tally.is_divided else ():
                client.reputation.disagreed(endpoint, DISAGREE, what="admins", block_number=head.number)
            raise contradicted() if tally.is_divided else too_few_answer()
        for endpoint in tally.contradicting(tally.agreed):
            client.reputation.disagreed(endpoint, OUTVOTED, what="admins", block_number=head.number)
        return tally.agreed[0]


def _present_admin(account: int, returned: Struct) -> str | None:
    """The wallet that administers the account of this master hash on chain; None where none does."""
    master, managed, is_master, admin, *_ = cast("Struct", returned[0])
    if master != account or managed or not is_master:
        return None
    return cast("str", admin)


def _hashes(admins: Sequence[str]) -> Sequence[int]:
    return tuple(map(hash_of_address, admins))
