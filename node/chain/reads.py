"""Live reads of the account contract (AccountReads and Explanations of node/chain/port.py), by a quorum at one block."""

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
    """Calls views of the contract at `address`; all calls of one method are answered at one and the same block."""

    def __init__(self, quorum: QuorumReader, abi: ContractAbi, address: str) -> None:
        self._quorum = quorum
        self._abi = abi
        self._address = address

    async def view(self, function: str, *arguments: object) -> Struct:
        """Call `function` at the head.

        Raises CallRevertedError, ViewNotComputedError when it exceeds a provider's bounds, or
        ChainUnavailableError.
        """
        _, (answer,) = await self._quorum.read([self._call(function, arguments)])
        outcome = _outcome(answer)
        if isinstance(outcome, CallRevertedError):
            raise outcome
        return outcome

    async def at_head(self, views: Sequence[View], at: Head | None = None) -> tuple[Head, list[Struct]]:
        """Return the results of several views, none of which ever reverts, and the header of the block they were called at.

        The header's number and timestamp are the block's, also where the EVM's `block.number` is another chain's.
        `at`, a head given by an earlier call, pins this one to the same block. Raises ChainUnavailableError.
        """
        head, outcomes = await self.outcomes_at_head(views, at)
        values = [outcome for outcome in outcomes if not isinstance(outcome, CallRevertedError)]
        # These views never revert on purpose, so a revert is a provider's own bound.
        if len(values) < len(outcomes):
            raise ViewNotComputedError
        return head, values

    async def outcomes_at_head(
        self, views: Sequence[View], at: Head | None = None
    ) -> tuple[Head, list[Struct | CallRevertedError]]:
        """Return the same for views that may revert; a revert is a value here, and its data is never empty."""
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
"""Views that `records.administration_of` reads."""

ABSENT: Final = frozenset(
    {"UsageApiKeyDoesNotExist", "PkpDoesNotExist", "GroupDoesNotExist", "ActionDoesNotExist"},
)
"""Reverts by which a look-up of one item says that it does not exist."""

_NO_WALLET: Final = ZERO_ADDRESS
"""Argument of decidingGroups without a wallet."""


class AccountReader:
    """Reads the contract through `views`; `clock` gives unix seconds, for expiry.

    Every method raises ChainUnavailableError when no quorum agrees at or above this node's own writes, and
    NotOnChainError for a missing account or group unless it returns None.
    """

    def __init__(self, views: ContractViews, abi: ContractAbi, clock: Callable[[], float]) -> None:
        self._views = views
        self._abi = abi
        self._clock = clock
        self._own_admin_payer: str | None = None

    def require_admin_payer(self, own: str) -> None:
        """Refuse decisions that depend on payers of another admin payer than `own` (EIP-55) from now on.

        Grants by such payers are a stranger's, and remain when `own` is named again. Each decision of the contract comes
        with its admin payer and whether it ever was another one, so no such grant is read without that.
        """
        self._own_admin_payer = own

    async def caller(self, key_hash: int) -> Caller | None:
        """Return the caller of a key; None if unknown, removed or expired (later of the clock and the head's timestamp)."""
        caller, _ = await self.caller_at_block(key_hash)
        return caller

    async def account_of_admin(self, wallet: str) -> int | None:
        """Return the master hash of the unmanaged account that `wallet` (0x hex) administers; None for any other wallet."""
        _, (account,) = await self._views.at_head([("getAccount", (hash_of_address(wallet),))])
        return records.account_of_admin(account, wallet)

    async def mints_for(self, wallet: str) -> int | None:
        """Return the hash under which wallets of `wallet` (0x hex) are minted; None if a managed account has its own hash."""
        _, (account,) = await self._views.at_head([("getAccount", (hash_of_address(wallet),))])
        return records.mints_for(account, wallet)

    async def account_name(self, account: int) -> str:
        """Return the name of an account (master hash); empty where there is none."""
        _, (found,) = await self._views.at_head([("getAccount", (account,))])
        return records.account_name(found)

    async def caller_at_block(self, key_hash: int) -> tuple[Caller | None, int]:
        """Return the caller, as `caller` does, and the number of the block at which it was read."""
        head, (account,) = await self._views.at_head([("getAccount", (key_hash,))])
        caller = records.caller_of(key_hash, account)
        if caller is None or self._is_expired(caller.expiration, head):
            return None, head.number
        return caller, head.number

    async def authorisation(self, key_hash: int, action_hash: int, wallets: Sequence[str]) -> Authorisation:
        """Return the contract's decision on one execution: a denial when the key is expired by this node's clock."""
        head, (returned,) = await self._views.at_head([_decision(key_hash, action_hash, wallets)])
        return self._decided(returned, head)

    async def wallet_authorisation(
        self, caller: Caller, action_hash: int, wallet: str | int
    ) -> tuple[WalletRecord | None, Authorisation]:
        """Return a wallet of the caller's account, by address or running id, and the decision on its use, at one block.

        By address it is one round trip; by id the decision is read at the block at which the address was found. Without
        such a wallet it is None, and the decision grants no wallet.
        """
        by_id = isinstance(wallet, int)
        asked = () if isinstance(wallet, int) else (wallet,)
        views = [
            _decision(caller.key_hash, action_hash, asked),
            ("getPkpById" if by_id else "getPkp", (caller.master_hash, wallet)),
        ]
        head, (decided, found) = await self._views.outcomes_at_head(views)
        record = self._found(records.wallet_record, found)
        # Pinned to the same block: an address of one block must not meet a decision of another.
        if record is not None and by_id:
            _, (decided,) = await self._views.at_head([_decision(caller.key_hash, action_hash, [record.address])], head)
        decision = self._decided(_unreverted(decided), head)
        return record, decision if record is not None else replace(decision, wallets=())

    async def usage_keys(self, account: int, page: Page) -> Slice[UsageKeyRecord]:
        """Return the account's usage keys in creation order."""
        return await self._slice(records.usage_key_record, "listApiKeys", (account,), page)

    async def usage_key(self, account: int, key_hash: int) -> UsageKeyRecord | None:
        """Return one usage key of this account; None when it has none of that hash."""
        return await self._one(records.usage_key_record, "getUsageApiKey", account, key_hash)

    async def wallets(self, account: int, page: Page) -> Slice[WalletRecord]:
        """Return the account's wallets in creation order."""
        return await self._slice(records.wallet_record, "listPkps", (account,), page)

    async def wallet(self, account: int, address: str) -> WalletRecord | None:
        """Return one registered wallet by address; None when it is not registered to this account."""
        return await self._one(records.wallet_record, "getPkp", account, address)

    async def wallet_by_id(self, account: int, wallet_id: int) -> WalletRecord | None:
        """Return one registered wallet by running id; None when the account has no such id."""
        return await self._one(records.wallet_record, "getPkpById", account, wallet_id)

    async def groups(self, account: int, page: Page) -> Slice[GroupRecord]:
        """Return the account's groups in creation order."""
        return await self._slice(records.group_record, "listGroups", (account,), page)

    async def is_action_in_group(self, account: int, group_id: int, action_hash: int) -> bool:
        """Return whether the group lists this very action; False also when the account has no such group."""
        return bool(await self._one(bool, "isActionInGroup", account, group_id, action_hash))

    async def is_wallet_in_group(self, account: int, group_id: int, address: str) -> bool:
        """Return whether the group lists this very wallet; False also when the account has no such group."""
        return bool(await self._one(bool, "isPkpInGroup", account, group_id, address))

    async def group_wallets(self, account: int, group_id: int, page: Page) -> Slice[WalletRecord]:
        """Return the wallets listed in a group; the wildcard is the zero address with id 2**256 - 1."""
        return await self._slice(records.wallet_record, "listWalletsInGroup", (account, group_id), page)

    async def actions(self, account: int, page: Page) -> Slice[ActionRecord]:
        """Return the account's registered actions in creation order."""
        return await self._slice(records.action_record, "listActions", (account,), page)

    async def group_actions(self, account: int, group_id: int, page: Page) -> Slice[ActionRecord]:
        """Return the actions listed in a group; the wildcard is hash 0."""
        return await self._slice(records.action_record, "listActionsInGroup", (account, group_id), page)

    async def action(self, account: int, action_hash: int) -> ActionRecord | None:
        """Return one registered action; None when the account has not registered it."""
        return await self._one(records.action_record, "getAction", account, action_hash)

    async def api_payers(self) -> Sequence[str]:
        """Return the contract's payers, EIP-55."""
        (payers,) = await self._view("api_payers")
        return tuple(checksum_address(payer) for payer in cast("Sequence[str]", payers))

    async def admin_api_payer(self) -> str:
        """Return the contract's admin payer, EIP-55."""
        (payer,) = await self._view("adminApiPayerAccount")
        return checksum_address(cast("str", payer))

    async def administration(self) -> Administration:
        """Read the admin payer, the payers and the owner's scheduled change, all at one block."""
        _, views = await self._views.at_head([(view, ()) for view in ADMINISTRATION])
        return records.administration_of(views)

    async def explanation(self, key_hash: int, action_hash: int, wallet: str | None) -> Explanation | None:
        """Explain the decision on running this action (see Explanations.explanation)."""
        # One exchange, so that decision and reasons are of one block.
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
        # The contract's 0 means no group.
        deciding = DecidingGroups(*(group or None for group in cast("tuple[int, int, int, int]", groups)))
        return Explanation(caller, decision, deciding)

    def _decided(self, returned: Struct, head: Head) -> Authorisation:
        """Return the decision, denied when the key is expired by now. Raises ChainUnavailableError."""
        own = self._own_admin_payer
        if own is not None and (named := records.foreign_admin_payer(returned, own)) is not None:
            raise ForeignPayersError(named)
        if own is not None and records.had_other_admin_payer(returned):
            raise FormerPayersError
        decision = records.authorisation_of(returned, head)
        return records.denied(decision) if self._is_expired(decision.expiration, head) else decision

    def _is_expired(self, expiration: int, head: Head) -> bool:
        # By the later of both: the host could set this machine's clock back to keep an expired key alive.
        return is_expired(expiration, self._clock(), head.timestamp)

    async def _view(self, function: str, *arguments: object) -> Struct:
        try:
            return await self._views.view(function, *arguments)
        except CallRevertedError as reverted:
            raise revert_to_error(self._abi, reverted.data) from reverted

    async def _slice(
        self, record: Callable[[Struct], Record], function: str, arguments: tuple[object, ...], page: Page
    ) -> Slice[Record]:
        """Return one page of a list; a page that is too large for a provider's call is read in equal parts."""
        try:
            return records.slice_of(await self._view(function, *arguments, page.number, page.size), record)
        except ViewNotComputedError:
            if page.size == 1:
                raise
        # Equal parts keep the page's borders, and the smallest divisor makes the fewest of them.
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


def _unreverted(outcome: Struct | CallRevertedError) -> Struct:
    """Return the values of a view that never reverts."""
    if isinstance(outcome, CallRevertedError):
        raise ViewNotComputedError from outcome
    return outcome
