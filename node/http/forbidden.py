"""From a denial to the 403 the client sees (decisions.md section 3)."""

from typing import Final

from pydantic import JsonValue

from node.http.errors import ErrorCode, NodeError
from node.permissions.decisions import Denial, Missing, visible_group
from node.permissions.grants import Caller

_MESSAGES: Final = {
    Missing.ACCOUNT_KEY: "Only the account key may do this.",
    Missing.ADMIN_WALLET: "This account is ChainSecured: only its admin wallet may do this, on chain.",
    Missing.EXECUTE_IN_GROUPS: "No group this key may execute in permits this action.",
    Missing.WALLET_IN_GROUP: "No group this key may execute in permits this action together with this wallet.",
}

_FIXES: Final = {
    Missing.ACCOUNT_KEY: "Use the account key.",
    Missing.ADMIN_WALLET: "Send the transaction from the admin wallet to the contract of get_node_chain_config.",
    Missing.EXECUTE_IN_GROUPS: "Add the action to one of the key's groups, or grant a group that has it.",
    Missing.WALLET_IN_GROUP: "Put action and wallet into one and the same of the key's groups.",
}


def forbidden(denial: Denial, caller: Caller) -> NodeError:
    """The 403 of this denial, with `details.missing` and, where the caller may be told of it, `details.group`."""
    details: dict[str, JsonValue] = {"missing": str(denial.missing)}
    group = visible_group(caller, denial)
    if group is not None:
        details["group"] = str(group)
    return NodeError(
        ErrorCode.FORBIDDEN,
        _MESSAGES.get(denial.missing, f"This key lacks the permission {denial.missing}."),
        fix=_FIXES.get(denial.missing, "Grant it with update_usage_api_key, or use the account key."),
        details=details,
    )


def require(denial: Denial | None, caller: Caller) -> None:
    """Pass when nothing was denied. Raises NodeError `forbidden` otherwise."""
    if denial is not None:
        raise forbidden(denial, caller)
