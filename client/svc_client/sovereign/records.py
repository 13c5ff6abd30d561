"""Converts the contract's records to models of the API, so node and chain give equal lists."""

from typing import TypeAlias

from svc_client import models
from svc_client.errors import InvalidAnswer
from svc_client.sovereign.contract_abi import Value

Record: TypeAlias = dict[str, Value]


class AccountStatus(models.Answer):
    """An account at `block_number`. With `is_admin` only this wallet may change the account.

    `notes` are failed checks of the contract that concern API-mode accounts and stop nothing here.
    """

    contract: str
    chain_id: int
    block_number: int
    wallet_address: str
    exists: bool
    is_admin: bool
    admin_wallet_address: str | None = None
    account_hash: str | None = None
    name: str | None = None
    wallets: int = 0
    groups: int = 0
    actions: int = 0
    usage_keys: int = 0
    balance_wei: int
    notes: tuple[str, ...] = ()


def rows(result: Record) -> tuple[list[Record], int]:
    """Returns the records of one page, and the length of the list. Raises InvalidAnswer."""
    items, total = result["items"], result["total"]
    if not isinstance(items, list) or not isinstance(total, int):
        raise InvalidAnswer("A list of the contract is none.")
    return [each for each in items if isinstance(each, dict)], total


def wallet_of(record: Record) -> models.Wallet:
    """Returns a wallet."""
    address = record["pkpId"]
    return models.Wallet.model_validate(
        {
            "id": str(record["id"]),
            "pkp_id": address,
            "wallet_address": address,
            "name": record["name"],
            "description": record["description"],
        }
    )


def group_of(record: Record) -> models.Group:
    """Returns a group."""
    return models.Group.model_validate(
        {
            "id": str(record["id"]),
            "name": record["name"],
            "description": record["description"],
            "pkp_ids_permitted": record["pkpIds"],
            "cid_hashes_permitted": [hash_text(each) for each in _listed(record["cidHashes"])],
        }
    )


def action_of(record: Record) -> models.Action:
    """Returns an action."""
    hashed = hash_text(record["actionHash"])
    return models.Action.model_validate(
        {
            "id": hashed,
            "hashed_cid": hashed,
            "name": record["name"],
            "description": record["description"],
            "action_ipfs_cid": record["cid"] or None,
        }
    )


def usage_key_of(record: Record) -> models.UsageKey:
    """Returns a usage key."""
    hashed = hash_text(record["apiKeyHash"])
    return models.UsageKey.model_validate(
        {
            "id": hashed,
            "api_key_hash": hashed,
            "name": record["name"],
            "description": record["description"],
            "expiration": str(record["expiration"]),
            "balance": record["balance"],
            "can_create_groups": record["createGroups"],
            "can_delete_groups": record["deleteGroups"],
            "can_create_pkps": record["createPKPs"],
            "can_manage_ipfs_ids_in_groups": _ids(record["manageIPFSIdsInGroups"]),
            "can_add_pkp_to_groups": _ids(record["addPkpToGroups"]),
            "can_remove_pkp_from_groups": _ids(record["removePkpFromGroups"]),
            "can_execute_in_groups": _ids(record["executeInGroups"]),
        }
    )


def hash_text(value: Value) -> str:
    """Returns a hash as 0x and 64 hex digits. Raises InvalidAnswer for a value that is no int."""
    if not isinstance(value, int):
        raise InvalidAnswer("A hash of the contract is no number.")
    return f"0x{value:064x}"


def _listed(value: Value) -> list[Value]:
    if not isinstance(value, list):
        raise InvalidAnswer("A list of the contract is none.")
    return value


def _ids(value: Value) -> list[str]:
    return [str(number) for number in sorted({each for each in _listed(value) if isinstance(each, int)})]
