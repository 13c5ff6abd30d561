"""Collateral or the clock at fault, and with them, or not, the host: whose fault it is must not be mixed up."""

from typing import Any, Final

from cryptography import x509
from cryptography.hazmat.primitives.hashes import SHA256

from devkit.tee_simulator.authorities import ISSUES, NOT_AFTER, NOT_BEFORE, Certified
from devkit.tee_simulator.options import TcbStatus as Simulated
from devkit.tee_simulator.seed import seeded_key
from svc_verifier.trust import TcbPolicy, TcbStatus
from tests.support.attested.case import HARDWARE, NO_QUOTE, Case, case
from tests.support.attested.cases.hardware import (
    DATED,
    DOCUMENTS,
    FOREIGN,
    MODULE_FAILS,
    OF_COLLATERAL,
    UNDECIDED,
    UNREADABLE,
    UNSIGNED,
    aged,
    all_of,
    at,
    both,
    collateral,
    document,
    flipped,
    pck_signed,
    revocation_list,
    signed_list,
    status,
    tcb_level,
)
from tests.support.attested.look import DAY_S, Look
from tests.support.attested.td import NOW_S, OTHER_SEED, Td


def unsigned_aged(look: Look) -> None:
    """TCB info issued after all else has ended, signed by the pinned platform's maker."""
    foreign, attestation, files = look.td, look.attestation, look.files
    look.td = Td()
    aged("tcb_info", 45 * DAY_S, 0)(look)
    look.td, look.attestation, look.files = foreign, attestation, files


def unread_by_the_pinned(look: Look) -> None:
    """The pinned platform's collateral with a status that the library does not know."""
    pinned = Td()
    collateral(**pinned.collateral)(look)
    document("tcb_info", unknown_status, lambda _: pinned.authorities.tcb_signing)(look)


def unknown_status(read: dict[str, Any]) -> None:
    """Its first level has a status that no library knows."""
    read["tcbLevels"][0]["tcbStatus"] = "UpToDateUntilRelaunch"


def list_of_another_key(look: Look) -> None:
    """The list of the authority's former key, which the root certified too: a cache keeps lists apart from certificates."""
    owned = look.td.authorities
    key = seeded_key(OTHER_SEED, "former key of the PCK CA")
    names = owned.root.certificate.subject, owned.pck_ca.certificate.subject
    builder = x509.CertificateBuilder(*names, key.public_key(), 9, NOT_BEFORE, NOT_AFTER)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    builder = builder.add_extension(ISSUES, critical=True)
    former = Certified(key, builder.sign(owned.root.key, SHA256(), ecdsa_deterministic=True))
    look.collateral["pck_crl"] = signed_list(former)
    look.collateral["pck_crl_issuer_chain"] = former.pem + owned.root.pem


AT_FAULT_CASES: Final[tuple[Case, ...]] = (
    case("time: at no time does all of the collateral hold", "", DATED, tamper=aged("tcb_info", 45 * DAY_S, 0)),
    case("time: at no time does all of the collateral hold, and certificates that do not end in the root",
         "hardware.signatures evidence.quote", NO_QUOTE | UNSIGNED | {"hardware.collateral"}, td=FOREIGN,
         tamper=all_of(collateral(**Td().collateral), unsigned_aged)),
    *(case(f"{what}, and a forged quote", "hardware.signatures evidence.quote", NO_QUOTE | HARDWARE - {"hardware.signatures"},
           tamper=all_of(both(flipped), spoil))
      for what, spoil in (("collateral: out of reach", lambda look: setattr(look, "platform", ("", ""))),
                          ("TCB info: flipped signature", collateral(tcb_info_signature="11" * 64)))),
    case("time: before the collateral, and a TCB that is not accepted", "hardware.tcb-status evidence.quote",
         NO_QUOTE | {"hardware.signatures", "hardware.collateral"}, td=status(Simulated.OUT_OF_DATE), tamper=at(NOW_S - 3 * DAY_S)),
    case("time: before the collateral, and a TCB that is accepted", "", DATED, td=status(Simulated.OUT_OF_DATE),
         tamper=at(NOW_S - 3 * DAY_S), trust={"tcb": TcbPolicy(accepted=frozenset({TcbStatus.OUT_OF_DATE}))}),
    case("time: before the collateral, and a TDX module that is not Intel's", MODULE_FAILS, NO_QUOTE | UNDECIDED | {"hardware.collateral"},
         td=Td(report={112: b"\1" * 48}), tamper=at(NOW_S - 3 * DAY_S)),
    *(case(f"time: at no time does all of the collateral hold, and {what}", "hardware.signatures evidence.quote",
           NO_QUOTE | UNSIGNED | {"hardware.collateral"}, tamper=all_of(aged("tcb_info", 45 * DAY_S, 0), also))
      for what, also in (("a forged quote", both(flipped)), ("a revoked PCK certificate", revocation_list("pck_crl", "pck_ca", "pck")),
                         ("a revoked PCK authority", revocation_list("root_ca_crl", "root", "pck_ca")))),
    *(case(f"time: at the very end of a list of revocations of the {issuer}", "", DATED,
           tamper=revocation_list(name, issuer, issued_s=NOW_S - 30 * DAY_S))
      for name, issuer in (("pck_crl", "pck_ca"), ("root_ca_crl", "root"))),
    case("TCB info: signed by the PCK key, and a revoked PCK certificate", "hardware.signatures evidence.quote",
         NO_QUOTE | UNSIGNED | {"hardware.signers"},
         tamper=all_of(pck_signed("tcb_info"), revocation_list("pck_crl", "pck_ca", "pck"))),
    case("TCB info: signed by the PCK key, and a forged quote", "hardware.signatures evidence.quote",
         NO_QUOTE | UNSIGNED | {"hardware.signers"}, tamper=all_of(both(flipped), pck_signed("tcb_info"))),
    *(case(f"{what}: of a status that nobody knows", "", NO_QUOTE | UNDECIDED | {"evidence.quote"},
           tamper=document(name, unknown_status))
      for name, what in DOCUMENTS.items()),
    case("PCK CRL: of a former key of the quote's authority", "", OF_COLLATERAL, tamper=list_of_another_key),
    *(case(f"TCB info: a level without the components of {kind}", "", UNREADABLE, tamper=tcb_level(**{f"{kind}tcbcomponents": []}))
      for kind in ("sgx", "tdx")),
    case("TCB info: a level without a date", "", UNREADABLE,
         tamper=document("tcb_info", lambda read: read["tcbLevels"][0].update(tcbDate=""))),
    case("TCB info: a level of the TDX module without a date", "", UNREADABLE,
         tamper=document("tcb_info", lambda read: read["tdxModuleIdentities"][0]["tcbLevels"][0].update(tcbDate=""))),
    case("QE identity: no levels", "", UNREADABLE, tamper=document("qe_identity", lambda read: read.update(tcbLevels=[]))),
    case("TCB info: that cannot be read, and certificates that do not end in the root", "hardware.signatures evidence.quote",
         NO_QUOTE | UNSIGNED, td=FOREIGN, tamper=unread_by_the_pinned),
)  # fmt: skip
