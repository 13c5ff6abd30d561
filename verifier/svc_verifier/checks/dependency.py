"""Outcomes of a stage that could not be made: its input did not pass, or cannot be read."""

from typing import TypeVar

from svc_verifier.catalogue import CATALOGUE, failed, not_made, unknown
from svc_verifier.check import Group, Outcome

Value = TypeVar("Value")


def group_not_made(depends_on: str, group: Group) -> "Outcome[Value]":
    """Every check of `group` as not made, because the check `depends_on` did not pass."""
    names = [name for name in CATALOGUE if name.startswith(f"{group}.")]
    return Outcome(tuple(not_made(name, depends_on) for name in names), None)


def group_unreadable(group: Group, message: str) -> "Outcome[Value]":
    """A stage over bytes that no reader can take: its first check failed, the others depend on it.

    Endpoints and not the host answer for governance and accounts, so there it is unknown.
    """
    first, *rest = (name for name in CATALOGUE if name.startswith(f"{group}."))
    made = unknown(first, message) if group in {Group.GOVERNANCE, Group.ACCOUNTS} else failed(first, message)
    return Outcome((made, *(not_made(name, first) for name in rest)), None)
