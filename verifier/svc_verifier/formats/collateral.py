"""Forms in which services and tools write Intel's collateral, as the one that dcap-qvl reads.

Intel signs the text of a TCB info and of a QE identity byte for byte. If a tool wrote one as an
object, or kept the service's whole response, the signed text is cut out of the file, since writing
it again would change it.
"""

import json
import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import unquote

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from svc_verifier.errors import VerifierError, VerifierErrorCode, guarded
from svc_verifier.formats.strict_json import Json, hex_bytes, parse_json_object, raw_value

NESTING: Final = 24
_SIGNED: Final = {"tcb_info": "tcbInfo", "qe_identity": "enclaveIdentity"}
"""Members of collateral that are signed texts, and their names in the service's response."""

_CRLS: Final = ("root_ca_crl", "pck_crl")
_WORDS: Final = {
    "tcb_info": "the TCB info",
    "qe_identity": "the QE identity",
    "root_ca_crl": "the root CA CRL",
    "pck_crl": "the PCK CRL",
}
_DER: Final = b"\x30"
"""First byte of a CRL in DER, a zero as text. Hex begins with `3` or `0x`, PEM with a dash."""

_PREFIX: Final = b"x"

_LABEL: Final = re.compile(r"-----(BEGIN|END)\+CERTIFICATE-----")


def with_signed_texts(read: dict[str, Json], text: str, limit_bytes: int) -> dict[str, Json]:
    """Returns collateral with the signed texts of its members. `text` is the source of `read`."""
    found = dict(read)
    for name, inner in _SIGNED.items():
        value = read.get(name)
        if isinstance(value, dict):
            signed = raw_value(text, (name,))
        elif isinstance(value, str):
            # Intel's own library counts the zero that ends a text in C.
            signed = value.rstrip("\0")
        else:
            continue
        body = _body(signed, limit_bytes)
        if isinstance(body.get(inner), dict):
            signed = raw_value(signed, (inner,))
            found[f"{name}_signature"] = _signature(read.get(f"{name}_signature"), body.get("signature"), name)
        found[name] = signed
    return found


def _body(signed: str, limit_bytes: int) -> dict[str, Json]:
    try:
        return parse_json_object(signed, "collateral", limit_bytes, NESTING)
    except VerifierError as error:
        if error.code is VerifierErrorCode.NOT_JSON:
            return {}  # the reader of the collateral reports it
        raise


def _signature(beside: Json, within: Json, name: str) -> Json:
    """Returns the signature in a response, which a member beside it may repeat."""
    if beside and within and str(beside).lower() != str(within).lower():
        message = f"collateral: two signatures of {name} that differ"
        raise VerifierError(VerifierErrorCode.BAD_IMPORT, message)
    return beside or within


def crl_hex(crl: bytes, what: str) -> str:
    """Returns a CRL of DER, PEM or hex as hex of its DER. Raises VerifierError(BAD_COLLATERAL)."""
    return guarded(
        VerifierErrorCode.BAD_COLLATERAL,
        lambda _: f"collateral: {what} is no CRL in DER, PEM or hex",
        lambda: _der(crl).hex(),
    )


def _der(crl: bytes) -> bytes:
    if crl.startswith(_DER) and not crl[1:].lower().startswith(_PREFIX):
        return crl
    if crl.lstrip().startswith(b"-----"):
        return x509.load_pem_x509_crl(crl).public_bytes(Encoding.DER)
    return hex_bytes(crl.strip().decode("ascii"))


def chain_pem(text: str) -> str:
    """Returns a PEM chain of a header or member, decoded from percent signs and `+` for blanks."""
    # PEM has no percent sign, and blanks only in labels. A plus elsewhere is base64's.
    return _LABEL.sub(r"-----\1 CERTIFICATE-----", unquote(text) if "%" in text else text)


def collateral_of(bodies: Mapping[str, bytes], chains: Mapping[str, str], limit_bytes: int) -> str:
    """Returns a service's responses as dcap-qvl's JSON. Mappings are by its members."""
    read: dict[str, Json] = {f"{name}_issuer_chain": chain_pem(chain) for name, chain in chains.items()}
    for name, member in _SIGNED.items():
        what = _WORDS[name]
        answer = parse_json_object(bodies[name], what, limit_bytes, NESTING)
        if member not in answer:
            raise VerifierError(VerifierErrorCode.BAD_COLLATERAL, f"{what}: has no {member}")
        # These characters of the response are signed, as they are.
        read[name] = raw_value(bodies[name].decode(), (member,))
        read[f"{name}_signature"] = answer.get("signature")
    return json.dumps(read | {name: crl_hex(bodies[name], _WORDS[name]) for name in _CRLS})
