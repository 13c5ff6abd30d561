"""A decision with its reason (Explanations of node/chain/port.py): everything in one round trip, at one block."""

from collections.abc import Callable, Sequence
from typing import Final, cast

from node.chain import records
from node.chain.port import Explanation
from node.chain.records import Struct
from node.chain.view import ContractViews
from node.permissions.decisions import DecidingGroups
from node.permissions.grants import is_expired
from node.values import ZERO_ADDRESS

_NO_WALLET: Final = ZERO_ADDRESS
"""For decidingGroups: no wallet is asked about."""


class ExplanationReader:
    """Reads the contract through `views`; `clock` gives unix seconds, for expiry."""

    def __init__(self, views: ContractViews, clock: Callable[[], float]) -> None:
        self._views = views
        self._clock = clock

    async def explanation(self, key_hash: int, action_hash: int, wallet: str | None) -> Explanation | None:
        """Of running this action, and of using this wallet (EIP-55) in it where one is named.

        None for a key that is unknown, removed or expired. Raises NodeError `chain_unavailable`.
        """
        calls: list[tuple[str, Sequence[object]]] = [
            ("authorisation", (key_hash, action_hash, () if wallet is None else (wallet,))),
            ("getAccount", (key_hash,)),
            ("decidingGroups", (key_hash, action_hash, wallet or _NO_WALLET)),
        ]
        head, (decided, account, groups) = await self._views.at_head(calls)
        decision = records.authorisation_of(decided, head)
        caller = records.caller_of(key_hash, account)
        if caller is None or is_expired(decision.expiration, self._clock(), decision.block_timestamp):
            return None
        return Explanation(caller, decision, _groups_of(groups))


def _groups_of(returned: Struct) -> DecidingGroups:
    """What decidingGroups returned; 0 stands for no group there."""
    return DecidingGroups(*(group or None for group in cast("tuple[int, int, int, int]", returned)))
