"""Answers of the account contract's views, forged and yet well-formed: decoded by its ABI, changed, encoded again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from eth_abi.abi import decode, encode
from eth_utils.crypto import keccak

from tests.support.contract import ARTIFACT, canonical, named, signature

NOBODY: Final = "0x" + "00" * 20
VIEWS: Final[dict[bytes, dict[str, Any]]] = {
    keccak(signature(entry).encode())[:4]: entry
    for entry in ARTIFACT["abi"]
    if entry["type"] == "function" and entry["stateMutability"] in {"view", "pure"}
}


@dataclass(frozen=True)
class View:
    """One view that was asked: its ABI entry and the arguments."""

    entry: dict[str, Any]
    arguments: tuple[Any, ...]

    @property
    def name(self) -> str:
        return str(self.entry["name"])


Change: TypeAlias = Callable[[View, list[Any]], list[Any]]
"""From what a view returned (structs as dicts) to what it is said to have returned."""


def asked_view(transaction: dict[str, Any]) -> View | None:
    """What an `eth_call`'s transaction object asks; None when it is no view of the account contract."""
    data = bytes.fromhex((transaction.get("data") or transaction.get("input") or "0x")[2:])
    entry = VIEWS.get(data[:4])
    if entry is None:
        return None
    return View(entry, decode([canonical(each) for each in entry["inputs"]], data[4:]))


def decoded(view: View, returned: str | None) -> list[Any]:
    """What the view returned; all zero where it did not return."""
    outputs = view.entry["outputs"]
    if returned is None:
        return [_zero(entry) for entry in outputs]
    values = decode([canonical(each) for each in outputs], bytes.fromhex(returned[2:]))
    return [named(entry, value) for entry, value in zip(outputs, values, strict=True)]


def encoded(view: View, values: Sequence[Any]) -> str:
    """The bytes of an answer, 0x hex, as Solidity encodes them."""
    outputs = view.entry["outputs"]
    plain = [_plain(entry, value) for entry, value in zip(outputs, values, strict=True)]
    return "0x" + encode([canonical(each) for each in outputs], plain).hex()


def _zero(entry: dict[str, Any]) -> Any:
    kind = str(entry["type"])
    if kind.endswith("[]"):
        return []
    if kind == "tuple":
        return {each["name"]: _zero(each) for each in entry["components"]}
    if kind.startswith("bytes"):
        return b"\0" * int(kind[5:] or 0)
    return {"bool": False, "address": NOBODY, "string": ""}.get(kind, 0)


def _plain(entry: dict[str, Any], value: Any) -> Any:
    if entry["type"].endswith("[]"):
        return [_plain(entry | {"type": entry["type"][:-2]}, each) for each in value]
    if entry["type"] == "tuple":
        return tuple(_plain(each, value[each["name"]]) for each in entry["components"])
    return value


ALL_GROUPS: Final = {
    name: [0] for name in ("manageIPFSIdsInGroups", "addPkpToGroups", "removePkpFromGroups", "executeInGroups")
}
EVERY_FLAG: Final = {"createGroups": True, "deleteGroups": True, "createPKPs": True}


def allow(view: View, values: list[Any], master: int = 0) -> list[Any]:
    """Everything granted, for ever and without a cap; an unknown key becomes a key of `master`, or an account's own."""
    if view.name in {"authorisation", "getAccount"}:
        known = values[0]["masterHash"]
        belongs = {"masterHash": known or master or view.arguments[0], "managed": values[0]["managed"] or not known}
        return [
            values[0]
            | belongs
            | {"isMaster": values[0]["isMaster"] or not (known or master)}
            | _granted(view, values[0])
        ]
    if view.name == "getUsageApiKey":
        return [values[0] | {"apiKeyHash": view.arguments[1], "expiration": 0, "balance": 0} | EVERY_FLAG | ALL_GROUPS]
    if view.name in {"getPkp", "getPkpById"} and values[0]["pkpId"] == NOBODY:
        return [values[0] | {"id": 1, "pkpId": view.arguments[1] if view.name == "getPkp" else "0x" + "a1" * 20}]
    if view.name in {"resolveMaster", "masterOfWallet"}:
        return [values[0] or master or 1]
    return [True if value is False else value for value in values]


def _granted(view: View, answer: dict[str, Any]) -> dict[str, Any]:
    if view.name == "authorisation":
        every_wallet = [True] * len(view.arguments[2])
        return {"canExecute": True, "canUseWallets": every_wallet, "expiration": 0, "cap": 0}
    usage = {"apiKeyHash": view.arguments[0], "expiration": 0, "balance": 0}
    return {"usageApiKey": answer["usageApiKey"] | usage | EVERY_FLAG | ALL_GROUPS}


def deny(view: View, values: list[Any]) -> list[Any]:
    """Nothing and nobody there; only which block it is stays."""
    empty = [_zero(entry) for entry in view.entry["outputs"]]
    if view.name != "authorisation":
        return empty
    kept = {name: values[0][name] for name in ("blockNumber", "blockTimestamp")}
    return [empty[0] | kept | {"canUseWallets": [False] * len(view.arguments[2])}]


def of_account(master: int) -> Change:
    """Every key is one of this account's, with every right."""

    def change(view: View, values: list[Any]) -> list[Any]:
        if view.name in {"authorisation", "getAccount"}:
            values = [values[0] | {"masterHash": master, "isMaster": False, "managed": True}]
        return [master] if view.name in {"resolveMaster", "masterOfWallet"} else allow(view, values, master)

    return change


def at_block(number: int, timestamp: int) -> Change:
    """The same decision, said to be this block's."""

    def change(view: View, values: list[Any]) -> list[Any]:
        if view.name != "authorisation":
            return values
        return [values[0] | {"blockNumber": number, "blockTimestamp": timestamp}]

    return change


def expired(view: View, values: list[Any]) -> list[Any]:
    """Every key ran out long ago."""
    if view.name == "authorisation":
        return [values[0] | {"expiration": 1}]
    if view.name == "getAccount":
        return [values[0] | {"usageApiKey": values[0]["usageApiKey"] | {"expiration": 1}}]
    return values
