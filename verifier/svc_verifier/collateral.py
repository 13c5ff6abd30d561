"""Whether collateral is what it should be, apart from any quote: who signed it, for which platform, and when it holds.

Collateral comes from Intel by way of a service, a cache or a proxy, and none of these is the host. So its own faults are found
here, before a quote is verified with it: what dcap-qvl refuses then is the quote's.
"""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.serialization import Encoding

from svc_verifier.errors import VerifierError, VerifierErrorCode, guarded
from svc_verifier.hardware import CollateralFacts, Validity, common_name
from svc_verifier.material import Platform
from svc_verifier.signatures import ends_in, is_issued_by, is_signed

KINDS: Final = ("TDX", "TD_QE")
"""Ids of the TCB info and the QE identity of TDX platforms; those of SGX have others."""

NAME_CHARACTERS: Final = 60
"""Of a name that anybody may have written into a certificate."""


def fault_of(facts: CollateralFacts, platform: Platform, quoted: Sequence[x509.Certificate], root_der: bytes) -> str:
    """Returns why collateral says nothing of a platform: not signed below the root, or of another one; empty where it does.

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
            yield f"the {name} is not signed by anybody below the pinned root"
        if not is_signed(document.text.encode(errors="surrogatepass"), document.signature, document.chain[0]):
            yield f"the signature of the {name} is not that of the certificate beside it"
    if not _is_signed_by(facts.crls[0], x509.load_der_x509_certificate(root_der)):
        yield "the root CA CRL is not signed by the pinned root"
    yield from _list_faults(facts, quoted, root_der)
    # Of another platform family it says nothing of this one, and its levels count the versions of one provisioning
    # certification enclave (PCE): another's numbers mean other software.
    told = {"FMSPC": (facts.fmspc, platform.fmspc), "PCEID": (facts.pce_id.hex(), platform.pce_id.hex())}
    for what, (theirs, own) in told.items():
        if theirs != own:
            yield f"the collateral is of {what} {theirs[:NAME_CHARACTERS]}, the quote of {own}"


def _list_faults(facts: CollateralFacts, quoted: Sequence[x509.Certificate], root_der: bytes) -> Iterator[str]:
    """Yields what is wrong with the list of revoked platforms, for the platform of the quote."""
    _, pck_crl = facts.crls
    # By the root itself: a platform's own certificate, which is further below, could sign a list too.
    if not is_issued_by(facts.crl_chain[0], root_der) or not _is_signed_by(pck_crl, facts.crl_chain[0]):
        yield "the PCK CRL is not signed by an authority of the pinned root"
    leaf, *authorities = quoted
    if pck_crl.issuer != leaf.issuer:
        issuers = (_name_of(pck_crl.issuer), _name_of(leaf.issuer))
        yield "the PCK CRL is of the authority {!r}, the quote's certificate of {!r}".format(*issuers)
    # A cache that keeps lists apart from certificates may serve the list of a key that the authority no longer uses.
    issuer = authorities[0] if authorities else leaf
    if is_issued_by(issuer, root_der) and not _is_signed_by(pck_crl, issuer):
        yield "the PCK CRL was signed with another key of that authority than the quote's certificate"


def revoked_signer(facts: CollateralFacts) -> str:
    """Returns which document was signed by somebody whom the root has revoked; empty where neither was.

    A quote that is verified with it is refused, as with any revoked certificate; nobody else should be because it was kept.
    """
    for name, signer in zip(("TCB info", "QE identity"), facts.signers, strict=True):
        if facts.crls[0].get_revoked_certificate_by_serial_number(signer.serial_number) is not None:
            return f"the {name} was signed by a certificate that is revoked"
    return ""


def revoked(facts: CollateralFacts, chain: Sequence[x509.Certificate]) -> str:
    """Returns which certificate of a quote was revoked by who issued it; empty where none was. No date counts: nobody takes it back."""
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
    """Returns the collateral as dcap-qvl's JSON, each part written as it was read here: no other reader sees another."""
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
    """Returns when each part of the collateral and each certificate holds, those of the quote too.

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
        # At its very end too: of a revocation list dcap-qvl takes the second that is named as the first in which it does not hold.
        if now_s >= part.until_s:
            return f"at the time of verification, {moment(now_s)}, {part.name} has expired: it held until {moment(part.until_s)}"
    return ""


def common_time(validities: Sequence[Validity]) -> int | None:
    """Returns the latest start of all, where that lies before the earliest end: a time at which everything holds."""
    start_s, end_s = max(part.from_s for part in validities), min(part.until_s for part in validities)
    return start_s if start_s < end_s else None


def moment(unix_s: int) -> str:
    """A time in UTC, to the second."""
    try:
        return datetime.fromtimestamp(unix_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return f"second {unix_s} of Unix time"
