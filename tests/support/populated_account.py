"""One account with some of everything, on a real chain, and a reader that goes through a proxy to it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import aiohttp

from node.chain.abi import account_config_abi
from node.chain.port import ActionRecord, GroupRecord, Page, UsageKeyRecord, WalletRecord
from node.chain.quorum.reader import MinimumBlock
from node.chain.reads import AccountReader
from node.chain.rpc import JsonRpc
from node.permissions.grants import Grants
from node.settings.chain import RpcSettings
from node.values import ZERO_ADDRESS, checksum_address, hash_of_text
from tests.support.account_chain import AccountChain
from tests.support.rpc_proxy import RpcProxy
from tests.support.views import reader_over

ABI = account_config_abi()
MASTER = hash_of_text("the account key")
OTHER_MASTER = hash_of_text("another account's key")
USAGE = hash_of_text("a usage key")
PLAIN = hash_of_text("a usage key without grants")
UNKNOWN = hash_of_text("nobody's key")
ADMIN = checksum_address("0x" + "a1" * 20)
MASTER_WALLET = ADMIN
SECOND_WALLET = checksum_address("0x" + "b2" * 20)
THIRD_WALLET = checksum_address("0x" + "c3" * 20)
CID = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG"
ACTION = hash_of_text(CID)
BARE_ACTION = hash_of_text("an action known by its hash alone")
FAR = 4_000_000_000
GRANTS = Grants(
    can_create_groups=True,
    can_delete_groups=False,
    can_create_pkps=True,
    manage_ipfs_ids_in_groups=frozenset({1}),
    add_pkp_to_groups=frozenset({2}),
    remove_pkp_from_groups=frozenset({1, 2}),
    execute_in_groups=frozenset({1}),
)
USAGE_RECORD = UsageKeyRecord(USAGE, "usage", "all fields differ", FAR, 777, GRANTS)
PLAIN_RECORD = UsageKeyRecord(PLAIN, "plain", "", 0, 0, Grants())
WALLETS = [
    WalletRecord(0, MASTER_WALLET, 1001, "", ""),
    WalletRecord(1, SECOND_WALLET, 1002, "second", "of two"),
    WalletRecord(2, THIRD_WALLET, 1003, "third", ""),
]
ACTIONS = [ActionRecord(ACTION, "sign", "signs", CID), ActionRecord(BARE_ACTION, "bare", "", None)]
GROUPS = [
    GroupRecord(1, "one", "first", (ACTION,), (SECOND_WALLET,)),
    GroupRecord(2, "two", "", (), ()),
    GroupRecord(3, "any", "", (0,), (ZERO_ADDRESS,)),
]


def usage_arguments(record: UsageKeyRecord) -> tuple[object, ...]:
    grants = record.grants
    return (
        MASTER,
        record.key_hash,
        record.expiration,
        record.cap_cents,
        record.name,
        record.description,
        grants.can_create_groups,
        grants.can_delete_groups,
        grants.can_create_pkps,
        sorted(grants.manage_ipfs_ids_in_groups),
        sorted(grants.add_pkp_to_groups),
        sorted(grants.remove_pkp_from_groups),
        sorted(grants.execute_in_groups),
    )


async def populate(chain: AccountChain) -> None:
    await chain.write("createManagedAccount", MASTER, "account", "of the tests", ADMIN, 1001)
    await chain.write("createManagedAccount", OTHER_MASTER, "other", "", "0x" + "e5" * 20, 2001)
    for wallet in WALLETS[1:]:
        arguments = (wallet.address, wallet.derivation_path, wallet.name, wallet.description)
        await chain.write("registerWalletDerivation", MASTER, *arguments)
    await chain.write("addActionWithCid", MASTER, "sign", "signs", CID)
    await chain.write("addAction", MASTER, "bare", "", BARE_ACTION)
    for group in GROUPS:
        contents = (list(group.action_hashes), list(group.wallets))
        await chain.write("addGroup", MASTER, group.name, group.description, *contents)
    for record in (USAGE_RECORD, PLAIN_RECORD):
        await chain.write("setUsageApiKey", *usage_arguments(record))


RPC = RpcSettings(rpc_attempt_timeout_s=30, rpc_call_timeout_s=60)


@dataclass
class Bench:
    """The chain, a proxy in front of it, and a reader that goes through the proxy; `now` is the node's clock."""

    chain: AccountChain
    proxy: RpcProxy
    floor: MinimumBlock
    reader: AccountReader
    now: float = 0.0

    def reader_over(self, session: aiohttp.ClientSession, providers: Sequence[str]) -> AccountReader:
        """Another reader of the same floor, over these providers."""
        rpc = JsonRpc(session, providers, RPC)
        return reader_over(rpc, self.chain.contract.address, lambda: self.now, self.floor)


Read = Callable[[AccountReader], Awaitable[Any]]
OF_AN_ACCOUNT: dict[str, Callable[[AccountReader, int], Awaitable[Any]]] = {
    "usage_keys": lambda reader, account: reader.usage_keys(account, Page(0, 1)),
    "wallets": lambda reader, account: reader.wallets(account, Page(0, 1)),
    "groups": lambda reader, account: reader.groups(account, Page(0, 1)),
    "actions": lambda reader, account: reader.actions(account, Page(0, 1)),
    "group_wallets": lambda reader, account: reader.group_wallets(account, 1, Page(0, 1)),
    "group_actions": lambda reader, account: reader.group_actions(account, 1, Page(0, 1)),
    "usage_key": lambda reader, account: reader.usage_key(account, USAGE),
    "wallet": lambda reader, account: reader.wallet(account, SECOND_WALLET),
    "wallet_by_id": lambda reader, account: reader.wallet_by_id(account, 0),
    "is_action_in_group": lambda reader, account: reader.is_action_in_group(account, 1, ACTION),
    "is_wallet_in_group": lambda reader, account: reader.is_wallet_in_group(account, 1, SECOND_WALLET),
    "action": lambda reader, account: reader.action(account, ACTION),
}


def _of_master(read: Callable[[AccountReader, int], Awaitable[Any]]) -> Read:
    return lambda reader: read(reader, MASTER)


EVERY_READ: dict[str, Read] = {
    "caller": lambda reader: reader.caller(USAGE),
    "account_name": lambda reader: reader.account_name(MASTER),
    "authorisation": lambda reader: reader.authorisation(USAGE, ACTION, [SECOND_WALLET]),
    "api_payers": lambda reader: reader.api_payers(),
    "admin_api_payer": lambda reader: reader.admin_api_payer(),
    **{name: _of_master(read) for name, read in OF_AN_ACCOUNT.items()},
}
