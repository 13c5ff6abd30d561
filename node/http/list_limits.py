"""How many entries one call may carry in all its lists together (decisions.md section 6)."""

from collections.abc import Mapping, Sized
from dataclasses import dataclass

from node.http.errors import ErrorCode, NodeError


@dataclass(frozen=True, slots=True)
class ListLimits:
    """A setting; published by get_svc_action_client_config."""

    max_entries_per_call: int = 100


def require_few_entries(limits: ListLimits, lists: Mapping[str, Sized]) -> None:
    """Pass when the lists, by field name, have few enough entries together. Raises NodeError `bad_request`."""
    total = sum(len(entries) for entries in lists.values())
    if total <= limits.max_entries_per_call:
        return
    fault = f"the lists of one call may have {limits.max_entries_per_call} entries together; these have {total}"
    raise NodeError(
        ErrorCode.BAD_REQUEST,
        f"Too many entries: {fault}.",
        fix="Send the entries in several calls.",
        details={"fields": {name: fault for name, entries in lists.items() if entries}},
    )
