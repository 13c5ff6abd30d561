"""Intel's TCB info, as far as it judges the TDX module: whose it is, and what a TCB is worth.

dcap-qvl judges a quote by TEE_TCB_SVN alone. In a TD report 1.5 that is the TCB of the TD's launch, and TEE_TCB_SVN_2 is the
one that runs it now, after updates that preserve TDs. Intel's own library (SGX-TDX-DCAP-QuoteVerificationLibrary,
`checkTcbLevel`) evaluates both, and so does this module for the second.
"""

from dataclasses import dataclass
from typing import Final

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.quote import MEASUREMENT_LENGTH, SVN_LENGTH, TdReport
from svc_verifier.formats.strict_json import Json

OUT_OF_DATE: Final = "OutOfDate"
OUT_OF_DATE_CONFIGURATION_NEEDED: Final = "OutOfDateConfigurationNeeded"
REVOKED: Final = "Revoked"
_OUTDATED: Final = {
    "UpToDate": OUT_OF_DATE,
    "SWHardeningNeeded": OUT_OF_DATE,
    "ConfigurationNeeded": OUT_OF_DATE_CONFIGURATION_NEEDED,
    "ConfigurationAndSWHardeningNeeded": OUT_OF_DATE_CONFIGURATION_NEEDED,
}
"""What a platform's status becomes where its TDX module is out of date (`convergeTcbStatusWithTdxModuleStatus`)."""

_ATTRIBUTES_BYTES: Final = 8


@dataclass(frozen=True, slots=True)
class TcbStatement:
    """Status that Intel gives to a TCB, and the advisories to which it is open."""

    status: str
    advisories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModuleIdentity:
    """Signer (48 bytes) and attributes (8) of a TDX module; `levels` are its SVNs from which a statement holds, best first."""

    mr_signer: bytes
    attributes: bytes
    mask: bytes
    levels: tuple[tuple[int, TcbStatement], ...]

    def problem(self, report: TdReport) -> str:
        """The reason for which the module of a TD report is not this one; empty where it is."""
        if report.mr_signer_seam != self.mr_signer:
            return "the TDX module was not signed by Intel (MRSIGNERSEAM is not that of the collateral)"
        pairs = zip(report.seam_attributes, self.attributes, self.mask, strict=True)
        # A bit outside of the mask is one that the collateral says nothing of.
        if any(found & mask != wanted & mask or found & ~mask for found, wanted, mask in pairs):
            return f"the TDX module has the attributes {report.seam_attributes.hex()} (SEAMATTRIBUTES), which the collateral does not allow"
        return ""


@dataclass(frozen=True, slots=True)
class TcbLevel:
    """Least SVNs of a platform for which a statement holds: 16 of SGX, the PCE's and 16 of TDX."""

    sgx: tuple[int, ...]
    pce_svn: int
    tdx: tuple[int, ...]
    statement: TcbStatement


@dataclass(frozen=True, slots=True)
class TdxTcb:
    """Statements of TCB info on TDX. `base` is the module of version 0, `identities` are those of later versions."""

    base: ModuleIdentity
    identities: dict[int, ModuleIdentity]
    levels: tuple[TcbLevel, ...]

    def module(self, tee_tcb_svn: bytes) -> ModuleIdentity | None:
        """The identity of a TDX module, whose version is the second byte of its SVN; None for an unknown version."""
        version = tee_tcb_svn[1]
        return self.base if version == 0 else self.identities.get(version)

    def statement(self, cpu_svn: bytes, pce_svn: int, tee_tcb_svn: bytes) -> TcbStatement | None:
        """Intel's statement on a platform with these SVNs; None where nothing fits."""
        module = self.module(tee_tcb_svn)
        # The first two components are the module's own SVN and version, which later modules have in their identity.
        first = 2 if tee_tcb_svn[1] else 0
        level = next(
            (
                level.statement
                for level in self.levels
                if pce_svn >= level.pce_svn
                and _reaches(cpu_svn, level.sgx)
                and _reaches(tee_tcb_svn[first:], level.tdx[first:])
            ),
            None,
        )
        if level is None or module is None:
            return None
        if module is self.base:
            return level
        own = next((said for svn, said in module.levels if tee_tcb_svn[0] >= svn), None)
        if own is None:
            return None
        advisories = tuple(dict.fromkeys((*level.advisories, *own.advisories)))
        if REVOKED in {own.status, level.status}:
            return TcbStatement(REVOKED, advisories)
        status = _OUTDATED.get(level.status, level.status) if own.status == OUT_OF_DATE else level.status
        return TcbStatement(status, advisories)


def parse_tdx_tcb(tcb_info: dict[str, Json]) -> TdxTcb:
    """Raises VerifierError(BAD_COLLATERAL), and nothing else."""
    identities = {}
    for each in _list(tcb_info.get("tdxModuleIdentities", []), "tdxModuleIdentities"):
        entry = _object(each, "tdxModuleIdentities")
        name = str(entry.get("id", ""))
        version = _hex({"id": name.upper().removeprefix("TDX_")}, "id", 1)[0]
        # Of two with one version it would be uncertain which counts.
        if version in identities:
            raise _bad(f"two TDX module identities of version {version}")
        identities[version] = _identity(entry)
    levels = tuple(_level(_object(each, "tcbLevels")) for each in _list(tcb_info.get("tcbLevels"), "tcbLevels"))
    return TdxTcb(_identity(_object(tcb_info.get("tdxModule"), "tdxModule")), identities, levels)


def _identity(read: dict[str, Json]) -> ModuleIdentity:
    levels = []
    for each in _list(read.get("tcbLevels", []), "tcbLevels"):
        level = _object(each, "tcbLevels")
        levels.append((_number(_object(level.get("tcb"), "tcb"), "isvsvn"), _statement(level)))
    return ModuleIdentity(
        mr_signer=_hex(read, "mrsigner", MEASUREMENT_LENGTH),
        attributes=_hex(read, "attributes", _ATTRIBUTES_BYTES),
        mask=_hex(read, "attributesMask", _ATTRIBUTES_BYTES),
        levels=tuple(levels),
    )


def _level(read: dict[str, Json]) -> TcbLevel:
    tcb = _object(read.get("tcb"), "tcb")
    return TcbLevel(
        sgx=_components(tcb, "sgxtcbcomponents"),
        pce_svn=_number(tcb, "pcesvn"),
        tdx=_components(tcb, "tdxtcbcomponents"),
        statement=_statement(read),
    )


def _statement(read: dict[str, Json]) -> TcbStatement:
    status, advisories = read.get("tcbStatus"), _list(read.get("advisoryIDs", []), "advisoryIDs")
    if not isinstance(status, str):
        raise _bad("tcbStatus is no text")
    return TcbStatement(status, tuple(map(str, advisories)))


def _components(read: dict[str, Json], key: str) -> tuple[int, ...]:
    components = tuple(_number(_object(each, key), "svn") for each in _list(read.get(key), key))
    # A shorter list would leave SVNs of the platform without a comparison.
    if len(components) != SVN_LENGTH:
        raise _bad(f"{key} are not {SVN_LENGTH}")
    return components


def _reaches(svn: bytes, wanted: tuple[int, ...]) -> bool:
    return all(found >= least for found, least in zip(svn, wanted, strict=True))


def _object(value: Json, name: str) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise _bad(f"{name} is no object")
    return value


def _list(value: Json, name: str) -> list[Json]:
    if not isinstance(value, list):
        raise _bad(f"{name} is no list")
    return value


def _number(read: dict[str, Json], key: str) -> int:
    value = read.get(key)
    if not isinstance(value, int) or isinstance(value, bool):
        raise _bad(f"{key} is no number")
    return value


def _hex(read: dict[str, Json], key: str, length: int) -> bytes:
    value = read.get(key)
    try:
        data = bytes.fromhex(value) if isinstance(value, str) else b""
    except ValueError:
        data = b""
    if len(data) != length:
        raise _bad(f"{key} is not {length} bytes in hex")
    return data


def _bad(what: str) -> VerifierError:
    return VerifierError(VerifierErrorCode.BAD_COLLATERAL, f"collateral: TCB info: {what}")
