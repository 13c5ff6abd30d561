"""Intel's collateral as dcap-qvl's JSON: what is read from it beside the verification itself.

A quote's own PCK chain in the collateral would override the one inside the quote: such a file is of one quote alone and
is refused. Names of signers are read here since dcap-qvl accepts TCB info signed by any key below the root, a leaked
PCK key included (hole 13).
"""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from cryptography import x509
from cryptography.x509.oid import NameOID

from svc_verifier.errors import VerifierError, VerifierErrorCode, guarded
from svc_verifier.formats.certificate import parse_chain
from svc_verifier.formats.strict_json import Json, parse_json_object

LIMIT_BYTES: Final = 1_048_576
TCB_SIGNER: Final = "Intel SGX TCB Signing"
PCK_LEAF: Final = "Intel SGX PCK Certificate"
_OWN_CHAIN: Final = "pck_certificate_chain"


@dataclass(frozen=True, slots=True)
class Validity:
    """When one part of the collateral was issued and when it ends, in unix seconds."""

    name: str
    from_s: int
    until_s: int


@dataclass(frozen=True, slots=True)
class CollateralFacts:
    """`evaluation_number` is the lower of TCB info and QE identity; `signers` are the names of who signed both."""

    fmspc: str
    evaluation_number: int
    validities: tuple[Validity, ...]
    signers: tuple[str, str]


def read_collateral(text: str) -> CollateralFacts:
    """Raises VerifierError(BAD_COLLATERAL, TOO_LARGE, NOT_JSON), and nothing else."""
    read = parse_json_object(text, "collateral", LIMIT_BYTES, 8)
    if read.get(_OWN_CHAIN):
        raise _bad("it holds one quote's own PCK chain, which would stand in for another quote's")
    tcb_info = parse_json_object(_text(read, "tcb_info"), "TCB info", LIMIT_BYTES, 24)
    qe_identity = parse_json_object(_text(read, "qe_identity"), "QE identity", LIMIT_BYTES, 24)
    return CollateralFacts(
        fmspc=_text(tcb_info, "fmspc").upper(),
        evaluation_number=min(_number(tcb_info), _number(qe_identity)),
        validities=(
            Validity("TCB info", _time(tcb_info, "issueDate"), _time(tcb_info, "nextUpdate")),
            Validity("QE identity", _time(qe_identity, "issueDate"), _time(qe_identity, "nextUpdate")),
            _of_crl(read, "root_ca_crl", "root CA CRL"),
            _of_crl(read, "pck_crl", "PCK CRL"),
        ),
        signers=(_signer(read, "tcb_info_issuer_chain"), _signer(read, "qe_identity_issuer_chain")),
    )


def without_own_chain(collateral: str) -> str:
    """Returns it without the chain of one quote, which would override that of every other.

    Raises VerifierError(TOO_LARGE, NOT_JSON).
    """
    read = parse_json_object(collateral, "collateral", LIMIT_BYTES, 8)
    read.pop(_OWN_CHAIN, None)
    return json.dumps(read)


def common_name(certificate: x509.Certificate) -> str:
    """The subject's common name; empty when there is none or more than one."""
    names = certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    return str(names[0].value) if len(names) == 1 else ""


def _signer(read: dict[str, Json], key: str) -> str:
    """Of the leaf that dcap-qvl takes: the first block, of whatever kind it says it is."""
    pem = _text(read, key).encode(errors="surrogatepass")
    return common_name(parse_chain(pem, f"collateral: {key}", VerifierErrorCode.BAD_COLLATERAL)[0])


def _of_crl(read: dict[str, Json], key: str, name: str) -> Validity:
    text = _text(read, key)
    since, until = guarded(
        VerifierErrorCode.BAD_COLLATERAL,
        lambda _: f"collateral: {key} is no CRL in hex",
        lambda: _period(x509.load_der_x509_crl(bytes.fromhex(text))),
    )
    if until is None:
        raise _bad(f"{key} names no next update")
    return Validity(name, int(since.timestamp()), int(until.timestamp()))


def _period(crl: x509.CertificateRevocationList) -> tuple[datetime, datetime | None]:
    return crl.last_update_utc, crl.next_update_utc


def _text(read: dict[str, Json], key: str) -> str:
    value = read.get(key)
    if not isinstance(value, str):
        raise _bad(f"{key} is missing or no text")
    return value


def _number(read: dict[str, Json]) -> int:
    value = read.get("tcbEvaluationDataNumber")
    if not isinstance(value, int) or isinstance(value, bool):
        raise _bad("tcbEvaluationDataNumber is no number")
    return value


def _time(read: dict[str, Json], key: str) -> int:
    try:
        moment = datetime.fromisoformat(_text(read, key))
        return int(moment.timestamp()) if moment.tzinfo is not None else -1
    except (ValueError, OverflowError):
        raise _bad(f"{key} is no time") from None


def _bad(what: str) -> VerifierError:
    return VerifierError(VerifierErrorCode.BAD_COLLATERAL, f"collateral: {what}")
