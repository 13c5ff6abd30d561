"""The actions of examples/actions, unchanged, over HTTP on a real node: with a usage key whose group lists code and wallet."""

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from devkit.local_chain import FUNDED_KEYS
from tests.e2e.account import Account, new_account
from tests.e2e.conftest import client_of
from tests.engine.egress.servers import Asked, Server, answer, server
from tests.execution.bench import recovered
from tests.support.client import Client
from tests.support.node import REPOSITORY, running_node

pytestmark = pytest.mark.asyncio(loop_scope="module")

FOLDER = REPOSITORY / "examples" / "actions"
CODE = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.js")}

DEPLOY = """async function main({ rpc, key, bytecode }) {
  const signer = new ethers.Wallet(key, new ethers.providers.JsonRpcProvider(rpc));
  return (await (await new ethers.ContractFactory([], bytecode, signer).deploy()).deployed()).address;
}"""
GIVE = """async function main({ rpc, to }) {
  await new ethers.providers.JsonRpcProvider(rpc).send('anvil_setBalance', [to, '0xde0b6b3a7640000']);
}"""
TOKEN = "0x60278060095f395ff3" + (
    "60003560e01c8063313ce56714601c5762" + "16e360" + "60005260206000f35b" + "6006" + "60005260206000f3"
)
"""A contract written by hand: 6 to `decimals()`, 1,500,000 to every other question."""


@dataclass(frozen=True)
class Stage:
    """A node, an account with a wallet, a key that may do no more than run the examples with it."""

    owner: Account
    user: Client
    wallet: str
    chain: str

    async def run(self, name: str, **params: Any) -> Any:
        """What the example answers to the usage key."""
        return (await self.outcome(self.user, CODE[name], params))["response"]

    async def set_up(self, code: str, **params: Any) -> Any:
        """What other code answers to the account's own key."""
        return (await self.outcome(self.owner.client, code, {"rpc": self.chain} | params))["response"]

    async def outcome(self, client: Client, code: str, params: Any) -> Any:
        body = {"code": code, "js_params": params}
        answered = (await asyncio.to_thread(client.post, "svc_action", body)).ok()
        assert not answered["has_error"], answered
        return answered


def stage_of(owner: Account, chain: str) -> Stage:
    hashed = [owner.action(code)[1] for code in CODE.values()]
    wallet = owner.wallet()
    group = owner.group(cid_hashes_permitted=hashed, pkp_ids_permitted=[wallet])
    return Stage(owner, owner.usage_key(execute_in_groups=[int(group)]), wallet, chain)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    with running_node(tmp_path_factory.mktemp("node"), {"SVC_EGRESS_ALLOW_LOOPBACK": "1"}) as node:
        owner = await asyncio.to_thread(new_account, client_of(node))
        yield await asyncio.to_thread(stage_of, owner, node.log_value("chain"))


@pytest_asyncio.fixture(loop_scope="module")
async def origin() -> AsyncIterator[Server]:
    async with server() as running:
        yield running


async def test_every_example_is_listed_and_says_what_it_takes() -> None:
    listed = set(re.findall(r"\]\((\S+\.js)\)", (FOLDER / "README.md").read_text()))
    assert listed == set(CODE)
    tests = Path(__file__).read_text()
    for name, code in CODE.items():
        assert code.split("\n")[1].startswith("// js_params: {"), name
        assert f'"{name}"' in tests, f"{name} is run by no test"


@pytest.mark.parametrize("name", ["sign.js", "sign-outside.js"])
async def test_signing(stage: Stage, name: str) -> None:
    got = await stage.run(name, pkpId=stage.wallet, message="hellö")
    assert got["signer"] == recovered("hellö", got["signature"]) == stage.wallet


async def test_a_secret_comes_back_and_only_to_those_who_may(stage: Stage) -> None:
    ciphertext = (await stage.run("encrypt.js", pkpId=stage.wallet, secret="s3cret"))["ciphertext"]
    assert "s3cret" not in bytes.fromhex(ciphertext.removeprefix("0x")).decode("latin-1")
    assert await stage.run("decrypt.js", pkpId=stage.wallet, ciphertext=ciphertext) == {"secret": "s3cret"}
    changed = CODE["decrypt.js"] + "\n"
    body = {"code": changed, "js_params": {"pkpId": stage.wallet, "ciphertext": ciphertext}}
    (await asyncio.to_thread(stage.user.post, "svc_action", body)).refused(403, "forbidden")


async def test_a_signed_price(stage: Stage, origin: Server) -> None:
    origin.by_path["/price"] = answer(b'{"price": 3123.45}', "Content-Type: application/json")
    got = await stage.run("signed-price.js", pkpId=stage.wallet, url=origin.url("/price"), pair="ETH/USD")
    assert origin.asked[0].headers["accept"] == "application/json"
    check = """({ payload, signature }) => [
      ethers.utils.verifyMessage(ethers.utils.arrayify(ethers.utils.keccak256(payload)), signature),
      ...ethers.utils.defaultAbiCoder.decode(['string', 'uint256', 'uint256'], payload).map(String)]"""
    checked = await stage.set_up(f"const main = {check};", **got)
    assert checked == [stage.wallet, "ETH/USD", "312345000000", str(got["at"])]
    origin.by_path["/price"] = answer(b"", status="500 Broken")
    broken = await stage.run("signed-price.js", pkpId=stage.wallet, url=origin.url("/price"), pair="ETH/USD")
    assert broken == {"error": "the server answered 500"}


async def test_a_gate_asks_with_a_secret(stage: Stage, origin: Server) -> None:
    async def members(asked: Asked, writer: asyncio.StreamWriter) -> None:
        known = asked.headers["x-api-key"] == "k3y" and asked.path == "/members?team=a&member=zo%C3%AB"
        writer.write(answer(b'{"active": true}' if known else b'{"active": false}'))

    origin.by_path["/members"] = members
    key = (await stage.run("encrypt.js", pkpId=stage.wallet, secret="k3y"))["ciphertext"]
    params = {"pkpId": stage.wallet, "encryptedApiKey": key, "message": "let in", "url": origin.url("/members?team=a")}
    got = await stage.run("gate.js", member="zoë", **params)
    assert recovered("let in", got["signature"]) == stage.wallet
    assert await stage.run("gate.js", member="max", **params) == {"signed": False, "reason": "max is no active member"}
    origin.by_path["/members"] = answer(b"not json")
    outcome = await stage.outcome(stage.user, CODE["gate.js"], params | {"member": "zoë"})
    assert outcome["response"]["signed"] is False
    assert "SyntaxError" in outcome["logs"]
    assert "k3y" not in str(outcome)


async def test_reading_a_contract(stage: Stage) -> None:
    token = await stage.set_up(DEPLOY, key=FUNDED_KEYS[1], bytecode=TOKEN)
    got = await stage.run("read-contract.js", pkpId=stage.wallet, rpcUrl=stage.chain, token=token, holder=stage.wallet)
    assert got["statement"] == f"{stage.wallet} holds 1.5 of {token} on chain 31337"
    assert recovered(got["statement"], got["signature"]) == stage.wallet


async def test_sending_a_transaction(stage: Stage) -> None:
    await stage.set_up(GIVE, to=stage.wallet)
    to = "0x" + "5e" * 20
    got = await stage.run("send-transaction.js", pkpId=stage.wallet, rpcUrl=stage.chain, to=to, amount="0.25")
    assert (got["from"], got["status"]) == (stage.wallet, 1)
    look = """async ({ rpc, hash }) => {
      const sent = await new ethers.providers.JsonRpcProvider(rpc).getTransaction(hash);
      return [sent.from, sent.to.toLowerCase(), ethers.utils.formatEther(sent.value), sent.blockNumber];
    }"""
    seen = await stage.set_up(f"const main = {look};", hash=got["hash"])
    assert seen == [stage.wallet, to, "0.25", got["block"]]


async def test_signing_a_transaction(stage: Stage) -> None:
    to, wanted = "0x" + "5e" * 20, {"amount": "0.25", "nonce": 3, "chainId": 31337}
    got = await stage.run("sign-transaction.js", pkpId=stage.wallet, to=to, **wanted)
    read = """({ raw }) => {
      const { from, to, value, nonce, chainId, hash } = ethers.utils.parseTransaction(raw);
      return [from, to.toLowerCase(), ethers.utils.formatEther(value), nonce, chainId, hash];
    }"""
    seen = await stage.set_up(f"const main = {read};", raw=got["raw"])
    assert seen == [got["from"], to, "0.25", 3, 31337, got["hash"]]
    assert got["from"] == stage.wallet


async def test_an_action_signs_as_itself(stage: Stage) -> None:
    got = await stage.run("action-identity.js", count=42)
    cid = (await asyncio.to_thread(stage.user.post, "get_svc_action_ipfs_id", CODE["action-identity.js"])).ok()
    told = await stage.run("action-address.js", ipfsId=cid)
    assert recovered("42 is even", got["signature"]) == got["signer"] == told["address"]
    body = {"code": CODE["action-identity.js"], "js_params": {"count": 41}}
    refused = (await asyncio.to_thread(stage.user.post, "svc_action", body)).ok()
    assert refused["error"]["name"] == "RangeError"
    assert "action.js:4:" in refused["error"]["stack"]
