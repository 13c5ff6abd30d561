"""What a stage answers when the one it rests on gave it nothing, or when it cannot be made."""

from typing import TypeVar

from svc_verifier.catalogue import CATALOGUE, failed, unknown
from svc_verifier.check import Group, Outcome

Value = TypeVar("Value")


def rest_on(identifier: str, group: Group) -> "Outcome[Value]":
    """Every check of a group, `unknown` since the check `identifier` did not pass."""
    names = [name for name in CATALOGUE if name.startswith(f"{group}.")]
    return Outcome(tuple(unknown(name, f"it rests on {identifier}, which did not pass") for name in names), None)


def unreadable(group: Group, message: str) -> "Outcome[Value]":
    """A stage over bytes that no reader can take: its first check failed, the others rest on it.

    Endpoints and not the host answer for governance, so there it is unknown.
    """
    first, *rest = (name for name in CATALOGUE if name.startswith(f"{group}."))
    made = unknown(first, message) if group is Group.GOVERNANCE else failed(first, message)
    return Outcome((made, *(unknown(name, f"it rests on {first}, which did not pass") for name in rest)), None)
