"""Administrative calls of the account contract (docs/contract.md) in words too. Sends nothing."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Unpack

from eth_utils.address import to_checksum_address
from pydantic import JsonValue

from svc_client.errors import InvalidArgument
from svc_client.grants import Grants, GroupId, WalletId, address_of, grants_body, group_id
from svc_client.models import MintedUsageKey, MintedWallet
from svc_client.sovereign.contract_abi import calldata
from svc_verifier.chain.abi import keccak
from svc_verifier.rendering.text import plain

ANY_WALLET: Final = f"0x{0:040x}"
"""Address that means every wallet of the account in a group."""
ANY_ACTION: Final = f"0x{0:064x}"
"""Hash that means every action in a group."""

_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{40}")
_HASH: Final = re.compile(r"0x[0-9a-fA-F]{64}")
_CID: Final = re.compile(r"(?!0x)[A-Za-z0-9]{8,128}")
_GROUP_END: Final = 1 << 64
_CALLS_MAX: Final = 100
_BATCH: Final = "multicall"


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function of the account contract. `words` says in English what it does."""

    function: str
    arguments: tuple[object, ...]
    words: str

    @property
    def data(self) -> bytes:
        """The calldata. Raises InvalidArgument for values that the function's types cannot hold."""
        return calldata(self.function, self.arguments)


def batch_of(calls: Sequence[Call]) -> Call:
    """Returns the only call, or a multicall of all in this order. Raises InvalidArgument."""
    if not 0 < len(calls) <= _CALLS_MAX:
        raise InvalidArgument(f"1 to {_CALLS_MAX} calls go into one transaction, not {len(calls)}.")
    if len(calls) == 1:
        return calls[0]
    return Call(_BATCH, ([each.data for each in calls],), "; ".join(each.words for each in calls))


class Calls:
    """Calls of one account's admin wallet. Its hash finds the account, as master hash or alias."""

    def __init__(self, address: str) -> None:
        self._account = address_hash(address)
        self._address = address

    def open(self, name: str, description: str = "") -> Call:
        """Opens the wallet's own account."""
        return Call("newChainSecuredAccount", (name, description), f"open the account {_q(name)} of {self._address}")

    def transfer(self, new_admin: str) -> Call:
        """Hands the account to another wallet. Keys and wallets stay; this one loses all rights."""
        to = checked_address(new_admin)
        words = f"hand the account for good to {to}, which alone administers it from then on"
        return self._of("transferChainSecuredAccountOwnership", (to,), words)

    def register_wallet(self, minted: MintedWallet, name: str, description: str = "") -> Call:
        """Registers a minted wallet, so that the account's actions may use its key."""
        path, wallet = _path(minted.derivation_path), checked_address(minted.wallet_address)
        words = f"register the wallet {wallet} as {_q(name)}"
        return self._of("registerWalletDerivation", (wallet, path, name, description), words)

    def add_group(
        self, name: str, description: str = "", *, actions: Iterable[str] = (), wallets: Iterable[WalletId] = ()
    ) -> Call:
        """Makes a group with these actions (CIDs or hashes) and wallets."""
        content = ([action_hash(each) for each in actions], [checked_address(address_of(each)) for each in wallets])
        words = f"make the group {_q(name)} with {_content(*content)}"
        return self._of("addGroup", (name, description, *content), words)

    def update_group(
        self, group: GroupId, name: str, description: str, actions: Iterable[str], wallets: Iterable[WalletId]
    ) -> Call:
        """Replaces everything of a group; both lists are replaced whole."""
        content = ([action_hash(each) for each in actions], [checked_address(address_of(each)) for each in wallets])
        words = f"replace group {_group(group)} by {_q(name)} with {_content(*content)}"
        return self._of("updateGroup", (_group(group), name, description, *content), words)

    def rename_group(self, group: GroupId, name: str, description: str = "") -> Call:
        """Gives a group another name; its contents stay."""
        words = f"rename group {_group(group)} to {_q(name)}"
        return self._of("updateGroupMetadata", (_group(group), name, description), words)

    def remove_group(self, group: GroupId) -> Call:
        """Removes a group."""
        words = f"remove group {_group(group)}: no key runs anything through it any more"
        return self._of("removeGroup", (_group(group),), words)

    def allow_action(self, group: GroupId, action: str) -> Call:
        """Puts an action (CID or hash) into a group."""
        words = f"let keys of group {_group(group)} run {_action(action)}"
        return self._of("addActionToGroup", (_group(group), action_hash(action)), words)

    def forbid_action(self, group: GroupId, action: str) -> Call:
        """Takes an action out of a group."""
        words = f"take {_action(action)} out of group {_group(group)}"
        return self._of("removeActionFromGroup", (_group(group), action_hash(action)), words)

    def allow_wallet(self, group: GroupId, wallet: WalletId) -> Call:
        """Puts a wallet into a group."""
        words = f"let actions of group {_group(group)} use {_wallet(wallet)}"
        return self._of("addPkpToGroup", (_group(group), checked_address(address_of(wallet))), words)

    def forbid_wallet(self, group: GroupId, wallet: WalletId) -> Call:
        """Takes a wallet out of a group."""
        words = f"take {_wallet(wallet)} out of group {_group(group)}"
        return self._of("removePkpFromGroup", (_group(group), checked_address(address_of(wallet))), words)

    def add_action(self, action: str, name: str, description: str = "") -> Call:
        """Registers an action by its CID, which stays readable, or by its hash."""
        words = f"register {_action(action)} as {_q(name)}"
        if _HASH.fullmatch(action):
            return self._of("addAction", (name, description, action_hash(action)), words)
        action_hash(action)  # refuses what is no CID
        return self._of("addActionWithCid", (name, description, action), words)

    def rename_action(self, action: str, name: str, description: str = "") -> Call:
        """Gives a registered action another name."""
        words = f"rename {_action(action)} to {_q(name)}"
        # Group 0, since names belong to the account and not to a group.
        return self._of("updateActionMetadata", (action_hash(action), 0, name, description), words)

    def remove_action(self, action: str) -> Call:
        """Deletes an action; it leaves every group."""
        return self._of("removeAction", (action_hash(action),), f"delete {_action(action)} from the account")

    def attach_usage_key(
        self, minted: MintedUsageKey, name: str, description: str = "", **grants: Unpack[Grants]
    ) -> tuple[Call, Call]:
        """Registers a minted usage key's wallet and attaches its hash with its grants."""
        wallet = self.register_wallet(minted, f"of the usage key {name}")
        usage_hash = f"0x{text_hash(minted.usage_api_key):064x}"
        # A new key has no limits to lose, so limits that are left out are None.
        all_named: Grants = {"expires": None, "cap_cents": None, **grants}
        return wallet, self.set_usage_key(usage_hash, name, description, **all_named)

    def set_usage_key(self, usage_hash: str, name: str, description: str = "", **grants: Unpack[Grants]) -> Call:
        """Attaches a usage key or replaces all its data. Requires `expires` and `cap_cents`."""
        return self._grant("setUsageApiKey", usage_hash, (name, description), grants)

    def update_usage_key(self, usage_hash: str, name: str, description: str = "", **grants: Unpack[Grants]) -> Call:
        """Replaces all data of an attached usage key. Requires `expires` and `cap_cents`."""
        return self._grant("updateUsageApiKey", usage_hash, (name, description), grants)

    def rename_usage_key(self, usage_hash: str, name: str, description: str = "") -> Call:
        """Gives a usage key another name; what it may do stays."""
        number = _number_of_hash(usage_hash)
        words = f"rename the usage key {usage_hash} to {_q(name)}"
        return self._of("updateUsageApiKeyMetadata", (number, name, description), words)

    def remove_usage_key(self, usage_hash: str) -> Call:
        """Removes a usage key by its hash, at once and for good."""
        words = f"remove the usage key {usage_hash} for good"
        return self._of("removeUsageApiKey", (_number_of_hash(usage_hash),), words)

    def clear_usage_keys(self) -> Call:
        """Removes every usage key of the account."""
        return self._of("clearUsageApiKeys", (), "remove every usage key of the account for good")

    def _grant(self, function: str, usage_hash: str, texts: tuple[str, str], grants: Grants) -> Call:
        # The contract replaces both limits, so one left out would be removed without notice.
        if missing := [limit for limit in ("expires", "cap_cents") if limit not in grants]:
            raise InvalidArgument(
                f"Name {' and '.join(missing)} too, or None for no limit: on chain both are replaced."
            )
        body = grants_body(grants)
        flags = [body.get(member) is True for member in _FLAGS]
        lists = [_ids(body.get(member)) for member in _LISTS]
        expires, cap = (_limit(body[member]) for member in ("expiration", "balance"))
        arguments = (_number_of_hash(usage_hash), expires, cap, *texts, *flags, *lists)
        given = [
            *(f"{what} in {_groups(ids)}" for what, ids in zip(_LISTS.values(), lists, strict=True) if ids),
            *(what for what, flag in zip(_FLAGS.values(), flags, strict=True) if flag),
        ]
        limits = [f"until unix time {expires}" if expires else "for ever", f"{cap} cents at most" if cap else "no cap"]
        named = f"the usage key {usage_hash} ({_q(texts[0])})"
        return self._of(function, arguments, f"let {named} {', '.join(given) or 'do nothing'}; {', '.join(limits)}")

    def _of(self, function: str, arguments: tuple[object, ...], words: str) -> Call:
        return Call(function, (self._account, *arguments), words)


_LISTS: Final[Mapping[str, str]] = {
    "manage_ipfs_ids_in_groups": "manage actions",
    "add_pkp_to_groups": "add wallets",
    "remove_pkp_from_groups": "remove wallets",
    "execute_in_groups": "run actions",
}
_FLAGS: Final[Mapping[str, str]] = {
    "can_create_groups": "make groups",
    "can_delete_groups": "remove groups",
    "can_create_pkps": "register wallets",
}
"""Members of the API in the order of the contract's parameters, with their words."""


def text_hash(text: str) -> int:
    """Returns keccak256 of a text's UTF-8 bytes, the hash of a CID or a usage key's base64."""
    return int.from_bytes(keccak(text.encode()), "big")


def address_hash(address: str) -> int:
    """Returns keccak256 of a wallet's 20 bytes, the hash or an alias of its account."""
    return int.from_bytes(keccak(bytes.fromhex(checked_address(address)[2:])), "big")


def action_hash(action: str) -> int:
    """Returns the hash of an action given as CID or hash. Raises InvalidArgument."""
    if _HASH.fullmatch(action):
        return int(action, 16)
    if not _CID.fullmatch(action):
        raise InvalidArgument(f"{plain(action)} is no action: a CID, or 0x and 64 hex digits of its hash.")
    return text_hash(action)


def _number_of_hash(usage_hash: str) -> int:
    if not _HASH.fullmatch(usage_hash):
        # Do not repeat the text: it may be the key itself.
        raise InvalidArgument("A usage key is named by its hash: 0x and 64 hex digits.")
    return int(usage_hash, 16)


def _path(text: str) -> int:
    if not _HASH.fullmatch(text):
        raise InvalidArgument("derivation_path is 0x and 64 hex digits, as the node gives it.")
    return int(text, 16)


def checked_address(text: str) -> str:
    """Returns an address in EIP-55 form. Raises InvalidArgument, also for a wrong checksum."""
    if _ADDRESS.fullmatch(text):
        checked = str(to_checksum_address(text))
        # A wrong checksum is likely a typing error, and a transfer to that address is lost.
        if text in {checked, text.lower()}:
            return checked
    raise InvalidArgument(f"{plain(text)} is no address: 0x and 40 hex digits, and capitals as EIP-55 has them.")


def _group(group: GroupId) -> int:
    text = str(group_id(group))
    if not text.isascii() or not text.isdigit() or int(text) >= _GROUP_END:
        raise InvalidArgument(f"{plain(text)} is no group: the number that the account gave it.")
    return int(text)


def _ids(listed: JsonValue) -> list[int]:
    return [_group(each) for each in listed if isinstance(each, (int, str))] if isinstance(listed, list) else []


def _limit(value: JsonValue) -> int:
    return value if isinstance(value, int) else 0


def _groups(ids: Sequence[int]) -> str:
    return "every group, also of the future" if 0 in ids else f"group {', '.join(map(str, ids))}"


def _content(actions: Sequence[int], wallets: Sequence[str]) -> str:
    every = " (every action)" if 0 in actions else ""
    all_wallets = " (every wallet)" if ANY_WALLET in wallets else ""
    return f"{len(actions)} actions{every} and {len(wallets)} wallets{all_wallets}"


def _action(action: str) -> str:
    return "every action" if action_hash(action) == 0 else f"the action {action}"


def _wallet(wallet: WalletId) -> str:
    address = checked_address(address_of(wallet))
    return "every wallet of the account" if address == ANY_WALLET else f"the wallet {address}"


def _q(name: str) -> str:
    return f"{plain(name)!r}"
