"""Calls and results of the contract's ABI, and answers made to hurt."""

import contextlib
from typing import Any

import pytest
from eth_abi.abi import encode
from hypothesis import given
from hypothesis import strategies as st

from node.chain.abi import AbiDecodeError, ContractAbi, ContractError
from node.values import keccak256
from tests.support.loop_meter import takes_at_most

JSON = dict[str, Any]


def parameter(kind: Any, name: str = "") -> JSON:
    """`kind` is a type name, a list of kinds (a struct), or ("[]", kind) for a dynamic array."""
    if isinstance(kind, tuple):
        item = parameter(kind[1], name)
        return {**item, "type": item["type"] + "[]"}
    if isinstance(kind, list):
        return {"type": "tuple", "name": name, "components": [parameter(each) for each in kind]}
    return {"type": kind, "name": name}


def type_name(kind: Any) -> str:
    if isinstance(kind, tuple):
        return type_name(kind[1]) + "[]"
    return f"({','.join(map(type_name, kind))})" if isinstance(kind, list) else str(kind)


def function(name: str, inputs: list[Any], outputs: list[Any], mutability: str = "view") -> JSON:
    return {
        "type": "function",
        "name": name,
        "inputs": [parameter(each) for each in inputs],
        "outputs": [parameter(each) for each in outputs],
        "stateMutability": mutability,
    }


def error(name: str, inputs: list[Any]) -> JSON:
    return {"type": "error", "name": name, "inputs": [parameter(each, f"a{i}") for i, each in enumerate(inputs)]}


def abi_returning(*outputs: Any) -> ContractAbi:
    return ContractAbi([function("f", [], list(outputs))])


SCALARS: dict[str, st.SearchStrategy[Any]] = {
    "uint256": st.integers(0, 2**256 - 1),
    "uint64": st.integers(0, 2**64 - 1),
    "bool": st.booleans(),
    "address": st.binary(min_size=20, max_size=20).map(lambda raw: "0x" + raw.hex()),
    "string": st.text(max_size=70),
    "bytes": st.binary(max_size=70),
    "bytes4": st.binary(min_size=4, max_size=4),
    "bytes32": st.binary(min_size=32, max_size=32),
}
KINDS: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from(sorted(SCALARS)),
    lambda inner: inner.map(lambda kind: ("[]", kind)) | st.lists(inner, min_size=1, max_size=4),
    max_leaves=6,
)


def values_of(kind: Any) -> st.SearchStrategy[Any]:
    if isinstance(kind, tuple):
        return st.lists(values_of(kind[1]), max_size=3).map(tuple)
    if isinstance(kind, list):
        return st.tuples(*map(values_of, kind))
    return SCALARS[kind]


@st.composite
def typed_values(draw: st.DrawFn) -> tuple[list[Any], tuple[Any, ...]]:
    kinds = draw(st.lists(KINDS, min_size=1, max_size=4))
    return kinds, tuple(draw(values_of(kind)) for kind in kinds)


@given(typed_values())
def test_what_the_reference_encodes_is_decoded_to_the_same_values(case: tuple[list[Any], tuple[Any, ...]]) -> None:
    kinds, values = case
    data = encode([type_name(kind) for kind in kinds], values)
    assert abi_returning(*kinds).decode_result("f", data) == values


@given(typed_values())
def test_calls_are_encoded_as_the_reference_does(case: tuple[list[Any], tuple[Any, ...]]) -> None:
    kinds, values = case
    types = [type_name(kind) for kind in kinds]
    calldata = ContractAbi([function("f", kinds, [])]).encode_call("f", values)
    assert calldata == keccak256(f"f({','.join(types)})".encode())[:4] + encode(types, values)


@given(kinds=st.lists(KINDS, min_size=1, max_size=3), data=st.binary(max_size=400))
def test_garbage_is_decoded_or_refused_with_the_one_error(kinds: list[Any], data: bytes) -> None:
    try:
        values = abi_returning(*kinds).decode_result("f", data)
    except AbiDecodeError:
        return
    assert len(values) == len(kinds)


@given(typed_values(), st.data())
def test_a_damaged_answer_is_decoded_or_refused_with_the_one_error(
    case: tuple[list[Any], tuple[Any, ...]], data: st.DataObject
) -> None:
    kinds, values = case
    encoded = bytearray(encode([type_name(kind) for kind in kinds], values))
    for _ in range(data.draw(st.integers(1, 3))):
        word = data.draw(st.integers(0, len(encoded) // 32 - 1)) * 32
        encoded[word : word + 32] = data.draw(st.integers(0, 256) | st.integers(0, 2**256 - 1)).to_bytes(32)
    with contextlib.suppress(AbiDecodeError):
        abi_returning(*kinds).decode_result("f", bytes(encoded))


@given(typed_values(), st.integers(1, 64))
def test_too_little_and_too_much_are_refused(case: tuple[list[Any], tuple[Any, ...]], cut: int) -> None:
    kinds, values = case
    encoded = encode([type_name(kind) for kind in kinds], values)
    abi = abi_returning(*kinds)
    for wrong in (encoded[: -min(cut, len(encoded))], encoded + bytes(cut)):
        with pytest.raises(AbiDecodeError):
            abi.decode_result("f", wrong)


def words(*values: int) -> bytes:
    return b"".join(value.to_bytes(32) for value in values)


def bomb(levels: int, width: int) -> bytes:
    """Arrays of arrays whose offsets all point at one and the same array: small to send, enormous to unfold."""
    level = words(width, *[width * 32] * width)
    return words(32) + level * levels + words(0)


REFUSED: dict[str, tuple[Any, bytes]] = {
    "empty answer (no code there)": ("uint256", b""),
    "offset back to the head": (("[]", "uint256"), words(0)),
    "offset past the end": (("[]", "uint256"), words(64, 0)),
    "offset near 2**256": (("[]", "uint256"), words(2**256 - 32, 0)),
    "length near 2**256": (("[]", "uint256"), words(32, 2**256 - 1)),
    "length of 2**40": (("[]", "uint256"), words(32, 2**40)),
    "string of 2**255": ("string", words(32, 2**255)),
    "many texts at one place": (("[]", "bytes"), words(32, 5_000, *[160_000] * 5_000, 160_000) + bytes(160_000)),
    "text with bytes behind it": ("bytes", words(32, 1, 2**255 + 1)),
    "array of pointers to itself": (("[]", ("[]", "uint256")), words(32, 1, 0)),
    "bool 2": ("bool", words(2)),
    "address of 21 bytes": ("address", words(2**160)),
    "uint64 of 65 bits": ("uint64", words(2**64)),
    "bytes4 of 5 bytes": ("bytes4", words(0x01 << 216)),
    "bomb": (("[]", ("[]", ("[]", ("[]", ("[]", ("[]", "uint256")))))), bomb(5, 1000)),
}


@pytest.mark.parametrize("case", REFUSED)
def test_hostile_answers_are_refused(case: str) -> None:
    kind, data = REFUSED[case]
    with pytest.raises(AbiDecodeError):
        abi_returning(kind).decode_result("f", data)


@pytest.mark.parametrize("case", ["bomb", "many texts at one place"])
def test_answers_that_would_unfold_are_refused_after_a_few_readings_of_them(case: str) -> None:
    kind, data = REFUSED[case]
    abi = abi_returning(kind)
    with takes_at_most(1), pytest.raises(AbiDecodeError):
        abi.decode_result("f", data)


TAILS: dict[str, tuple[Any, bytes, tuple[object, ...]]] = {
    "in another order": ([("[]", "uint256"), "bytes"], words(32, 128, 64, 1, 0x61 << 248, 1, 7), (((7,), b"a"),)),
    "two arrays at one place": ([("[]", "uint256"), ("[]", "uint256")], words(32, 64, 64, 1, 7), (((7,), (7,)),)),
    "with a gap before them": ("bytes", words(64, 0, 1, 0x61 << 248), (b"a",)),
}


@pytest.mark.parametrize("case", TAILS)
def test_tails_are_read_where_their_offsets_say(case: str) -> None:
    kind, data, values = TAILS[case]
    assert abi_returning(kind).decode_result("f", data) == values


def test_structs_in_structs_are_read_once() -> None:
    kind: Any = "uint256"
    value: object = 7
    for _ in range(12):
        kind, value = [kind], (value,)
    assert abi_returning(kind).decode_result("f", words(7)) == (value,)


def test_a_string_that_is_not_utf_8_stays_readable_since_anyone_may_write_one() -> None:
    data = words(32, 3) + b"a\xffb" + bytes(29)
    assert abi_returning("string").decode_result("f", data) == ("a�b",)


BAD_ARGUMENTS: list[tuple[list[Any], tuple[object, ...]]] = [
    (["uint256"], ()),
    (["uint256"], (1, 2)),
    (["uint256"], (-1,)),
    (["uint256"], (2**256,)),
    (["uint256"], ("1",)),
    (["uint256"], (None,)),
    (["address"], ("0x12",)),
    (["address"], ("not an address",)),
    (["bool"], (1,)),
    ([("[]", "uint256")], (5,)),
    ([["uint256", "string"]], ((1,),)),
]


@pytest.mark.parametrize(("kinds", "arguments"), BAD_ARGUMENTS)
def test_arguments_that_do_not_fit_are_refused(kinds: list[Any], arguments: tuple[object, ...]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the message is the library's
        ContractAbi([function("f", kinds, [])]).encode_call("f", arguments)


def test_names_that_are_not_there_are_key_errors() -> None:
    abi = abi_returning("uint256")
    for ask in (lambda: abi.selector("g"), lambda: abi.encode_call("g", ()), lambda: abi.decode_result("g", b"")):
        with pytest.raises(KeyError):
            ask()


def test_known_selectors_and_topics() -> None:
    transfer: JSON = {
        "type": "event",
        "name": "Transfer",
        "inputs": [parameter(k) for k in ("address", "address", "uint256")],
    }
    abi = ContractAbi([function("transfer", ["address", "uint256"], ["bool"], "nonpayable"), transfer])
    assert abi.selector("transfer").hex() == "a9059cbb"
    assert abi.events["Transfer"].hex() == "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
    assert abi.writes == abi.functions == {"transfer"}


@pytest.mark.parametrize(
    "entries",
    [
        [function("f", [], []), function("f", ["uint256"], [])],
        [function("f", [], ["uint257"])],
        [function("f", [], ["money"])],
        [{"name": "no type"}],
        "text",
    ],
)
def test_an_abi_it_cannot_serve_is_refused_at_once(entries: Any) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - pydantic's or ours
        ContractAbi(entries)


def test_errors_are_known_by_selector_and_only_when_well_formed() -> None:
    abi = ContractAbi([error("Missing", ["uint256", "address"])])
    selector = keccak256(b"Missing(uint256,address)")[:4]
    assert abi.decode_error(selector + words(5, 6)) == ContractError("Missing", (5, f"0x{6:040x}"))
    for unknown in (b"", selector, selector + words(5), selector + words(5, 2**160), b"\x00\x00\x00\x00" + words(5, 6)):
        assert abi.decode_error(unknown) is None


@given(st.binary(max_size=200))
def test_any_revert_data_is_an_error_or_none(data: bytes) -> None:
    abi = ContractAbi([error("Missing", ["uint256", "address"]), error("Text", ["string"])])
    for prefix in (b"", *abi.errors):
        found = abi.decode_error(prefix + data)
        assert found is None or found.name in {"Missing", "Text"}
