"""Announcements of wallets, their signatures, and the shapes of their errors."""

import json
import random
from pathlib import Path
from typing import Any

from node.chainsecured.envelope import Expected, PrimaryType, read_envelope, typed_data_text
from tests.support.javascript import ran_javascript
from tests.support.node import REPOSITORY

VECTORS = json.loads((REPOSITORY / "tests" / "vectors" / "chainsecured" / "vectors.json").read_text())

TYPED_DATA = """
import { typedData } from "./typed-data.mjs";
console.log(JSON.stringify(given.map(([purpose, address, chain, at]) => typedData(purpose, address, chain, at))));
"""
HASHES = """
import { hashOfText, hashOfWallet } from "./bytes.mjs";
console.log(JSON.stringify([given.keys.map(hashOfText), given.wallets.map(hashOfWallet)]));
"""
DISCOVER = """
import { discoverWallets } from "./wallet.mjs";
const target = new EventTarget();
const provider = { request: async () => null };
let found = [];
const announce = (detail) => target.dispatchEvent(Object.assign(new Event("eip6963:announceProvider"), { detail }));
target.addEventListener("eip6963:requestProvider", () => announce({ info: { uuid: "asked", name: "asked", icon: "" }, provider }));
const stop = discoverWallets((wallets) => { found = wallets; }, target);
for (const each of given) announce(each === null ? null : { ...each, provider: each.provider ? provider : {} });
const before = found.map(({ id, name, icon }) => [id, name, icon]);
stop();
announce({ info: { uuid: "late", name: "late", icon: "" }, provider });
console.log(JSON.stringify([before, found.length]));
"""
FAULTS = """
import { walletFault } from "./wallet-errors.mjs";
console.log(JSON.stringify(given.map((thrown) => { const fault = walletFault(thrown); return [fault.name, fault.kind ?? fault.data]; })));
"""
AMOUNTS = """
import { baseUnits, tokenAmount } from "./token-payment.mjs";
const text = (value) => (value === null ? null : String(value));
console.log(JSON.stringify(given.map(([amount, decimals]) => {
  const units = baseUnits(amount, decimals);
  return [text(units), units === null ? null : tokenAmount(units, { decimals, symbol: "T" })];
})));
"""
SIGN_ONCE = """
import { billingAuth } from "./account-chain.mjs";
let now = 1800000000000;
let declines = false;
let signed = 0;
const wallet = {
  address: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  sign: async () => { if (declines) throw new Error("declined"); signed += 1; return "0x" + signed; },
};
const auth = billingAuth(wallet, 8453, () => now);
const log = [];
const ask = async () => log.push(await auth().then((each) => [each.signature, each.typed_data.message.issuedAt], (error) => error.message));
await Promise.all([ask(), ask()]);
now += 239000;
await ask();
now += 1000;
declines = true;
await ask();
declines = false;
await ask();
console.log(JSON.stringify(log));
"""


def test_what_is_signed_is_what_the_node_reads(modules: Path) -> None:
    draw = random.Random(1)
    wanted = [each["typed_data"] for each in VECTORS["envelopes"]]
    orders = [
        [each["primaryType"], each["message"]["address"], int(each["domain"]["chainId"]), int(each["message"]["issuedAt"])]
        for each in wanted
    ]  # fmt: skip
    drawn = [[purpose.value, "0x" + draw.randbytes(20).hex(), draw.choice([1, 31337, 8453, 2**52]), 1_800_000_000] for purpose in PrimaryType]  # fmt: skip
    found = ran_javascript(TYPED_DATA, orders + drawn, modules)
    assert {order[0] for order in orders} == set(PrimaryType)
    for vector, made in zip(VECTORS["envelopes"], found, strict=False):
        envelope = read_envelope(typed_data_text(made), expected(made))
        assert "0x" + envelope.digest().hex() == vector["digest"]
        assert json.dumps(made) == json.dumps(vector["typed_data"])
    for order, made in zip(drawn, found[len(orders) :], strict=True):
        envelope = read_envelope(typed_data_text(made), expected(made))
        assert [envelope.primary_type, envelope.address.lower(), envelope.chain_id, envelope.issued_at] == order


def expected(made: dict[str, Any]) -> Expected:
    """Returns the node's expectation of an envelope of this purpose."""
    return Expected(PrimaryType(made["primaryType"]), int(made["domain"]["chainId"]), int(made["message"]["issuedAt"]))


def test_hashes_of_keys_and_wallets_are_those_of_the_vectors(modules: Path) -> None:
    keys, accounts = VECTORS["usage_keys"], VECTORS["accounts"]
    given = {
        "keys": [each["usage_api_key"] for each in keys],
        "wallets": [each["admin_wallet_address"] for each in accounts],
    }
    wanted = [[each["api_key_hash"] for each in keys], [each["api_key_hash"] for each in accounts]]
    assert ran_javascript(HASHES, given, modules) == wanted


def announced(uuid: object, name: object, icon: object = "", *, provider: bool = True) -> dict[str, Any]:
    """An announcement of EIP-6963."""
    return {"info": {"uuid": uuid, "name": name, "icon": icon}, "provider": provider}


def test_wallets_are_discovered_and_hostile_announcements_are_harmless(modules: Path) -> None:
    png = "data:image/png;base64,AAAA"
    hostile = [
        None,
        {},
        {"info": None, "provider": True},
        announced("no provider", "x", provider=False),
        announced(5, "a number"),
        announced("no name", None),
        announced("good", "<b>Good</b>", png),
        announced("good", "again, with the same id", png),
        announced("script", "script", "javascript:alert(1)"),
        announced("remote", "remote", "https://example.com/x.png"),
        announced("page", "page", "data:text/html,<script>alert(1)</script>"),
        announced("huge", "huge", "data:image/png;base64," + "A" * 300_000),
        announced("long", "n" * 500),
        announced("nameless", ""),
        *(announced(f"more {i}", "more") for i in range(50)),
    ]
    found, after = ran_javascript(DISCOVER, hostile, modules)
    assert found[:8] == [
        ["asked", "asked", ""],
        ["good", "<b>Good</b>", png],
        ["script", "script", ""],
        ["remote", "remote", ""],
        ["page", "page", ""],
        ["huge", "huge", ""],
        ["long", "n" * 64, ""],
        ["nameless", "A wallet without a name", ""],
    ]
    assert len(found) == after == 20


def test_every_shape_of_a_wallet_s_error_is_understood(modules: Path) -> None:
    data = "0x08c379a0" + "00" * 32
    shapes: list[tuple[object, list[str]]] = [
        ({"code": 4001, "message": "no"}, ["WalletError", "declined"]),
        ({"code": 4100}, ["WalletError", "account"]),
        ({"code": 4200}, ["WalletError", "refused"]),
        ({"code": 4900}, ["WalletError", "silent"]),
        ({"code": 3, "message": "execution reverted", "data": data}, ["CallReverted", data]),
        ({"code": -32603, "data": {"code": 3, "data": data}}, ["CallReverted", data]),
        ({"code": -32603, "data": {"originalError": {"code": 3, "data": data}}}, ["CallReverted", data]),
        ({"error": {"data": {"data": data}}}, ["CallReverted", data]),
        ({"code": -32000, "message": "execution reverted"}, ["CallReverted", "0x"]),
        ({"code": -32000, "message": "VM Exception while processing transaction: revert"}, ["CallReverted", "0x"]),
        ({"data": "0x123"}, ["WalletError", "refused"]),
        ({"data": "0x" + "00" * 20_000}, ["WalletError", "refused"]),
        ({"data": {"data": {"data": {"data": {"data": {"data": data}}}}}}, ["WalletError", "refused"]),
        ({"message": "x" * 10_000}, ["WalletError", "refused"]),
        ("a text", ["WalletError", "refused"]),
        (None, ["WalletError", "refused"]),
        (5, ["WalletError", "refused"]),
    ]
    assert ran_javascript(FAULTS, [thrown for thrown, _ in shapes], modules) == [wanted for _, wanted in shapes]


def test_amounts_of_tokens_are_read_and_written_exactly(modules: Path) -> None:
    table: list[tuple[str, int, str | None, str | None]] = [
        ("5", 6, "5000000", "5 T"),
        ("12.5", 6, "12500000", "12.5 T"),
        ("0.000001", 6, "1", "0.000001 T"),
        (" 1.10 ", 18, "1100000000000000000", "1.1 T"),
        ("7", 0, "7", "7 T"),
        ("999999999999999999999999999999", 18, "9" * 30 + "0" * 18, "9" * 30 + " T"),
        ("0", 6, None, None),
        ("0.0000001", 6, None, None),
        ("7.0", 0, None, None),
        ("1e6", 6, None, None),
        ("-1", 6, None, None),
        ("1,5", 6, None, None),
        ("0x10", 6, None, None),
        ("", 6, None, None),
        (".5", 6, None, None),
        ("9" * 31, 6, None, None),
    ]
    found = ran_javascript(AMOUNTS, [[text, decimals] for text, decimals, _, _ in table], modules)
    assert found == [[units, shown] for _, _, units, shown in table]


def test_the_wallet_signs_for_billing_once_while_the_signature_counts(modules: Path) -> None:
    first, second = ["0x1", "1800000000"], ["0x2", "1800000240"]
    assert ran_javascript(SIGN_ONCE, None, modules) == [first, first, first, "declined", second]
