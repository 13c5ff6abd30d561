"""Intel TDX hardware: the pinned root, collateral, TD attributes and DCAP verification of a quote.

Collateral is Intel's as dcap-qvl's JSON. A quote's own PCK chain in it would override the one inside the quote: such a
file is of one quote alone and is refused. Names of signers are read here since dcap-qvl accepts TCB info signed by any
key below the root, a leaked PCK key included.
"""

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib import resources
from typing import Final, TypeVar

import dcap_qvl
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from svc_verifier.errors import VerifierError, VerifierErrorCode, guarded
from svc_verifier.formats.certificate import parse_chain
from svc_verifier.formats.collateral import chain_pem, crl_hex
from svc_verifier.formats.quote import ATTRIBUTES_LENGTH, MEASUREMENT_LENGTH, TdReport
from svc_verifier.formats.strict_json import Json, parse_json_object
from svc_verifier.material import COLLATERAL_BYTES, Platform

TCB_SIGNER: Final = "Intel SGX TCB Signing"
PCK_LEAF: Final = "Intel SGX PCK Certificate"
PCE_ID_LENGTH: Final = 2
_OWN_CHAIN: Final = "pck_certificate_chain"
_CHAINS: Final = ("pck_crl_issuer_chain", "tcb_info_issuer_chain", "qe_identity_issuer_chain")
_CRLS: Final = ("root_ca_crl", "pck_crl")
_RAW_SIGNATURE_BYTES: Final = 64
"""Of ECDSA with P-256 as Intel's service writes it: r and s, 32 bytes each."""


@dataclass(frozen=True, slots=True)
class Validity:
    """When one part of the collateral was issued and when it ends, in unix seconds."""

    name: str
    from_s: int
    until_s: int


@dataclass(frozen=True, slots=True)
class ModuleIdentity:
    """TDX module as Intel's TCB info describes it: its signer (48 bytes), its attributes and their mask (8 each)."""

    mr_signer: bytes
    attributes: bytes
    mask: bytes

    def problem(self, report: TdReport) -> str:
        """Returns why the module of a TD report is not this one; empty where it is."""
        if report.mr_signer_seam != self.mr_signer:
            return "the TDX module was not signed by Intel (MRSIGNERSEAM is not that of the collateral)"
        pairs = zip(report.seam_attributes, self.attributes, self.mask, strict=True)
        # A bit outside of the mask is one that the collateral says nothing of.
        if any(found & mask != wanted & mask or found & ~mask for found, wanted, mask in pairs):
            return f"the TDX module has the attributes {report.seam_attributes.hex()} (SEAMATTRIBUTES), which the collateral does not allow"
        return ""


TCB_INFO_VERSION: Final = 3
QE_IDENTITY_VERSION: Final = 2
"""Versions of the documents of PCS API 4."""


@dataclass(frozen=True, slots=True)
class SignedDocument:
    """TCB info or QE identity: the text that is signed, its signature (r and s) and the signer's chain, leaf first."""

    text: str
    signature: bytes
    chain: tuple[x509.Certificate, ...]


@dataclass(frozen=True, slots=True)
class CollateralFacts:
    """Statements of collateral, proven by nobody (`svc_verifier.collateral`).

    `evaluation_number` is the lower of TCB info and QE identity, `kinds` are the ids of both. `crls` are the root CA's and
    the PCK CA's, `crl_chain` is of who signed the latter. `modules` are the TDX modules by version, which is the second byte
    of TEE_TCB_SVN.
    """

    fmspc: str
    pce_id: bytes
    evaluation_number: int
    kinds: tuple[str, str]
    validities: tuple[Validity, ...]
    tcb_info: SignedDocument
    qe_identity: SignedDocument
    crls: tuple[x509.CertificateRevocationList, x509.CertificateRevocationList]
    crl_chain: tuple[x509.Certificate, ...]
    modules: Mapping[int, ModuleIdentity]

    @property
    def signers(self) -> tuple[x509.Certificate, x509.Certificate]:
        """The certificates of who signed TCB info and QE identity."""
        return self.tcb_info.chain[0], self.qe_identity.chain[0]


def read_collateral(text: str) -> CollateralFacts:
    """Raises VerifierError(BAD_COLLATERAL, TOO_LARGE, NOT_JSON), and nothing else."""
    read = parse_json_object(text, "collateral", COLLATERAL_BYTES, 8)
    if read.get(_OWN_CHAIN):
        raise _bad("it holds one quote's own PCK chain, which would stand in for another quote's")
    tcb_info = _document(read, "tcb_info", "TCB info", TCB_INFO_VERSION)
    qe_identity = _document(read, "qe_identity", "QE identity", QE_IDENTITY_VERSION)
    (root_crl, root_validity), (pck_crl, pck_validity) = (
        _crl(read, "root_ca_crl", "root CA CRL"),
        _crl(read, "pck_crl", "PCK CRL"),
    )
    return CollateralFacts(
        fmspc=_text(tcb_info, "fmspc").upper(),
        pce_id=_hex(tcb_info, "pceId", PCE_ID_LENGTH),
        # The lower one: either part may be the old one that was kept back.
        evaluation_number=min(_number(tcb_info), _number(qe_identity)),
        kinds=(_text(tcb_info, "id"), _text(qe_identity, "id")),
        validities=(
            Validity("TCB info", _time(tcb_info, "issueDate"), _time(tcb_info, "nextUpdate")),
            Validity("QE identity", _time(qe_identity, "issueDate"), _time(qe_identity, "nextUpdate")),
            root_validity,
            pck_validity,
        ),
        tcb_info=_signed(read, "tcb_info"),
        qe_identity=_signed(read, "qe_identity"),
        crls=(root_crl, pck_crl),
        crl_chain=_chain(read, "pck_crl_issuer_chain"),
        modules=_modules(tcb_info),
    )


def without_own_chain(collateral: str) -> str:
    """Returns it without the chain of one quote, which would override that of every other, and in dcap-qvl's own form.

    CRLs may be PEM or hex, and blanks of a chain `+`. Raises VerifierError(TOO_LARGE, NOT_JSON).
    """
    read = parse_json_object(collateral, "collateral", COLLATERAL_BYTES, 8)
    # dcap-qvl prefers this member to the quote's own certificates: a cached one would fail, or vouch for, another
    # quote.
    read.pop(_OWN_CHAIN, None)
    return json.dumps({name: _in_known_form(name, value) for name, value in read.items()})


def _in_known_form(name: str, value: Json) -> Json:
    """A member as `read_collateral` takes it; what cannot be read stays as it is, and is refused there."""
    if not isinstance(value, str):
        return value
    if name in _CHAINS:
        return chain_pem(value)
    with contextlib.suppress(VerifierError):
        return crl_hex(value.encode(errors="surrogatepass"), name) if name in _CRLS else value
    return value


def common_name(certificate: x509.Certificate) -> str:
    """The subject's common name; empty when there is none or more than one."""
    names = certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    return str(names[0].value) if len(names) == 1 else ""


def _document(read: dict[str, Json], key: str, what: str, version: int) -> dict[str, Json]:
    document = parse_json_object(_text(read, key), what, COLLATERAL_BYTES, 24)
    # dcap-qvl takes a later version too, and reads it by the rules of this one.
    if document.get("version") != version:
        raise _bad(f"{what} is not of version {version}, the only one that is known")
    return document


def _signed(read: dict[str, Json], key: str) -> SignedDocument:
    """The first certificate of the chain is the signer, also to dcap-qvl."""
    signature = _hex(read, f"{key}_signature", _RAW_SIGNATURE_BYTES)
    return SignedDocument(_text(read, key), signature, _chain(read, f"{key}_issuer_chain"))


def _chain(read: dict[str, Json], key: str) -> tuple[x509.Certificate, ...]:
    pem = _text(read, key).encode(errors="surrogatepass")
    return parse_chain(pem, f"collateral: {key}", VerifierErrorCode.BAD_COLLATERAL)


def _crl(read: dict[str, Json], key: str, name: str) -> tuple[x509.CertificateRevocationList, Validity]:
    text = _text(read, key)
    crl, since, until = guarded(
        VerifierErrorCode.BAD_COLLATERAL,
        lambda _: f"collateral: {key} is no CRL in hex",
        lambda: _with_period(x509.load_der_x509_crl(bytes.fromhex(text))),
    )
    # RFC 5280 §5.1.2.5 requires nextUpdate; a CRL without one would count for ever.
    if until is None:
        raise _bad(f"{key} names no next update")
    return crl, Validity(name, int(since.timestamp()), int(until.timestamp()))


def _modules(tcb_info: dict[str, Json]) -> dict[int, ModuleIdentity]:
    """Return the modules of a TCB info (PCS API 4): `tdxModule` is version 0, the others are named TDX_01 and so on."""
    found = {0: _module(tcb_info.get("tdxModule"))}
    listed = tcb_info.get("tdxModuleIdentities", [])
    if not isinstance(listed, list):
        raise _bad("tdxModuleIdentities is no list")
    for read in listed:
        name = _text(read, "id") if isinstance(read, dict) else ""
        version = _hex({"id": name.upper().removeprefix("TDX_")}, "id", 1)[0]
        # Of two with one version it would be uncertain which counts.
        if version in found:
            raise _bad(f"two TDX module identities of version {version}")
        found[version] = _module(read)
    return found


def _module(read: Json) -> ModuleIdentity:
    if not isinstance(read, dict):
        raise _bad("a TDX module is no object")
    return ModuleIdentity(
        mr_signer=_hex(read, "mrsigner", MEASUREMENT_LENGTH),
        attributes=_hex(read, "attributes", ATTRIBUTES_LENGTH),
        mask=_hex(read, "attributesMask", ATTRIBUTES_LENGTH),
    )


def _with_period(
    crl: x509.CertificateRevocationList,
) -> tuple[x509.CertificateRevocationList, datetime, datetime | None]:
    # The library reads names and times lazily and raises at the first use: it has to happen inside the guard.
    list(crl.issuer)
    return crl, crl.last_update_utc, crl.next_update_utc


def _text(read: dict[str, Json], key: str) -> str:
    value = read.get(key)
    if not isinstance(value, str):
        raise _bad(f"{key} is missing or no text")
    return value


def _hex(read: dict[str, Json], key: str, length: int) -> bytes:
    try:
        data = bytes.fromhex(_text(read, key))
    except ValueError:
        data = b""
    if len(data) != length:
        raise _bad(f"{key} is not {length} bytes in hex")
    return data


def _number(read: dict[str, Json]) -> int:
    value = read.get("tcbEvaluationDataNumber")
    if not isinstance(value, int) or isinstance(value, bool):
        raise _bad("tcbEvaluationDataNumber is no number")
    return value


def _time(read: dict[str, Json], key: str) -> int:
    try:
        moment = datetime.fromisoformat(_text(read, key))
        # A time without a zone depends on the reader's own; -1 counts as expired, or as too old.
        return int(moment.timestamp()) if moment.tzinfo is not None else -1
    except (ValueError, OverflowError):
        raise _bad(f"{key} is no time") from None


def _bad(what: str) -> VerifierError:
    return VerifierError(VerifierErrorCode.BAD_COLLATERAL, f"collateral: {what}")


INTEL_SGX_ROOT_CA_SHA256: Final = bytes.fromhex("44a0196b2b99f889b8e149e95b807a350e7424964399e885a7cbb8ccfab674d3")
"""Of the DER of "Intel SGX Root CA", valid until 2049, as Intel's provisioning service distributes it."""


@cache
def intel_root() -> bytes:
    """The DER certificate. Raises VerifierError(BAD_ROOT) when the package's file is not it."""
    pem = resources.files("svc_verifier").joinpath("intel_sgx_root_ca.pem").read_bytes()
    der = x509.load_pem_x509_certificate(pem).public_bytes(Encoding.DER)
    # Compared with a constant in the code: a changed package file must not become the root of all trust.
    if hashlib.sha256(der).digest() != INTEL_SGX_ROOT_CA_SHA256:
        raise VerifierError(VerifierErrorCode.BAD_ROOT, "the package's root certificate is not Intel's: reinstall it")
    return der


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
"""Bits of ATTRIBUTES (Intel TDX module ABI, TD attributes) that give nobody a way into the TD: protection keys, key locker and
counters of its own."""

_TUD_END: Final = 8
"""Bits below are "TD under debug": debug, profiling and reserved ones."""

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
"""Bits of XFAM that real TDs have: x87, SSE, AVX, AVX-512, PKU, CET, user interrupts and AMX. Each is state of the TD's own, which
the module keeps. Others record what the TD does (PT, LBR) or reach past it."""


def td_problems(report: TdReport) -> Iterator[str]:
    """Return a line for each reason not to trust a TD's isolation."""
    # dcap-qvl refuses most of these too, but names none; here each has its reason.
    attributes = _bits(report.td_attributes)
    yield from filter(None, map(_attribute_problem, attributes))
    # Without it the host turns any private page into a #VE inside the guest, at an instruction of its choice.
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
    # Profiling leaks through counters; the rest of the byte is reserved and must be zero.
    if bit < _TUD_END:
        return f"the TD is under debug or profiling (attributes bit {_named(bit, _ATTRIBUTES)})"
    # A migratable TD can be exported by a migration TD to a platform that this quote says nothing of.
    if bit == MIGRATABLE:
        return "the TD is migratable"
    if bit in _ATTRIBUTES_ALLOWED:
        return ""
    return f"the TD has an attribute that is not known to be harmless (bit {_named(bit, _ATTRIBUTES)})"


def _bits(field: bytes) -> tuple[int, ...]:
    """The numbers of the bits that are set in a little-endian field."""
    value = int.from_bytes(field, "little")
    return tuple(bit for bit in range(8 * len(field)) if value >> bit & 1)


def _named(bit: int, names: dict[int, str]) -> str:
    return f"{bit}, {names.get(bit, 'reserved')}"


Result = TypeVar("Result")
MESSAGE_CHARACTERS: Final = 300
"""Of an error, which may quote what a stranger sent: a cut is marked, so that nobody chooses how a message ends."""


@dataclass(frozen=True, slots=True)
class TcbStatement:
    """Status that Intel gives to a TCB, and the advisories to which it is open."""

    status: str
    advisories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TcbVerdict(TcbStatement):
    """Result of dcap-qvl for a platform whose signatures hold, by TEE_TCB_SVN: the TCB of the TD's launch.

    `running` is of the TCB that runs the TD now (TEE_TCB_SVN_2 of TD report 1.5), after updates that preserve TDs; None
    for an older report. `quoting_enclave` is the status of the enclave that signed the quote where the library does not count
    it in; empty otherwise.
    """

    running: TcbStatement | None = None
    quoting_enclave: str = ""


def platform_of(quote: bytes) -> Platform:
    """Raises VerifierError(BAD_PCK)."""
    return _guarded(VerifierErrorCode.BAD_PCK, lambda: _platform(quote))


def verify_quote(quote: bytes, collateral: str, root_der: bytes, now_s: int) -> TcbVerdict:
    """Verify a quote with collateral (dcap-qvl's JSON) under a root at a time. Raises VerifierError(BAD_SIGNATURE)."""
    return _guarded(VerifierErrorCode.BAD_SIGNATURE, lambda: _verify(quote, collateral, root_der, now_s))


def _platform(quote: bytes) -> Platform:
    parsed = dcap_qvl.parse_quote(quote)
    extension = parsed.pck_extension()
    chain = parsed.cert_chain_pem_bytes()
    if chain is None:
        raise ValueError("no PCK certificate chain")
    if extension is None:
        # The library says nothing of a chain that it cannot read.
        parse_chain(bytes(chain), "the quote's PCK chain", VerifierErrorCode.BAD_PCK)
        raise VerifierError(VerifierErrorCode.BAD_PCK, "the quote's PCK certificate names no platform")
    return Platform(
        str(parsed.fmspc()).upper(), str(parsed.ca()), bytes(extension.ppid), bytes(extension.pce_id), bytes(chain)
    )


_UP_TO_DATE: Final = "UpToDate"
_COUNTED_IN: Final = frozenset({_UP_TO_DATE, "OutOfDate", "Revoked"})
"""Statuses of the quoting enclave that dcap-qvl 0.7 lets worsen the platform's; it forgets any other."""


def _verify(quote: bytes, collateral: str, root_der: bytes, now_s: int) -> TcbVerdict:
    read = dcap_qvl.QuoteCollateralV3.from_json(collateral)
    # `now_s` is the material's time and not the clock's: a bundle gives the same result later (spec 13.1).
    report = dcap_qvl.verify_with_root_ca(quote, read, root_der, now_s)
    policy = dcap_qvl.QuotePolicy.claims_only(now_s)
    verified = dcap_qvl.QuoteVerifier(root_der).verify_with_policy(quote, read, now_s, policy)
    claims = json.loads(verified.to_json())
    # The library's status follows from the launch alone. Its claims, for policies as Intel's appraisal, have both levels.
    level = claims["platform"].get("current_tcb_level")
    running = TcbStatement(str(level["tcbStatus"]), tuple(map(str, level["advisoryIDs"]))) if level else None
    enclave = str(claims["qe"]["tcb_level"]["tcbStatus"])
    enclave = "" if enclave in _COUNTED_IN else enclave
    return TcbVerdict(_worse(str(report.status), enclave), tuple(map(str, report.advisory_ids)), running, enclave)


def _worse(platform: str, enclave: str) -> str:
    """The platform's status; that of the enclave which signs its quotes where nothing else is amiss."""
    return enclave if enclave and platform == _UP_TO_DATE else platform


def _guarded(code: VerifierErrorCode, work: Callable[[], Result]) -> Result:
    return guarded(code, _described, work)


def _described(error: BaseException) -> str:
    # One line: what a stranger's bytes put into a message must not forge further lines of a report.
    message = " ".join(str(error).split())
    message = message if len(message) <= MESSAGE_CHARACTERS else f"{message[:MESSAGE_CHARACTERS]}…"
    return f"dcap-qvl: {message or type(error).__name__}"
