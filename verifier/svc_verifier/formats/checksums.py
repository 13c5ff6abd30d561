"""`sha256sum.txt` of an evidence set: what `sha256sum` writes (attestation.md section 1.5)."""

import re
from collections.abc import Mapping
from typing import Final

from svc_verifier.errors import VerifierError, VerifierErrorCode

LIMIT_BYTES: Final = 65_536
FILES: Final = 64
_LINE: Final = re.compile(r"([0-9a-f]{64})  ([A-Za-z0-9*][A-Za-z0-9*._-]{0,254})")


def parse_checksums(body: bytes) -> Mapping[str, bytes]:
    """The sha256 of each listed file. Raises VerifierError(TOO_LARGE, BAD_EVIDENCE), and nothing else."""
    if len(body) > LIMIT_BYTES:
        raise VerifierError(VerifierErrorCode.TOO_LARGE, f"sha256sum.txt: more than {LIMIT_BYTES} bytes")
    listed: dict[str, bytes] = {}
    for number, line in enumerate(body.decode("latin-1").removesuffix("\n").split("\n"), start=1):
        match = _LINE.fullmatch(line)
        if match is None:
            raise _bad(f"line {number} is not 64 hex digits, two blanks and a file name")
        if match[2] in listed:
            raise _bad(f"line {number} names {match[2]} again")
        listed[match[2]] = bytes.fromhex(match[1])
    if len(listed) > FILES:
        raise VerifierError(VerifierErrorCode.TOO_LARGE, f"sha256sum.txt: more than {FILES} files")
    return listed


def _bad(what: str) -> VerifierError:
    return VerifierError(VerifierErrorCode.BAD_EVIDENCE, f"sha256sum.txt: {what}")
