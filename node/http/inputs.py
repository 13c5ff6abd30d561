"""Parses and validates JSON bodies and queries as the models of endpoints.

JSON is RFC 8259 without its ambiguities. Text that two parsers may read differently is refused,
since a proxy or a signer may have read it the other way. A 400 names each wrong field.
"""

import re
from functools import partial
from itertools import islice
from typing import Final, TypeVar

from aiohttp import web
from pydantic import BaseModel, JsonValue, RootModel, ValidationError

from node.api.calls import DuplicateFieldError, ManyValues, NoInput, OptionalBody, SignedBody, parse_strict_json
from node.api.errors import ErrorCode, NodeError
from node.http.endpoint import AnyEndpoint
from node.runtime.processor_time import ClientTime, require_few_values
from node.settings.http import FieldSettings, HttpSettings

Input = TypeVar("Input", bound=BaseModel)

INLINE_BYTES: Final = 64 * 1024
"""Largest body parsed on the event loop, in one or two milliseconds; larger ones use a thread."""

PARAMS_VALUES_MAX: Final = 600_000
"""Most JSON values in a body with `js_params`, more than the largest parameters contain."""
PARAMS_NAMES_MAX: Final = 50_000
"""Most names, lists and objects among these values. The parser holds the interpreter lock while it
reads the names of an object, about 50 milliseconds for this number."""
BODY_VALUES_MAX: Final = 10_000
"""Most JSON values in the body of any other endpoint, which needs a few hundred at most."""

_JSON: Final = "application/json"
_CONTENT_TYPE_MAX_CHARACTERS: Final = 128
"""Most characters of a Content-Type, enough for a media type with a few parameters."""
_JSON_IN_UTF8: Final = re.compile(
    r"""application/json(?:[ \t]*;[ \t]*(?:charset="?utf-?8"?|(?!charset\b)[\w.+-]+=(?:[\w.+:/-]+|"[^"\\]*")))*[ \t]*;?""",
    re.IGNORECASE | re.ASCII,
)
"""Some clients send further parameters, which have no meaning for JSON (RFC 8259, 11)."""
_NO_INPUT: Final = NoInput()
_JSON_WHITESPACE: Final = b" \t\r\n"
_MAX_NAMED_FIELDS: Final = 20
_MAX_FIELD_NAME: Final = 100

_TOO_DEEP: Final = frozenset({"json_invalid", "recursion_depth_exceeded"})
"""pydantic's error types for JSON that its own parser refuses, and for values nested too deeply."""
_UNKNOWN_FIELD: Final = "is not a field of this request"
_SEND_JSON: Final = "Send JSON in UTF-8 (RFC 8259), as the schema in /core/v1/openapi.json shows it."


def small_input(endpoint: AnyEndpoint, request: web.Request, body: bytes, limits: HttpSettings) -> BaseModel:
    """Return the endpoint's input from a body of at most INLINE_BYTES.

    Raises NodeError `bad_request` (`details.fields`) or `unsupported_media_type`.
    """
    given = _without_json(endpoint, request, body, limits)
    return _from_json(endpoint.operation.takes, body, limits) if given is None else given


async def large_input(
    endpoint: AnyEndpoint, request: web.Request, body: bytes, limits: HttpSettings, work: ClientTime
) -> BaseModel:
    """Return the endpoint's input from a larger body. Parsing it counts as the client's `work`."""
    given = _without_json(endpoint, request, body, limits)
    if given is not None:
        return given
    return await work.in_thread(partial(_from_json, endpoint.operation.takes, body, limits))


def _without_json(endpoint: AnyEndpoint, request: web.Request, body: bytes, fields: FieldSettings) -> BaseModel | None:
    """Return the input if it is not JSON of the body; None if the JSON may be parsed."""
    # An unused part of the request is refused, since its sender expects an effect.
    model: type[BaseModel] = endpoint.operation.takes
    if endpoint.operation.method == "GET":
        _check_no_body(request, body)
        return _NO_INPUT if model is NoInput and not request.query_string else _from_url(model, request, fields)
    if request.query_string:
        _refuse_query(request)
    if model is NoInput:
        _check_no_body(request, body)
        return _NO_INPUT
    if issubclass(model, OptionalBody) and _is_empty(body):
        _check_content_encoding(request)
        return model()
    _check_content_type(request)
    # The handler checks the signature first, so nothing is parsed here.
    if model is SignedBody:
        return SignedBody(content=body, signature=request.headers.get(endpoint.operation.signature_header, ""))
    return None


def _check_content_type(request: web.Request) -> None:
    """Refuse a body that is not JSON in UTF-8, or is compressed. Raises NodeError 415."""
    # Not aiohttp's `charset`: the email package takes seconds for 8 kB of semicolons.
    given = request.headers.get("Content-Type", "")
    if given != _JSON and (len(given) > _CONTENT_TYPE_MAX_CHARACTERS or not _JSON_IN_UTF8.fullmatch(given)):
        raise NodeError(
            ErrorCode.UNSUPPORTED_MEDIA_TYPE,
            "The body must be JSON in UTF-8.",
            fix="Send the header Content-Type: application/json.",
        )
    _check_content_encoding(request)


def _check_content_encoding(request: web.Request) -> None:
    """Refuse a compressed body, which could grow without bound. Raises NodeError 415."""
    encoding = request.headers.get("Content-Encoding")
    if encoding is not None and encoding.lower() != "identity":
        raise NodeError(
            ErrorCode.UNSUPPORTED_MEDIA_TYPE,
            "A compressed body is not accepted.",
            fix="Send the body without Content-Encoding.",
        )


def _is_empty(body: bytes) -> bool:
    return not body or (len(body) <= INLINE_BYTES and body.translate(None, _JSON_WHITESPACE) == b"{}")


def _check_no_body(request: web.Request, body: bytes) -> None:
    _check_content_encoding(request)
    # A larger body is wrong in any case, and parsing it would block the event loop.
    given = None if len(body) > INLINE_BYTES else parse(body or b"{}")
    if given == {}:
        return
    named = list(given)[:_MAX_NAMED_FIELDS] if isinstance(given, dict) else []
    faults: dict[str, JsonValue] = {_shown(name): _UNKNOWN_FIELD for name in named}
    raise NodeError(
        ErrorCode.BAD_REQUEST,
        "This endpoint takes no body.",
        fix="Send an empty body, or the empty object {}.",
        details={"fields": faults} if faults else None,
    )


def _refuse_query(request: web.Request) -> None:
    names: dict[str, JsonValue] = {
        _shown(name): "is not a query parameter of this endpoint" for name in list(request.query)[:_MAX_NAMED_FIELDS]
    }
    raise NodeError(
        ErrorCode.BAD_REQUEST,
        "This endpoint takes no query parameters.",
        fix="Send the fields in the JSON body.",
        details={"fields": names},
    )


def _from_url(model: type[Input], request: web.Request, fields: FieldSettings) -> Input:
    """Return the input from the query and the fields in the path."""
    query = request.query
    if in_path := [name for name in query if name in request.match_info]:
        raise bad_fields({in_path[0]: "is given in the path"})
    # Like repeated names in JSON, since frameworks differ in the value they take.
    repeated = [name for name in query if len(query.getall(name)) > 1]
    if repeated:
        raise bad_fields({_shown(repeated[0]): "is given more than once"})
    try:
        return model.model_validate({**query, **request.match_info}, strict=True, context=fields)
    except ValidationError as error:
        raise _explain(error) from None


def _require_few_values(model: type[BaseModel], body: bytes) -> None:
    # Also for small bodies, since 20,000 lists take 7 ms of the event loop.
    try:
        if issubclass(model, ManyValues):
            require_few_values(body, PARAMS_VALUES_MAX, PARAMS_NAMES_MAX)
        else:
            require_few_values(body, BODY_VALUES_MAX)
    except ValueError as error:
        raise NodeError(
            ErrorCode.BAD_REQUEST, str(error), fix="Send fewer values in one request, or some as a JSON text."
        ) from None


def _from_json(model: type[Input], body: bytes, fields: FieldSettings) -> Input:
    _require_few_values(model, body)
    # Refuses what pydantic's parser accepts, such as repeated names, NaN and huge numbers.
    value = parse(body)
    # Refuses very many unknown fields here, since pydantic would make an error of each.
    if isinstance(value, dict) and len(value) > len(model.model_fields) + _MAX_NAMED_FIELDS:
        unknown = (name for name in value if name not in model.model_fields)
        raise bad_fields({_shown(name): _UNKNOWN_FIELD for name in islice(unknown, _MAX_NAMED_FIELDS)})
    try:
        # Both parsers read a text, or JSON kept as it is, equally, so it is not parsed twice.
        if issubclass(model, ManyValues) or (isinstance(value, str) and issubclass(model, RootModel)):
            return model.model_validate(value, strict=True, context=fields)
        # From the bytes, since strict mode accepts more from JSON than from Python objects.
        return model.model_validate_json(body, strict=True, context=fields)
    except ValidationError as error:
        raise _explain(error) from None


def parse(body: bytes) -> JsonValue:
    """`parse_strict_json` with its refusal as a 400."""
    try:
        return parse_strict_json(body)
    except DuplicateFieldError as error:
        details: dict[str, JsonValue] = {"reason": "duplicate_field"}
        raise NodeError(ErrorCode.BAD_REQUEST, str(error), fix="Name each field once.", details=details) from None
    except ValueError as error:
        raise NodeError(ErrorCode.BAD_REQUEST, str(error), fix=_SEND_JSON) from None


def _explain(error: ValidationError) -> NodeError:
    """Return the 400 of a model's error. It never contains a value, which may be a secret."""
    faults: dict[str, JsonValue] = {}
    for fault in error.errors(include_url=False, include_context=False, include_input=False)[:_MAX_NAMED_FIELDS]:
        if fault["type"] in _TOO_DEEP:
            message = "The body is not valid JSON, or is nested too deeply."
            return NodeError(ErrorCode.BAD_REQUEST, message, fix=_SEND_JSON)
        name = _shown(".".join(str(part) for part in fault["loc"]) or "body")
        faults.setdefault(name, _reason(fault["type"], fault["msg"]))
    return bad_fields(faults)


def _reason(kind: str, message: str) -> str:
    known = {"extra_forbidden": _UNKNOWN_FIELD, "missing": "is required"}
    return known.get(kind) or message.removeprefix("Value error, ").removeprefix("Input ").removeprefix("String ")


def _shown(name: str) -> str:
    return name if len(name) <= _MAX_FIELD_NAME else name[:_MAX_FIELD_NAME] + "…"


def bad_fields(faults: dict[str, JsonValue]) -> NodeError:
    """Return the 400 that names each wrong field with its fault."""
    summary = "; ".join(f"{name}: {fault}" for name, fault in faults.items())
    return NodeError(
        ErrorCode.BAD_REQUEST,
        f"The request has wrong fields. {summary}.",
        fix="Correct the fields that are named; /core/v1/openapi.json has the schema.",
        details={"fields": faults},
    )
