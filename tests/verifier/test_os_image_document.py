"""The parsers under the check of the operating system: strict, bounded, and of one error alone."""

import hashlib
import struct
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devkit.tee_simulator.options import SimulatorOptions
from devkit.tee_simulator.platform import SimulatedPlatform
from svc_verifier.check import Status
from svc_verifier.checks.os import check_os
from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.event_log import boot_identity, parse_event_log, replay
from svc_verifier.formats.quote import parse_quote_hex
from svc_verifier.material import Boot, VerifiedQuote
from svc_verifier.os_image import document as strict
from svc_verifier.os_image import firmware
from svc_verifier.os_image.document import Cbor, MeasurementDocument, parse_cbor, parse_vm_config, read_document
from svc_verifier.os_image.firmware import OVMF_LAYOUT, HobLayout, PageRange, parse_layout, td_hob_digest
from svc_verifier.trust_file import parse_trust
from tests.support.clock import FakeClock
from tests.support.loop_meter import takes_at_most
from tests.support.os_images import trusting

Value = TypeVar("Value")
GIBIBYTE = 1024**3
CODES = {VerifierErrorCode.TOO_LARGE, VerifierErrorCode.TRUNCATED, VerifierErrorCode.BAD_IMAGE}
OVMF_TEMPLATE = bytes.fromhex("80100904000609020b021010")


def cbor(value: Cbor) -> bytes:
    """Encoded in the shortest form, a map's entries in the order given."""
    if isinstance(value, int):
        return head(0, value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    return head(5, len(value)) + b"".join(cbor(key) + cbor(entry) for key, entry in value.items())


def head(major: int, number: int) -> bytes:
    """A major type and its number."""
    if number < 24:
        return bytes([major << 5 | number])
    width = next(width for width in (1, 2, 4, 8) if number < 1 << 8 * width)
    return bytes([major << 5 | {1: 24, 2: 25, 4: 26, 8: 27}[width]]) + number.to_bytes(width, "big")


VALUES = st.recursive(
    st.integers(0, 2**64 - 1) | st.binary(max_size=400) | st.text(max_size=40),
    lambda inner: st.dictionaries(st.text(max_size=8), inner, max_size=6),
    max_leaves=12,
)


def depth(value: object) -> int:
    return 1 + max(map(depth, value.values()), default=0) if isinstance(value, dict) else 0


def refusal(read: Callable[[], object]) -> VerifierErrorCode:
    with pytest.raises(VerifierError) as refused:
        read()
    return refused.value.code


def code_or(read: Callable[[], Value]) -> Value | VerifierErrorCode:
    """What is read, or the code of the one error there may be."""
    try:
        return read()
    except VerifierError as error:
        return error.code


# CBOR


@given(value=VALUES)
def test_what_a_document_may_hold_is_read_as_it_was_written(value: Cbor) -> None:
    written = cbor(value)
    if depth(value) > strict.CBOR_NESTING or len(written) > strict.CBOR_LIMIT_BYTES:
        assert refusal(lambda: parse_cbor(written, "x")) is VerifierErrorCode.TOO_LARGE
    else:
        assert parse_cbor(written, "x") == value


@given(data=st.binary(max_size=400))
def test_no_bytes_raise_another_error(data: bytes) -> None:
    read = code_or(lambda: parse_cbor(data, "x"))
    assert read in CODES if isinstance(read, VerifierErrorCode) else depth(read) <= strict.CBOR_NESTING


@given(value=VALUES, at=st.integers(0), byte=st.integers(0, 255))
def test_one_text_has_one_reading_and_one_value_one_text(value: Cbor, at: int, byte: int) -> None:
    written = cbor(value)
    changed = bytearray(written)
    changed[at % len(written)] = byte
    read = code_or(lambda: parse_cbor(bytes(changed), "x"))
    assert isinstance(read, VerifierErrorCode) or cbor(read) == bytes(changed)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ("", "fewer"),
        ("1817", "shortest"),
        ("190017", "shortest"),
        ("1900ff", "shortest"),
        ("1a0000ffff", "shortest"),
        ("1b00000000ffffffff", "shortest"),
        ("5800", "shortest"),
        ("1c", "definite"),
        ("1f", "definite"),
        ("5f4100ff", "definite"),
        ("bf6161 00ff", "definite"),
        ("20", "major type 1"),
        ("80", "major type 4"),
        ("c000", "major type 6"),
        ("f4", "major type 7"),
        ("f6", "major type 7"),
        ("fb7ff0000000000000", "major type 7"),
        ("a10000", "key is no text"),
        ("a2616100616101", "twice"),
        ("61ff", "UTF-8"),
        ("63eda080", "UTF-8"),
        ("0000", "follow"),
        ("42ff", "fewer"),
        ("a1", "fewer"),
        ("bbffffffffffffffff", "fewer"),
        ("5bffffffffffffffff", "fewer"),
        ("a16161" * 5 + "00", "nested"),
        ("00" * 4097, "more than 4096"),
    ],
)
def test_what_is_not_of_the_strict_form_is_refused(data: str, why: str) -> None:
    with pytest.raises(VerifierError, match=why):
        parse_cbor(bytes.fromhex(data), "x")


def test_integers_of_every_width_are_read() -> None:
    written = {"17": 23, "1818": 24, "18ff": 255, "190100": 256, "19ffff": 65535, "1a00010000": 65536}
    written |= {"1affffffff": 2**32 - 1, "1b0000000100000000": 2**32, "1bffffffffffffffff": 2**64 - 1}
    for data, number in written.items():
        assert parse_cbor(bytes.fromhex(data), "x") == number
        assert head(0, number).hex() == data


def test_the_worst_bytes_take_no_time() -> None:
    with takes_at_most(1.0):
        for data in (b"\xa1\x60" * 2048, b"\xbb" + b"\xff" * 4095, b"\x60" * 4096, b"\xb9\xff\xff" + b"\x60" * 4000):
            assert isinstance(code_or(partial(parse_cbor, data, "x")), VerifierErrorCode)


# the memory list


@pytest.mark.parametrize(
    ("gibibytes", "digest"),
    [
        (2, "0b8772e5b0b41b83e6044a68397e02f49fb47066b4fbe4917ea2c45c64f323fdacbb37948f821ebaf8bc9c938ba8a749"),
        (16, "cd2312a0d87ef3c4a928df87088969a80b33d7bf3fc584bdde637b09ed808a8d821a56b78a13a6eb506db7578444abbe"),
        (64, "8ae1e425351df7992c444586eff99d35af3b779aa2b0e981cb4b73bc5b279f2ade19b6a62a203fc3c3bbdaae80af596d"),
    ],
)
def test_the_memory_list_is_that_of_real_machines(gibibytes: int, digest: str) -> None:
    computed = td_hob_digest(parse_layout(OVMF_TEMPLATE), gibibytes * GIBIBYTE)
    assert computed is not None
    assert computed.hex() == digest
    assert parse_layout(OVMF_TEMPLATE) == OVMF_LAYOUT


@given(first=st.integers(1, 2**41), second=st.integers(1, 2**41))
def test_two_memory_sizes_have_two_lists(first: int, second: int) -> None:
    one, other = td_hob_digest(OVMF_LAYOUT, first), td_hob_digest(OVMF_LAYOUT, second)
    assert one is None or other is None or (one == other) == (first == second)


@pytest.mark.parametrize(
    ("memory", "above_accepted"),
    [
        (0xAFFFF000, [(0x820000, 0xAFFFF000)]),
        (0xB0000000, [(0x820000, 0x80000000), (0x100000000, 0x130000000)]),
    ],
)
def test_memory_is_split_around_the_pci_hole_from_2_75_gib_on(
    memory: int, above_accepted: list[tuple[int, int]]
) -> None:
    """Built by hand from the tables of the PI specification; (kind, start, end) of each range."""
    accepted = [(0, 0x800000, 0x806000), (0, 0x809000, 0x80B000), (0, 0x80B000, 0x80D000), (0, 0x810000, 0x820000)]
    gaps = [(7, 0, 0x800000), (7, 0x806000, 0x809000), (7, 0x80D000, 0x810000)]
    ranges = sorted(accepted + gaps, key=lambda item: item[1]) + [(7, *span) for span in above_accepted]
    blocks = [struct.pack("<HHI16sIIQQ", 3, 48, 0, bytes(16), kind, 7, at, end - at) for kind, at, end in ranges]
    end_of_list = 0x809000 + 56 + 48 * len(blocks) + 8
    table = struct.pack("<HHIII", 1, 56, 0, 9, 0) + bytes(32) + end_of_list.to_bytes(8, "little")
    assert td_hob_digest(OVMF_LAYOUT, memory) == hashlib.sha384(table + b"".join(blocks)).digest()


@pytest.mark.parametrize("memory", [0, 1, 0x820 * 4096, 2**52 + 1, 2**80])
def test_a_memory_that_cannot_be_has_no_list(memory: int) -> None:
    assert td_hob_digest(OVMF_LAYOUT, memory) is None


@given(data=st.binary(max_size=300))
def test_no_layout_raises_another_error(data: bytes) -> None:
    read = code_or(lambda: parse_layout(data))
    if isinstance(read, VerifierErrorCode):
        assert read in CODES
    else:
        assert 1 <= len(read.accepted) <= firmware.RANGES
        assert len(td_hob_digest(read, GIBIBYTE) or bytes(48)) == 48


def leb128(*numbers: int) -> bytes:
    def one(number: int) -> bytes:
        low, rest = number & 0x7F, number >> 7
        return bytes([low | 0x80]) + one(rest) if rest else bytes([low])

    return b"".join(map(one, numbers))


@given(
    base=st.integers(0, 2**16),
    list_page=st.integers(0, 2**16),
    spans=st.lists(st.tuples(st.integers(0, 99), st.integers(1, 99)), min_size=1, max_size=firmware.RANGES),
)
def test_a_layout_is_read_as_it_was_written(base: int, list_page: int, spans: list[tuple[int, int]]) -> None:
    ranges: list[PageRange] = []
    reached = 0
    for gap, pages in spans:
        ranges.append(PageRange(reached + gap, pages))
        reached += gap + pages
    numbers = [number for page_range in ranges for number in (page_range.first, page_range.pages)]
    absolute = tuple(PageRange(base + page_range.first, page_range.pages) for page_range in ranges)
    assert parse_layout(leb128(base, list_page, len(ranges), *numbers)) == HobLayout(base + list_page, absolute)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "announces"),
        (leb128(0x800, 9, 0), "0 ranges"),
        (leb128(0x800, 9, 2, 0, 6), "announces"),
        (leb128(0x800, 9, 1, 0, 6, 0), "announces"),
        (leb128(0x800, 9, 1, 0, 0), "empty"),
        (leb128(0x800, 9, 1, 2**20, 6), "4 GiB"),
        (leb128(0x800, 2**20, 1, 0, 6), "4 GiB"),
        (leb128(0x800, 9, 2, 0, 6, 5, 6), "overlap"),
        (leb128(0x800, 9, 2, 9, 6, 0, 6), "overlap"),
        (leb128(0x800, 9, 33, *(number for place in range(33) for number in (2 * place, 1))), "33 ranges"),
        (b"\x80\x10\x89", "inside a number"),
        (b"\x80\x10\x09\x01\x80\x00\x01", "shortest"),
        (b"\xff" * 6, "32 bits"),
        (bytes(257), "256 bytes"),
    ],
)
def test_a_layout_that_is_none_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(VerifierError, match=why):
        parse_layout(data)


# the document


@given(checksums=st.binary(max_size=200), measurement=st.binary(max_size=200))
def test_no_document_raises_another_error(checksums: bytes, measurement: bytes) -> None:
    refusal(lambda: read_document(MeasurementDocument(checksums, measurement)))


@given(text=st.text())
def test_no_description_raises_another_error(text: str) -> None:
    assert code_or(lambda: parse_vm_config(text)) in {*CODES, VerifierErrorCode.NOT_JSON, parse_vm_config("")}


@pytest.mark.parametrize(
    "text",
    [
        f'{{"os_image_hash": "{"11" * 16} {"11" * 16}"}}',
        '{"memory_size": true}',
        '{"tdx_measurement": {"measurement": "AA\\nAA", "checksum_file": "AAAA"}}',
        '{"tdx_measurement": {"measurement": "AAAA", "checksum_file": "AA-AAA=="}}',
    ],
)
def test_what_python_would_read_leniently_is_refused(text: str) -> None:
    assert refusal(lambda: parse_vm_config(text)) is VerifierErrorCode.BAD_IMAGE


# the simulator: the same rules, for images that nobody built


def simulated(options: SimulatorOptions) -> tuple[str, Boot, VerifiedQuote]:
    answer = SimulatedPlatform(b"\x07" * 32, options, FakeClock()).get_quote({"report_data": ""})
    quote, events = parse_quote_hex(str(answer["quote"])), parse_event_log(str(answer["event_log"]))
    assert replay(events) == quote.report.rtmrs
    verified = VerifiedQuote(quote, "UpToDate", (), "00" * 6, "platform", bytes(16), 1)
    return str(answer["vm_config"]), Boot(events, boot_identity(events)), verified


def test_the_simulators_image_is_recognised_by_the_same_rules() -> None:
    config, boot, verified = simulated(SimulatorOptions())
    made = check_os(config, boot, verified, None, trusting(development=True))
    assert [one.status for one in made.checks] == [Status.PASSED, *[Status.SKIPPED] * 3]
    image = parse_vm_config(config).os_image_hash
    assert image is not None
    unpinned = check_os(config, boot, verified, None, trusting(os_images=frozenset({image})))
    assert unpinned.checks[1].status is Status.UNKNOWN, "nobody vouches for development tables"
    other = config.replace('"memory_size": 2147483648', '"memory_size": 4294967296')
    assert other != config
    assert check_os(other, boot, verified, None, trusting(development=True)).value is None


# trust.toml


TRUST = 'host = "node.example"\napp_id = "0x' + "11" * 20 + '"\nchain_id = 8453\n'
PIN = f'[[os_measurements]]\nos_image_hash = "{"01" * 32}"\n' + "".join(
    f'{name} = "0x{number:02x}{"00" * 47}"\n'
    for number, name in enumerate(("mrtd", "kernel", "command_line", "initrd"))
)


def test_a_trust_file_pins_images_and_tables() -> None:
    trust = parse_trust(TRUST + f'acpi_tables = ["{"0a" * 48}"]\n' + PIN + PIN)
    assert trust.acpi_tables == {b"\x0a" * 48}
    assert len(trust.os_measurements) == 2
    assert trust.os_measurements[0].os_image_hash == b"\x01" * 32
    assert [trust.os_measurements[1].kernel[0], trust.os_measurements[1].initrd[0]] == [1, 3]


@pytest.mark.parametrize(
    "text",
    [
        'acpi_tables = ["0a"]',
        'acpi_tables = "0a"',
        "os_measurements = 1",
        "os_measurements = [1]",
        PIN.replace("mrtd", "mrdt"),
        PIN.replace('"01', '"'),
        PIN + "rtmr0 = 1\n",
        PIN.replace("kernel", "initrd"),
        PIN.rpartition("initrd")[0],
    ],
)
def test_a_pin_that_pins_nothing_is_refused(text: str) -> None:
    assert refusal(lambda: parse_trust(TRUST + text)) is VerifierErrorCode.BAD_TRUST
