"""`Svc.Actions` against a real chain and keyring: keys, signatures and ciphertexts, and every way to be refused one."""

import asyncio
import json
from collections.abc import Mapping

import pytest
from eth_account import Account
from eth_account.messages import encode_typed_data
from pydantic import JsonValue

from node.engine.cid import cid_of_source
from node.settings.execution import ActionSettings
from node.values import hash_of_text
from tests.execution.bench import (
    FALSE_ADDRESS,
    IN_ANY,
    IN_ONE,
    MASTER,
    OTHER,
    SECOND_PATH,
    SIGN,
    Bench,
    World,
    bench_over,
    recovered,
)

pytestmark = pytest.mark.asyncio(loop_scope="module")

CALL = "async function main({ name, request }) { return Svc.Actions[name](request); }"


async def call(bench: Bench, function: str, caller: int = MASTER, **request: object) -> JsonValue:
    answer = await bench.run(caller, CALL, params_of(function, request))
    assert answer.error is None, answer
    return answer.response


def params_of(name: str, request: Mapping[str, object]) -> dict[str, JsonValue]:
    """As they come out of a request's body."""
    params: dict[str, JsonValue] = json.loads(json.dumps({"name": name, "request": request}))
    return params


async def failure(bench: Bench, function: str, caller: int = MASTER, **request: object) -> tuple[str, str]:
    answer = await bench.run(caller, CALL, params_of(function, request))
    assert answer.error is not None, answer
    assert answer.response is None
    return answer.error.name, answer.error.message


async def test_every_form_of_a_wallets_name_signs_as_that_wallet(bench: Bench) -> None:
    world = bench.world
    for pkp_id in (world.second, world.second.lower(), "0x" + world.second[2:].upper(), 1, "1"):
        assert recovered("hi", await call(bench, "signMessage", pkpId=pkp_id, message="hi")) == world.second
    for pkp_id in (0, "0", world.master):
        assert recovered("hi", await call(bench, "signMessage", pkpId=pkp_id, message="hi")) == world.master


async def test_the_private_key_is_the_wallets(bench: Bench) -> None:
    key = await call(bench, "getPrivateKey", pkpId=bench.world.second)
    assert Account.from_key(key).address == bench.world.second
    assert key == bench.world.keyring.wallet(MASTER, SECOND_PATH).reveal()


async def test_a_usage_key_uses_what_one_and_the_same_group_lists(bench: Bench) -> None:
    world = bench.world
    good = await bench.run(IN_ONE, SIGN, {"pkpId": world.second, "message": "m"})
    assert recovered("m", good.response) == world.second
    for pkp_id in (world.third, world.master):
        refused = await bench.run(IN_ONE, SIGN, {"pkpId": pkp_id, "message": "m"})
        assert refused.error is not None
        assert refused.error.name == "Forbidden"


async def test_a_wallet_is_used_as_of_the_block_that_the_request_names(bench: Bench) -> None:
    """Taken from the group through another node, of which no listener has told here yet."""
    world = bench.world
    params: dict[str, JsonValue] = {"pkpId": world.second, "message": "m"}
    assert (await bench.run(IN_ONE, SIGN, params)).error is None
    block = await world.chain.write("removePkpFromGroup", MASTER, 1, world.second)
    try:
        executed = await bench.service.run(await bench.order(IN_ONE, SIGN, params, min_block=block))
    finally:
        await bench.write("addPkpToGroup", 1, world.second)
    assert executed.authorised_at_block >= block
    assert executed.answer.error is not None
    assert executed.answer.error.name == "Forbidden"


async def test_every_group_does_not_lift_the_rule_and_the_wildcard_is_not_the_master_wallet(bench: Bench) -> None:
    world = bench.world
    # Group 2 lists every action and every wallet: the third matches by wildcards, the master wallet never does.
    third = await call(bench, "signMessage", IN_ANY, pkpId=world.third, message="m")
    assert recovered("m", third) == world.third
    assert (await failure(bench, "signMessage", IN_ANY, pkpId=0, message="m"))[0] == "Forbidden"
    await bench.write("removeGroup", 2)
    assert (await failure(bench, "signMessage", IN_ANY, pkpId=world.third, message="m"))[0] == "Forbidden"
    assert (await failure(bench, "getPrivateKey", IN_ANY, pkpId=world.second))[0] == "Forbidden"


@pytest.mark.parametrize("name", ["getPrivateKey", "signMessage", "Encrypt", "Decrypt"])
async def test_a_wallet_that_is_not_registered_gives_no_key(bench: Bench, name: str) -> None:
    request = {"message": "m"} if name in {"signMessage", "Encrypt"} else {}
    if name == "Decrypt":
        request = {"ciphertext": "0x00"}
    for pkp_id in ("0x" + "99" * 20, 99):
        assert (await failure(bench, name, MASTER, pkpId=pkp_id, **request))[0] == "NotFound"
    assert (await failure(bench, name, OTHER, pkpId=bench.world.second, **request))[0] == "NotFound"
    assert (await failure(bench, name, MASTER, pkpId=FALSE_ADDRESS, **request))[0] == "KeyUnavailable"


@pytest.mark.parametrize("pkp_id", [None, True, 1.5, -1, "", "second", "0x12", [1], {"id": 1}, "0x" + "00" * 20])
async def test_what_names_no_wallet_is_refused_and_never_the_actions_own_key(bench: Bench, pkp_id: JsonValue) -> None:
    assert (await failure(bench, "signMessage", pkpId=pkp_id, message="m"))[0] == "BadRequest"


async def test_a_permission_taken_away_ends_at_the_next_use(bench: Bench) -> None:
    world = bench.world
    code = """async function main({ pkpId }) {
      for (let made = 0; ; made += 1) {
        try { await Svc.Actions.signMessage({ pkpId, message: 'm' }); } catch (e) { return [made, e.name]; }
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
    }"""
    await world.chain.write("addActionToGroup", MASTER, 1, hash_of_text(cid_of_source(code)))
    running = asyncio.create_task(bench.run(IN_ONE, code, {"pkpId": world.second}))
    hits = "svc_authorisation_cache_hits_total"
    while not bench.registry.get_sample_value(hits, {"kind": "wallet"}):  # noqa: ASYNC110 - a count is what there is to watch
        await asyncio.sleep(0.01)
    await bench.write("removePkpFromGroup", 1, world.second)
    answer = await running
    assert isinstance(answer.response, list)
    assert answer.response[1] == "Forbidden"
    assert isinstance(answer.response[0], int)
    assert answer.response[0] >= 2


async def test_encryption_is_bound_to_the_wallet(bench: Bench) -> None:
    world = bench.world
    for message in ("", "a", "é🚀\0" * 100):
        sealed = await call(bench, "Encrypt", pkpId=world.second, message=message)
        assert isinstance(sealed, str)
        assert sealed.startswith("0x01")
        assert await call(bench, "Decrypt", pkpId=1, ciphertext=sealed) == message
        assert await call(bench, "Decrypt", pkpId=1, ciphertext=sealed[2:]) == message
        assert await call(bench, "Encrypt", pkpId=world.second, message=message) != sealed
        assert (await failure(bench, "Decrypt", pkpId=world.third, ciphertext=sealed))[0] == "DecryptionFailed"
        flipped = sealed[:-1] + ("0" if sealed[-1] != "0" else "1")
        for damaged in (flipped, sealed[:-2], "0x", "0x02" + sealed[4:]):
            assert (await failure(bench, "Decrypt", pkpId=world.second, ciphertext=damaged))[0] == "DecryptionFailed"


async def test_the_longest_message_that_is_encrypted_is_decrypted(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    longer = await call(bench, "Encrypt", pkpId=1, message="m" * 101)
    monkeypatch.setattr("node.execution.host_calls.ENCRYPT_BYTES_MAX", 100)
    sealed = await call(bench, "Encrypt", pkpId=1, message="m" * 100)
    assert await call(bench, "Decrypt", pkpId=1, ciphertext=sealed) == "m" * 100
    assert (await failure(bench, "Encrypt", pkpId=1, message="m" * 101))[0] == "BadRequest"
    assert (await failure(bench, "Decrypt", pkpId=1, ciphertext=longer))[1].startswith("The ciphertext is longer")


async def test_typed_data_and_transactions_recover_to_the_wallet(bench: Bench) -> None:
    world = bench.world
    domain = {"name": "Test", "version": "1", "chainId": 1}
    types = {"Mail": [{"name": "to", "type": "address"}, {"name": "amount", "type": "uint256"}]}
    value = {"to": world.third, "amount": "5"}
    signature = await call(bench, "signTypedData", pkpId=1, domain=domain, types=types, value=value)
    message = encode_typed_data(domain, types, {"to": world.third, "amount": 5})
    assert Account.recover_message(message, signature=str(signature)) == world.second
    transaction = {
        "nonce": 0,
        "gasLimit": 21000,
        "gasPrice": "1000000000",
        "to": world.third,
        "value": "1",
        "chainId": 1,
    }
    raw = await call(bench, "signTransaction", pkpId=1, transaction=transaction)
    assert Account.recover_transaction(str(raw)) == world.second


async def test_the_actions_own_identity(bench: Bench) -> None:
    code = """async function main({ cid }) {
      return { key: await Svc.Actions.getSvcActionPrivateKey(), signature: await Svc.Actions.signMessage({ message: 'me' }),
               address: await Svc.Actions.getSvcActionWalletAddress({ ipfsId: cid }), public: await Svc.Actions.getSvcActionPublicKey({ ipfsId: cid }) };
    }"""
    cid = cid_of_source(code)
    seen = (await bench.run(MASTER, code, {"cid": cid})).response
    assert isinstance(seen, dict)
    account = Account.from_key(seen["key"])
    assert seen["address"] == account.address == recovered("me", seen["signature"])
    public = str(seen["public"])
    assert public.startswith("0x04")
    assert len(public) == 132
    other = await call(bench, "getSvcActionWalletAddress", ipfsId=cid)
    assert other == account.address
    assert (await bench.run(OTHER, code, {"cid": cid})).response == seen


@pytest.mark.parametrize(
    ("name", "request_"),
    [
        ("getSvcActionPublicKey", {}),
        ("getSvcActionPublicKey", {"ipfsId": "0x" + "00" * 32}),
        ("getSvcActionPrivateKey", {"ipfsId": "Qm"}),
        ("signMessage", {"pkpId": 1}),
        ("signMessage", {"pkpId": 1, "message": 7}),
        ("signMessage", {"pkpId": 1, "message": {"bytes": "xyz"}}),
        ("signMessage", {"pkpId": 1, "message": {"bytes": "0x" + "ab" * 32}}),
        ("signMessage", {"pkpId": 1, "message": {"text": "m"}}),
        ("signMessage", {"pkpId": 1, "message": "m", "pkpid": 2}),
        ("signMessage", {"pkpId": 1, "message": "m" * (128 * 1024 + 1)}),
        ("signMessage", {"pkpId": 1, "message": "half \ud800 pair"}),
        ("signTypedData", {"pkpId": 1, "domain": {}, "types": {}, "value": {}}),
        ("signTypedData", {"pkpId": 1, "domain": {}, "types": [], "value": {}}),
        ("signTransaction", {"pkpId": 1, "transaction": {}}),
        ("signTransaction", {"pkpId": 1}),
        ("Encrypt", {"pkpId": 1}),
        ("Encrypt", {"pkpId": 1, "message": {"bytes": "0x6869"}}),
        ("Encrypt", {"pkpId": 1, "message": {"text": "hi"}}),
        ("Decrypt", {"pkpId": 1, "ciphertext": {"text": "0x00"}}),
        ("Encrypt", {"pkpId": 1, "message": "half \ud800 pair"}),
        ("Decrypt", {"pkpId": 1, "ciphertext": "not hex"}),
    ],
)
async def test_bad_requests_are_the_actions_own_errors(bench: Bench, name: str, request_: dict[str, object]) -> None:
    assert (await failure(bench, name, MASTER, **request_))[0] == "BadRequest"


async def test_a_field_that_is_not_known_is_refused_and_not_ignored(bench: Bench) -> None:
    """A misspelt one would be."""
    requests: list[tuple[str, dict[str, object]]] = [
        ("getPrivateKey", {"pkpId": 1, "pkpid": 2}),
        ("getSvcActionPrivateKey", {"pkpId": 1}),
        ("getSvcActionPublicKey", {"ipfsId": cid_of_source("x"), "ipfsid": 1}),
        ("Encrypt", {"pkpId": 1, "message": "m", "pkpid": 2}),
        ("Decrypt", {"pkpId": 1, "ciphertext": "0x", "pkpid": 2}),
        ("signTypedData", {"domain": {}, "types": {}, "value": {}, "pkpid": 2}),
        ("signTransaction", {"transaction": {}, "pkpid": 2}),
    ]
    for name, request in requests:
        kind, message = await failure(bench, name, MASTER, **request)
        assert (kind, "a field that is not known" in message) == ("BadRequest", True), name


UNSET = """async function main({ to, more, marked }) {
  const transaction = { chainId: 1, nonce: 0, gasLimit: 100000, gasPrice: '1000000000', to, value: '5', data: '0xa9059cbb' };
  const types = { M: [{ name: 'a', type: 'uint256' }] };
  const domain = { name: 'A', verifyingContract: more };
  const seen = [];
  for (const ask of [
    () => Svc.Actions.signMessage({ pkpId: more, message: 'm' }),
    () => Svc.Actions.signTransaction({ pkpId: 1, transaction: { ...transaction, to: more } }),
    () => Svc.Actions.signTransaction({ pkpId: 1, transaction: { ...transaction, value: more } }),
    () => Svc.Actions.signTransaction({ pkpId: 1, transaction: { ...transaction, value: 2 ** 64 } }),
    () => Svc.Actions.signTransaction({ pkpId: 1, transaction: { ...transaction, to: '' } }),
    () => Svc.Actions.signTypedData({ pkpId: 1, domain, types, value: { a: 1 } }),
    () => Svc.Actions.signTypedData({ pkpId: 1, domain: { chainId: 2 ** 60 }, types, value: { a: 1 } }),
    () => Svc.Actions.signTypedData({ pkpId: 1, domain: {}, types, value: { a: 2 ** 60 } }),
    () => Svc.Actions.signTypedData({ pkpId: 1, domain: {}, types: { M: [{ name: 'a', type: 'uint' }] }, value: { a: 1 } }),
    () => Svc.Actions.signTypedData({ pkpId: 1, domain: {}, types: { M: [{ name: 'a', type: 'string' }] }, value: { a: 5n } }),
    () => Svc.Actions.signTypedData({ pkpId: 1, domain: {}, types: { M: [{ name: 'a', type: 'string' }] }, value: { a: new Uint8Array([1]) } }),
    () => Svc.Actions.signTypedData({ pkpId: 1, domain: {}, types: { M: [{ name: 'a', type: 'bytes' }] }, value: { a: { '': '0x01' } } }),
    () => Svc.Actions.signTypedData({ pkpId: 1, domain: {}, types: { M: [{ name: 'a', type: 'bytes' }] }, value: { a: { bytes: '0x01' } } }),
    () => Svc.Actions.signMessage({ pkpId: 1, message: marked }),
    () => Svc.Actions.Encrypt({ pkpId: 1, message: marked }),
  ]) {
    try { seen.push(await ask()); } catch (e) { seen.push(e.name); }
  }
  return [seen, await Svc.Actions.signTransaction({ pkpId: 1, transaction: { ...transaction, to: null, value: 2n ** 64n } })];
}"""


async def test_what_was_not_written_is_not_signed(bench: Bench) -> None:
    """A variable that is not set, a number that is another one by now: each of these was a signature of something else."""
    answer = await bench.run(MASTER, UNSET, {"to": bench.world.third, "marked": {"bytes": "0x" + "ab" * 32}})
    assert isinstance(answer.response, list), answer
    seen, created = answer.response
    assert isinstance(seen, list)
    assert seen == ["BadRequest"] * len(seen)
    written = {"chainId": 1, "nonce": 0, "gas": 100_000, "gasPrice": 10**9, "value": 2**64, "data": "0xa9059cbb"}
    key = bench.world.keyring.wallet(MASTER, SECOND_PATH).reveal()
    assert created == Account.sign_transaction({**written, "to": b""}, key).raw_transaction.to_0x_hex()


async def test_bytes_in_typed_data_and_transactions_are_their_hex(bench: Bench) -> None:
    code = """async function main() {
      const raw = new Uint8Array([1, 255]), word = new Uint8Array(32).fill(7), types = { M: [{ name: 'a', type: 'bytes' }, { name: 'b', type: 'bytes32[]' }] };
      const transaction = (data, key) => ({ chainId: 1, nonce: 0, gas: 1, gasPrice: 1, to: null, data, accessList: [{ address: '0x' + '00'.repeat(20), storageKeys: [key] }] });
      const sign = async (a, b) => [
        await Svc.Actions.signTypedData({ domain: { salt: b }, types, value: { a, b: [b] } }),
        await Svc.Actions.signTransaction({ transaction: transaction(a, b) }),
      ];
      return [await sign(raw, word), await sign('0x01ff', '0x' + '07'.repeat(32))];
    }"""
    answer = await bench.run(MASTER, code)
    assert isinstance(answer.response, list), answer
    assert answer.response[0] == answer.response[1]


async def test_bytes_sign_as_bytes(bench: Bench) -> None:
    code = "const main = () => Svc.Actions.signMessage({ pkpId: 1, message: new Uint8Array([104, 105]) });"
    assert recovered("hi", (await bench.run(MASTER, code)).response) == bench.world.second
    assert recovered("0x6869", await call(bench, "signMessage", pkpId=1, message="0x6869")) == bench.world.second


async def test_key_operations_are_limited(world: World, bench: Bench) -> None:
    few = await bench_over(world, limits=ActionSettings(action_key_operations=3))
    code = """async function main({ times }) {
      for (let i = 0; i < times; i += 1) { try { await Svc.Actions.signMessage({ message: 'm' }); } catch {} }
      return times;
    }"""
    assert (await few.run(MASTER, code, {"times": 3})).response == 3
    stopped = await few.run(MASTER, code, {"times": 4})
    assert stopped.error is not None
    assert stopped.error.name == "ActionKeyLimit"
    assert await bench.spent_cents() == 0
    assert await few.spent_cents() == 2
