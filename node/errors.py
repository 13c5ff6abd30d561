"""Base of the errors that packages below HTTP raise, and, until all of them do, the error that carries an HTTP code.

`node/http/errors.py` maps each class of domain error to what a client is shown.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from pydantic import JsonValue


class DomainError(Exception):
    """An expected failure, in the terms of the package that raises it.

    `message` says what happened and `details` names its circumstances; both are shown to the client, so neither may
    hold a secret, a URL with a credential or a stack. `retry_after_s` is set when the same call may succeed later.
    """

    def __init__(
        self,
        message: str,
        *,
        details: Mapping[str, JsonValue] | None = None,
        retry_after_s: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.details: Mapping[str, JsonValue] = details or {}
        self.retry_after_s = retry_after_s


class ErrorCode(StrEnum):
    """Every `error` value a client can ever see."""

    BAD_REQUEST = "bad_request"
    UNAUTHORIZED = "unauthorized"
    PAYMENT_REQUIRED = "payment_required"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    CONFLICT = "conflict"
    PAYLOAD_TOO_LARGE = "payload_too_large"
    UNSUPPORTED_MEDIA_TYPE = "unsupported_media_type"
    TOO_MANY_REQUESTS = "too_many_requests"
    INTERNAL_ERROR = "internal_error"
    CHAIN_UNAVAILABLE = "chain_unavailable"
    DATABASE_UNAVAILABLE = "database_unavailable"
    BILLING_UNAVAILABLE = "billing_unavailable"
    RUNNER_UNAVAILABLE = "runner_unavailable"
    TEE_UNAVAILABLE = "tee_unavailable"
    BILLING_DISABLED = "billing_disabled"
    CHAIN_TIMEOUT = "chain_timeout"


STATUS_OF: Final[Mapping[ErrorCode, int]] = {
    ErrorCode.BAD_REQUEST: 400,
    ErrorCode.UNAUTHORIZED: 401,
    ErrorCode.PAYMENT_REQUIRED: 402,
    ErrorCode.FORBIDDEN: 403,
    ErrorCode.NOT_FOUND: 404,
    ErrorCode.METHOD_NOT_ALLOWED: 405,
    ErrorCode.CONFLICT: 409,
    ErrorCode.PAYLOAD_TOO_LARGE: 413,
    ErrorCode.UNSUPPORTED_MEDIA_TYPE: 415,
    ErrorCode.TOO_MANY_REQUESTS: 429,
    ErrorCode.INTERNAL_ERROR: 500,
    ErrorCode.CHAIN_UNAVAILABLE: 503,
    ErrorCode.DATABASE_UNAVAILABLE: 503,
    ErrorCode.BILLING_UNAVAILABLE: 503,
    ErrorCode.RUNNER_UNAVAILABLE: 503,
    ErrorCode.TEE_UNAVAILABLE: 503,
    ErrorCode.BILLING_DISABLED: 503,
    ErrorCode.CHAIN_TIMEOUT: 504,
}


class NodeError(DomainError):
    """Error response of the HTTP API: a code with its status, and what the caller can do about it (`fix`).

    A DomainError, so that `except DomainError` catches either while packages below HTTP still raise it.
    """

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        *,
        fix: str | None = None,
        details: Mapping[str, JsonValue] | None = None,
        retry_after_s: int | None = None,
    ) -> None:
        super().__init__(message, details=details, retry_after_s=retry_after_s)
        self.code = code
        self.fix = fix

    @property
    def status(self) -> int:
        """The HTTP status of this error's code."""
        return STATUS_OF[self.code]


class StartupRefusedError(Exception):
    """The node will not start: `setting` names what to change, the message says why."""

    def __init__(self, setting: str, message: str) -> None:
        super().__init__(f"{setting}: {message}")
        self.setting = setting
        self.message = message
