"""The simulator's quotes before dcap-qvl: accepted under its own root alone, refused for every byte that is changed."""

import json
from dataclasses import dataclass
from pathlib import Path

import dcap_qvl
import pytest
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509 import load_pem_x509_certificate, load_pem_x509_certificates
from hypothesis import given, settings
from hypothesis import strategies as st

from attest.guest_agent import GuestAgent
from devkit.tee_simulator.authorities import ORGANIZATION
from devkit.tee_simulator.options import SimulatorOptions, TcbStatus
from devkit.tee_simulator.platform import SimulatedPlatform
from devkit.tee_simulator.server import TeeSimulator
from svc_verifier.errors import VerifierError
from svc_verifier.formats.quote import parse_quote
from tests.support.clock import FakeClock

SEED = bytes(range(32))
DAY_S = 86_400
NOW_S = 1_800_000_000


@dataclass(frozen=True)
class Evidence:
    """A quote and what it takes to verify it."""

    quote: bytes
    collateral: str
    root_der: bytes

    def verify(self, now_s: int = NOW_S) -> tuple[str, list[str]]:
        """Status and advisories. Raises ValueError when dcap-qvl refuses."""
        collateral = dcap_qvl.QuoteCollateralV3.from_json(self.collateral)
        report = dcap_qvl.verify_with_root_ca(self.quote, collateral, self.root_der, now_s)
        return report.status, report.advisory_ids


def evidence(options: SimulatorOptions | None = None, seed: bytes = SEED, now_s: float = NOW_S) -> Evidence:
    platform = SimulatedPlatform(seed, options or SimulatorOptions(), lambda: now_s)
    quote = bytes.fromhex(str(platform.get_quote({"report_data": "5a" * 64})["quote"]))
    root = load_pem_x509_certificate(platform.root_pem.encode()).public_bytes(Encoding.DER)
    return Evidence(quote, platform.collateral().text, root)


HONEST = evidence()


def test_its_quotes_are_up_to_date_under_its_root() -> None:
    assert HONEST.verify() == ("UpToDate", [])


def test_they_are_refused_under_intels_root() -> None:
    with pytest.raises(ValueError, match="root CA"):
        dcap_qvl.verify(HONEST.quote, dcap_qvl.QuoteCollateralV3.from_json(HONEST.collateral), NOW_S)


def test_each_installation_has_a_root_of_its_own() -> None:
    other = evidence(seed=bytes(32))
    assert other.verify() == ("UpToDate", [])
    for mixed in (
        Evidence(HONEST.quote, HONEST.collateral, other.root_der),
        Evidence(HONEST.quote, other.collateral, other.root_der),
        Evidence(other.quote, HONEST.collateral, HONEST.root_der),
    ):
        with pytest.raises(ValueError, match=r".+"):
            mixed.verify()


def test_the_same_seed_gives_the_same_bytes() -> None:
    assert evidence() == HONEST


def test_the_strict_policy_accepts_what_every_server_of_two_sockets_needs_allowed() -> None:
    strict = dcap_qvl.QuotePolicy.strict(NOW_S).allow_dynamic_platform(True).allow_cached_keys(True).allow_smt(True)
    verifier = dcap_qvl.QuoteVerifier(HONEST.root_der)
    collateral = dcap_qvl.QuoteCollateralV3.from_json(HONEST.collateral)
    claims = json.loads(verifier.verify_with_policy(HONEST.quote, collateral, NOW_S, strict).to_json())
    assert claims


@pytest.mark.parametrize("status", [status for status in TcbStatus if status is not TcbStatus.REVOKED])
def test_the_patch_level_is_what_the_options_say(status: TcbStatus) -> None:
    advisories = [] if status is TcbStatus.UP_TO_DATE else ["INTEL-SA-00837"]
    options = SimulatorOptions(tcb_status=status, advisories=("INTEL-SA-00837",))
    assert evidence(options).verify() == (status.value, advisories)


@pytest.mark.parametrize(
    ("options", "why"),
    [(SimulatorOptions(tcb_status=TcbStatus.REVOKED), "Revoked"), (SimulatorOptions(debug=True), "Debug mode")],
)
def test_a_revoked_platform_and_a_debug_td_are_refused(options: SimulatorOptions, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        evidence(options).verify()


def test_the_debug_bit_is_the_only_difference_of_a_debug_td() -> None:
    honest, debug = parse_quote(HONEST.quote).report, parse_quote(evidence(SimulatorOptions(debug=True)).quote).report
    assert int.from_bytes(debug.td_attributes, "little") == int.from_bytes(honest.td_attributes, "little") | 1
    assert debug.rtmrs == honest.rtmrs


def certificates_of(quote: bytes) -> list[bytes]:
    chain = load_pem_x509_certificates(parse_quote(quote).signature.certification_data)
    return [certificate.public_bytes(Encoding.DER) for certificate in chain]


def is_accepted(quote: bytes) -> bool:
    """By the quote parser of this repository and by dcap-qvl."""
    try:
        parse_quote(quote)
        dcap_qvl.verify_with_root_ca(quote, COLLATERAL, HONEST.root_der, NOW_S)
    except (VerifierError, ValueError):
        return False
    return True


COLLATERAL = dcap_qvl.QuoteCollateralV3.from_json(HONEST.collateral)


@pytest.mark.exhaustive
def test_every_changed_byte_of_a_quote_is_refused_but_those_that_say_nothing() -> None:
    """The exceptions are line breaks of the PEM chain and the chain's copy of the root.

    A verifier takes the root from its own trust store.
    """
    chain = parse_quote(HONEST.quote).signature.certification_data
    start = len(HONEST.quote) - len(chain)
    root_copy = start + chain.rindex(b"-----BEGIN CERTIFICATE-----")
    accepted = []
    for position in range(len(HONEST.quote)):
        changed = bytearray(HONEST.quote)
        changed[position] ^= 1 + position % 255
        if is_accepted(bytes(changed)):
            accepted.append(position)
    meaningful = [position for position in accepted if position < root_copy]
    assert len(HONEST.quote) == start + len(chain)
    assert all(HONEST.quote[position] == ord("\n") for position in meaningful)
    for position in meaningful:
        changed = bytearray(HONEST.quote)
        changed[position] ^= 1 + position % 255
        assert chain_without_armour(bytes(changed)[start:root_copy]) == chain_without_armour(chain[: root_copy - start])


def chain_without_armour(chain: bytes) -> list[bytes]:
    """The base64 of each certificate, with every byte that is none of it left out."""
    bodies = [part.split(b"-----END CERTIFICATE-----")[0] for part in chain.split(b"-----BEGIN CERTIFICATE-----")[1:]]
    return [bytes(byte for byte in body if chr(byte).isalnum() or byte in b"+/=") for body in bodies]


def test_what_is_certified_is_the_chain_of_the_simulator() -> None:
    platform = SimulatedPlatform(SEED, SimulatorOptions(), lambda: NOW_S)
    subjects = [
        certificate.subject.rfc4514_string()
        for certificate in load_pem_x509_certificates(parse_quote(HONEST.quote).signature.certification_data)
    ]
    names = ["Intel SGX PCK Certificate", "Intel SGX PCK Platform CA", "Intel SGX Root CA"]
    assert subjects == [f"O=INSECURE svc development TEE simulator,CN={name}" for name in names]
    assert certificates_of(HONEST.quote)[2] == HONEST.root_der
    assert platform.root_pem in parse_quote(HONEST.quote).signature.certification_data.decode()


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_a_changed_byte_of_the_collateral_is_refused(data: st.DataObject) -> None:
    parts: dict[str, str] = json.loads(HONEST.collateral)
    signed = ("root_ca_crl", "pck_crl", "tcb_info", "tcb_info_signature", "qe_identity", "qe_identity_signature")
    name = data.draw(st.sampled_from(signed))
    position = data.draw(st.integers(0, len(parts[name]) - 1))
    old = parts[name][position]
    replacement = data.draw(st.sampled_from("0123456789abcdef" if name in HEX_PARTS else '09azAZ "{}:,'))
    parts[name] = parts[name][:position] + replacement + parts[name][position + 1 :]
    changed = Evidence(HONEST.quote, json.dumps(parts), HONEST.root_der)
    if replacement == old:
        assert changed.verify() == ("UpToDate", [])
    else:
        with pytest.raises(ValueError, match=r".+"):
            changed.verify()


HEX_PARTS = ("root_ca_crl", "pck_crl", "tcb_info_signature", "qe_identity_signature")


@pytest.mark.parametrize("days", [0, 1, 28])
def test_the_collateral_holds_for_a_month_from_its_day(days: int) -> None:
    assert HONEST.verify(NOW_S + days * DAY_S) == ("UpToDate", [])


@pytest.mark.parametrize("days", [-3, 30, 400])
def test_and_not_before_or_after(days: int) -> None:
    with pytest.raises(ValueError, match=r".+"):
        HONEST.verify(NOW_S + days * DAY_S)


async def test_the_collateral_beside_the_root_is_issued_anew_before_it_ends(sockets: Path) -> None:
    clock = FakeClock()
    async with TeeSimulator(sockets / "tee", sockets / "s", clock=clock) as simulator:
        root = load_pem_x509_certificate(simulator.root_file.read_bytes()).public_bytes(Encoding.DER)
        first = simulator.collateral_file.read_text()
        seen = [first]
        async with GuestAgent(simulator.endpoint) as agent:
            for days in (*[10] * 12, -300):
                clock.advance(days * DAY_S)
                quote = (await agent.get_quote(bytes(64))).quote
                held = Evidence(quote, simulator.collateral_file.read_text(), root)
                assert held.verify(int(clock.now)) == ("UpToDate", [])
                assert held.verify(int(clock.now) + 9 * DAY_S) == ("UpToDate", [])
                seen.append(held.collateral)
    assert (simulator.root_file.name, simulator.collateral_file.name) == ("root.pem", "collateral.json")
    assert 5 <= len(set(seen)) <= 9


async def test_a_start_long_after_the_last_finds_valid_collateral(sockets: Path) -> None:
    clock = FakeClock()
    roots = set()
    for days in (0, 400, -800):
        clock.advance(days * DAY_S)
        async with TeeSimulator(sockets / "tee", sockets / "s", clock=clock) as simulator:
            root = load_pem_x509_certificate(simulator.root_file.read_bytes()).public_bytes(Encoding.DER)
            quote = bytes.fromhex(str(simulator.platform.get_quote({"report_data": ""})["quote"]))
            held = Evidence(quote, simulator.collateral_file.read_text(), root)
        assert held.verify(int(clock.now)) == ("UpToDate", [])
        roots.add(root)
    assert len(roots) == 1


def test_the_verifier_holds_no_root_of_a_simulator() -> None:
    """Nobody is to trust a development root by accident."""
    verifier = Path(__file__).resolve().parents[2] / "verifier"
    held = b"".join(path.read_bytes() for path in verifier.rglob("*") if path.is_file())
    assert ORGANIZATION.encode() not in held
    assert HONEST.root_der not in held
