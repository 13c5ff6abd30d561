"""Commands of `svc-node`: `serve`, `settings`, `ledger`, `contract` and `payers`."""

import asyncio
import os
import re
import sys
from collections.abc import Coroutine
from pathlib import Path

import click

from node.api.errors import as_node_error
from node.chain.deployment import ContractOptions, DepositOptions, deploy_account_contract, deploy_deposit_contract
from node.chain.rpc import JsonRpc
from node.errors import DomainError, StartupRefusedError
from node.keyring.backend import require_native_backend
from node.keyring.signing_key import key_from_hex
from node.runtime.http_client import plain_session
from node.settings import Settings
from node.settings.loading import settings_for_serving, settings_for_serving_from_text
from node.settings.table import settings_command
from node.values import checksum_address
from node.wiring.ledger_commands import ledger
from node.wiring.serving import serve as serve_node
from node.wiring.serving import show_payers

EXIT_REFUSED = 2
_FILE = click.Path(path_type=Path, dir_okay=False)


class Address(click.ParamType[str]):
    """Address in EIP-55 form. An argument in mixed case must have the right checksum."""

    name = "address"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Converts the argument (click)."""
        text = str(value)
        if not re.fullmatch(r"0x[0-9a-fA-F]{40}", text):
            self.fail("is no address: 0x and 40 hex digits", param, ctx)
        # EIP-55: an address all in one case carries no checksum, so there is nothing to compare.
        address, digits = checksum_address(text), text[2:]
        if text != address and digits not in {digits.lower(), digits.upper()}:
            self.fail(f"has another checksum than its digits ({address}): look at it again", param, ctx)
        return address


def _run(work: Coroutine[object, object, None]) -> None:
    """Runs `work`. An expected error prints one line on standard error and exits with code 2."""
    try:
        asyncio.run(work)
    except StartupRefusedError as refused:
        click.echo(f"svc-node will not start: {refused}", err=True)
        sys.exit(EXIT_REFUSED)
    except DomainError as error:
        fault = as_node_error(error)
        click.echo(f"svc-node will not start: {fault.code}: {fault.message} {fault.fix or ''}".rstrip(), err=True)
        sys.exit(EXIT_REFUSED)
    except KeyboardInterrupt:
        sys.exit(0)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="svc-node", prog_name="svc-node")
def main() -> None:
    """A node for a confidential VM: accounts on chain, wallets and signing actions in the TEE."""


@main.command()
@click.option("--config", type=_FILE, help="the measured TOML file of settings")
@click.option("--config-text", help="the same settings as text, as an argument in the measured compose file")
def serve(config: Path | None, config_text: str | None) -> None:
    """Serve in production: settings only from the file or text, secrets from the environment."""
    if (config is None) == (config_text is None):
        raise click.UsageError("name either --config or --config-text.")
    _run(_serving(config, config_text or ""))


async def _serving(config: Path | None, text: str) -> None:
    # Read inside `_run`, which shows a refusal of the settings as one line.
    if config is None:
        await serve_node(settings_for_serving_from_text(text, os.environ))
    else:
        await serve_node(settings_for_serving(config, os.environ))


def _moved(old: str, new: str) -> None:
    """Registers a former command, which names its replacement."""

    @main.command(old, hidden=True, add_help_option=False, context_settings={"ignore_unknown_options": True})
    @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    def moved(arguments: tuple[str, ...]) -> None:
        """Say what replaced this command."""
        del arguments
        raise click.UsageError(
            f"`svc-node {old}` is `{new}` now: the development stand-ins are no part of the product."
        )


_moved("dev", "svc-devkit run")
_moved("tee-simulator", "svc-devkit tee-simulator")


main.add_command(settings_command(Settings))
main.add_command(ledger)


@main.group()
def contract() -> None:
    """The account contract, and the one that takes payments in tokens."""


RPC_URL = click.option("--rpc-url", required=True, help="JSON-RPC endpoint of the chain")
KEY_FILE = click.option(
    "--key-file",
    type=click.Path(path_type=Path, exists=True, allow_dash=True, dir_okay=False),
    required=True,
    help="file with the deployer's private key, 0x hex; `-` reads standard input, so that it is in no shell history",
)


def _private_key(key_file: Path) -> str:
    text = sys.stdin.read() if str(key_file) == "-" else key_file.read_text(encoding="utf-8")
    return text.strip()


async def _deploying(rpc_url: str, private_key: str, options: ContractOptions | DepositOptions) -> None:
    """Deploys the contract that the options describe, and prints its address."""
    require_native_backend()
    async with plain_session() as session:
        rpc, key = JsonRpc(session, [rpc_url]), key_from_hex(private_key)
        if isinstance(options, ContractOptions):
            click.echo(await deploy_account_contract(rpc, key, options))
        else:
            click.echo(await deploy_deposit_contract(rpc, key, options))


@contract.command()
@RPC_URL
@click.option("--owner", type=Address(), required=True, help="address that will own the configuration")
@click.option(
    "--admin-payer",
    type=Address(),
    required=True,
    help="the enclave's admin payer, as `svc-node payers` shows it",
)
@click.option(
    "--owner-change-delay-s",
    type=click.IntRange(min=0),
    default=86_400,
    show_default=True,
    help="how long the owner's later changes of payers wait",
)
@KEY_FILE
def deploy(rpc_url: str, owner: str, admin_payer: str, owner_change_delay_s: int, key_file: Path) -> None:
    """Deploy the account contract and print its address."""
    options = ContractOptions(owner, admin_payer, owner_change_delay_s)
    _run(_deploying(rpc_url, _private_key(key_file), options))


@contract.command()
@RPC_URL
@click.option("--owner", type=Address(), required=True, help="address that will name tokens and treasury")
@click.option("--account-contract", type=Address(), required=True, help="the account contract, contract_address")
@click.option("--treasury", type=Address(), required=True, help="address that payments go to")
@click.option("--token", "tokens", type=Address(), multiple=True, help="an ERC-20 token to take; as often as wanted")
@KEY_FILE
def deploy_deposit(
    rpc_url: str, owner: str, account_contract: str, treasury: str, tokens: tuple[str, ...], key_file: Path
) -> None:
    """Deploy the contract for token payments and print its address for token_deposit_contract."""
    options = DepositOptions(owner, account_contract, treasury, tokens)
    _run(_deploying(rpc_url, _private_key(key_file), options))


@main.command()
@click.option("--config", type=_FILE, required=True, help="the measured TOML file of settings")
def payers(config: Path) -> None:
    """Show the address and balance of the admin payer, which tops up the node's payers."""

    async def show() -> None:
        await show_payers(settings_for_serving(config, os.environ), click.echo)

    _run(show())
