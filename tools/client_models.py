"""Models of the clients' answers, as client/endpoints.toml describes them, in three languages."""

import json
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

_WIDTH: Final = 121
_SECRETS: Final = frozenset({"api_key", "usage_api_key", "client_secret"})
_MUTATION: Final = ("success", "transaction_hash", "block_number")
"""Members of every change, which have a model of their own."""
_NULL: Final = {"type": "null"}
_PYTHON: Final = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
_TYPESCRIPT: Final = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean"}
_CHECKS: Final = {"string": "isText", "integer": "isInteger", "number": "isNumber", "boolean": "isFlag"}


@dataclass(frozen=True)
class Member:
    """A member of an answer. One that is not `required` may be absent."""

    name: str
    schema: Mapping[str, Any]
    required: bool

    def python(self) -> str:
        """Returns the field of the model."""
        kind = _python(self.schema) if self.required else f"{_python(self.schema)} | None"
        default = " = Field(repr=False)" if self.name in _SECRETS else "" if self.required else " = None"
        return f"    {self.name}: {kind}{default}\n"

    def typescript(self) -> str:
        """Returns the member of the interface."""
        return f"  {self.name}{'' if self.required else '?'}: {_typescript(self.schema)};\n"

    def check(self) -> str:
        """Returns the member of the form that JavaScript compares an answer with."""
        return f"{self.name}: {_check(self.schema)}" if self.required else f'"{self.name}?": {_check(self.schema)}'


@dataclass(frozen=True)
class Model:
    """An answer, by its name in the clients. `Transport.change` reads one that `is_change`."""

    name: str
    says: str
    members: Sequence[Member]
    is_change: bool

    @property
    def _is_mutation(self) -> bool:
        return set(_MUTATION) <= {member.name for member in self.members}

    @property
    def _own(self) -> list[Member]:
        return [each for each in self.members if not (self._is_mutation and each.name in _MUTATION)]

    def python(self) -> str:
        """Returns the class."""
        base = "Mutation" if self._is_mutation else "Listed" if self.members[0].name == "id" else "Answer"
        fields = "".join(each.python() for each in self._own if base != "Listed" or each.name != "id")
        says = self.says.replace("null", "None")
        return f'class {self.name}({base}):\n    """{says}"""\n\n{fields}'

    def typescript(self) -> str:
        """Returns the interface."""
        base = " extends Mutation" if self._is_mutation else ""
        members = "".join(each.typescript() for each in self._own)
        return f"/** {self.says} */\nexport interface {self.name}{base} {{\n{members}}}\n"

    def javascript(self) -> str:
        """Returns the form."""
        checks = [*(["...MUTATION"] if self._is_mutation else []), *(each.check() for each in self._own)]
        opening, closing = ("{", "}") if self.is_change else ("objectOf({", "})")
        line = f"export const {form_of(self.name)} = {opening} {', '.join(checks)} {closing};\n"
        if len(line) <= _WIDTH:
            return line
        # Broken between members alone.
        lines = textwrap.fill(", ".join(check.replace(" ", "\0") for check in checks), _WIDTH - len("  ,\n"))
        members = textwrap.indent(lines.replace("\0", " "), "  ")
        return f"export const {form_of(self.name)} = {opening}\n{members},\n{closing};\n"


def form_of(name: str) -> str:
    """Returns the name of a model's form in JavaScript."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).upper()


def model_of(row: Mapping[str, str], schema: Mapping[str, Any], *, is_change: bool) -> Model:
    """Returns the model of a row and the schema of its answer."""
    required = schema.get("required", ())
    members = [Member(name, each, name in required) for name, each in schema["properties"].items()]
    return Model(row["name"], row["says"], members, is_change)


def _without_null(schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
    kinds: list[Mapping[str, Any]] = schema.get("anyOf", [])
    return next(kind for kind in kinds if kind != _NULL) if _NULL in kinds else None


def _python(schema: Mapping[str, Any]) -> str:
    if inner := _without_null(schema):
        return f"{_python(inner)} | None"
    if "enum" in schema:
        return f"Literal[{', '.join(repr(each) for each in schema['enum'])}]"
    return f"tuple[{_python(schema['items'])}, ...]" if schema["type"] == "array" else _PYTHON[schema["type"]]


def _typescript(schema: Mapping[str, Any]) -> str:
    if inner := _without_null(schema):
        return f"{_typescript(inner)} | null"
    if "enum" in schema:
        return " | ".join(f'"{each}"' for each in schema["enum"])
    if "const" in schema:
        return str(schema["const"]).lower()
    return f"{_typescript(schema['items'])}[]" if schema["type"] == "array" else _TYPESCRIPT[schema["type"]]


def _check(schema: Mapping[str, Any]) -> str:
    if inner := _without_null(schema):
        return f"orNull({_check(inner)})"
    if "enum" in schema:
        values = ", ".join(json.dumps(each) for each in schema["enum"])
        return f"oneOf({values})"
    if "const" in schema:
        return f"oneOf({str(schema['const']).lower()})"
    return f"listOf({_check(schema['items'])})" if schema["type"] == "array" else _CHECKS[schema["type"]]
