"""The simulator over its real socket: formats a verifier reads, keys that survive a restart, nothing it hides."""

import asyncio
import hashlib
import json
import logging
import signal
import socket
import stat
import sys
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.x509 import load_pem_x509_certificate

from attest.errors import AttestError, AttestErrorCode
from attest.guest_agent import GuestAgent
from attest.key_chain import kms_root_public_key
from devkit.tee_simulator.seed import SEED_FILE, load_or_create_seed
from devkit.tee_simulator.server import TeeSimulator
from svc_verifier.formats.event_log import boot_identity, parse_event_log, parse_events, replay
from svc_verifier.formats.quote import parse_quote

PROJECT = Path(__file__).resolve().parents[2]


async def _raw(endpoint: str, method: str, path: str, **arguments: Any) -> tuple[int, Any]:
    async with (
        aiohttp.ClientSession(connector=aiohttp.UnixConnector(endpoint)) as session,
        session.request(method, f"http://agent/{path}", **arguments) as response,
    ):
        return response.status, await response.json()


async def test_its_quote_parses_and_its_log_replays(sockets: Path) -> None:
    report_data = bytes(range(64))
    async with TeeSimulator(sockets / "tee", sockets / "s") as simulator, GuestAgent(simulator.endpoint) as agent:
        answer, info = await agent.get_quote(report_data), await agent.info()
    quote, events = parse_quote(answer.quote), parse_event_log(answer.event_log)
    assert quote.version == 4
    assert quote.report.report_data == report_data
    assert quote.trailing_bytes == 0
    assert replay(events) == quote.report.rtmrs
    identity = boot_identity(events)
    compose_hash = hashlib.sha256(info.tcb_info.app_compose.encode()).digest()
    assert identity.compose_hash == compose_hash == info.compose_hash == info.tcb_info.compose_hash
    assert quote.report.mr_config_id == b"\x01" + compose_hash + bytes(15)
    assert identity.app_id == info.app_id == compose_hash[:20]
    assert identity.instance_id == info.instance_id
    assert identity.application_events == ()
    assert json.loads(identity.key_provider)["name"] == "kms"
    assert json.loads(answer.vm_config) == json.loads(info.vm_config)


async def test_what_info_states_is_what_the_quote_says(sockets: Path) -> None:
    async with TeeSimulator(sockets / "tee", sockets / "s") as simulator, GuestAgent(simulator.endpoint) as agent:
        report = parse_quote((await agent.get_quote(bytes(64))).quote).report
        status, raw = await _raw(simulator.endpoint, "POST", "Info", json={})
    assert status == 200
    tcb_info = json.loads(raw["tcb_info"])
    assert [tcb_info["mrtd"], *(tcb_info[f"rtmr{n}"] for n in range(4))] == [
        register.hex() for register in (report.mr_td, *report.rtmrs)
    ]
    assert replay(parse_events(tcb_info["event_log"])) == report.rtmrs
    whole = b"".join([report.mr_td, *report.rtmrs, report.mr_config_id, report.mr_owner, report.mr_owner_config])
    assert tcb_info["mr_aggregated"] == raw["mr_aggregated"] == hashlib.sha256(whole).hexdigest()
    assert {event["digest"] for event in tcb_info["event_log"] if event["imr"] == 3} == {""}
    assert report.td_attributes == bytes.fromhex("0000001000000000")
    assert report.mr_signer_seam == bytes(48)


async def test_the_quotes_signatures_hold_among_themselves(sockets: Path) -> None:
    async with TeeSimulator(sockets / "tee", sockets / "s") as simulator, GuestAgent(simulator.endpoint) as agent:
        quote = parse_quote((await agent.get_quote(bytes(64))).quote)
    part = quote.signature

    def encoded(raw: bytes) -> bytes:
        return encode_dss_signature(int.from_bytes(raw[:32]), int.from_bytes(raw[32:]))

    attestation = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), b"\x04" + part.attestation_public_key)
    attestation.verify(encoded(part.signature), quote.signed_bytes, ec.ECDSA(SHA256()))
    bound = hashlib.sha256(part.attestation_public_key + part.qe_auth_data).digest()
    assert part.qe_report_data == bound + bytes(32)
    certificate = load_pem_x509_certificate(part.certification_data)
    certifying = certificate.public_key()
    assert isinstance(certifying, ec.EllipticCurvePublicKey)
    certifying.verify(encoded(part.qe_report_signature), part.qe_report, ec.ECDSA(SHA256()))
    assert "INSECURE" in certificate.subject.rfc4514_string()


async def test_keys_are_dstacks_derivation_and_their_chain_holds(sockets: Path) -> None:
    async with TeeSimulator(sockets / "tee", sockets / "s") as simulator, GuestAgent(simulator.endpoint) as agent:
        info, root_key = await agent.info(), simulator.platform.kms_root_public_key
        first = await agent.get_key("svc/v1/root", "one")
        other_purpose = await agent.get_key("svc/v1/root", "two")
        other_path = await agent.get_key("svc/v1/root2", "one")
    seed = bytes.fromhex((sockets / "tee" / SEED_FILE).read_text())

    def derive(material: bytes, text: bytes) -> bytes:
        return HKDF(SHA256(), 32, b"RATLS", text).derive(material)

    app_key = derive(derive(seed, b"svc tee-simulator kms root"), info.app_id + b"app-key")
    assert first.key.get_secret_value() == derive(app_key, b"svc/v1/root")
    assert first.key == other_purpose.key
    assert first.key != other_path.key
    assert kms_root_public_key(first, "one", info.app_id) == root_key
    assert kms_root_public_key(other_purpose, "two", info.app_id) == root_key
    assert kms_root_public_key(first, "two", info.app_id) != root_key


async def test_keys_survive_a_restart_and_differ_between_installations(sockets: Path) -> None:
    keys = []
    for directory in ("one", "one", "two"):
        async with (
            TeeSimulator(sockets / directory, sockets / "s") as simulator,
            GuestAgent(simulator.endpoint) as agent,
        ):
            answer, info = await agent.get_key("p", "q"), await agent.info()
            keys.append((answer.key.get_secret_value(), simulator.platform.kms_root_public_key, info.instance_id))
    assert keys[0] == keys[1]
    assert not set(keys[0]) & set(keys[2])


async def test_it_says_what_it_is(sockets: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        async with TeeSimulator(sockets / "tee", sockets / "s") as simulator, GuestAgent(simulator.endpoint) as agent:
            info = await agent.info()
    assert "INSECURE" in caplog.text
    assert "INSECURE" in info.app_name
    assert "INSECURE" in info.cloud_product
    seed = (sockets / "tee" / SEED_FILE).read_text().strip()
    assert seed not in caplog.text + repr(simulator) + repr(simulator.platform)


async def test_get_and_post_answer_alike(sockets: Path) -> None:
    asked = {"path": "p", "purpose": "q", "algorithm": "secp256k1"}
    async with TeeSimulator(sockets / "tee", sockets / "s") as simulator:
        posted = await _raw(simulator.endpoint, "POST", "GetKey", json=asked)
        assert posted == await _raw(simulator.endpoint, "GET", "GetKey", params=asked)
        assert posted[0] == 200
        status, quote = await _raw(simulator.endpoint, "GET", "GetQuote", params={"report_data": "0102"})
        assert (status, quote["report_data"]) == (200, "0102" + "00" * 62)
        assert (await _raw(simulator.endpoint, "POST", "Version"))[0] == 200


@pytest.mark.parametrize(
    ("path", "arguments", "status"),
    [
        ("GetQuote", {"json": {"report_data": "zz"}}, 400),
        ("GetQuote", {"json": {"report_data": "00" * 65}}, 400),
        ("GetQuote", {"json": {"report_data": 5}}, 400),
        ("GetQuote", {"data": b"{"}, 400),
        ("GetQuote", {"data": b"[]"}, 400),
        ("GetQuote", {"data": b"[" * 60_000}, 400),
        ("GetQuote", {"data": b" " * 70_000}, 400),
        ("GetKey", {"json": {"path": "p", "algorithm": "rsa"}}, 400),
        ("GetKey", {"json": {"path": "\ud800"}}, 400),
        ("GetKey", {"json": {"path": "x" * 2000}}, 400),
        ("GetKey", {"json": {"path": None}}, 400),
        ("EmitEvent", {"json": {}}, 404),
    ],
)
async def test_bad_requests_are_answered_as_the_agent_does(
    sockets: Path, path: str, arguments: dict[str, Any], status: int
) -> None:
    async with TeeSimulator(sockets / "tee", sockets / "s") as simulator:
        answered, body = await _raw(simulator.endpoint, "POST", path, **arguments)
    assert answered == status
    assert body.keys() == {"error"}


async def test_only_this_user_reaches_seed_and_socket(sockets: Path) -> None:
    async with TeeSimulator(sockets / "tee", sockets / "run" / "s"):
        modes = [stat.S_IMODE(path.stat().st_mode) for path in (sockets / "tee", sockets / "run")]
        files = [stat.S_IMODE(path.stat().st_mode) for path in (sockets / "tee" / SEED_FILE, sockets / "run" / "s")]
    assert modes == [0o700, 0o700]
    assert files == [0o600, 0o600]
    assert not (sockets / "run" / "s").exists()


async def _refusal(simulator: TeeSimulator) -> AttestError:
    with pytest.raises(AttestError) as refused:
        async with simulator:
            pytest.fail("it started")
    assert refused.value.code is AttestErrorCode.SIMULATOR
    return refused.value


@pytest.mark.parametrize("content", ["", "00" * 31, "00" * 33, "zz" * 32, "\udcff".encode("utf-8", "surrogateescape")])
async def test_a_damaged_seed_is_refused_and_kept(sockets: Path, content: str | bytes) -> None:
    seed = sockets / SEED_FILE
    written = content.encode() if isinstance(content, str) else content
    seed.write_bytes(written)
    seed.chmod(0o600)
    assert str(seed) in (await _refusal(TeeSimulator(sockets, sockets / "s"))).message
    assert seed.read_bytes() == written


async def test_a_seed_others_may_read_is_refused(sockets: Path) -> None:
    load_or_create_seed(sockets)
    (sockets / SEED_FILE).chmod(0o644)
    assert "chmod 600" in (await _refusal(TeeSimulator(sockets, sockets / "s"))).message


async def test_a_directory_that_is_a_file_is_refused(sockets: Path) -> None:
    (sockets / "tee").write_text("")
    await _refusal(TeeSimulator(sockets / "tee", sockets / "s"))


async def test_two_starts_at_once_share_one_seed(sockets: Path) -> None:
    seeds = await asyncio.gather(*(asyncio.to_thread(load_or_create_seed, sockets / "tee") for _ in range(16)))
    assert len(set(seeds)) == 1
    assert [path.name for path in (sockets / "tee").iterdir()] == [SEED_FILE]


async def test_a_socket_in_use_is_refused_and_left_alone(sockets: Path) -> None:
    async with TeeSimulator(sockets / "one", sockets / "s") as first:
        await _refusal(TeeSimulator(sockets / "two", sockets / "s"))
        async with GuestAgent(first.endpoint) as agent:
            assert (await agent.info()).app_name


async def test_a_file_in_the_sockets_place_is_not_removed(sockets: Path) -> None:
    (sockets / "s").write_text("precious")
    await _refusal(TeeSimulator(sockets / "tee", sockets / "s"))
    assert (sockets / "s").read_text() == "precious"


async def test_a_path_too_long_for_a_socket_is_refused(sockets: Path) -> None:
    await _refusal(TeeSimulator(sockets / "tee", sockets / ("x" * 120)))


async def test_a_socket_left_by_a_dead_process_is_replaced(sockets: Path) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(sockets / "s"))
    async with TeeSimulator(sockets / "tee", sockets / "s") as simulator, GuestAgent(simulator.endpoint) as agent:
        assert (await agent.info()).app_name


async def test_it_starts_again_after_sigkill_with_the_same_keys(sockets: Path) -> None:
    script = (
        "import asyncio, sys, pathlib\n"
        "from devkit.tee_simulator.server import TeeSimulator\n"
        "async def main(directory):\n"
        "    async with TeeSimulator(directory / 'tee', directory / 's') as simulator:\n"
        "        print(simulator.platform.kms_root_public_key.hex(), flush=True)\n"
        "        await asyncio.Event().wait()\n"
        "asyncio.run(main(pathlib.Path(sys.argv[1])))\n"
    )
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, str(sockets), stdout=asyncio.subprocess.PIPE, cwd=PROJECT
    )
    assert child.stdout is not None
    before = (await child.stdout.readline()).decode().strip()
    child.send_signal(signal.SIGKILL)
    await child.wait()
    assert (sockets / "s").exists()
    async with TeeSimulator(sockets / "tee", sockets / "s") as simulator:
        assert simulator.platform.kms_root_public_key.hex() == before


def test_a_simulator_that_was_not_started_has_no_platform(tmp_path: Path) -> None:
    with pytest.raises(AttestError):
        _ = TeeSimulator(tmp_path, tmp_path / "s").platform
