"""The OpenAPI 3.1 document, made of the endpoints that serve."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, get_origin

from pydantic import JsonValue, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from node.api.calls import CSV, Listing, NoInput, OptionalBody, SignedBody
from node.api.errors import ErrorCode
from node.http.answers import STATUS_OF
from node.http.authentication import WALLET_AUTH
from node.http.endpoint import AnyEndpoint, Auth
from node.http.pipeline import API_PREFIX, answer_adapter
from node.settings.http import FieldSettings

_NULL: Final[JsonSchemaValue] = {"type": "null"}
_Field: TypeAlias = core_schema.ModelField | core_schema.DataclassField | core_schema.TypedDictField


class BodySchemas(GenerateJsonSchema):
    """Schemas of bodies. An optional field is not required and has no `default`.

    openapi-typescript makes a field with a default mandatory, both in requests and in responses,
    where the node leaves it out.
    """

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """Returns the schema without its default."""
        return self.generate_inner(schema["schema"])

    def field_is_required(self, field: _Field, total: bool) -> bool:
        """Returns whether the field is required: in a response, unless it is left out when None."""
        if self.mode == "serialization":
            return field.get("serialization_exclude_if") is None
        return super().field_is_required(field, total)

    def model_field_schema(self, schema: core_schema.ModelField) -> JsonSchemaValue:
        """Returns the field's schema, without null if the field is left out when None."""
        found = super().model_field_schema(schema)
        if self.mode == "validation" or schema.get("serialization_exclude_if") is None:
            return found
        kinds = [kind for kind in found.get("anyOf", []) if kind != _NULL]
        return kinds[0] if len(kinds) == 1 else found


class QuerySchemas(GenerateJsonSchema):
    """Schemas of queries. A parameter is a text or absent, never null. Defaults are included."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        """Returns the schema without null."""
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """Returns the schema with its default, unless the default is None."""
        if schema.get("default") is None:
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)


Json: TypeAlias = dict[str, JsonValue]

_NOT_IN_NAMES: Final = str.maketrans("/", "_", "{}")
_REF: Final = "#/components/schemas/{model}"
_ERROR: Final = "ErrorAnswer"
"""Name of the error schema. `Error` would collide with its field `error` in generated Python."""
_EVERY_ENDPOINT: Final = frozenset(
    {
        ErrorCode.BAD_REQUEST,
        ErrorCode.METHOD_NOT_ALLOWED,
        ErrorCode.PAYLOAD_TOO_LARGE,
        ErrorCode.UNSUPPORTED_MEDIA_TYPE,
        ErrorCode.TOO_MANY_REQUESTS,
        ErrorCode.INTERNAL_ERROR,
    }
)
_WITH_KEY: Final = frozenset({ErrorCode.UNAUTHORIZED, ErrorCode.FORBIDDEN, ErrorCode.CHAIN_UNAVAILABLE})
_BY_POST: Final = frozenset({ErrorCode.CONFLICT, ErrorCode.DATABASE_UNAVAILABLE})
"""Errors of a request with an Idempotency-Key, whose row is in the database."""
_MEANING: Final[Mapping[int, str]] = {
    400: "The request is wrong: `details.fields` names the fields.",
    401: "No key, or one that is unknown, removed or expired.",
    402: "Not enough credit, or the key's cap is reached.",
    403: "The key may not do this: `details.missing` says what it lacks.",
    404: "There is no such thing.",
    405: "The path has no such method; `Allow` names those it has.",
    409: "It exists already, or the Idempotency-Key was used differently, or (with Retry-After) is in use at another node.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    429: "Too many requests.",
    500: "A bug, logged with the request id.",
    503: "Something the node depends on is out. Nothing was charged, unless `details.charged_cents` says what is; "
    "null: not known yet, the statement shows it.",
    504: "Sent, but not confirmed in time; repeat with the same Idempotency-Key.",
}
_ERROR_SCHEMA: Final[Json] = {
    "type": "object",
    "description": "The one shape of every error.",
    "required": ["error", "message", "request_id"],
    "additionalProperties": False,
    "properties": {
        "error": {"type": "string", "enum": [str(code) for code in ErrorCode]},
        "message": {"type": "string", "description": "What happened."},
        "fix": {"type": "string", "description": "What to do about it."},
        "request_id": {"type": "string", "format": "uuid"},
        "details": {"type": "object", "additionalProperties": True},
    },
}
_SECURITY_SCHEMES: Final[Json] = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "An account key or a usage key."},
    "api_key": {"type": "apiKey", "in": "header", "name": "X-Api-Key", "description": "The same key, other header."},
    "wallet": {
        "type": "apiKey",
        "in": "header",
        "name": WALLET_AUTH,
        "description": "Base64 of `{typed_data, signature}`: a `BillingAuth` that a ChainSecured account's admin wallet signed.",
    },
}
_STRING: Final[Json] = {"schema": {"type": "string"}}
_HEADERS: Final[Json] = {
    "X-Request-Id": {"description": "Fresh for each request.", "schema": {"type": "string", "format": "uuid"}},
    "X-Correlation-Id": {"description": "The client's own, echoed.", **_STRING},
    "X-Total-Count": {"description": "Length of the whole list.", "schema": {"type": "integer", "minimum": 0}},
    "Link": {"description": "RFC 8288: first, prev, next, last.", **_STRING},
    "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 0}},
    "Idempotency-Replayed": {"description": "`true` when the work was done by an earlier request.", **_STRING},
    "Deprecation": {"description": "RFC 9745.", **_STRING},
}
_IDEMPOTENCY_KEY: Final[Json] = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "Repeat the request with the same key to get the first final answer, not the work done twice.",
    "schema": {"type": "string", "minLength": 22, "maxLength": 255, "pattern": "^[!-~][ -~]*[!-~]$"},
}
_SECRET_IDEMPOTENCY_KEY: Final[Json] = {
    **_IDEMPOTENCY_KEY,
    "description": (
        "Random and secret. Repeat the request with the same key, from the same address (IPv6: the same /64), to get the"
        " first final answer, not the work done twice; from another one it is 409 with `details.reason`: `other_address`."
    ),
    "schema": {"type": "string", "minLength": 32, "maxLength": 255, "pattern": "^[A-Za-z0-9_-]*$"},
}
_SIGNED_BODY: Final[Json] = {"type": "object", "description": "As its signer sends it.", "additionalProperties": True}
_CORRELATION_ID: Final[Json] = {
    "name": "X-Correlation-Id",
    "in": "header",
    "description": "Echoed in the answer, if it has 1 to 128 printable ASCII characters.",
    "schema": {"type": "string"},
}


@dataclass(frozen=True, slots=True)
class ApiDescription:
    """Title, version and description of the API."""

    title: str
    version: str
    description: str = ""


def codes_of(endpoint: AnyEndpoint) -> frozenset[ErrorCode]:
    """Returns every error code of the endpoint: those of the pipeline and its own."""
    codes = _EVERY_ENDPOINT | endpoint.errors
    if endpoint.access.auth is not Auth.NONE:
        codes |= _WITH_KEY
    return codes | _BY_POST | {ErrorCode.CHAIN_TIMEOUT} if endpoint.operation.method == "POST" else codes


def openapi_document(endpoints: Sequence[AnyEndpoint], about: ApiDescription, limits: FieldSettings) -> Json:
    """Returns the whole document, with the bounds of `limits`. Model schemas are components."""
    adapters: list[tuple[str, str, TypeAdapter[object]]] = []
    for endpoint in endpoints:
        key = _key(endpoint)
        adapters.append((key, "serialization", answer_adapter(endpoint)))
        if endpoint.operation.method == "POST" and endpoint.operation.takes is not SignedBody:
            adapters.append((key, "validation", TypeAdapter(endpoint.operation.takes)))
    schemas, shared = TypeAdapter.json_schemas(
        adapters,  # type: ignore[arg-type]  # modes are literals
        ref_template=_REF,
        schema_generator=BodySchemas,
    )
    paths: Json = {}
    for endpoint in endpoints:
        operations = paths.setdefault(
            endpoint.operation.path, {"servers": [{"url": "/"}]} if endpoint.operation.host_root else {}
        )
        assert isinstance(operations, dict)  # noqa: S101 - for the type checker: it was put there as one
        answer = schemas[_key(endpoint), "serialization"]
        given = _SIGNED_BODY if endpoint.operation.takes is SignedBody else schemas.get((_key(endpoint), "validation"))
        body: Json | None = None if given is None else {"schema": given}
        if given is not None and body is not None:
            body["example"] = endpoint.docs.example or _example(given, shared.get("$defs", {}))
        operations[endpoint.operation.method.lower()] = _operation(endpoint, answer, body)
    info: Json = {
        "title": about.title,
        "version": about.version,
        "description": about.description,
        "license": {"name": "Apache License 2.0", "identifier": "Apache-2.0"},
    }
    components: Json = {
        "schemas": {**_bounded(shared.get("$defs", {}), limits), _ERROR: _ERROR_SCHEMA},
        "securitySchemes": _SECURITY_SCHEMES,
        "headers": _HEADERS,
    }
    tags: list[JsonValue] = [{"name": tag} for tag in dict.fromkeys(endpoint.tag for endpoint in endpoints)]
    return {
        "openapi": "3.1.0",
        "info": info,
        "servers": [{"url": API_PREFIX}],
        "tags": tags,
        "paths": paths,
        "components": components,
    }


def _example(schema: Json, shared: Mapping[str, Json]) -> JsonValue:
    """Returns an example of the required fields, made of the examples of their types."""
    schema = shared.get(str(schema.get("$ref")).rpartition("/")[2], schema)
    match schema:
        case {"oneOf": [*_, dict() as last]}:
            return _example(last, shared)
        case {"examples": [first, *_]}:
            return first
        case {"type": "array", "items": dict() as items}:
            return [_example(items, shared)]
        case {"properties": dict() as fields}:
            required = schema.get("required")
            names = required if isinstance(required, list) else []
            return {str(name): _example(fields[str(name)], shared) for name in names}
        case _:
            return None


def _bounded(schema: Json, limits: FieldSettings) -> Json:
    """Returns the schema with the name of each setting replaced by its number."""
    return {name: _bounded_value(name, value, limits) for name, value in schema.items()}


def _bounded_value(name: str, value: JsonValue, limits: FieldSettings) -> JsonValue:
    if isinstance(value, dict):
        return _bounded(value, limits)
    if isinstance(value, list):
        return [_bounded_value("", each, limits) for each in value]
    return getattr(limits, value) if name == "maxLength" and isinstance(value, str) else value


def _key(endpoint: AnyEndpoint) -> str:
    return f"{endpoint.operation.method} {endpoint.operation.path}"


def _operation(endpoint: AnyEndpoint, answer: Json, body: Json | None) -> Json:
    operation: Json = {
        "operationId": f"{endpoint.operation.method.lower()}_{endpoint.operation.path.removeprefix('/').translate(_NOT_IN_NAMES)}",
        "summary": endpoint.docs.summary,
        "tags": [endpoint.tag],
        "parameters": _parameters(endpoint),
        "responses": _responses(endpoint, answer),
        "security": _security(endpoint),
    }
    if endpoint.docs.description:
        operation["description"] = endpoint.docs.description
    if endpoint.operation.deprecated_by is not None:
        operation["deprecated"] = True
    if body is not None:
        is_required = not issubclass(endpoint.operation.takes, OptionalBody)
        operation["requestBody"] = {"required": is_required, "content": {"application/json": body}}
    return operation


def _security(endpoint: AnyEndpoint) -> list[JsonValue]:
    if endpoint.access.auth is Auth.NONE:
        return []
    schemes = ["bearer", "api_key", *(["wallet"] if endpoint.access.wallet_auth else [])]
    return [{scheme: []} for scheme in schemes]


def _parameters(endpoint: AnyEndpoint) -> list[JsonValue]:
    if endpoint.operation.method == "POST":
        key = _SECRET_IDEMPOTENCY_KEY if endpoint.repetition.key_is_secret else _IDEMPOTENCY_KEY
        header = endpoint.operation.signature_header
        signature: Json = {
            "name": header,
            "in": "header",
            "description": "Signs the body.",
            "required": True,
            **_STRING,
        }
        return [*([signature] if header else []), key, _CORRELATION_ID]
    schema = TypeAdapter(endpoint.operation.takes).json_schema(schema_generator=QuerySchemas)
    required = schema.get("required", [])
    given: list[JsonValue] = []
    for name, field in schema.get("properties", {}).items():
        place = "path" if f"{{{name}}}" in endpoint.operation.path else "query"
        example = {"example": field["examples"][0]} if "examples" in field else {}
        given.append({"name": name, "in": place, "required": name in required, "schema": field, **example})
    return [*given, _CORRELATION_ID]


_JSON: Final = "application/json"
_CSV: Final[Json] = {CSV: {"schema": {"type": "string"}}}


def _responses(endpoint: AnyEndpoint, answer: Json) -> Json:
    media: Json = {"schema": answer}
    if endpoint.operation.takes is NoInput and endpoint.docs.example is not None:
        media["example"] = endpoint.docs.example
    content: Json = {
        **dict.fromkeys(endpoint.responses.content_types, media),
        **(_CSV if endpoint.responses.also_csv else {}),
    }
    # A document of several media types is text in each of them except this one.
    if len(endpoint.responses.content_types) > 1 and _JSON in content:
        content[_JSON] = {"schema": {}}
    success: Json = {
        "description": "Done.",
        "headers": _success_headers(endpoint),
        "content": content,
    }
    responses: Json = {str(endpoint.responses.success): success}
    statuses: dict[int, list[str]] = {}
    for code in sorted(codes_of(endpoint)):
        statuses.setdefault(STATUS_OF[code], []).append(f"`{code}`")
    for status, codes in sorted(statuses.items()):
        names = ["X-Request-Id", "X-Correlation-Id"] + (["Retry-After"] if status in {429, 503} else [])
        responses[str(status)] = {
            "description": f"{_MEANING[status]} ({', '.join(codes)})",
            "headers": {name: _header(name) for name in names},
            "content": {"application/json": {"schema": {"$ref": _REF.format(model=_ERROR)}}},
        }
    for status in sorted(endpoint.responses.other):
        if status < 400:
            responses[str(status)] = {"description": "Nothing new.", "headers": _success_headers(endpoint)}
            continue
        responses[str(status)] = {**success, "description": "The same answer, with this status."}
        # A status may have two shapes: /health answers 503 with a report or with an error.
        if status in statuses:
            schema: Json = {"anyOf": [answer, {"$ref": _REF.format(model=_ERROR)}]}
            responses[str(status)] = {**success, "content": {"application/json": {"schema": schema}}}
    return responses


def _success_headers(endpoint: AnyEndpoint) -> Json:
    names = ["X-Request-Id", "X-Correlation-Id"]
    if get_origin(endpoint.operation.answers) is Listing:
        names += ["X-Total-Count", "Link"]
    if endpoint.operation.method == "POST":
        names.append("Idempotency-Replayed")
    if endpoint.operation.deprecated_by is not None:
        names += ["Deprecation", "Link"]
    own: Json = {name: {"description": text, **_STRING} for name, text in endpoint.docs.answer_headers.items()}
    return {**{name: _header(name) for name in names}, **own}


def _header(name: str) -> JsonValue:
    return {"$ref": f"#/components/headers/{name}"}
