"""The command `svc`, which makes every call of the SDK over proven connections.

Exit codes: 0 done, 1 internal error, 2 misuse, 10 the node was not accepted, 20 undecided, 30 a
file cannot be read, 40 no response, 50 refused by node or contract (or the action failed).
"""

from dataclasses import replace
from typing import Any

import click

from svc_client import __version__
from svc_client.cli_account import account, billing, key
from svc_client.cli_chain import chain
from svc_client.cli_context import DEFAULT_PROFILE, WIDTH, Commands, Context, client_of, read_key, tell
from svc_client.cli_resources import action, group, wallet
from svc_client.errors import InvalidArgument
from svc_client.profile import Profile, load_profile, save_profile
from svc_verifier.formats.addresses import HostAddress


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--profile", default=DEFAULT_PROFILE, show_default=True, help="which node and key, as `svc login` kept them"
)
@click.option("--json", "as_json", is_flag=True, help="print results as JSON")
@click.version_option(__version__, prog_name="svc")
@click.pass_context
def main(ctx: click.Context, profile: str, as_json: bool) -> None:
    """Use a node in a confidential VM. It is proven before the first byte of a request leaves.

    Begin with `svc login https://HOST --trust FILE`.
    """
    ctx.obj = Context(profile, as_json)


for _group in (account, wallet, group, action, key, billing, chain):
    main.add_command(_group)


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
@click.option(
    "--proxy", "proxy_url", help="http://HOST:PORT that carries tunnels (CONNECT); the environment names none"
)
@click.option("--no-key", is_flag=True, help="keep no key, for instance to make an account next")
@click.pass_obj
def login(context: Context, /, url: str, *, no_key: bool, **trusted: Any) -> None:
    """Keep a node's address, trust and your key (from standard input or a prompt) as a profile."""
    profile = Profile(url=url, api_key="" if no_key else read_key(), **trusted)
    with client_of(profile) as client:
        report = client.verify()
        if profile.api_key and not client.account.exists():
            raise InvalidArgument("the node knows no account with this key; nothing was kept")
    # Store the whole origin for other programs: the URL may be given without https://.
    path = save_profile(context.profile, replace(profile, url=HostAddress.of(url).origin))
    tell(f"{report.host} accepted; kept in {path}")
    if context.as_json:
        context.show({"host": report.host, "profile": str(path)})


@main.command()
@click.pass_obj
def verify(context: Context) -> None:
    """Verify the node and print the report."""
    with context.client() as client:
        report = client.verify()
    if context.as_json:
        from svc_verifier.rendering.machine import json_report  # noqa: PLC0415 - for this command alone

        click.echo(json_report(report))
    else:
        from svc_verifier.rendering.text import summary  # noqa: PLC0415 - for this command alone

        click.echo(summary(report, width=WIDTH))


@main.command("proxy")
@click.option(
    "--listen", default="127.0.0.1:9000", show_default=True, help="address and port on loopback; port 0 is any"
)
@click.pass_obj
def proxy(context: Context, listen: str) -> None:
    """Serve the node as plain HTTP on loopback for any program, over proven connections.

    A request with the printed token in X-Svc-Proxy-Token gets the profile's key; others bring one.
    """
    from svc_client.proxy import run_proxy  # noqa: PLC0415 - for this command alone

    run_proxy(load_profile(context.profile), listen, as_json=context.as_json)


@main.command("dashboard")
@click.option("--listen", help="address and port on loopback, instead of an origin of its own for each run")
@click.option("--no-open", is_flag=True, help="print the address, and open no browser")
@click.pass_obj
def dashboard(context: Context, listen: str | None, no_open: bool) -> None:
    """Open the node's dashboard on loopback, after comparing every file with its attested hash."""
    from svc_client.dashboard import run_dashboard  # noqa: PLC0415 - for this command alone

    run_dashboard(load_profile(context.profile), listen, opens=not no_open, as_json=context.as_json)
