"""Base of the errors that packages below the API raise, and the refusal to start.

`node/api/errors.py` maps each class of domain error to what a client is shown.
"""

from collections.abc import Mapping

from pydantic import JsonValue


class DomainError(Exception):
    """An expected failure, in the terms of the package that raises it.

    The client sees `message` and `details`, so neither may hold a secret, a URL with a credential
    or a stack. `retry_after_s` is set when the same call may succeed later.
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


class StartupRefusedError(Exception):
    """Refusal to start. `setting` names the setting to change; the message gives the reason."""

    def __init__(self, setting: str, message: str) -> None:
        super().__init__(f"{setting}: {message}")
        self.setting = setting
        self.message = message
