"""The simulator's socket: the dstack SDK and our client get the same answers, and it fails in the ways it is told to."""

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import dstack_sdk
import pytest
import sha3
from coincurve import PublicKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key
from cryptography.x509 import (
    Certificate,
    DNSName,
    ExtendedKeyUsage,
    IPAddress,
    ObjectIdentifier,
    SubjectAlternativeName,
    UnrecognizedExtension,
    load_pem_x509_certificate,
)
from cryptography.x509.oid import ExtendedKeyUsageOID

from attest.errors import AttestError, AttestErrorCode
from attest.guest_agent import GuestAgent
from attest.key_chain import kms_root_public_key
from devkit.tee_simulator.options import Behaviour, Failure, SimulatorOptions
from devkit.tee_simulator.server import TeeSimulator
from svc_verifier.formats.event_log import parse_event_log, replay
from svc_verifier.formats.quote import parse_quote

HOUR_S = 3600
PATIENT = {"connect_timeout_s": 30.0, "call_timeout_s": 30.0, "quote_timeout_s": 30.0}
IMPATIENT = {"connect_timeout_s": 30.0, "call_timeout_s": 1.0, "quote_timeout_s": 1.0}
Ask = Callable[[GuestAgent], Awaitable[object]]
ASKS: dict[str, Ask] = {
    "Info": lambda agent: agent.info(),
    "Version": lambda agent: agent.version(),
    "GetKey": lambda agent: agent.get_key("p", "q"),
    "GetTlsKey": lambda agent: agent.get_tls_key("s"),
    "GetQuote": lambda agent: agent.get_quote(bytes(64)),
}


async def test_the_sdk_and_our_client_get_the_same_answers(sockets: Path) -> None:
    report_data = bytes(range(64))
    async with (
        TeeSimulator(sockets / "tee", sockets / "s") as simulator,
        GuestAgent(simulator.endpoint) as agent,
        dstack_sdk.AsyncDstackClient(simulator.endpoint) as sdk,
    ):
        their_quote, our_quote = await sdk.get_quote(report_data), await agent.get_quote(report_data)
        their_info, our_info = await sdk.info(), await agent.info()
        their_key, our_key = await sdk.get_key("p", "q"), await agent.get_key("p", "q")
        their_version, our_version = await sdk.version(), await agent.version()
        their_tls, our_tls = await sdk.get_tls_key("s", ["a.example"]), await agent.get_tls_key("s", ["a.example"])
    assert their_quote.decode_quote() == our_quote.quote
    assert their_quote.event_log == our_quote.event_log
    assert their_quote.vm_config == our_quote.vm_config
    assert bytes.fromhex(their_quote.report_data) == our_quote.report_data == report_data
    assert their_key.decode_key() == our_key.key.get_secret_value()
    assert tuple(their_key.decode_signature_chain()) == our_key.signature_chain
    assert (their_version.version, their_version.rev) == (our_version.version, our_version.rev)
    assert _as_hex(our_info.model_dump(exclude={"tcb_info"})) == their_info.model_dump(exclude={"tcb_info"})
    ours, theirs = _as_hex(our_info.tcb_info.model_dump()), their_info.tcb_info.model_dump()
    assert [_known(event, theirs["event_log"][0]) for event in ours.pop("event_log")] == theirs.pop("event_log")
    assert ours == theirs
    assert list(our_tls.certificate_chain[1:]) == their_tls.certificate_chain[1:]
    for key, chain in (
        (our_tls.key.get_secret_value(), our_tls.certificate_chain),
        (their_tls.key, their_tls.certificate_chain),
    ):
        assert _public(key) == _spki(load_pem_x509_certificate(chain[0].encode()))
    assert our_tls.key.get_secret_value() != their_tls.key


def _as_hex(value: Any) -> Any:
    """A dump with bytes as the hex they came as."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {name: _as_hex(each) for name, each in value.items()}
    return [_as_hex(each) for each in value] if isinstance(value, list | tuple) else value


def _known(event: dict[str, Any], like: dict[str, Any]) -> dict[str, Any]:
    """The event without the fields of version 2, which the SDK does not know."""
    return {name: event[name] for name in like}


def _public(pem: str) -> bytes:
    key = load_pem_private_key(pem.encode(), None)
    return key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def _spki(certificate: Certificate) -> bytes:
    return certificate.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


async def test_a_tls_certificate_says_what_was_asked_for(sockets: Path) -> None:
    starts, ends = 1_900_000_000, 1_900_000_000 + HOUR_S
    async with (
        TeeSimulator(sockets / "tee", sockets / "s") as simulator,
        dstack_sdk.AsyncDstackClient(simulator.endpoint) as sdk,
    ):
        answer = await sdk.get_tls_key(
            "host.example", ["host.example", "127.0.0.1"], True, True, True, not_before=starts, not_after=ends
        )
        app_id = simulator.platform.measurements.app_id
    leaf, authority, root = (load_pem_x509_certificate(pem.encode()) for pem in answer.certificate_chain)
    leaf.verify_directly_issued_by(authority)
    authority.verify_directly_issued_by(root)
    assert (leaf.not_valid_before_utc.timestamp(), leaf.not_valid_after_utc.timestamp()) == (starts, ends)
    names = leaf.extensions.get_extension_for_class(SubjectAlternativeName).value
    assert names.get_values_for_type(DNSName) == ["host.example"]
    assert [str(address) for address in names.get_values_for_type(IPAddress)] == ["127.0.0.1"]
    usages = leaf.extensions.get_extension_for_class(ExtendedKeyUsage).value
    assert set(usages) == {ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH}
    quote = parse_quote(_octets(leaf, "1.3.6.1.4.1.62397.1.1"))
    assert quote.report.report_data == hashlib.sha512(b"ratls-cert:" + _spki(leaf)).digest()
    log = parse_event_log(_octets(leaf, "1.3.6.1.4.1.62397.1.2").decode())
    assert replay(log) == quote.report.rtmrs
    assert _octets(leaf, "1.3.6.1.4.1.62397.1.3") == app_id


def _octets(certificate: Certificate, oid: str) -> bytes:
    """What a DER octet string in an extension holds."""
    extension = certificate.extensions.get_extension_for_oid(ObjectIdentifier(oid)).value
    assert isinstance(extension, UnrecognizedExtension)
    tag, length, rest = extension.value[0], extension.value[1], extension.value[2:]
    assert tag == 4
    if length < 128:
        return rest
    width = length & 0x7F
    assert int.from_bytes(rest[:width]) == len(rest) - width
    return rest[width:]


async def test_a_plain_tls_certificate_holds_no_quote(sockets: Path) -> None:
    async with TeeSimulator(sockets / "tee", sockets / "s") as simulator, GuestAgent(simulator.endpoint) as agent:
        leaf = load_pem_x509_certificate((await agent.get_tls_key("s")).certificate_chain[0].encode())
    assert not any("62397" in extension.oid.dotted_string for extension in leaf.extensions)


@pytest.mark.parametrize("algorithm", ["secp256k1", "k256", "", "ed25519"])
async def test_the_algorithm_enters_the_signature_alone(sockets: Path, algorithm: str) -> None:
    async with TeeSimulator(sockets / "tee", sockets / "s") as simulator, GuestAgent(simulator.endpoint) as agent:
        plain, answer = await agent.get_key("p", "q"), await agent.get_key("p", "q", algorithm)
        app_id, root = simulator.platform.measurements.app_id, simulator.platform.kms_root_public_key
    assert answer.key == plain.key
    if algorithm != "ed25519":
        assert answer == plain
        assert kms_root_public_key(answer, "q", app_id) == root
        return
    public = Ed25519PrivateKey.from_private_bytes(answer.key.get_secret_value()).public_key().public_bytes_raw()
    signed = sha3.keccak_256(f"q:{public.hex()}".encode()).digest()
    app = PublicKey.from_signature_and_message(answer.signature_chain[0], signed, hasher=None).format()
    issued = sha3.keccak_256(b"dstack-kms-issued:" + app_id + app).digest()
    assert PublicKey.from_signature_and_message(answer.signature_chain[1], issued, hasher=None).format() == root


@pytest.mark.parametrize("method", ASKS)
@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (Failure.ERROR, AttestErrorCode.REFUSED),
        (Failure.HALF, AttestErrorCode.UNREACHABLE),
        (Failure.GARBAGE, AttestErrorCode.MALFORMED_ANSWER),
        (Failure.HANG, AttestErrorCode.TIMEOUT),
    ],
)
async def test_it_fails_as_it_is_told_and_recovers(
    sockets: Path, method: str, failure: Failure, code: AttestErrorCode
) -> None:
    options = SimulatorOptions(behaviour=Behaviour(failure=failure, methods=frozenset({method})))
    async with (
        TeeSimulator(sockets / "tee", sockets / "s", options) as simulator,
        GuestAgent(simulator.endpoint, **PATIENT) as agent,
        GuestAgent(simulator.endpoint, **(IMPATIENT if failure is Failure.HANG else PATIENT)) as failing,
    ):
        for name, ask in ASKS.items():
            if name != method:
                await ask(agent)
        with pytest.raises(AttestError) as refused:
            await ASKS[method](failing)
        assert refused.value.code is code
        simulator.behave(Behaviour())
        await ASKS[method](agent)


@pytest.mark.exhaustive
async def test_a_hanging_answer_does_not_keep_it_from_stopping(sockets: Path) -> None:
    options = SimulatorOptions(behaviour=Behaviour(failure=Failure.HANG, methods=frozenset({"Info"})))
    async with TeeSimulator(sockets / "tee", sockets / "s", options) as simulator:
        reader, writer = await asyncio.open_unix_connection(simulator.endpoint)
        writer.write(b"GET /Info HTTP/1.1\r\nHost: a\r\n\r\n")
        await writer.drain()
        async with GuestAgent(simulator.endpoint) as agent:
            await agent.version()  # connected later: the other is being served
        started = time.monotonic()
    assert time.monotonic() - started < 10
    assert await reader.read() == b""
    writer.close()


async def test_slow_quotes_wait_for_one_another(sockets: Path) -> None:
    """As on the real platform; 0.8 s is what four cannot take less than."""
    options = SimulatorOptions(behaviour=Behaviour(latency_s=0.2, methods=frozenset({"GetQuote"})))
    async with (
        TeeSimulator(sockets / "tee", sockets / "s", options) as simulator,
        dstack_sdk.AsyncDstackClient(simulator.endpoint) as sdk,
    ):
        started = time.monotonic()
        await asyncio.gather(*(sdk.get_quote(bytes(64)) for _ in range(4)))
        took_s = time.monotonic() - started
    assert took_s > 0.79


def test_an_unstarted_simulator_cannot_be_told_how_to_behave(tmp_path: Path) -> None:
    with pytest.raises(AttestError, match="not started"):
        TeeSimulator(tmp_path, tmp_path / "s").behave(Behaviour())


@pytest.mark.parametrize(
    "asked",
    [
        {"alt_names": "é.example"},
        {"alt_names": [5]},
        {"alt_names": ["x"] * 101},
        {"alt_names": {}},
        {"usage_ra_tls": "perhaps"},
        {"usage_ra_tls": 1.5},
        {"not_before": -1},
        {"not_before": True},
        {"not_after": 10**15},
        {"not_after": "1e3"},
        {"not_before": 2_000_000_000, "not_after": 1_900_000_000},
        {"subject": "x" * 2000},
        {"subject": "x" * 65},
    ],
)
async def test_a_certificate_that_cannot_be_made_is_a_bad_request(sockets: Path, asked: dict[str, Any]) -> None:
    async with TeeSimulator(sockets / "tee", sockets / "s") as simulator:
        with pytest.raises(AttestError) as refused:
            simulator.platform.get_tls_key(asked)
    assert refused.value.code is AttestErrorCode.BAD_REQUEST
