"""Numbers that both ends of a worker's socket agree on, and limits that no operator has a reason to change.

Imports nothing: the zygote loads it too.
"""

START_HEADER_BYTES = 5
"""Of a frame before the worker is ready: kind, length (big endian)."""
HEADER_BYTES = 9
"""Of a frame after that: kind, fiber, length (big endian)."""
FIBERS_MAX = 16
"""Actions of one worker at a time: as many as an account may run by default, so that one program needs one worker."""
WAITING_CALL_BYTES = 4 * 1024 * 1024
"""Unanswered calls of one fiber, together; a single call may be longer. The worker keeps further ones back."""
FRAME_BYTES_MAX = 4 * 1024 * 1024
"""Longest message from an action. The body of a request must fit into it as base64, so it has at most about 3 MB."""
RESPONSE_VALUES_MAX = 100_000
"""JSON values in the response of an action. Building them keeps everybody else waiting."""
