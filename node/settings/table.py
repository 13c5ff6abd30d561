"""The settings as a table for `svc-node settings` and docs/settings.md."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import click
from pydantic import SecretStr
from pydantic.fields import FieldInfo

from node.settings import PREFIX, SECRETS, Section, Settings

HEADER: Final = """# Settings

Printed by `svc-devkit settings --markdown`; a test keeps this page equal to it. The unit stands in the name.
The column "Read by" names the commands that read a setting:

* both: `svc-node serve` and `svc-devkit run`. `svc-node serve --config FILE` reads it from a TOML file and from nowhere
  else. `svc-devkit run` reads it from the environment, as `SVC_` and the upper-case name, or from a file.
* both; environment only: a secret. `svc-node serve` takes it from the environment, and refuses it in the file.
* `svc-devkit run`: a setting of the development stand-ins, which `svc-node serve` refuses.
"""


@dataclass(frozen=True, slots=True)
class SettingRow:
    """A setting with its section, name, default as text, meaning, and the commands that read it."""

    section: str
    name: str
    default: str
    meaning: str
    read_by: str

    @property
    def variable(self) -> str:
        """The environment variable of the setting."""
        return PREFIX + self.name.upper()


def _default(field: FieldInfo) -> str:
    default = field.default
    if isinstance(default, SecretStr):
        return ""
    if isinstance(default, tuple):
        return ", ".join(default)
    return "" if default is None or default == {} else str(default)


def _read_by(name: str) -> str:
    if name in SECRETS or name == "rpc_authorizations":
        return "both; environment only"
    return "both" if name in Settings.model_fields else "`svc-devkit run`"


def _sections(widest: type[Settings]) -> Sequence[type[Section]]:
    """Returns the sections in the order of `Settings`; sections only in `widest` come last."""
    own = [kind for kind in widest.__mro__ if issubclass(kind, Settings) and kind is not Settings]
    return [*(kind for kind in Settings.__bases__ if issubclass(kind, Section)), *reversed(own)]


def rows(widest: type[Settings]) -> Iterator[SettingRow]:
    """Returns every setting of `widest` by section. A shared default is that of `serve`."""
    seen: set[str] = set()
    for section in _sections(widest):
        heading = (section.__doc__ or section.__name__).partition("\n")[0].rstrip(".")
        # A section may extend another; show a setting in the first that has it.
        for name in section.model_fields:
            if name not in seen:
                seen.add(name)
                field = Settings.model_fields.get(name) or widest.model_fields[name]
                yield SettingRow(heading, name, _default(field), field.description or "", _read_by(name))


def markdown(widest: type[Settings]) -> str:
    """Returns the page docs/settings.md with every setting of `widest`."""
    lines, heading = [HEADER], ""
    for row in rows(widest):
        if row.section != heading:
            lines += [*([""] if heading else []), f"## {row.section}", ""]
            lines += ["| Setting | Default | Meaning | Read by |", "| --- | --- | --- | --- |"]
            heading = row.section
        shown = f"`{row.default}`" if row.default else ""
        lines.append(f"| `{row.name}` | {shown} | {row.meaning} | {row.read_by} |")
    return "\n".join([*lines, ""])


def _as_text(widest: type[Settings]) -> str:
    formatter = click.HelpFormatter()
    formatter.write_dl([(f"{row.name} = {row.default}", f"{row.meaning} ({row.read_by})") for row in rows(widest)])
    return formatter.getvalue()


def _as_json(widest: type[Settings]) -> str:
    listed = [{"name": r.name, "default": r.default, "meaning": r.meaning, "read_by": r.read_by} for r in rows(widest)]
    return json.dumps(listed, indent=1)


def settings_command(widest: type[Settings]) -> click.Command:
    """Builds the command that prints every setting as a table, JSON or docs/settings.md."""

    @click.command("settings")
    @click.option("--json", "as_json", is_flag=True, help="for machines")
    @click.option("--markdown", "as_markdown", is_flag=True, help="the page docs/settings.md")
    def settings(as_json: bool, as_markdown: bool) -> None:
        """List every setting with its default and meaning."""
        if as_markdown:
            click.echo(markdown(widest), nl=False)
        elif as_json:
            click.echo(_as_json(widest))
        else:
            click.echo(_as_text(widest), nl=False)

    return settings
