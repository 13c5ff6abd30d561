"""The operating system of real machines is recognised; a host that boots, names or describes another is found out."""

import hashlib
import json
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_verifier.check import CATALOGUE, Group, Status
from svc_verifier.checks.os import check_os
from svc_verifier.os_image.firmware import ACPI, Slot
from svc_verifier.os_image.images import Origin
from tests.support.fixtures import needs_fixtures
from tests.support.os_images import (
    ANY,
    GIBIBYTE,
    LITE,
    MACHINES,
    OTHER,
    Machine,
    check,
    outcome,
    pinned,
    quoted_machine,
    trusting,
    vouched,
)

pytestmark = needs_fixtures

OS_IDS = {name for name in CATALOGUE if name.startswith("os.")}
ACPI_PLACES = (8, 9, 10)


@pytest.fixture
def lite() -> Machine:
    return quoted_machine(LITE)


def accepted(machine: Machine) -> None:
    found = check(machine, trusting(os_images=frozenset({machine.os_image_hash})))
    assert {made.status for made in found.values()} == {Status.PASSED}


def refused(machine: Machine) -> str:
    """Not recognised, whatever is pinned; nothing rests on it."""
    made = outcome(machine, trusting(os_images=frozenset({quoted_machine(LITE).os_image_hash})))
    first, *rest = made.checks
    assert made.value is None
    assert first.id == "os.measurements"
    assert first.status is Status.FAILED, first
    assert {made.status for made in rest} == {Status.UNKNOWN}
    return first.why


@pytest.mark.parametrize("name", MACHINES)
def test_every_digest_of_a_real_machine_is_accounted_for(name: str) -> None:
    machine = MACHINES[name]()
    made = check(machine, ANY)["os.measurements"]
    assert made.status is Status.PASSED, made.why
    shown = {key.removeprefix("unexplained ") for key in made.evidence if key.startswith("unexplained ")}
    newer = {Slot.SMBIOS.value} if name == "dstack simulator" else set()
    assert shown == {slot.value for slot in ACPI} | newer
    assert made.evidence["mrtd"] == machine.report.mr_td.hex()


def test_an_image_that_states_itself_needs_no_table(lite: Machine) -> None:
    made = outcome(lite, ANY)
    assert made.value is not None
    assert made.value.os_image_hash == lite.os_image_hash
    assert made.value.origin is Origin.STATED
    accepted(lite)


def test_what_was_only_observed_says_so_and_where() -> None:
    for name in set(MACHINES) - {"dstack lite"}:
        known = check(MACHINES[name](), ANY)["os.measurements"].evidence["known"]
        assert known.startswith("observed in published attestations, not rebuilt from source: ")
    assert "near/mpc" in check(MACHINES["near-mpc"](), ANY)["os.measurements"].evidence["known"]


def test_an_image_in_no_table_that_states_nothing_is_never_recognised() -> None:
    machine = quoted_machine("dstack-examples/report.json", memory_size=4 * GIBIBYTE)
    claims = machine.with_config(os_image_hash=quoted_machine(LITE).os_image_hash.hex())
    for shown in (machine, claims, claims.with_config(image="dstack-0.6.0")):
        found = check(shown, trusting(os_images=frozenset({quoted_machine(LITE).os_image_hash})))
        assert {made.status for made in found.values()} == {Status.UNKNOWN}
    measured = check(machine, ANY)["os.measurements"].evidence
    assert measured["mrtd"] == machine.report.mr_td.hex()
    assert measured["kernel"].startswith("1a417d47a3cee324")


def test_without_a_vouched_log_nothing_is_said(lite: Machine) -> None:
    boot, verified = vouched(lite)
    text = json.dumps(lite.vm_config)
    for made in (check_os(text, None, verified, None, ANY), check_os(text, boot, None, None, ANY)):
        assert {one.id for one in made.checks} == OS_IDS
        assert {one.status for one in made.checks} == {Status.UNKNOWN}
        assert made.value is None


@pytest.mark.parametrize("text", [None, "", "{}"])
def test_a_host_that_describes_nothing_is_not_believed(text: str | None) -> None:
    for name in MACHINES:
        machine = MACHINES[name]()
        made = check_os(text, *vouched(machine), None, ANY)
        assert made.value is None
        assert made.checks[0].status is Status.UNKNOWN


# what a host may try that really boots what it likes: log, registers and quote agree


@pytest.mark.exhaustive
def test_each_bit_of_the_measurement_document_is_bound_by_the_image_hash(lite: Machine) -> None:
    """With the old checksum file nothing else counts; with a new one it is another image, which is not the pinned one."""
    document, stated = lite.measurement, lite.vm_config["tdx_measurement"]
    trust = trusting(os_images=frozenset({lite.os_image_hash}))
    recognised = 0
    for bit in range(8 * len(document)):
        changed = bytearray(document)
        changed[bit // 8] ^= 1 << bit % 8
        other = lite.with_document(bytes(changed))
        kept = other.vm_config["tdx_measurement"] | {"checksum_file": stated["checksum_file"]}
        forged = lite.with_config(tdx_measurement=kept)
        assert check(forged, trust)["os.measurements"].status is Status.FAILED
        found = check(other, trust)
        assert found["os.measurements"].status is Status.PASSED or outcome(other, trust).value is None
        assert found["os.allowed"].status is not Status.PASSED
        recognised += found["os.measurements"].status is Status.PASSED
    assert recognised == 8 * 48, "only the MRTD of the other page order decides nothing on this machine"


def test_each_bit_of_the_checksum_file_counts(lite: Machine) -> None:
    stated = lite.vm_config["tdx_measurement"]
    checksums = stated["checksum_file"]
    for place in range(len(checksums) - 4):
        changed = checksums[:place] + ("A" if checksums[place] != "A" else "B") + checksums[place + 1 :]
        refused(lite.with_config(tdx_measurement={**stated, "checksum_file": changed}))


def test_the_checksum_file_of_another_image_does_not_vouch(lite: Machine) -> None:
    other = b"%s  measurement.tdx.cbor\n" % hashlib.sha256(b"another").hexdigest().encode()
    assert "hashes to" in refused(lite.with_document(lite.measurement, other))
    assert "lists none" in refused(lite.with_document(lite.measurement, other.replace(b"tdx", b"snp")))
    right = b"%s  measurement.tdx.cbor\n" % hashlib.sha256(lite.measurement).hexdigest().encode()
    for twice in (right + right, right + other, other + right):
        assert "again" in refused(lite.with_document(lite.measurement, twice))


def test_a_checksum_file_lists_the_other_files_of_an_image_too(lite: Machine) -> None:
    line = b"%s  %s\n"
    listed = line % (b"0" * 64, b"bzImage") + line % (
        hashlib.sha256(lite.measurement).hexdigest().encode(),
        b"measurement.tdx.cbor",
    )
    accepted(lite.with_document(lite.measurement, listed))


def test_a_host_cannot_claim_another_image_hash(lite: Machine) -> None:
    assert "states the image" in refused(lite.with_config(os_image_hash="11" * 32))
    development = MACHINES["near-mpc dev"]()
    production = MACHINES["near-mpc"]().os_image_hash
    assert "states the image" in refused(development.with_config(os_image_hash=production.hex()))


@pytest.mark.parametrize("memory", [1, 4096, 2 * GIBIBYTE - 4096, 2 * GIBIBYTE + 1, 4 * GIBIBYTE, 2**62])
def test_another_memory_size_is_found_out(lite: Machine, memory: int) -> None:
    assert "memory" in refused(lite.with_config(memory_size=memory))


@given(memory=st.integers(1, 2**53))
def test_no_other_memory_size_fits(memory: int) -> None:
    machine = quoted_machine(LITE).with_config(memory_size=memory)
    fits = check(machine, ANY)["os.measurements"].status is Status.PASSED
    assert fits == (memory == 2 * GIBIBYTE)


@pytest.mark.parametrize("name", MACHINES)
def test_each_digest_below_rtmr3_counts(name: str) -> None:
    machine = MACHINES[name]()
    shape = 13 if name != "dstack simulator" else 17
    unexplained = ACPI_PLACES if shape == 13 else (10, 11, 12, 13)
    sizes = {0: shape, 1: 5, 2: 2}
    for register, size in sizes.items():
        for place in range(size):
            found = check(machine.with_digest(register, place, OTHER), ANY)
            if register == 0 and place in unexplained:
                assert found["os.measurements"].status is Status.PASSED
                smbios = shape == 17 and place == 13
                assert smbios or found["os.acpi-tables"].status is Status.UNKNOWN
            else:
                assert found["os.measurements"].status in {Status.FAILED, Status.UNKNOWN}
                assert found["os.allowed"].status is Status.UNKNOWN


@pytest.mark.parametrize("name", MACHINES)
def test_events_added_dropped_or_reordered_are_found_out(name: str) -> None:
    machine = MACHINES[name]()
    trust = trusting(os_measurements=(pinned(machine, bytes(32)),))
    firmware = [index for index, event in enumerate(machine.events) if event.register < 3]
    for index in firmware:
        event = machine.events[index]
        dropped = [*machine.events[:index], *machine.events[index + 1 :]]
        doubled = [*machine.events[: index + 1], event, *machine.events[index + 1 :]]
        for events in (dropped, doubled):
            assert outcome(machine.with_events(events), trust).value is None
        later = next((at for at in firmware if at > index and machine.events[at].register == event.register), None)
        if later is None or event.payload == machine.events[later].payload == b"ACPI DATA":
            continue
        swapped = list(machine.events)
        swapped[index], swapped[later] = swapped[later], swapped[index]
        assert outcome(machine.with_events(swapped), trust).value is None


def test_the_order_of_registers_in_the_log_is_free(lite: Machine) -> None:
    """Only the order within a register is measured."""
    accepted(lite.with_events(sorted(lite.events, key=lambda event: event.register)))


def test_names_and_payloads_of_firmware_events_decide_nothing(lite: Machine) -> None:
    stripped = [
        event if event.is_runtime else replace(event, name="", payload=b"", event_type=random.Random(1).getrandbits(31))
        for event in lite.events
    ]
    accepted(lite.with_events(stripped))
    renamed = [event if event.is_runtime else replace(event, name="acpi-tables") for event in lite.events]
    assert "kernel" in refused(lite.with_events(renamed).with_digest(1, 0, OTHER))


def test_other_firmware_is_found_out(lite: Machine) -> None:
    assert "MRTD" in refused(lite.with_mrtd(OTHER))
    for name in MACHINES:
        assert outcome(MACHINES[name]().with_mrtd(OTHER), ANY).value is None


def test_the_same_firmware_has_one_mrtd_for_each_page_order(lite: Machine) -> None:
    """The order is QEMU's and changes nothing of what runs, so it is shown and decides nothing."""
    made = check(lite, ANY)["os.measurements"]
    assert made.evidence["pages added"] == "two_pass"
    head = b"ksingle_passX\x30"
    single = lite.measurement[lite.measurement.index(head) + len(head) :][:48]
    other = check(lite.with_mrtd(single), ANY)["os.measurements"]
    assert other.status is Status.PASSED
    assert other.evidence["pages added"] == "single_pass"


def test_the_stated_generation_of_firmware_must_be_the_images(lite: Machine) -> None:
    assert "firmware" in refused(lite.with_config(ovmf_variant="stable202505"))
    accepted(lite.with_config(ovmf_variant=None))
    other = lite.with_document(lite.measurement.replace(b"ipre202505", b"lstable202505")).with_config(ovmf_variant=None)
    assert outcome(other, ANY).value is None


def test_a_document_of_a_later_version_is_not_guessed_at(lite: Machine) -> None:
    later = lite.with_document(lite.measurement.replace(b"gversion\x03", b"gversion\x04"))
    made = outcome(later, ANY)
    assert made.value is None
    assert made.checks[0].status is Status.UNKNOWN
    assert "version" in made.checks[0].why


def test_a_digest_of_another_length_is_refused_even_where_it_decides_nothing(lite: Machine) -> None:
    head = b"ksingle_passX\x30"
    at = lite.measurement.index(head)
    short = lite.measurement[:at] + b"ksingle_passX\x2f" + lite.measurement[at + len(head) + 1 :]
    assert "48 bytes" in refused(lite.with_document(short))


def test_a_kernel_digest_is_not_stated_for_little_memory(lite: Machine) -> None:
    """QEMU writes the initrd's address into the kernel; below 2.75 GiB it depends on the memory (but for 2 GiB)."""
    small = lite.with_config(memory_size=GIBIBYTE)
    why = refused(small)
    hob = why.partition("is ")[2].partition(",")[0]
    expected = why.partition("expected is ")[2][:96]
    assert bytes.fromhex(hob) == lite.events[0].digest
    booted = small.with_digest(0, 0, bytes.fromhex(expected))
    assert outcome(booted, ANY).value is not None
    other_kernel = check(booted.with_digest(1, 0, OTHER), ANY)["os.measurements"]
    assert other_kernel.status is Status.UNKNOWN
    assert "kernel" in other_kernel.why
    refused(booted.with_digest(1, 0, OTHER).with_digest(2, 0, OTHER))


# whatever a host sends


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.floats(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
MEMBERS = (
    "os_image_hash",
    "memory_size",
    "image",
    "ovmf_variant",
    "tdx_measurement",
    "tdx_attestation_variant",
    "qemu_single_pass_add_pages",
)


@given(text=st.text(max_size=200) | st.binary(max_size=60).map(lambda data: data.decode("latin-1")))
def test_no_text_of_a_host_gets_past_or_out(text: str) -> None:
    made = check_os(text, *vouched(quoted_machine(LITE)), None, ANY)
    assert made.value is None
    assert {one.id for one in made.checks} == OS_IDS
    assert {one.group for one in made.checks} == {Group.OS}


@given(changes=st.dictionaries(st.sampled_from(MEMBERS), JSON, min_size=1))
def test_no_member_of_another_kind_gets_out(changes: dict[str, object]) -> None:
    machine = quoted_machine(LITE)
    made = outcome(replace(machine, vm_config={**machine.vm_config, **changes}), ANY)
    assert {one.id for one in made.checks} == OS_IDS
    assert all(one.status in {Status.FAILED, Status.UNKNOWN, Status.PASSED} for one in made.checks)


@pytest.mark.parametrize(
    "changes",
    [
        {"os_image_hash": "11" * 31},
        {"os_image_hash": "1 " * 32},
        {"os_image_hash": 7},
        {"memory_size": "2147483648"},
        {"memory_size": True},
        {"memory_size": 0},
        {"memory_size": -1},
        {"memory_size": 1 << 63},
        {"memory_size": 2147483648.0},
        {"image": "x" * 129},
        {"image": "dstack\x1b[2J"},
        {"ovmf_variant": ["pre202505"]},
        {"tdx_measurement": "lite"},
        {"tdx_measurement": {}},
        {"tdx_measurement": {"measurement": "", "checksum_file": ""}},
        {"tdx_measurement": {"measurement": "?", "checksum_file": "?"}},
        {"tdx_measurement": {"measurement": "A" * 200_000, "checksum_file": "A" * 200_000}},
    ],
)
def test_a_malformed_description_is_refused(lite: Machine, changes: dict[str, object]) -> None:
    why = refused(replace(lite, vm_config={**lite.vm_config, **changes}))
    assert "vm_config" in why or "sha256sum.txt" in why


def test_a_name_twice_is_refused(lite: Machine) -> None:
    text = json.dumps(lite.vm_config)
    twice = text[:-1] + ', "memory_size": 2147483648}'
    assert check_os(twice, *vouched(lite), None, ANY).checks[0].status is Status.FAILED


def test_an_explanation_names_every_difference(lite: Machine) -> None:
    """Of two wrong digests both are named, so that one cannot hide the other."""
    why = refused(lite.with_digest(1, 0, OTHER).with_digest(2, 1, OTHER))
    assert "kernel" in why
    assert "initrd" in why
