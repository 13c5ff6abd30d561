"""The evidence sets as documents."""

from typing import Final

from attest.evidence.listing import listing
from attest.evidence.sets import EvidenceSet
from attest.evidence.shelf import EvidenceShelf
from node.errors import ErrorCode, NodeError
from node.http.answers import Document

_HTML: Final = "text/html; charset=utf-8"
_TYPES: Final = {
    ".json": "application/json; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".pem": "application/pem-certificate-chain",
}
FILE_TYPES: Final = ("text/plain", "application/json", "application/pem-certificate-chain")
"""Media types of `_TYPES`. Text comes first: a generated client reads every file as the first type that it knows."""
_RETRY_AFTER_S: Final = 5


class EvidenceService:
    """Shows what lies on the shelf; a name is looked up among the files of a set and leads nowhere else."""

    def __init__(self, shelf: EvidenceShelf) -> None:
        self._shelf = shelf

    def listing(self) -> Document:
        """The current set. Raises NodeError 404 where there is none, 503 while the first one is being made."""
        current = self._current()
        return Document(listing(current, self._shelf.previous), _HTML, current.etag)

    def file(self, name: str) -> Document:
        """One file of it. Raises NodeError likewise."""
        return _file(self._current(), name)

    def listing_of(self, set_name: str) -> Document:
        """A set by its name. Raises NodeError 404."""
        shown = self._named(set_name)
        return Document(listing(shown), _HTML, shown.etag)

    def file_of(self, set_name: str, name: str) -> Document:
        """One file of it. Raises NodeError 404."""
        return _file(self._named(set_name), name)

    def _current(self) -> EvidenceSet:
        current = self._shelf.current
        if current is not None:
            return current
        if self._shelf.awaited:
            raise NodeError(
                ErrorCode.TEE_UNAVAILABLE,
                "The first evidence set is still being made.",
                fix="Send the request again after Retry-After.",
                retry_after_s=_RETRY_AFTER_S,
            )
        raise NodeError(
            ErrorCode.NOT_FOUND,
            "This node holds no certificate, so there is no evidence of one.",
            fix="Use /attestation, which needs no certificate.",
        )

    def _named(self, set_name: str) -> EvidenceSet:
        found = self._shelf.named(set_name)
        if found is None:
            raise NodeError(ErrorCode.NOT_FOUND, "There is no such evidence set, or no longer.", fix="See /evidences/.")
        return found


def _file(shown: EvidenceSet, name: str) -> Document:
    content = shown.files.get(name)
    if content is None:
        raise NodeError(ErrorCode.NOT_FOUND, "The evidence set has no such file.", fix="See /evidences/.")
    return Document(content, _TYPES[name[name.rindex(".") :]], shown.etag)
