"""The quote, its signatures and the collateral (spec 13.3; test_holes.py, 12 and 13)."""

import datetime as dt
import hashlib
import json
from collections.abc import Callable
from typing import Any, Final

from cryptography import x509
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding

from devkit.tee_simulator.authorities import NOT_AFTER, NOT_BEFORE, SIGNS, Certified
from devkit.tee_simulator.options import TcbStatus as Simulated
from devkit.tee_simulator.seed import raw_signature, seeded_key
from svc_verifier.material import HttpResponse, Missing
from svc_verifier.trust import TcbPolicy, TcbStatus
from tests.support.attested.case import CODE, HARDWARE, LOG, NO_EVIDENCE, NO_QUOTE, Case, accepted, case
from tests.support.attested.look import DAY_S, Look
from tests.support.attested.td import MR_OWNER, NOW_S, OTHER_SEED, TD_ATTRIBUTES, XFAM, Td, development_options

SEPT_VE_DISABLE: Final = 1 << 28
SIMULATED_MODULE: Final = hashlib.sha384(b"svc development tdx module").digest()
SPOILED: Final = NO_QUOTE | {"evidence.quote"}
ALL: Final = HARDWARE | LOG | CODE

Tamper = Callable[[Look], object]


def quote(change: Callable[[bytearray], object]) -> Tamper:
    """The attestation's quote, changed without a new signature."""

    def tamper(look: Look) -> None:
        raw = bytearray.fromhex(look.attestation["quote"])
        change(raw)
        look.attestation["quote"] = raw.hex()

    return tamper


def all_of(*tampers: Tamper) -> Tamper:
    """One after the other."""

    def tamper(look: Look) -> None:
        for each in tampers:
            each(look)

    return tamper


def flipped(raw: bytes) -> bytes:
    """A quote whose MRTD is another under the old signature."""
    return replaced(raw, 184, bytes([raw[184] ^ 1]))


def flip(offset: int) -> Tamper:
    """One bit of the quote."""

    def change(raw: bytearray) -> None:
        raw[offset] ^= 1

    return quote(change)


def put(offset: int, value: bytes) -> Tamper:
    """Other bytes of the quote."""

    def change(raw: bytearray) -> None:
        raw[offset : offset + len(value)] = value

    return quote(change)


def both(change: Callable[[bytes], bytes]) -> Tamper:
    """The attestation's quote and the evidence set's."""

    def tamper(look: Look) -> None:
        look.attestation["quote"] = change(bytes.fromhex(look.attestation["quote"])).hex()
        answer = json.loads(look.files["quote.json"])
        answer["quote"] = change(bytes.fromhex(answer["quote"])).hex()
        look.files["quote.json"] = json.dumps(answer).encode()

    return tamper


def collateral(**changes: Any) -> Tamper:
    """Other parts of the collateral; None takes one away."""

    def tamper(look: Look) -> None:
        look.collateral = {name: value for name, value in (look.collateral | changes).items() if value is not None}

    return tamper


def document(
    name: str, change: Callable[[dict[str, Any]], object], signer: Callable[[Look], Certified] | None = None
) -> Tamper:
    """TCB info or QE identity, changed and signed anew: by Intel's part of the world unless told otherwise."""

    def tamper(look: Look) -> None:
        read = json.loads(look.collateral[name])
        change(read)
        text = json.dumps(read, separators=(",", ":"))
        by = signer(look) if signer else look.td.authorities.tcb_signing
        look.collateral |= {name: text, f"{name}_signature": raw_signature(by.key, text.encode()).hex()}

    return tamper


def pck_signed(name: str, *, disguised: bool = False) -> Tamper:
    """Signed by the platform's own PCK key, as one can who stole it (hole 13); or so that a PEM reader overlooks it."""

    def tamper(look: Look) -> None:
        owned = look.td.authorities
        document(name, dict.copy, lambda _: owned.pck)(look)
        leaf = owned.pck.pem
        if disguised:
            leaf = leaf.replace("CERTIFICATE", "PKCS7") + owned.tcb_signing.pem
        look.collateral[f"{name}_issuer_chain"] = leaf + owned.pck_ca.pem + owned.root.pem

    return tamper


def signed_below_the_pck_ca(name: str) -> Tamper:
    """Signed by a key that the authority of platforms certified under the name of Intel's signer of TCBs."""

    def tamper(look: Look) -> None:
        owned = look.td.authorities
        key = seeded_key(OTHER_SEED, "signer below the PCK CA")
        names = owned.pck_ca.certificate.subject, owned.tcb_signing.certificate.subject
        builder = x509.CertificateBuilder(*names, key.public_key(), 7, NOT_BEFORE, NOT_AFTER)
        builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        builder = builder.add_extension(SIGNS, critical=True)
        made = Certified(key, builder.sign(owned.pck_ca.key, SHA256(), ecdsa_deterministic=True))
        document(name, dict.copy, lambda _: made)(look)
        look.collateral[f"{name}_issuer_chain"] = made.pem + owned.pck_ca.pem + owned.root.pem

    return tamper


def revocation_list(name: str, issuer: str, subject: str = "", *, issued_s: int = NOW_S - DAY_S) -> Tamper:
    """A list that was issued then and names a certificate, or none."""

    def tamper(look: Look) -> None:
        serial = getattr(look.td.authorities, subject).certificate.serial_number if subject else None
        look.collateral[name] = signed_list(getattr(look.td.authorities, issuer), serial, issued_s)

    return tamper


def signed_list(signer: Certified, revoked: int | None = None, issued_s: int = NOW_S - DAY_S) -> str:
    """A list in hex that names the certificate of that serial number, or none."""
    start = dt.datetime.fromtimestamp(issued_s, dt.UTC)
    builder = x509.CertificateRevocationListBuilder(signer.certificate.subject, start, start + dt.timedelta(days=30))
    key_id = x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.key.public_key())
    builder = builder.add_extension(x509.CRLNumber(2), critical=False).add_extension(key_id, critical=False)
    if revoked is not None:
        entry = x509.RevokedCertificateBuilder().serial_number(revoked).revocation_date(start).build()
        builder = builder.add_revoked_certificate(entry)
    return builder.sign(signer.key, SHA256(), ecdsa_deterministic=True).public_bytes(Encoding.DER).hex()


def at(now_s: int) -> Tamper:
    """Looked at another time."""

    def tamper(look: Look) -> None:
        look.now_s = now_s

    return tamper


def attributes(value: int) -> Td:
    """A TD with these attributes, under a good signature."""
    return Td(report={TD_ATTRIBUTES: value.to_bytes(8, "little")})


def status(value: Simulated) -> Td:
    """A platform of that patch level."""
    return Td(options=development_options(tcb_status=value))


def quoting_enclave(status_of_enclave: str, status_of_platform: str) -> Tamper:
    """Collateral whose only levels have these statuses."""

    def tamper(look: Look) -> None:
        for name, value in (("qe_identity", status_of_enclave), ("tcb_info", status_of_platform)):
            document(name, lambda read, value=value: read["tcbLevels"][0].update(tcbStatus=value))(look)  # type: ignore[misc]

    return tamper


def number(value: int) -> Tamper:
    """Collateral of another evaluation number."""

    def tamper(look: Look) -> None:
        for name in ("tcb_info", "qe_identity"):
            document(name, lambda read: read.update(tcbEvaluationDataNumber=value))(look)

    return tamper


def aged(name: str, issued_after_s: int, looked_after_s: int) -> Tamper:
    """One part of the collateral issued so long after now, and all looked at later."""

    def tamper(look: Look) -> None:
        issued = dt.datetime.fromtimestamp(NOW_S + issued_after_s, dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        document(name, lambda read: read.update(issueDate=issued))(look)
        look.now_s = NOW_S + looked_after_s

    return tamper


def all_aged(age_s: int) -> Tamper:
    """Collateral issued now, and looked at so much later."""

    def tamper(look: Look) -> None:
        for name in ("tcb_info", "qe_identity"):
            aged(name, 0, age_s)(look)
        revocation_list("pck_crl", "pck_ca", issued_s=NOW_S)(look)

    return tamper


def aged_list(issued_before_s: int) -> Tamper:
    """A list of revoked platforms that was issued so long before all else."""

    def tamper(look: Look) -> None:
        all_aged(0)(look)
        revocation_list("pck_crl", "pck_ca", issued_s=NOW_S - issued_before_s)(look)

    return tamper


def no_attestation(answer: HttpResponse | Missing) -> Tamper:
    """Another answer of /attestation."""

    def tamper(look: Look) -> None:
        look.answers["/attestation"] = answer

    return tamper


def evidence_alone(change: Callable[[bytes], bytes]) -> Tamper:
    """The evidence set's quote."""

    def tamper(look: Look) -> None:
        answer = json.loads(look.files["quote.json"])
        answer["quote"] = change(bytes.fromhex(answer["quote"])).hex()
        look.files["quote.json"] = json.dumps(answer).encode()

    return tamper


def updated(svn2: bytes, where: Callable[[Callable[[bytes], bytes]], Tamper] = both) -> Tamper:
    """A TD report 1.5 whose module was exchanged since the launch, and collateral with levels for older modules."""

    def leveled(read: dict[str, Any]) -> None:
        levels = read["tdxModuleIdentities"][0]["tcbLevels"]
        level = {"tcbDate": levels[0]["tcbDate"], "advisoryIDs": ["INTEL-SA-00000"]}
        levels += [
            {"tcb": {"isvsvn": 10}, "tcbStatus": "OutOfDate", **level},
            {"tcb": {"isvsvn": 9}, "tcbStatus": "Revoked", **level},
        ]

    def tamper(look: Look) -> None:
        where(lambda raw: Td().as_version_5(raw, tee_tcb_svn2=svn2.ljust(16, b"\0")))(look)
        document("tcb_info", leveled)(look)

    return tamper


def replaced(data: bytes, offset: int, value: bytes) -> bytes:
    """`data` with `value` at `offset`."""
    return data[:offset] + value + data[offset + len(value) :]


def tcb_level(**changes: Any) -> Tamper:
    """TCB info whose only level is another."""
    return document("tcb_info", lambda read: read["tcbLevels"][0]["tcb"].update(changes))


OWN: Final = frozenset({"hardware.td-attributes", "hardware.td-owner", "hardware.platform"})
"""What a quote says without collateral."""

DEBUG_FAILS: Final = "hardware.td-attributes evidence.quote"
OWNER_FAILS: Final = "hardware.td-owner evidence.quote"
MODULE_FAILS: Final = "hardware.tdx-module evidence.quote"
UNSIGNED: Final = frozenset({"hardware.tcb-status"})
UNDECIDED: Final = UNSIGNED | {"hardware.signatures"}
OF_COLLATERAL: Final = NO_QUOTE | HARDWARE | {"evidence.quote"}
"""What rests on collateral that is of use: nothing of it is decided where it is not the host's fault that there is none."""

DATED: Final = NO_QUOTE | UNDECIDED | {"hardware.collateral", "evidence.quote"}
"""What a date leaves undecided that may be the clock's fault or the collateral's."""

OF_SIGNERS: Final = NO_QUOTE | {"hardware.signers", "evidence.quote"}
UNREADABLE: Final = NO_QUOTE | UNDECIDED | {"evidence.quote"}
"""Check ids that are undecided where the library cannot read what Intel signed."""

DOCUMENTS: Final = {"tcb_info": "TCB info", "qe_identity": "QE identity"}
OLD: Final = NO_QUOTE | {"hardware.collateral", "evidence.quote"}
FOREIGN: Final = Td(seed=OTHER_SEED)
EXTENSION: Final = (
    b"\2" + bytes(32) + bytes(48) + bytes(48) + bytes(8) + b"\5" * 16 + b"\6" * 16 + b"\1" * 12 + bytes(48) + bytes(8)
)
"""VMID, TD id, device, service TD at launch and its attributes, launch platform's SVNs and FMSPC, service TD now."""

HARDWARE_CASES: Final[tuple[Case, ...]] = (
    # the quote itself
    case("quote: no hex", "hardware.quote", HARDWARE | NO_QUOTE | {*OWN},
         tamper=lambda look: look.attestation.update(quote="zz")),
    case("quote: cut off", "hardware.quote", HARDWARE | NO_QUOTE | {*OWN},
         tamper=lambda look: look.attestation.update(quote=look.attestation["quote"][:-2])),
    case("quote: bytes behind it that nobody signed", "hardware.quote",
         HARDWARE | NO_QUOTE | {*OWN},
         tamper=quote(lambda raw: raw.extend(b"\1"))),
    accepted("quote: zeros behind it", tamper=quote(lambda raw: raw.extend(bytes(3000)))),
    accepted("quote: upper-case hex", tamper=lambda look: look.attestation.update(quote=look.attestation["quote"].upper())),
    case("quote: version 3", "hardware.quote", HARDWARE | NO_QUOTE | {*OWN},
         tamper=put(0, b"\3\0")),
    case("quote: of SGX", "hardware.quote", HARDWARE | NO_QUOTE | {*OWN},
         tamper=put(4, bytes(4))),
    accepted("quote: version 5 with a TD report 1.5", tamper=both(lambda raw: Td().as_version_5(raw))),
    case("quote: version 5 with a service TD", DEBUG_FAILS, SPOILED - {"evidence.quote"} | UNDECIDED,
         tamper=both(lambda raw: Td().as_version_5(raw, b"\7" * 48))),
    accepted("quote: version 5 with an extended TD report 1.5", tamper=both(lambda raw: Td().as_version_5(raw, extension=EXTENSION))),
    case("quote: version 5 with a service TD bound since launch", DEBUG_FAILS, NO_QUOTE,
         tamper=both(lambda raw: Td().as_version_5(raw, extension=replaced(EXTENSION, 81, b"\7" * 48)))),
    case("quote: version 5 with a service TD bound now", DEBUG_FAILS, NO_QUOTE,
         tamper=both(lambda raw: Td().as_version_5(raw, extension=replaced(EXTENSION, 181, b"\7" * 48)))),
    case("quote: version 5 with a body of a type that nobody knows", "",
         HARDWARE | NO_QUOTE | {"hardware.quote", "evidence.quote", *OWN},
         tamper=both(lambda raw: Td().as_version_5(raw, extension=EXTENSION, body_type=5))),
    case("quote: version 5 with a body of another size than its type has", "hardware.quote evidence.quote",
         HARDWARE | NO_QUOTE | {*OWN},
         tamper=both(lambda raw: Td().as_version_5(raw, extension=EXTENSION, body_type=3))),
    case("quote: of a version that nobody knows", "",
         HARDWARE | NO_QUOTE | {"hardware.quote", *OWN}, tamper=put(0, b"\6\0")),
    accepted("quote: 0x before its hex", tamper=lambda look: look.attestation.update(quote=f"0x{look.attestation['quote']}")),
    case("attestation: not JSON", "hardware.quote",
         HARDWARE | NO_QUOTE | {*OWN, "log.form"},
         tamper=no_attestation(HttpResponse(200, b"<html>", 0))),
    case("attestation: busy", "", HARDWARE | NO_QUOTE | {"hardware.quote", *OWN, "log.form"},
         tamper=no_attestation(HttpResponse(503, b"{}", 0))),
    case("attestation: a key twice", "hardware.quote",
         HARDWARE | NO_QUOTE | {*OWN, "log.form"},
         tamper=no_attestation(HttpResponse(200, b'{"quote":"00","quote":"01","event_log":"[]"}', 0))),
    # signatures
    case("signature: flipped", "hardware.signatures", NO_QUOTE | UNSIGNED, tamper=flip(640)),
    case("quote: another MRTD under the old signature", "hardware.signatures", NO_QUOTE | UNSIGNED, tamper=flip(184)),
    case("quote: another RTMR3 under the old signature", "hardware.signatures", NO_QUOTE | UNSIGNED, tamper=flip(520)),
    case("quote: other report data under the old signature", "hardware.signatures", NO_QUOTE | UNSIGNED, tamper=flip(568)),
    case("quote: another header under the old signature", "hardware.signatures", NO_QUOTE | UNSIGNED, tamper=flip(28)),
    case("attestation key: flipped", "hardware.signatures", NO_QUOTE | UNSIGNED, tamper=flip(700)),
    case("QE report: flipped", "hardware.signatures", NO_QUOTE | UNSIGNED, tamper=flip(780)),
    case("QE report's signature: flipped", "hardware.signatures", NO_QUOTE | UNSIGNED, tamper=flip(770 + 384 + 1)),
    case("QE auth data: flipped", "hardware.signatures", NO_QUOTE | UNSIGNED, tamper=flip(770 + 384 + 64 + 2)),
    case("root: another platform's", "hardware.signatures evidence.quote", NO_QUOTE | HARDWARE - {"hardware.signatures"},
         td=FOREIGN),
    case("root: another platform's, with the pinned platform's collateral", "hardware.signatures evidence.quote",
         NO_QUOTE | UNSIGNED, td=FOREIGN, tamper=collateral(**Td().collateral)),
    case("PCK certificate: revoked", "hardware.signatures evidence.quote", NO_QUOTE | UNSIGNED,
         tamper=revocation_list("pck_crl", "pck_ca", "pck")),
    case("PCK authority: revoked", "hardware.signatures evidence.quote", NO_QUOTE | UNSIGNED,
         tamper=revocation_list("root_ca_crl", "root", "pck_ca")),
    case("TCB signer: revoked", "hardware.signatures evidence.quote", NO_QUOTE | UNSIGNED,
         tamper=revocation_list("root_ca_crl", "root", "tcb_signing")),
    case("TCB info: flipped signature", "", OF_COLLATERAL, tamper=collateral(tcb_info_signature="11" * 64)),
    case("QE identity: flipped signature", "", OF_COLLATERAL, tamper=collateral(qe_identity_signature="11" * 64)),
    case("QE identity: of another enclave", "hardware.signatures evidence.quote", NO_QUOTE | UNSIGNED,
         tamper=document("qe_identity", lambda read: read.update(mrsigner="11" * 32))),
    case("TCB info: of SGX", "", OF_COLLATERAL, tamper=document("tcb_info", lambda read: read.update(id="SGX"))),
    case("QE identity: of SGX", "", OF_COLLATERAL, tamper=document("qe_identity", lambda read: read.update(id="QE"))),
    case("PCK CRL: of another authority", "", OF_COLLATERAL, tamper=revocation_list("pck_crl", "root")),
    case("root CA CRL: of another authority", "", OF_COLLATERAL, tamper=revocation_list("root_ca_crl", "pck_ca")),
    case("TCB info: flipped signature, and certificates that do not end in the root", "hardware.signatures evidence.quote",
         NO_QUOTE | HARDWARE - {"hardware.signatures"}, td=FOREIGN,
         tamper=collateral(**{**Td().collateral, "tcb_info_signature": "11" * 64})),
    # signers
    *(case(f"{what}: signed by the PCK key", "", OF_SIGNERS, tamper=pck_signed(name)) for name, what in DOCUMENTS.items()),
    case("TCB info: signed by the PCK key in a block that does not say it is a certificate", "", OF_COLLATERAL,
         tamper=pck_signed("tcb_info", disguised=True)),
    case("TCB info: text before the signer's certificate", "", OF_COLLATERAL,
         tamper=lambda look: collateral(tcb_info_issuer_chain="x" + look.collateral["tcb_info_issuer_chain"])(look)),
    # collateral
    case("collateral: out of reach", "", NO_QUOTE | HARDWARE | {"evidence.quote"}, tamper=lambda look: setattr(look, "platform", ("", ""))),
    case("collateral: no JSON", "", OF_COLLATERAL, tamper=collateral(tcb_info="{")),
    case("collateral: no TCB info", "", OF_COLLATERAL, tamper=collateral(tcb_info=None)),
    *(case(f"collateral: no {name}", "", OF_COLLATERAL, tamper=collateral(**{name: None}))
      for name in ("qe_identity", "pck_crl", "root_ca_crl", "pck_crl_issuer_chain", "tcb_info_signature")),
    case("collateral: with one quote's own PCK chain", "", OF_COLLATERAL, tamper=collateral(pck_certificate_chain="x")),
    case("collateral: of another FMSPC", "", OF_COLLATERAL,
         tamper=document("tcb_info", lambda read: read.update(fmspc="00906ED50000"))),
    case("time: before the collateral", "", DATED, tamper=at(NOW_S - 3 * DAY_S)),
    case("time: after the collateral", "", DATED, tamper=at(NOW_S + 31 * DAY_S)),
    *(case(f"time: {when} the collateral, and a forged quote", "hardware.signatures evidence.quote",
           NO_QUOTE | UNSIGNED | {"hardware.collateral"}, tamper=all_of(at(moment_s), both(flipped)))
      for when, moment_s in (("before", NOW_S - 3 * DAY_S), ("after", NOW_S + 31 * DAY_S))),
    case("time: before the collateral, and a TCB that is revoked", "hardware.tcb-status evidence.quote",
         NO_QUOTE | {"hardware.signatures", "hardware.collateral"}, td=status(Simulated.REVOKED), tamper=at(NOW_S - 3 * DAY_S)),
    case("collateral: older than the policy allows", "", OLD,
         tamper=at(NOW_S + 5 * DAY_S), trust={"tcb": TcbPolicy(collateral_max_age_s=3 * DAY_S)}),
    case("collateral: older than the policy allows, and a forged quote", "hardware.signatures evidence.quote",
         NO_QUOTE | UNSIGNED | {"hardware.collateral"},
         tamper=all_of(at(NOW_S + 5 * DAY_S), both(flipped)),
         trust={"tcb": TcbPolicy(collateral_max_age_s=3 * DAY_S)}),
    case("collateral: rolled back, and of a time before the TDX module", "", OLD | UNDECIDED | {"hardware.tdx-module"},
         td=Td(report={49: b"\7"}), tamper=number(17), trust={"tcb": TcbPolicy(minimum_evaluation_number=20)}),
    *(case(f"collateral: the {old} older than the policy allows", "", OLD,
           tamper=aged(young, 4 * DAY_S, 5 * DAY_S), trust={"tcb": TcbPolicy(collateral_max_age_s=3 * DAY_S)})
      for old, young in (("TCB info", "qe_identity"), ("QE identity", "tcb_info"))),
    case("collateral: one second older than the policy allows", "", OLD,
         tamper=all_aged(3 * DAY_S + 1), trust={"tcb": TcbPolicy(collateral_max_age_s=3 * DAY_S)}),
    accepted("collateral: as old as the policy allows",
             tamper=all_aged(3 * DAY_S), trust={"tcb": TcbPolicy(collateral_max_age_s=3 * DAY_S)}),
    case("collateral: rolled back", "", OLD, tamper=number(17),
         trust={"tcb": TcbPolicy(minimum_evaluation_number=20)}),
    case("collateral: QE identity alone rolled back", "", OLD,
         tamper=document("qe_identity", lambda read: read.update(tcbEvaluationDataNumber=17)),
         trust={"tcb": TcbPolicy(minimum_evaluation_number=20)}),
    accepted("collateral: of the least evaluation number allowed", trust={"tcb": TcbPolicy(minimum_evaluation_number=20)}),
    # what the platform is worth
    *(case(f"TCB: {value}", "hardware.tcb-status", td=status(value)) for value in Simulated
      if value not in {Simulated.UP_TO_DATE, Simulated.REVOKED}),
    case("TCB: Revoked", "hardware.tcb-status", td=status(Simulated.REVOKED)),
    case("TCB: Revoked is never acceptable", "hardware.tcb-status", td=status(Simulated.REVOKED),
         trust={"tcb": TcbPolicy(accepted=frozenset(TcbStatus))}),
    case("TCB: no level fits", "hardware.tcb-status", tamper=tcb_level(pcesvn=60_000)),
    case("TCB: no level fits a forged quote", "hardware.signatures evidence.quote", NO_QUOTE | UNSIGNED,
         tamper=all_of(tcb_level(pcesvn=60_000), flip(640))),
    accepted("TCB: OutOfDate, which the user accepts", td=status(Simulated.OUT_OF_DATE),
             trust={"tcb": TcbPolicy(accepted=frozenset({TcbStatus.OUT_OF_DATE}))}),
    case("TCB: an advisory the user rejects", "hardware.tcb-status", td=status(Simulated.OUT_OF_DATE),
         trust={"tcb": TcbPolicy(frozenset({TcbStatus.OUT_OF_DATE}), frozenset({"INTEL-SA-00000"}))}),
    case("platform: none of the pinned ones", "hardware.platform", trust={"tcb": TcbPolicy(platforms=frozenset({bytes(16)}))}),
    # the TD's attributes
    case("TD: debuggable", DEBUG_FAILS, NO_QUOTE | UNDECIDED, td=Td(options=development_options(debug=True))),
    case("TD: profiled", DEBUG_FAILS, NO_QUOTE | UNDECIDED, td=attributes(SEPT_VE_DISABLE | 1 << 4)),
    case("TD: migratable", DEBUG_FAILS, NO_QUOTE | UNDECIDED, td=attributes(SEPT_VE_DISABLE | 1 << 29)),
    case("TD: without SEPT_VE_DISABLE", DEBUG_FAILS, NO_QUOTE | UNDECIDED, td=attributes(0)),
    case("TD: an attribute that nobody knows", DEBUG_FAILS, NO_QUOTE | UNDECIDED, td=attributes(SEPT_VE_DISABLE | 1 << 40)),
    case("TD: may be traced", DEBUG_FAILS, NO_QUOTE, td=Td(report={XFAM: (0x602E7 | 1 << 8).to_bytes(8, "little")})),
    accepted("TD: every feature that real ones have", td=Td(report={XFAM: 0x65AE7.to_bytes(8, "little")})),
    case("TD: an owner", OWNER_FAILS, NO_QUOTE, td=Td(report={MR_OWNER: b"\1"})),
    case("TD: an owner's configuration", OWNER_FAILS, NO_QUOTE, td=Td(report={MR_OWNER + 48: b"\1"})),
    accepted("TD: the pinned owner", td=Td(report={MR_OWNER: b"\1" * 48}), trust={"mr_owner": b"\1" * 48}),
    case("TD: not the pinned owner", OWNER_FAILS, NO_QUOTE, trust={"mr_owner": b"\1" * 48}),
    case("TD: not the pinned owner's configuration", OWNER_FAILS, NO_QUOTE, trust={"mr_owner_config": b"\1" * 48}),
    case("TDX module: not signed by Intel", MODULE_FAILS, NO_QUOTE | UNDECIDED, td=Td(report={112: b"\1" * 48})),
    case("TDX module: other attributes than the collateral allows", MODULE_FAILS, NO_QUOTE | UNDECIDED, td=Td(report={160: b"\1"})),
    case("TDX module: of a version that the collateral does not know", MODULE_FAILS, NO_QUOTE | UNDECIDED,
         td=Td(report={49: b"\7"})),
    case("TDX module: none of the pinned ones", MODULE_FAILS, NO_QUOTE,
         trust={"tcb": TcbPolicy(tdx_modules=frozenset({b"\1" * 48}))}),
    accepted("TDX module: a pinned one", trust={"tcb": TcbPolicy(tdx_modules=frozenset({SIMULATED_MODULE, b"\1" * 48}))}),
    # the TCB that runs the TD now, where another one launched it
    accepted("running TCB: as good as that of the launch", tamper=updated(b"\x0c\1\4")),
    case("running TCB: out of date, though the launch's is not", "hardware.tcb-status", tamper=updated(b"\x0a\1\4")),
    case("running TCB: revoked, though the launch's is not", "hardware.tcb-status", tamper=updated(b"\x09\1\4"),
         trust={"tcb": TcbPolicy(accepted=frozenset(TcbStatus))}),
    case("running TCB: below every level", "hardware.signatures evidence.quote", NO_QUOTE | UNSIGNED, tamper=updated(b"\x08\1\4")),
    case("running TCB: of an older microcode than any level", "hardware.signatures evidence.quote", NO_QUOTE | UNSIGNED,
         tamper=updated(b"\x0b\1\3")),
    accepted("running TCB: out of date, which the user accepts", tamper=updated(b"\x0a\1\4"),
             trust={"tcb": TcbPolicy(accepted=frozenset({TcbStatus.UP_TO_DATE, TcbStatus.OUT_OF_DATE}))}),
    case("running TCB: an advisory the user rejects", "hardware.tcb-status", tamper=updated(b"\x0a\1\4"),
         trust={"tcb": TcbPolicy(frozenset({TcbStatus.UP_TO_DATE, TcbStatus.OUT_OF_DATE}), frozenset({"INTEL-SA-00000"}))}),
    case("running TCB: of a module version that the collateral does not know", MODULE_FAILS, NO_QUOTE | UNDECIDED,
         tamper=updated(b"\x0b\2\4")),
    *(case(f"{what}: signed below the PCK CA", "", OF_SIGNERS, tamper=signed_below_the_pck_ca(name))
      for name, what in DOCUMENTS.items()),
    case("collateral: of another PCEID", "", OF_COLLATERAL,
         tamper=document("tcb_info", lambda read: read.update(pceId="0001"))),
    case("collateral: of no PCEID", "", OF_COLLATERAL,
         tamper=document("tcb_info", lambda read: read.update(pceId=None))),
    *(case(f"TCB: of the quoting enclave {value}, though the platform is {platform}", "hardware.tcb-status",
           tamper=quoting_enclave(value, platform), trust={"tcb": TcbPolicy(accepted)})
      for value in ("ConfigurationNeeded", "OutOfDateConfigurationNeeded")
      for platform, accepted in (("UpToDate", frozenset({TcbStatus.UP_TO_DATE})), ("OutOfDate", frozenset({TcbStatus.OUT_OF_DATE})))),
    accepted("TCB: of the quoting enclave ConfigurationNeeded, which the user accepts",
             tamper=quoting_enclave("ConfigurationNeeded", "UpToDate"),
             trust={"tcb": TcbPolicy(frozenset({TcbStatus.UP_TO_DATE, TcbStatus.CONFIGURATION_NEEDED}))}),
    accepted("TCB: of the quoting enclave OutOfDate, as the platform's, which the user accepts",
             tamper=quoting_enclave("OutOfDate", "UpToDate"), trust={"tcb": TcbPolicy(frozenset({TcbStatus.OUT_OF_DATE}))}),
    case("running TCB: out of date in the evidence set's quote alone", "evidence.quote", NO_EVIDENCE | {"evidence.same-td"},
         tamper=updated(b"\x0a\1\4", evidence_alone)),
    case("running TCB: a rejected advisory in the evidence set's quote alone", "evidence.quote",
         NO_EVIDENCE | {"evidence.same-td"}, tamper=updated(b"\x0a\1\4", evidence_alone),
         trust={"tcb": TcbPolicy(frozenset(TcbStatus), frozenset({"INTEL-SA-00000"}))}),
    case("running TDX module: of a version that the collateral does not know", MODULE_FAILS, NO_QUOTE | UNDECIDED,
         tamper=updated(b"\x0b\7\4")),
    *(case(f"collateral: a {name} of a version that nobody knows", "", OF_COLLATERAL, tamper=document(name, lambda read: read.update(version=9)))
      for name in ("tcb_info", "qe_identity")),
    case("collateral: the PCK CRL one second older than the policy allows", "", OLD,
         tamper=aged_list(3 * DAY_S + 1), trust={"tcb": TcbPolicy(collateral_max_age_s=3 * DAY_S)}),
    accepted("collateral: the PCK CRL as old as the policy allows",
             tamper=aged_list(3 * DAY_S), trust={"tcb": TcbPolicy(collateral_max_age_s=3 * DAY_S)}),
)  # fmt: skip
