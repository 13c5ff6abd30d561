"""Numbers of the protocol with workers, and fixed limits of it.

Imports nothing, as the zygote loads it too.
"""

START_HEADER_BYTES = 5
"""Header before the worker is ready, with kind and length (big endian)."""
HEADER_BYTES = 9
"""Header of a ready worker, with kind, fiber and length (big endian)."""
FIBERS_MAX = 16
"""Maximum actions of a worker, the default limit of an account, so that a program needs one."""
WAITING_CALL_BYTES = 4 * 1024 * 1024
"""Maximum unanswered calls of a fiber (or one longer call). The worker keeps others back."""
FRAME_BYTES_MAX = 4 * 1024 * 1024
"""Maximum message of an action. A request's body must fit as base64, so up to about 3 MB."""
RESPONSE_VALUES_MAX = 100_000
"""Maximum JSON values in an action's response, since building them blocks the event loop."""
