"""Field types: every accepted form gives the one value, and nothing else is taken (spec 1)."""

import string
from collections.abc import Callable
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from node.api.fields import (
    ActionRefs,
    ApiKeyText,
    GroupIds,
    WalletRefs,
    parse_action_ref,
    parse_address,
    parse_cap,
    parse_cid_text,
    parse_email,
    parse_hashed_cid,
    parse_key,
    parse_pkp_id,
    parse_target_group,
    parse_u64,
    parse_wallet_ref,
)
from node.settings.http import FieldSettings
from node.values import KEY_PATTERN, U64_MAX, U256_MAX, ZERO_ADDRESS, checksum_address, hash_of_text, new_key, u256_hex
from tests.support.loop_meter import takes_at_most

PARSERS: list[Callable[[object], object]] = [
    parse_u64, parse_target_group, parse_hashed_cid, parse_action_ref, parse_cid_text, parse_address, parse_pkp_id,
    parse_wallet_ref, parse_key, parse_cap, parse_email,
]  # fmt: skip
U64 = st.integers(0, U64_MAX)
ADDRESS_BYTES = st.binary(min_size=20, max_size=20).filter(any)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON)
def test_parsers_raise_nothing_but_value_error(value: object) -> None:
    messages = []
    for parse in PARSERS:
        try:
            parse(value)
        except ValueError as error:
            messages.append(str(error))
    assert not (isinstance(value, str) and len(value) > 8 and any(value in message for message in messages))


@given(U64)
def test_a_u64_reads_the_same_in_every_form(number: int) -> None:
    forms: list[object] = [number, str(number), hex(number), "0x" + f"{number:X}", u256_hex(number)]
    assert {parse_u64(form) for form in forms} == {number}


@given(
    U64, st.sampled_from(["+{}", "-{}", " {}", "{} ", "{}.0", "0{}", "{}e0", "{}_0", "0X{}", "0b{}", "{}\n", "1,{}"])
)
def test_a_u64_with_anything_around_it_is_refused(number: int, form: str) -> None:
    with pytest.raises(ValueError, match="u64"):
        parse_u64(form.format(number))


@pytest.mark.parametrize(
    "value", [True, False, 1.0, None, "", "0x", "٣", "½", U64_MAX + 1, str(U64_MAX + 1), hex(U64_MAX + 1), -1, [1], {}]
)
def test_what_is_no_u64(value: object) -> None:
    with pytest.raises(ValueError, match="u64"):
        parse_u64(value)


def test_the_group_wildcard_is_no_target() -> None:
    for wildcard in (0, "0", "0x0", u256_hex(0)):
        assert parse_u64(wildcard) == 0
        with pytest.raises(ValueError, match="all groups"):
            parse_target_group(wildcard)


@given(st.integers(0, U256_MAX))
def test_hashed_cids_in_any_case(number: int) -> None:
    text = u256_hex(number)
    assert parse_hashed_cid(text) == parse_hashed_cid("0x" + text[2:].upper()) == parse_action_ref(text) == number


@pytest.mark.parametrize("value", ["0", "0x0", "0x1", "0x" + "0" * 63, "0x" + "g" * 64, "f" * 64, 0, 1, None, True])
def test_a_hashed_cid_has_its_full_length(value: object) -> None:
    with pytest.raises(ValueError, match="64 hex digits"):
        parse_hashed_cid(value)


def test_the_action_wildcard_has_three_forms() -> None:
    assert [parse_action_ref(form) for form in ("0", "0x0", "0x" + "0" * 64)] == [0, 0, 0]
    for other in (0, "00", "0x00", "", "*"):
        with pytest.raises(ValueError, match="64 hex digits"):
            parse_action_ref(other)


def test_hash_and_cid_in_each_others_place_are_told_apart() -> None:
    cid = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG"
    assert parse_cid_text(cid) == cid
    with pytest.raises(ValueError, match="this is the CID itself"):
        parse_hashed_cid(cid)
    with pytest.raises(ValueError, match="this is a hash"):
        parse_cid_text(u256_hex(hash_of_text(cid)))


@given(ADDRESS_BYTES)
def test_addresses_in_any_case_become_eip55(raw: bytes) -> None:
    plain = "0x" + raw.hex()
    expected = checksum_address(plain)
    for form in (plain, "0x" + plain[2:].upper(), expected, expected.swapcase().replace("X", "x", 1)):
        assert parse_address(form) == parse_pkp_id(form) == parse_wallet_ref(form) == expected


@given(U64)
def test_a_wallets_running_id_is_a_number_or_a_decimal_string(number: int) -> None:
    assert parse_pkp_id(number) == parse_pkp_id(str(number)) == number
    with pytest.raises(ValueError, match="40 hex digits"):
        parse_pkp_id(hex(number))


def test_the_wallet_wildcard_is_forty_zeros_and_no_wallet() -> None:
    assert parse_wallet_ref(ZERO_ADDRESS) == ZERO_ADDRESS
    assert parse_wallet_ref("0") == 0
    with pytest.raises(ValueError, match="zero address"):
        parse_pkp_id(ZERO_ADDRESS)


def test_a_key_in_a_body_becomes_its_hash_at_once() -> None:
    class Model(BaseModel):
        usage_api_key: ApiKeyText

    key = new_key()
    model = Model(usage_api_key=key)
    assert model.usage_api_key == hash_of_text(key)
    assert key not in repr(model)


@given(st.text(string.ascii_letters + string.digits + "+/= -_", max_size=60))
def test_nothing_else_is_a_key(text: str) -> None:
    if KEY_PATTERN.fullmatch(text) is None:
        with pytest.raises(ValueError, match="must be a key"):
            parse_key(text)


class Lists(BaseModel):
    groups: GroupIds = []
    actions: ActionRefs = []
    wallets: WalletRefs = []


def test_lists_keep_their_order_without_repetitions() -> None:
    given_lists = {
        "groups": [3, "0x1", "3", 1],
        "actions": ["0", u256_hex(7), "0x0"],
        "wallets": ["2", ZERO_ADDRESS, 2],
    }
    found = Lists.model_validate(given_lists)
    assert (found.groups, found.actions, found.wallets) == ([3, 1], [0, 7], [2, ZERO_ADDRESS])


SHORT_LISTS = FieldSettings(list_max_entries_per_call=3)


@pytest.mark.parametrize("entry", [1, "nonsense"])
def test_a_longer_list_is_refused_before_its_entries_are_read(entry: object) -> None:
    """A body has room for hundreds of thousands, each of which takes its time. Repetitions count."""
    with pytest.raises(ValidationError, match="3 entries together; these have 4"):
        Lists.model_validate({"groups": [entry] * 4}, context=SHORT_LISTS)
    assert Lists.model_validate({"groups": [1] * 3}, context=SHORT_LISTS).groups == [1]


def test_numbers_chosen_to_have_one_hash_are_told_apart_quickly() -> None:
    """Wherever an operator allows long lists. Python's hash of an `int` is its remainder by 2^61-1."""
    hashes = [u256_hex((2**61 - 1) * each) for each in range(1, 10_001)]
    with takes_at_most(0.4):  # a dict of the numbers took a second
        found = Lists.model_validate({"actions": hashes}, context=FieldSettings(list_max_entries_per_call=10_000))
    assert len(found.actions) == 10_000


@pytest.mark.parametrize("groups", ["1", {"1": 2}, 1, None, [1, True], [1, [2]], [None]])
def test_a_list_is_a_list_of_the_right_things(groups: object) -> None:
    with pytest.raises(ValidationError):
        Lists.model_validate({"groups": groups})


@pytest.mark.parametrize("value", ["a@b", "first.last+tag@example.org"])
def test_emails(value: str) -> None:
    assert parse_email(value) == value


NO_EMAILS: Final = [
    "",
    "a",
    "@b",
    "a@",
    "a@b@c",
    "a b@c",
    "a@b\r\nBcc: x@y",
    "a@b\r\nBcc:x",
    "a\u202e@b",
    "a" * 320 + "@b",
    None,
    1,
]


@pytest.mark.parametrize("value", NO_EMAILS)
def test_what_is_no_email(value: object) -> None:
    with pytest.raises(ValueError, match="e-mail"):
        parse_email(value)
