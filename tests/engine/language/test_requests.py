"""A call of the action sends what the script wrote, or nothing."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Final, cast

import pytest
from pydantic import JsonValue

from node.engine.process_engine import ProcessEngine
from node.execution.models import INTEGER_MAX
from tests.engine.hosts import EchoHost
from tests.engine.language.twin import in_action

pytestmark = pytest.mark.asyncio(loop_scope="module")

BESIDE: Final = """
const W = '0x00000000000000000000000000000000000000Aa';
const sign = (transaction) => Svc.Actions.signTransaction({ pkpId: W, transaction });
const typed = (value, more = {}) => Svc.Actions.signTypedData({ pkpId: W, domain: { name: 'd' }, types: { M: [{ name: 'a', type: 'uint256' }] }, value, ...more });
const message = (it) => Svc.Actions.signMessage({ pkpId: W, message: it });
class Order { constructor() { this.a = 1; } get b() { return 2; } method() { return 3; } }
class Asked { get pkpId() { return W; } get message() { return 'm'; } }
class Creating { to() { return W; } get value() { return 5; } }
class Hiding { #name = 'd'; read() { return this.#name; } }
"""

REFUSED: Final[Sequence[tuple[str, str]]] = [
    # undefined, in every function and at any depth
    *(
        (f"Svc.Actions.{name}({{ {member}: undefined }})", member)
        for name, member in (
            ("getPrivateKey", "pkpId"),
            ("getSvcActionPublicKey", "ipfsId"),
            ("getSvcActionWalletAddress", "ipfsId"),
            ("getSvcActionPrivateKey", "pkpId"),
            ("Encrypt", "message"),
            ("Decrypt", "ciphertext"),
            ("signMessage", "pkpId"),
            ("signTypedData", "domain"),
            ("signTransaction", "transaction"),
        )
    ),
    ("Svc.Actions.signMessage({ pkpId: undefined, message: 'm' })", "pkpId"),
    ("Svc.Actions.Encrypt({ pkpId: undefined, message: 'm' })", "pkpId"),
    ("sign({ to: undefined, value: 5 })", "transaction.to"),
    ("sign({ to: W, value: undefined })", "transaction.value"),
    ("sign({ accessList: [{ address: W, storageKeys: [undefined] }] })", "transaction.accessList[0].storageKeys[0]"),
    ("sign({ accessList: [, 1] })", "transaction.accessList[0]"),
    ("typed({ a: 1, items: [{ b: undefined }] })", "value.items[0].b"),
    ("typed({ a: 1 }, { domain: { name: 'd', verifyingContract: undefined } })", "domain.verifyingContract"),
    ("typed({ a: 1 }, { types: { M: [{ name: 'a', type: undefined }] } })", "types.M[0].type"),
    # what JSON drops or changes beside it
    ("sign({ to: () => W })", "transaction.to"),
    ("sign({ to: Symbol('w') })", "transaction.to"),
    ("typed({ a: NaN })", "value.a is NaN"),
    ("typed({ a: Infinity })", "value.a is Infinity"),
    ("typed({ a: -Infinity })", "value.a is -Infinity"),
    ("typed({ a: { toJSON: () => '7' } })", "value.a"),
    ("typed({ a: new Date(0) })", "value.a"),
    ("sign({ toJSON: () => ({ to: W }) })", "transaction"),
    ("typed([Object.assign([1], { toJSON: () => 7 })])", "value[0]"),
    *(
        (f"Svc.Actions.getSvcActionPrivateKey({{ a: [{value}] }})", "a[0]")
        for value in ("() => 1", "NaN", "Symbol()", "0.5")
    ),
    ("Svc.Actions.signMessage({ toJSON: () => ({ message: 'm' }) })", "toJSON"),
    ("typed({ a: 1 }, { domain: Promise.resolve({ name: 'd' }) })", "domain"),
    ("typed({ a: 1 }, { domain: new Map([['name', 'd']]) })", "domain"),
    ("typed({ a: new String('7') })", "value.a"),
    ("typed({ a: new Number(7) })", "value.a"),
    ("typed({ a: Object(7n) })", "value.a"),
    ("typed({ a: new Uint16Array([1]) })", "value.a"),
    ("typed({ a: new Uint8Array([1]).buffer })", "value.a"),
    ("sign({ data: new DataView(new ArrayBuffer(1)) })", "transaction.data"),
    ("Svc.Actions.signMessage(Promise.resolve({ message: 'm' }))", "one object"),
    ("Svc.Actions.signMessage([{ message: 'm' }])", "one object"),
    ("Svc.Actions.signMessage('m')", "one object"),
    ("Svc.Actions.signMessage(null)", "one object"),
    ("Svc.Actions.signMessage(() => 1)", "one object"),
    ("typed({ a: 'half \\ud800' })", "value.a"),
    ("typed({ 'half \\ud800': 1 })", "half a surrogate pair"),
    ("typed({ a: { '': '0x01' } })", "value.a has a member without a name"),
    ("sign({ '': '0x01' })", "transaction has a member without a name"),
    ("{ const a = {}; a.a = a; return typed(a); }", "nested deeper"),
    # what an object has without showing it to JSON
    ("sign(Object.create({ to: undefined }))", "transaction.to is undefined"),
    ("sign(Object.defineProperty({}, 'to', { value: undefined }))", "transaction.to is undefined"),
    ("sign(new Creating())", "transaction.to is a function"),
    ("sign(new Proxy({}, { has: (_, name) => name === 'to' }))", "transaction.to is undefined"),
    ("Svc.Actions.signMessage(Object.create({ pkpId: undefined }, { message: { value: 'm' } }))", "pkpId is undefined"),
    ("Svc.Actions.signMessage(new Proxy({ message: 'm' }, { has: () => true }))", "pkpId is undefined"),
    ("typed({ a: 1 }, { domain: new Hiding() })", "domain shows nothing"),
    ("typed({ a: 1 }, { domain: new Map([['name', 'd']]).entries() })", "domain"),
    ("typed({ a: 1 }, { domain: new URLSearchParams('name=d') })", "domain"),
    ("typed({ a: 1 }, { domain: new WeakMap() })", "domain"),
    ("typed({ a: 1 }, { domain: (function* () { yield 1; })() })", "domain"),
    ("typed({ a: 1 }, { domain: Object.assign(Promise.resolve(), { name: 'd' }) })", "domain"),
    # numbers that are not the ones that were written
    ("sign({ value: 2 ** 64 })", "transaction.value is 18446744073709551616"),
    ("sign({ value: 2 ** 53 })", "pass a BigInt or a text"),
    ("typed({ a: -(2 ** 53) })", "value.a is -9007199254740992; numbers are exact within ±9007199254740991"),
    ("typed({ a: 1.5 })", "value.a is 1.5, a fraction: pass a BigInt or a text"),
    ("typed({ a: 1 }, { domain: { chainId: 1e20 } })", "domain.chainId is 100000000000000000000"),
    ("Svc.Actions.getPrivateKey({ pkpId: 1.5 })", "pkpId"),
    ("typed({ a: 2n ** 256n })", "256 bits"),
    ("typed({ a: -(10n ** 5000n) })", "256 bits"),
    ("typed({ a: ethers.BigNumber.from('0x1' + '0'.repeat(65)) })", "256 bits"),
    # a message is a text or bytes
    ("message(undefined)", "message must be a string or a Uint8Array"),
    ("message({ bytes: '0x6869' })", "message must"),
    ("message({ text: 'hi' })", "message must"),
    ("message(1n)", "message must"),
    ("message(7)", "message must"),
    ("message(new Date(0))", "message must"),
    ("message(new String('m'))", "message must"),
    ("message(ethers.BigNumber.from(1))", "message must"),
    ("message(new DataView(new ArrayBuffer(1)))", "message must"),
    ("message(new Uint8ClampedArray(1))", "message must"),
    ("message(Object.defineProperty(new Uint16Array(1), Symbol.toStringTag, { value: 'Uint8Array' }))", "message must"),
    ("message(new Uint8Array(1).buffer)", "message must"),
    *(
        (f"Svc.Actions.{name}({{ pkpId: 1, {member}: {value} }})", f"{member} must be a string.")
        for name, member in (("Encrypt", "message"), ("Decrypt", "ciphertext"), ("getSvcActionPublicKey", "ipfsId"))
        for value in ("{ bytes: '0x6869' }", "new Uint8Array(1)", "5n", "new String('m')")
    ),
]
"""Requests that throw BadRequest before anything is sent, and the words of its message."""

PLAIN: Final[Mapping[str, JsonValue]] = {"domain": {"name": "d"}, "types": {"M": [{"name": "a", "type": "uint256"}]}}
W: Final = "0x00000000000000000000000000000000000000Aa"
CARRIED: Final[Sequence[tuple[str, JsonValue]]] = [
    ("Svc.Actions.getSvcActionPrivateKey()", {}),
    ("Svc.Actions.getSvcActionPrivateKey(undefined)", {}),
    ("Svc.Actions.getPrivateKey({ pkpId: 1n })", {"pkpId": 1}),
    ("Svc.Actions.getPrivateKey({ pkpId: null })", {"pkpId": None}),
    ("message('0x6869')", {"pkpId": W, "message": {"text": "0x6869"}}),
    ("message('')", {"pkpId": W, "message": {"text": ""}}),
    ("message(new Uint8Array([1, 255]))", {"pkpId": W, "message": {"bytes": "0x01ff"}}),
    ("message(new (class Buffer extends Uint8Array {})(2))", {"pkpId": W, "message": {"bytes": "0x0000"}}),
    (
        "message(Object.defineProperty(new Uint8Array(1), Symbol.toStringTag, { value: 'x' }))",
        {"pkpId": W, "message": {"bytes": "0x00"}},
    ),
    ("Svc.Actions.Encrypt({ pkpId: 1, message: 'é' })", {"pkpId": 1, "message": "é"}),
    # a member counts as given when `name in request`
    ("Svc.Actions.signMessage(new Asked())", {"pkpId": W, "message": {"text": "m"}}),
    (
        "Svc.Actions.signMessage(Object.create({ pkpId: W }, { message: { value: 'm' } }))",
        {"pkpId": W, "message": {"text": "m"}},
    ),
    ("sign(Object.create({ to: W }))", {"pkpId": W, "transaction": {"to": W}}),
    ("sign({ to: null, value: 0, nonce: -0 })", {"pkpId": W, "transaction": {"to": None, "value": 0, "nonce": 0}}),
    ("sign(Object.assign(Object.create(null), { to: W }))", {"pkpId": W, "transaction": {"to": W}}),
    ("sign({ data: new Uint8Array([1]) })", {"pkpId": W, "transaction": {"data": {"": "0x01"}}}),
    ("sign({ data: '0x01' })", {"pkpId": W, "transaction": {"data": "0x01"}}),
    ("sign({ value: 9007199254740991 })", {"pkpId": W, "transaction": {"value": 9007199254740991}}),
    ("sign({ value: 10n ** 20n })", {"pkpId": W, "transaction": {"value": 10**20}}),
    ("sign({ value: ethers.BigNumber.from(10).pow(20) })", {"pkpId": W, "transaction": {"value": 10**20}}),
    ("sign({ value: { type: 'BigNumber', hex: '-0x05' } })", {"pkpId": W, "transaction": {"value": -5}}),
    ("typed({ a: 2n ** 256n - 1n })", {"pkpId": W, **PLAIN, "value": {"a": 2**256 - 1}}),
    ("typed({ a: [1, '2', [true, null]] })", {"pkpId": W, **PLAIN, "value": {"a": [1, "2", [True, None]]}}),
    ("typed({ a: new Order() })", {"pkpId": W, **PLAIN, "value": {"a": {"a": 1, "b": 2}}}),
    ("typed({ a: { toJSON: 'a text' } })", {"pkpId": W, **PLAIN, "value": {"a": {"toJSON": "a text"}}}),
    (
        "typed({ kind: { type: 'BigNumber', hex: 'zz' } })",
        {"pkpId": W, **PLAIN, "value": {"kind": {"type": "BigNumber", "hex": "zz"}}},
    ),
]
"""Requests of an action, and the same as the node reads them."""


class Silent(EchoHost):
    """Notes what it is asked; an answer would round large numbers."""

    async def call(self, name: str, arguments: Sequence[JsonValue]) -> JsonValue:
        self.calls.append((name, arguments))
        return None


def _all_of(cases: Sequence[str]) -> str:
    each = ",\n".join(f"() => {case if case.startswith('{') else f'({case})'}" for case in cases)
    return f"""{BESIDE}
    const CASES = [{each}];
    async function main() {{
      const seen = [];
      for (const one of CASES) {{
        try {{ await one(); seen.push(null); }} catch (e) {{ seen.push([e.name, e.message]); }}
      }}
      return seen;
    }}"""


async def test_what_json_would_drop_or_change_is_refused_by_its_place(engine: ProcessEngine) -> None:
    host = Silent()
    seen = await in_action(engine, _all_of([expression for expression, _ in REFUSED]), host=host)
    wrong = [
        (expression, says, got)
        for (expression, says), got in zip(REFUSED, cast("list[list[str] | None]", seen), strict=True)
        if got is None or got[0] != "BadRequest" or says not in got[1]
    ]
    assert wrong == []
    assert host.calls == []


async def test_what_is_sent_is_what_was_written(engine: ProcessEngine) -> None:
    host = Silent()
    seen = await in_action(engine, _all_of([expression for expression, _ in CARRIED]), host=host)
    assert seen == [None] * len(CARRIED)
    assert [arguments for _, arguments in host.calls] == [[request] for _, request in CARRIED]


MEMBERS: Final[Mapping[str, Sequence[str]]] = {
    "getPrivateKey": ["pkpId"],
    "getSvcActionPublicKey": ["ipfsId"],
    "getSvcActionWalletAddress": ["ipfsId"],
    "Encrypt": ["pkpId", "message"],
    "Decrypt": ["pkpId", "ciphertext"],
    "signMessage": ["pkpId", "message"],
    "signTypedData": ["pkpId", "domain", "types", "value"],
    "signTransaction": ["pkpId", "transaction"],
}
"""Members that the functions take; getSvcActionPrivateKey takes none."""

EVERYWHERE: Final = """
const CHANGED = {
  undefined: undefined, function: () => 1, class: class {}, symbol: Symbol('s'), nan: NaN, above: Infinity, below: -Infinity,
  toJSON: { toJSON: () => 1 }, date: new Date(0), large: 2 ** 53, small: -(2 ** 53), larger: 1e300, fraction: 1.5, tiny: 5e-324,
};
const within = (levels, value) => { for (let i = 0; i < levels; i += 1) value = i % 2 ? [1, value] : { a: 1, b: value }; return value; };
const PLACED = {
  it: (value) => value,
  member: (value) => ({ a: 1, to: value }),
  item: (value) => [1, value],
  deep: (value) => within(15, value),
  deeper: (value) => within(60, value),
  inherited: (value) => Object.create({ to: value }),
  hidden: (value) => Object.defineProperty({ a: 1 }, 'to', { value }),
  computed: (value) => ({ get to() { return value; } }),
};
async function main({ called, names }) {
  const wrong = [];
  let count = 0;
  const attempt = async (name, kind, way, request) => {
    let said = 'was sent';
    try { await Svc.Actions[called](name === 'message' ? request : Object.assign(request, { message: 'm' })); } catch (e) { said = `${e.name}: ${e.message}`; }
    count += 1;
    if (!said.startsWith(`BadRequest: ${name}`)) wrong.push([name, kind, way, said]);
  };
  for (const name of names) for (const [kind, value] of Object.entries(CHANGED)) {
    for (const [place, placed] of Object.entries(PLACED)) await attempt(name, kind, place, { [name]: placed(value) });
    await attempt(name, kind, 'of a prototype', Object.create({ [name]: value }));
    await attempt(name, kind, 'of a class', new (class { get [name]() { return value; } })());
  }
  return [count, wrong];
}
"""


async def test_no_function_sends_a_changed_value_wherever_it_is(engine: ProcessEngine) -> None:
    host = Silent()
    for called, members in MEMBERS.items():
        names: list[JsonValue] = [*members]
        seen = await in_action(engine, EVERYWHERE, {"called": called, "names": names}, host=host)
        assert seen == [len(names) * 14 * (8 + 2), []], called
    assert host.calls == []


ODD_TEXTS: Final = [
    "\0",
    "\x1f",
    '"',
    "\\",
    "\u2028",
    "\ufeff",
    "é",
    "😀",
    "\uffff",
    "a",
    "__proto__",
    "constructor",
    "toString",
    "0",
    "12",
]


def _any_value(randoms: Random, levels: int) -> JsonValue:
    match randoms.randrange(6 if levels else 4):
        case 0:
            return randoms.choice([None, True, False])
        case 1:
            return randoms.choice([0, -1, randoms.randint(-INTEGER_MAX, INTEGER_MAX), INTEGER_MAX, -INTEGER_MAX])
        case 2 | 3:
            return "".join(randoms.choices(ODD_TEXTS, k=randoms.randrange(4)))
        case 4:
            return [_any_value(randoms, levels - 1) for _ in range(randoms.randrange(4))]
        case _:
            return {randoms.choice(ODD_TEXTS): _any_value(randoms, levels - 1) for _ in range(randoms.randrange(4))}


@pytest.mark.exhaustive
async def test_plain_data_arrives_as_it_is(engine: ProcessEngine) -> None:
    randoms, host = Random(30), Silent()
    values = [_any_value(randoms, 6) for _ in range(500)]
    code = "async function main({ values }) { for (const value of values) await Svc.Actions.signTypedData({ value }); }"
    await in_action(engine, code, {"values": values}, host=host)
    assert [arguments for _, arguments in host.calls] == [[{"value": value}] for value in values]


async def test_what_every_object_has_counts_as_given(engine: ProcessEngine) -> None:
    host = Silent()
    code = """async function main() {
      Object.prototype.pkpId = 7;
      await Svc.Actions.signMessage({ message: 'm' });
      Object.prototype.to = undefined;
      try { await Svc.Actions.signTransaction({ transaction: { data: '0x00' } }); } catch (e) { return e.message; }
    }"""
    assert "transaction.to is undefined" in str(await in_action(engine, code, host=host))
    assert [arguments for _, arguments in host.calls] == [[{"pkpId": 7, "message": {"text": "m"}}]]


async def test_a_value_that_is_another_at_each_look_is_looked_at_once(engine: ProcessEngine) -> None:
    """No code of the action runs between the check of a request and its text."""
    host = Silent()
    code = """async function main() {
      let looks = 0;
      const changing = { get to() { looks += 1; return looks === 1 ? '0x01' : undefined; } };
      const answering = new Proxy({ value: 1 }, { get: (from, name) => (name === 'value' ? (looks += 1) : from[name]) });
      await Svc.Actions.signTransaction({ transaction: changing });
      await Svc.Actions.signTransaction({ transaction: answering });
      const patient = { to: '0x02', value: 1 };
      let caught = 0;
      Object.defineProperty(Array.prototype, 0, { set(holder) { caught += 1; holder.to = '0x03'; }, configurable: true });
      await Svc.Actions.signTransaction({ transaction: patient });
      delete Array.prototype[0];
      return caught;
    }"""
    assert await in_action(engine, code, host=host) == 0
    assert [arguments for _, arguments in host.calls] == [
        [{"transaction": {"to": "0x01"}}],
        [{"transaction": {"value": 2}}],
        [{"transaction": {"to": "0x02", "value": 1}}],
    ]


async def test_a_replaced_language_changes_no_request(engine: ProcessEngine) -> None:
    host = Silent()
    code = """async function main() {
      BigInt.prototype.toJSON = function () { return '6'; };
      Object.defineProperty(Array.prototype, 0, { set() { throw new Error('set'); }, get() { return 'polluted'; }, configurable: true });
      Number.isSafeInteger = () => true;
      JSON.rawJSON = () => ({});
      let refused;
      try { await Svc.Actions.signTransaction({ transaction: { value: 2 ** 64 } }); } catch (e) { refused = e.name; }
      await Svc.Actions.signTransaction({ transaction: { value: 5n } });
      return refused;
    }"""
    assert await in_action(engine, code, host=host) == "BadRequest"
    assert [arguments for _, arguments in host.calls] == [[{"transaction": {"value": 5}}]]
