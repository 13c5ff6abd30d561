"""Maps a revert of the account contract to a domain error. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from node.chain.abi import ContractAbi, ContractError
from node.chain.contract.artifacts import GROUPS_MAX_PER_ACCOUNT
from node.chain.errors import (
    CallerNotLiveError,
    ContractConflictError,
    InvalidCallError,
    NotOnChainError,
    PayerNotNamedError,
    PermissionMissingError,
    UnexpectedRevertError,
    WriteFailure,
)
from node.permissions.grants import GRANT_FIX, Missing
from node.values import ZERO_ADDRESS, checksum_address, u256_hex

ERROR_STRING: Final = bytes.fromhex("08c379a0")
"""Selector of Solidity's built-in `Error(string)`."""

PANIC: Final = bytes.fromhex("4e487b71")
"""Selector of Solidity's built-in `Panic(uint256)`."""

ALREADY_CONVERTED: Final = "already ChainSecured"
"""Reason by which InvalidRequest refuses a second conversion. This is a conflict (409)."""

REASON_MAX_CHARACTERS: Final = 200


@dataclass(frozen=True, slots=True)
class Refused:
    """Call that the contract refused. `function` is empty for a view."""

    error: ContractError
    caller_hash: int | None
    function: str


Answer = Callable[[Refused], WriteFailure]
"""Builds the error for a refused call."""


def revert_to_error(abi: ContractAbi, data: bytes, caller_hash: int | None = None, function: str = "") -> WriteFailure:
    """Returns the error for the revert `data` of a call of `function` by the key `caller_hash`.

    A revert that the contract never makes by itself (unknown selector, no data, Panic) is
    UnexpectedRevertError, since no request should be able to cause it.
    """
    error = abi.decode_error(data)
    answer = ANSWERS.get(error.name) if error is not None else None
    if error is None or answer is None:
        return _unexpected(data)
    return answer(Refused(error, caller_hash, function))


def _number(error: ContractError, index: int) -> int:
    value = error.arguments[index]
    return value if isinstance(value, int) else 0


def _text(error: ContractError, index: int) -> str:
    # A reason may have any length, and goes into messages and logs.
    return str(error.arguments[index])[:REASON_MAX_CHARACTERS]


def _account_missing(refused: Refused) -> WriteFailure:
    account = _number(refused.error, 0)
    # The contract names the hash it looked for. The caller's own means that its key is not live.
    if account == refused.caller_hash:
        return CallerNotLiveError(
            "This key is unknown, removed or expired.",
            fix="Use the account key or a usage key that is listed by list_api_keys.",
        )
    return NotOnChainError(
        "There is no such account.",
        fix="Compare the hash with that of the account's key: keccak256 of the key's text.",
        details={"api_key_hash": u256_hex(account)},
    )


def _always(kind: type[WriteFailure], message: str, fix: str, details: Mapping[str, JsonValue] | None = None) -> Answer:
    """Returns a builder that ignores the call. Exceptions keep a traceback, so each is new."""
    return lambda _refused: kind(message, fix=fix, details=details)


def _missing(missing: Missing, message: str, fix: str) -> Answer:
    return _always(PermissionMissingError, message, fix, {"missing": str(missing)})


def _missing_grant(missing: Missing) -> Answer:
    return _missing(missing, f"This key lacks the permission {missing}.", GRANT_FIX)


_SEND_AGAIN: Final = "Send the request again, with a fresh Idempotency-Key if you send one."
_TAKEN_ADMIN: Final = (
    "This wallet is the admin of an account, or was one: it cannot be named again.",
    "Name a wallet that was never the admin of an account.",
)
_TAKEN_ACTION: Final = (
    "The account has this action already.",
    "Use it as it is, or rename it with update_action_metadata; list_actions shows the account's actions.",
)
_TAKEN_BY_FUNCTION: Final[Mapping[str, tuple[str, str]]] = {
    "createManagedAccount": ("The account key that was drawn is taken.", _SEND_AGAIN),
    "convertToChainSecuredAccount": _TAKEN_ADMIN,
    "setUsageApiKey": ("The usage key that was drawn is taken.", _SEND_AGAIN),
    "registerWalletDerivation": ("The account has a wallet with this address or derivation path.", _SEND_AGAIN),
    "addAction": _TAKEN_ACTION,
    "addActionWithCid": _TAKEN_ACTION,
}
"""Meaning of AccountAlreadyExists, one error for many cases, by the called function."""


def _already_exists(refused: Refused) -> WriteFailure:
    other = ("It exists already, or did and cannot be registered again.", "Use another one.")
    message, fix = _TAKEN_BY_FUNCTION.get(refused.function, other)
    return ContractConflictError(message, fix=fix, details={"hash": u256_hex(_number(refused.error, 0))})


def _group_missing(refused: Refused) -> WriteFailure:
    return NotOnChainError(
        "The account has no such group.",
        fix="list_groups shows the account's groups.",
        details={"group_id": str(_number(refused.error, 1))},
    )


def _too_many_groups(refused: Refused) -> WriteFailure:
    limit = _number(refused.error, 1)
    delegated = limit < GROUPS_MAX_PER_ACCOUNT
    whom = "A usage key may bring the account" if delegated else "An account may have"
    return ContractConflictError(
        f"{whom} {'to ' if delegated else ''}{limit} groups at most, and it has as many.",
        fix="Remove groups with remove_group" + (", or add this one with the account key." if delegated else "."),
        details={"limit": "groups_max_per_account", "groups": limit},
    )


def _wallet_missing(refused: Refused) -> WriteFailure:
    """Builds the error. It concerns the group for a removal, and the account otherwise."""
    group, wallet = _number(refused.error, 1), _text(refused.error, 2)
    if refused.function != "removePkpFromGroup":
        group = 0
    where = "group" if group else "account"
    details = {"group_id": str(group)} if group else {}
    if wallet != ZERO_ADDRESS:
        details["pkp_id"] = checksum_address(wallet)
    return NotOnChainError(
        f"The {where} has no such wallet.",
        fix=f"list_wallets{'_in_group' if group else ''} shows the {where}'s wallets.",
        details=details,
    )


def _action_missing(refused: Refused) -> WriteFailure:
    group = _number(refused.error, 1)
    where = "group" if group else "account"
    details = {"group_id": str(group)} if group else {}
    return NotOnChainError(
        f"The {where} has no such action.",
        fix=f"list_actions{' with the group_id' if group else ''} shows the {where}'s actions.",
        details={**details, "hashed_cid": u256_hex(_number(refused.error, 2))},
    )


def _usage_key_missing(refused: Refused) -> WriteFailure:
    return NotOnChainError(
        "The account has no such usage key.",
        fix="list_api_keys shows the account's usage keys.",
        details={"api_key_hash": u256_hex(_number(refused.error, 1))},
    )


def _administrator_only(who: str) -> Answer:
    def answer(refused: Refused) -> WriteFailure:
        sender = checksum_address(_text(refused.error, 0))
        return PermissionMissingError(
            f"Only the contract's {who} may do this; the transaction's sender is {sender}.",
            fix=f"Send it from the contract's {who}.",
        )

    return answer


def _invalid(refused: Refused) -> WriteFailure:
    reason = _text(refused.error, 0)
    if reason == ALREADY_CONVERTED:
        return ContractConflictError(
            "This account is ChainSecured already, and stays it.",
            fix="Its admin wallet may hand it on with transferChainSecuredAccountOwnership.",
        )
    return InvalidCallError(
        f"The contract refuses this: {reason}.",
        fix="Correct what the reason names.",
        details={"reason": reason},
    )


def _unexpected(data: bytes) -> WriteFailure:
    selector = data[:4]
    if not data:
        what = "without a reason"
    elif selector == PANIC:
        what = f"with Panic 0x{int.from_bytes(data[4:36]):02x}"
    elif selector == ERROR_STRING:
        # Selector, offset and length precede the text, 4 + 32 + 32 bytes.
        what = f"with the text {data[68:].rstrip(bytes(1)).decode(errors='replace')[:REASON_MAX_CHARACTERS]!r}"
    else:
        what = f"with an error of selector 0x{selector.hex()}"
    return UnexpectedRevertError(
        f"The contract refused {what}, which this node does not expect; nothing was changed and nothing was charged.",
        fix="Report it with the request id.",
    )


ANSWERS: Final[Mapping[str, Answer]] = {
    "AccountDoesNotExist": _account_missing,
    "NoAccountAccess": _missing(
        Missing.ADMIN_WALLET,
        "This account does not take writes from this node: it is ChainSecured, or the node's payer is not the contract's.",
        "Send the transaction from the account's admin wallet to the contract of get_node_chain_config.",
    ),
    "AccountAlreadyExists": _already_exists,
    "GroupDoesNotExist": _group_missing,
    "GroupLimitReached": _too_many_groups,
    "PkpDoesNotExist": _wallet_missing,
    "ActionDoesNotExist": _action_missing,
    "UsageApiKeyDoesNotExist": _usage_key_missing,
    "UsageApiKeyExpired": _always(
        CallerNotLiveError,
        "This usage key is expired.",
        "Set a later expiration with update_usage_api_key, or create another usage key.",
    ),
    "NotMasterAccount": _missing(Missing.ACCOUNT_KEY, "Only the account key may do this.", "Use the account key."),
    "NotAllowedToCreateGroup": _missing_grant(Missing.CAN_CREATE_GROUPS),
    "NotAllowedToDeleteGroup": _missing_grant(Missing.CAN_DELETE_GROUPS),
    "NotAllowedToCreatePkp": _missing_grant(Missing.CAN_CREATE_PKPS),
    "NotAllowedToAddPkpToGroup": _missing_grant(Missing.ADD_PKP_TO_GROUPS),
    "NotAllowedToRemovePkpFromGroup": _missing_grant(Missing.REMOVE_PKP_FROM_GROUPS),
    "NotAllowedToManageIPFSIdsInGroup": _missing_grant(Missing.MANAGE_IPFS_IDS_IN_GROUPS),
    "OnlyApiPayer": lambda _refused: PayerNotNamedError(),
    "OnlyApiPayerOrOwner": _administrator_only("admin payer or owner"),
    "OnlyConfigOperatorOrOwner": _administrator_only("configuration operator or owner"),
    "OwnableUnauthorizedAccount": _administrator_only("owner or pending owner"),
    "OwnableInvalidOwner": _always(
        InvalidCallError, "This address can not be the contract's owner.", "Name another address."
    ),
    "InvalidRequest": _invalid,
}
"""Every error that a call of this node can cause, by its name in the contract."""
