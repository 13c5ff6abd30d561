"""What /attestation and an evidence set's quote.json answer: a quote and what belongs to it (attestation.md section 1.2)."""

from dataclasses import dataclass
from typing import Final

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.strict_json import parse_json_object

LIMIT_BYTES: Final = 4_194_304
NESTING: Final = 24


@dataclass(frozen=True, slots=True)
class QuoteAnswer:
    """The texts as they were served; `event_log` and `vm_config` are empty where there is none. `statement` is there when a nonce was sent to a node that knows what to do with it."""

    quote: str
    event_log: str
    vm_config: str
    report_data: str | None
    statement: str | None


def parse_quote_answer(body: bytes, what: str) -> QuoteAnswer:
    """Raises VerifierError(TOO_LARGE, NOT_JSON, BAD_EVIDENCE) naming `what`, and nothing else."""
    read = parse_json_object(body, what, LIMIT_BYTES, NESTING)

    def text(key: str, default: str | None) -> str | None:
        value = read.get(key, default)
        if value is not None and not isinstance(value, str):
            raise VerifierError(VerifierErrorCode.BAD_EVIDENCE, f"{what}: {key} is no text")
        return value

    quote = text("quote", None)
    if quote is None:
        raise VerifierError(VerifierErrorCode.BAD_EVIDENCE, f"{what}: quote is missing")
    return QuoteAnswer(
        quote=quote,
        event_log=text("event_log", "") or "",
        vm_config=text("vm_config", "") or "",
        report_data=text("report_data", None),
        statement=text("statement", None),
    )
