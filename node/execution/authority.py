"""May this key run this code now? The contract decides at one block; here its answer becomes an error or a go."""

from collections.abc import Callable

from node.chain.port import Authorisation, Authorisations, MayReread
from node.http.authentication import UnknownKeyError
from node.http.errors import forbidden
from node.permissions.decisions import Decided, Denial, what_is_missing
from node.permissions.grants import Caller, is_expired


class Authority:
    """Asks for the contract's decision, at or after the block a request names; `now` is unix seconds."""

    def __init__(self, authorisations: Authorisations, now: Callable[[], float]) -> None:
        self._authorisations = authorisations
        self._now = now

    async def authorise(
        self, caller: Caller, action_hash: int, min_block: int | None, may_reread: MayReread
    ) -> Authorisation:
        """The contract's yes. Raises NodeError 401 for a key gone by now, 403 with `details.missing`, 503 for a chain
        that is out of reach or does not reach `min_block` in time.
        """
        decision = await self._authorisations.execution(caller, action_hash, min_block or 0, may_reread)
        expired = is_expired(decision.expiration, self._now(), decision.block_timestamp)
        if decision.master_hash != caller.master_hash or expired:
            raise UnknownKeyError
        missing = what_is_missing(Decided(decision.is_account_key, decision.managed, decision.may_execute))
        if missing is not None:
            raise forbidden(Denial(missing), caller)
        return decision
