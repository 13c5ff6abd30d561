"""Live reads of the account contract, by a quorum at one block. Implements node/chain/port.py."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TypeAlias, cast

from node.chain import records
from node.chain.abi import ContractAbi
from node.chain.contract_errors import revert_to_error
from node.chain.errors import ForeignPayersError, FormerPayersError, ViewNotComputedError
from node.chain.port import (
    ActionRecord,
    Administration,
    Authorisation,
    Explanation,
    GroupRecord,
    Head,
    Page,
    Slice,
    UsageKeyRecord,
    WalletRecord,
)
from node.chain.quorum.reader import QuorumReader
from node.chain.quorum.round import Answer, NotComputed, Returned, ViewCall
from node.chain.records import Record, Struct
from node.chain.rpc import CallRevertedError
from node.permissions.grants import Caller, DecidingGroups, is_expired
from node.values import ZERO_ADDRESS, checksum_address, hash_of_address

View: TypeAlias = tuple[str, Sequence[object]]
"""Name of a view and its arguments."""


class ContractViews:
    """Calls views of the contract at `address`. All calls of one method use the same block."""

    def __init__(self, quorum: QuorumReader, abi: ContractAbi, address: str) -> None:
        self._quorum = quorum
        self._abi = abi
        self._address = address

    async def view(self, function: str, *arguments: object) -> Struct:
        """Returns the result of `function` at the head.

        Raises CallRevertedError, ViewNotComputedError if it exceeds a provider's bounds, or
        ChainUnavailableError.
        """
        _, (answer,) = await self._quorum.read([self._call(function, arguments)])
        outcome = _outcome(answer)
        if isinstance(outcome, CallRevertedError):
            raise outcome
        return outcome

    async def at_head(self, views: Sequence[View], at: Head | None = None) -> tuple[Head, list[Struct]]:
        """Returns the header of a block and the results there of views that never revert.

        The header has the block's number even if the EVM's `block.number` is another chain's. `at`,
        the head of an earlier call, selects the same block again. Raises ChainUnavailableError.
        """
        head, outcomes = await self.outcomes_at_head(views, at)
        values = [outcome for outcome in outcomes if not isinstance(outcome, CallRevertedError)]
        # These views never revert by themselves, so a revert means a provider's limit.
        if len(values) < len(outcomes):
            raise ViewNotComputedError
        return head, values

    async def outcomes_at_head(
        self, views: Sequence[View], at: Head | None = None
    ) -> tuple[Head, list[Struct | CallRevertedError]]:
        """Returns the same for views that may revert. A revert is returned and always has data."""
        calls = [self._call(function, arguments) for function, arguments in views]
        head, answers = await self._quorum.read(calls, at)
        return head, [_outcome(answer) for answer in answers]

    def _call(self, function: str, arguments: Sequence[object]) -> ViewCall:
        decode = functools.partial(self._abi.decode_result, function)
        return ViewCall(self._address, self._abi.encode_call(function, arguments), decode)


def _outcome(answer: Answer) -> Struct | CallRevertedError:
    if isinstance(answer, NotComputed):
        raise ViewNotComputedError
    return answer.values if isinstance(answer, Returned) else CallRevertedError(answer.data)


ADMINISTRATION: Final = (
    "owner",
    "adminApiPayerAccount",
    "api_payers",
    "scheduledOwnerChange",
    "ownerChangeDelay",
    "adminApiPayerReplacements",
)
"""Views that `records.administration_of` converts."""

ABSENT: Final = frozenset(
    {"UsageApiKeyDoesNotExist", "PkpDoesNotExist", "GroupDoesNotExist", "ActionDoesNotExist"},
)
"""Errors by which a look-up of one item reports that it does not exist."""

_NO_WALLET: Final = ZERO_ADDRESS
"""Argument of decidingGroups for no wallet."""


class AccountReader:
    """Implements AccountReads and Explanations. `clock` returns unix seconds, for expiry.

    Every method raises ChainUnavailableError if no quorum agrees at or above this node's own writes
    and, unless it returns None, NotOnChainError for a missing account or group.
    """

    def __init__(self, views: ContractViews, abi: ContractAbi, clock: Callable[[], float]) -> None:
        self._views = views
        self._abi = abi
        self._clock = clock
        self._own_admin_payer: str | None = None

    def require_admin_payer(self, own: str) -> None:
        """Refuses decisions that depend on payers of another admin payer than `own` (EIP-55).

        An attacker's payers may have made such grants, which remain after `own` is named again. So
        each decision of the contract includes its admin payer and whether there were others.
        """
        self._own_admin_payer = own

    async def caller(self, key_hash: int) -> Caller | None:
        """See `AccountReads.caller`."""
        caller, _ = await self.caller_at_block(key_hash)
        return caller

    async def account_of_admin(self, wallet: str) -> int | None:
        """See `AdminAccounts.account_of_admin`."""
        _, (account,) = await self._views.at_head([("getAccount", (hash_of_address(wallet),))])
        return records.account_of_admin(account, wallet)

    async def mints_for(self, wallet: str) -> int | None:
        """See `AdminAccounts.mints_for`."""
        _, (account,) = await self._views.at_head([("getAccount", (hash_of_address(wallet),))])
        return records.mints_for(account, wallet)

    async def account_name(self, account: int) -> str:
        """See `AccountNames.account_name`."""
        _, (found,) = await self._views.at_head([("getAccount", (account,))])
        return records.account_name(found)

    async def caller_at_block(self, key_hash: int) -> tuple[Caller | None, int]:
        """Returns what `caller` does, and the number of the block at which it was read."""
        head, (account,) = await self._views.at_head([("getAccount", (key_hash,))])
        caller = records.caller_of(key_hash, account)
        if caller is None or self._is_expired(caller.expiration, head):
            return None, head.number
        return caller, head.number

    async def authorisation(self, key_hash: int, action_hash: int, wallets: Sequence[str]) -> Authorisation:
        """Returns the contract's decision, which is a denial if the key is expired."""
        head, (returned,) = await self._views.at_head([_decision(key_hash, action_hash, wallets)])
        return self._decided(returned, head)

    async def wallet_authorisation(
        self, caller: Caller, action_hash: int, wallet: str | int
    ) -> tuple[WalletRecord | None, Authorisation]:
        """Returns a wallet of the caller's account and the decision on its use, at one block.

        By address this takes one round trip, by running id two. Without such a wallet it returns
        None and a decision without wallets.
        """
        by_id = isinstance(wallet, int)
        asked = () if isinstance(wallet, int) else (wallet,)
        views = [
            _decision(caller.key_hash, action_hash, asked),
            ("getPkpById" if by_id else "getPkp", (caller.master_hash, wallet)),
        ]
        head, (decided, found) = await self._views.outcomes_at_head(views)
        record = self._found(records.wallet_record, found)
        # At the same block, since the address may change between two blocks.
        if record is not None and by_id:
            _, (decided,) = await self._views.at_head([_decision(caller.key_hash, action_hash, [record.address])], head)
        # The view of the decision never reverts: the provider could not compute it.
        if isinstance(decided, CallRevertedError):
            raise ViewNotComputedError from decided
        decision = self._decided(decided, head)
        return record, decision if record is not None else replace(decision, wallets=())

    async def usage_keys(self, account: int, page: Page) -> Slice[UsageKeyRecord]:
        """See `AccountReads.usage_keys`."""
        return await self._slice(records.usage_key_record, "listApiKeys", (account,), page)

    async def usage_key(self, account: int, key_hash: int) -> UsageKeyRecord | None:
        """See `AccountReads.usage_key`."""
        return await self._one(records.usage_key_record, "getUsageApiKey", account, key_hash)

    async def wallets(self, account: int, page: Page) -> Slice[WalletRecord]:
        """See `AccountReads.wallets`."""
        return await self._slice(records.wallet_record, "listPkps", (account,), page)

    async def wallet(self, account: int, address: str) -> WalletRecord | None:
        """See `AccountReads.wallet`."""
        return await self._one(records.wallet_record, "getPkp", account, address)

    async def wallet_by_id(self, account: int, wallet_id: int) -> WalletRecord | None:
        """See `AccountReads.wallet_by_id`."""
        return await self._one(records.wallet_record, "getPkpById", account, wallet_id)

    async def groups(self, account: int, page: Page) -> Slice[GroupRecord]:
        """See `AccountReads.groups`."""
        return await self._slice(records.group_record, "listGroups", (account,), page)

    async def is_action_in_group(self, account: int, group_id: int, action_hash: int) -> bool:
        """See `AccountReads.is_action_in_group`."""
        return bool(await self._one(bool, "isActionInGroup", account, group_id, action_hash))

    async def is_wallet_in_group(self, account: int, group_id: int, address: str) -> bool:
        """See `AccountReads.is_wallet_in_group`."""
        return bool(await self._one(bool, "isPkpInGroup", account, group_id, address))

    async def group_wallets(self, account: int, group_id: int, page: Page) -> Slice[WalletRecord]:
        """See `AccountReads.group_wallets`. The wildcard is the zero address with id 2**256 - 1."""
        return await self._slice(records.wallet_record, "listWalletsInGroup", (account, group_id), page)

    async def actions(self, account: int, page: Page) -> Slice[ActionRecord]:
        """See `AccountReads.actions`."""
        return await self._slice(records.action_record, "listActions", (account,), page)

    async def group_actions(self, account: int, group_id: int, page: Page) -> Slice[ActionRecord]:
        """See `AccountReads.group_actions`. The wildcard is hash 0."""
        return await self._slice(records.action_record, "listActionsInGroup", (account, group_id), page)

    async def action(self, account: int, action_hash: int) -> ActionRecord | None:
        """See `AccountReads.action`."""
        return await self._one(records.action_record, "getAction", account, action_hash)

    async def api_payers(self) -> Sequence[str]:
        """See `AccountReads.api_payers`."""
        (payers,) = await self._view("api_payers")
        return tuple(checksum_address(payer) for payer in cast("Sequence[str]", payers))

    async def admin_api_payer(self) -> str:
        """See `AccountReads.admin_api_payer`."""
        (payer,) = await self._view("adminApiPayerAccount")
        return checksum_address(cast("str", payer))

    async def administration(self) -> Administration:
        """See `AccountReads.administration`."""
        _, views = await self._views.at_head([(view, ()) for view in ADMINISTRATION])
        return records.administration_of(views)

    async def explanation(self, key_hash: int, action_hash: int, wallet: str | None) -> Explanation | None:
        """See `Explanations.explanation`."""
        # One exchange, so that decision and reasons are read at the same block.
        views = [
            _decision(key_hash, action_hash, () if wallet is None else (wallet,)),
            ("getAccount", (key_hash,)),
            ("decidingGroups", (key_hash, action_hash, wallet or _NO_WALLET)),
        ]
        head, (decided, account, groups) = await self._views.at_head(views)
        decision = records.authorisation_of(decided, head)
        caller = records.caller_of(key_hash, account)
        if caller is None or self._is_expired(decision.expiration, head):
            return None
        # The contract uses 0 for no group.
        deciding = DecidingGroups(*(group or None for group in cast("tuple[int, int, int, int]", groups)))
        return Explanation(caller, decision, deciding)

    def _decided(self, returned: Struct, head: Head) -> Authorisation:
        """Returns the decision, denied if the key is expired. Raises ChainUnavailableError."""
        own = self._own_admin_payer
        if own is not None and (named := records.foreign_admin_payer(returned, own)) is not None:
            raise ForeignPayersError(named)
        if own is not None and records.had_other_admin_payer(returned):
            raise FormerPayersError
        decision = records.authorisation_of(returned, head)
        return records.denied(decision) if self._is_expired(decision.expiration, head) else decision

    def _is_expired(self, expiration: int, head: Head) -> bool:
        # By the later time, since the host could set the clock back to keep an expired key alive.
        return is_expired(expiration, self._clock(), head.timestamp)

    async def _view(self, function: str, *arguments: object) -> Struct:
        try:
            return await self._views.view(function, *arguments)
        except CallRevertedError as reverted:
            raise revert_to_error(self._abi, reverted.data) from reverted

    async def _slice(
        self, record: Callable[[Struct], Record], function: str, arguments: tuple[object, ...], page: Page
    ) -> Slice[Record]:
        """Returns one page of a list, in equal parts if it exceeds a provider's limits."""
        try:
            return records.slice_of(await self._view(function, *arguments, page.number, page.size), record)
        except ViewNotComputedError:
            if page.size == 1:
                raise
        # Equal parts keep the page's borders. The smallest divisor makes the fewest parts.
        parts = next(divisor for divisor in range(2, page.size + 1) if page.size % divisor == 0)
        size = page.size // parts
        pages = [Page(page.number * parts + part, size) for part in range(parts)]
        read = [await self._slice(record, function, arguments, part) for part in pages]
        return Slice(tuple(item for part in read for item in part.items), read[-1].total)

    async def _one(self, record: Callable[[Struct], Record], function: str, *arguments: object) -> Record | None:
        _, (outcome,) = await self._views.outcomes_at_head([(function, arguments)])
        return self._found(record, outcome)

    def _found(self, record: Callable[[Struct], Record], outcome: Struct | CallRevertedError) -> Record | None:
        if not isinstance(outcome, CallRevertedError):
            return record(cast("Struct", outcome[0]))
        error = self._abi.decode_error(outcome.data)
        if error is not None and error.name in ABSENT:
            return None
        raise revert_to_error(self._abi, outcome.data) from outcome


def _decision(key_hash: int, action_hash: int, wallets: Sequence[str]) -> View:
    return "authorisation", (key_hash, action_hash, tuple(wallets))
