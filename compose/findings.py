"""Findings of the check of a deployment."""

from dataclasses import dataclass
from enum import StrEnum


class Weight(StrEnum):
    """Whether a finding refuses the deployment."""

    REFUSED = "refused"
    REMARK = "remark"


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding with its subject and fault; a refusal has a fix."""

    weight: Weight
    subject: str
    text: str
    fix: str = ""


def refused(subject: str, text: str, fix: str) -> Finding:
    """Returns a finding that refuses the deployment."""
    return Finding(Weight.REFUSED, subject, text, fix)


def remark(subject: str, text: str) -> Finding:
    """Returns a finding for information."""
    return Finding(Weight.REMARK, subject, text)


def refused_setting(name: str, text: str, fix: str) -> Finding:
    """Returns a finding that refuses a setting of the node."""
    return refused(f"setting {name}", text, fix)
