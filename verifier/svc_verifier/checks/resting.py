"""What a stage answers when the one it rests on gave it nothing."""

from typing import TypeVar

from svc_verifier.catalogue import CATALOGUE, unknown
from svc_verifier.check import Group, Outcome

Value = TypeVar("Value")


def rest_on(identifier: str, group: Group) -> "Outcome[Value]":
    """Every check of a group, `unknown` since the check `identifier` did not pass."""
    names = [name for name in CATALOGUE if name.startswith(f"{group}.")]
    return Outcome(tuple(unknown(name, f"it rests on {identifier}, which did not pass") for name in names), None)
