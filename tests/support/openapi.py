"""Checks a live answer against the node's own OpenAPI document: documented status, content type, schema, headers."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.jsonschema import DRAFT202012

_DOCUMENT = "urn:openapi"
_API_PREFIX = "/core/v1"
_BEYOND_OPERATIONS = {404, 405, 400, 500}
"""Statuses an unknown path, an unknown method or malformed HTTP may be answered with: always the error shape."""
_BEFORE_ANY_OPERATION = {414, 431, 501, 505}
"""Statuses of requests that are refused before their operation is known."""

_WITH_FIX = {400, 402, 403, 404, 409}
"""Statuses of what the caller can mend: the answer says how."""


class OpenApiChecker:
    """Holds one document; `check` fails the test that got an undocumented answer."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        resource = DRAFT202012.create_resource(document)
        self._registry: Registry[Any] = Registry().with_resource(_DOCUMENT, resource)

    def check(self, method: str, path: str, status: int, headers: Mapping[str, str], body: Any) -> None:
        """Raise AssertionError unless the answer is as documented.

        `path` may carry the API's prefix and a query; `body` is the parsed JSON, None for HEAD.
        """
        found = {name.lower(): value for name, value in headers.items()}
        operation = None if status in _BEFORE_ANY_OPERATION else self._operation(method, path)
        self._check_envelope(found, method, path)
        if operation is None:
            assert status in _BEYOND_OPERATIONS | _BEFORE_ANY_OPERATION, (
                f"{method} {path} is not documented, yet answers {status}"
            )
            if method != "HEAD":
                self._validate({"$ref": f"{_DOCUMENT}#/components/schemas/ErrorAnswer"}, "", body)
            return
        response = operation["responses"].get(str(status))
        assert response is not None, f"{method} {path} answers {status}, which is not documented: {body}"
        # What ended a run that is never begun again names no time to come back.
        is_kept = isinstance(body, dict) and "ran_ms" in body.get("details", {})
        for name in ("X-Total-Count", "Link", "Deprecation", *([] if is_kept else ["Retry-After"])):
            if name in response["headers"]:
                assert name.lower() in found, f"{method} {path} {status} lacks the documented header {name}"
        if method != "HEAD":
            pointer = f"#/paths/{_escape(self._path(path))}/{method.lower()}/responses/{status}"
            self._validate({"$ref": f"{_DOCUMENT}{pointer}/content/{_escape('application/json')}/schema"}, path, body)
        if status in _WITH_FIX and isinstance(body, dict) and "request_id" in body:
            assert body.get("fix"), f"{method} {path} {status} says nothing of what to do: {body['message']}"
        if status >= 400 and isinstance(body, dict) and "request_id" in body and "idempotency-replayed" not in found:
            assert body["request_id"] == found["x-request-id"]

    def _check_envelope(self, headers: Mapping[str, str], method: str, path: str) -> None:
        assert headers["content-type"].split(";")[0] == "application/json", f"{method} {path} is not JSON"
        assert len(headers["x-request-id"]) == 36
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["access-control-allow-origin"] == "*"

    def _operation(self, method: str, path: str) -> Mapping[str, Any] | None:
        operations: Mapping[str, Any] = self.document["paths"].get(self._path(path), {})
        wanted = method.lower()
        if wanted == "head" and not operations.get("get", {}).get("deprecated"):
            wanted = "get"
        operation: Mapping[str, Any] | None = operations.get(wanted)
        return operation

    def _path(self, path: str) -> str:
        return urlsplit(path).path.removeprefix(_API_PREFIX)

    def _validate(self, schema: Mapping[str, Any], path: str, body: Any) -> None:
        validator = Draft202012Validator(schema, registry=self._registry)
        faults = [f"{fault.json_path}: {fault.message}" for fault in validator.iter_errors(body)]
        assert not faults, f"{path or 'the error'} is not as documented: {faults}"


def _escape(part: str) -> str:
    """One segment of a JSON pointer inside a URI fragment (RFC 6901, 6)."""
    return part.replace("~", "~0").replace("/", "~1")
