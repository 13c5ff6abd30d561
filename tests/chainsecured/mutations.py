"""The mutation table: what may be done to a signed envelope, and what the node must say to it."""

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from node.values import keccak256
from tests.support.envelopes import ORDER, Eoa, compact, digest_of, high_s

Request = dict[str, Any]
Change = Callable[[Request], object]
OTHER = Eoa.of("another wallet")


@dataclass(frozen=True)
class Row:
    """One mutation of a whole request; `reason` None: it is accepted. `resigned`: the wallet signs what came of it."""

    name: str
    change: Change
    reason: str | None
    resigned: bool = True

    def applied(self, eoa: Eoa, request: Request) -> Request:
        """The request with the change."""
        changed = copy.deepcopy(request)
        self.change(changed)
        if self.resigned:
            _sign_again(eoa, changed)
        return changed


def _sign_again(eoa: Eoa, request: Request) -> None:
    """So that nothing but the node's own strictness stands between a changed envelope and success, where it can be signed."""
    typed_data: Any = request.get("typed_data")
    try:
        request["signature"] = eoa.sign(json.loads(typed_data) if isinstance(typed_data, str) else typed_data)
    except Exception:  # noqa: BLE001 - whatever eth-account makes of it: then the first signature stays
        return


def _at(*path: str | int) -> Callable[[Request], tuple[Any, str | int]]:
    def find(request: Request) -> tuple[Any, str | int]:
        place: Any = request["typed_data"]
        for step in path[:-1]:
            place = place[_named(request, step) if isinstance(step, str) else step]
        last = path[-1]
        return place, _named(request, last) if isinstance(last, str) else last

    return find


def _named(request: Request, step: str) -> str:
    """`PRIMARY` stands for the request's own type."""
    return str(request["typed_data"]["primaryType"]) if step == "PRIMARY" else step


def put(value: object, *path: str | int) -> Change:
    def change(request: Request) -> None:
        place, last = _at(*path)(request)
        place[last] = value

    return change


def made(make: Callable[[Any], object], *path: str | int) -> Change:
    """Replace a value by what `make` makes of it."""

    def change(request: Request) -> None:
        place, last = _at(*path)(request)
        place[last] = make(place[last])

    return change


def drop(*path: str | int) -> Change:
    def change(request: Request) -> None:
        place, last = _at(*path)(request)
        del place[last]

    return change


def whole(make: Callable[[Any], object]) -> Change:
    """Replace `typed_data` by what `make` makes of it."""

    def change(request: Request) -> None:
        request["typed_data"] = make(request["typed_data"])

    return change


def always(value: object) -> Change:
    """`typed_data` is this."""
    return whole(lambda _: value)


def signature(make: Callable[[bytes, Request], bytes | str]) -> Change:
    def change(request: Request) -> None:
        said = make(bytes.fromhex(request["signature"][2:]), request)
        request["signature"] = said if isinstance(said, str) else "0x" + said.hex()

    return change


def as_text(typed_data: Any) -> str:
    return json.dumps(typed_data, separators=(",", ":"))


def padded(length: int) -> Callable[[Any], str]:
    """The envelope as JSON text of this length, with blanks."""
    return lambda typed_data: as_text(typed_data).ljust(length)


def twice(member: str) -> Callable[[Any], str]:
    """The JSON text with one member said twice, the second time as it was."""

    def make(typed_data: Any) -> str:
        text = as_text(typed_data)
        assert f'"{member}":' in text
        return text.replace(f'"{member}":', f'"{member}":null,"{member}":', 1)

    return make


NO_TYPED_DATA: Final[dict[str, object]] = {
        "null": None, "an array": [], "a number": 1, "true": True, "an empty text": "", "no JSON": "{", "NaN": "NaN",
        "two values": "{}{}", "a text with a comment": "{}//", "half a surrogate pair": '"\\ud800"', "very deep": "[" * 4000,
}  # fmt: skip
SHAPES = [
    Row(f"typed_data is {name}", always(value), "typed_data_malformed", resigned=False)
    for name, value in NO_TYPED_DATA.items()
]
SHAPES += [
    Row(f"typed_data is the text of {text}", always(text), "typed_data_members", resigned=False)
    for text in ("null", "[]", '"{}"', "{}", "7")
]
SHAPES += [
    Row("typed_data as text", whole(as_text), None),
    Row("typed_data as text with blanks and line breaks", whole(lambda data: json.dumps(data, indent=2)), None),
    Row("typed_data as the text of a text", whole(lambda data: json.dumps(json.dumps(data))), "typed_data_members"),
    *(Row(f"without {part}", drop(part), "typed_data_members") for part in ("types", "primaryType", "domain", "message")),
    Row("one member more", put(1, "extra"), "typed_data_members"),
    Row("4096 bytes of text", whole(padded(4096)), None),
    Row("4097 bytes of text", whole(padded(4097)), "typed_data_size"),
    Row("an object of more than 4096 bytes", put("x" * 4096, "domain", "name"), "typed_data_size"),
    Row("too large and of another type", put("x" * 4097, "primaryType"), "typed_data_size", resigned=False),
    *(
        Row(f"{member} said twice", whole(twice(member)), "typed_data_duplicate_member")
        for member in ("types", "primaryType", "domain", "message", "name", "chainId", "address", "issuedAt")
    ),
]  # fmt: skip

OTHER_TYPES: Final[tuple[object, ...]] = ("createwallet", "", "EIP712Domain", "Mail", None, 1, ["CreateWallet"], {})
PRIMARY = [Row(f"primaryType {value!r}", put(value, "primaryType"), "primary_type") for value in OTHER_TYPES]
PRIMARY += [Row("primaryType with a blank", made(lambda name: name + " ", "primaryType"), "primary_type")]

CHAIN_IDS_MALFORMED: Final[tuple[object, ...]] = (
    None, True, 31337.0, " 31337", "31337 ", "31337\n", "+31337", "-31337", -31337, "031337", "0X7a69", "0x", "", "7a69",
    "3_1337", "0x7a69 ", "٣١٣٣٧", "0x" + "0" * 65, "9" * 79, 2**256, [31337], {}, "31337n", "3.1337e4",
)  # fmt: skip
NO_OBJECTS: Final[tuple[object, ...]] = (None, [], "", 1)
DOMAIN = [
    *(Row(f"domain without {field}", drop("domain", field), "domain_members") for field in ("name", "version", "chainId")),
    Row("domain with verifyingContract", put("0x" + "11" * 20, "domain", "verifyingContract"), "domain_members"),
    Row("domain with salt", put("0x" + "11" * 32, "domain", "salt"), "domain_members"),
    Row("domain with an empty name", put(None, "domain", ""), "domain_members"),
    *(Row(f"domain {value!r}", put(value, "domain"), "domain_members") for value in NO_OBJECTS),
    *(
        Row(f"domain.name {value!r}", put(value, "domain", "name"), "domain_name")
        for value in ("", "service chainsecured", "Service ChainSecured ", "ChainSecured", None, 1, ["Service ChainSecured"])
    ),
    *(Row(f"domain.version {value!r}", put(value, "domain", "version"), "domain_version") for value in (1, "2", "1.0", "01", "", None, True)),
    *(Row(f"domain.chainId {value!r}", put(value, "domain", "chainId"), "domain_chain_id_malformed") for value in CHAIN_IDS_MALFORMED),
    *(Row(f"domain.chainId {value!r}", put(value, "domain", "chainId"), "domain_chain_id") for value in ("1", 1, "0", 31338, "0x7a68", 0)),
    *(Row(f"domain.chainId {value!r}", put(value, "domain", "chainId"), None) for value in (31337, "0x7a69", "0x7A69", "0x00007a69")),
    Row("domain in another order", made(lambda fields: dict(reversed(fields.items())), "domain"), None),
]  # fmt: skip


def _types() -> list[Row]:
    rows = [
        Row("types null", put(None, "types"), "types"),
        Row("types an array", put([], "types"), "types"),
        Row("types with a struct more", put([{"name": "x", "type": "string"}], "types", "Extra"), "types"),
        Row("types with an empty struct more", put([], "types", "Extra"), "types"),
        Row("types in another order", made(lambda types: dict(reversed(types.items())), "types"), None),
    ]
    for struct, count in (("EIP712Domain", 3), ("PRIMARY", 2)):
        rows += [
            Row(f"types without {struct}", drop("types", struct), "types"),
            Row(f"{struct} null", put(None, "types", struct), "types"),
            Row(f"{struct} empty", put([], "types", struct), "types"),
            Row(f"{struct} reversed", made(lambda listed: listed[::-1], "types", struct), "types"),
            Row(f"{struct} with a field more", made(lambda listed: [*listed, {"name": "nonce", "type": "uint256"}], "types", struct), "types"),
            Row(f"{struct} with a field twice", made(lambda listed: [*listed, listed[0]], "types", struct), "types"),
            Row(f"{struct} as an object", made(lambda listed: {each["name"]: each["type"] for each in listed}, "types", struct), "types"),
        ]  # fmt: skip
        for index in range(count):
            rows += [
                Row(f"{struct} without field {index}", drop("types", struct, index), "types"),
                Row(f"{struct} field {index} renamed", put("other", "types", struct, index, "name"), "types"),
                Row(f"{struct} field {index} of bytes32", put("bytes32", "types", struct, index, "type"), "types"),
                Row(f"{struct} field {index} with a member more", put(1, "types", struct, index, "indexed"), "types"),
                Row(f"{struct} field {index} without its type", drop("types", struct, index, "type"), "types"),
            ]
    short = {"EIP712Domain": 2, "PRIMARY": 1}
    rows += [Row(f"{struct} uint for uint256", put("uint", "types", struct, at, "type"), "types") for struct, at in short.items()]  # fmt: skip
    return rows


TYPES = _types()

ADDRESSES: Final[tuple[object, ...]] = (None, 1, True, "", "0x", "0x" + "00" * 20, "0x" + "11" * 19, "0x" + "11" * 21, "0x" + "zz" * 20, "11" * 20, "0X" + "11" * 20, " 0x" + "11" * 20, "0x" + "11" * 20 + "\n", "vitalik.eth", ["0x" + "11" * 20])  # fmt: skip
TIMES: Final[tuple[object, ...]] = (None, True, 1.8e9, "", "-1", -1, "+1800000000", " 1800000000", "1800000000 ", "1800000000\n", "01800000000", "0x6b49d200", "1e9", "1800000000.0", "1_800_000_000", "١٨٠٠٠٠٠٠٠٠", "9" * 79, 2**256, [], {})  # fmt: skip


def moved(seconds: int, *, text: bool = True) -> Change:
    return made(lambda at: str(int(at) + seconds) if text else int(at) + seconds, "message", "issuedAt")


MESSAGE = [
    *(Row(f"message without {field}", drop("message", field), "message_members") for field in ("address", "issuedAt")),
    Row("message with a nonce", put("1", "message", "nonce"), "message_members"),
    *(Row(f"message {value!r}", put(value, "message"), "message_members") for value in NO_OBJECTS),
    *(Row(f"address {value!r}", put(value, "message", "address"), "message_address") for value in ADDRESSES),
    Row("address in lower case", made(str.lower, "message", "address"), None),
    Row("address in upper case", made(lambda address: "0x" + address[2:].upper(), "message", "address"), None),
    Row("another's address", put(OTHER.address, "message", "address"), "signature_no_code"),
    Row("message in another order", made(lambda fields: dict(reversed(fields.items())), "message"), None),
    *(Row(f"issuedAt {value!r}", put(value, "message", "issuedAt"), "issued_at_malformed") for value in TIMES),
    Row("issuedAt as a number", moved(0, text=False), None),
    *(Row(f"issuedAt {seconds:+d} s", moved(seconds), None) for seconds in (-300, -299, 299, 300)),
    *(Row(f"issuedAt {seconds:+d} s", moved(seconds), "issued_at_window") for seconds in (-301, 301, -10**6, 10**6)),
    Row("issuedAt 0", put("0", "message", "issuedAt"), "issued_at_window"),
    Row("issuedAt in milliseconds", made(lambda at: at + "000", "message", "issuedAt"), "issued_at_window"),
    Row("issuedAt the largest u256", put(str(2**256 - 1), "message", "issuedAt"), "issued_at_window"),
]  # fmt: skip


def _other(change: Change) -> Callable[[bytes, Request], str]:
    """The signature of a changed envelope under the envelope as it was."""

    def make(_: bytes, request: Request) -> str:
        changed = copy.deepcopy(request)
        change(changed)
        return Eoa.of("an admin").sign(changed["typed_data"])

    return make


def _signed(name: str, make: Callable[[bytes, Request], bytes | str], reason: str | None) -> Row:
    return Row(name, signature(make), reason, resigned=False)


COUNTERFACTUAL = bytes.fromhex("6492" * 16)
SIGNATURE = [
    _signed("no 0x", lambda raw, _: raw.hex(), "signature_malformed"),
    _signed("0X", lambda raw, _: "0X" + raw.hex(), "signature_malformed"),
    _signed("half a byte", lambda raw, _: "0x" + raw.hex()[:-1], "signature_malformed"),
    _signed("no hex", lambda raw, _: "0x" + raw.hex()[:-2] + "zz", "signature_malformed"),
    _signed("a blank", lambda raw, _: "0x" + raw.hex() + " ", "signature_malformed"),
    _signed("a line break", lambda raw, _: "0x" + raw.hex() + "\n", "signature_malformed"),
    _signed("an empty text", lambda _, __: "", "signature_malformed"),
    _signed("upper case", lambda raw, _: "0x" + raw.hex().upper(), None),
    _signed("v 0 or 1", lambda raw, _: raw[:64] + bytes([raw[64] - 27]), None),
    _signed("compact", lambda raw, _: compact(raw), None),
    _signed("compact of the other parity", lambda raw, _: bytes([*compact(raw)[:32], compact(raw)[32] ^ 0x80, *compact(raw)[33:]]), "signature_no_code"),
    _signed("v flipped", lambda raw, _: raw[:64] + bytes([27 + 28 - raw[64]]), "signature_no_code"),
    *(_signed(f"v {v}", lambda raw, _, v=v: raw[:64] + bytes([v]), "signature_no_code") for v in (2, 3, 26, 29, 35, 37, 128, 255)),  # type: ignore[misc]  # bound now
    _signed("high s", lambda raw, _: high_s(raw), "signature_no_code"),
    _signed("high s, v 0 or 1", lambda raw, _: high_s(raw)[:64] + bytes([high_s(raw)[64] - 27]), "signature_no_code"),
    _signed("r 0", lambda raw, _: bytes(32) + raw[32:], "signature_no_code"),
    _signed("s 0", lambda raw, _: raw[:32] + bytes(32) + raw[64:], "signature_no_code"),
    _signed("r the order", lambda raw, _: ORDER.to_bytes(32) + raw[32:], "signature_no_code"),
    _signed("s the order", lambda raw, _: raw[:32] + ORDER.to_bytes(32) + raw[64:], "signature_no_code"),
    _signed("all zero", lambda _, __: bytes(65), "signature_no_code"),
    *(_signed(f"{length} bytes", lambda raw, _, length=length: raw.ljust(length, b"\x01")[:length], "signature_no_code") for length in (0, 1, 32, 63, 66, 130, 4096)),  # type: ignore[misc]  # bound now
    _signed("4097 bytes", lambda raw, _: raw.ljust(4097, b"\x01"), "signature_size"),
    _signed("4097 bytes that are no hex", lambda _, __: "0x" + "zz" * 4097, "signature_size"),
    _signed("of an undeployed wallet", lambda raw, _: raw + COUNTERFACTUAL, "signature_counterfactual"),
    _signed("nothing but the suffix of one", lambda _, __: COUNTERFACTUAL, "signature_counterfactual"),
    _signed("4096 bytes with the suffix", lambda raw, _: raw.ljust(4064, b"\x01") + COUNTERFACTUAL, "signature_counterfactual"),
    _signed("of another wallet", lambda _, request: OTHER.sign(request["typed_data"]), "signature_no_code"),
    _signed("of another second", _other(moved(1)), "signature_no_code"),
    _signed("of another chain", _other(put("1", "domain", "chainId")), "signature_no_code"),
    _signed("of another version", _other(put("2", "domain", "version")), "signature_no_code"),
    _signed("of fields in another order", _other(made(lambda listed: listed[::-1], "types", "PRIMARY")), "signature_no_code"),
    _signed("of a narrower type", _other(put("uint64", "types", "PRIMARY", 1, "type")), "signature_no_code"),
    _signed("a personal message of the digest", lambda _, request: _personal(digest_of(request["typed_data"])), "signature_no_code"),
]  # fmt: skip


def _personal(digest: bytes) -> bytes:
    return Eoa.of("an admin").sign_digest(keccak256(b"\x19Ethereum Signed Message:\n32" + digest))


ROWS: list[Row] = [*SHAPES, *PRIMARY, *DOMAIN, *TYPES, *MESSAGE, *SIGNATURE]
