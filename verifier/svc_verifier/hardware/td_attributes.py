"""What a TD may not be: debuggable, profiled, migratable, or served by another TD (attestation.md section 1.1)."""

from collections.abc import Iterator
from typing import Final

from svc_verifier.formats.quote import TdReport

TUD_MASK: Final = 0xFF
"""Bits 7:0, "TD under debug": debug, profiling and reserved ones."""

DEBUG: Final = 1 << 0
SEPT_VE_DISABLE: Final = 1 << 28
MIGRATABLE: Final = 1 << 29


def td_problems(report: TdReport) -> Iterator[str]:
    """One line for each reason not to trust a TD's isolation."""
    attributes = int.from_bytes(report.td_attributes, "little")
    if attributes & DEBUG:
        yield "the TD is in debug mode: the host reads its memory"
    elif attributes & TUD_MASK:
        yield f"the TD is under debug or profiling (attributes {report.td_attributes.hex()})"
    if attributes & MIGRATABLE:
        yield "the TD is migratable"
    if not attributes & SEPT_VE_DISABLE:
        yield "SEPT_VE_DISABLE is not set: the host can disturb the TD's memory"
    if any(report.mr_signer_seam):
        yield "the TDX module was not signed by Intel (MRSIGNERSEAM is set)"
    if any(report.mr_service_td or b""):
        yield "a service TD is bound to it"
    if report.extension is not None and any(report.extension.launch_service_td_hash):
        yield "a service TD was bound to it at launch"
    if report.extension is not None and any(report.extension.current_service_td_hash):
        yield "a service TD is bound to it now"
