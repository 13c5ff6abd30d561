"""Commands about the account, its usage keys and its credit."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from svc_client.cli_context import FILE, Commands, Context, Exit, cents, client_of, confirm, read_text, show_text, tell
from svc_client.grants import Grants
from svc_client.profile import load_profile, save_profile

if TYPE_CHECKING:
    from svc_client.models import UsageKey

_LIMIT_DIGITS: Final = 20
"""Decimal digits of the largest u64."""


@click.group(cls=Commands)
def account() -> None:
    """The account."""


@account.command("create")
@click.argument("name")
@click.option("--description", default="")
@click.option("--email", help="for receipts of the card processor")
@click.pass_obj
def account_create(context: Context, name: str, description: str, email: str | None) -> None:
    """Make an account and keep its key in the profile; the key is shown nowhere."""
    profile = load_profile(context.profile)
    if profile.api_key:
        raise click.UsageError(f"profile {context.profile!r} has a key already; use another --profile")
    # Write the profile first: a folder without write access would lose the key.
    save_profile(context.profile, profile)
    with client_of(profile) as client:
        made = client.account.create(name, description, email)
    # Save before printing: the node shows the key only once, and printing may fail.
    path = save_profile(context.profile, replace(profile, api_key=made.api_key))
    tell(f"The account's key is in {path} and nowhere else: keep a copy.")
    context.show({"wallet_address": made.wallet_address, "transaction_hash": made.transaction_hash})


@account.command("show")
@click.pass_obj
def account_show(context: Context) -> None:
    """Show the account's credit."""
    with context.client() as client:
        context.show(client.billing.balance())


@click.group(cls=Commands)
def key() -> None:
    """Usage keys."""


@key.command("list")
@click.pass_obj
def key_list(context: Context) -> None:
    """List usage keys, without their values."""
    with context.client() as client:
        show_usage_keys(context, list(client.usage_keys))


def show_usage_keys(context: Context, keys: "list[UsageKey]") -> None:
    """Prints usage keys, with the expiry as a date unless JSON is wanted."""
    dated = [{**each.model_dump(mode="json"), "expiration": _expiry(each.expiration)} for each in keys]
    columns = ("name", "can_execute_in_groups", "balance", "expiration", "api_key_hash")
    context.show(keys if context.as_json else dated, *columns)


def _expiry(unix_s: str) -> str:
    from svc_verifier.rendering.text import moment  # noqa: PLC0415 - completion and help do without it

    return "never" if unix_s == "0" else moment(int(unix_s))


def _limit(_: click.Context, __: click.Parameter, text: str | None) -> int | str | None:
    """Reads a whole number above 0 or the word `none`; None if the option was not given."""
    if text is None or text == "none":
        return text
    if text.isascii() and text.isdigit() and 0 < len(text) <= _LIMIT_DIGITS and int(text) > 0:
        return int(text)
    raise click.BadParameter("is neither a whole number above 0 nor none")


def grant_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options that say what a key may do."""
    for option in reversed(
        (
            click.option("--description", default=""),
            click.option("--execute-in", multiple=True, help="group whose actions it runs; 0 is every; repeatable"),
            click.option("--create-wallets", is_flag=True),
            click.option("--create-groups", is_flag=True),
            click.option("--delete-groups", is_flag=True),
            click.option("--manage-actions-in", multiple=True, help="group; 0 is every; repeatable"),
            click.option("--add-wallets-in", multiple=True, help="group; 0 is every; repeatable"),
            click.option("--remove-wallets-in", multiple=True, help="group; 0 is every; repeatable"),
            click.option("--expires", callback=_limit, help="unix seconds, or none"),
            click.option("--cap-cents", callback=_limit, help="lifetime spending cap, or none"),
        )
    ):
        command = option(command)
    return command


def named_grants(options: dict[str, Any]) -> Grants:
    """Returns the grants in the options, without limits not given, which an update then keeps."""
    limits = {name: options.pop(name) for name in ("expires", "cap_cents")}
    found: Grants = {**options, **{name: None if limit == "none" else limit for name, limit in limits.items() if limit}}  # type: ignore[typeddict-item]  # of click: names and types are those of the options above
    return found


@key.command("create")
@click.argument("name")
@grant_options
@click.pass_obj
def key_create(context: Context, /, name: str, *, description: str, **grants: Any) -> None:
    """Make a usage key and print it: it is shown once."""
    with context.client() as client:
        made = client.usage_keys.create(name, description, **named_grants(grants))
    context.show({"usage_api_key": made.usage_api_key} if context.as_json else made.usage_api_key)


@key.command("update")
@click.argument("api_key_hash")
@click.option("--name", required=True)
@grant_options
@click.option("--yes", is_flag=True, help="do not ask")
@click.pass_obj
def key_update(
    context: Context, /, api_key_hash: str, name: str, *, description: str, yes: bool, **grants: Any
) -> None:
    """Replace all grants of a usage key. Grants not named are withdrawn; limits not named stay."""
    confirm(yes, f"Replace all grants of the usage key {api_key_hash}?")
    with context.client() as client:
        context.show(client.usage_keys.update(api_key_hash, name, description, **named_grants(grants)))


@key.command("remove")
@click.argument("api_key_hash")
@click.option("--yes", is_flag=True, help="do not ask")
@click.pass_obj
def key_remove(context: Context, api_key_hash: str, yes: bool) -> None:
    """Remove a usage key by its hash, at once and for good."""
    confirm(yes, f"Remove the usage key {api_key_hash}?")
    with context.client() as client:
        context.show(client.usage_keys.remove(api_key_hash))


@key.command("why")
@click.option("--file", type=FILE, help="code of the action")
@click.option("--cid", default="", help="or its CID")
@click.option("--wallet", default="", help="wallet the action would use")
@click.pass_obj
def key_why(context: Context, file: Path | None, cid: str, wallet: str) -> None:
    """Say why the profile's key may or may not run an action."""
    code = "" if file is None else read_text(file)
    with context.client() as client:
        context.show(client.explain(code=code, cid=cid, wallet=wallet))


@click.group(cls=Commands)
def billing() -> None:
    """Credit."""


@billing.command("balance")
@click.pass_obj
def billing_balance(context: Context) -> None:
    """Show the credit."""
    with context.client() as client:
        context.show(client.billing.balance())


@billing.command("add")
@click.option("--amount", required=True, help="US dollars, at least 5")
@click.option("--no-open", is_flag=True, help="print the page's address, and open no browser")
@click.option("--no-page", is_flag=True, help="print the client secret for a page of your own, and wait for nothing")
@click.pass_obj
def billing_add(context: Context, amount: str, no_open: bool, no_page: bool) -> None:
    """Add credit by card on the node's proven payment page, and wait until it is credited."""
    wanted = cents(amount)
    from svc_client.payment import pay  # noqa: PLC0415 - for this command alone

    payment = None if no_page else pay(load_profile(context.profile), wanted, opens=not no_open)
    if payment is None:
        # The node may have no payment page. Another page that takes cards can use the secret.
        with context.client() as client:
            begun = client.billing.begin_payment(wanted)
        context.show({"payment_intent_id": begun.payment_intent_id, "client_secret": begun.client_secret})
        return
    identifier = payment.begun.payment_intent_id
    if payment.credited is None:
        tell(f"svc: {identifier} is not paid yet. It is credited once it is; svc billing confirm {identifier} says so.")
        sys.exit(Exit.NO_ANSWER)
    context.show({"payment_intent_id": identifier, **payment.credited.model_dump(mode="json")})


@billing.command("confirm")
@click.argument("payment_intent_id")
@click.pass_obj
def billingconfirm(context: Context, payment_intent_id: str) -> None:
    """Credit a payment that succeeded."""
    with context.client() as client:
        context.show(client.billing.confirm_payment(payment_intent_id))


@billing.command("usage")
@click.option("--from", "from_time", default="", help="RFC 3339")
@click.option("--to", "to_time", default="", help="RFC 3339")
@click.option("--csv", "as_csv", is_flag=True, help="the node's own CSV")
@click.pass_obj
def billing_usage(context: Context, from_time: str, to_time: str, as_csv: bool) -> None:
    """List what credit was spent on."""
    with context.client() as client:
        if as_csv:
            show_text(client.billing.usage_csv(from_time, to_time), nl=False)
        else:
            listed = list(client.billing.usage(from_time, to_time))
            context.show(listed, "time", "service", "charged_cents", "duration_ms", "action_ipfs_cid", "operation")


@billing.command("statement")
@click.option("--from", "from_time", required=True, help="first moment, RFC 3339")
@click.option("--to", "to_time", required=True, help="first moment after the period, RFC 3339")
@click.pass_obj
def billing_statement(context: Context, from_time: str, to_time: str) -> None:
    """Sum the cost of a period by key and by item."""
    with context.client() as client:
        statement = client.billing.statement(from_time, to_time)
    if context.as_json:
        context.show(statement)
        return
    context.show(list(statement.lines), "service", "item", "api_key_hash", "charges", "duration_ms", "charged_cents")
    click.echo(f"{statement.charged_cents} cents from {statement.from_time} to {statement.to_time}")
