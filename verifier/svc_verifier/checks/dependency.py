"""Outcome of a stage whose input did not pass."""

from typing import TypeVar

from svc_verifier.catalogue import CATALOGUE, not_made
from svc_verifier.check import Group, Outcome

Value = TypeVar("Value")


def group_not_made(depends_on: str, group: Group) -> "Outcome[Value]":
    """Every check of `group` as not made, because the check `depends_on` did not pass."""
    names = [name for name in CATALOGUE if name.startswith(f"{group}.")]
    return Outcome(tuple(not_made(name, depends_on) for name in names), None)
