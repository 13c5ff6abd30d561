"""Parts that the commands of `svc chain` share: options, wallets, and sending of transactions.

The wallet's key is in an encrypted keystore file. A contract wallet gets a batch file instead.
"""

import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from svc_client.cli_context import Context, confirm, tell
from svc_client.profile import ProfileError

if TYPE_CHECKING:
    from pydantic import JsonValue

    from svc_client.sovereign import Call, Sent, Sovereign

_FILE: Final = click.Path(path_type=Path, dir_okay=False)
_DECIMALS: Final = 9
"""Decimals of a shown price, so that its last digit is a gwei."""


@dataclass(frozen=True, slots=True)
class Means:
    """The wallet that a command uses, by its keystore or by the contract's `address`."""

    keystore: Path | None
    address: str | None
    safe_batch: Path | None = None
    one_provider: bool = False
    max_fee_gwei: float | None = None
    yes: bool = False


def reads(function: Callable[..., None]) -> Callable[..., None]:
    """Adds the options that name the account to read. The command gets them as `Means`."""

    @click.option("--admin", help="address of the account's admin wallet")
    @click.option("--keystore", type=_FILE, help="or its keystore file; the passphrase is not needed")
    @click.option("--one-provider", is_flag=True, help="believe one JSON-RPC provider, which you run yourself")
    @functools.wraps(function)
    def command(
        context: Context,
        /,
        *arguments: Any,
        admin: str | None,
        keystore: Path | None,
        one_provider: bool,
        **named: Any,
    ) -> None:
        function(context, Means(keystore, admin, one_provider=one_provider), *arguments, **named)

    return command


def writes(function: Callable[..., None]) -> Callable[..., None]:
    """Adds the options that name the acting wallet. The command gets them as `Means`."""

    @click.option(
        "--keystore", type=_FILE, help="encrypted keystore file; the passphrase is read from input or a prompt"
    )
    @click.option(
        "--safe-batch", type=click.Path(path_type=Path, dir_okay=False), help="write a Safe's batch file, send nothing"
    )
    @click.option("--safe", help="with --safe-batch: address of the Safe")
    @click.option("--one-provider", is_flag=True, help="believe one JSON-RPC provider, which you run yourself")
    @click.option("--max-fee-gwei", type=click.FloatRange(min=0, min_open=True), help="most for a unit of gas; 200")
    @click.option("--yes", is_flag=True, help="do not ask")
    @functools.wraps(function)
    def command(
        context: Context,
        /,
        *arguments: Any,
        keystore: Path | None,
        safe_batch: Path | None,
        safe: str | None,
        one_provider: bool,
        max_fee_gwei: float | None,
        yes: bool,
        **named: Any,
    ) -> None:
        means = Means(keystore, safe, safe_batch, one_provider, max_fee_gwei, yes)
        function(context, means, *arguments, **named)

    return command


@contextmanager
def reading(context: Context, means: Means) -> Iterator["Sovereign"]:
    """Opens the account for reading."""
    from svc_client.sovereign.signers import Watched, keystore_address  # noqa: PLC0415 - for these commands alone

    if (means.address is None) == (means.keystore is None):
        raise click.UsageError("name the account's admin wallet: --admin ADDRESS, or --keystore FILE")
    address = means.address if means.address is not None else keystore_address(means.keystore or Path())
    with _opened(context, means, Watched(address)) as mine:
        yield mine


@contextmanager
def writing(context: Context, means: Means) -> Iterator["Sovereign"]:
    """Opens the account for transactions of the wallet, or for batch files."""
    from svc_client.sovereign.signers import Watched, read_keystore  # noqa: PLC0415 - for these commands alone

    if (means.safe_batch is None) == (means.keystore is None) or (means.safe_batch is None) != (means.address is None):
        raise click.UsageError("name --keystore FILE to send, or --safe-batch FILE and --safe ADDRESS to write a batch")
    signer: object
    if means.keystore is not None:
        signer = read_keystore(means.keystore, _passphrase(means.keystore))
    else:
        signer = Watched(means.address or "")
    with _opened(context, means, signer) as mine:
        yield mine


@contextmanager
def _opened(context: Context, means: Means, signer: object) -> Iterator["Sovereign"]:
    from svc_client.sovereign import Sovereign  # noqa: PLC0415 - for these commands alone
    from svc_client.sovereign.account import MAX_FEE_GWEI  # noqa: PLC0415 - for these commands alone

    with (
        context.client() as node,
        Sovereign(
            signer,
            node,
            one_provider=means.one_provider,
            max_fee_gwei=means.max_fee_gwei or MAX_FEE_GWEI,
            tell=lambda sent: tell(f"svc: sending transaction {sent}, and waiting until it is confirmed"),
        ) as mine,
    ):
        yield mine


def carry_out(context: Context, means: Means, mine: "Sovereign", calls: "Sequence[Call]") -> "Sent | None":
    """Shows what the calls do, asks, and sends them. Returns None if a batch file is written."""
    if means.safe_batch is not None:
        text = mine.safe_batch(*calls)
        for call in calls:
            tell(f"will {call.words}")
        _write(means.safe_batch, text)
        context.show({"safe_batch": str(means.safe_batch), "transactions": len(calls)})
        return None
    preview = mine.preview(*calls)
    for words in preview.words:
        tell(f"will {words}")
    besides = "" if preview.is_whole_price else ", besides the rollup's data fee"
    tell(f"for at most {_coins(preview.fees.most_wei)} of the chain's coin ({preview.fees.gas} gas){besides}")
    confirm(means.yes, "Send this transaction?")
    # Pay at most the price that was shown, even if the estimates have grown.
    return mine.send(*calls, fees=preview.fees)


def _coins(wei: int) -> str:
    """Returns an amount in the chain's coin, rounded up so that it never shows too little."""
    units = -(-wei // 10 ** (18 - _DECIMALS))
    return f"{units // 10**_DECIMALS}.{units % 10**_DECIMALS:0{_DECIMALS}d}"


def result_of(sent: "Sent", **more: "JsonValue") -> "dict[str, JsonValue]":
    """Returns the fields to show of a transaction."""
    return {
        **more,
        "transaction_hash": sent.transaction_hash,
        "block_number": sent.block_number,
        "fee_wei": sent.fee_wei,
    }


def do(context: Context, means: Means, calls_of: "Callable[[Sovereign], Sequence[Call]]") -> None:
    """Carry out calls, and show the transaction."""
    with writing(context, means) as mine:
        sent = carry_out(context, means, mine, calls_of(mine))
    if sent is not None:
        context.show(result_of(sent))


def _passphrase(file: Path) -> str:
    if sys.stdin.isatty():
        return str(click.prompt(f"Passphrase of {file}", hide_input=True, err=True))
    return sys.stdin.readline().rstrip("\r\n")


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ProfileError(f"{file} cannot be written: {error.strerror}") from None
