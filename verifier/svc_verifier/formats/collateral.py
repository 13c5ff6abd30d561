"""Forms in which tools write Intel's collateral, as the one form that dcap-qvl reads.

Intel signs the text of a TCB info and of a QE identity, byte for byte. Where a tool wrote one as an object, or kept the whole
answer of the service with its signature, the signed text is cut out of the file as it stands there: written again it would be
another text.
"""

from typing import Final

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.strict_json import Json, parse_json_object, raw_value

NESTING: Final = 24
_SIGNED: Final = {"tcb_info": "tcbInfo", "qe_identity": "enclaveIdentity"}
"""Members of collateral that are signed texts, and what Intel's service calls each in its answer."""


def with_signed_texts(read: dict[str, Json], text: str, limit_bytes: int) -> dict[str, Json]:
    """Collateral whose signed members are the texts that were signed. `text` is what `read` was read from.

    Raises VerifierError(BAD_IMPORT, NOT_JSON, TOO_LARGE).
    """
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
            return {}  # what reads the collateral says what is wrong with it
        raise


def _signature(beside: Json, within: Json, name: str) -> Json:
    """The signature that an answer holds, and that may stand beside it once more."""
    if beside and within and str(beside).lower() != str(within).lower():
        message = f"collateral: two signatures of {name} that differ"
        raise VerifierError(VerifierErrorCode.BAD_IMPORT, message)
    return beside or within
