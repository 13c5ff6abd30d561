"""The process of `svc_verifier.worker`, which reads calls and writes results one by one.

Only that module runs it. It is not imported here, since an event loop's modules are a third of a
start. The process has limits of memory and processor time, and ends with its input.
"""

import contextlib
import gc
import json
import os
import pickle
import sys
from collections.abc import Callable, Mapping
from typing import BinaryIO, Final

from svc_verifier.check import Check, Status
from svc_verifier.checks.hardware import check_hardware
from svc_verifier.errors import VerifierError
from svc_verifier.formats.collateral import collateral_of
from svc_verifier.formats.event_log import boot_identity, parse_event_log
from svc_verifier.formats.info import parse_attested_config
from svc_verifier.formats.quote import QuoteResponse, parse_quote, parse_quote_response, quote_from_hex
from svc_verifier.formats.strict_json import Json
from svc_verifier.material import COLLATERAL_BYTES, HttpResponse, Material, MaybeResponse
from svc_verifier.os_image.document import parse_vm_config
from svc_verifier.procedure import verify
from svc_verifier.tdx.collateral import read_collateral, revoked_signer, without_own_chain
from svc_verifier.tdx.dcap import platform_of
from svc_verifier.trust import Trust

MEMORY_BYTES: Final = 1_073_741_824
"""Address space of the process. Libraries take some 200 MB, hostile input at its bounds as much."""


PROCESSOR_S: Final = 120
"""Processor time of the process, which so ends even if its program was killed."""


def main(length_bytes: int) -> None:
    """Handle calls until standard input ends. A length of that many bytes precedes each message."""
    asked, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # Output of a library must not be taken for a result.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    _limit()
    # Loaded modules stay, so the garbage collector can skip them.
    gc.freeze()
    while request := _read(asked, length_bytes):
        answer = json.dumps(_answer(*pickle.loads(request))).encode()  # noqa: S301 - made by the program that started this
        answers.write(len(answer).to_bytes(length_bytes, "big") + answer)
        answers.flush()


def _read(asked: BinaryIO, length_bytes: int) -> bytes:
    """Returns a request; empty at the end of input."""
    length = int.from_bytes(asked.read(length_bytes), "big")
    request = asked.read(length)
    return request if len(request) == length else b""


def _answer(name: str, arguments: tuple[object, ...]) -> dict[str, Json]:
    try:
        return {"value": CALLS[name](*arguments)}
    except VerifierError as error:
        return {"error": [error.code.value, error.message]}


def _limit() -> None:
    # Without such a limit (macOS has none of memory) the bounds of the parsers are left.
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415 - not on every platform

        resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_S, PROCESSOR_S))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def _claims(attestation: MaybeResponse, quote: MaybeResponse) -> Json:
    shown, evidence = _quote_answer(attestation, "/attestation"), _quote_answer(quote, "quote.json")
    quotes: list[Json] = [answer.quote for answer in (shown, evidence) if answer is not None]
    if shown is None:
        return {"quotes": quotes, "compose_hash": None, "os_image_hash": None, "contract": None}
    return {
        "quotes": quotes,
        "compose_hash": _or_none(lambda: boot_identity(parse_event_log(shown.event_log)).compose_hash),
        "os_image_hash": _or_none(lambda: parse_vm_config(shown.vm_config).os_image_hash),
        "contract": _or_none(lambda: parse_attested_config(shown.statement).contract if shown.statement else None),
    }


def _quote_answer(answer: MaybeResponse, what: str) -> QuoteResponse | None:
    try:
        return parse_quote_response(answer.body, what) if isinstance(answer, HttpResponse) else None
    except VerifierError:
        return None


def _or_none(read: Callable[[], bytes | None]) -> str | None:
    """Returns a claim in hex; None if it is unreadable, which the checks will report."""
    try:
        found = read()
    except VerifierError:
        return None
    return None if found is None else found.hex()


def _platforms(quotes: tuple[str, ...]) -> Json:
    found: list[Json] = []
    for text in quotes:
        with contextlib.suppress(VerifierError):
            raw = quote_from_hex(text)
            parse_quote(raw)
            platform = platform_of(raw)
            found.append(
                {
                    "quote": raw.hex(),
                    "fmspc": platform.fmspc,
                    "ca": platform.ca,
                    "ppid": platform.ppid.hex(),
                    "pce_id": platform.pce_id.hex(),
                    "chain_pem": platform.chain_pem.hex(),
                }
            )
    return found


def _assembled_collateral(bodies: Mapping[str, bytes], chains: Mapping[str, str]) -> Json:
    return collateral_of(bodies, chains, COLLATERAL_BYTES)


def _judged_collateral(quote: bytes, platform: tuple[str, str], text: str, trust: Trust, now_s: int) -> Json:
    usable = without_own_chain(text)
    outcome = check_hardware(quote.hex(), {platform: usable}, trust, now_s)
    checks = {check.id: check for check in outcome.checks}
    collateral, signers, signatures = (checks[f"hardware.{name}"] for name in ("collateral", "signers", "signatures"))
    faults = [check.why for check in (collateral, signers) if check.status is Status.UNKNOWN and not check.depends_on]
    revoked = "" if faults else revoked_signer(read_collateral(usable))
    return {
        "text": usable,
        "fault": next(iter(faults), revoked),
        "evaluation_number": int(collateral.evidence.get("evaluation_number", "0")),
        "is_quote_refused": signatures.status is Status.FAILED and not revoked,
    }


def _verify(material: Material, trust: Trust) -> Json:
    return [_written(check) for check in verify(material, trust).checks]


def _written(check: Check) -> Json:
    return {
        "id": check.id,
        "status": check.status.value,
        "evidence": dict(check.evidence),
        "why": check.why,
        "fix": check.fix,
        "depends_on": check.depends_on,
    }


CALLS: Final[Mapping[str, Callable[..., Json]]] = {
    "claims": _claims,
    "platforms": _platforms,
    "usable_collateral": without_own_chain,
    "assembled_collateral": _assembled_collateral,
    "judged_collateral": _judged_collateral,
    "verify": _verify,
}
"""Functions that `svc_verifier.worker.Worker` calls, by the names of its methods."""
