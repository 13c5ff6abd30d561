"""What an audit of a compose file objects to, each with the line it stands on."""

from dataclasses import dataclass
from enum import StrEnum


class Subject(StrEnum):
    """What a finding is about; each is a check of the catalogue."""

    FORM = "code.form"
    IMAGES = "code.images"
    SCRIPTS = "code.scripts"
    PRIVILEGES = "code.privileges"
    HOST_INPUT = "code.host-input"
    SETTINGS = "code.settings"
    MEMBERS = "code.members"


@dataclass(frozen=True, slots=True)
class Finding:
    """Objection to a compose file: `text` says where and what, in one line.

    `member` names the member of the app-compose that the user may accept as it is; empty where none can be.
    """

    subject: Subject
    text: str
    member: str = ""


def at(line: int, text: str) -> str:
    """`text` with its line."""
    return f"line {line}: {text}"
