"""Whole looks in which one stage meets changed bytes, all else being good: what a stage does is seen in the report."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any, Final

from attest.evidence import QUOTE_FILE, SUMS_FILE, sums_of
from attest.statement import padded_sha256
from svc_verifier.material import (
    CaaRecord,
    CaaRecords,
    Connection,
    ContractLog,
    HttpResponse,
    Material,
    MaybeResponse,
    ProviderAnswers,
)
from tests.support.attested.cases.code import PLAIN, running
from tests.support.attested.look import CERTIFICATE_FILE, Look, certificate
from tests.support.fuzzing.der import mutate_der, mutate_pem, pem_of
from tests.support.fuzzing.mutations import mutate_bytes, mutate_json, mutate_text

Make = Callable[[Random], Material]
PEM_OF_QUOTE: Final = b"-----BEGIN CERTIFICATE-----"


@cache
def good() -> Material:
    """The look that nothing is wrong with."""
    return Look().material()


def _body(answer: MaybeResponse) -> bytes:
    assert isinstance(answer, HttpResponse)
    return answer.body


def _with_attestation(**members: Any) -> Material:
    read = json.loads(_body(good().attestation))
    return replace(good(), attestation=HttpResponse(200, json.dumps(read | members).encode(), 0))


def _quote(random: Random) -> bytes:
    """A quote whose certificates, or any of its bytes, are changed."""
    raw = bytes.fromhex(json.loads(_body(good().attestation))["quote"])
    if random.random() < 0.6:
        return mutate_pem(raw, random)
    return mutate_bytes(raw, random)


def _collateral(random: Random) -> dict[tuple[str, str], str]:
    collateral = good().collateral
    assert isinstance(collateral, Mapping)
    ((platform, text),) = collateral.items()
    read = json.loads(text)
    match random.randrange(4):
        case 0:
            key = random.choice(("root_ca_crl", "pck_crl"))
            read[key] = mutate_der(bytes.fromhex(read[key]), random).hex()
        case 1 | 2:
            key = random.choice(("tcb_info_issuer_chain", "qe_identity_issuer_chain", "pck_crl_issuer_chain"))
            read[key] = mutate_pem(read[key].encode(), random).decode()
        case _:
            return {platform: mutate_json(text, random)}
    return {platform: json.dumps(read)}


def _hardware(random: Random) -> Material:
    if random.random() < 0.5:
        return replace(good(), collateral=_collateral(random))
    return _with_attestation(quote=_quote(random).hex())


def _log(random: Random) -> Material:
    return _with_attestation(event_log=mutate_json(json.loads(_body(good().attestation))["event_log"], random))


def _identity(random: Random) -> Material:
    body = mutate_json(_body(good().info).decode(), random).encode(errors="surrogatepass")
    return replace(good(), info=HttpResponse(200, body, 0))


def _os(random: Random) -> Material:
    text: str = json.loads(_body(good().attestation))["vm_config"]
    return _with_attestation(vm_config=mutate_json(text, random))


def _code(random: Random) -> Material:
    """Measured truly: the stage reads what the app-compose says."""
    extra = "    environment: [A, 'B=$C']\n    volumes: ['data:/d', {type: bind, source: /x, target: /y}]\nvolumes: {data: {}}\n"
    if random.random() < 0.5:
        return Look(td=running(mutate_text(PLAIN + extra, random))).material()
    members = mutate_json(json.dumps({"allowed_envs": ["A"], "init_script": "x", "features": ["kms"]}), random)
    try:
        more = json.loads(members)
    except ValueError:
        more = {"allowed_envs": members}
    return Look(td=running(PLAIN, **(more if isinstance(more, dict) else {"name": more}))).material()


def _evidence(random: Random) -> Material:
    """Files that the quote vouches for, whatever they hold: nothing but the reader stands before them."""
    look = Look()
    files = {name: content for name, content in look.files.items() if name not in {SUMS_FILE, QUOTE_FILE}}
    if random.random() < 0.7:
        files[CERTIFICATE_FILE] = pem_of(mutate_der(look.leaf, random))
    else:
        name = random.choice(sorted(files))
        files[name] = mutate_bytes(files[name], random)
    sums = sums_of(files)
    if random.random() < 0.1:
        sums = mutate_bytes(sums, random)
    look.__dict__["files"] = {**files, SUMS_FILE: sums, QUOTE_FILE: look.evidence_quote(padded_sha256(sums))}
    return look.material()


def _tls(random: Random) -> Material:
    """The peer's certificate, and records that nobody signs."""
    if random.random() < 0.7:
        peers = (mutate_der(certificate(), random), *(() if random.random() < 0.5 else (b"\x30",)))
        return replace(good(), connections=(Connection(peers, "TLSv1.3", ""),))
    record = CaaRecord(random.choice((0, 128)), "issue", mutate_text("letsencrypt.org; accounturi=https://a/1", random))
    return replace(good(), caa=CaaRecords("node.example", (record,), authenticated=False))


def _freshness(random: Random) -> Material:
    look = Look()
    look.__dict__["statement_text"] = mutate_json(look.statement_text, random).encode(errors="replace").decode()
    return look.material()


def _governance(random: Random) -> Material:
    """Both providers say the same: the bytes reach every decoder."""
    first = good().providers[0]
    assert isinstance(first, ProviderAnswers)
    calls = {call: mutate_bytes(answer or b"", random) for call, answer in first.calls.items()}
    topics = tuple(random.randbytes(random.choice((0, 31, 32, 33))) for _ in range(random.randrange(4)))
    time_s = random.choice((0, 1, 1 << 40, (1 << 60) - 1))
    log = ContractLog(random.randbytes(20), topics, random.randbytes(random.randrange(80)), 1, time_s)
    changed = replace(
        first,
        calls={**first.calls, **dict(random.sample(sorted(calls.items(), key=repr), random.randrange(1, len(calls))))},
        code={address: mutate_bytes(code, random) for address, code in first.code.items()},
        storage={slot: random.randbytes(random.choice((0, 12, 32, 40))) for slot in first.storage},
        logs=(*(first.logs if isinstance(first.logs, tuple) else ()), log),
    )
    return replace(good(), providers=(changed, replace(changed, name="two.example")))


STAGES: Final[Mapping[str, Make]] = {
    "hardware": _hardware,
    "log": _log,
    "identity": _identity,
    "os": _os,
    "code": _code,
    "evidence": _evidence,
    "tls": _tls,
    "freshness": _freshness,
    "governance": _governance,
}


def digest(material: Material) -> str:
    """Tells two inputs apart."""
    return hashlib.sha256(repr(material).encode(errors="replace")).hexdigest()
