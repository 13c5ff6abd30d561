"""Trust files: what is written is read back, what is not known is refused; hosts are named without doubt."""

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.addresses import HostAddress
from svc_verifier.trust import (
    AccountContractCode,
    AccountPins,
    Freshness,
    OsMeasurements,
    TcbPolicy,
    TcbStatus,
    Trust,
)
from svc_verifier.trust_file import LIMIT_BYTES, load_trust, parse_trust, trust_text
from tests.support.loop_meter import young_heap

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

ADDRESS = st.binary(min_size=20, max_size=20)
HASH = st.binary(min_size=32, max_size=32)
DIGEST = st.binary(min_size=48, max_size=48)
TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
NUMBER = st.integers(0, 2**40)
MEASUREMENTS = st.builds(
    OsMeasurements, os_image_hash=HASH, mrtd=DIGEST, kernel=DIGEST, command_line=DIGEST, initrd=DIGEST
)
POLICY = st.builds(
    TcbPolicy,
    accepted=st.frozensets(st.sampled_from(TcbStatus)),
    rejected_advisories=st.frozensets(st.integers(0, 99_999).map("INTEL-SA-{:05}".format), max_size=3),
    minimum_evaluation_number=NUMBER,
    collateral_max_age_s=NUMBER,
    platforms=st.frozensets(st.binary(min_size=16, max_size=16), max_size=3),
    tdx_modules=st.frozensets(DIGEST, max_size=3),
)
OFFSETS = st.lists(st.integers(0, 65_535), min_size=1, max_size=3).map(tuple)
CODE = st.builds(
    AccountContractCode,
    code_hash=HASH,
    views_code_hash=HASH,
    views_module_at=OFFSETS,
    owner_change_delay_at=OFFSETS,
)
ACCOUNTS = st.builds(
    AccountPins,
    contract=ADDRESS,
    owners=st.frozensets(ADDRESS, max_size=3),
    minimum_owner_change_delay_s=st.none() | NUMBER,
    payers=st.frozensets(ADDRESS, max_size=3),
    accepted_replacements=NUMBER,
    codes=st.lists(CODE, max_size=2).map(tuple),
)
TRUST = st.builds(
    Trust,
    host=st.sampled_from(["a.example", "localhost", "xn--bcher-kva.example"]),
    app_id=ADDRESS,
    chain_id=st.integers(1, 2**60),
    rpc_urls=st.lists(st.sampled_from(["https://a.example/key?x=1", "http://u:p@[::1]:8545"]), max_size=3).map(tuple),
    kms_contract=st.none() | ADDRESS,
    kms_public_key=st.none() | st.binary(min_size=1, max_size=91),
    kms_root_public_key=st.none() | st.binary(min_size=32, max_size=32).map(lambda point: b"\3" + point),
    rpc_providers=st.frozensets(st.sampled_from(["https://a.example", "http://[::1]:8545", "https://b.example:8443"])),
    accounts=st.none() | ACCOUNTS,
    mr_owner=st.none() | DIGEST,
    mr_owner_config=st.none() | DIGEST,
    owners=st.frozensets(ADDRESS, max_size=3),
    os_images=st.frozensets(HASH, max_size=3),
    os_measurements=st.lists(MEASUREMENTS, max_size=2).map(tuple),
    acpi_tables=st.frozensets(DIGEST, max_size=3),
    compose_hashes=st.frozensets(HASH, max_size=3),
    host_input=st.frozensets(TEXT, max_size=3),
    mounts=st.frozensets(TEXT, max_size=3),
    scripts=st.frozensets(HASH, max_size=3),
    app_compose_members=st.frozensets(TEXT, max_size=3),
    tcb=POLICY,
    freshness=st.sampled_from(Freshness),
    implementations=st.dictionaries(HASH, TEXT, max_size=3),
)
ACCOUNTS_TOML = f'[accounts]\ncontract = "0x{"33" * 20}"\n'
CODE_TOML = f'{ACCOUNTS_TOML}[[accounts.codes]]\ncode_hash = "{"44" * 32}"\nviews_code_hash = "{"55" * 32}"\n'
SMALL = 'host = "a.example"\napp_id = "0x' + "11" * 20 + '"\nchain_id = 8453\n'


@given(TRUST)
def test_what_is_written_is_read_back(trust: Trust) -> None:
    assert parse_trust(trust_text(trust)) == trust


@given(
    TRUST,
    st.dictionaries(
        st.sampled_from(["host", "app_id", "owners", "tcb", "accounts.contract", "accounts.owners"]), st.text()
    ),
)
def test_reasons_are_comments_whatever_they_say(trust: Trust, reasons: dict[str, str]) -> None:
    assert parse_trust(trust_text(trust, reasons)) == trust


def test_what_is_left_out_is_the_strict_default() -> None:
    trust = parse_trust(SMALL)
    assert trust == Trust(host="a.example", app_id=b"\x11" * 20, chain_id=8453)
    assert trust.tcb.accepted == {TcbStatus.UP_TO_DATE}
    assert trust.freshness is Freshness.NONCE
    assert trust.development_root is None


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ('owner = ["0x11"]', "owner"),
        ('owners = ["0x11"]', "20 bytes"),
        ('owners = "0x11"', "owners"),
        ("owners = [1]", "owners"),
        ('freshness = "none"', "freshness"),
        ("freshness = []", "freshness"),
        ('development_root = "root.pem"', "development_root"),
        ('kms_public_key = ""', "kms_public_key"),
        ("tcb = 1", "tcb"),
        ('rpc_urls = ["hunter2"]', "no http or https URL"),
        ('rpc_urls = ["http://["]', "no http or https URL"),
        ('[tcb]\naccept = ["UpToDate"]', "accept"),
        ('[tcb]\naccepted = ["Revoked"]', "Revoked"),
        ("[tcb]\naccepted = [[]]", "accepted"),
        *(
            (f'[tcb]\nrejected_advisories = ["{text}"]', "rejected_advisories")
            for text in ("intel-sa-00615", "INTEL-SA-00615 ", "INTEL-SA-615", "SA-00615", "")
        ),
        ("[tcb]\nminimum_evaluation_number = -1", "tcb.minimum_evaluation_number is no number"),
        ("[tcb]\nminimum_evaluation_number = true", "minimum"),
        ("[implementations]\nab = 'x'", "implementations"),
        ("[[os_measurements]]\nmrtd = 'x'", "os_image_hash"),
        ("os_measurements = [1]", "os_measurements"),
        ("[[os_measurements]]\nother = 1", "other"),
        ("accounts = 1", "accounts"),
        ("[accounts]", "accounts.contract is missing"),
        ('[accounts]\ncontract = "0x11"', "20 bytes"),
        (f"{ACCOUNTS_TOML}owner = []", "accounts.owner"),
        (f"{ACCOUNTS_TOML}minimum_owner_change_delay_s = -1", "minimum_owner_change_delay_s"),
        (f"{ACCOUNTS_TOML}accepted_replacements = -1", "accepted_replacements"),
        (f"{ACCOUNTS_TOML}accepted_replacements = true", "accepted_replacements"),
        (f"{ACCOUNTS_TOML}[[accounts.codes]]\nmore = 1", "accounts.codes.more"),
        (f"{CODE_TOML}views_module_at = []\nowner_change_delay_at = [1]", "accounts.codes.views_module_at"),
        (f"{CODE_TOML}views_module_at = [true]\nowner_change_delay_at = [1]", "views_module_at"),
        (f"{CODE_TOML}views_module_at = [1]\nowner_change_delay_at = [65536]", "owner_change_delay_at"),
        (f"{CODE_TOML}views_module_at = [1]", "owner_change_delay_at"),
        ('kms_root_public_key = "0x02"', "33 bytes"),
        ('rpc_providers = "https://a.example"', "rpc_providers"),
        ('rpc_providers = ["a.example"]', "rpc_providers"),
        ('rpc_providers = ["https://a.example/hunter2"]', "no origin"),
        ('rpc_providers = ["https://a.example?hunter2"]', "no origin"),
        ('rpc_providers = ["https://hunter2@a.example"]', "no origin"),
        ('rpc_providers = ["https://b\N{LATIN SMALL LETTER U WITH DIAERESIS}cher.example"]', "no origin"),
        (f'kms_root_public_key = "04{"ab" * 64}"', "33 bytes"),
        (f'kms_root_public_key = "04{"ab" * 32}"', "no compressed public key"),
        ('mr_owner = "0x01"', "48 bytes"),
        ('[tcb]\ntdx_modules = ["0x01"]', "48 bytes"),
        ('host = "b.example"', "TOML"),
        ("x = " + "9" * 5_000, "TOML"),
        ("x = 9999-99-99", "TOML"),
    ],
)
def test_what_is_not_known_or_not_of_its_form_is_refused(more: str, named: str) -> None:
    with pytest.raises(VerifierError, match=named) as refused:
        parse_trust(f"{SMALL}{more}\n")
    assert refused.value.code is VerifierErrorCode.BAD_TRUST


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        ("", Trust),
        ("[tcb]\n", TcbPolicy),
        (ACCOUNTS_TOML, AccountPins),
        (CODE_TOML, AccountContractCode),
        ("[[os_measurements]]\n", OsMeasurements),
    ],
)
def test_a_file_has_every_member_of_trust_but_a_development_root(table: str, kind: "type[DataclassInstance]") -> None:
    with pytest.raises(VerifierError) as refused:
        parse_trust(f"{SMALL}{table}unknown = 1\n")
    known = refused.value.message.partition("known are ")[2].split(", ")
    assert known == sorted({field.name for field in fields(kind)} - {"development_root"})


def test_brackets_without_end_are_refused() -> None:
    # Where the stack ends no finalizer of what other tests have left can run: the collector must not meet one.
    with young_heap(), pytest.raises(VerifierError, match="TOML"):
        parse_trust(f"{SMALL}x = {'[' * 5_000}\n")


@pytest.mark.parametrize("line", SMALL.splitlines())
def test_host_application_and_chain_must_be_named(line: str) -> None:
    with pytest.raises(VerifierError, match=line.split(maxsplit=1)[0]):
        parse_trust(SMALL.replace(f"{line}\n", ""))


@given(st.text(max_size=200))
@example('host = "\ud800"')
def test_any_text_is_read_or_refused_with_one_error(text: str) -> None:
    with pytest.raises(VerifierError):
        parse_trust(text)


def test_files_have_a_ceiling_and_may_not_be_there(tmp_path: Path) -> None:
    path = tmp_path / "trust.toml"
    path.write_text(SMALL)
    assert load_trust(path).host == "a.example"
    path.write_text(SMALL + "#" * LIMIT_BYTES)
    for bad in (path, tmp_path / "none", tmp_path, Path("/dev/zero")):
        with pytest.raises(VerifierError) as refused:
            load_trust(bad)
        assert refused.value.code is VerifierErrorCode.BAD_TRUST


@pytest.mark.parametrize(
    ("text", "name", "origin"),
    [
        ("https://a.example", "a.example", "https://a.example"),
        ("a.example", "a.example", "https://a.example"),
        ("A.Example.:443/", "a.example", "https://a.example"),
        ("https://a.example:8443", "a.example", "https://a.example:8443"),
        ("https://[::1]:8443", "::1", "https://[::1]:8443"),
        ("127.0.0.1", "127.0.0.1", "https://127.0.0.1"),
    ],
)
def test_a_host_is_named_in_one_way(text: str, name: str, origin: str) -> None:
    assert HostAddress.of(text) == HostAddress(name, origin)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "http://a.example",
        "https://",
        "https://a.example/path",
        "https://a.example?x",
        "https://a.example#x",
        "https://user@a.example",
        "https://user:pw@a.example",
        "https://@a.example",
        "https://a.example:99999",
        "https://a.example:x",
        "https://a b",
        "https://a..example",
        "https://b\u00fccher.example",
        "https://\u0430.example",
        "https://a.example\\@b.example",
        "https://a.example\n",
        "https://a.\texample",
        "https://[::1",
        "https://" + "a" * 300,
        "\ud800",
    ],
)
def test_anything_else_is_no_host(text: str) -> None:
    with pytest.raises(VerifierError) as refused:
        HostAddress.of(text)
    assert refused.value.code is VerifierErrorCode.BAD_HOST


@pytest.mark.parametrize(
    "text", ["https://a.example", "https://A.Example", "https://a.example:443/", "https://a.example."]
)
def test_a_pinned_provider_is_read_in_one_form_however_it_is_written(text: str) -> None:
    assert parse_trust(f'{SMALL}rpc_providers = ["{text}"]').rpc_providers == {"https://a.example"}


@pytest.mark.parametrize("text", ["02" + "ab" * 32, "0x02" + "AB" * 32])
def test_a_pinned_root_key_is_read_in_either_case(text: str) -> None:
    assert parse_trust(f'{SMALL}kms_root_public_key = "{text}"').kms_root_public_key == b"\2" + b"\xab" * 32
