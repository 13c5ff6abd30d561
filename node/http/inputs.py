"""Validation of a request's body or query by the endpoint's model; a 400 names each wrong field."""

from functools import partial
from itertools import islice
from typing import Final, TypeVar

from aiohttp import web
from pydantic import BaseModel, JsonValue, RootModel, ValidationError

from node.http.body import check_content_encoding, check_content_type
from node.http.endpoint import AnyEndpoint, Auth, NoInput, OptionalBody, SignedBody
from node.http.errors import ErrorCode, NodeError
from node.http.strict_json import DuplicateFieldError, parse_strict_json
from node.runtime.json_size import require_few_values
from node.runtime.processor_time import ClientTime
from node.settings.http import FieldSettings, HttpSettings

Input = TypeVar("Input", bound=BaseModel)

INLINE_BYTES: Final = 64 * 1024
"""Bodies up to this size are parsed on the event loop (well under a millisecond); larger ones in a thread."""

BODY_VALUES_MAX: Final = 600_000
"""JSON values in a body of more than INLINE_BYTES: more than `js_params` of its largest size can hold."""
BODY_VALUES_WITHOUT_KEY_MAX: Final = 10_000
"""The same on endpoints without authentication, none of which takes more than a few."""

_NO_INPUT: Final = NoInput()
_JSON_WHITESPACE: Final = b" \t\r\n"
_MAX_NAMED_FIELDS: Final = 20
_MAX_FIELD_NAME: Final = 100

_UNKNOWN_FIELD: Final = "is not a field of this request"
_SEND_JSON: Final = "Send JSON in UTF-8 (RFC 8259), as the schema in /core/v1/openapi.json shows it."


def small_input(endpoint: AnyEndpoint, request: web.Request, body: bytes, limits: HttpSettings) -> BaseModel:
    """Return the endpoint's input from a body of at most INLINE_BYTES.

    Raises NodeError `bad_request` (`details.fields`) or `unsupported_media_type`.
    """
    given = _without_json(endpoint, request, body, limits)
    return _from_json(endpoint.takes, body, limits) if given is None else given


async def large_input(
    endpoint: AnyEndpoint, request: web.Request, body: bytes, limits: HttpSettings, work: ClientTime
) -> BaseModel:
    """Return the endpoint's input from a larger body. Reading it counts as `work` of the client's, whose turn it is."""
    given = _without_json(endpoint, request, body, limits)
    if given is not None:
        return given
    keyless = endpoint.auth is Auth.NONE
    values_max = BODY_VALUES_WITHOUT_KEY_MAX if keyless else BODY_VALUES_MAX
    return await work.in_thread(partial(_from_large_json, endpoint.takes, body, limits, values_max))


def _without_json(endpoint: AnyEndpoint, request: web.Request, body: bytes, fields: FieldSettings) -> BaseModel | None:
    """Return the input where it is not JSON of the body; None where it is, and may be read."""
    model: type[BaseModel] = endpoint.takes
    if endpoint.method == "GET":
        _check_no_body(request, body)
        return _NO_INPUT if model is NoInput and not request.query_string else _from_url(model, request, fields)
    if request.query_string:
        _refuse_query(request)
    if model is NoInput:
        _check_no_body(request, body)
        return _NO_INPUT
    if issubclass(model, OptionalBody) and _is_empty(body):
        check_content_encoding(request)
        return model()
    check_content_type(request)
    if model is SignedBody:  # nothing is read that was not signed
        return SignedBody(content=body, signature=request.headers.get(endpoint.signature_header, ""))
    return None


def _is_empty(body: bytes) -> bool:
    return not body or (len(body) <= INLINE_BYTES and body.translate(None, _JSON_WHITESPACE) == b"{}")


def _check_no_body(request: web.Request, body: bytes) -> None:
    check_content_encoding(request)
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
    """Return the input from the query, and from the parts of the path that are fields."""
    query = request.query
    if in_path := [name for name in query if name in request.match_info]:
        raise bad_fields({in_path[0]: "is given in the path"})
    repeated = [name for name in query if len(query.getall(name)) > 1]
    if repeated:
        raise bad_fields({_shown(repeated[0]): "is given more than once"})
    return _validate(model, {**query, **request.match_info}, fields)


def _validate(model: type[Input], values: dict[str, str], fields: FieldSettings) -> Input:
    try:
        return model.model_validate(values, strict=True, context=fields)
    except ValidationError as error:
        raise _explain(error) from None


def _from_large_json(model: type[Input], body: bytes, fields: FieldSettings, values_max: int) -> Input:
    try:
        require_few_values(body, values_max)
    except ValueError as error:
        raise NodeError(ErrorCode.BAD_REQUEST, str(error), fix="Send fewer values in one request.") from None
    return _from_json(model, body, fields)


def _from_json(model: type[Input], body: bytes, fields: FieldSettings) -> Input:
    value = parse(body)  # refuses what pydantic's own parser lets pass: repeated names, NaN, huge numbers
    if isinstance(value, dict):
        _refuse_crowd(model, value)
    try:
        if isinstance(value, str) and issubclass(
            model, RootModel
        ):  # a text is the same to both; megabytes are read once
            return model.model_validate(value, strict=True, context=fields)
        return model.model_validate_json(body, strict=True, context=fields)
    except ValidationError as error:
        raise _explain(error) from None


def _refuse_crowd(model: type[BaseModel], value: dict[str, JsonValue]) -> None:
    """Refuse very many unknown fields here: pydantic would make an error of each, and all of them at once."""
    if len(value) > len(model.model_fields) + _MAX_NAMED_FIELDS:
        unknown = (name for name in value if name not in model.model_fields)
        raise bad_fields({_shown(name): _UNKNOWN_FIELD for name in islice(unknown, _MAX_NAMED_FIELDS)})


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
    """Return the 400 of a model's refusal; it names fields and rules, never a value, which may be a secret."""
    faults: dict[str, JsonValue] = {}
    for fault in error.errors(include_url=False, include_context=False, include_input=False)[:_MAX_NAMED_FIELDS]:
        if fault["type"] == "json_invalid":
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
    """Return the 400 that names each wrong field with what is wrong about it."""
    summary = "; ".join(f"{name}: {fault}" for name, fault in faults.items())
    return NodeError(
        ErrorCode.BAD_REQUEST,
        f"The request has wrong fields. {summary}.",
        fix="Correct the fields that are named; /core/v1/openapi.json has the schema.",
        details={"fields": faults},
    )
