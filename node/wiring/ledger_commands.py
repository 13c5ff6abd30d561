"""`svc-node ledger` checks the books and shows an account's entries. It only reads."""

import asyncio
import functools
import json
import os
import re
import sys
import time
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Concatenate, Final, ParamSpec, TypeVar

import click

from node.api.errors import as_node_error
from node.billing.check import DEPOSIT_RULES, payment_rules
from node.billing.usage import parse_moment
from node.database.postgres_address import CA_SETTING, require_database
from node.errors import DomainError, StartupRefusedError
from node.ledger.check import CheckReport, LedgerSource, check, postgres_source, sqlite_source
from node.ledger.sqlite_ledger import FILE_NAME
from node.ledger.statement import (
    AccountStatement,
    account_statement,
    dollars,
    write_csv,
    write_for_people,
    write_json,
)
from node.settings import PREFIX
from node.settings.loading import settings_for_serving

EXIT_BROKEN: Final = 1
EXIT_REFUSED: Final = 2
DEFAULT_OUTBOX_MAX_AGE_S: Final = 3600
URL_VARIABLE: Final = PREFIX + "LEDGER_URL"
_NO_FILE: Final = " This run read no file of settings: name it with --config, or add sslrootcert=FILE to the URL."
_FORMS: Final = {None: write_for_people, "csv": write_csv, "json": write_json}

T = TypeVar("T")
Options = ParamSpec("Options")


@dataclass(frozen=True, slots=True)
class Where:
    """Location of the ledger, by the node's settings, a URL or a file."""

    config: Path | None
    url: str | None
    file: Path | None

    def open(self, environment: Mapping[str, str]) -> AbstractAsyncContextManager[LedgerSource]:
        """Opens the books. Raises StartupRefusedError, or click.UsageError for a bad location."""
        if sum(each is not None for each in (self.config, self.url, self.file)) > 1:
            raise click.UsageError("--config, --url and --file exclude one another.")
        if self.file is not None:
            return sqlite_source(self.file)
        # The environment comes last, since a URL on the command line is meant for this run.
        url, ca_pem = self.url or environment.get(URL_VARIABLE), ""
        if self.config is not None:
            settings = settings_for_serving(self.config, environment)
            url, ca_pem = settings.ledger_url.get_secret_value(), settings.ledger_ca_pem
            require_database(url, ca_pem)
            if not url:
                return sqlite_source(settings.data_dir / FILE_NAME)
        if url:
            return postgres_source(url, ca_pem)
        raise click.UsageError(f"name the ledger: --config FILE, --file FILE, or {URL_VARIABLE} in the environment.")


def _which_ledger(command: Callable[Concatenate[Where, Options], None]) -> Callable[..., None]:
    @functools.wraps(command)
    def with_where(
        config: Path | None, url: str | None, file: Path | None, *arguments: Options.args, **options: Options.kwargs
    ) -> None:
        command(Where(config, url, file), *arguments, **options)

    chosen: Callable[..., None] = with_where
    path = click.Path(path_type=Path, dir_okay=False)
    for option in (
        click.option("--file", type=path, help=f"a SQLite ledger, {FILE_NAME} of the node's data_dir"),
        click.option("--url", help=f"a PostgreSQL ledger; others see it in the process list, so prefer {URL_VARIABLE}"),
        click.option("--config", type=path, help=f"the node's TOML file of settings; {URL_VARIABLE} beside it"),
    ):
        chosen = option(chosen)
    return chosen


class Account(click.ParamType[int]):
    """A master hash as u256 hex."""

    name = "account"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Converts the argument (click)."""
        text = str(value)
        if not re.fullmatch(r"0x[0-9a-fA-F]{64}", text):
            self.fail("is no account: 0x and 64 hex digits, the keccak256 of the account key's text", param, ctx)
        return int(text, 16)


class Moment(click.ParamType[datetime]):
    """A time with its zone, or unix seconds."""

    name = "time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """Converts the argument (click)."""
        try:
            return value if isinstance(value, datetime) else parse_moment(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


@click.group()
def ledger() -> None:
    """The credits' books."""


@ledger.command("check")
@_which_ledger
@click.option(
    "--outbox-max-age-s",
    type=click.IntRange(min=0),
    default=DEFAULT_OUTBOX_MAX_AGE_S,
    show_default=True,
    help="how long credit may take to be sent to the card processor",
)
@click.option("--json", "as_json", is_flag=True, help="for machines")
def check_command(where: Where, outbox_max_age_s: int, as_json: bool) -> None:
    """Check the invariants of the books, also while nodes work. Exit code 1 means a violation."""
    report = _read(where, lambda source: _checked(source, outbox_max_age_s))
    if as_json:
        click.echo(json.dumps({"holds": report.holds, **asdict(report)}, indent=1))
    else:
        _show_report(report)
    # A separate exit code lets a cron job tell a broken ledger from an unreadable one.
    sys.exit(0 if report.holds else EXIT_BROKEN)


async def _checked(source: LedgerSource, outbox_max_age_s: int) -> CheckReport:
    return await check(source.reader, (*source.rules, *payment_rules(time.time(), outbox_max_age_s), *DEPOSIT_RULES))


@ledger.command("statement")
@click.argument("account", type=Account())
@_which_ledger
@click.option("--from", "since", type=Moment(), help="first moment; without it, from the start")
@click.option("--to", "until", type=Moment(), help="first moment after the period; without it, until now")
@click.option("--json", "form", flag_value="json", help="for machines; money in micro-dollars")
@click.option("--csv", "form", flag_value="csv", help="for spreadsheets; money in micro-dollars")
def statement_command(
    where: Where, account: int, since: datetime | None, until: datetime | None, form: str | None
) -> None:
    """Every entry of ACCOUNT (0x hash), with the balance after each."""
    # Half-open, so that two adjacent periods show each entry once.
    from_ms = 0 if since is None else _milliseconds(since)
    to_ms = None if until is None else _milliseconds(until)
    write_form = _FORMS[form]

    async def show(found: AccountStatement) -> None:
        await write_form(found, sys.stdout.write)

    _read(where, lambda source: account_statement(source.reader, account, show, from_ms, to_ms))


def _show_report(report: CheckReport) -> None:
    for verdict in report.verdicts:
        click.echo(f"{'BROKEN' if verdict.broken_by else 'holds '}  {verdict.rule}")
        for row in verdict.broken_by:
            click.echo("          " + ", ".join(f"{name} {value!s}" for name, value in row.items()))
        if verdict.more:
            click.echo("         and more")
    click.echo(f"{report.entries} entries, {report.accounts} accounts")
    for book, amount in report.books.items():
        click.echo(f"{dollars(amount):>20}  {book}")


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def _read(where: Where, ask: Callable[[LedgerSource], Coroutine[None, None, T]]) -> T:
    """Runs against the chosen ledger. A failure is one line on standard error and exit code 2."""

    async def read() -> T:
        async with where.open(os.environ) as source:
            return await ask(source)

    try:
        return asyncio.run(read())
    except StartupRefusedError as refused:
        # The setting is in a file that this command did not read.
        aside = _NO_FILE if refused.setting == CA_SETTING and where.config is None else ""
        click.echo(f"svc-node ledger: {refused}{aside}", err=True)
    except DomainError as error:
        click.echo(f"svc-node ledger: {error.message} {as_node_error(error).fix or ''}".rstrip(), err=True)
    sys.exit(EXIT_REFUSED)
