"""Forms in which services and tools write the parts of collateral, each read into the one that dcap-qvl takes."""

import json
import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import unquote

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from svc_verifier.errors import VerifierError, VerifierErrorCode, guarded
from svc_verifier.formats.strict_json import Json, hex_bytes, parse_json_object, raw_value

_DER: Final = b"\x30"
"""First byte of a CRL in DER; one in hex begins with a digit, one in PEM with a dash."""

_LABEL: Final = re.compile(r"-----(BEGIN|END)\+CERTIFICATE-----")
NESTING: Final = 24
_DOCUMENTS: Final = {"tcb_info": ("tcbInfo", "the TCB info"), "qe_identity": ("enclaveIdentity", "the QE identity")}
_CRLS: Final = {"root_ca_crl": "the root CA CRL", "pck_crl": "the PCK CRL"}


def crl_hex(crl: bytes, what: str) -> str:
    """Returns a CRL, which may be DER, PEM or hex, as hex of its DER. Raises VerifierError(BAD_COLLATERAL)."""
    return guarded(
        VerifierErrorCode.BAD_COLLATERAL,
        lambda _: f"collateral: {what} is no CRL in DER, PEM or hex",
        lambda: _der(crl).hex(),
    )


def _der(crl: bytes) -> bytes:
    if crl.startswith(_DER):
        return crl
    if crl.lstrip().startswith(b"-----"):
        return x509.load_pem_x509_crl(crl).public_bytes(Encoding.DER)
    return hex_bytes(crl.strip().decode("ascii"))


def chain_pem(text: str) -> str:
    """Returns a chain as a header or a member holds it as PEM: percent signs decoded, and blanks that were sent as `+`."""
    # PEM has no percent sign, and a blank in its labels alone: a plus anywhere else is base64's own.
    return _LABEL.sub(r"-----\1 CERTIFICATE-----", unquote(text) if "%" in text else text)


def collateral_of(bodies: Mapping[str, bytes], chains: Mapping[str, str], limit_bytes: int) -> str:
    """Returns a service's answers as dcap-qvl's JSON. `bodies` are by the members of that, `chains` by those they signed.

    Raises VerifierError(TOO_LARGE, NOT_JSON, BAD_COLLATERAL).
    """
    read: dict[str, Json] = {f"{name}_issuer_chain": chain_pem(chain) for name, chain in chains.items()}
    for name, (member, what) in _DOCUMENTS.items():
        answer = parse_json_object(bodies[name], what, limit_bytes, NESTING)
        if member not in answer:
            raise VerifierError(VerifierErrorCode.BAD_COLLATERAL, f"{what}: has no {member}")
        # What is signed is these characters, as they stand in the answer.
        read[name] = raw_value(bodies[name].decode(), (member,))
        read[f"{name}_signature"] = answer.get("signature")
    return json.dumps(read | {name: crl_hex(bodies[name], what) for name, what in _CRLS.items()})
