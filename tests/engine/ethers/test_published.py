"""Actions as they are published in this field, through the whole of a run: authorised keys, outbound requests, a chain."""

import pytest
from eth_utils.address import to_checksum_address
from pydantic import JsonValue

from node.engine.cid import cid_of_source
from node.engine.egress.egress import Egress
from node.engine.egress.targets import AddressPolicy
from tests.engine.egress.servers import answer, server
from tests.execution.bench import MASTER, Bench, World, bench_over, recovered
from tests.execution.conftest import world

__all__ = ["world"]

pytestmark = pytest.mark.asyncio(loop_scope="module")

SIGN = """async function main({ pkpId, message }) {
  const wallet = new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId }));
  const signature = await wallet.signMessage(message);
  return { message, signature, signer: wallet.address };
}"""

SAME_AS_OUTSIDE = """async function main({ pkpId, message, domain, types, value, transaction }) {
  const key = await Svc.Actions.getPrivateKey({ pkpId });
  const five = new ethers.Wallet(key);
  const six = new ethers6.Wallet(key);
  return [
    [await five.signMessage(message), await six.signMessage(message), await Svc.Actions.signMessage({ pkpId, message })],
    [await five._signTypedData(domain, types, value), await six.signTypedData(domain, types, value),
      await Svc.Actions.signTypedData({ pkpId, domain, types, value })],
    [await five.signTransaction(transaction), await six.signTransaction(transaction),
      await Svc.Actions.signTransaction({ pkpId, transaction })],
  ];
}"""

ENCRYPT = """async function main({ pkpId, message }) {
  const ciphertext = await Svc.Actions.Encrypt({ pkpId, message });
  return { ciphertext, again: await Svc.Actions.Decrypt({ pkpId, ciphertext }) };
}"""

SIGNED_PRICE = """async function main({ pkpId, url }) {
  const { price } = await fetch(url).then((response) => response.json());
  const payload = ethers.utils.defaultAbiCoder.encode(['string', 'uint256'], ['ETH', ethers.utils.parseUnits(price, 8)]);
  const wallet = new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId }));
  const signature = await wallet.signMessage(ethers.utils.arrayify(ethers.utils.keccak256(payload)));
  return { price, payload, signature };
}"""

GATE = """const main = async ({ pkpId, url, ciphertext }) => {
  const response = await fetch(url);
  if (!response.ok) return { error: 'no answer' };
  const { member } = await response.json();
  return member ? { secret: await Svc.Actions.Decrypt({ pkpId, ciphertext }) } : { error: 'not a member' };
};"""

READ = """async function main({ rpc, contract }) {
  const provider = new ethers.providers.JsonRpcProvider(rpc);
  const read = new ethers.Contract(contract, ['function owner() view returns (address)'], provider);
  return { owner: await read.owner(), chain: (await provider.getNetwork()).chainId };
}"""

SEND = """async function main({ pkpId, rpc, to }) {
  const provider = new ethers.providers.JsonRpcProvider(rpc);
  const wallet = new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId }), provider);
  const sent = await wallet.sendTransaction({ to, value: ethers.utils.parseEther('0.1') });
  const { status, from } = await sent.wait();
  return { status, from, balance: ethers.utils.formatEther(await provider.getBalance(to)) };
}"""

POPULATED = """async function main({ pkpId, rpc }) {
  const provider = new ethers.providers.JsonRpcProvider(rpc);
  const transaction = await new ethers.VoidSigner(pkpId, provider).populateTransaction({ to: pkpId, value: ethers.utils.parseEther('0.1'), data: new Uint8Array([3, 4]) });
  const raw = await Svc.Actions.signTransaction({ pkpId, transaction });
  const { status } = await (await provider.sendTransaction(raw)).wait();
  const types = { Order: [{ name: 'amounts', type: 'int256[]' }, { name: 'note', type: 'bytes' }, { name: 'id', type: 'bytes32' }] };
  const value = { amounts: [0, -5, '1000000000000000000000'].map((amount) => ethers.BigNumber.from(amount)), note: new Uint8Array([1, 2]), id: ethers.utils.randomBytes(32) };
  const domain = { chainId: ethers.BigNumber.from(31337) };
  const signature = await Svc.Actions.signTypedData({ pkpId, domain, types, value });
  return { status, signer: ethers.utils.verifyTypedData(domain, types, value, signature) };
}"""

LIKE_A_NUMBER = """async function main({ pkpId }) {
  const types = { Kind: [{ name: 'type', type: 'string' }, { name: 'hex', type: 'string' }], Of: [{ name: 'kind', type: 'Kind' }] };
  const value = { kind: { type: 'BigNumber', hex: 'zz' } };
  const signature = await Svc.Actions.signTypedData({ pkpId, domain: {}, types, value });
  return { signer: ethers.utils.verifyTypedData({}, types, value, signature) };
}"""

IDENTITY = """async function main({ message }) {
  const wallet = new ethers.Wallet(await Svc.Actions.getSvcActionPrivateKey());
  return { address: wallet.address, signature: await wallet.signMessage(message) };
}"""


async def bench_of(shared: World) -> Bench:
    return await bench_over(shared, egress=Egress(policy=AddressPolicy(allow_loopback=True)))


async def answered(bench: Bench, code: str, **params: JsonValue) -> dict[str, JsonValue]:
    got = await bench.run(MASTER, code, params)
    assert isinstance(got.response, dict), got
    return got.response


async def test_sign(world: World) -> None:
    got = await answered(await bench_of(world), SIGN, pkpId=world.second, message="hello")
    assert got["signer"] == recovered("hello", got["signature"]) == world.second


async def test_what_is_signed_inside_and_outside_is_the_same(world: World) -> None:
    transaction: JsonValue = {
        "to": world.third,
        "nonce": 3,
        "gasLimit": 21_000,
        "value": "1000000000000000000",
        "chainId": 31337,
        "type": 2,
        "maxFeePerGas": "2000000000",
        "maxPriorityFeePerGas": "1000000000",
    }
    params: dict[str, JsonValue] = {
        "domain": {"name": "Mail", "chainId": 1, "verifyingContract": world.third},
        "types": {"Mail": [{"name": "to", "type": "address[]"}, {"name": "text", "type": "string"}]},
        "value": {"to": [world.second, world.third], "text": "é"},
    }
    got = await (await bench_of(world)).run(
        MASTER, SAME_AS_OUTSIDE, {"pkpId": world.second, "message": "é🚀", "transaction": transaction} | params
    )
    assert isinstance(got.response, list), got
    for signatures in got.response:
        assert isinstance(signatures, list)
        assert signatures == [signatures[0]] * 3


async def test_encrypt_and_decrypt(world: World) -> None:
    got = await answered(await bench_of(world), ENCRYPT, pkpId=world.second, message="a secret")
    assert got["again"] == "a secret"
    assert "a secret" not in str(got["ciphertext"])


async def test_bytes_are_encrypted_as_no_text(world: World) -> None:
    code = "async function main({ pkpId }) { return Svc.Actions.Encrypt({ pkpId, message: new Uint8Array([1]) }); }"
    got = await (await bench_of(world)).run(MASTER, code, {"pkpId": world.second})
    assert got.error is not None
    assert (got.error.name, got.error.message) == ("BadRequest", "message must be a string.")


async def test_a_signed_price(world: World) -> None:
    async with server() as origin:
        origin.by_path["/"] = answer(b'{"price": "3123.45"}')
        got = await answered(await bench_of(world), SIGNED_PRICE, pkpId=world.second, url=origin.url())
    verify = "const main = ({ payload, signature }) => ethers.utils.verifyMessage(ethers.utils.arrayify(ethers.utils.keccak256(payload)), signature);"
    checked = await (await bench_of(world)).run(MASTER, verify, got)
    assert checked.response == world.second
    assert str(got["payload"])[2 + 64 : 2 + 128] == f"{312_345_000_000:064x}"


async def test_a_gate_on_http_data(world: World) -> None:
    bench = await bench_of(world)
    secret = await answered(bench, ENCRYPT, pkpId=world.second, message="for members")
    async with server() as origin:
        asked: dict[str, JsonValue] = {"pkpId": world.second, "ciphertext": secret["ciphertext"], "url": origin.url()}
        origin.by_path["/"] = answer(b'{"member": false}')
        assert await answered(bench, GATE, **asked) == {"error": "not a member"}
        origin.by_path["/"] = answer(b'{"member": true}')
        assert await answered(bench, GATE, **asked) == {"secret": "for members"}


async def test_read_a_contract(world: World) -> None:
    chain = world.chain
    got = await answered(await bench_of(world), READ, rpc=chain.url, contract=chain.contract.address)
    assert got == {"owner": to_checksum_address(chain.owner), "chain": 31337}


async def test_send_a_transaction(world: World) -> None:
    to = "0x" + "5e" * 20
    await world.chain.rpc.ask("anvil_setBalance", world.second, hex(10**18))
    got = await answered(await bench_of(world), SEND, pkpId=world.second, rpc=world.chain.url, to=to)
    assert got == {"status": 1, "from": world.second, "balance": "0.1"}


async def test_what_ethers_populates_is_signed_outside(world: World) -> None:
    await world.chain.rpc.ask("anvil_setBalance", world.second, hex(10**18))
    got = await answered(await bench_of(world), POPULATED, pkpId=world.second, rpc=world.chain.url)
    assert got == {"status": 1, "signer": world.second}


async def test_a_struct_that_resembles_a_number_is_signed_as_it_is(world: World) -> None:
    assert await answered(await bench_of(world), LIKE_A_NUMBER, pkpId=world.second) == {"signer": world.second}


async def test_sign_as_the_action_itself(world: World) -> None:
    bench = await bench_of(world)
    got = await answered(bench, IDENTITY, message="it was me")
    assert recovered("it was me", got["signature"]) == got["address"]
    ask = "async function main({ ipfsId }) { return Svc.Actions.getSvcActionWalletAddress({ ipfsId }); }"
    told = await bench.run(MASTER, ask, {"ipfsId": cid_of_source(IDENTITY)})
    assert told.response == got["address"]
