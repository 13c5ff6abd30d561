"""Every parser of the verifier with good inputs of its own, and how an input is made from a number."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Any, Final

from devkit.tee_simulator.os_image import CHECKSUM_FILE, MEASUREMENT_FILE
from svc_verifier.bundle import dump_bundle, load_bundle
from svc_verifier.chain import abi
from svc_verifier.chain.contracts import can_change, decode_scheduled_change, recognise
from svc_verifier.check import Status, passed
from svc_verifier.checks.accounts import check_accounts
from svc_verifier.checks.config import check_configuration
from svc_verifier.checks.freshness import Shown, check_freshness
from svc_verifier.checks.governance import agreed_chain
from svc_verifier.checks.hardware import check_hardware
from svc_verifier.checks.tls import check_caa
from svc_verifier.compose.app_compose import audit_app_compose
from svc_verifier.compose.tree import parse_compose
from svc_verifier.documents import read_document as read_file
from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.addresses import HostAddress
from svc_verifier.formats.certificate import parse_chain, parse_checksums, parse_leaf_der, parse_leaf_pem
from svc_verifier.formats.collateral import collateral_of
from svc_verifier.formats.event_log import boot_identity, parse_event_log, parse_key_provider, replay
from svc_verifier.formats.info import parse_info
from svc_verifier.formats.quote import QuoteResponse, parse_quote, parse_quote_hex, parse_quote_response
from svc_verifier.importing import Evidence, material_of
from svc_verifier.material import COLLATERAL_BYTES, CaaRecord, CaaRecords, HttpResponse, Material
from svc_verifier.os_image.document import MeasurementDocument, parse_cbor, parse_vm_config, read_document
from svc_verifier.procedure import verify
from svc_verifier.tdx.collateral import common_name, read_collateral, without_own_chain
from svc_verifier.tdx.dcap import platform_of, verify_quote
from svc_verifier.trust import Trust
from svc_verifier.trust_file import parse_trust
from tests.support.attested.accounts import BUILD, NAMING, PLANTED, account_code, scheduled, word
from tests.support.attested.cases.code import PLAIN
from tests.support.attested.cases.hardware import EXTENSION
from tests.support.attested.cases.identity import KMS_KEY
from tests.support.attested.governance import OWNER, pairs
from tests.support.attested.look import NONCE, Look, certificate, development_trust, pem
from tests.support.attested.td import Td, development_options
from tests.support.fuzzing.der import mutate_der, mutate_pem
from tests.support.fuzzing.mutations import mutate_bytes, mutate_json, mutate_text
from tests.support.provisioning import told

Make = Callable[[Random], Any]


@dataclass(frozen=True)
class Parser:
    """`make` draws an input, `parse` reads it; a VerifierError is the only exception that may leave it."""

    make: Make
    parse: Callable[[Any], object]


@cache
def look() -> Look:
    """The good node."""
    return Look()


@cache
def seen() -> Material:
    """What is seen of it."""
    return look().material()


@cache
def quote() -> bytes:
    """A good quote of version 4."""
    return bytes.fromhex(look().attestation["quote"])


def issuers() -> bytes:
    """A good chain of a leaf and a root."""
    return look().collateral["tcb_info_issuer_chain"].encode()


@cache
def collateral() -> str:
    """Good collateral."""
    return json.dumps(look().collateral)


def _bytes(*seeds: Callable[[], bytes]) -> Make:
    return lambda random: mutate_bytes(random.choice(seeds)(), random)


def _text(*seeds: Callable[[], str]) -> Make:
    return lambda random: mutate_text(random.choice(seeds)(), random)


def _json(*seeds: Callable[[], str]) -> Make:
    return lambda random: mutate_json(random.choice(seeds)(), random)


def _json_bytes(*seeds: Callable[[], str]) -> Make:
    def make(random: Random) -> bytes:
        text = mutate_json(random.choice(seeds)(), random).encode(errors="surrogatepass")
        return mutate_bytes(text, random) if random.random() < 0.1 else text

    return make


@cache
def log(version: int = 1) -> str:
    """A good event log."""
    options = development_options(event_version=version, filled_digests=True)
    return Td(options=options).quote(bytes(64))["event_log"]


def _log(text: str) -> None:
    events = parse_event_log(text)
    replay(events)
    boot_identity(events)


def _hardware(raw: bytes) -> None:
    check_hardware(raw.hex(), seen().collateral, development_trust(), look().now_s)


def _verified(text: str) -> None:
    verify_quote(quote(), text, look().td.root_der, look().now_s)


def _judged(text: str) -> None:
    trust = development_trust()
    checks = check_hardware(quote().hex(), {look().platform: without_own_chain(text)}, trust, look().now_s).checks
    # Collateral is nobody's but Intel's and its servers': no fault of it is one of the host.
    assert not [check for check in checks if check.status is Status.FAILED]


def _answers(random: Random) -> tuple[dict[str, bytes], dict[str, str]]:
    answers = told(look().collateral)
    bodies = {name: answer.body for name, answer in answers.items()}
    chains = {name: header for name, answer in answers.items() for header in answer.headers.values()}
    which = random.choice(list(bodies))
    bodies[which] = mutate_bytes(bodies[which], random)
    which = random.choice(list(chains))
    chains[which] = mutate_text(chains[which], random)
    return bodies, chains


def _caa_records(random: Random) -> CaaRecords:
    account = "https://acme-v02.api.letsencrypt.org/acme/acct/1"
    values = (f"letsencrypt.org; validationmethods=dns-01; accounturi={account}", ";", "letsencrypt.org")
    tags = ("issue", "issuewild", "iodef", "ISSUE", "\ud800", "")
    records = [
        CaaRecord(random.choice((0, 128, 255)), random.choice(tags), mutate_text(random.choice(values), random))
        for _ in range(random.randint(0, 4))
    ]
    return CaaRecords(mutate_text("node.example", random), tuple(records), authenticated=random.random() < 0.5)


def _caa(answer: CaaRecords) -> None:
    for account in ("https://acme-v02.api.letsencrypt.org/acme/acct/1", "http://[", ""):
        check_caa(answer, account, Trust(host="node.example", app_id=bytes(20), chain_id=1))


def _statement(text: str) -> None:
    material, trust = seen(), development_trust()
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).digest().ljust(64, b"\0")
    verified = _good_quote()
    report = replace(verified.quote.report, report_data=digest)
    shown = Shown(
        QuoteResponse("", "", "", None, text),
        replace(verified, quote=replace(verified.quote, report=report)),
        parse_leaf_der(look().leaf),
        None,
    )
    check_freshness(replace(material, nonce=NONCE), shown, trust)
    config = check_configuration(passed("freshness.statement"), text, trust).value
    chain = agreed_chain(material.providers, trust, material.now_s).value
    check_accounts(chain, config, trust)


@cache
def _good_quote() -> Any:
    return check_hardware(quote().hex(), seen().collateral, development_trust(), look().now_s).value


def _abi(answer: bytes) -> None:
    for decode in (abi.decode_bool, abi.decode_number, abi.decode_address, abi.decode_pairs, abi.decode_addresses):
        decode(answer)
    abi.decode_byte_strings(answer, 4)
    can_change(answer)
    decode_scheduled_change(answer)
    recognise(answer, (BUILD,))


def _abi_answers() -> tuple[Callable[[], bytes], ...]:
    strings = word(128) * 4 + word(3) + b"abc".ljust(32, b"\0")
    addresses = word(32) + word(2) + word(OWNER) * 2
    pending = pairs((bytes(32), 7), (b"\1" * 32, 8))
    change = scheduled(NAMING, 7, OWNER, PLANTED)
    return tuple(map(_always, (word(1), pending, strings, addresses, change, account_code())))


def _always(value: bytes) -> Callable[[], bytes]:
    return lambda: value


TRUST_TOML: Final = f"""\
host = "node.example"
app_id = "0x{"11" * 20}"
chain_id = 8453
rpc_urls = ["https://one.example", "https://two.example"]
owners = ["0x{"22" * 20}"]
freshness = "nonce"
rpc_providers = ["https://rpc.example"]
[accounts]
contract = "0x{"33" * 20}"
minimum_owner_change_delay_s = 86400
accepted_replacements = 1
[[accounts.codes]]
code_hash = "0x{"44" * 32}"
views_code_hash = "0x{"55" * 32}"
views_module_at = [32, 64]
owner_change_delay_at = [96]
[tcb]
accepted = ["UpToDate"]
minimum_evaluation_number = 17
"""

WHOLE: Final = ("/attestation", "/info", "quote.json", "sha256sum.txt")


def _material(random: Random) -> Any:
    """A whole look with one answer mutated."""
    good = seen()
    name = random.choice((*WHOLE, "collateral"))
    if name == "collateral":
        return replace(good, collateral={look().platform: mutate_json(collateral(), random)})
    bodies = {"/attestation": good.attestation, "/info": good.info}
    assert isinstance(good.evidences, Mapping)
    answer = bodies.get(name) or good.evidences[name]
    assert isinstance(answer, HttpResponse)
    text = answer.body.decode()
    body = (mutate_text(text, random) if name.endswith(".txt") else mutate_json(text, random)).encode(errors="replace")
    changed = replace(answer, body=body)
    if name == "/attestation":
        return replace(good, attestation=changed)
    if name == "/info":
        return replace(good, info=changed)
    return replace(good, evidences={**good.evidences, name: changed})


def _chain(raw: bytes) -> None:
    parse_chain(raw, "chain", VerifierErrorCode.BAD_PCK)


def _names(raw: bytes) -> None:
    for each in parse_chain(raw, "chain", VerifierErrorCode.BAD_PCK):
        common_name(each)


def _retagged_crls(random: Random) -> str:
    read = dict(look().collateral)
    key = random.choice(("root_ca_crl", "pck_crl"))
    return json.dumps(read | {key: mutate_der(bytes.fromhex(read[key]), random).hex()})


def _document(pair: tuple[bytes, bytes]) -> None:
    read_document(MeasurementDocument(*pair))


def _document_pair(random: Random) -> tuple[bytes, bytes]:
    measurement = mutate_bytes(MEASUREMENT_FILE, random)
    listed = f"{hashlib.sha256(measurement).hexdigest()}  measurement.tdx.cbor\n".encode()
    return (listed if random.random() < 0.8 else mutate_bytes(CHECKSUM_FILE, random)), measurement


@cache
def _imported_report() -> str:
    """A report endpoint's answer with everything in it."""
    parts = {"info": look().info, "certificate": pem(certificate()).decode(), "collateral": look().collateral}
    return json.dumps({"gateway_attestation": {**look().attestation, **parts}})


def _imported(data: bytes) -> None:
    """A file of evidence, and the whole report over what it holds."""
    evidence = Evidence()
    for part, value in read_file("file", data).parts:
        evidence.add("file", part, value)
    verify(material_of(evidence, "imported", look().now_s), development_trust())


PARSERS: Final[Mapping[str, Parser]] = {
    "quote": Parser(
        _bytes(quote, lambda: Td().as_version_5(quote()), lambda: Td().as_version_5(quote(), extension=EXTENSION)),
        parse_quote,
    ),
    "quote in hex": Parser(_text(lambda: quote().hex()), parse_quote_hex),
    "quote, by dcap-qvl": Parser(_bytes(quote, lambda: Td().as_version_5(quote())), platform_of),
    "quote, all hardware checks": Parser(_bytes(quote), _hardware),
    "event log": Parser(_json(log, lambda: log(2)), _log),
    "info": Parser(_json_bytes(lambda: json.dumps(look().info)), parse_info),
    "quote answer": Parser(
        _json_bytes(lambda: json.dumps(look().attestation)), lambda body: parse_quote_response(body, "answer")
    ),
    "checksums": Parser(_bytes(lambda: look().files["sha256sum.txt"]), parse_checksums),
    "certificate in DER": Parser(_bytes(certificate), parse_leaf_der),
    "certificate in PEM": Parser(_bytes(lambda: pem(certificate())), lambda raw: parse_leaf_pem(raw, "cert")),
    "certificate in DER, retagged": Parser(lambda random: mutate_der(certificate(), random), parse_leaf_der),
    "certificate chain": Parser(_bytes(issuers), _chain),
    "certificate chain, retagged": Parser(lambda random: mutate_pem(issuers(), random), _names),
    "CRL, retagged": Parser(_retagged_crls, read_collateral),
    "collateral": Parser(_json(collateral), read_collateral),
    "collateral, by dcap-qvl": Parser(_json(collateral), _verified),
    "collateral, all hardware checks": Parser(_json(collateral), _judged),
    "a provisioning service's answers": Parser(
        _answers, lambda each: collateral_of(each[0], each[1], COLLATERAL_BYTES)
    ),
    "app-compose": Parser(_json(lambda: development_options().app_compose), audit_app_compose),
    "docker compose": Parser(_text(lambda: PLAIN, lambda: PLAIN + "    volumes: [&a 'x:y', *a]\n"), parse_compose),
    "trust file": Parser(_text(lambda: TRUST_TOML), parse_trust),
    "bundle": Parser(_json(cache(lambda: dump_bundle(seen()))), load_bundle),
    "statement": Parser(_json(lambda: look().statement_text), _statement),
    "key provider": Parser(_json_bytes(lambda: json.dumps({"name": "kms", "id": KMS_KEY.hex()})), parse_key_provider),
    "contract answers": Parser(_bytes(*_abi_answers()), _abi),
    "CAA": Parser(_caa_records, _caa),
    "vm_config": Parser(_json(lambda: look().attestation["vm_config"]), parse_vm_config),
    "measurement document": Parser(_document_pair, _document),
    "CBOR": Parser(_bytes(lambda: MEASUREMENT_FILE), lambda raw: parse_cbor(raw, "document")),
    "imported file": Parser(_json_bytes(_imported_report, lambda: json.dumps(list(quote())), collateral), _imported),
    "imported file, no JSON": Parser(
        _bytes(quote, lambda: quote().hex().encode(), lambda: pem(certificate())), _imported
    ),
    "host": Parser(_text(lambda: "https://node.example:8443"), HostAddress.of),
    "whole look": Parser(_material, lambda material: verify(material, development_trust())),
}
"""By name; the first words say what the bytes are."""

ACCEPTS: Final = (VerifierError,)
"""All that may be raised."""
