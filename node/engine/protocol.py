"""Numbers that both ends of a worker's socket agree on. Imports nothing: the zygote loads it too."""

START_HEADER_BYTES = 5
"""Of a frame before the worker is ready: kind, length (big endian)."""
HEADER_BYTES = 9
"""Of a frame after that: kind, fiber, length (big endian)."""
FIBERS_MAX = 16
"""Actions of one worker at a time: as many as an account may run by default, so that one program needs one worker."""
WAITING_CALL_BYTES = 4 * 1024 * 1024
"""Unanswered calls of one fiber, together; a single call may be longer. The worker keeps further ones back."""
