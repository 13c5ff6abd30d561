"""The dashboard encodes and decodes calls of the account contract as eth-abi and the node do."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from eth_abi.abi import encode
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak

from node.chain.abi import AbiDecodeError, ContractAbi
from node.chain.contract.artifacts import account_contract_artifact
from tests.support.contract import ARTIFACT, canonical, named, signature
from tests.support.dashboard import VALUES, given, taken
from tests.support.javascript import ran_javascript

COUNTS = pytest.mark.parametrize("count", [90, pytest.param(2_000, marks=pytest.mark.exhaustive)])
"""Of generated cases: more than there are functions, and as many as are worth some seconds."""

U256_MAX = 2**256 - 1
ADDRESSES = ["0x" + "00" * 20, *(to_checksum_address(keccak(bytes([i]))[:20]) for i in range(50))]
TEXTS = [
    "",
    "a",
    "x" * 31,
    "x" * 32,
    "x" * 33,
    "z" * 2_048,
    "é€𝄞",
    "\x00",
    "\u202e\ufeff",
    "<img src=x onerror=alert(1)>",
    "𝄞" * 64,
    "\n\r\t",
]
FUNCTIONS = [each for each in ARTIFACT["abi"] if each["type"] == "function"]
ERRORS = [each for each in ARTIFACT["abi"] if each["type"] == "error"]
VIEWS = [each for each in FUNCTIONS if each["outputs"]]

INTERFACE = """
import { ACCOUNT_CONTRACT } from "./contract.mjs";
import { ERRORS, IMMUTABLES, VIEWS, WRITES } from "./contract-abi.mjs";
import { parseEntry } from "./abi.mjs";
const entries = ACCOUNT_CONTRACT.names.map((name) => ACCOUNT_CONTRACT.entry(name));
const errors = ERRORS.map((line) => parseEntry("error", line));
const canonical = ({ type, components }) => type.replace("tuple", () => `(${components.map(canonical).join(",")})`);
const described = (entry) => [entry.signature, entry.selector, entry.inputs.map((each) => each.name), entry.outputs.map(canonical)];
console.log(JSON.stringify({ entries: entries.map(described), errors: errors.map(described), immutables: IMMUTABLES.flat(), lines: VIEWS.length + WRITES.length }));
"""
CALLDATA = f"""
import {{ ACCOUNT_CONTRACT }} from "./contract.mjs";
{VALUES}
console.log(JSON.stringify(given.map(([name, values]) => ACCOUNT_CONTRACT.calldata(name, read(values)))));
"""
RESULTS = f"""
import {{ ACCOUNT_CONTRACT }} from "./contract.mjs";
{VALUES}
const result = ([name, data]) => {{
  try {{ return [shown(ACCOUNT_CONTRACT.result(name, data))]; }} catch (error) {{ return error.message.length > 200 ? "a long message" : error.name; }}
}};
console.log(JSON.stringify(given.map(result)));
"""
REVERTS = f"""
import {{ ACCOUNT_CONTRACT }} from "./contract.mjs";
import {{ refusalInWords }} from "./contract-words.mjs";
{VALUES}
const revert = (data) => {{
  const found = ACCOUNT_CONTRACT.revert(data);
  return [found.name, shown(found.arguments), refusalInWords(found)];
}};
console.log(JSON.stringify(given.map(revert)));
"""
REFUSED = f"""
import {{ ACCOUNT_CONTRACT }} from "./contract.mjs";
{VALUES}
const attempt = ([name, values]) => {{
  try {{ return ACCOUNT_CONTRACT.calldata(name, read(values)); }} catch (error) {{ return `${{error.name}}: ${{error.message}}`; }}
}};
console.log(JSON.stringify(given.map(attempt)));
"""


def hostile(entry: dict[str, Any], draw: random.Random) -> Any:
    """A value of an ABI type, often at its edge."""
    kind = entry["type"]
    if kind.endswith("[]"):
        count = draw.choices([0, 1, 2, 5, 100], [4, 4, 4, 4, 1])[0]
        return [hostile(entry | {"type": kind[:-2]}, draw) for _ in range(count)]
    if kind == "tuple":
        return tuple(hostile(each, draw) for each in entry["components"])
    if kind.startswith("uint"):
        bits = int(kind[4:])
        return draw.choice([0, 1, 2**bits - 1, 2 ** (bits - 1), draw.getrandbits(bits)])
    if kind == "bool":
        return draw.random() < 0.5
    if kind == "address":
        return draw.choice(ADDRESSES)
    if kind == "string":
        return draw.choice(TEXTS)
    return draw.randbytes(int(kind[5:]) if kind != "bytes" else draw.choice([0, 1, 31, 32, 33, 300]))


def cases(
    entries: Sequence[dict[str, Any]], part: str, seed: int, count: int
) -> list[tuple[dict[str, Any], list[Any]]]:
    """So many entries in turn, each with values of its inputs or outputs."""
    draw = random.Random(seed)
    turns = [entries[i % len(entries)] for i in range(count)]
    return [(entry, [hostile(each, draw) for each in entry[part]]) for entry in turns]


def encoded(parameters: Sequence[dict[str, Any]], values: Sequence[Any]) -> bytes:
    """By eth-abi."""
    return encode([canonical(each) for each in parameters], values)


def test_the_interface_is_that_of_the_artifact(modules: Path) -> None:
    def described(entry: dict[str, Any]) -> list[Any]:
        selector = "0x" + keccak(signature(entry).encode())[:4].hex()
        outputs = [canonical(each) for each in entry.get("outputs", [])]
        return [signature(entry), selector, [each["name"] for each in entry["inputs"]], outputs]

    found = ran_javascript(INTERFACE, None, modules)
    assert sorted(found["entries"]) == sorted(map(described, FUNCTIONS))
    assert found["lines"] == len(FUNCTIONS)
    assert sorted(found["errors"]) == sorted(map(described, ERRORS))
    places = [[each.start, each.length] for each in account_contract_artifact().immutables]
    assert sorted(found["immutables"]) == sorted(places)


@COUNTS
def test_calldata_is_that_of_eth_abi(modules: Path, count: int) -> None:
    drawn = cases(FUNCTIONS, "inputs", 1, count)
    found = ran_javascript(CALLDATA, [[entry["name"], given(values)] for entry, values in drawn], modules)
    wanted = [
        "0x" + (keccak(signature(entry).encode())[:4] + encoded(entry["inputs"], values)).hex()
        for entry, values in drawn
    ]
    assert {entry["name"] for entry, _ in drawn} == {entry["name"] for entry in FUNCTIONS}
    assert found == wanted


@COUNTS
def test_results_are_what_was_encoded(modules: Path, count: int) -> None:
    drawn = cases(VIEWS, "outputs", 2, count)
    answers = [[entry["name"], "0x" + encoded(entry["outputs"], values).hex()] for entry, values in drawn]
    found = ran_javascript(RESULTS, answers, modules)
    for (entry, values), result in zip(drawn, found, strict=True):
        wanted = [in_words(each, value) for each, value in zip(entry["outputs"], values, strict=True)]
        assert taken(result) == [wanted[0] if len(wanted) == 1 else wanted], entry["name"]


def in_words(entry: dict[str, Any], value: Any) -> Any:
    """A value as the dashboard shows it: bytes as hex, structs as dicts."""
    shown = named(entry, value)
    return (
        "0x" + shown.hex()
        if isinstance(shown, bytes)
        else [hexed(each) for each in shown]
        if isinstance(shown, list)
        else shown
    )


def hexed(value: Any) -> Any:
    """Bytes as hex."""
    return "0x" + value.hex() if isinstance(value, bytes) else value


@COUNTS
def test_damaged_results_are_refused_where_the_node_does_or_their_layout_is_not_solidity_s(
    modules: Path, count: int
) -> None:
    abi, draw = ContractAbi(ARTIFACT["abi"]), random.Random(3)
    outputs = {entry["name"]: entry["outputs"] for entry in VIEWS}
    damaged = []
    for entry, values in cases(VIEWS, "outputs", 4, count):
        data = bytearray(encoded(entry["outputs"], values)[:4_000])
        way = draw.randrange(4)
        if way == 0:
            data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        elif way == 1:
            data = data[: draw.randrange(len(data))]
        elif way == 2:
            data += bytes(draw.choice([1, 32]))
        else:  # a word is an offset or a length that leads elsewhere
            at = draw.randrange(len(data) // 32) * 32
            data[at : at + 32] = draw.choice([0, 32, 64, 96, 2**255, U256_MAX]).to_bytes(32)
        damaged.append((entry["name"], bytes(data)))
    found = ran_javascript(RESULTS, [[name, "0x" + data.hex()] for name, data in damaged], modules)
    assert {isinstance(each, str) for each in found} == {True, False}
    for (name, answer), result in zip(damaged, found, strict=True):
        try:
            read = abi.decode_result(name, answer)
        except AbiDecodeError:
            assert result == "FormatError", (name, answer.hex())
        else:
            # The node follows offsets, and the dashboard takes the layout of Solidity's encoder alone.
            assert isinstance(result, list) or encoded(outputs[name], read) != answer, (name, answer.hex())


def abi_words(*numbers: int) -> bytes:
    return b"".join(number.to_bytes(32) for number in numbers)


ANSWER_BYTES = 4_000_000
"""About the longest that the pages take of a wallet."""
MANY = 400
_HEAD = abi_words(64, 1, MANY) + abi_words(32 * MANY) * MANY
ANSWERS = {
    "each group is the same one": _HEAD + bytes(ANSWER_BYTES - len(_HEAD)),
    "each name is the same and all the rest": _HEAD
    + abi_words(1, 160, 160, 192, 192, ANSWER_BYTES - len(_HEAD) - 192)
    + b"A" * (ANSWER_BYTES - len(_HEAD) - 192),
    "each word is an offset, and a length": abi_words(64, 1) + abi_words(2_000_000) * (ANSWER_BYTES // 32 - 2),
    "bytes that no value explains": abi_words(64, 1, 0) + bytes(ANSWER_BYTES - 96),
    "more groups than there are bytes": abi_words(64, 1, 2**255) + bytes(ANSWER_BYTES - 96),
}
"""Results of `listGroups` that unfold to gigabytes in decoders that follow each offset anew."""


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_a_result_that_would_unfold_is_refused_at_once(modules: Path, answer: bytes) -> None:
    assert ran_javascript(RESULTS, [["listGroups", "0x" + answer.hex()]], modules) == ["FormatError"]


def test_a_list_of_large_groups_is_read(modules: Path) -> None:
    (entry,) = [each for each in VIEWS if each["name"] == "listGroups"]
    members = [(number << 200) + 1 for number in range(300)]
    groups = [(number, "of many", "", members, ADDRESSES[:1] * 300) for number in range(100)]
    (found,) = ran_javascript(RESULTS, [["listGroups", "0x" + encoded(entry["outputs"], [groups, 100]).hex()]], modules)
    items, total = taken(found)[0]
    assert ([item["id"] for item in items], total) == (list(range(100)), 100)
    assert all(item["cidHashes"] == members for item in items)


def test_a_text_of_other_bytes_is_shown_with_replacement_characters(modules: Path) -> None:
    data = encode(["bytes"], [b"a\xff\xc3(\xed\xa0\x80b"])
    (found,) = ran_javascript(RESULTS, [["nodeConfigurationValue", "0x" + data.hex()]], modules)
    assert found == [b"a\xff\xc3(\xed\xa0\x80b".decode(errors="replace")]


def test_every_error_is_decoded_and_has_words(modules: Path) -> None:
    draw = random.Random(5)
    drawn = [(entry, [hostile(each, draw) for each in entry["inputs"]]) for entry in ERRORS]
    data = [keccak(signature(entry).encode())[:4] + encoded(entry["inputs"], values) for entry, values in drawn]
    plain = [
        bytes.fromhex("08c379a0") + encode(["string"], ["not now"]),
        bytes.fromhex("4e487b71") + encode(["uint256"], [0x11]),
    ]
    others = [b"", b"\x08\xc3", bytes.fromhex("deadbeef"), data[0][:-1], data[0] + bytes(32)]
    found = ran_javascript(REVERTS, ["0x" + each.hex() for each in [*data, *plain, *others]], modules)
    for (entry, values), (name, arguments, words) in zip(drawn, found, strict=False):
        wanted = {each["name"]: named(each, value) for each, value in zip(entry["inputs"], values, strict=True)}
        assert (name, taken(arguments)) == (entry["name"], wanted)
        assert words
        assert "undefined" not in words
    error, panic, *unknown = found[len(drawn) :]
    assert error[0] == "Error"
    assert error[2].endswith("not now")
    assert panic[0] == "Panic"
    assert [each[0] for each in unknown] == [""] * len(others)


GRANTS = ("manageIPFSIdsInGroups", "addPkpToGroups", "removePkpFromGroups", "executeInGroups")
EVERY = "every group, present and future"
GROUPS: list[tuple[list[int], str]] = [
    ([], "no group"),
    ([5], "group 5 “five”"),
    ([5, 6], "group 5 “five”, group 6"),
    ([0], EVERY),
    ([0, 5], EVERY),
    ([5, 0], EVERY),
    ([5, 0, 6], EVERY),
]
"""Groups of a grant, and the words that the person reads who signs it. The contract takes 0 for every group at any place."""
WORDS = f"""
import {{ ACCOUNT_CONTRACT }} from "./contract.mjs";
import {{ callInWords, wordsWithNames }} from "./contract-words.mjs";
{VALUES}
const names = wordsWithNames({{ groups: new Map([["5", "five"]]), actions: new Map(), wallets: new Map() }});
const inWords = ([name, values]) => callInWords(ACCOUNT_CONTRACT.entry(name), read(values), names).lines.map((line) => line.value);
console.log(JSON.stringify(given.map(inWords)));
"""


@pytest.mark.parametrize("function", ["setUsageApiKey", "updateUsageApiKey"])
def test_a_grant_of_every_group_is_said_wherever_its_zero_stands(modules: Path, function: str) -> None:
    (entry,) = [each for each in FUNCTIONS if each["name"] == function]
    names = [each["name"] for each in entry["inputs"]]
    others = [hostile(each, random.Random(7)) for each in entry["inputs"]]
    drawn = []
    for grant in GRANTS:
        for ids, _ in GROUPS:
            values = [ids if name == grant else value for name, value in zip(names, others, strict=True)]
            drawn.append([function, given(values)])
    found = ran_javascript(WORDS, drawn, modules)
    wanted = [(names.index(grant), words) for grant in GRANTS for _, words in GROUPS]
    assert [lines[place] for lines, (place, _) in zip(found, wanted, strict=True)] == [words for _, words in wanted]


PREVIEW = f"""
import {{ ACCOUNT_CONTRACT }} from "./contract.mjs";
import {{ callInWords }} from "./contract-words.mjs";
{VALUES}
const lines = ([name, values]) => callInWords(ACCOUNT_CONTRACT.entry(name), read(values)).lines;
const preview = (call) => lines(call).map(({{ label, value }}) => [label, value]);
console.log(JSON.stringify(given.map(preview)));
"""
PREVIEWED = {
    "accountHash": (1, ["Account", f"0x{1:064x}"]),
    "usageHash": (2, ["Hash of the usage key", f"0x{2:064x}"]),
    "expiration": (1_800_000_000, ["Expires", "2027-01-15 08:00:00 UTC"]),
    "balance": (4_250, ["May spend in its whole life", "$42.50"]),
    "name": ("backend", ["Name", "“backend”"]),
    "description": ("", ["Description", "(empty)"]),
    "createGroups": (True, ["May create groups", "yes"]),
    "deleteGroups": (False, ["May delete groups", "no"]),
    "createPKPs": (True, ["May create wallets", "yes"]),
    "manageIPFSIdsInGroups": ([3], ["May add and remove actions in", "group 3"]),
    "addPkpToGroups": ([4], ["May add wallets to", "group 4"]),
    "removePkpFromGroups": ([5], ["May remove wallets from", "group 5"]),
    "executeInGroups": ([6], ["May run the actions of", "group 6"]),
}
"""Each permission of a usage key, and the line in which the person reads it who signs it."""


@pytest.mark.parametrize("function", ["setUsageApiKey", "updateUsageApiKey"])
def test_each_permission_is_read_by_its_own_words(modules: Path, function: str) -> None:
    (entry,) = [each for each in FUNCTIONS if each["name"] == function]
    shown = [PREVIEWED[each["name"]] for each in entry["inputs"]]
    (lines,) = ran_javascript(PREVIEW, [[function, given([value for value, _ in shown])]], modules)
    assert lines == [line for _, line in shown]
    assert {each["name"] for each in entry["inputs"]} >= set(GRANTS)


BAD_VALUES = [
    ("addActionToGroup", [1, 2], "3 values are needed"),
    ("addActionToGroup", [1, 2, -1], "action: not a whole number"),
    ("addActionToGroup", [1, 2, U256_MAX + 1], "action: not a whole number"),
    ("addActionToGroup", [1, 2, "3"], "action: not a whole number"),
    ("addActionToGroup", [1, 2, True], "action: not a whole number"),
    ("addPkpToGroup", [1, 2, "0x12"], "pkpId: not an address"),
    ("addPkpToGroup", [1, 2, "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92267"], "pkpId: an address whose checksum is wrong"),
    ("addPkpToGroup", [1, 2, 5], "pkpId: not an address"),
    ("newChainSecuredAccount", ["half\ud83d", ""], "name: a text with half of a character"),
    ("newChainSecuredAccount", ["", "\udc00\ud83d"], "description: a text with half of a character"),
    ("newChainSecuredAccount", ["", None], "description: not a text"),
    ("addGroup", [1, "", "", 5, []], "cidHashes: not a list"),
    ("addGroup", [1, "", "", [5, -1], []], "cidHashes: not a whole number"),
    ("newAccount", [1, "true", "", "", "0x" + "00" * 20], "managed: neither true nor false"),
    ("multicall", [["0x123"]], "calls: not 0x and two hex digits"),
    ("multicall", [["12"]], "calls: not 0x and two hex digits"),
    ("noSuchFunction", [], "the contract has no function noSuchFunction"),
]  # fmt: skip


def test_values_that_do_not_fit_are_refused_by_name(modules: Path) -> None:
    found = ran_javascript(REFUSED, [[name, given(values)] for name, values, _ in BAD_VALUES], modules)
    for (name, values, reason), answer in zip(BAD_VALUES, found, strict=True):
        assert answer.startswith(f"FormatError: {reason}"), (name, values, answer)


def test_addresses_are_written_as_eip_55(modules: Path) -> None:
    script = 'import { readAddress } from "./bytes.mjs";\nconsole.log(JSON.stringify(given.map(readAddress)));'
    draw = random.Random(6)
    addresses = ["0x" + "00" * 20, *(to_checksum_address(draw.randbytes(20)) for _ in range(100))]
    spelled = [[each, each.lower(), "0x" + each[2:].upper()] for each in addresses]
    found = ran_javascript(script, [each for three in spelled for each in three], modules)
    assert found == [each for each in addresses for _ in range(3)]
