"""Writes the methods that client/endpoints.toml lists: `python -m tools.clients [--check]`.

A method's types are those of the OpenAPI document. What an endpoint needs beyond that is written by
hand above the mark.
"""

import re
import sys
import textwrap
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tools.client_models import Model, form_of, model_of
from tools.openapi_document import document
from tools.synchronous import SOURCE, formatted

TABLE: Final = Path("client/endpoints.toml")
MODULE: Final = Path("client/js/svc-client.mjs")
DECLARATIONS: Final = Path("client/js/svc-client.d.mts")
MODELS: Final = Path("client/svc_client/models.py")
TYPES: Final = Path("client/js/svc-models.d.mts")
FORMS: Final = Path("client/js/svc-answers.mjs")
MARK: Final = "Made of client/endpoints.toml by `make format`, from here on:"
_WIDTH: Final = 120


@dataclass(frozen=True)
class Kind:
    """A kind of member in both languages; `{}` in `sent` is the argument as Python sends it."""

    python: str
    javascript: str
    sent: str = "{}"


_KINDS: Final[Mapping[str, Kind]] = {
    "string": Kind("str", "string"),
    "integer": Kind("int", "number"),
    "boolean": Kind("bool", "boolean"),
}
_MEMBERS: Final[Mapping[str, Kind]] = {
    "group_id": Kind("GroupId", "GroupId", "group_id({})"),
    "pkp_id": Kind("WalletId", "WalletId", "address_of({})"),
    "pkp_ids_permitted": Kind("Sequence[WalletId]", "readonly WalletId[]", "addresses({})"),
    "cid_hashes_permitted": Kind("Sequence[str]", "readonly string[]", "[*{}]"),
    "typed_data": Kind("Mapping[str, JsonValue]", "TypedData", "dict({})"),
}
"""Members that users give as things of the client."""


@dataclass(frozen=True)
class Argument:
    """An argument, and the member that it becomes. One that is not `required` may be left out."""

    name: str
    member: str
    kind: Kind
    required: bool
    is_nullable: bool

    @property
    def python(self) -> str:
        """Declaration in Python."""
        if self.required:
            return f"{self.name}: {self.kind.python}"
        return f"{self.name}: {self.kind.python} | None = None" if self.is_nullable else f'{self.name}: str = ""'

    @property
    def javascript(self) -> str:
        """Declaration in JavaScript."""
        return camel(self.name) + ("" if self.required or self.is_nullable else ' = ""')

    @property
    def typescript(self) -> str:
        """Declaration in TypeScript."""
        return f"{camel(self.name)}{'' if self.required else '?'}: {self.kind.javascript}"

    @property
    def pair(self) -> str:
        """Member of the object that JavaScript sends."""
        name = camel(self.name)
        return name if name == self.member else f"{self.member}: {name}"


@dataclass(frozen=True)
class Result:
    """An answer: how Python and JavaScript read it, and its types."""

    read: str
    python: str
    check: str
    javascript: str


_RESULTS: Final[Mapping[str, Result]] = {
    "boolean": Result("flag", "bool", "isFlag", "boolean"),
    "string": Result("text", "str", "isText", "string"),
    "object": Result("object_of", "dict[str, JsonValue]", "isObject", "{ [name: string]: models.JsonValue }"),
    "array of string": Result("texts", "tuple[str, ...]", "forms.TEXTS", "string[]"),
    "array of object": Result(
        "objects",
        "tuple[dict[str, JsonValue], ...]",
        "listOf(isObject)",
        "{ [name: string]: models.JsonValue }[]",
    ),
}


@dataclass(frozen=True)
class Method:
    """A row of the table, with what the document says of its operation."""

    name: str
    says: str
    verb: str
    path: str
    arguments: Sequence[Argument]
    result: Result
    is_public: bool
    is_at_root: bool
    is_paged: bool

    def python(self) -> str:
        """Returns the method of the asynchronous client."""
        given = ", ".join(["self", *(argument.python for argument in self.arguments)])
        members = "".join(f", {each.member}={each.kind.sent.format(each.name)}" for each in self.arguments)
        public = ", is_public=True" if self.is_public else ""
        query = ", ".join(f"'{each.member}': {each.kind.sent.format(each.name)}" for each in self.arguments)
        path = f'f"{self.path}?{{urlencode({{{query}}})}}"' if query and self.verb == "GET" else f'"{self.path}"'
        if self.is_paged:
            name = "__aiter__" if self.name == "list" else self.name
            head, done = (
                f"def {name}({given}) -> AsyncIterator[{self.result.python}]",
                f"self._pages({path}, {self.result.python})",
            )
        else:
            head = f"async def {self.name}({given}) -> {self.result.python}"
            root = ", at_root=True" if self.is_at_root else ""
            if self.verb == "POST":
                is_plain = self.result.python == "models.Mutation" and not self.is_public
                made = f"{'_opened' if self.is_public else '_made'}({self.result.python}, "
                done = f'await self.{"_changed(" if is_plain else made}"{self.path}"{members})'
            else:
                done = f"{self.result.read}await self._get({path}{root}{public}))"
        return f'{head}:\n    """{self.says}"""\n    return {done}\n'

    def javascript(self) -> str:
        """Returns the member of the part's object."""
        given = ", ".join(argument.javascript for argument in self.arguments)
        members = [argument.pair for argument in self.arguments]
        sent = f"{{ {', '.join(members)} }}" if members else "{}"
        flags = [*(["atRoot: true"] if self.is_at_root else []), *(["isPublic: true"] if self.is_public else [])]
        how = [f"{{ {', '.join(flags)} }}"] if flags else []
        if self.is_paged:
            call, parts = "pages", [f'"{self.path}"', sent, self.result.check]
        elif self.verb == "POST":
            call, parts = "change", [f'"{self.path}"', sent, self.result.check, *how]
        else:
            path = f'withQuery("{self.path}", {sent})' if members else f'"{self.path}"'
            call, parts = "get", [path, self.result.check, *how]
        head = f"{camel(self.name)}: ({given}) =>"
        line = f"{head} transport.{call}({', '.join(parts)}),\n"
        if len(line) <= _WIDTH:
            return line
        line = f"{head}\n  transport.{call}({', '.join(parts)}),\n"
        if len(line.splitlines()[-1]) < _WIDTH:
            return line
        inner = "".join(f"    {part},\n" for part in parts)
        return f"{head}\n  transport.{call}(\n{inner}  ),\n"

    def typescript(self) -> str:
        """Returns the declaration in the part's interface."""
        given = [argument.typescript for argument in self.arguments]
        kind = (
            f"AsyncGenerator<{self.result.javascript}, void>" if self.is_paged else f"Promise<{self.result.javascript}>"
        )
        line = f"{camel(self.name)}({', '.join(given)}): {kind};\n"
        if len(line) > _WIDTH:
            line = f"{camel(self.name)}(\n" + "".join(f"  {each},\n" for each in given) + f"): {kind};\n"
        verb, _, rest = self.says.partition(" ")
        return f"/** {verb}{'es' if verb.endswith('o') else 's'} {rest} */\n{line}"


def camel(name: str) -> str:
    """Returns a name of Python as JavaScript writes it."""
    return re.sub(r"_(\w)", lambda found: found[1].upper(), name)


class Rows:
    """The methods of the table, by part."""

    def __init__(self, table: Mapping[str, Any], described: Mapping[str, Any]) -> None:
        self._described = described
        rows = {name: row if isinstance(row, dict) else {"name": row} for name, row in table["schemas"].items()}
        self._names: Mapping[str, str] = {name: row["name"] for name, row in rows.items()}
        self.parts = {
            part: [self._method(name, row) for name, row in rows.items()]
            for part, rows in table.items()
            if part != "schemas"
        }
        schemas = described["components"]["schemas"]
        changed = {_answer_of(methods["post"]) for methods in described["paths"].values() if "post" in methods}
        self.models = [
            model_of(row, schemas[name], is_change=name in changed) for name, row in rows.items() if "says" in row
        ]

    def _method(self, name: str, row: Mapping[str, str]) -> Method:
        verb, _, path = row["call"].partition(" ")
        operation = self._described["paths"][path][verb.lower()]
        members, required = self._members(operation)
        taken = [each.strip().partition("=") for each in row.get("takes", "").split(",") if each.strip()]
        named = [(name, member or name) for name, _, member in taken]
        # What stands before an argument that has to be given has to be given as well.
        last = max((at for at, (_, member) in enumerate(named) if member in required), default=-1)
        arguments = [_argument(name, member, members[member], at <= last) for at, (name, member) in enumerate(named)]
        answer = operation["responses"]["200"]["content"]["application/json"]["schema"]
        is_paged = "page_size" in members
        return Method(
            name,
            row["says"],
            verb,
            path,
            arguments,
            self._result(answer["items"] if is_paged else answer),
            is_public=not operation["security"],
            is_at_root="servers" in self._described["paths"][path],
            is_paged=is_paged,
        )

    def _members(self, operation: Mapping[str, Any]) -> tuple[dict[str, Any], set[str]]:
        """Returns the members of the query or body, and those without which there is no request."""
        queries = [each for each in operation["parameters"] if each["in"] == "query"]
        members = {each["name"]: each["schema"] for each in queries}
        required = {each["name"] for each in queries if each["required"]}
        content = operation.get("requestBody", {}).get("content", {})
        for schema in self._alternatives(content.get("application/json", {}).get("schema", {})):
            members |= {name: kind for name, kind in schema.get("properties", {}).items() if kind != {"type": "null"}}
            required |= set(schema.get("required", ()))
        return members, required

    def _alternatives(self, schema: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        if "$ref" in schema:
            schema = self._described["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        alternatives: Sequence[Mapping[str, Any]] = schema.get("oneOf", [schema])
        return alternatives

    def _result(self, schema: Mapping[str, Any]) -> Result:
        if "$ref" in schema:
            name = self._names[schema["$ref"].rpartition("/")[2]]
            form = f"forms.{form_of(name)}"
            return Result(f"model(models.{name}, ", f"models.{name}", form, f"models.{name}")
        kind = schema["type"]
        found = _RESULTS[f"array of {schema['items']['type']}" if kind == "array" else kind]
        return Result(f"{found.read}(", found.python, found.check, found.javascript)


def _argument(name: str, member: str, schema: Mapping[str, Any], required: bool) -> Argument:
    kinds = [each["type"] for each in schema.get("anyOf", [schema]) if "type" in each]
    kind = _MEMBERS.get(member) or _KINDS[next(each for each in kinds if each != "null")]
    return Argument(name, member, kind, required, "null" in kinds)


def filled(text: str, opening: str, written: Iterable[str]) -> str:
    """Returns the text with new lines from the mark to the end of the block that a line begins."""
    lines = text.splitlines(keepends=True)
    start = next(at for at, line in enumerate(lines) if line.startswith(opening))
    mark = next(at for at in range(start, len(lines)) if MARK in lines[at])
    indent = lines[mark][: len(lines[mark]) - len(lines[mark].lstrip())]
    after = range(mark, len(lines))
    end = next((at for at in after if lines[at].strip() and not lines[at].startswith(indent)), len(lines))
    while not lines[end - 1].strip():
        end -= 1
    return "".join([*lines[: mark + 1], *(textwrap.indent(each, indent) for each in written), *lines[end:]])


def made(rows: Rows) -> dict[Path, str]:
    """Returns the files of the clients with all methods and models of the table."""
    python, module, declarations = (path.read_text(encoding="utf-8") for path in (SOURCE, MODULE, DECLARATIONS))
    for part, methods in rows.parts.items():
        title = camel(f"_{part}")
        python = filled(
            python, f"class Async{title}(", ["\n" * (at > 0) + method.python() for at, method in enumerate(methods)]
        )
        module = filled(module, f"const {camel(part)}Part", [method.javascript() for method in methods])
        declarations = filled(declarations, f"export interface {title} ", [method.typescript() for method in methods])
    return {SOURCE: formatted(python, SOURCE), MODULE: module, DECLARATIONS: declarations, **_answers(rows.models)}


def _answers(models: Sequence[Model]) -> dict[Path, str]:
    """Returns the three files of answers, which end with all models of the table."""
    texts = {path: path.read_text(encoding="utf-8") for path in (MODELS, TYPES, FORMS)}
    return {
        MODELS: formatted(filled(texts[MODELS], "", ["\n\n" + model.python() for model in models]), MODELS),
        TYPES: filled(texts[TYPES], "", ["\n" * (at > 0) + model.typescript() for at, model in enumerate(models)]),
        FORMS: filled(texts[FORMS], "", [model.javascript() for model in models]),
    }


def _answer_of(operation: Mapping[str, Any]) -> str:
    """Returns the name of the schema of an operation's answer; empty where it has none."""
    content = operation["responses"]["200"]["content"].get("application/json", {})
    return str(content.get("schema", {}).get("$ref", "")).rpartition("/")[2]


def main() -> None:
    """Write the files, or with `--check` end with status 1 where one differs."""
    rows = Rows(tomllib.loads(TABLE.read_text(encoding="utf-8")), document())
    for path, text in made(rows).items():
        if path.read_text(encoding="utf-8") == text:
            continue
        if "--check" in sys.argv[1:]:
            sys.exit(f"{path} is not made of {TABLE}: run make format")
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
