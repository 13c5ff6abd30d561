"""Fetches an evidence set: its checksum file, what that lists, and its quote."""

from collections.abc import Mapping

from svc_verifier.errors import VerifierError
from svc_verifier.formats.checksums import parse_checksums
from svc_verifier.gathering.host import Host
from svc_verifier.gathering.limits import GatheringLimits
from svc_verifier.material import Answer, MaybeAnswer, Missing

FOLDER = "/evidences/"
CHECKSUMS = "sha256sum.txt"
QUOTE = "quote.json"


async def fetch_evidence(host: Host, limits: GatheringLimits) -> Mapping[str, MaybeAnswer] | Missing:
    """The files by name; a file that cannot be had is `Missing` in its place."""
    checksums = await host.get(FOLDER + CHECKSUMS)
    if isinstance(checksums, Missing):
        return checksums
    files: dict[str, MaybeAnswer] = {CHECKSUMS: checksums, QUOTE: await host.get(FOLDER + QUOTE)}
    for name in _listed(checksums)[: limits.evidence_files]:
        files[name] = await host.get(FOLDER + name)
    return files


def _listed(checksums: Answer) -> list[str]:
    try:
        return [name for name in parse_checksums(checksums.body) if name not in {CHECKSUMS, QUOTE}]
    except VerifierError:
        return []
