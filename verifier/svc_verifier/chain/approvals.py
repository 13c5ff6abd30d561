"""What the events of an app contract add up to. Pure."""

from collections.abc import Sequence

from svc_verifier.chain import abi, questions
from svc_verifier.material import ContractLog


def allowed_since(logs: Sequence[ContractLog], app_id: bytes) -> dict[bytes, int]:
    """The compose hashes that are allowed after all events of `app_id`, and the unix time at which each was last added."""
    since: dict[bytes, int] = {}
    for log in logs:
        kind = log.topics[0] if log.topics and log.address == app_id else b""
        digest = log.topics[1] if len(log.topics) > 1 else log.data[: abi.WORD]
        if kind == questions.COMPOSE_HASH_ADDED:
            since[digest] = log.block_time_s
        elif kind == questions.COMPOSE_HASH_REMOVED:
            since.pop(digest, None)
    return since
