"""Commands `svc chain` of sovereign mode. The user's wallet administers an account on chain."""

import click

from svc_client.cli_chain_context import Means, do, reading, reads, writes, writing
from svc_client.cli_chain_resources import action, group, key, wallet
from svc_client.cli_context import Commands, Context, confirm


@click.group(cls=Commands)
def chain() -> None:
    """Administer a ChainSecured account by your own wallet, without the node's word.

    Needs the extra: pip install 'svc-client[sovereign]'. Only minting and converting ask the node.
    """


for _group in (wallet, group, action, key):
    chain.add_command(_group)


@chain.command("status")
@click.pass_obj
@reads
def chain_status(context: Context, means: Means) -> None:
    """Show contract and account as the providers of the chain agree on them."""
    with reading(context, means) as mine:
        context.show(mine.status())


@chain.command("open")
@click.argument("name")
@click.option("--description", default="")
@click.pass_obj
@writes
def chain_open(context: Context, means: Means, name: str, description: str) -> None:
    """Open the wallet's own account."""
    do(context, means, lambda mine: [mine.calls.open(name, description)])


@chain.command("transfer")
@click.argument("new_admin")
@click.pass_obj
@writes
def chain_transfer(context: Context, means: Means, new_admin: str) -> None:
    """Hand the account to another wallet, for good."""
    do(context, means, lambda mine: [mine.calls.transfer(new_admin)])


@chain.command("clear-keys")
@click.pass_obj
@writes
def chain_clear_keys(context: Context, means: Means) -> None:
    """Remove every usage key of the account, for good."""
    do(context, means, lambda mine: [mine.calls.clear_usage_keys()])


@chain.command("convert")
@click.pass_obj
@writes
def chain_convert(context: Context, means: Means) -> None:
    """Hand the account of the profile's key to the wallet for good. The node transacts."""
    if means.safe_batch is not None:
        raise click.UsageError("the node sends this transaction; it needs --keystore")
    with writing(context, means) as mine:
        confirm(means.yes, f"Hand the account of the profile's key to {mine.address}, for good?")
        context.show(mine.convert())
