"""The settings as a table: for `svc-node settings` and for docs/settings.md."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

import click
from pydantic import SecretStr
from pydantic.fields import FieldInfo
from rich.console import Console
from rich.table import Table

from node.settings import PREFIX, SECRETS, Settings

HEADER = """# Settings

Printed by `svc-devkit settings --markdown`; a test keeps this page equal to it. The unit stands in the name.
`svc-node serve --config FILE` reads them from a TOML file, secrets from the environment alone; `svc-devkit run`
reads `SVC_` and the upper-case name from the environment, or a file.
"""


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting: its name, default as text, meaning, and where it applies."""

    name: str
    default: str
    meaning: str
    where: str

    @property
    def variable(self) -> str:
        """The environment variable that stands for it."""
        return PREFIX + self.name.upper()


def _default(field: FieldInfo) -> str:
    default = field.default
    if isinstance(default, SecretStr):
        return ""
    if isinstance(default, tuple):
        return ", ".join(default)
    return "" if default is None else str(default)


def _where(name: str) -> str:
    if name in SECRETS:
        return "secret: environment"
    return "dev, serve" if name in Settings.model_fields else "dev"


def rows(widest: type[Settings]) -> Iterator[SettingRow]:
    """Every setting of `widest` in the order they are declared; defaults of shared ones are those of `serve`."""
    for name, field in (Settings.model_fields | widest.model_fields).items():
        shown = Settings.model_fields.get(name, field)
        yield SettingRow(name, _default(shown), shown.description or "", _where(name))


def markdown(widest: type[Settings]) -> str:
    """The page docs/settings.md, of every setting of `widest`."""
    lines = [
        f"| `{row.name}` | {f'`{row.default}`' if row.default else ''} | {row.meaning} | {row.where} |"
        for row in rows(widest)
    ]
    return "\n".join([HEADER, "| Setting | Default | Meaning | Where |", "| --- | --- | --- | --- |", *lines, ""])


def settings_command(widest: type[Settings]) -> click.Command:
    """Build the command that prints every setting of `widest`: as a table, JSON or the page docs/settings.md."""

    @click.command("settings")
    @click.option("--json", "as_json", is_flag=True, help="for machines")
    @click.option("--markdown", "as_markdown", is_flag=True, help="the page docs/settings.md")
    def settings(as_json: bool, as_markdown: bool) -> None:
        """List every setting with its default and meaning."""
        if as_markdown:
            click.echo(markdown(widest), nl=False)
        elif as_json:
            listed = [
                {"name": r.name, "default": r.default, "meaning": r.meaning, "where": r.where} for r in rows(widest)
            ]
            click.echo(json.dumps(listed, indent=1))
        else:
            table = Table("setting", "default", "meaning", "where")
            for row in rows(widest):
                table.add_row(row.name, row.default, row.meaning, row.where)
            Console().print(table)

    return settings
