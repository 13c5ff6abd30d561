"""Real quotes parse to what they are known to be; anything else is a VerifierError."""

import struct

import dcap_qvl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.quote import (
    QUOTE_LIMIT_BYTES,
    V4_REPORT_DATA_OFFSET,
    V4_SIGNED_LENGTH,
    BodyType,
    parse_quote,
    parse_quote_hex,
)
from tests.support import tdx
from tests.support.fixtures import ExpectedQuote, each_quote, expected_quotes, needs_fixtures, quote_bytes

REPORTS = {"TdReport10": BodyType.TD10, "TdReport15": BodyType.TD15}


@needs_fixtures
def test_there_are_real_quotes_of_both_versions() -> None:
    versions = {(row["version"], row["report"]) for row in expected_quotes("TDX")}
    assert versions == {(4, "TdReport10"), (5, "TdReport15")}


@each_quote("TDX")
def test_a_real_quote_parses_to_its_known_values(row: ExpectedQuote) -> None:
    data = quote_bytes(row["fixture"])
    quote = parse_quote(data)
    report = quote.report
    assert quote.header.version == row["version"]
    assert quote.header.qe_vendor_id.hex() == "939a7233f79c4ca9940a0db3957f0607"
    assert report.body_type is REPORTS[row["report"]]
    assert report.td_attributes.hex() == row["td_attributes"]
    assert report.mr_td.hex() == row["mrtd"]
    assert report.rtmrs[3].hex() == row["rtmr3"]
    assert report.mr_config_id.hex() == row["mr_config_id"]
    assert report.report_data.hex() == row["report_data"]
    assert data.startswith(quote.signed_bytes)
    assert quote.signature.certification_data.startswith(b"-----BEGIN CERTIFICATE-----")
    assert parse_quote_hex("0x" + data.hex().upper()) == quote


@each_quote("TDX")
def test_a_real_quote_cut_anywhere_is_truncated(row: ExpectedQuote) -> None:
    data = quote_bytes(row["fixture"])
    whole = len(data) - parse_quote(data).trailing_bytes
    for length in (*range(0, whole, 37), whole - 1):
        with pytest.raises(VerifierError) as refused:
            parse_quote(data[:length])
        assert refused.value.code is VerifierErrorCode.TRUNCATED


@each_quote("SGX")
def test_an_sgx_quote_is_refused(row: ExpectedQuote) -> None:
    with pytest.raises(VerifierError) as refused:
        parse_quote(quote_bytes(row["fixture"]))
    assert refused.value.code is VerifierErrorCode.NOT_TDX


def test_version_4_offsets_are_the_tables() -> None:
    data = tdx.quote_v4()
    quote = parse_quote(data)
    fields = {
        48: quote.report.tee_tcb_svn,
        64: quote.report.mr_seam,
        112: quote.report.mr_signer_seam,
        160: quote.report.seam_attributes,
        168: quote.report.td_attributes,
        176: quote.report.xfam,
        184: quote.report.mr_td,
        232: quote.report.mr_config_id,
        280: quote.report.mr_owner,
        328: quote.report.mr_owner_config,
        376: quote.report.rtmrs[0],
        424: quote.report.rtmrs[1],
        472: quote.report.rtmrs[2],
        520: quote.report.rtmrs[3],
        V4_REPORT_DATA_OFFSET: quote.report.report_data,
    }
    for offset, field in fields.items():
        assert data[offset : offset + len(field)] == field
    assert sum(map(len, fields.values())) == 584
    assert quote.signed_bytes == data[:V4_SIGNED_LENGTH]
    assert (quote.header.qe_svn, quote.header.pce_svn) == (1, 2)
    assert quote.report.tee_tcb_svn2 is None
    assert quote.report.mr_service_td is None


def test_version_5_carries_both_bodies() -> None:
    longer = parse_quote(tdx.quote_v5())
    body = tdx.report_body(648)
    assert longer.report.tee_tcb_svn2 == body[584:600]
    assert longer.report.mr_service_td == body[600:]
    assert len(longer.signed_bytes) == 48 + 6 + 648
    shorter = parse_quote(tdx.quote_v5(2, 584))
    assert shorter.report.body_type is BodyType.TD10
    assert shorter.report.mr_service_td is None


def test_the_extended_body_has_the_fields_that_dcap_qvl_reads() -> None:
    """dcap-qvl 0.7 is another implementation of the same layout."""
    data = tdx.quote_v5(4, 885)
    quote, other = parse_quote(data), dcap_qvl.parse_quote(data).report
    extension = quote.report.extension
    assert extension is not None
    assert quote.report.body_type is BodyType.TD15EX
    assert len(quote.signed_bytes) == 48 + 6 + 885
    assert (extension.vm_id, extension.td_id, extension.device_info) == (other.vmid, other.td_id, other.dev_info)
    assert extension.launch_service_td_hash == other.init_service_td_hash
    assert extension.launch_service_td_attributes == other.init_service_td_attributes
    assert extension.launch_cpu_svn == other.init_cpu_svn
    assert extension.launch_tee_tcb_svn == other.init_tee_tcb_svn
    assert extension.launch_fmspc == other.init_tee_fmspc
    assert extension.current_service_td_hash == other.cur_service_td_hash
    assert extension.current_service_td_attributes == other.cur_service_td_attributes
    assert (quote.report.mr_td, quote.report.mr_service_td) == (other.mr_td, other.mr_service_td)


@pytest.mark.parametrize(
    ("kind", "length", "code"),
    [
        (1, 384, VerifierErrorCode.UNSUPPORTED_BODY),
        (0, 584, VerifierErrorCode.UNSUPPORTED_BODY),
        (5, 885, VerifierErrorCode.UNSUPPORTED_BODY),
        (2, 648, VerifierErrorCode.INCONSISTENT_SIZES),
        (3, 584, VerifierErrorCode.INCONSISTENT_SIZES),
        (4, 648, VerifierErrorCode.INCONSISTENT_SIZES),
    ],
)
def test_other_bodies_are_refused(kind: int, length: int, code: VerifierErrorCode) -> None:
    with pytest.raises(VerifierError) as refused:
        parse_quote(tdx.quote_v5(kind, length))
    assert refused.value.code is code


@pytest.mark.parametrize(
    ("offset", "value", "code"),
    [
        (0, struct.pack("<H", 3), VerifierErrorCode.NOT_TDX),
        (0, struct.pack("<H", 6), VerifierErrorCode.UNSUPPORTED_VERSION),
        (2, struct.pack("<H", 3), VerifierErrorCode.UNSUPPORTED_SIGNATURE),
        (4, struct.pack("<I", 0), VerifierErrorCode.NOT_TDX),
        (764, struct.pack("<H", 5), VerifierErrorCode.UNSUPPORTED_SIGNATURE),
        (632, struct.pack("<I", 0xFFFFFFFF), VerifierErrorCode.TRUNCATED),
        (632, struct.pack("<I", 0), VerifierErrorCode.TRUNCATED),
        (766, struct.pack("<I", 10), VerifierErrorCode.INCONSISTENT_SIZES),
    ],
)
def test_what_the_header_and_lengths_may_not_say(offset: int, value: bytes, code: VerifierErrorCode) -> None:
    data = tdx.quote_v4()
    with pytest.raises(VerifierError) as refused:
        parse_quote(data[:offset] + value + data[offset + len(value) :])
    assert refused.value.code is code


def test_bytes_hidden_inside_the_signature_are_refused() -> None:
    part = tdx.signature_part()
    for stuffed in (part + b"x", part[: 766 - 636] + b"" + part[766 - 636 :] + b"\0"):
        with pytest.raises(VerifierError) as refused:
            parse_quote(tdx.quote_v4(stuffed))
        assert refused.value.code is VerifierErrorCode.INCONSISTENT_SIZES


@pytest.mark.parametrize("hidden", [b"x", b"\0", b"\5\0" + bytes(4), b"-----BEGIN CERTIFICATE-----"])
def test_bytes_that_nobody_signed_inside_the_certification_data_are_refused(hidden: bytes) -> None:
    """The size around them is as nobody's signature covers it: made to fit, only the parts inside do not add up."""
    size_at = 2 * 64 + 2
    part = tdx.signature_part()
    (size,) = struct.unpack_from("<I", part, size_at)
    assert size_at + 4 + size == len(part)
    stuffed = part[:size_at] + struct.pack("<I", size + len(hidden)) + part[size_at + 4 :] + hidden
    with pytest.raises(VerifierError) as refused:
        parse_quote(tdx.quote_v4(stuffed))
    assert refused.value.code is VerifierErrorCode.INCONSISTENT_SIZES
    assert "QE certification" in refused.value.message


@pytest.mark.parametrize(("trailing", "zero"), [(b"", True), (bytes(70), True), (b"\0\x01", False)])
def test_trailing_bytes_are_reported(trailing: bytes, zero: bool) -> None:
    quote = parse_quote(tdx.quote_v4(trailing=trailing))
    assert (quote.trailing_bytes, quote.trailing_is_zero) == (len(trailing), zero)
    assert quote.report == parse_quote(tdx.quote_v4()).report


def test_a_quote_above_the_limit_is_not_read() -> None:
    with pytest.raises(VerifierError) as refused:
        parse_quote(bytes(QUOTE_LIMIT_BYTES + 1))
    assert refused.value.code is VerifierErrorCode.TOO_LARGE
    with pytest.raises(VerifierError) as refused_hex:
        parse_quote_hex("00" * (QUOTE_LIMIT_BYTES + 2))
    assert refused_hex.value.code is VerifierErrorCode.TOO_LARGE


@pytest.mark.parametrize("text", ["", "0x", "0", "zz", "00 11", " 00", "00\n", "0x0x00", "٣٣"])
def test_texts_that_are_not_hex(text: str) -> None:
    with pytest.raises(VerifierError) as refused:
        parse_quote_hex(text)
    assert refused.value.code is VerifierErrorCode.NOT_HEX


@given(data=st.binary(max_size=2000))
def test_arbitrary_bytes_are_a_verifier_error(data: bytes) -> None:
    with pytest.raises(VerifierError):
        parse_quote(data)


@given(data=st.data(), version=st.sampled_from([4, 5]))
def test_a_damaged_quote_parses_or_is_a_verifier_error(data: st.DataObject, version: int) -> None:
    quote = bytearray(tdx.quote_v4() if version == 4 else tdx.quote_v5())
    for _ in range(data.draw(st.integers(1, 6))):
        quote[data.draw(st.integers(0, len(quote) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(quote)))
    for candidate in (bytes(quote), bytes(quote[:cut])):
        try:
            parsed = parse_quote(candidate)
        except VerifierError:
            continue
        assert len(parsed.report.report_data) == 64
        assert candidate.startswith(parsed.signed_bytes)


@given(text=st.text(max_size=200))
def test_arbitrary_text_is_a_verifier_error(text: str) -> None:
    with pytest.raises(VerifierError):
        parse_quote_hex(text)
