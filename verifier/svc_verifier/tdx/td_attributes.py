"""Attributes, processor features and service TDs of a TD, and which weaken its isolation."""

from collections.abc import Iterator
from typing import Final

from svc_verifier.formats.quote import TdReport

DEBUG: Final = 0
SEPT_VE_DISABLE: Final = 28
MIGRATABLE: Final = 29
_ATTRIBUTES: Final = {
    4: "HGS_PLUS_PROF",
    5: "PERF_PROF",
    6: "PMT_PROF",
    16: "ICSSD",
    27: "LASS",
    SEPT_VE_DISABLE: "SEPT_VE_DISABLE",
    30: "PKS",
    31: "KL",
    62: "TPA",
    63: "PERFMON",
}
_ATTRIBUTES_ALLOWED: Final = frozenset({SEPT_VE_DISABLE, 30, 31, 63})
"""Bits of ATTRIBUTES (Intel TDX module ABI, TD attributes) that give no access to the TD:
protection keys, key locker and own counters."""

_TUD_END: Final = 8
"""End of the bits of "TD under debug", debug, profiling and reserved ones."""

_FEATURES: Final = {
    3: "MPX_BNDREGS",
    4: "MPX_BNDCSR",
    8: "PT",
    10: "PASID",
    13: "HDC",
    15: "LBR",
    16: "HWP",
    19: "APX",
}
_FEATURES_ALLOWED: Final = frozenset({0, 1, 2, 5, 6, 7, 9, 11, 12, 14, 17, 18})
"""Bits of XFAM that real TDs have: x87, SSE, AVX, AVX-512, PKU, CET, user interrupts and AMX. The
module keeps this state for the TD. Others record the TD (PT, LBR) or reach past it."""


def td_problems(report: TdReport) -> Iterator[str]:
    """Yields a line for each reason not to trust a TD's isolation."""
    # dcap-qvl refuses most of these too, but names none. Here each has its reason.
    attributes = _bits(report.td_attributes)
    yield from filter(None, map(_attribute_problem, attributes))
    # Without it the host turns any private page into a #VE in the guest at a chosen instruction.
    if SEPT_VE_DISABLE not in attributes:
        yield "SEPT_VE_DISABLE is not set: the host can disturb the TD's memory"
    for bit in _bits(report.xfam):
        if bit not in _FEATURES_ALLOWED:
            what = "a processor feature that is not known to be harmless"
            yield f"the TD may use {what} (XFAM bit {_named(bit, _FEATURES)})"
    # A bound service TD may read and write parts of this TD's state.
    if any(report.mr_service_td or b""):
        yield "a service TD is bound to it"
    if report.extension is not None and any(report.extension.init_service_td_hash):
        yield "a service TD was bound to it at launch"
    if report.extension is not None and any(report.extension.cur_service_td_hash):
        yield "a service TD is bound to it now"


def _attribute_problem(bit: int) -> str:
    if bit == DEBUG:
        return "the TD is in debug mode: the host reads its memory"
    # Profiling leaks through counters. The rest of the byte is reserved and must be zero.
    if bit < _TUD_END:
        return f"the TD is under debug or profiling (attributes bit {_named(bit, _ATTRIBUTES)})"
    # A migration TD can export a migratable TD to a platform that this quote does not cover.
    if bit == MIGRATABLE:
        return "the TD is migratable"
    if bit in _ATTRIBUTES_ALLOWED:
        return ""
    return f"the TD has an attribute that is not known to be harmless (bit {_named(bit, _ATTRIBUTES)})"


def _bits(field: bytes) -> tuple[int, ...]:
    """Returns the numbers of the bits that are set in a little-endian field."""
    value = int.from_bytes(field, "little")
    return tuple(bit for bit in range(8 * len(field)) if value >> bit & 1)


def _named(bit: int, names: dict[int, str]) -> str:
    return f"{bit}, {names.get(bit, 'reserved')}"
