"""Parts that all commands share: exit codes, options, output, and reading of files and keys."""

import json
import sys
import traceback
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from svc_client.errors import (
    ActionFailed,
    ApiError,
    ContractNotAccepted,
    InvalidAnswer,
    InvalidArgument,
    NodeNotAccepted,
    NonceTaken,
    NotSent,
    ProvidersDisagree,
    Reverted,
    SvcError,
    Unanswered,
    Unconfirmed,
    Unreachable,
)
from svc_client.profile import NoProfileError, Profile, ProfileError, load_profile
from svc_client.transport import InsecureDevelopmentRootWarning
from svc_verifier.check import Verdict

if TYPE_CHECKING:
    from pydantic import JsonValue

    from svc_client.sync import Client

DEFAULT_PROFILE: Final = "default"
WIDTH: Final = 120
_CODE_BYTES: Final = 4 * 1024 * 1024
FILE: Final = click.Path(path_type=Path, dir_okay=False, allow_dash=True)


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


_EXITS: Final[Mapping[Exit, tuple[type[Exception], ...]]] = {
    Exit.NOT_ACCEPTED: (NodeNotAccepted, ContractNotAccepted),
    Exit.UNDECIDED: (ProvidersDisagree,),
    Exit.NO_ANSWER: (Unreachable, Unanswered, InvalidAnswer, Unconfirmed),
    Exit.REFUSED: (ApiError, ActionFailed, Reverted, NotSent, NonceTaken),
    Exit.MISUSE: (InvalidArgument, NoProfileError),
}


def exit_of(error: SvcError | ProfileError) -> Exit:
    """Returns the exit code of an error."""
    if isinstance(error, NodeNotAccepted) and error.report is not None and error.report.verdict is Verdict.UNDECIDED:
        return Exit.UNDECIDED
    return next((code for code, kinds in _EXITS.items() if isinstance(error, kinds)), Exit.MALFORMED)


@dataclass(frozen=True, slots=True)
class Context:
    """Options that every command has."""

    profile: str = DEFAULT_PROFILE
    as_json: bool = False

    def client(self) -> "Client":
        """Returns a client of the profile's node."""
        return client_of(load_profile(self.profile))

    def show(self, value: object, *columns: str) -> None:
        """Prints a result as JSON, as a table of these columns, or as lines of name and value."""
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


def client_of(profile: Profile) -> "Client":
    """Returns a client with a profile's trust and key. Warns on stderr of a development root."""
    from svc_client.sync import Client  # noqa: PLC0415 - completion and help do without it

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InsecureDevelopmentRootWarning)
        client = Client(
            profile.url,
            profile.api_key or None,
            trust=profile.trust,
            app_id=profile.app_id,
            rpc_urls=profile.rpc_urls,
            chain_id=profile.chain_id,
            account_contract=profile.account_contract,
            insecure_dev_root=profile.insecure_dev_root,
            proxy_url=profile.proxy_url,
        )
    tell_root(profile)
    progress(f"proving {profile.url} …")
    return client


class Leaf(click.Command):
    """A command that takes `--json` and `--profile` behind its name as well as before it."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.params.append(
            click.Option(["--json"], is_flag=True, expose_value=False, callback=_as_json, help="print JSON")
        )
        self.params.append(
            click.Option(["--profile"], expose_value=False, callback=_profile, help="which node and key")
        )


class Commands(click.Group):
    """Group of commands. An error ends with its exit code and a message on standard error."""

    command_class = Leaf
    group_class = type

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command, and turns its errors into exit codes."""
        try:
            return super().invoke(ctx)
        except (SvcError, ProfileError) as error:
            # Indent later lines, so that quoted text cannot pass for a message of this program.
            tell("svc: " + str(error).replace("\n", "\n    "))
            if isinstance(error, NodeNotAccepted) and error.report is not None:
                from svc_verifier.rendering.text import summary  # noqa: PLC0415 - only a refusal needs it

                click.echo(summary(error.report, width=WIDTH), err=True)
            if isinstance(error, ActionFailed) and error.logs:
                tell(error.logs)
            sys.exit(exit_of(error))
        except (click.ClickException, click.exceptions.Exit, click.Abort, OSError):
            raise
        except Exception as error:  # noqa: BLE001 - a fault of this program, told without values: one may be the key
            # Show only the place: a foreign exception's message may quote a header or the profile.
            where = traceback.extract_tb(error.__traceback__)[-1]
            tell(f"svc: internal error: {type(error).__name__} at {Path(where.filename).name}:{where.lineno}")
            sys.exit(Exit.INTERNAL)


def _as_json(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        ctx.obj = replace(ctx.obj or Context(), as_json=True)


def _profile(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.obj = replace(ctx.obj or Context(), profile=value)


def tell(text: str) -> None:
    """Prints a line on standard error, with control characters replaced: names come from others."""
    click.echo(printable(text), err=True)


def progress(text: str) -> None:
    """Prints progress on standard error, if it is a terminal."""
    if sys.stderr.isatty():
        tell(f"svc: {text}")


def tell_root(profile: Profile) -> None:
    """Warns on standard error if a development root is trusted."""
    if profile.insecure_dev_root is not None:
        tell(f"svc: INSECURE development root: no hardware vouches for {profile.url}")


def printable(text: str) -> str:
    """Returns a text without control characters except line feeds and tabs."""
    return "".join(each if each.isprintable() or each in "\n\t" else "?" for each in text)


def show_text(text: str, *, nl: bool = True) -> None:
    """Prints a text of the node; on a terminal without control characters."""
    click.echo(printable(text.replace("\r\n", "\n")) if sys.stdout.isatty() else text, nl=nl)


def read_key() -> str:
    """Reads a key from standard input, on a terminal by a hidden prompt."""
    if sys.stdin.isatty():
        key = str(click.prompt("API key", hide_input=True, err=True)).strip()
    else:
        key = sys.stdin.readline().strip()
    if not key:
        raise click.UsageError("standard input holds no key; --no-key keeps none")
    return key


def read_text(file: Path) -> str:
    """Reads a file, `-` for standard input. Raises ProfileError."""
    try:
        # Read one byte more than allowed, to detect a file that is too long.
        data = sys.stdin.buffer.read(_CODE_BYTES + 1) if str(file) == "-" else _read_bounded(file)
        text = data.decode("utf-8")
    except (OSError, ValueError) as error:
        raise ProfileError(f"{file} cannot be read: {error}") from None
    if len(data) > _CODE_BYTES:
        raise ProfileError(f"{file} is longer than {_CODE_BYTES} bytes")
    return text


def read_params(text: str) -> "dict[str, JsonValue]":
    """Reads `--params`: a JSON object, or `@FILE` with one."""
    given = read_text(Path(text[1:])) if text.startswith("@") else text
    try:
        value = json.loads(given)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise click.BadParameter("is no JSON object", param_hint="--params")
    return value


def cents(text: str) -> int:
    """Reads an amount in US dollars."""
    try:
        # Decimal: a float would make 0.29 dollars 28.999… cents.
        amount = Decimal(text) * 100
        if amount == amount.to_integral_value() and 0 < amount < 10**9:
            return int(amount)
    except ArithmeticError:  # no number, or one beyond every exponent
        pass
    raise click.BadParameter("is no amount in dollars and cents", param_hint="--amount")


def confirm(yes: bool, question: str) -> None:
    """Asks before a destructive command. Raises UsageError unless the user agrees."""
    try:
        agreed = yes or click.confirm(printable(question), err=True)
    except click.Abort:
        agreed = False
    if not agreed:
        raise click.UsageError("nothing was done; --yes does it without a question")


def _read_bounded(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(_CODE_BYTES + 1)


def _plain(value: object) -> "JsonValue":
    from pydantic import BaseModel  # noqa: PLC0415 - completion and help do without it

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


def _cell(value: "JsonValue") -> str:
    if isinstance(value, list):
        return ",".join(map(_cell, value)) or "-"
    text = "" if value is None else str(value)
    # Names come from others: a table must not move the cursor or colour a line.
    return "".join(each if each.isprintable() else "?" for each in text)


def _table(rows: Iterable["JsonValue"], columns: Iterable[str]) -> None:
    names = list(columns)
    cells = [[_cell(row.get(name)) if isinstance(row, dict) else "" for name in names] for row in rows]
    widths = [max(len(each) for each in column) for column in zip(names, *cells, strict=True)]
    for line in (names, *cells):
        click.echo("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip())
