"""A call of each method that client/endpoints.toml lists, with the examples of the OpenAPI document as its arguments."""

import json
import tomllib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

from svc_client import AsyncClient
from tools.clients import TABLE, Method, Rows, camel
from tools.openapi_document import document

PythonCall = Callable[[AsyncClient], Awaitable[Any] | AsyncIterator[Any]]


def python_calls() -> list[PythonCall]:
    """The calls of the asynchronous client."""
    return [_python_call(part, method, values) for part, method, values in _calls()]


def javascript_calls() -> dict[str, str]:
    """The expressions of the JavaScript client, by operation."""
    found = {}
    for part, method, values in _calls():
        call = f"svc.{camel(part)}.{camel(method.name)}({', '.join(map(json.dumps, values))})"
        found[f"{method.verb.lower()} {method.path}"] = f"all({call})" if method.is_paged else call
    return found


def _python_call(part: str, method: Method, values: list[Any]) -> PythonCall:
    def call(svc: AsyncClient) -> Awaitable[Any] | AsyncIterator[Any]:
        name = "__aiter__" if method.name == "list" else method.name
        made: Awaitable[Any] | AsyncIterator[Any] = getattr(getattr(svc, part), name)(*values)
        return made

    return call


def _calls() -> Iterator[tuple[str, Method, list[Any]]]:
    described = document()
    for part, methods in Rows(tomllib.loads(TABLE.read_text(encoding="utf-8")), described).parts.items():
        for method in methods:
            operation = described["paths"][method.path][method.verb.lower()]
            examples = {each["name"]: each.get("example") for each in operation["parameters"]}
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("example", {})
            yield part, method, [({**examples, **body}).get(each.member, "text") for each in method.arguments]
