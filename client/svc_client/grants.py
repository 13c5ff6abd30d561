"""Rights of usage keys, as readable keyword arguments."""

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Protocol, TypeAlias, TypedDict

from pydantic import JsonValue

from svc_client.errors import InvalidArgument


class HasId(Protocol):
    """A new or listed group of the client."""

    @property
    def id(self) -> str:
        """The group's id."""


class HasAddress(Protocol):
    """A new or listed wallet of the client."""

    @property
    def address(self) -> str:
        """The wallet's address."""


GroupId: TypeAlias = int | str | HasId
WalletId: TypeAlias = str | HasAddress


class Grants(TypedDict, total=False):
    """Rights of a usage key. A group is its id or object; id `0` is every group, also future ones.

    `expires` is unix seconds, `cap_cents` the key's lifetime spending; None is no limit. If left
    out, a limit is None for a new key and unchanged in an update; any other right is not granted.
    """

    execute_in: Sequence[GroupId]
    create_groups: bool
    delete_groups: bool
    create_wallets: bool
    manage_actions_in: Sequence[GroupId]
    add_wallets_in: Sequence[GroupId]
    remove_wallets_in: Sequence[GroupId]
    expires: int | None
    cap_cents: int | None


_FLAGS: Final[Mapping[str, str]] = {
    "create_groups": "can_create_groups",
    "delete_groups": "can_delete_groups",
    "create_wallets": "can_create_pkps",
}
_LISTS: Final[Mapping[str, str]] = {
    "execute_in": "execute_in_groups",
    "manage_actions_in": "manage_ipfs_ids_in_groups",
    "add_wallets_in": "add_pkp_to_groups",
    "remove_wallets_in": "remove_pkp_from_groups",
}
_LIMITS: Final[Mapping[str, str]] = {"expires": "expiration", "cap_cents": "balance"}
_EXPIRES_AHEAD_S_MAX: Final = 100 * 31_556_952
"""Farthest expiry, a hundred years, as on the node. Catches milliseconds given for seconds."""


def grants_body(grants: Mapping[str, object]) -> dict[str, JsonValue]:
    """Returns the request's members. Raises InvalidArgument for unknown names and wrong values."""
    body: dict[str, JsonValue] = {}
    for name, value in grants.items():
        if name in _FLAGS:
            body[_FLAGS[name]] = _flag(name, value)
        elif name in _LISTS:
            body[_LISTS[name]] = _groups(name, value)
        elif name in _LIMITS:
            body[_LIMITS[name]] = _limit(name, value)
        else:
            raise InvalidArgument(f"{name} is no grant. Grants are {', '.join((*_FLAGS, *_LISTS, *_LIMITS))}.")
    return body


def group_id(group: GroupId) -> int | str:
    """Returns a group's id."""
    return group if isinstance(group, (int, str)) else group.id


def addresses(wallets: Iterable[WalletId]) -> list[JsonValue]:
    """Returns the addresses of wallets."""
    return [address_of(each) for each in wallets]


def address_of(wallet: WalletId) -> str:
    """Returns a wallet's address."""
    return wallet if isinstance(wallet, str) else wallet.address


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise InvalidArgument(f"{name} is True or False.")
    return value


def _groups(name: str, value: object) -> list[JsonValue]:
    # A text is a sequence too: "12" would mean groups 1 and 2.
    if isinstance(value, (list, tuple, set, frozenset)):
        ids = [each if isinstance(each, (int, str)) else getattr(each, "id", None) for each in value]
        if all(isinstance(each, (int, str)) and not isinstance(each, bool) for each in ids):
            return ids
    raise InvalidArgument(f"{name} is a list of groups, or of their ids: {name}=[group].")


def _limit(name: str, value: object) -> int:
    """Returns the API's number, 0 for None. Refuses 0 itself, which is likely a mistake."""
    if value is None:
        return 0
    if type(value) is not int or value <= 0:
        raise InvalidArgument(f"{name} is a whole number above 0, or None for no limit; to stop a key, remove it.")
    # The contract accepts it, but the key would in effect never expire.
    if name == "expires" and value > time.time() + _EXPIRES_AHEAD_S_MAX:
        raise InvalidArgument("expires is more than 100 years ahead. Milliseconds? It is in unix seconds.")
    return value
