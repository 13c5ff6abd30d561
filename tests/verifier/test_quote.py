"""Real quotes parse to what they are known to be; anything else is a VerifierError."""

import struct

import dcap_qvl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.quote import (
    QUOTE_LIMIT_BYTES,
    BodyType,
    Quote,
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
    assert quote.version == row["version"]
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


def fields_read(quote: Quote) -> dict[str, bytes]:
    """The fields that a quote's report has, by the names of the table."""
    report, extension = quote.report, quote.report.extension
    named = {name: getattr(report, name, None) for name in tdx.REPORT_FIELDS}
    named |= {f"rtmr{index}": value for index, value in enumerate(report.rtmrs)}
    if extension is not None:
        named |= {name: getattr(extension, name) for name in tdx.REPORT_FIELDS if hasattr(extension, name)}
    return {name: value for name, value in named.items() if value is not None}


@pytest.mark.parametrize(
    ("data", "body_type", "body_at", "length"),
    [
        (tdx.quote_v4(), BodyType.TD10, 48, 584),
        (tdx.quote_v5(2, 584), BodyType.TD10, 54, 584),
        (tdx.quote_v5(), BodyType.TD15, 54, 648),
        (tdx.quote_v5(4, 885), BodyType.TD15EX, 54, 885),
    ],
)
def test_each_field_is_read_from_its_place_in_the_table(
    data: bytes, body_type: BodyType, body_at: int, length: int
) -> None:
    quote = parse_quote(data)
    assert quote.report.body_type is body_type
    assert quote.signed_bytes == data[: body_at + length]
    assert fields_read(quote) == tdx.fields_of(tdx.report_body(length))


def test_the_report_of_a_version_4_quote_begins_and_ends_at_its_known_offsets() -> None:
    data = tdx.quote_v4()
    quote = parse_quote(data)
    assert (quote.report.mr_td, quote.report.rtmrs[0]) == (data[184:232], data[376:424])
    assert quote.report.report_data == data[568 : tdx.V4_SIGNED_LENGTH]
    assert quote.signed_bytes == data[: tdx.V4_SIGNED_LENGTH]
    assert quote.report.tee_tcb_svn2 is None
    assert quote.report.mr_service_td is None


def test_each_part_of_a_signature_is_read_from_its_place() -> None:
    """Signature and key stand first, then the QE report with its signature, authentication data and the chain."""
    auth, chain = b"AUTHENTICATION", b"CHAIN"
    part = tdx.signature_part(chain, auth)
    numbers = bytes(index % 251 for index in range(128 + 448))
    signature = parse_quote(tdx.quote_v4(tdx.with_bytes(part, (0, numbers[:128]), (134, numbers[128:])))).signature
    assert signature.signature + signature.attestation_public_key == numbers[:128]
    assert signature.qe_report + signature.qe_report_signature == numbers[128:]
    assert signature.qe_report_data == numbers[448:512]
    assert (signature.qe_auth_data, signature.certification_data) == (auth, chain)
    sizes = (len(signature.signature), len(signature.qe_report), len(signature.qe_report_data))
    assert sizes == (64, 384, 64)


PART = tdx.signature_part()
SGX = struct.pack("<I", 0)
LONGER = struct.pack("<I", len(PART) - 134 + 1)
"""The size of the certification data of a signature part that has one byte more at its end."""

ACCEPTED_BY_THE_LIBRARY = {
    "version 4 of SGX": (
        tdx.with_bytes(tdx.quote_v4()[:48] + bytes(384) + tdx.quote_v4()[632:], (4, SGX)),
        VerifierErrorCode.NOT_TDX,
    ),
    "version 5 of SGX with a TD report": (tdx.with_bytes(tdx.quote_v5(), (4, SGX)), VerifierErrorCode.NOT_TDX),
    "version 5 of an unknown TEE": (tdx.with_bytes(tdx.quote_v5(), (4, b"\7")), VerifierErrorCode.NOT_TDX),
    "version 5 of TDX with a report of SGX": (tdx.quote_v5(1, 384), VerifierErrorCode.UNSUPPORTED_BODY),
    "a key of P-384": (tdx.with_bytes(tdx.quote_v4(), (2, b"\3")), VerifierErrorCode.UNSUPPORTED_SIGNATURE),
    "another certification type": (
        tdx.with_bytes(tdx.quote_v4(), (764, b"\7")),
        VerifierErrorCode.UNSUPPORTED_SIGNATURE,
    ),
    "a byte behind the chain": (
        tdx.quote_v4(tdx.with_bytes(PART, (130, LONGER)) + b"x"),
        VerifierErrorCode.INCONSISTENT_SIZES,
    ),
    "a byte behind the certification data": (tdx.quote_v4(PART + b"x"), VerifierErrorCode.INCONSISTENT_SIZES),
}


@pytest.mark.parametrize("name", ACCEPTED_BY_THE_LIBRARY)
def test_what_dcap_qvl_accepts_beyond_a_tdx_quote_is_refused(name: str) -> None:
    """Each of these needs a check beside the library: it reads them all."""
    data, code = ACCEPTED_BY_THE_LIBRARY[name]
    dcap_qvl.parse_quote(data)
    with pytest.raises(VerifierError) as refused:
        parse_quote(data)
    assert refused.value.code is code


@pytest.mark.parametrize("kind", [ValueError, AttributeError, type("PanicException", (BaseException,), {})])
def test_a_library_that_fails_is_a_verifier_error_without_its_words(
    monkeypatch: pytest.MonkeyPatch, kind: type[BaseException]
) -> None:
    """A panic of Rust code is a BaseException."""

    def broken(_: bytes) -> None:
        raise kind("words of a stranger\nin two lines")

    monkeypatch.setattr(dcap_qvl, "parse_quote", broken)
    with pytest.raises(VerifierError) as refused:
        parse_quote(tdx.quote_v4())
    assert refused.value.code is VerifierErrorCode.UNREADABLE
    assert refused.value.message == f"quote: dcap-qvl cannot read it ({kind.__name__})"


def test_the_library_is_given_no_quote_above_the_limit_and_none_of_another_form(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dcap_qvl, "parse_quote", lambda _: pytest.fail("it was asked"))
    for data in (bytes(QUOTE_LIMIT_BYTES + 1), *(data for data, _ in ACCEPTED_BY_THE_LIBRARY.values())):
        with pytest.raises(VerifierError):
            parse_quote(data)


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
        (632, struct.pack("<I", len(PART) + 1), VerifierErrorCode.TRUNCATED),
        (632, struct.pack("<I", len(PART) - 1), VerifierErrorCode.INCONSISTENT_SIZES),
        (766, struct.pack("<I", 10), VerifierErrorCode.INCONSISTENT_SIZES),
        (766, struct.pack("<I", len(PART) - 134 + 1), VerifierErrorCode.INCONSISTENT_SIZES),
        (766, struct.pack("<I", 0xFFFFFFFF), VerifierErrorCode.INCONSISTENT_SIZES),
        (1218, struct.pack("<H", 0xFFFF), VerifierErrorCode.TRUNCATED),
        (1218, struct.pack("<H", 31), VerifierErrorCode.INCONSISTENT_SIZES),
        (1254, struct.pack("<I", 2), VerifierErrorCode.INCONSISTENT_SIZES),
        (1254, struct.pack("<I", 0xFFFFFFFF), VerifierErrorCode.INCONSISTENT_SIZES),
    ],
)
def test_what_the_header_and_lengths_may_not_say(offset: int, value: bytes, code: VerifierErrorCode) -> None:
    """Lengths of a version 4 quote stand at 632, 766, 1218 and 1254.

    They are of the signature, its certification data, the authentication data and the chain.
    """
    with pytest.raises(VerifierError) as refused:
        parse_quote(tdx.with_bytes(tdx.quote_v4(), (offset, value)))
    assert refused.value.code is code


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", VerifierErrorCode.TRUNCATED),
        (b"\6" + tdx.quote_v4()[1:47], VerifierErrorCode.TRUNCATED),
        (b"\6" + tdx.quote_v4()[1:48], VerifierErrorCode.UNSUPPORTED_VERSION),
        (tdx.with_bytes(tdx.quote_v5(), (48, b"\7"))[:53], VerifierErrorCode.TRUNCATED),
        (tdx.with_bytes(tdx.quote_v5(), (48, b"\7"))[:54], VerifierErrorCode.UNSUPPORTED_BODY),
        (tdx.with_bytes(tdx.quote_v4(), (764, b"\7"))[:-1], VerifierErrorCode.TRUNCATED),
    ],
)
def test_a_form_may_be_newer_only_where_it_is_whole(data: bytes, code: VerifierErrorCode) -> None:
    """A newer form leaves a node undecided, which a quote that ends too early must not."""
    with pytest.raises(VerifierError) as refused:
        parse_quote(data)
    assert refused.value.code is code


def test_bytes_hidden_inside_the_signature_are_refused() -> None:
    for stuffed in (PART + b"x", PART + b"\0"):
        with pytest.raises(VerifierError) as refused:
            parse_quote(tdx.quote_v4(stuffed))
        assert refused.value.code is VerifierErrorCode.INCONSISTENT_SIZES


@pytest.mark.parametrize("hidden", [b"x", b"\0", b"\5\0" + bytes(4), b"-----BEGIN CERTIFICATE-----"])
def test_bytes_that_nobody_signed_inside_the_certification_data_are_refused(hidden: bytes) -> None:
    """No signature covers the outer size, so the test enlarges it to fit the hidden bytes.

    The quote is then refused because the sizes of the inner parts do not add up to it.
    """
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


@given(
    data=st.data(),
    whole=st.sampled_from([tdx.quote_v4(), tdx.quote_v5(), tdx.quote_v5(2, 584), tdx.quote_v5(4, 885)]),
)
def test_a_damaged_quote_is_read_by_the_table_or_is_a_verifier_error(data: st.DataObject, whole: bytes) -> None:
    quote = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 6))):
        quote[data.draw(st.integers(0, len(quote) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(quote)))
    for candidate in (bytes(quote), bytes(quote[:cut])):
        try:
            parsed = parse_quote(candidate)
        except VerifierError:
            continue
        body_at = 48 if parsed.version == 4 else 54
        assert candidate.startswith(parsed.signed_bytes)
        assert fields_read(parsed) == tdx.fields_of(parsed.signed_bytes[body_at:])


@given(text=st.text(max_size=200))
def test_arbitrary_text_is_a_verifier_error(text: str) -> None:
    with pytest.raises(VerifierError):
        parse_quote_hex(text)
