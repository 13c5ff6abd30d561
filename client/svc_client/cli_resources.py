"""Commands about wallets, groups and actions."""

import json
from pathlib import Path

import click

from svc_client.cli_context import FILE, Commands, Context, confirm, progress, read_params, read_text, show_text, tell


@click.group(cls=Commands)
def wallet() -> None:
    """Wallets."""


@wallet.command("list")
@click.option("--group", help="only those of this group")
@click.pass_obj
def wallet_list(context: Context, group: str | None) -> None:
    """List wallets."""
    with context.client() as client:
        listed = list(client.wallets if group is None else client.wallets.in_group(group))
    context.show(listed, "id", "wallet_address", "name", "description")


@wallet.command("create")
@click.option("--name", default="")
@click.option("--description", default="")
@click.pass_obj
def wallet_create(context: Context, name: str, description: str) -> None:
    """Mint a wallet."""
    with context.client() as client:
        context.show(client.wallets.create(name, description))


@click.group(cls=Commands)
def group() -> None:
    """Groups, which say which actions may use which wallets."""


@group.command("list")
@click.pass_obj
def group_list(context: Context) -> None:
    """List groups."""
    with context.client() as client:
        context.show(list(client.groups), "id", "name", "pkp_ids_permitted", "cid_hashes_permitted")


@group.command("create")
@click.argument("name")
@click.option("--description", default="")
@click.option("--wallet", "wallets", multiple=True, help="wallet in the group; repeatable")
@click.option("--action", "actions", multiple=True, help="CID of an action in the group; repeatable")
@click.pass_obj
def group_create(
    context: Context, name: str, description: str, wallets: tuple[str, ...], actions: tuple[str, ...]
) -> None:
    """Make a group."""
    with context.client() as client:
        made = client.groups.create(name, description, wallets=wallets)
        for cid in actions:
            progress(f"putting {cid} into group {made.id}, by a transaction …")
            made.allow(action=cid)
        context.show({"group_id": made.id})


@group.command("allow")
@click.argument("group_id")
@click.option("--wallet", help="wallet to put in")
@click.option("--action", help="CID of an action to put in")
@click.pass_obj
def group_allow(context: Context, group_id: str, wallet: str | None, action: str | None) -> None:
    """Put a wallet or an action into a group."""
    if action is None and wallet is None:
        raise click.UsageError("name a --wallet or an --action")
    with context.client() as client:
        client.groups.of(group_id).allow(action=action, wallet=wallet)
    context.show({"group_id": group_id})


@group.command("forbid")
@click.argument("group_id")
@click.option("--wallet", help="wallet to take out")
@click.option("--hashed-cid", help="hash of an action to take out")
@click.pass_obj
def group_forbid(context: Context, group_id: str, wallet: str | None, hashed_cid: str | None) -> None:
    """Take a wallet or an action out of a group."""
    if hashed_cid is None and wallet is None:
        raise click.UsageError("name a --wallet or a --hashed-cid")
    with context.client() as client:
        client.groups.of(group_id).forbid(hashed_cid=hashed_cid, wallet=wallet)
    context.show({"group_id": group_id})


@group.command("update")
@click.argument("group_id")
@click.option("--name", required=True)
@click.option("--description", default="")
@click.option("--wallet", "wallets", multiple=True, help="wallet in the group; repeatable")
@click.option("--hashed-cid", "hashes", multiple=True, help="hash of an action in the group; repeatable")
@click.option("--yes", is_flag=True, help="do not ask")
@click.pass_obj
def group_update(
    context: Context, /, group_id: str, name: str, description: str, *, yes: bool, **lists: tuple[str, ...]
) -> None:
    """Replace everything of a group: wallets and actions that are not named leave it."""
    confirm(yes, f"Replace all wallets and actions of group {group_id}?")
    with context.client() as client:
        context.show(client.groups.update(group_id, name, description, lists["wallets"], lists["hashes"]))


@group.command("remove")
@click.argument("group_id")
@click.option("--yes", is_flag=True, help="do not ask")
@click.pass_obj
def group_remove(context: Context, group_id: str, yes: bool) -> None:
    """Remove a group; its keys can no longer run anything in it."""
    confirm(yes, f"Remove group {group_id}?")
    with context.client() as client:
        context.show(client.groups.remove(group_id))


@click.group(cls=Commands)
def action() -> None:
    """Actions, the code that runs in the TEE."""


@action.command("list")
@click.option("--group", help="only those of this group")
@click.pass_obj
def action_list(context: Context, group: str | None) -> None:
    """List registered actions."""
    with context.client() as client:
        listed = list(client.actions if group is None else client.actions.in_group(group))
    context.show(listed, "name", "action_ipfs_cid", "hashed_cid", "description")


@action.command("run")
@click.argument("file", type=FILE)
@click.option("--params", default="{}", help="js_params as JSON, or @FILE")
@click.option("--max-seconds", type=click.IntRange(min=1), help="end the run, and its price, after so long")
@click.option("--idempotent", is_flag=True, help="ask again for a lost answer; the run never begins twice")
@click.pass_obj
def action_run(context: Context, file: Path, params: str, max_seconds: int | None, idempotent: bool) -> None:
    """Run the code in FILE (- is standard input), print its response, and its logs to stderr."""
    code = read_text(file)
    with context.client() as client:
        progress("running the action …")
        run = client.actions.run(code, read_params(params), max_seconds=max_seconds, idempotent=idempotent)
    if context.as_json:
        context.show(run)
        return
    if run.logs:
        tell(run.logs)
    shown = run.response if isinstance(run.response, str) else json.dumps(run.response)
    show_text(shown)


@action.command("deploy")
@click.argument("file", type=FILE)
@click.option("--name", default="", help="the file's name without its ending, unless given")
@click.option("--group", help="group to put it in")
@click.pass_obj
def action_deploy(context: Context, file: Path, name: str, group: str | None) -> None:
    """Register the code in FILE, and put it into a group."""
    code = read_text(file)
    with context.client() as client:
        cid = client.actions.cid(code)
        progress(f"{cid}: looking whether the account has it …")
        if cid not in {each.action_ipfs_cid for each in client.actions}:
            progress("registering it, by a transaction …")
            client.actions.register(cid, name or (file.stem if str(file) != "-" else cid))
        if group is not None:
            progress(f"putting it into group {group}, by a transaction …")
            client.groups.of(group).allow(action=cid)
    context.show({"action_ipfs_cid": cid, "group_id": group})


@action.command("rename")
@click.argument("hashed_cid")
@click.option("--name", required=True)
@click.option("--description", default="")
@click.pass_obj
def action_rename(context: Context, hashed_cid: str, name: str, description: str) -> None:
    """Give a registered action another name."""
    with context.client() as client:
        context.show(client.actions.rename(hashed_cid, name, description))


@action.command("delete")
@click.argument("hashed_cid")
@click.option("--yes", is_flag=True, help="do not ask")
@click.pass_obj
def action_delete(context: Context, hashed_cid: str, yes: bool) -> None:
    """Delete an action; it leaves every group."""
    confirm(yes, f"Delete action {hashed_cid}?")
    with context.client() as client:
        context.show(client.actions.delete(hashed_cid))
