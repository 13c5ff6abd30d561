"""Explaining why a key may run an action, or why not: the decision at the head with its reason, and what a second costs."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Final, Literal, Self, TypedDict

from pydantic import BaseModel, Field, StrictStr, model_validator

from node.billing.charging import Prices
from node.chain.port import AccountReads, Explanation, Explanations
from node.http.authentication import UnknownKeyError
from node.http.endpoint import AnyEndpoint, Auth, Call, Endpoint
from node.http.errors import ErrorCode, NodeError
from node.http.fields import ActionCid, PkpId
from node.http.rate import MINUTE_S, RateLimiter
from node.permissions.decisions import Allowed, Decided, Missing, reason, visible_group
from node.permissions.grants import Caller
from node.settings.execution import ExplainSettings
from node.values import hash_of_text, u256_hex

_TRACKED_ACCOUNTS_MAX: Final = 100_000
"""Accounts whose counters are kept in memory, a hundred bytes each."""
_EXAMPLE_CID: Final = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG"


class ExplainRequest(BaseModel, frozen=True, extra="forbid"):
    """May the key that asks run this action, given by its source or its CID, and use this wallet in it."""

    code: StrictStr | None = None
    action_ipfs_cid: ActionCid | None = None
    pkp_id: PkpId | None = None

    @model_validator(mode="after")
    def _names_one_action(self) -> Self:
        if (self.code is None) == (self.action_ipfs_cid is None):
            raise ValueError("must name the action by exactly one of code and action_ipfs_cid")
        return self


class ExplainAnswer(BaseModel, frozen=True):
    """The decision and its reason, as of `block_number`.

    `group` of an allow is the group it rests on: "0" where the key may execute in every group and no wallet is asked
    about, absent for the account key. Of a deny it is the group in which `missing` would turn the decision.
    """

    decision: Literal["allow", "deny"]
    group: Annotated[str | None, Field(exclude_if=lambda value: value is None)] = None
    missing: Annotated[Missing | None, Field(exclude_if=lambda value: value is None)] = None
    block_number: int
    price_cents_per_second: int


class ExplainService:
    """Answers `explain` live from the chain, never from a cache.

    `cid_of` computes the CIDv0 of a source; `clock` is monotonic, in seconds, for the rate.
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
        self._rate = RateLimiter(
            "questions to explain of this account", per_minute, MINUTE_S, clock, _TRACKED_ACCOUNTS_MAX
        )

    async def explain(self, caller: Caller, request: ExplainRequest) -> ExplainAnswer:
        """Return the decision on the calling key itself; a deny is an answer, no error.

        Raises NodeError 400, 401 for a key gone by now, 404 for a wallet the account does not have, 413, 429, 503.
        """
        self._rate.take(u256_hex(caller.master_hash))
        # Exactly one of the two is there; the empty text is a source too.
        cid = request.action_ipfs_cid or await self._cid_of(request.code or "")
        wallet = await self._wallet(caller, request.pkp_id)
        found = await self._explanations.explanation(caller.key_hash, hash_of_text(cid), wallet)
        if found is None:
            raise UnknownKeyError
        return ExplainAnswer(
            **_told(found),
            block_number=found.decision.block_number,
            price_cents_per_second=self._price_cents,
        )

    async def _wallet(self, caller: Caller, pkp_id: str | int | None) -> str | None:
        """Return the address of a wallet of the account; a registration is for good, so it may be read ahead of the decision."""
        if pkp_id is None:
            return None
        if isinstance(pkp_id, int):
            wallet = await self._reads.wallet_by_id(caller.master_hash, pkp_id)
        else:
            wallet = await self._reads.wallet(caller.master_hash, pkp_id)
        if wallet is None:
            raise NodeError(
                ErrorCode.NOT_FOUND,
                "The account has no such wallet.",
                fix="list_wallets shows the account's wallets.",
                details={"pkp_id": str(pkp_id)},
            )
        return wallet.address


class _Told(TypedDict, total=False):
    """The part of the answer that says what and why."""

    decision: Literal["allow", "deny"]
    group: str | None
    missing: Missing


def _told(found: Explanation) -> _Told:
    decision = found.decision
    may_use_wallet = decision.wallets[0] if decision.wallets else None
    decided = Decided(decision.is_account_key, decision.managed, decision.may_execute, may_use_wallet)
    verdict = reason(found.caller, decided, found.groups)
    if isinstance(verdict, Allowed):
        return {"decision": "allow", "group": _shown(verdict.group)}
    return {"decision": "deny", "missing": verdict.missing, "group": _shown(visible_group(found.caller, verdict))}


def _shown(group: int | None) -> str | None:
    return None if group is None else str(group)


def endpoints(service: ExplainService) -> list[AnyEndpoint]:
    """Return the endpoint that tells a key what it may run, and why."""

    async def handle(call: Call, request: ExplainRequest) -> ExplainAnswer:
        return await service.explain(call.caller, request)

    return [
        Endpoint(
            "POST",
            "/explain",
            Auth.ANY_KEY,
            ExplainRequest,
            ExplainAnswer,
            handle,
            summary="May this key run an action, and why",
            tag="Execution",
            description="Asks about the key that calls: may it run the action named by exactly one of `code` and "
            "`action_ipfs_cid`, and use the wallet `pkp_id` in it. Decided at the head of the chain; a denial is a 200. "
            "`group` is the group the decision rests on (`0`: the grant of every group), or the one in which `missing` "
            "would turn it. Free.",
            errors=frozenset({ErrorCode.NOT_FOUND}),
            example={"action_ipfs_cid": _EXAMPLE_CID, "pkp_id": "0"},
        )
    ]
