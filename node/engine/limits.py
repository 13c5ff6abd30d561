"""Limits of the engine that no operator has a reason to change."""

from typing import Final

FRAME_BYTES_MAX: Final = 4 * 1024 * 1024
"""One message from an action; a request's body of 3 MiB fits into it as base64."""
RESPONSE_VALUES_MAX: Final = 100_000
"""JSON values in the response of an action. Building them keeps everybody else waiting."""
