"""The command `svc`: every call of the SDK from a shell, over connections that are proven first.

Exit codes: 0 done, 1 internal error, 2 misuse, 10 the node was not accepted, 20 undecided, 30 a file that cannot be read, 40 no
answer, 50 refused by the node (or the action failed).
"""

import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any, Final

import click
from pydantic import BaseModel, JsonValue

from svc_client.errors import ActionFailed, ApiError, NodeNotAccepted, SvcError, Unanswered, Unreachable
from svc_client.models import Grants
from svc_client.profile import Profile, ProfileError, load_profile, save_profile
from svc_client.sync import Client
from svc_verifier.rendering.summary import summary
from svc_verifier.report import Verdict

DEFAULT_PROFILE: Final = "default"
_WIDTH: Final = 120
_CODE_BYTES: Final = 4 * 1024 * 1024
_FILE: Final = click.Path(path_type=Path, dir_okay=False, allow_dash=True)


class Exit(IntEnum):
    """Exit codes. The first six are those of `svc-verify`."""

    DONE = 0
    INTERNAL = 1
    MISUSE = 2
    NOT_ACCEPTED = 10
    UNDECIDED = 20
    MALFORMED = 30
    NO_ANSWER = 40
    REFUSED = 50


@dataclass(frozen=True, slots=True)
class Context:
    """Options that every command has."""

    profile: str
    as_json: bool

    def client(self) -> Client:
        """Return a client of the profile's node."""
        return client_of(load_profile(self.profile))

    def show(self, value: object, *columns: str) -> None:
        """Print a result: JSON for machines, else a table of these columns or lines of name and value."""
        if self.as_json:
            click.echo(json.dumps(_plain(value)))
        elif isinstance(value, list):
            _table([_plain(each) for each in value], columns)
        elif isinstance(plain := _plain(value), dict):
            for name, each in plain.items():
                if each is not None:
                    click.echo(f"{name:<18} {_cell(each)}")
        else:
            click.echo(_cell(plain))


def client_of(profile: Profile) -> Client:
    """Return a client with a profile's trust and key."""
    return Client(
        profile.url,
        profile.api_key or None,
        trust=profile.trust,
        app_id=profile.app_id,
        rpc_urls=profile.rpc_urls,
        chain_id=profile.chain_id,
        account_contract=profile.account_contract,
        insecure_dev_root=profile.insecure_dev_root,
    )


class _Command(click.Group):
    """Ends every command with the exit code of what went wrong, and one line on standard error."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (SvcError, ProfileError) as error:
            click.echo(f"svc: {error}", err=True)
            if isinstance(error, NodeNotAccepted) and error.report is not None:
                click.echo(summary(error.report, width=_WIDTH), err=True)
            if isinstance(error, ActionFailed) and error.logs:
                click.echo(error.logs, err=True)
            sys.exit(exit_of(error))


def exit_of(error: SvcError | ProfileError) -> Exit:
    """Return the exit code of an error."""
    if isinstance(error, NodeNotAccepted):
        undecided = error.report is not None and error.report.verdict is Verdict.UNDECIDED
        return Exit.UNDECIDED if undecided else Exit.NOT_ACCEPTED
    if isinstance(error, (Unreachable, Unanswered)):
        return Exit.NO_ANSWER
    if isinstance(error, (ApiError, ActionFailed)):
        return Exit.REFUSED
    return Exit.MALFORMED


@click.group(cls=_Command, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--profile", default=DEFAULT_PROFILE, show_default=True, help="which node and key, as `svc login` kept them"
)
@click.option("--json", "as_json", is_flag=True, help="print results as JSON")
@click.version_option(package_name="svc-client")
@click.pass_context
def main(ctx: click.Context, profile: str, as_json: bool) -> None:
    """Use a node in a confidential VM. It is proven before the first byte of a request leaves.

    Begin with `svc login https://HOST --trust FILE`.
    """
    ctx.obj = Context(profile, as_json)


@main.command()
@click.argument("url")
@click.option(
    "--trust", type=click.Path(exists=True, dir_okay=False, resolve_path=True), help="trust file of `svc-verify init`"
)
@click.option("--app-id", help="the application: address of its governance contract")
@click.option("--rpc-url", "rpc_urls", multiple=True, help="JSON-RPC provider of that contract's chain; repeatable")
@click.option("--chain-id", type=int, help="chain of that contract")
@click.option("--account-contract", help="address of the account contract")
@click.option(
    "--insecure-dev-root",
    type=click.Path(exists=True, dir_okay=False, resolve_path=True),
    help="INSECURE: root of a development node's simulator",
)
@click.option("--no-key", is_flag=True, help="keep no key, for instance to make an account next")
@click.pass_obj
def login(context: Context, /, url: str, *, no_key: bool, **trusted: Any) -> None:
    """Keep a node's address, its trust and your key as a profile. The key is read from standard input or a prompt."""
    profile = Profile(url=url, api_key="" if no_key else _read_key(), **trusted)
    with client_of(profile) as client:
        report = client.verify()
        if profile.api_key and not client.account.exists():
            raise SvcError("the node knows no account with this key")
    click.echo(f"{report.host} accepted; kept in {save_profile(context.profile, profile)}", err=True)


@main.command()
@click.pass_obj
def verify(context: Context) -> None:
    """Verify the node and print the report."""
    with context.client() as client:
        report = client.verify()
    if context.as_json:
        context.show({"host": report.host, "verdict": report.verdict.value, "development": report.development})
    else:
        click.echo(summary(report, width=_WIDTH))


@main.group()
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
    with client_of(profile) as client:
        made = client.account.create(name, description, email)
    path = save_profile(context.profile, _with_key(profile, made.api_key))
    click.echo(f"The account's key is in {path} and nowhere else: keep a copy.", err=True)
    context.show({"wallet_address": made.wallet_address, "transaction_hash": made.transaction_hash})


@account.command("show")
@click.pass_obj
def account_show(context: Context) -> None:
    """Show the account's credit."""
    with context.client() as client:
        context.show(client.billing.balance())


@main.group()
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


@main.group()
def group() -> None:
    """Groups: which wallets are used by which actions."""


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
            made.allow(action=cid)
        context.show({"group_id": made.id})


@group.command("allow")
@click.argument("group_id")
@click.option("--wallet", help="wallet to put in")
@click.option("--action", help="CID of an action to put in")
@click.pass_obj
def group_allow(context: Context, group_id: str, wallet: str | None, action: str | None) -> None:
    """Put a wallet or an action into a group."""
    with context.client() as client:
        client.groups.of(group_id).allow(action=action, wallet=wallet)


@group.command("forbid")
@click.argument("group_id")
@click.option("--wallet", help="wallet to take out")
@click.option("--hashed-cid", help="hash of an action to take out")
@click.pass_obj
def group_forbid(context: Context, group_id: str, wallet: str | None, hashed_cid: str | None) -> None:
    """Take a wallet or an action out of a group."""
    with context.client() as client:
        client.groups.of(group_id).forbid(hashed_cid=hashed_cid, wallet=wallet)


@group.command("remove")
@click.argument("group_id")
@click.option("--yes", is_flag=True, help="do not ask")
@click.pass_obj
def group_remove(context: Context, group_id: str, yes: bool) -> None:
    """Remove a group; its keys can no longer run anything in it."""
    _confirm(yes, f"Remove group {group_id}?")
    with context.client() as client:
        context.show(client.groups.remove(group_id))


@main.group()
def action() -> None:
    """Actions: code that runs in the TEE."""


@action.command("list")
@click.option("--group", help="only those of this group")
@click.pass_obj
def action_list(context: Context, group: str | None) -> None:
    """List registered actions."""
    with context.client() as client:
        listed = list(client.actions if group is None else client.actions.in_group(group))
    context.show(listed, "name", "action_ipfs_cid", "hashed_cid", "description")


@action.command("run")
@click.argument("file", type=_FILE)
@click.option("--params", default="{}", help="js_params as JSON, or @FILE")
@click.option("--idempotent", is_flag=True, help="may be sent again when its answer is lost")
@click.pass_obj
def action_run(context: Context, file: Path, params: str, idempotent: bool) -> None:
    """Run the code in FILE (- for standard input) and print its response; logs go to standard error."""
    code = _read_text(file)
    with context.client() as client:
        run = client.actions.run(code, _params(params), idempotent=idempotent)
    if context.as_json:
        context.show(run)
        return
    if run.logs:
        click.echo(run.logs, err=True)
    click.echo(run.response if isinstance(run.response, str) else json.dumps(run.response))


@action.command("deploy")
@click.argument("file", type=_FILE)
@click.option("--name", required=True)
@click.option("--group", help="group to put it in")
@click.pass_obj
def action_deploy(context: Context, file: Path, name: str, group: str | None) -> None:
    """Register the code in FILE, and put it into a group."""
    code = _read_text(file)
    with context.client() as client:
        cid = client.actions.cid(code)
        if cid not in {each.action_ipfs_cid for each in client.actions}:
            client.actions.register(cid, name)
        if group is not None:
            client.groups.of(group).allow(action=cid)
    context.show({"action_ipfs_cid": cid, "group_id": group})


@action.command("delete")
@click.argument("hashed_cid")
@click.option("--yes", is_flag=True, help="do not ask")
@click.pass_obj
def action_delete(context: Context, hashed_cid: str, yes: bool) -> None:
    """Delete an action; it leaves every group."""
    _confirm(yes, f"Delete action {hashed_cid}?")
    with context.client() as client:
        context.show(client.actions.delete(hashed_cid))


@main.group()
def key() -> None:
    """Usage keys."""


@key.command("list")
@click.pass_obj
def key_list(context: Context) -> None:
    """List usage keys, without their values."""
    with context.client() as client:
        context.show(list(client.usage_keys), "name", "can_execute_in_groups", "balance", "expiration", "api_key_hash")


@key.command("create")
@click.argument("name")
@click.option("--execute-in", multiple=True, help="group whose actions it runs; 0 is every group; repeatable")
@click.option("--create-wallets", is_flag=True)
@click.option("--create-groups", is_flag=True)
@click.option("--delete-groups", is_flag=True)
@click.option("--manage-actions-in", multiple=True)
@click.option("--add-wallets-in", multiple=True)
@click.option("--remove-wallets-in", multiple=True)
@click.option("--expires", type=int, help="unix seconds")
@click.option("--cap-cents", type=int, help="lifetime spending cap")
@click.pass_obj
def key_create(context: Context, /, name: str, execute_in: tuple[str, ...], **grants: Any) -> None:
    """Make a usage key and print it: it is shown once."""
    with context.client() as client:
        made = client.usage_keys.create(name, Grants(**grants), execute_in=execute_in)
    context.show({"usage_api_key": made.usage_api_key} if context.as_json else made.usage_api_key)


@key.command("remove")
@click.argument("api_key_hash")
@click.option("--yes", is_flag=True, help="do not ask")
@click.pass_obj
def key_remove(context: Context, api_key_hash: str, yes: bool) -> None:
    """Remove a usage key by its hash, at once and for good."""
    _confirm(yes, f"Remove the usage key {api_key_hash}?")
    with context.client() as client:
        context.show(client.usage_keys.remove(api_key_hash))


@key.command("why")
@click.option("--file", type=_FILE, help="code of the action")
@click.option("--cid", default="", help="or its CID")
@click.option("--wallet", default="", help="wallet the action would use")
@click.pass_obj
def key_why(context: Context, file: Path | None, cid: str, wallet: str) -> None:
    """Say why the profile's key may or may not run an action."""
    code = "" if file is None else _read_text(file)
    with context.client() as client:
        context.show(client.explain(code=code, cid=cid, wallet=wallet))


@main.group()
def billing() -> None:
    """Credit."""


@billing.command("balance")
@click.pass_obj
def billing_balance(context: Context) -> None:
    """Show the credit."""
    with context.client() as client:
        context.show(client.billing.balance())


@billing.command("add")
@click.option("--amount", type=float, required=True, help="US dollars, at least 5")
@click.pass_obj
def billing_add(context: Context, amount: float) -> None:
    """Begin a card payment; a page that takes the card needs the client secret."""
    with context.client() as client:
        begun = client.billing.begin_payment(round(amount * 100))
        context.show({"payment_intent_id": begun.payment_intent_id, "client_secret": begun.client_secret})


@billing.command("confirm")
@click.argument("payment_intent_id")
@click.pass_obj
def billing_confirm(context: Context, payment_intent_id: str) -> None:
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
            click.echo(client.billing.usage_csv(from_time, to_time), nl=False)
        else:
            listed = list(client.billing.usage(from_time, to_time))
            context.show(listed, "time", "service", "charged_cents", "duration_ms", "action_ipfs_cid")


def _read_key() -> str:
    if sys.stdin.isatty():
        return str(click.prompt("API key", hide_input=True, err=True)).strip()
    return sys.stdin.readline().strip()


def _read_text(file: Path) -> str:
    try:
        data = sys.stdin.buffer.read(_CODE_BYTES + 1) if str(file) == "-" else _read_bounded(file)
        text = data.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ProfileError(f"{file} cannot be read: {error}") from None
    if len(data) > _CODE_BYTES:
        raise ProfileError(f"{file} is longer than {_CODE_BYTES} bytes")
    return text


def _read_bounded(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(_CODE_BYTES + 1)


def _params(text: str) -> dict[str, JsonValue]:
    given = _read_text(Path(text[1:])) if text.startswith("@") else text
    try:
        value = json.loads(given)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise click.BadParameter("is no JSON object", param_hint="--params")
    return value


def _confirm(yes: bool, question: str) -> None:
    if not yes:
        click.confirm(question, abort=True, err=True)


def _with_key(profile: Profile, api_key: str) -> Profile:
    from dataclasses import replace  # noqa: PLC0415 - for this one place

    return replace(profile, api_key=api_key)


def _plain(value: object) -> JsonValue:
    if isinstance(value, BaseModel):
        plain: JsonValue = value.model_dump(mode="json")
        return plain
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _cell(value: JsonValue) -> str:
    if isinstance(value, list):
        return ",".join(map(_cell, value)) or "-"
    text = "" if value is None else str(value)
    # Names come from others: nothing in a table may move the cursor or colour a line.
    return "".join(each if each.isprintable() else "?" for each in text)


def _table(rows: Iterable[JsonValue], columns: Iterable[str]) -> None:
    names = list(columns)
    cells = [[_cell(row.get(name)) if isinstance(row, dict) else "" for name in names] for row in rows]
    widths = [max(len(each) for each in column) for column in zip(names, *cells, strict=True)]
    for line in (names, *cells):
        click.echo("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip())
