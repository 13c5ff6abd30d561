"""Makes, replaces, renames, removes and lists usage keys, by the account key alone."""

from collections.abc import Awaitable, Callable
from typing import Final, cast

from node.api.calls import Call, Listing
from node.api.errors import ErrorCode, NodeError, forbidden, require
from node.api.fields import require_few_entries
from node.api.mutation import Mutation, mutation, on_chain
from node.api.paging import PageQuery
from node.billing.charged_writes import MeteredWrites, WriteOrder
from node.chain.port import AccountReads, ContractCall
from node.permissions.grants import Caller, Denial, Missing, account_key_only
from node.runtime.clock import Clock
from node.settings.http import FieldSettings
from node.usage_keys.models import (
    AddUsageKeyAnswer,
    AddUsageKeyRequest,
    RemoveUsageKeyRequest,
    UpdateUsageKeyMetadataRequest,
    UpdateUsageKeyRequest,
    UsageKeyItem,
    UsageKeySettings,
)
from node.values import hash_of_text, new_key, u256_hex

EXPIRATION_AHEAD_S_MAX: Final = 100 * 31_556_952
"""Maximum of an expiration from now, 100 years. A larger number is most likely in milliseconds."""


class UsageKeyService:
    """The usage keys of an account."""

    def __init__(
        self, reads: AccountReads, writes: MeteredWrites, settings: FieldSettings, clock: Clock | None = None
    ) -> None:
        self._reads = reads
        self._writes = writes
        self._settings = settings
        self._clock = clock or Clock()

    async def add(self, call: Call, request: AddUsageKeyRequest) -> AddUsageKeyAnswer:
        """Draws a key and registers its hash; draws again if the hash is taken.

        Raises NodeError 400 (past expiration, too many entries), 402, 403 and those of a write.
        """
        # Every endpoint checks values before permissions (spec 2.1).
        self._check_values(request)
        require(account_key_only(call.caller), call.caller)

        def draw() -> WriteOrder:
            key = new_key()

            async def prepare() -> ContractCall:
                values = _arguments(request, request.expiration or 0, request.balance or 0)
                return ContractCall("setUsageApiKey", (call.caller.master_hash, hash_of_text(key), *values))

            # Stored with the write: an idempotent repeat has no other way to learn the key.
            return WriteOrder(prepare, call.caller, call.origin, {"usage_api_key": key})

        result = await self._writes.write_drawn(draw)
        return AddUsageKeyAnswer(usage_api_key=cast("str", result.answer["usage_api_key"]), **on_chain(result))

    async def update(self, call: Call, request: UpdateUsageKeyRequest) -> Mutation:
        """Replaces every permission. An omitted expiration or balance keeps its value.

        Raises NodeError 400, 402, 403, 404 (no such key of this account, or removed) and a write's.
        """
        self._check_values(request)

        async def prepare() -> ContractCall:
            # Read after the credit check, like every look-up that may end in a 404.
            expiration, balance = await self._kept(call.caller, request)
            values = _arguments(request, expiration, balance)
            return ContractCall("updateUsageApiKey", (call.caller.master_hash, request.key_hash, *values))

        return await self._write(call, prepare)

    async def update_metadata(self, call: Call, request: UpdateUsageKeyMetadataRequest) -> Mutation:
        """Replaces name and description. Raises NodeError 402, 403, 404 and those of a write."""
        arguments = (call.caller.master_hash, request.key_hash, request.name, request.description)
        return await self._write(call, _known("updateUsageApiKeyMetadata", arguments))

    async def remove(self, call: Call, request: RemoveUsageKeyRequest) -> Mutation:
        """Removes a key; free without credit. Raises NodeError 403, 404 and those of a write."""
        require(account_key_only(call.caller), call.caller)
        prepare = _known("removeUsageApiKey", (call.caller.master_hash, request.key_hash))
        return mutation(await self._writes.write_or_free(WriteOrder(prepare, call.caller, call.origin)))

    async def list_all(self, call: Call, query: PageQuery) -> Listing[UsageKeyItem]:
        """Returns a page of the account's usage keys from the contract.

        Raises NodeError `forbidden` for a usage key.
        """
        # Not `account_key_only`: the old key of a converted account may still list (spec 4.1).
        if not call.caller.is_account_key:
            raise forbidden(Denial(Missing.ACCOUNT_KEY), call.caller)
        found = await self._reads.usage_keys(call.caller.master_hash, query.page)
        return Listing([UsageKeyItem.of(key) for key in found.items], found.total)

    async def _write(self, call: Call, prepare: Callable[[], Awaitable[ContractCall]]) -> Mutation:
        require(account_key_only(call.caller), call.caller)
        return mutation(await self._writes.write(WriteOrder(prepare, call.caller, call.origin)))

    async def _kept(self, caller: Caller, request: UpdateUsageKeyRequest) -> tuple[int, int]:
        if request.expiration is not None and request.balance is not None:
            return request.expiration, request.balance
        key = await self._reads.usage_key(caller.master_hash, request.key_hash)
        if key is None:
            raise NodeError(
                ErrorCode.NOT_FOUND,
                "The account has no such usage key.",
                fix="list_api_keys shows the account's usage keys.",
                details={"api_key_hash": u256_hex(request.key_hash)},
            )
        expiration = key.expiration if request.expiration is None else request.expiration
        return expiration, key.cap_cents if request.balance is None else request.balance

    def _check_values(self, request: UsageKeySettings) -> None:
        require_few_entries(self._settings, request.lists)
        # A past time suggests a wrong unit or clock. 0 means never.
        left_s = request.expiration - self._clock.unix() if request.expiration else 1
        if left_s <= 0:
            raise _wrong_expiration(
                "is in the past", "Send unix seconds in the future, or 0 for a key that never expires."
            )
        if left_s > EXPIRATION_AHEAD_S_MAX:
            raise _wrong_expiration(
                "is more than 100 years ahead", "Milliseconds? Send unix seconds, or 0 for a key that never expires."
            )


def _wrong_expiration(why: str, fix: str) -> NodeError:
    return NodeError(ErrorCode.BAD_REQUEST, f"The expiration {why}.", fix=fix, details={"fields": {"expiration": why}})


def _known(function: str, arguments: tuple[object, ...]) -> Callable[[], Awaitable[ContractCall]]:
    async def prepare() -> ContractCall:
        return ContractCall(function, arguments)

    return prepare


def _arguments(request: UsageKeySettings, expiration: int, balance: int) -> tuple[object, ...]:
    """Returns the arguments of setUsageApiKey and updateUsageApiKey after the two hashes."""
    return (
        expiration,
        balance,
        request.name,
        request.description,
        request.can_create_groups,
        request.can_delete_groups,
        request.can_create_pkps,
        request.manage_ipfs_ids_in_groups,
        request.add_pkp_to_groups,
        request.remove_pkp_from_groups,
        request.execute_in_groups,
    )
