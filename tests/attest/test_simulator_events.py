"""The simulator's event logs: replayed by the SDK and by the verifier, and wrong in exactly the way a test asks for."""

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import dstack_sdk
import pytest

from devkit.tee_simulator.options import EventFault, SimulatorOptions
from devkit.tee_simulator.platform import SimulatedPlatform
from devkit.tee_simulator.server import TeeSimulator
from devkit.tee_simulator.td_hob import td_hob_digest
from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.event_log import boot_identity, parse_event_log, parse_events, replay
from svc_verifier.formats.quote import parse_quote
from tests.support.clock import FakeClock
from tests.support.fixtures import needs_fixtures, read_json

SEED = bytes(range(32))
OTHER = hashlib.sha256(b"svc development: a compose file that does not run here").digest()


def platform(**options: Any) -> SimulatedPlatform:
    return SimulatedPlatform(SEED, SimulatorOptions(**options), FakeClock())


def quoted(**options: Any) -> tuple[tuple[bytes, ...], str]:
    """The quote's registers, and the log beside it."""
    answer = platform(**options).get_quote({"report_data": ""})
    return parse_quote(bytes.fromhex(str(answer["quote"]))).report.rtmrs, str(answer["event_log"])


def refusal(log: str) -> VerifierErrorCode:
    with pytest.raises(VerifierError) as refused:
        boot_identity(parse_event_log(log))
    return refused.value.code


@pytest.mark.parametrize("filled", [True, False])
@pytest.mark.parametrize("version", [1, 2])
def test_the_verifier_replays_every_form_of_log(filled: bool, version: int) -> None:
    registers, log = quoted(filled_digests=filled, event_version=version)
    events = parse_event_log(log)
    assert replay(events) == registers
    assert {event.version for event in events if event.is_runtime} == {version}
    stated = {event["digest"] != "" for event in json.loads(log) if event["imr"] == 3}
    assert stated == {filled}
    assert all(("preimage" in event) == (version == 2 and event["imr"] == 3) for event in json.loads(log))


@pytest.mark.parametrize("version", [1, 2])
async def test_the_sdk_replays_a_log_with_digests(sockets: Path, version: int) -> None:
    options = SimulatorOptions(filled_digests=True, event_version=version)
    async with (
        TeeSimulator(sockets / "tee", sockets / "s", options) as simulator,
        dstack_sdk.AsyncDstackClient(simulator.endpoint) as sdk,
    ):
        answer = await sdk.get_quote(bytes(64))
    registers = parse_quote(answer.decode_quote()).report.rtmrs
    assert answer.replay_rtmrs() == {index: value.hex() for index, value in enumerate(registers)}


def test_a_swapped_payload_replays_in_the_sdk_and_is_caught_here() -> None:
    """The SDK hashes one payload and then reads another one."""
    registers, log = quoted(events=EventFault.SWAPPED_PAYLOAD, filled_digests=True)
    believed = dstack_sdk.GetQuoteResponse(quote="", event_log=log)
    assert believed.replay_rtmrs()[3] == registers[3].hex()
    assert [event.event_payload for event in believed.decode_event_log() if event.event == "compose-hash"] == [
        OTHER.hex()
    ]
    assert refusal(log) is VerifierErrorCode.DIGEST_MISMATCH


@pytest.mark.parametrize("filled", [True, False])
@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (EventFault.SWAPPED_PAYLOAD, VerifierErrorCode.DIGEST_MISMATCH),
        (EventFault.RETYPED, VerifierErrorCode.WRONG_EVENT_TYPE),
        (EventFault.FOREIGN_REGISTER, VerifierErrorCode.BAD_REGISTER),
        (EventFault.MISSING, VerifierErrorCode.BAD_BOOT_ORDER),
        (EventFault.DUPLICATE, VerifierErrorCode.BAD_BOOT_ORDER),
        (EventFault.OUT_OF_ORDER, VerifierErrorCode.BAD_BOOT_ORDER),
    ],
)
def test_each_fault_is_refused_for_its_own_reason(fault: EventFault, code: VerifierErrorCode, filled: bool) -> None:
    assert refusal(quoted(events=fault, filled_digests=filled)[1]) is code


@pytest.mark.parametrize(
    "fault", [EventFault.MISSING, EventFault.DUPLICATE, EventFault.OUT_OF_ORDER, EventFault.AFTER_READY]
)
def test_what_was_measured_wrongly_still_replays(fault: EventFault) -> None:
    registers, log = quoted(events=fault)
    assert replay(parse_event_log(log)) == registers
    assert registers[3] != quoted()[0][3]
    assert registers[:3] == quoted()[0][:3]


def test_identity_is_not_read_from_what_the_application_measured() -> None:
    identity = boot_identity(parse_event_log(quoted(events=EventFault.AFTER_READY)[1]))
    assert identity.application_events == ("compose-hash",)
    assert identity.compose_hash == platform().measurements.compose_hash != OTHER


def test_a_lie_about_registers_is_told_beside_quotes_alone() -> None:
    told = platform(events=EventFault.FOREIGN_REGISTER)
    info = json.loads(str(told.info({})["tcb_info"]))
    assert replay(parse_events(info["event_log"])) == told.measurements.rtmrs


def test_the_app_id_is_what_the_options_say() -> None:
    app_id = bytes(range(100, 120))
    told = platform(app_id=app_id)
    answer = told.get_quote({"report_data": ""})
    assert boot_identity(parse_event_log(str(answer["event_log"]))).app_id == app_id
    assert told.info({})["app_id"] == app_id.hex()
    assert told.measurements.instance_id != platform().measurements.instance_id
    assert told.kms_root_public_key == platform().kms_root_public_key
    asked = {"path": "p", "purpose": "q"}
    assert told.get_key(asked)["key"] != platform().get_key(asked)["key"]


def test_another_compose_file_is_another_hash_everywhere_and_the_same_keys() -> None:
    text = '{"name": "another"}'
    told = platform(app_compose=text, app_id=bytes(20))
    report = parse_quote(bytes.fromhex(str(told.get_quote({"report_data": ""})["quote"]))).report
    compose_hash = hashlib.sha256(text.encode()).digest()
    assert report.mr_config_id == b"\x01" + compose_hash + bytes(15)
    assert told.measurements.compose_hash == compose_hash
    asked = {"path": "p", "purpose": "q"}
    assert told.get_key(asked) == platform(app_id=bytes(20)).get_key(asked)


# The lite rule of dstack's virtual machine, from the text of vm_config alone: no code of the simulator.

CONSTANTS_OF_RTMR1 = [
    hashlib.sha384(b"Calling EFI Application from Boot Option").digest(),
    hashlib.sha384(bytes(4)).digest(),
    hashlib.sha384(b"Exit Boot Services Invocation").digest(),
    hashlib.sha384(b"Exit Boot Services Returned with Success").digest(),
]


def cbor_value(data: bytes, at: int = 0) -> tuple[Any, int]:
    """A value and where the next begins."""
    major, length = data[at] >> 5, data[at] & 31
    at += 1
    if length == 24:
        length, at = data[at], at + 1
    if major == 0:
        return length, at
    if major in {2, 3}:
        raw = data[at : at + length]
        return (raw if major == 2 else raw.decode()), at + length
    assert major == 5
    entries = {}
    for _ in range(length):
        key, at = cbor_value(data, at)
        entries[key], at = cbor_value(data, at)
    return entries, at


def extended(digests: list[bytes]) -> bytes:
    register = bytes(48)
    for digest in digests:
        register = hashlib.sha384(register + digest).digest()
    return register


def test_the_os_image_follows_from_what_vm_config_states() -> None:
    answer = platform().get_quote({"report_data": ""})
    config = json.loads(str(answer["vm_config"]))
    report = parse_quote(bytes.fromhex(str(answer["quote"]))).report
    measurement, checksums = (
        base64.b64decode(config["tdx_measurement"][name]) for name in ("measurement", "checksum_file")
    )
    assert hashlib.sha256(checksums).hexdigest() == config["os_image_hash"]
    assert checksums.decode() == f"{hashlib.sha256(measurement).hexdigest()}  measurement.tdx.cbor\n"
    document, end = cbor_value(measurement)
    assert end == len(measurement)
    image, tdvf = document["image"], document["tdvf"]
    assert tdvf["mrtd"]["two_pass"] == report.mr_td
    assert extended([image["kernel_authenticode"], *CONSTANTS_OF_RTMR1]) == report.rtmrs[1]
    assert extended([image["cmdline_sha384"], image["initrd_sha384"]]) == report.rtmrs[2]
    first = json.loads(str(answer["event_log"]))[0]
    assert first["digest"] == td_hob_digest(config["memory_size"]).hex()


@pytest.mark.parametrize(
    ("gibibytes", "digest"),
    [
        (2, "0b8772e5b0b41b83e6044a68397e02f49fb47066b4fbe4917ea2c45c64f323fdacbb37948f821ebaf8bc9c938ba8a749"),
        (16, "cd2312a0d87ef3c4a928df87088969a80b33d7bf3fc584bdde637b09ed808a8d821a56b78a13a6eb506db7578444abbe"),
        (64, "8ae1e425351df7992c444586eff99d35af3b779aa2b0e981cb4b73bc5b279f2ade19b6a62a203fc3c3bbdaae80af596d"),
    ],
)
def test_the_memory_list_is_that_of_real_machines(gibibytes: int, digest: str) -> None:
    """Digests seen in the logs of real dstack machines of that size."""
    assert td_hob_digest(gibibytes * 1024**3).hex() == digest


@needs_fixtures
def test_the_boot_has_the_shape_of_a_real_machines_and_its_constants() -> None:
    """All but the ACPI tables, kernel, command line and initrd, which follow from what was built and installed."""
    real = json.loads(read_json("dstack/tdx-lite-getquote.json")["event_log"])
    ours = json.loads(quoted()[1])
    shape = ("imr", "event_type", "event")
    assert [[event[name] for name in shape] for event in ours] == [[event[name] for name in shape] for event in real]
    same = [
        index for index in range(len(real)) if ours[index]["digest"] == real[index]["digest"] and real[index]["digest"]
    ]
    assert [index for index in range(20) if index not in same] == [8, 9, 10, 11, 16, 17]
    assert {event["event_payload"] for event in ours[:20]} == {event["event_payload"] for event in real[:20]}


@needs_fixtures
def test_the_vm_configuration_has_the_fields_of_a_real_one() -> None:
    real = json.loads(read_json("dstack/tdx-lite-getquote.json")["vm_config"])
    ours = json.loads(str(platform().get_quote({"report_data": ""})["vm_config"]))
    assert ours.keys() == real.keys()
    assert ours["tdx_measurement"].keys() == real["tdx_measurement"].keys()
    documents = [cbor_value(base64.b64decode(each["tdx_measurement"]["measurement"]))[0] for each in (ours, real)]
    assert documents[0]["tdvf"]["td_hob"] == documents[1]["tdvf"]["td_hob"]
    assert [list(document) for document in documents] == [["version", "image", "tdvf"]] * 2
    assert documents[0]["image"].keys() == documents[1]["image"].keys()
    assert documents[0]["version"] == documents[1]["version"]
