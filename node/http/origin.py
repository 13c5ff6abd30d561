"""Ids of the request that a piece of work is done for."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Origin:
    """The request's own id, which its answer and its charge bear; what identifies it across repetitions, if anything does.

    `client` is the client's address as rate limits count it (`rate_limit_client`); empty where no client asked.
    """

    request_id: str | None = None
    idempotency_id: str | None = None
    client: str = ""
