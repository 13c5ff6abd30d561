"""Decodes the node's responses. Raises InvalidAnswer alone for a form the API does not promise."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pydantic import JsonValue, TypeAdapter, ValidationError

from svc_client import models
from svc_client.errors import ActionFailed, InvalidAnswer

if TYPE_CHECKING:
    from svc_verifier.session import Response

Kind = TypeVar("Kind", bound=models.Answer)
Value = TypeVar("Value")
_BLOCK_DIGITS: Final = 18


def model(kind: type[Kind], response: "Response") -> Kind:
    """Returns the response as a model."""
    return _read(lambda: kind.model_validate_json(response.body))


def listed(kind: type[Kind], response: "Response") -> list[Kind]:
    """Returns the response as a list of models."""
    return _read(lambda: [kind.model_validate(each) for each in _adapter("objects").validate_json(response.body)])


def object_of(response: "Response") -> dict[str, JsonValue]:
    """Returns the response as a JSON object."""
    found: dict[str, JsonValue] = _read(lambda: _adapter("object").validate_json(response.body))
    return found


def objects(response: "Response") -> tuple[dict[str, JsonValue], ...]:
    """Returns the response as a list of JSON objects."""
    found: tuple[dict[str, JsonValue], ...] = _read(lambda: _adapter("objects").validate_json(response.body))
    return found


def texts(response: "Response") -> tuple[str, ...]:
    """Returns the response as a list of texts."""
    found: tuple[str, ...] = _read(lambda: _adapter("texts").validate_json(response.body))
    return found


def text(response: "Response") -> str:
    """Returns the response as one JSON text."""
    found: str = _read(lambda: _adapter("text").validate_json(response.body))
    return found


def flag(response: "Response") -> bool:
    """Returns the response as true or false."""
    found: bool = _read(lambda: _adapter("flag").validate_json(response.body))
    return found


def decoded(response: "Response") -> str:
    """Returns the body as text."""
    return _read(lambda: response.body.decode("utf-8"))


def run_of(answer: Mapping[str, JsonValue], response: "Response") -> models.Run:
    """Returns a run's result with the block from the response's header."""
    named = response.headers.get("x-authorized-at-block", "")
    is_number = named.isascii() and named.isdigit() and len(named) <= _BLOCK_DIGITS
    block = int(named) if is_number else None
    return _read(lambda: models.Run.model_validate({**answer, "authorized_at_block": block}))


def action_failed(answer: Mapping[str, JsonValue]) -> ActionFailed:
    """Returns the error of an action that failed."""
    error = answer.get("error")
    told = error if isinstance(error, dict) else {}
    cents = answer.get("charged_cents")
    fix = told.get("fix")
    return ActionFailed(
        str(told.get("name", "Error")),
        str(told.get("message", "")),
        str(told.get("stack", "")),
        str(answer.get("logs", "")),
        cents if isinstance(cents, int) else 0,
        fix if isinstance(fix, str) else None,
    )


def _read(work: Callable[[], Value]) -> Value:
    try:
        return work()
    except ValidationError as error:
        # Name the places and kinds but no values: a response may hold a key.
        where = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['type']}" for each in error.errors()[:3])
        raise InvalidAnswer(f"The node's answer has another form than the API promises ({where}).") from None
    except (ValueError, RecursionError) as error:
        raise InvalidAnswer(f"The node's answer cannot be read ({type(error).__name__}).") from None


@cache
def _adapter(name: str) -> TypeAdapter[Any]:
    """Returns a validator, built at its first use so that the import stays fast."""
    kinds: dict[str, Any] = {
        "text": str,
        "texts": tuple[str, ...],
        "flag": bool,
        "object": dict[str, JsonValue],
        "objects": tuple[dict[str, JsonValue], ...],
    }
    return TypeAdapter(kinds[name])
