"""Which request a piece of work is done for."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Origin:
    """The request's own id, which its answer and its charge bear; and what identifies it across repetitions, if anything does."""

    request_id: str | None = None
    idempotency_id: str | None = None
