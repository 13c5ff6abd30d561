"""Words behind a TCB status, the versions that a platform lacks for a level (PCS API 4).

dcap-qvl decides the status. This names the versions to update, for the machine's operator.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import dcap_qvl

from svc_verifier.errors import VerifierError, VerifierErrorCode, guarded
from svc_verifier.formats.strict_json import Json, parse_json_object
from svc_verifier.material import COLLATERAL_BYTES

NESTING: Final = 24
_UP_TO_DATE: Final = "UpToDate"
_MODULE_COMPONENTS: Final = 2
"""Components of TEE_TCB_SVN of the TDX module, which its version's own identity judges if any."""


@dataclass(frozen=True, slots=True)
class Level:
    """TCB level with a date, a status, and the versions that it asks for, by name."""

    date: str
    status: str
    versions: tuple[tuple[str, int, int], ...]
    """Name, required version and the platform's own."""

    @property
    def short(self) -> tuple[str, ...]:
        """Names the versions of the platform that are too low."""
        return tuple(f"{name} is {own}, {asked} is asked for" for name, asked, own in self.versions if own < asked)


def shortfalls(tcb_info: str, chain_pem: bytes, tee_tcb_svn: bytes) -> tuple[str, ...]:
    """Names versions too low for the newest level that is up to date; empty if there are none."""
    read, cpu_svn, pce_svn = _read(tcb_info, chain_pem)
    levels = _levels(read, cpu_svn, pce_svn, tee_tcb_svn)
    of_platform = next((level.short for level in levels if level.status == _UP_TO_DATE), ())
    return (*of_platform, *_of_module(read, tee_tcb_svn))


def nearest_level(tcb_info: str, chain_pem: bytes, tee_tcb_svn: bytes) -> Level | None:
    """Returns the level for which the fewest versions are too low; None if none is readable."""
    read, cpu_svn, pce_svn = _read(tcb_info, chain_pem)
    # Like dcap-qvl, every component is compared, whatever the version of the module is.
    levels = _levels(read, cpu_svn, pce_svn, tee_tcb_svn, skipped=0)
    return min(levels, key=lambda level: len(level.short), default=None)


def _read(tcb_info: str, chain_pem: bytes) -> tuple[dict[str, Json], bytes, int]:
    """Returns the TCB info, CPUSVN and PCESVN; empty after a fault, which others report."""
    try:
        read = parse_json_object(tcb_info, "TCB info", COLLATERAL_BYTES, NESTING)
        pck = guarded(VerifierErrorCode.BAD_PCK, lambda _: "", lambda: dcap_qvl.parse_pck_extension_from_pem(chain_pem))
        return read, bytes(pck.cpu_svn), int(pck.pce_svn)
    except VerifierError:
        return {}, b"", 0


def _levels(
    tcb_info: dict[str, Json], cpu_svn: bytes, pce_svn: int, tee_tcb_svn: bytes, skipped: int | None = None
) -> Iterator[Level]:
    if skipped is None:
        skipped = _MODULE_COMPONENTS if _module(tcb_info, tee_tcb_svn) is not None else 0
    for read in _objects(tcb_info.get("tcbLevels")):
        tcb = read.get("tcb")
        if not isinstance(tcb, dict):
            continue
        versions = (
            *_components(tcb.get("sgxtcbcomponents"), cpu_svn, "SGX"),
            ("PCESVN", _number(tcb.get("pcesvn")), pce_svn),
            *_components(tcb.get("tdxtcbcomponents"), tee_tcb_svn, "TDX")[skipped:],
        )
        yield Level(str(read.get("tcbDate"))[:10], str(read.get("tcbStatus")), versions)


def _components(read: Json, own: bytes, kind: str) -> tuple[tuple[str, int, int], ...]:
    """Returns name, required version and own version of each component that both list."""
    return tuple(
        (_name(component, f"{kind} TCB component {number}"), _number(component.get("svn")), version)
        for number, (component, version) in enumerate(zip(_objects(read), own, strict=False), start=1)
    )


def _name(component: dict[str, Json], number: str) -> str:
    """Returns Intel's name of a component, and who updates it."""
    kind, category = component.get("type"), component.get("category")
    named = kind if isinstance(kind, str) and kind else number
    return f"{named} ({category})" if isinstance(category, str) and category else named


def _module(tcb_info: dict[str, Json], tee_tcb_svn: bytes) -> dict[str, Json] | None:
    """Returns the identity of the TDX module's version, if the TCB info has one."""
    name = f"TDX_{tee_tcb_svn[1]:02X}"
    listed = (each for each in _objects(tcb_info.get("tdxModuleIdentities")) if str(each.get("id")).upper() == name)
    return next(listed, None) if tee_tcb_svn[1] else None


def _of_module(tcb_info: dict[str, Json], tee_tcb_svn: bytes) -> Iterator[str]:
    module = _module(tcb_info, tee_tcb_svn)
    for level in _objects(module.get("tcbLevels")) if module is not None else ():
        if level.get("tcbStatus") == _UP_TO_DATE:
            tcb = level.get("tcb")
            asked = _number(tcb.get("isvsvn")) if isinstance(tcb, dict) else 0
            if tee_tcb_svn[0] < asked:
                yield f"TDX module of version {tee_tcb_svn[1]} is {tee_tcb_svn[0]}, {asked} is asked for"
            return


def _objects(read: Json) -> Sequence[dict[str, Json]]:
    return [each for each in read if isinstance(each, dict)] if isinstance(read, list) else []


def _number(read: Json) -> int:
    return read if isinstance(read, int) and not isinstance(read, bool) else 0
