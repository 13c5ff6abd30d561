"""AES goes through OpenSSL in parts: no border between two parts shows, and what was begun is forgotten."""

import pytest

from node.engine.process_engine import ProcessEngine
from node.engine.worker import natives
from node.engine.worker.openssl import AesStream
from tests.engine.language.twin import differences, in_action
from tests.engine.natives import at_once

pytestmark = pytest.mark.asyncio(loop_scope="module")

PART = 32_768
SIZES = [0, 1, 15, 16, PART - 1, PART, PART + 1, 2 * PART, 100_003]
WHOLE = """
const hex = async (b) => Array.from(new Uint8Array(await crypto.subtle.digest('SHA-256', b)), (x) => x.toString(16)).join();
const made = (n, seed) => Uint8Array.from({ length: n }, (_, i) => (i * 7 + seed * 13 + (i >> 8)) & 255);
async function main({ sizes }) {
  const seen = [];
  const block = (tail) => Uint8Array.from([...new Array(8).fill(255), ...tail]);
  for (const n of sizes) for (const algorithm of [
    { name: 'AES-GCM', iv: made(12, 1), additionalData: made(n, 2) }, { name: 'AES-GCM', iv: made(128, 1), tagLength: 96 },
    { name: 'AES-CBC', iv: made(16, 3) },
    { name: 'AES-CTR', counter: block([255, 255, 255, 255, 255, 255, 255, 0]), length: 64 },
    { name: 'AES-CTR', counter: block([0, 0, 0, 0, 0, 0, 247, 255]), length: 16 },
    { name: 'AES-CTR', counter: block([255, 255, 255, 255, 255, 255, 255, 255]), length: 128 },
  ]) {
    const key = await crypto.subtle.importKey('raw', made(32, 4), algorithm.name, false, ['encrypt', 'decrypt']);
    const data = made(n, 5), sealed = await crypto.subtle.encrypt(algorithm, key, data);
    const opened = await crypto.subtle.decrypt(algorithm, key, sealed);
    seen.push([n, sealed.byteLength, await hex(sealed), await hex(opened) === await hex(data)]);
    if (algorithm.name === 'AES-GCM') {
      const spoiled = new Uint8Array(sealed.slice(0)); spoiled[n >> 1] ^= 1;
      seen.push(await crypto.subtle.decrypt(algorithm, key, spoiled).catch((e) => e.name));
    }
  }
  return seen;
}"""


async def test_data_of_many_parts_is_as_in_node(engine: ProcessEngine) -> None:
    assert await differences(engine, WHOLE, {"sizes": [*SIZES]}) == []


@pytest.mark.parametrize("length", [1, 7, 129, 1_000_000])
async def test_an_iv_that_openssl_does_not_take_is_refused_as_in_node(engine: ProcessEngine, length: int) -> None:
    code = """async function main({ length }) {
      const key = await crypto.subtle.importKey('raw', new Uint8Array(16), 'AES-GCM', false, ['encrypt']);
      return [await crypto.subtle.encrypt({ name: 'AES-GCM', iv: new Uint8Array(length) }, key, new Uint8Array(1)).catch((e) => e.name)];
    }"""
    assert await in_action(engine, code, {"length": length}) == ["OperationError"]
    assert await differences(engine, code, {"length": length}) == []


@pytest.mark.parametrize("bits", [1, 4, 8])
async def test_data_longer_than_the_counter_counts_is_refused_as_in_node(engine: ProcessEngine, bits: int) -> None:
    """A counter used twice makes two blocks under one key stream, of which the difference then tells both."""
    code = """async function main({ bits, size }) {
      const key = await crypto.subtle.importKey('raw', new Uint8Array(16), 'AES-CTR', false, ['encrypt']);
      const algorithm = { name: 'AES-CTR', counter: new Uint8Array(16), length: bits };
      const told = (n) => crypto.subtle.encrypt(algorithm, key, new Uint8Array(n)).then((b) => b.byteLength, (e) => e.name);
      return [await told(size), await told(size + 1)];
    }"""
    size = 16 * 2**bits
    assert await in_action(engine, code, {"bits": bits, "size": size}) == [size, "OperationError"]
    assert await differences(engine, code, {"bits": bits, "size": size}) == []


ENCRYPT, DECRYPT = ("encrypt", "GCM", "00" * 16, "00" * 12, "0"), ("decrypt", "GCM", "00" * 16, "00" * 12, "0")
REFUSED = {
    "nothing was begun": [("aesUpdate", "00")],
    "nothing was begun, additional data": [("aesAdditional", "00")],
    "nothing was begun, an end": [("aesFinish", "")],
    "it has ended": [("aesBegin", *ENCRYPT), ("aesFinish", ""), ("aesUpdate", "00")],
    "a begin that failed": [("aesBegin", *ENCRYPT), ("aesBegin", "encrypt", "XTS", "", "", "0"), ("aesUpdate", "00")],
    "a key of no length": [("aesBegin", "encrypt", "GCM", "00" * 15, "00" * 12, "0")],
    "a counter of no bits": [("aesBegin", "encrypt", "CTR", "00" * 16, "00" * 16, "0")],
    "a counter of too many bits": [("aesBegin", "encrypt", "CTR", "00" * 16, "00" * 16, "9" * 4000)],
    "no additional data in this mode": [("aesBegin", "encrypt", "CBC", "00" * 16, "00" * 16, "0"), ("aesAdditional", "00")],
    "additional data after data": [("aesBegin", *ENCRYPT), ("aesUpdate", "00"), ("aesAdditional", "00")],
    "a tag that does not fit": [("aesBegin", *DECRYPT), ("aesUpdate", "00"), ("aesFinish", "00" * 16)],
    "no tag": [("aesBegin", *DECRYPT), ("aesUpdate", "00"), ("aesFinish", "")],
    "a tag of three bytes": [("aesBegin", *DECRYPT), ("aesUpdate", "00"), ("aesFinish", "000000")],
    "padding that is none": [("aesBegin", "decrypt", "CBC", "00" * 16, "00" * 16, "0"), ("aesUpdate", "00" * 16), ("aesFinish", "")],
    "part of a block": [("aesBegin", "decrypt", "CBC", "00" * 16, "00" * 16, "0"), ("aesUpdate", "00" * 15), ("aesFinish", "")],
    "no hex": [("aesBegin", *ENCRYPT), ("aesUpdate", "zz")],
    "too few arguments": [("aesBegin", "encrypt")],
}  # fmt: skip


@pytest.mark.parametrize("calls", REFUSED.values(), ids=REFUSED)
async def test_a_call_out_of_order_is_refused(calls: list[tuple[str, ...]]) -> None:
    stream = AesStream()
    functions = {name: at_once(function) for name, function in natives.crypto_functions(lambda: stream).items()}
    answers = [functions[name](*arguments) for name, *arguments in calls]
    assert answers[-1] == ""


async def test_what_was_begun_is_forgotten() -> None:
    stream = AesStream()
    assert stream.begin(*ENCRYPT) == "ready"
    stream.clear()
    with pytest.raises(ValueError, match="nothing was begun"):
        stream.update("00")


async def test_equal_is_told_without_a_word_about_where() -> None:
    equal = at_once(natives.crypto_functions(AesStream)["subtleEqual"])
    assert [equal("00ff", "00ff"), equal("00ff", "00fe"), equal("00ff", "00"), equal("", "")] == [
        *("equal", "different", "different", "equal")
    ]
