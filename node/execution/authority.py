"""Computes the CID of a source, and decides and explains whether a caller may run it now."""

import sys
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, NamedTuple

from node.api.errors import UnknownKeyError, forbidden, wallet_missing
from node.billing.charging import Prices
from node.chain.port import AccountReads, Authorisation, Authorisations, Explanations
from node.engine.cid import cid_of_source
from node.execution.models import ExplainAnswer, ExplainRequest, Order, too_large
from node.permissions.grants import (
    Allowed,
    Caller,
    Decided,
    Denial,
    is_expired,
    reason,
    visible_group,
    what_is_missing,
)
from node.runtime.limits import MINUTE_S, TokenBuckets
from node.runtime.tasks import in_thread
from node.settings.execution import ActionSettings, ExplainSettings
from node.values import hash_of_text, u256_hex

INLINE_CID_CHARACTERS: Final = 256 * 1024
"""Maximum characters hashed on the event loop; more go to a thread, as a megabyte takes ms."""
_MAX_REMEMBERED: Final = 1024
_MAX_REMEMBERED_BYTES: Final = 16 * 1024 * 1024
"""Maximum bytes of remembered sources, which need no second hash."""
_TRACKED_ACCOUNTS_MAX: Final = 100_000
"""Maximum accounts whose rate of explain is counted, a hundred bytes each."""


class Program(NamedTuple):
    """The CIDv0 of a source, and the hash of that CID."""

    cid: str
    action_hash: int


class Programs:
    """Computes and remembers CIDs of sources, least recently used out first."""

    def __init__(self, settings: ActionSettings) -> None:
        self._code_bytes_max = settings.action_code_bytes
        self._known: OrderedDict[str, Program] = OrderedDict()
        self._known_bytes = 0

    def __len__(self) -> int:
        return len(self._known)

    def __contains__(self, source: str) -> bool:
        return source in self._known

    async def of(self, source: str) -> Program:
        """Returns the source's CID and its hash. Raises NodeError 400, `payload_too_large`."""
        # A character has at least one byte, so refuse by characters before hashing.
        self._check_size(len(source))
        if len(source) > INLINE_CID_CHARACTERS:
            # No look-up, since hashing the text for the dictionary is slow too.
            cid, size = await in_thread(partial(_cid_and_size, source))
            self._check_size(size)
            return Program(cid, hash_of_text(cid))
        known = self._known.get(source)
        if known is not None:
            self._known.move_to_end(source)
            return known
        # The CID first, since it refuses half a surrogate pair, which `encode` cannot measure.
        cid = cid_of_source(source)
        self._check_size(len(source.encode()))
        program = Program(cid, hash_of_text(cid))
        self._known[source] = program
        # Python's size, since a text with one emoji takes four bytes a character.
        self._known_bytes += sys.getsizeof(source)
        while len(self._known) > _MAX_REMEMBERED or self._known_bytes > _MAX_REMEMBERED_BYTES:
            forgotten, _ = self._known.popitem(last=False)
            self._known_bytes -= sys.getsizeof(forgotten)
        return program

    def _check_size(self, size: int) -> None:
        if size > self._code_bytes_max:
            raise too_large("The code", self._code_bytes_max)


def _cid_and_size(source: str) -> tuple[str, int]:
    cid = cid_of_source(source)
    return cid, len(source.encode())


class Authority:
    """Asks for the contract's decision. `now` is in unix seconds."""

    def __init__(self, authorisations: Authorisations, now: Callable[[], float]) -> None:
        self._authorisations = authorisations
        self._now = now

    async def authorise(self, order: Order, program: Program) -> Authorisation:
        """Returns the contract's permission, decided at one block not below the request's.

        Raises NodeError 401 for a key that is gone, 403 with `details.missing`, 503 if the chain is
        unreachable or below `min_block` for too long.
        """
        caller, min_block = order.caller, order.request.min_block or 0
        decision = await self._authorisations.execution(caller, program.action_hash, min_block, order.may_reread)
        # Since its authentication the key may have been removed, or expired by either clock.
        if decision.master_hash != caller.master_hash or self.has_expired(decision):
            raise UnknownKeyError
        missing = what_is_missing(Decided(decision.is_account_key, decision.managed, decision.may_execute))
        if missing is not None:
            raise forbidden(Denial(missing), caller)
        return decision

    def has_expired(self, decision: Authorisation) -> bool:
        """Returns whether the key has expired, by the node's clock or the decision's block."""
        return is_expired(decision.expiration, self._now(), decision.block_timestamp)


class ExplainService:
    """Explains live from the chain, never from a cache.

    `cid_of` computes the CIDv0 of a source. `clock` is in monotonic seconds, for the rate.
    """

    def __init__(
        self,
        explanations: Explanations,
        reads: AccountReads,
        prices: Prices,
        cid_of: Callable[[str], Awaitable[str]],
        settings: ExplainSettings,
        clock: Callable[[], float],
    ) -> None:
        self._explanations = explanations
        self._reads = reads
        self._price_cents = prices.execution_cents_per_second
        self._cid_of = cid_of
        per_minute = settings.explain_per_minute_per_account
        self._rate = TokenBuckets(
            "questions to explain of this account", per_minute, MINUTE_S, clock, _TRACKED_ACCOUNTS_MAX
        )

    async def explain(self, caller: Caller, request: ExplainRequest) -> ExplainAnswer:
        """Returns the decision on the calling key; a denial is a normal response.

        Raises NodeError 400, 401 (key is gone), 404 (unknown wallet), 413, 429, 503.
        """
        # It is free and reads the chain, so count it first.
        self._rate.take(u256_hex(caller.master_hash))
        cid = request.action_ipfs_cid or await self._cid_of(request.code or "")
        wallet = await self._wallet(caller, request.pkp_id)
        found = await self._explanations.explanation(caller.key_hash, hash_of_text(cid), wallet)
        if found is None:
            raise UnknownKeyError
        decision = found.decision
        may_use_wallet = decision.wallets[0] if decision.wallets else None
        decided = Decided(decision.is_account_key, decision.managed, decision.may_execute, may_use_wallet)
        verdict = reason(found.caller, decided, found.groups)
        # An id reveals that the group exists, so show only groups of the key's own lists.
        group = verdict.group if isinstance(verdict, Allowed) else visible_group(found.caller, verdict)
        return ExplainAnswer(
            decision="allow" if isinstance(verdict, Allowed) else "deny",
            missing=None if isinstance(verdict, Allowed) else verdict.missing,
            group=None if group is None else str(group),
            block_number=decision.block_number,
            price_cents_per_second=self._price_cents,
        )

    async def _wallet(self, caller: Caller, pkp_id: str | int | None) -> str | None:
        """Returns a wallet's address. Registrations are permanent, so the block does not matter."""
        if pkp_id is None:
            return None
        if isinstance(pkp_id, int):
            wallet = await self._reads.wallet_by_id(caller.master_hash, pkp_id)
        else:
            wallet = await self._reads.wallet(caller.master_hash, pkp_id)
        if wallet is None:
            raise wallet_missing(pkp_id)
        return wallet.address
