"""Intel's collateral as dcap-qvl's JSON, with its signers, platform and validity.

Collateral comes from Intel by a service, a cache or a proxy, none of which is the host. So its own
faults are found here first, and what dcap-qvl refuses then is the quote's fault. A quote's own PCK
chain in it would override the one inside the quote, so such a file is refused. Names of signers are
read here, since dcap-qvl accepts TCB info signed by any key below the root, even a leaked PCK key.
"""

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from svc_verifier.errors import VerifierError, VerifierErrorCode, guarded
from svc_verifier.formats.certificate import parse_chain
from svc_verifier.formats.collateral import chain_pem, crl_hex
from svc_verifier.formats.quote import ATTRIBUTES_LENGTH, MEASUREMENT_LENGTH, TdReport
from svc_verifier.formats.strict_json import Json, parse_json_object
from svc_verifier.material import COLLATERAL_BYTES, Platform
from svc_verifier.tdx.signatures import ends_in, is_issued_by, is_signed

TCB_SIGNER: Final = "Intel SGX TCB Signing"
PCK_LEAF: Final = "Intel SGX PCK Certificate"
PCE_ID_LENGTH: Final = 2
_OWN_CHAIN: Final = "pck_certificate_chain"
_CHAINS: Final = ("pck_crl_issuer_chain", "tcb_info_issuer_chain", "qe_identity_issuer_chain")
_CRLS: Final = ("root_ca_crl", "pck_crl")
_RAW_SIGNATURE_BYTES: Final = 64
"""Bytes of an ECDSA signature with P-256 in Intel's service, r and s of 32 bytes each."""


@dataclass(frozen=True, slots=True)
class Validity:
    """Period of one part of the collateral, in unix seconds."""

    name: str
    from_s: int
    until_s: int


@dataclass(frozen=True, slots=True)
class ModuleIdentity:
    """TDX module in Intel's TCB info, with its signer (48 bytes), attributes and mask (8 each)."""

    mr_signer: bytes
    attributes: bytes
    mask: bytes

    def problem(self, report: TdReport) -> str:
        """Returns why the module of a TD report is not this one; empty where it is."""
        if report.mr_signer_seam != self.mr_signer:
            return "the TDX module was not signed by Intel (MRSIGNERSEAM is not that of the collateral)"
        pairs = zip(report.seam_attributes, self.attributes, self.mask, strict=True)
        # The collateral says nothing of a bit outside of the mask.
        if any(found & mask != wanted & mask or found & ~mask for found, wanted, mask in pairs):
            return f"the TDX module has the attributes {report.seam_attributes.hex()} (SEAMATTRIBUTES), which the collateral does not allow"
        return ""


TCB_INFO_VERSION: Final = 3
QE_IDENTITY_VERSION: Final = 2
"""Versions of the documents of PCS API 4."""


@dataclass(frozen=True, slots=True)
class SignedDocument:
    """TCB info or QE identity, with signature (r and s) and the signer's chain, leaf first."""

    text: str
    signature: bytes
    chain: tuple[x509.Certificate, ...]


@dataclass(frozen=True, slots=True)
class CollateralFacts:
    """Statements of collateral. `fault_of` says whether they are proven.

    `evaluation_number` is the lower of TCB info and QE identity, `kinds` are the ids of both.
    `crls` are the root CA's and the PCK CA's, `crl_chain` is of the latter's signer. `modules` are
    the TDX modules by version, the second byte of TEE_TCB_SVN.
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
        """The certificates of the signers of TCB info and QE identity."""
        return self.tcb_info.chain[0], self.qe_identity.chain[0]


def read_collateral(text: str) -> CollateralFacts:
    """Parse collateral. Raises VerifierError(BAD_COLLATERAL, TOO_LARGE, NOT_JSON)."""
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
        # The lower one, since either part may be old.
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
    """Returns collateral in dcap-qvl's own form, without a quote's chain.

    CRLs may be PEM or hex, and blanks of a chain `+`. Raises VerifierError(TOO_LARGE, NOT_JSON).
    """
    read = parse_json_object(collateral, "collateral", COLLATERAL_BYTES, 8)
    # dcap-qvl prefers this member to the quote's own certificates, so a cached one would fail or
    # vouch for another quote.
    read.pop(_OWN_CHAIN, None)
    return json.dumps({name: _in_known_form(name, value) for name, value in read.items()})


def _in_known_form(name: str, value: Json) -> Json:
    """Returns a member as `read_collateral` takes it, or unchanged if it is unreadable."""
    if not isinstance(value, str):
        return value
    if name in _CHAINS:
        return chain_pem(value)
    with contextlib.suppress(VerifierError):
        return crl_hex(value.encode(errors="surrogatepass"), name) if name in _CRLS else value
    return value


def common_name(certificate: x509.Certificate) -> str:
    """Returns the subject's common name; empty when there is none or more than one."""
    names = certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    return str(names[0].value) if len(names) == 1 else ""


def _document(read: dict[str, Json], key: str, what: str, version: int) -> dict[str, Json]:
    document = parse_json_object(_text(read, key), what, COLLATERAL_BYTES, 24)
    # dcap-qvl takes a later version too, and reads it by the rules of this one.
    if document.get("version") != version:
        raise _bad(f"{what} is not of version {version}, the only one that is known")
    return document


def _signed(read: dict[str, Json], key: str) -> SignedDocument:
    """Returns a signed document. Its signer is the chain's first certificate, as for dcap-qvl."""
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
    # RFC 5280 §5.1.2.5 requires nextUpdate. A CRL without one would never expire.
    if until is None:
        raise _bad(f"{key} names no next update")
    return crl, Validity(name, int(since.timestamp()), int(until.timestamp()))


def _modules(tcb_info: dict[str, Json]) -> dict[int, ModuleIdentity]:
    """Returns the modules of a TCB info (PCS API 4) by version.

    `tdxModule` is version 0. The number in an id such as TDX_01 is the version of that module.
    """
    found = {0: _module(tcb_info.get("tdxModule"))}
    listed = tcb_info.get("tdxModuleIdentities", [])
    if not isinstance(listed, list):
        raise _bad("tdxModuleIdentities is no list")
    for read in listed:
        name = _text(read, "id") if isinstance(read, dict) else ""
        version = _hex({"id": name.upper().removeprefix("TDX_")}, "id", 1)[0]
        # With two of one version it would be uncertain which counts.
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
    # The library reads names and times lazily and raises at the first use, which must be guarded.
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
        # A time without a zone depends on the reader's own. -1 counts as expired, or as too old.
        return int(moment.timestamp()) if moment.tzinfo is not None else -1
    except (ValueError, OverflowError):
        raise _bad(f"{key} is no time") from None


def _bad(what: str) -> VerifierError:
    return VerifierError(VerifierErrorCode.BAD_COLLATERAL, f"collateral: {what}")


KINDS: Final = ("TDX", "TD_QE")
"""Ids of the TCB info and the QE identity of TDX platforms, unlike those of SGX."""

NAME_CHARACTERS: Final = 60
"""Characters of a name in a certificate, which anyone may have written."""


def fault_of(facts: CollateralFacts, platform: Platform, quoted: Sequence[x509.Certificate], root_der: bytes) -> str:
    """Returns why collateral is not of a platform or not signed below the root; empty if it is.

    `quoted` are the certificates of the quote, leaf first.
    """
    try:
        return guarded(
            VerifierErrorCode.BAD_COLLATERAL,
            lambda error: f"the collateral cannot be read ({type(error).__name__})",
            lambda: next(_faults(facts, platform, quoted, root_der), ""),
        )
    except VerifierError as error:
        return error.message


def _faults(
    facts: CollateralFacts, platform: Platform, quoted: Sequence[x509.Certificate], root_der: bytes
) -> Iterator[str]:
    documents = {"TCB info": facts.tcb_info, "QE identity": facts.qe_identity}
    for (name, document), kind, expected in zip(documents.items(), facts.kinds, KINDS, strict=True):
        if kind != expected:
            yield f"the {name} is of {kind[:NAME_CHARACTERS]!r}, not of {expected}"
        if not ends_in(document.chain, root_der):
            yield f"the {name} is not signed below the pinned root"
        if not is_signed(document.text.encode(errors="surrogatepass"), document.signature, document.chain[0]):
            yield f"the signature of the {name} is not that of the certificate beside it"
    if not _is_signed_by(facts.crls[0], x509.load_der_x509_certificate(root_der)):
        yield "the root CA CRL is not signed by the pinned root"
    yield from _list_faults(facts, quoted, root_der)
    # Another platform family's says nothing of this one, and its levels count versions of one
    # provisioning certification enclave (PCE).
    told = {"FMSPC": (facts.fmspc, platform.fmspc), "PCEID": (facts.pce_id.hex(), platform.pce_id.hex())}
    for what, (theirs, own) in told.items():
        if theirs != own:
            yield f"the collateral is of {what} {theirs[:NAME_CHARACTERS]}, the quote of {own}"


def _list_faults(facts: CollateralFacts, quoted: Sequence[x509.Certificate], root_der: bytes) -> Iterator[str]:
    """Yields faults of the list of revoked platforms, for the platform of the quote."""
    _, pck_crl = facts.crls
    # By the root itself, since a platform's certificate further below could sign a list too.
    if not is_issued_by(facts.crl_chain[0], root_der) or not _is_signed_by(pck_crl, facts.crl_chain[0]):
        yield "the PCK CRL is not signed by an authority of the pinned root"
    leaf, *authorities = quoted
    if pck_crl.issuer != leaf.issuer:
        issuers = (_name_of(pck_crl.issuer), _name_of(leaf.issuer))
        yield "the PCK CRL is of the authority {!r}, the quote's certificate of {!r}".format(*issuers)
    # A cache may serve the list of a key that the authority no longer uses.
    issuer = authorities[0] if authorities else leaf
    if is_issued_by(issuer, root_der) and not _is_signed_by(pck_crl, issuer):
        yield "the PCK CRL was signed with another key of that authority than the quote's certificate"


def revoked_signer(facts: CollateralFacts) -> str:
    """Returns the document whose signer the root has revoked; empty if there is none.

    A quote verified with it is refused, so such collateral must not be kept for others.
    """
    for name, signer in zip(("TCB info", "QE identity"), facts.signers, strict=True):
        if facts.crls[0].get_revoked_certificate_by_serial_number(signer.serial_number) is not None:
            return f"the {name} was signed by a certificate that is revoked"
    return ""


def revoked(facts: CollateralFacts, chain: Sequence[x509.Certificate]) -> str:
    """Returns the quote's certificate that its issuer revoked, at any time; empty if none."""
    for certificate in chain:
        for crl in facts.crls:
            entry = crl.get_revoked_certificate_by_serial_number(certificate.serial_number)
            if crl.issuer == certificate.issuer and entry is not None:
                return f"the quote's certificate {common_name(certificate)[:NAME_CHARACTERS]!r} is revoked"
    return ""


def _is_signed_by(crl: x509.CertificateRevocationList, signer: x509.Certificate) -> bool:
    key = signer.public_key()
    return isinstance(key, EllipticCurvePublicKey) and crl.is_signature_valid(key)


def _name_of(name: x509.Name) -> str:
    return name.rfc4514_string()[:NAME_CHARACTERS]


def dcap_json(facts: CollateralFacts) -> str:
    """Returns collateral as dcap-qvl's JSON, written from the parts that were read here."""
    documents = {"tcb_info": facts.tcb_info, "qe_identity": facts.qe_identity}
    written = {"pck_crl_issuer_chain": _pem(facts.crl_chain)}
    for name, document in documents.items():
        written |= {name: document.text, f"{name}_signature": document.signature.hex()}
        written[f"{name}_issuer_chain"] = _pem(document.chain)
    for name, crl in zip(("root_ca_crl", "pck_crl"), facts.crls, strict=True):
        written[name] = crl.public_bytes(Encoding.DER).hex()
    return json.dumps(written)


def _pem(chain: Sequence[x509.Certificate]) -> str:
    return "".join(certificate.public_bytes(Encoding.PEM).decode() for certificate in chain)


def validities_of(facts: CollateralFacts, quoted: Sequence[x509.Certificate]) -> tuple[Validity, ...]:
    """Returns the periods of all parts of the collateral and of all certificates.

    Raises VerifierError(BAD_COLLATERAL).
    """
    chains = {
        "the quote's": quoted,
        "the TCB info's": facts.tcb_info.chain,
        "the QE identity's": facts.qe_identity.chain,
        "the PCK CRL's": facts.crl_chain,
    }
    certificates = guarded(
        VerifierErrorCode.BAD_COLLATERAL,
        lambda _: "collateral: a certificate has no time that can be read",
        lambda: tuple(_validity_of(whose, each) for whose, chain in chains.items() for each in chain),
    )
    return (*(Validity(f"the {part.name}", part.from_s, part.until_s) for part in facts.validities), *certificates)


def _validity_of(whose: str, certificate: x509.Certificate) -> Validity:
    name = f"{whose} certificate {common_name(certificate)[:NAME_CHARACTERS]!r}"
    since, until = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    return Validity(name, int(since.timestamp()), int(until.timestamp()))


def date_fault(validities: Sequence[Validity], now_s: int) -> str:
    """Returns which part does not hold at a time; empty where all do."""
    for part in validities:
        if now_s < part.from_s:
            return f"at the time of verification, {moment(now_s)}, {part.name} does not hold yet: it does from {moment(part.from_s)}"
        # At its end too, since dcap-qvl takes nextUpdate as the first second of expiry.
        if now_s >= part.until_s:
            return f"at the time of verification, {moment(now_s)}, {part.name} has expired: it held until {moment(part.until_s)}"
    return ""


def common_time(validities: Sequence[Validity]) -> int | None:
    """Returns a time at which everything holds, the latest start; None if there is none."""
    start_s, end_s = max(part.from_s for part in validities), min(part.until_s for part in validities)
    return start_s if start_s < end_s else None


def moment(unix_s: int) -> str:
    """Returns a time in UTC, to the second."""
    try:
        return datetime.fromtimestamp(unix_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return f"second {unix_s} of Unix time"
