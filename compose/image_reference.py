"""The name of an image, by the grammar of the OCI distribution reference, with the digest that alone says what runs."""

import re
from dataclasses import dataclass
from typing import Final

from compose.errors import ComposeError, Exit

_PART: Final = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_HOST: Final = r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::[0-9]{1,5})?"
_REFERENCE: Final = re.compile(
    rf"(?P<name>(?:{_HOST}/)?{_PART}(?:/{_PART})*)(?::(?P<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{{0,127}}))?"
    r"@sha256:(?P<digest>[0-9a-f]{64})"
)
_NAME_CHARACTERS: Final = 255


@dataclass(frozen=True, slots=True)
class ImageReference:
    """`tag` is empty where none stands; it is a remark for people, since the 32-byte `digest` decides."""

    text: str
    name: str
    tag: str
    digest: bytes


def parse_image(text: str) -> ImageReference:
    """NAME[:TAG]@sha256: and 64 hex digits, lower case, ASCII. Raises ComposeError(MISUSE) for anything else."""
    match = _REFERENCE.fullmatch(text)
    if match is None or len(match["name"]) > _NAME_CHARACTERS:
        raise ComposeError(
            Exit.MISUSE,
            f"the image {text[:200]!a} is not NAME[:TAG]@sha256: and 64 lower-case hex digits: a name or tag alone may "
            "be another image tomorrow.",
        )
    return ImageReference(text, match["name"], match["tag"] or "", bytes.fromhex(match["digest"]))
