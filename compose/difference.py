"""Differences of two measured files in words, for an approval.

Compares settings, services, members and top-level parts one by one. If only other bytes differ, a
last line says so: two files of different bytes never have an empty difference.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pydantic import SecretStr

from compose.check import Accepted, ambiguous_keys, check
from compose.deployment import NodeSettings
from compose.errors import ComposeError
from compose.findings import Weight
from compose.measured import NODE, Measured, inlined_settings
from node.settings import SECRETS, Settings
from node.settings.chain import rpc_entry
from svc_verifier.compose.tree import Fields, Items, Node, Scalar
from svc_verifier.formats.addresses import rpc_host
from svc_verifier.rendering.text import plain

SHOWN_CHARACTERS: Final = 400


def tree_text(value: object) -> str:
    """Returns a part of a file on one printable line, equal for equal parts in any key order.

    Text is in quotes, so that `"true"` and `true` differ. A long text ends in its whole hash, since
    the files' author could find two texts with the same part of a hash.
    """
    whole = _text(value)
    shown = plain(whole, SHOWN_CHARACTERS)
    if shown == whole:
        return shown
    return f"{shown} (sha256 {hashlib.sha256(whole.encode(errors='surrogatepass')).hexdigest()})"


def _text(value: object) -> str:
    if isinstance(value, Scalar):
        return json.dumps(value.text, ensure_ascii=False) if value.is_text else value.text
    if isinstance(value, Items | list):
        items = value.items if isinstance(value, Items) else value
        return f"[{', '.join(map(_text, items))}]"
    if isinstance(value, Fields | dict):
        pairs = value.pairs if isinstance(value, Fields) else tuple(value.items())
        return f"{{{', '.join(sorted(f'{json.dumps(key)}: {_text(part)}' for key, part in pairs))}}}"
    return json.dumps(value, ensure_ascii=False)


SettingChange = tuple[str, str | None, str | None, str]
"""Name, before, after, meaning."""


def settings_changes(old: Measured, new: Measured) -> tuple[SettingChange, ...] | None:
    """Returns each setting that differs; None if the settings of a side cannot be read."""
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
        # Secrets come from the environment: neither file holds one, and a default says nothing.
        if name in SECRETS or name == "rpc_authorizations":
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
    value = getattr(side.settings, name)
    text = "" if isinstance(value, SecretStr) else _setting_text(value)
    return text if name in side.given else f"{text} (default)"


def _setting_text(value: object) -> str:
    """Returns the value for printing. Reduces a URL to its host: the rest may be a credential."""
    if isinstance(value, tuple):
        return ", ".join(map(_setting_text, value)) or "none"
    if isinstance(value, bool):
        return str(value).lower()
    name, text = rpc_entry(str(value))
    shown = plain(rpc_host(text.replace("wss://", "https://").replace("ws://", "http://")) or text) or "empty"
    return f"{name}={shown}" if name else shown


_SAID_APART = frozenset({"docker_compose_file", "allowed_envs"})
_MEANINGS = {
    "public_logs": "anybody may read what the containers write",
    "public_sysinfo": "anybody may read the machine's load and processes",
    "public_tcbinfo": "the machine's page tells its measurements",
    "kms_enabled": "keys come from the key service",
    "local_key_provider_enabled": "keys come from the machine's own provider",
    "gateway_enabled": "the platform's gateway routes to the machine",
    "tproxy_enabled": "the platform's gateway routes to the machine",
    "no_instance_id": "machines of this app cannot be told apart",
    "secure_time": "the clock is set before anything starts",
    "key_provider_id": "the key service that alone may answer",
}
_ONE_PIN = re.compile(r'"[^" ]*@(sha256:[0-9a-f]{64})"')
_NEW_DEFAULTS = "settings that are not written have the defaults of that image"


@dataclass(frozen=True, slots=True)
class Change:
    """A printable difference; `before` or `after` is None if that side has nothing."""

    area: str
    name: str
    before: str | None
    after: str | None
    meaning: str = ""


def differences(old: Measured, new: Measured) -> tuple[Change, ...]:
    """Returns every difference; empty only for equal bytes."""
    # Compare the bytes, which are approved: files of equal meaning may have different hashes.
    if old.raw == new.raw:
        return ()
    settings = settings_changes(old, new)
    found = [
        *_services(old, new, apart=settings is not None),
        *(Change("setting", *change) for change in settings or ()),
        *_host(old, new),
        *_holders(old, new),
        *_members(old, new),
        *_top_level(old, new),
        *_ambiguous(old, new),
        *_findings(old, new),
    ]
    if not found:
        found.append(
            Change("form", "order, blanks or comments", "as before", "written otherwise", "it is another hash")
        )
    return tuple(found)


def _services(old: Measured, new: Measured, *, apart: bool) -> Iterator[Change]:
    """Compares services. With `apart`, settings are compared one by one elsewhere."""
    before, after = _parts(old), _parts(new)
    for name in sorted(before.keys() | after.keys()):
        if name not in after:
            yield Change("service", plain(name), "runs", None, "runs no more")
        elif name not in before:
            yield Change("service", plain(name), None, "runs", "runs beside the others")
        sides = before.get(name, {}), after.get(name, {})
        for key in sorted(sides[0].keys() | sides[1].keys(), key=lambda each: (each != "image", each)):
            if not (apart and (name, key) == (NODE, "command")):
                one, other = (_joined(tuple(side.get(key, ()))) for side in sides)
                meaning = _image_meaning(name, one, other) if key == "image" else ""
                yield from _change("service", f"{name}: {key}", one, other, meaning)


def _image_meaning(service: str, before: str | None, after: str | None) -> str:
    pins = [_ONE_PIN.fullmatch(side or "") for side in (before, after)]
    if pins[0] and pins[1] and pins[0][1] == pins[1][1]:
        return "the same digest, and so the same image"
    return _NEW_DEFAULTS if service == NODE else ""


def _parts(measured: Measured) -> dict[str, dict[str, list[Node]]]:
    """Returns every value of every key by service; a value without a mapping has an empty key."""
    found: dict[str, dict[str, list[Node]]] = {}
    for services in measured.tree.all("services"):
        for name, service in services.pairs if isinstance(services, Fields) else (("", services),):
            keys = found.setdefault(name, {})
            for key, value in service.pairs if isinstance(service, Fields) else (("", service),):
                keys.setdefault(key, []).append(value)
    return found


def _host(old: Measured, new: Measured) -> Iterator[Change]:
    before, after = old.app.allowed_environment, new.app.allowed_environment
    yield from _membership(
        "host", set(before), set(after), "allowed", ("the host may set it", "the host may set it no more")
    )
    lists = [measured.members.get("allowed_envs", "none") for measured in (old, new)]
    if set(before) == set(after) and lists[0] != lists[1]:
        yield Change("host", "allowed_envs", tree_text(lists[0]), tree_text(lists[1]), "the same names")


def _holders(old: Measured, new: Measured) -> Iterator[Change]:
    before, after = set(old.audit.key_holders), set(new.audit.key_holders)
    yield from _membership(
        "keys", before, after, "holder", ("reaches every key of the app", "reaches the keys no more")
    )


def _membership(
    area: str, before: set[str], after: set[str], state: str, meanings: tuple[str, str]
) -> Iterator[Change]:
    """Yields the names that were added, then those removed."""
    for name in sorted(after - before):
        yield Change(area, plain(name), None, state, meanings[0])
    for name in sorted(before - after):
        yield Change(area, plain(name), state, None, meanings[1])


def _members(old: Measured, new: Measured) -> Iterator[Change]:
    for key in sorted((old.members.keys() | new.members.keys()) - _SAID_APART):
        sides = [_member(measured, key) for measured in (old, new)]
        if sides[0] != sides[1]:
            meaning = "runs beside the containers" if "script" in key.lower() else _MEANINGS.get(key, "")
            yield Change("platform", plain(key), sides[0], sides[1], meaning)


def _member(measured: Measured, key: str) -> str | None:
    if key not in measured.members:
        return None
    value = measured.members[key]
    if isinstance(value, str) and "script" in key.lower():
        # Show its hash, as in a trust file. Its text would fill the screen and hide later lines.
        return f"a script, sha256 {hashlib.sha256(value.encode(errors='surrogatepass')).hexdigest()}"
    return tree_text(value)


def _top_level(old: Measured, new: Measured) -> Iterator[Change]:
    keys = {key for measured in (old, new) for key, _ in measured.tree.pairs} - {"services"}
    for key in sorted(keys):
        yield from _change("compose file", key, _joined(old.tree.all(key)), _joined(new.tree.all(key)))


def _ambiguous(old: Measured, new: Measured) -> Iterator[Change]:
    """Compares keys with several values. An equal set can hide that another value counts."""
    for path in sorted({*ambiguous_keys(old.tree), *ambiguous_keys(new.tree)}):
        meaning = "a merge gives it several values: which one counts, and whether it changes, cannot be said"
        yield Change("compose file", plain(path), "not certain", "not certain", meaning)


def _findings(old: Measured, new: Measured) -> Iterator[Change]:
    before = {(finding.subject, finding.text) for finding in check(old, Accepted())}
    # Accept nothing: risks accepted for the old file are asked for again with the new one.
    for finding in check(new, Accepted()):
        if finding.weight is Weight.REFUSED and (finding.subject, finding.text) not in before:
            yield Change("check", finding.subject, None, finding.text, "svc-compose check refuses it")


def _change(area: str, name: str, before: str | None, after: str | None, meaning: str = "") -> Iterator[Change]:
    if before != after:
        yield Change(area, plain(name), before, after, meaning)


def _joined(values: tuple[object, ...]) -> str | None:
    """Returns the values of a key as text; a merge may give several."""
    return " or ".join(map(tree_text, values)) if values else None
