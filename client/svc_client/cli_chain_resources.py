"""Commands of `svc chain` about wallets, groups, actions and usage keys of the account."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from svc_client.cli_account import grant_options, named_grants, show_usage_keys
from svc_client.cli_chain_context import Means, carry_out, do, reading, reads, result_of, writes, writing
from svc_client.cli_context import Commands, Context
from svc_client.errors import Unconfirmed
from svc_client.models import MintedWallet

if TYPE_CHECKING:
    from svc_client.sovereign.calls import Call


@click.group(cls=Commands)
def wallet() -> None:
    """Wallets of the account."""


@wallet.command("list")
@click.pass_obj
@reads
def wallet_list(context: Context, means: Means) -> None:
    """List wallets."""
    with reading(context, means) as mine:
        context.show(list(mine.wallets()), "id", "wallet_address", "name", "description")


@wallet.command("create")
@click.option("--name", default="")
@click.option("--description", default="")
@click.pass_obj
@writes
def wallet_create(context: Context, means: Means, name: str, description: str) -> None:
    """Let the node mint a wallet, and register it."""
    _require_keystore(means)
    with writing(context, means) as mine:
        minted = mine.mint_wallet()
        sent = carry_out(context, means, mine, [mine.calls.register_wallet(minted, name, description)])
    if sent is not None:
        context.show(result_of(sent, wallet_address=minted.wallet_address))


@wallet.command("register")
@click.argument("wallet_address")
@click.argument("derivation_path")
@click.option("--name", default="")
@click.option("--description", default="")
@click.pass_obj
@writes
def wallet_register(context: Context, means: Means, **given: str) -> None:
    """Register a wallet that the node minted before, by its address and derivation path."""
    minted = MintedWallet(
        success=True, wallet_address=given["wallet_address"], derivation_path=given["derivation_path"]
    )
    do(context, means, lambda mine: [mine.calls.register_wallet(minted, given["name"], given["description"])])


@click.group(cls=Commands)
def group() -> None:
    """Groups of the account."""


@group.command("list")
@click.pass_obj
@reads
def group_list(context: Context, means: Means) -> None:
    """List groups."""
    with reading(context, means) as mine:
        context.show(list(mine.groups()), "id", "name", "pkp_ids_permitted", "cid_hashes_permitted")


@group.command("create")
@click.argument("name")
@click.option("--description", default="")
@click.option("--wallet", "wallets", multiple=True, help="wallet in the group; repeatable")
@click.option("--action", "actions", multiple=True, help="CID or hash of an action in the group; repeatable")
@click.pass_obj
@writes
def group_create(context: Context, means: Means, name: str, description: str, **content: tuple[str, ...]) -> None:
    """Make a group."""
    with writing(context, means) as mine:
        sent = carry_out(context, means, mine, [mine.calls.add_group(name, description, **content)])
    if sent is not None:
        context.show(result_of(sent, group_id=str(sent.events("GroupAdded")[0]["groupId"])))


@group.command("update")
@click.argument("group_id")
@click.option("--name", required=True)
@click.option("--description", default="")
@click.option("--wallet", "wallets", multiple=True, help="wallet in the group; repeatable")
@click.option("--action", "actions", multiple=True, help="CID or hash of an action in the group; repeatable")
@click.pass_obj
@writes
def group_update(
    context: Context, means: Means, group_id: str, name: str, description: str, **content: tuple[str, ...]
) -> None:
    """Replace everything of a group: wallets and actions that are not named leave it."""
    actions, wallets = content["actions"], content["wallets"]
    do(context, means, lambda mine: [mine.calls.update_group(group_id, name, description, actions, wallets)])


@group.command("rename")
@click.argument("group_id")
@click.option("--name", required=True)
@click.option("--description", default="")
@click.pass_obj
@writes
def group_rename(context: Context, means: Means, group_id: str, name: str, description: str) -> None:
    """Give a group another name."""
    do(context, means, lambda mine: [mine.calls.rename_group(group_id, name, description)])


@group.command("remove")
@click.argument("group_id")
@click.pass_obj
@writes
def group_remove(context: Context, means: Means, group_id: str) -> None:
    """Remove a group; its keys can no longer run anything in it."""
    do(context, means, lambda mine: [mine.calls.remove_group(group_id)])


@group.command("allow")
@click.argument("group_id")
@click.option("--wallet", help="wallet to put in")
@click.option("--action", help="CID or hash of an action to put in")
@click.pass_obj
@writes
def group_allow(context: Context, means: Means, group_id: str, wallet: str | None, action: str | None) -> None:
    """Put a wallet or an action into a group."""
    _require_one(wallet, action)
    do(
        context,
        means,
        lambda mine: _memberships(mine.calls.allow_action, mine.calls.allow_wallet, group_id, action, wallet),
    )


@group.command("forbid")
@click.argument("group_id")
@click.option("--wallet", help="wallet to take out")
@click.option("--action", help="CID or hash of an action to take out")
@click.pass_obj
@writes
def group_forbid(context: Context, means: Means, group_id: str, wallet: str | None, action: str | None) -> None:
    """Take a wallet or an action out of a group."""
    _require_one(wallet, action)
    do(
        context,
        means,
        lambda mine: _memberships(mine.calls.forbid_action, mine.calls.forbid_wallet, group_id, action, wallet),
    )


@click.group(cls=Commands)
def action() -> None:
    """Actions of the account."""


@action.command("list")
@click.pass_obj
@reads
def action_list(context: Context, means: Means) -> None:
    """List registered actions."""
    with reading(context, means) as mine:
        context.show(list(mine.actions()), "name", "action_ipfs_cid", "hashed_cid", "description")


@action.command("add")
@click.argument("cid")
@click.option("--name", required=True)
@click.option("--description", default="")
@click.pass_obj
@writes
def action_add(context: Context, means: Means, cid: str, name: str, description: str) -> None:
    """Register an action by its CID or hash."""
    do(context, means, lambda mine: [mine.calls.add_action(cid, name, description)])


@action.command("rename")
@click.argument("cid")
@click.option("--name", required=True)
@click.option("--description", default="")
@click.pass_obj
@writes
def action_rename(context: Context, means: Means, cid: str, name: str, description: str) -> None:
    """Give a registered action (CID or hash) another name."""
    do(context, means, lambda mine: [mine.calls.rename_action(cid, name, description)])


@action.command("remove")
@click.argument("cid")
@click.pass_obj
@writes
def action_remove(context: Context, means: Means, cid: str) -> None:
    """Delete an action (CID or hash); it leaves every group."""
    do(context, means, lambda mine: [mine.calls.remove_action(cid)])


@click.group(cls=Commands)
def key() -> None:
    """Usage keys of the account."""


@key.command("list")
@click.pass_obj
@reads
def key_list(context: Context, means: Means) -> None:
    """List usage keys, without their values."""
    with reading(context, means) as mine:
        show_usage_keys(context, list(mine.usage_keys()))


@key.command("create")
@click.argument("name")
@grant_options
@click.pass_obj
@writes
def key_create(context: Context, means: Means, name: str, description: str, **grants: Any) -> None:
    """Let the node mint a usage key, attach it, and print it: it is shown once."""
    _require_keystore(means)
    with writing(context, means) as mine:
        minted = mine.mint_usage_key()
        calls = mine.calls.attach_usage_key(minted, name, description, **named_grants(grants))
        try:
            sent = carry_out(context, means, mine, calls)
        except Unconfirmed:
            # The transaction may still be mined, and the key is shown nowhere else.
            context.show({"usage_api_key": minted.usage_api_key})
            raise
    if sent is not None:
        context.show(result_of(sent, usage_api_key=minted.usage_api_key))


@key.command("set")
@click.argument("api_key_hash")
@click.option("--name", required=True)
@grant_options
@click.pass_obj
@writes
def key_set(context: Context, means: Means, api_key_hash: str, name: str, description: str, **grants: Any) -> None:
    """Attach a usage key by its hash, or replace everything one may do."""
    given = named_grants(grants)
    do(context, means, lambda mine: [mine.calls.set_usage_key(api_key_hash, name, description, **given)])


@key.command("update")
@click.argument("api_key_hash")
@click.option("--name", required=True)
@grant_options
@click.pass_obj
@writes
def key_update(context: Context, means: Means, api_key_hash: str, name: str, description: str, **grants: Any) -> None:
    """Replace everything an attached usage key may do: grants that are not named are withdrawn."""
    given = named_grants(grants)
    do(context, means, lambda mine: [mine.calls.update_usage_key(api_key_hash, name, description, **given)])


@key.command("rename")
@click.argument("api_key_hash")
@click.option("--name", required=True)
@click.option("--description", default="")
@click.pass_obj
@writes
def key_rename(context: Context, means: Means, api_key_hash: str, name: str, description: str) -> None:
    """Give a usage key another name; what it may do stays."""
    do(context, means, lambda mine: [mine.calls.rename_usage_key(api_key_hash, name, description)])


@key.command("remove")
@click.argument("api_key_hash")
@click.pass_obj
@writes
def key_remove(context: Context, means: Means, api_key_hash: str) -> None:
    """Remove a usage key by its hash, for good."""
    do(context, means, lambda mine: [mine.calls.remove_usage_key(api_key_hash)])


def _require_keystore(means: Means) -> None:
    if means.safe_batch is not None:
        raise click.UsageError(
            "minting takes a signature of the wallet: mint with svc_client.sovereign.ContractWallet, then write the batch"
        )


def _memberships(
    of_action: "Callable[[str, str], Call]",
    of_wallet: "Callable[[str, str], Call]",
    group_id: str,
    action: str | None,
    wallet: str | None,
) -> "list[Call]":
    pairs = ((of_action, action), (of_wallet, wallet))
    return [call(group_id, member) for call, member in pairs if member is not None]


def _require_one(wallet: str | None, action: str | None) -> None:
    if action is None and wallet is None:
        raise click.UsageError("name a --wallet or an --action")
