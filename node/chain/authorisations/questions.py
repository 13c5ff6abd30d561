"""The three questions of the execute path, and how each is read from the chain."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Protocol

from node.chain.authorisations.readings import Kind, Question, Reading
from node.chain.port import Authorisation, WalletRecord, WalletUse
from node.permissions.grants import Caller, Grants

_SHARED_GRANTS: Final = 1024


class AuthorisationReads(Protocol):
    """What the cache reads: live, agreed upon by a quorum. Each raises NodeError `chain_unavailable`."""

    async def caller_at_block(self, key_hash: int) -> tuple[Caller | None, int]:
        """Who a key is, and the number of the block at which it was read."""
        ...

    async def authorisation(self, key_hash: int, action_hash: int, wallets: Sequence[str]) -> Authorisation:
        """May this key run this action, and use each of these wallets in it."""
        ...

    async def wallet_authorisation(
        self, caller: Caller, action_hash: int, wallet: str | int
    ) -> tuple[WalletRecord | None, Authorisation]:
        """The wallet of this name, and whether this key may use it in this action, at one block."""
        ...


class Questions:
    """Makes questions that are answered by `reads`. What is kept by the hundred thousand is made small here."""

    def __init__(self, reads: AuthorisationReads) -> None:
        self._reads = reads
        self._grants: dict[Grants, Grants] = {}

    def caller(self, key_hash: int) -> Question[Caller | None]:
        """Who is this key."""

        async def read(began_at: float) -> Reading[Caller | None]:
            caller, block_number = await self._reads.caller_at_block(key_hash)
            return Reading(
                about=None,
                answer=None if caller is None else self._small(caller),
                account=0 if caller is None else caller.master_hash,
                known=caller is not None,
                granted=caller is not None,
                expiration=0 if caller is None else caller.expiration,
                block_number=block_number,
                began_at=began_at,
            )

        return Question(Kind.CALLER, key_hash, None, read)

    def execution(self, caller: Caller, action_hash: int) -> Question[Authorisation]:
        """May this key run this action."""

        async def read(began_at: float) -> Reading[Authorisation]:
            decision = await self._reads.authorisation(caller.key_hash, action_hash, ())
            known = decision.master_hash == caller.master_hash
            return Reading(
                about=action_hash,
                # One and the same integer object for all that is kept of a key.
                answer=replace(decision, master_hash=caller.master_hash) if known else decision,
                account=caller.master_hash,
                known=known,
                granted=known and decision.may_execute,
                expiration=decision.expiration,
                block_number=decision.block_number,
                began_at=began_at,
            )

        return Question(Kind.EXECUTION, caller.key_hash, action_hash, read)

    def wallet(self, caller: Caller, action_hash: int, wallet: str | int) -> Question[WalletUse]:
        """May this key use this wallet in this action."""

        async def read(began_at: float) -> Reading[WalletUse]:
            found, decision = await self._reads.wallet_authorisation(caller, action_hash, wallet)
            known = decision.master_hash == caller.master_hash
            allowed = found is not None and known and decision.may_execute and list(decision.wallets) == [True]
            # Labels may be long, and nobody signs by them.
            record = None if found is None else replace(found, name="", description="")
            return Reading(
                about=(action_hash, wallet),
                answer=WalletUse(record, allowed, decision.block_number),
                account=caller.master_hash,
                known=known,
                granted=allowed,
                expiration=decision.expiration,
                block_number=decision.block_number,
                began_at=began_at,
            )

        return Question(Kind.WALLET, caller.key_hash, (action_hash, wallet), read)

    def _small(self, caller: Caller) -> Caller:
        """Most keys have the same few grants: group 1, say, or all groups."""
        if caller.grants is None:
            return caller
        if len(self._grants) >= _SHARED_GRANTS:
            self._grants.clear()
        return replace(caller, grants=self._grants.setdefault(caller.grants, caller.grants))
