"""Limits of the engine that no operator has a reason to change."""

from typing import Final

FRAME_BYTES_MAX: Final = 4 * 1024 * 1024
"""Longest message from an action. The body of a request must fit into it as base64, so it has at most about 3 MB."""
RESPONSE_VALUES_MAX: Final = 100_000
"""JSON values in the response of an action. Building them keeps everybody else waiting."""
