"""Transactions of a wallet, on a real chain: what is sent, what is not, and what becomes of it."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from devkit.local_chain import LocalChainOptions, local_chain
from node.chain.contract.artifacts import published_identity
from node.values import hash_of_address
from tests.support.contract import Contract, Rpc, address_of, deploy
from tests.support.dashboard import SESSION
from tests.support.envelopes import Eoa
from tests.support.javascript import ran_javascript
from tests.support.node import REPOSITORY

pytestmark = pytest.mark.asyncio(loop_scope="module")
DELAY_S = 86_400


@dataclass
class Chain:
    """A chain with the account contract, and the folder of the page's modules."""

    url: str
    rpc: Rpc
    contract: Contract
    attested: dict[str, Any]
    modules: Path

    async def run(self, label: str, script: str, **more: object) -> Any:
        """Returns what a script prints about the session of a fresh wallet."""
        admin = Eoa.of(label)
        await self.rpc.ask("anvil_setBalance", admin.address, hex(10**20))
        packages = str(REPOSITORY / "node_modules")
        values = {"packages": packages, "key": admin.key, "chain": self.url, "attested": self.attested} | more
        return await asyncio.to_thread(ran_javascript, SESSION + script, values, self.modules)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chain(modules: Path) -> AsyncIterator[Chain]:
    async with local_chain(LocalChainOptions()) as local, aiohttp.ClientSession() as session:
        rpc = Rpc(session, local.url)
        owner = (await rpc.ask("eth_accounts"))[0]
        contract = await deploy(rpc, owner, owner, address_of("admin payer"), DELAY_S)
        identity = published_identity()
        attested = {
            "address": contract.address,
            "chain_id": 31337,
            "code_hash": identity.code_hash,
            "owner_change_delay_s": DELAY_S,
            "views_code_hash": identity.views_code_hash,
            "views_module": await contract.call("viewsModule"),
        }
        yield Chain(local.url, rpc, contract, attested, modules)


async def test_it_is_previewed_sent_and_followed_until_it_is_confirmed(chain: Chain) -> None:
    script = """
const asked = [];
const request = provider.request.bind(provider);
provider.request = (call) => (call.method === "eth_sendTransaction" && asked.push(...call.params), request(call));
const receipt = await send("newChainSecuredAccount", "mine", "");
await chain("evm_mine");
await until((each) => each.isFinal);
const [last] = transactions.list();
console.log(JSON.stringify({ states, preview: previews[0], last, receipt, sent: sent(), asked }));
"""
    found = await chain.run("opens", script)
    assert found["states"] == ["checking", "asking", "pending", "included", "confirmed"]
    assert found["sent"] == 1
    # The chain too: the wallet may show another one by the time at which its owner agrees.
    (asked,) = found["asked"]
    assert (asked["from"], asked["to"], asked["value"], asked["chainId"]) == (
        Eoa.of("opens").address,
        chain.contract.address,
        "0x0",
        "0x7a69",
    )
    preview = found["preview"]
    assert preview["title"] == "Open a ChainSecured account"
    assert preview["lines"] == [{"label": "Name", "value": "“mine”"}, {"label": "Description", "value": "(empty)"}]
    assert preview["call"] == "newChainSecuredAccount(string,string)"
    assert (preview["to"], preview["from"], preview["chainId"]) == (
        chain.contract.address,
        Eoa.of("opens").address,
        31337,
    )
    assert "is the code that the node's attestation states" in preview["checked"]
    assert found["last"]["hash"] == found["receipt"]["transactionHash"]
    assert found["last"]["confirmations"] == 2
    shown = await chain.contract.call("getAccount", hash_of_address(Eoa.of("opens").address))
    assert shown["adminWallet"] == Eoa.of("opens").address


async def test_one_that_still_waits_is_kept_however_many_come_after_it(chain: Chain) -> None:
    script = """
await chain("evm_setAutomine", false);
const waiting = attempt(send("newChainSecuredAccount", "mine", ""));
await until((each) => each.state === "pending");
provider.declines.add("eth_chainId");
for (let i = 0; i < 250; i += 1) await attempt(send("newChainSecuredAccount", "refused", ""));
const kept = transactions.list();
await chain("evm_setAutomine", true);
await chain("anvil_mine", "0x3");
console.log(JSON.stringify([kept.length, kept.filter((each) => !each.isFinal).length, await waiting]));
"""
    assert await chain.run("waits", script) == [200, 1, "done"]


OPEN = "const said = await attempt(send('newChainSecuredAccount', 'x', ''));"
NOT_SENT = {
    "a call that would fail": (
        "const said = await attempt(send('addGroup', 77n, 'x', '', [], []));",
        "refused",
        "WalletError refused: The contract has no such account. Open it first.",
    ),
    "another wallet's account": (
        "const said = await attempt(send('removeGroup', BigInt(given.master), 1n));",
        "refused",
        "is not the administrator of this account.",
    ),
    "the reader says no": (
        "onPreview = async () => false;" + OPEN,
        "declined",
        "WalletError declined: You declined. Nothing was sent.",
    ),
    "another chain": (
        "provider.chainId = '0x1';" + OPEN,
        "refused",
        "WalletError chain: The wallet is on chain 1, and the node's is 31337.",
    ),
    "another chain once it was previewed": (
        "onPreview = async () => { provider.chainId = '0x1'; provider.emit('chainChanged', '0x1'); return true; };"
        + OPEN,
        "refused",
        "WalletError chain: The wallet is on chain 1",
    ),
    "another account once it was previewed, with an event": (
        "onPreview = async () => { provider.emit('accountsChanged', [given.other]); return true; };" + OPEN,
        "refused",
        "WalletError account: The wallet no longer shows the account",
    ),
    "another account before its own once it was previewed": (
        "onPreview = async () => { provider.accounts = [given.other, wallet.address]; return true; };" + OPEN,
        "refused",
        "WalletError account: The wallet no longer shows the account",
    ),
    "another account once it was previewed, without one": (
        "onPreview = async () => { provider.accounts = [given.other]; return true; };" + OPEN,
        "refused",
        "WalletError account: The wallet no longer shows the account",
    ),
    "the wallet was locked": (
        "onPreview = async () => { provider.accounts = []; return true; };" + OPEN,
        "refused",
        "WalletError account: The wallet no longer shows the account",
    ),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("case", NOT_SENT)
async def test_nothing_is_sent(chain: Chain, case: str) -> None:
    script, state, reason = NOT_SENT[case]
    opener = Eoa.of("has an account").address
    await chain.rpc.ask("anvil_impersonateAccount", opener)
    await chain.rpc.ask("anvil_setBalance", opener, hex(10**20))
    if not await chain.contract.call("masterOfWallet", opener):
        await chain.contract.send(opener, "newChainSecuredAccount", "theirs", "")
    more = {"master": str(hash_of_address(opener)), "other": address_of("another account")}
    script += "console.log(JSON.stringify({ said, sent: sent(), last: transactions.list()[0] }));"
    found = await chain.run(f"sends nothing: {case}", script, **more)
    assert reason in found["said"]
    assert found["sent"] == 0
    assert (found["last"]["state"], found["last"]["hash"]) == (state, None)
    assert found["last"]["note"]


@pytest.mark.exhaustive
async def test_the_wallet_s_owner_may_decline(chain: Chain) -> None:
    script = """
provider.declines.add("eth_sendTransaction");
const said = await attempt(send("newChainSecuredAccount", "x", ""));
console.log(JSON.stringify({ said, state: transactions.list()[0].state }));
"""
    found = await chain.run("declines", script)
    assert found == {
        "said": "WalletError declined: You declined in the wallet. Nothing was sent or signed.",
        "state": "declined",
    }


FAULTS_AFTER_SENDING = {
    "an answer that is no hash": "const answered = async (sent) => (await sent, '0x12');",
    "no answer of its provider": "const answered = async (sent) => { await sent; throw { code: -32603, message: 'timeout' }; };",
    "no connection": "const answered = async (sent) => { await sent; throw { code: 4900, message: 'disconnected' }; };",
}


@pytest.mark.parametrize("fault", FAULTS_AFTER_SENDING)
async def test_a_wallet_that_fails_after_it_has_sent_is_not_said_to_have_sent_nothing(chain: Chain, fault: str) -> None:
    script = (
        FAULTS_AFTER_SENDING[fault]
        + """
const request = provider.request.bind(provider);
provider.request = (call) => (call.method === "eth_sendTransaction" ? answered(request(call)) : request(call));
const said = await attempt(send("newChainSecuredAccount", "x", ""));
const { state, note } = transactions.list()[0];
console.log(JSON.stringify({ said, state, note }));
"""
    )
    label = f"fails after sending: {fault}"
    found = await chain.run(label, script)
    assert await chain.rpc.ask("eth_getTransactionCount", Eoa.of(label).address, "pending") == "0x1"
    assert found["state"] == "unknown"
    assert found["said"].endswith("It may have been sent all the same: look into the wallet before you send it again.")
    assert found["said"] == f"WalletError unknown: {found['note']}"


PATCHED = """
const code = await chain("eth_getCode", given.attested.address, "latest");
const at = code.lastIndexOf(given.attested.views_module.slice(2).toLowerCase());
const other = code.slice(0, at) + "11".repeat(20) + code.slice(at + 40);
provider.lie = (method, [address]) => (method === "eth_getCode" && address === given.attested.address ? other : null);
"""
OTHER_CONTRACTS: dict[str, tuple[dict[str, object], str, str]] = {
    "no contract": ({"address": "0x" + "11" * 20}, "", "there is no contract at"),
    "other code": ({"code_hash": "0x" + "ab" * 32}, "", "its code is another one"),
    "other views": ({"views_code_hash": "0x" + "ab" * 32}, "", "the code of its views is another one"),
    "another module of views": ({"views_module": "0x" + "11" * 20}, "", "its constants are other ones"),
    "another delay": ({"owner_change_delay_s": 1}, "", "its constants are other ones"),
    # Shown by the getter and not what is delegated to, or the other way round.
    "one constant at one of its places": (
        {},
        PATCHED,
        "its constants are other ones",
    ),
}  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.parametrize("case", OTHER_CONTRACTS)
async def test_nothing_is_sent_to_another_contract(chain: Chain, case: str) -> None:
    changes, before, reason = OTHER_CONTRACTS[case]
    script = (
        before
        + """
const said = await attempt(send("newChainSecuredAccount", "x", ""));
console.log(JSON.stringify({ said, sent: sent(), previews: previews.length, state: transactions.list()[0].state }));
"""
    )
    found = await chain.run("looks", script, attested=chain.attested | changes)
    assert f"This is not the node's account contract: {reason}" in found["said"]
    assert (found["sent"], found["previews"], found["state"]) == (0, 0, "refused")


@pytest.mark.exhaustive
async def test_a_block_that_goes_is_told_and_the_transaction_followed_into_the_next(chain: Chain) -> None:
    script = """
const snapshot = await chain("evm_snapshot");
await send("newChainSecuredAccount", "reorganised", "");
await chain("evm_revert", snapshot);
await until((each) => each.state === "reorganised");
const gone = transactions.list()[0];
await chain("evm_increaseTime", 60);
await chain("eth_sendRawTransaction", provider.raw);
await until((each) => each.state === "included");
await chain("evm_mine");
await until((each) => each.isFinal);
console.log(JSON.stringify({ states, gone, last: transactions.list()[0] }));
"""
    found = await chain.run("reorganised", script)
    assert found["states"] == ["checking", "asking", "pending", "included", "reorganised", "included", "confirmed"]
    assert (found["gone"]["block"], found["gone"]["confirmations"]) == (None, 0)
    assert "block of this transaction is gone" in found["gone"]["note"]
    assert found["last"]["reorganisations"] == 1


@pytest.mark.parametrize("name", ["status", pytest.param("logs", marks=pytest.mark.exhaustive)])
async def test_an_incomplete_receipt_is_neither_a_failure_nor_an_end(chain: Chain, name: str) -> None:
    script = """
let whole = false;
const asked = provider.request.bind(provider);
provider.request = async (call) => {
  const found = await asked(call);
  if (call.method !== "eth_getTransactionReceipt" || whole || !found) return found;
  return { ...found, [given.name]: undefined };
};
const sending = send("newChainSecuredAccount", "late", "");
await until((each) => each?.note?.includes("incomplete receipt"));
const held = transactions.list()[0].state;
whole = true;
const receipt = await sending;
console.log(JSON.stringify({ held, states, succeeded: receipt.succeeded, events: receipt.logs.length }));
process.exit(0);
"""
    found = await chain.run(f"incomplete {name}", script, name=name)
    assert (found["held"], found["succeeded"], found["events"] > 0) == ("pending", True, True)
    assert "failed" not in found["states"]


@pytest.mark.exhaustive
async def test_a_receipt_that_is_kept_of_a_block_that_is_gone_counts_for_nothing(chain: Chain) -> None:
    script = """
const snapshot = await chain("evm_snapshot");
await send("newChainSecuredAccount", "kept", "");
const kept = await chain("eth_getTransactionReceipt", transactions.list()[0].hash);
provider.lie = (method) => (method === "eth_getTransactionReceipt" ? kept : null);
await chain("evm_revert", snapshot);
await chain("evm_increaseTime", 60);
await chain("evm_mine");
await chain("evm_mine");
await until((each) => each.state === "reorganised" || each.isFinal);
console.log(JSON.stringify({ states }));
process.exit(0);
"""
    found = await chain.run("kept", script)
    assert found["states"] == ["checking", "asking", "pending", "included", "reorganised"]


@pytest.mark.exhaustive
async def test_a_transaction_in_another_block_than_before_is_told(chain: Chain) -> None:
    script = """
let held = null;
let stands = () => {};
const asked = provider.request.bind(provider);
provider.request = async (call) => {
  if (held && call.method === "eth_blockNumber") { stands(); await held; }
  return asked(call);
};
const snapshot = await chain("evm_snapshot");
await send("newChainSecuredAccount", "moved", "");
const before = transactions.list()[0].block;
let release;
held = new Promise((resolve) => { release = resolve; });
await new Promise((resolve) => { stands = resolve; });
await chain("evm_revert", snapshot);
await chain("evm_increaseTime", 60);
await chain("eth_sendRawTransaction", provider.raw);
release();
await until((each) => each.state === "reorganised");
await chain("evm_mine");
await until((each) => each.isFinal);
console.log(JSON.stringify({ states, before, last: transactions.list()[0] }));
"""
    found = await chain.run("moved", script)
    assert found["states"][3:5] == ["included", "reorganised"]
    assert found["last"]["state"] == "confirmed"
    assert found["before"]["hash"] != found["last"]["block"]["hash"]
    assert found["last"]["reorganisations"] == 1


@pytest.mark.exhaustive
async def test_one_that_fails_on_the_chain_says_why(chain: Chain) -> None:
    script = """
await send("newChainSecuredAccount", "fails", "");
await send("addGroup", BigInt(given.own), "group", "", [], []);
provider.beforeSending = async () => {
  const data = ACCOUNT_CONTRACT.calldata("removeGroup", [BigInt(given.own), 1n]);
  await provider.sign({ to: contract.address, data, value: "0x0" });
};
const said = await attempt(send("removeGroup", BigInt(given.own), 1n));
const failed = transactions.list()[0];
await chain("evm_mine");
await until((each) => each.isFinal);
console.log(JSON.stringify({ said, failed, last: transactions.list()[0] }));
"""
    own = str(hash_of_address(Eoa.of("fails").address))
    found = await chain.run("fails", script, own=own)
    assert found["said"].startswith("WalletError refused: The transaction failed on the chain")
    assert "The account has no group 1." in found["said"]
    assert [found[each]["state"] for each in ("failed", "last")] == ["failed", "failed"]
    assert found["last"]["note"] == found["failed"]["note"]


@pytest.mark.exhaustive
async def test_one_that_another_replaces_is_told_once_that_is_confirmed(chain: Chain) -> None:
    script = """
await chain("evm_setAutomine", false);
const sending = attempt(send("newChainSecuredAccount", "replaced", ""));
await until((each) => each.nonce !== null);
const { nonce } = transactions.list()[0];
await provider.sign({ to: wallet.address, data: "0x", value: "0x0", nonce, maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 12n });
await chain("evm_mine");
let looks = 0;
await until((each) => each.isFinal || (looks += 1) > 3);
const held = transactions.list()[0].state;
await chain("evm_mine");
const said = await sending;
await chain("evm_setAutomine", true);
console.log(JSON.stringify({ held, said, states, last: transactions.list()[0] }));
"""
    found = await chain.run("replaced", script)
    assert found["held"] == "pending", "the block of the other one may still go"
    assert "Another transaction of this account took its place" in found["said"]
    assert found["states"] == ["checking", "asking", "pending", "replaced"]
    assert found["last"]["isFinal"]
    assert await chain.contract.call("masterOfWallet", Eoa.of("replaced").address) == 0


@pytest.mark.exhaustive
async def test_a_provider_that_answers_badly_for_a_while_loses_nothing(chain: Chain) -> None:
    script = """
const lies = ["0xnonsense", "", {}, 5, "0x" + "f".repeat(64)];
provider.lie = (method) => (method === "eth_blockNumber" && lies.length ? lies.shift() : null);
await send("newChainSecuredAccount", "patient", "");
await chain("evm_mine");
await until((each) => each.isFinal);
console.log(JSON.stringify({ left: lies.length, last: transactions.list()[0] }));
"""
    found = await chain.run("patient", script)
    assert (found["left"], found["last"]["state"], found["last"]["note"]) == (0, "confirmed", "")


@pytest.mark.exhaustive
async def test_a_session_that_ends_follows_nothing_and_signs_nothing(chain: Chain) -> None:
    script = """
await chain("evm_setAutomine", false);
const ended = new Promise((resolve) => wallet.addEventListener("end", () => resolve(true)));
const sending = attempt(send("newChainSecuredAccount", "ended", ""));
await until((each) => each.state === "pending");
provider.emit("disconnect", { code: 4900 });
const said = await sending;
await chain("evm_setAutomine", true);
await chain("evm_mine");
const typed = { domain: { chainId: "31337" } };
const after = [await attempt(wallet.sign(typed)), await attempt(wallet.send(contract.address, "0x", 31337)), await attempt(send("newChainSecuredAccount", "again", ""))];
console.log(JSON.stringify({ said, after, ended: await ended, listening: provider.listening(), signed: provider.asked.includes("eth_signTypedData_v4"), sent: sent() }));
"""
    found = await chain.run("ended", script)
    assert "no longer follows" in found["said"]
    assert all(each.startswith("WalletError account:") for each in found["after"])
    assert (found["ended"], found["listening"], found["signed"], found["sent"]) == (True, 0, False, 1)


@pytest.mark.exhaustive
async def test_the_chain_is_changed_by_the_wallet_or_the_reader_is_told(chain: Chain) -> None:
    script = """
provider.chainId = "0x1";
const switched = await attempt(wallet.switchTo(31337));
const now = String(await wallet.chainId());
provider.chainId = "0x1";
provider.declines.add("wallet_switchEthereumChain");
const declined = await attempt(wallet.switchTo(31337));
provider.declines.clear();
provider.knowsChain = false;
const unknown = await attempt(wallet.switchTo(31337));
console.log(JSON.stringify({ switched, now, declined, unknown }));
"""
    found = await chain.run("switches", script)
    assert (found["switched"], found["now"]) == ("done", "31337")
    assert found["declined"].startswith("WalletError declined: ")
    assert found["unknown"].startswith("WalletError chain: The wallet does not know chain 31337.")
