"""Errors as the card processor sends them.

Source: https://docs.stripe.com/api/errors and https://docs.stripe.com/error-codes.
"""

from collections.abc import Mapping
from typing import Final

from pydantic import JsonValue

INVALID_REQUEST: Final = "invalid_request_error"
IDEMPOTENCY: Final = "idempotency_error"
CARD: Final = "card_error"
API: Final = "api_error"


class ApiError(Exception):
    """An error response.

    If `begun`, the endpoint was executing, and the response is kept for the idempotency key
    (https://docs.stripe.com/api/idempotent_requests). `details` are further members of `error`.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        kind: str = INVALID_REQUEST,
        code: str | None = None,
        begun: bool = False,
        details: Mapping[str, JsonValue] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.begun = begun
        members: dict[str, JsonValue] = {"code": code, "message": message, "type": kind}
        if code is not None:
            members["doc_url"] = f"https://stripe.com/docs/error-codes/{code.replace('_', '-')}"
        self.members: Mapping[str, JsonValue] = {
            name: value for name, value in {**members, **(details or {})}.items() if value is not None
        }

    def body(self) -> dict[str, JsonValue]:
        """Returns the body of the response."""
        return {"error": dict(self.members)}


def parameter_invalid(message: str, param: str, code: str | None = None) -> ApiError:
    """Returns a 400 for an invalid parameter. The endpoint had not begun."""
    return ApiError(400, message, code=code, details={"param": param})


def parameter_missing(param: str) -> ApiError:
    """Returns a 400 for a missing parameter."""
    return parameter_invalid(f"Missing required param: {param}.", param, "parameter_missing")


def resource_missing(kind: str, identifier: str, *, param: str = "id", status: int = 404) -> ApiError:
    """Returns a 404 for an unknown object in the path, or a 400 for one in a parameter."""
    message = f"No such {kind}: '{identifier}'"
    return ApiError(status, message, code="resource_missing", details={"param": param})


def unexpected_state(message: str, code: str, details: Mapping[str, JsonValue] | None = None) -> ApiError:
    """Returns a 400 for an object in the wrong state. The endpoint had begun."""
    return ApiError(400, message, code=code, begun=True, details=details)
