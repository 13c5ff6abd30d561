"""Form-encoded parameters with nesting, such as `metadata[a]=b` and `expand[]=x` (pure)."""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from devkit.processor.errors import parameter_invalid, parameter_missing

NAME: Final = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\])*)")
SEGMENT: Final = re.compile(r"\[([^\[\]]*)\]")
MAX_DEPTH: Final = 8
MAX_METADATA_KEYS: Final = 50
MAX_METADATA_KEY_CHARACTERS: Final = 40
MAX_METADATA_VALUE_CHARACTERS: Final = 500
MAX_INTEGER_DIGITS: Final = 12

Tree = dict[str, "str | Tree"]


def parse(pairs: Iterable[tuple[str, str]]) -> Tree:
    """Returns the parameters as nested mappings; list members are named "0", "1", ….

    Raises ApiError 400 for an invalid or contradictory name.
    """
    tree: Tree = {}
    for name, value in pairs:
        _put(tree, _path(name), value, name)
    return tree


def _path(name: str) -> list[str]:
    matched = NAME.fullmatch(name)
    segments = [matched[1], *SEGMENT.findall(matched[2])] if matched else []
    if not segments or len(segments) > MAX_DEPTH:
        raise parameter_invalid(f"Invalid parameter name: {name[:80]}", name[:80])
    return segments


def _put(tree: Tree, path: list[str], value: str, name: str) -> None:
    node = tree
    for segment in path[:-1]:
        below = node.setdefault(segment or str(len(node)), {})
        if isinstance(below, str):
            raise parameter_invalid(f"Invalid {path[0]}: both a value and a hash", path[0])
        node = below
    last = path[-1] or str(len(node))
    if isinstance(node.get(last), dict):
        raise parameter_invalid(f"Invalid {path[0]}: both a value and a hash ({name[:80]})", path[0])
    node[last] = value


class Form:
    """Typed access to parameters. Every getter raises ApiError 400 for an invalid one."""

    def __init__(self, tree: Tree, prefix: str = "") -> None:
        self.tree = tree
        self._prefix = prefix

    def _name(self, name: str) -> str:
        return f"{self._prefix}[{name}]" if self._prefix else name

    def has(self, name: str) -> bool:
        """Whether the parameter was sent, empty or not."""
        return name in self.tree

    def only(self, allowed: Collection[str]) -> None:
        """Raise ApiError 400 for parameters that the endpoint does not know."""
        for name in self.tree:
            if name not in allowed:
                raise parameter_invalid(f"Received unknown parameter: {name[:80]}", name[:80], "parameter_unknown")

    def text(self, name: str) -> str | None:
        """Returns the value; None when it is absent or empty (which unsets)."""
        value = self.tree.get(name)
        if isinstance(value, dict):
            raise parameter_invalid("Invalid string: a hash was sent", self._name(name))
        return value or None

    def required(self, name: str) -> str:
        """Returns the value."""
        value = self.text(name)
        if value is None:
            raise parameter_missing(self._name(name))
        return value

    def integer(self, name: str) -> int | None:
        """Returns the value as a whole number."""
        value = self.text(name)
        if value is None:
            return None
        if not re.fullmatch(rf"[+-]?[0-9]{{1,{MAX_INTEGER_DIGITS}}}", value):
            raise parameter_invalid(f"Invalid integer: {value[:80]}", self._name(name), "parameter_invalid_integer")
        return int(value)

    def required_integer(self, name: str) -> int:
        """Returns the value as a whole number."""
        value = self.integer(name)
        if value is None:
            raise parameter_missing(self._name(name))
        return value

    def flag(self, name: str) -> bool:
        """Returns True for "true"; False for "false" or when it is absent."""
        value = self.text(name)
        if value not in (None, "true", "false"):
            raise parameter_invalid(f"Invalid boolean: {value[:80]}", self._name(name))
        return value == "true"

    def below(self, name: str) -> "Form":
        """Returns the parameters inside of this one; empty when it is absent."""
        value = self.tree.get(name, {})
        if isinstance(value, str):
            if value:
                raise parameter_invalid("Invalid hash", self._name(name))
            value = {}
        return Form(value, self._name(name))

    def texts(self, name: str) -> list[str]:
        """Returns the members of a list, in the order of their names."""
        members = self.below(name)
        return [members.required(key) for key in members.tree]

    def metadata(self, before: Mapping[str, str]) -> dict[str, str]:
        """Returns `before` with changes. An empty value removes its key, an empty whole all."""
        if self.tree.get("metadata") == "":
            return {}
        sent = self.below("metadata")
        after = dict(before)
        for key, value in sent.tree.items():
            if not isinstance(value, str):
                raise parameter_invalid("Metadata values must be strings", f"metadata[{key[:80]}]")
            after[key] = value
        kept = {key: value for key, value in after.items() if value}
        _check_metadata(kept)
        return kept


def _check_metadata(metadata: Mapping[str, str]) -> None:
    if len(metadata) > MAX_METADATA_KEYS:
        raise parameter_invalid(f"Metadata can have at most {MAX_METADATA_KEYS} keys", "metadata")
    for key, value in metadata.items():
        if len(key) > MAX_METADATA_KEY_CHARACTERS:
            raise parameter_invalid(f"Metadata keys have at most {MAX_METADATA_KEY_CHARACTERS} characters", "metadata")
        if len(value) > MAX_METADATA_VALUE_CHARACTERS:
            raise parameter_invalid(
                f"Metadata values have at most {MAX_METADATA_VALUE_CHARACTERS} characters", f"metadata[{key}]"
            )
