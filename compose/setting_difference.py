"""The settings of two measured files, one by one, with what the node makes of a name that is not given."""

from collections.abc import Iterator

from pydantic import SecretStr

from compose.errors import ComposeError
from compose.measured import Measured, inlined_settings
from compose.node_settings import NodeSettings
from node.settings import SECRETS, Settings
from svc_verifier.addresses import rpc_host
from svc_verifier.rendering.text import plain

SettingChange = tuple[str, str | None, str | None, str]
"""Name, before, after, meaning."""


def settings_changes(old: Measured, new: Measured) -> tuple[SettingChange, ...] | None:
    """Each setting that differs; None where the settings of a side cannot be read."""
    before, after = _settings(old), _settings(new)
    if before is None or after is None:
        return None
    changes = tuple(_changes(before, after))
    if not changes and before.text != after.text:
        return (("comments", "as before", "written otherwise", "no setting differs"),)
    return changes


def _settings(measured: Measured) -> NodeSettings | None:
    try:
        return inlined_settings(measured)
    except ComposeError:
        return None


def _changes(before: NodeSettings, after: NodeSettings) -> Iterator[SettingChange]:
    for name, field in Settings.model_fields.items():
        if name in SECRETS:
            continue
        sides = [_shown(name, side) for side in (before, after)]
        if getattr(before.settings, name) != getattr(after.settings, name):
            meaning = field.description or ""
            if sides[0] == sides[1]:
                meaning = f"paths or credentials differ, which are not shown; {meaning}"
            yield name, sides[0], sides[1], meaning
        elif sides[0] != sides[1]:
            yield name, sides[0], sides[1], "the same, as long as that is the image's default"


def _shown(name: str, side: NodeSettings) -> str:
    """URLs by their host alone: they may hold credentials."""
    value = getattr(side.settings, name)
    text = "" if isinstance(value, SecretStr) else _text(value)
    return text if name in side.given else f"{text} (default)"


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(_text, value)) or "none"
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value)
    return plain(rpc_host(text.replace("wss://", "https://").replace("ws://", "http://")) or text) or "empty"
