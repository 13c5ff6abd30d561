"""The options that several commands share."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from compose.check import Accepted
from compose.governance.safe import checksum_address
from svc_verifier.cli_options import Endpoint, Hex

Command = TypeVar("Command", bound=Callable[..., Any])
FILE: Final = click.Path(path_type=Path, dir_okay=False)
JSON: Final = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
COMPOSE_HASH: Final = Hex("compose hash", 32)


class Address(click.ParamType[bytes]):
    """20 bytes; in mixed case the checksum of EIP-55 must be right, so that a slip is seen."""

    name = "address"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> bytes:
        """Convert the argument (click)."""
        text = str(value)
        if not re.fullmatch(r"0x[0-9a-fA-F]{40}", text):
            self.fail("is no address: 0x and 40 hex digits", param, ctx)
        address, digits = bytes.fromhex(text[2:]), text[2:]
        if digits not in {digits.lower(), digits.upper()} and checksum_address(address) != text:
            self.fail("has another checksum than its digits: look at it again", param, ctx)
        return address


def accepting(command: Command) -> Command:
    """Add the options by which the operator accepts risks."""
    for option in (
        click.option("--accept-env", multiple=True, metavar="NAME", help="A sidecar's secret that the host may set."),
        click.option("--accept-key-holder", multiple=True, metavar="SERVICE", help="A sidecar that reaches every key."),
    ):
        command = option(command)
    return command


def accepted(variables: tuple[str, ...], key_holders: tuple[str, ...]) -> Accepted:
    """Returns the options of `accepting` as the check takes them."""
    return Accepted(frozenset(variables), frozenset(key_holders))


def on_chain(*, required: bool) -> Callable[[Command], Command]:
    """Add the options of the app's contract and of the endpoints."""

    def add(command: Command) -> Command:
        for option in (
            click.option("--app-id", type=Address(), required=True, help="The app's contract."),
            click.option("--chain-id", type=click.IntRange(min=1), required=True, help="The chain it is on."),
            click.option(
                "--rpc-url", type=Endpoint(), multiple=True, required=required, help="Whom to ask; all must agree."
            ),
        ):
            command = option(command)
        return command

    return add
