"""A ChainSecured account is opened, administered, paid for and handed on by a wallet, before a running node."""

import json
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from devkit.local_chain import FUNDED_KEYS
from node.values import hash_of_text, u256_hex
from tests.e2e.account import SIGNING_CODE
from tests.support.chainsecured import ChainWriter
from tests.support.dashboard import SESSION
from tests.support.envelopes import Eoa
from tests.support.javascript import ran_javascript
from tests.support.node import REPOSITORY, NodeProcess, running_node

pytestmark = pytest.mark.exhaustive
RICH = FUNDED_KEYS[3]
"""Holds ether and local dollars on a fresh chain."""
ZERO_HASH, ZERO_WALLET = "0x" + "00" * 32, "0x" + "00" * 20

ACCOUNT = (
    """
import { billingAuth, ChainAccount, masterOf, sign } from "./account-chain.mjs";
import { ApiAccount } from "./account-api.mjs";
import { SvcClient } from "./svc-client.mjs";
import { payTokens } from "./token-payment.mjs";
"""
    + SESSION
    + """
const session = { wallet, contract, transactions };
const client = new SvcClient(given.node, { walletAuth: billingAuth(wallet, given.attested.chain_id) });
const opened = async () => {
  await send("newChainSecuredAccount", "mine", "by the dashboard");
  return new ChainAccount(session, client, await masterOf(session));
};
const NONE = { expires: 0, capCents: 0, createGroups: false, deleteGroups: false, createWallets: false, manageActionsIn: [], addWalletsIn: [], removeWalletsFrom: [], executeIn: [] };
"""
)


@dataclass
class World:
    """A running node and its chain, and what it attests."""

    node: NodeProcess
    chain: ChainWriter
    config: dict[str, Any]
    modules: Path

    def run(self, key: str, script: str, **more: object) -> Any:
        """Returns what a script prints, with the session of a wallet."""
        given = {
            "packages": str(REPOSITORY / "node_modules"),
            "key": key,
            "node": self.node.url,
            "chain": self.node.log_value("chain"),
            "config": self.config,
            "attested": self.config["account_contract"],
            "code": SIGNING_CODE,
        }
        return ran_javascript(ACCOUNT + script, given | more, self.modules)

    def funded(self, label: str) -> Eoa:
        """A wallet with ether."""
        wallet = Eoa.of(label)
        self.chain.ask("anvil_setBalance", wallet.address, hex(10**20))
        return wallet


@pytest.fixture(scope="module")
def world(modules: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with running_node(
        tmp_path_factory.mktemp("node"), {"SVC_TOKEN_CONFIRMATIONS": "2", "SVC_DASHBOARD": "off"}
    ) as node:
        with urllib.request.urlopen(f"{node.url}/attestation?nonce={'ab' * 32}", timeout=60) as answer:
            config = json.loads(json.loads(answer.read())["statement"])["config"]
        chain = ChainWriter(node.log_value("chain"), config["account_contract"]["address"])
        yield World(node, chain, config, modules)


EVERY_WRITE = """
const found = {};
found.before = String(await masterOf(session));
const account = await opened();
found.described = await account.describe();
const first = await account.createWallet({ name: "first", description: "signs" });
const second = await account.createWallet({ name: "second \\u202e<b>", description: "" });
found.wallets = await account.listWallets();
const cid = await client.actions.cid(given.code);
await account.addAction({ cid, name: "sign", description: "signs a text" });
found.actions = await account.listActions();
const [{ hash }] = found.actions;
await account.updateAction(hash, { name: "sign it", description: "" });
found.renamed = await account.listActions();
found.group = await account.createGroup({ name: "signers", description: "", actions: [hash], wallets: [first.address] });
const { id } = await account.createGroup({ name: "other", description: "", actions: [], wallets: [] });
await account.updateGroup(id, { name: "replaced", description: "all of it", actions: [hash], wallets: [first.address] });
await account.addActionToGroup(id, { hash: given.zeroHash, cid: null });
await account.addWalletToGroup(id, given.zeroWallet);
await account.addWalletToGroup(id, second.address);
found.groups = await account.listGroups();
await account.removeActionFromGroup(id, hash);
await account.removeWalletFromGroup(id, first.address);
found.less = await account.listGroups();
await account.removeGroup(id);
found.one = await account.listGroups();
const key = await account.createUsageKey({ ...NONE, name: "backend", description: "runs", capCents: 500, expires: 4000000000, executeIn: [found.group.id], addWalletsIn: ["0"], createGroups: true });
found.keys = await account.listUsageKeys();
found.minted = { hash: key.hash, address: key.walletAddress, length: key.key.length };
const usage = new SvcClient(given.node, { apiKey: key.key });
const run = await usage.actions.run(given.code, { wallet: first.address, text: "hello" });
found.signature = run.response.length;
await account.updateUsageKey(key.hash, { ...NONE, name: "less", description: "", executeIn: ["0"] });
found.updated = await account.listUsageKeys();
await account.removeUsageKey(key.hash);
found.removed = await account.listUsageKeys();
// The wallet's own transaction: the node learns of it at its next poll, some ten seconds later at most.
const end = Date.now() + 60_000;
do {
  found.refused = await usage.actions.run(given.code, {}).catch((error) => error.name);
} while (found.refused !== "Unauthorized" && Date.now() < end);
await account.createUsageKey({ ...NONE, name: "a", description: "" });
await account.createUsageKey({ ...NONE, name: "b", description: "" });
await account.clearUsageKeys();
found.cleared = await account.listUsageKeys();
await account.removeAction(hash);
found.noActions = await account.listActions();
found.previews = [...new Set(previews.map((each) => each.call.split("(")[0]))];
found.inWords = previews.find((each) => each.call.startsWith("setUsageApiKey")).lines.map((line) => [line.label, line.value]);
found.lent = previews.find((each) => each.call.startsWith("addGroup")).lines.map((line) => [line.label, line.value]);
found.sent = sent();
await chain("evm_mine");
await chain("evm_mine");
await until(() => transactions.list().every((each) => each.isFinal));
found.states = [...new Set(transactions.list().map((each) => each.state))];
console.log(JSON.stringify(found));
"""


def test_every_write_of_the_account(world: World) -> None:
    admin = world.funded("administers by the dashboard")
    found = world.run(admin.key, EVERY_WRITE, zeroHash=ZERO_HASH, zeroWallet=ZERO_WALLET)
    assert found["before"] == "null"
    master = int(found["described"]["hash"], 16)
    assert found["described"]["address"] == admin.address
    assert world.chain.read("masterOfWallet", admin.address) == master
    first, second = found["wallets"]
    assert (first["id"], first["name"], first["description"]) == ("0", "first", "signs")
    assert (second["id"], second["name"]) == ("1", "second \u202e<b>")
    (action,) = found["actions"]
    assert action["hash"] == u256_hex(hash_of_text(action["cid"]))
    assert (action["name"], action["description"]) == ("sign", "signs a text")
    assert found["renamed"] == [action | {"name": "sign it", "description": ""}]
    assert found["group"] == {"id": "1"}
    signers = {
        "id": "1",
        "name": "signers",
        "description": "",
        "actions": [action["hash"]],
        "wallets": [first["address"]],
    }
    replaced: dict[str, Any] = {"id": "2", "name": "replaced", "description": "all of it"}
    replaced |= {"actions": [action["hash"], ZERO_HASH], "wallets": [first["address"], ZERO_WALLET, second["address"]]}
    assert [sorted_lists(each) for each in found["groups"]] == [signers, sorted_lists(replaced)]
    left = replaced | {"actions": [ZERO_HASH], "wallets": [ZERO_WALLET, second["address"]]}
    assert [sorted_lists(each) for each in found["less"]] == [signers, sorted_lists(left)]
    assert found["one"] == [signers]
    (key,) = found["keys"]
    nothing = {"deleteGroups": False, "createWallets": False, "manageActionsIn": [], "removeWalletsFrom": []}
    backend = {
        "name": "backend",
        "description": "runs",
        "expires": 4_000_000_000,
        "capCents": 500,
        "createGroups": True,
    }
    assert key == nothing | backend | {"hash": found["minted"]["hash"], "addWalletsIn": ["0"], "executeIn": ["1"]}
    assert found["minted"]["length"] == 44
    registered = world.chain.read("getPkp", master, found["minted"]["address"])
    assert (registered["name"], registered["description"]) == ("backend", "wallet of a usage key")
    assert found["signature"] == len("0x") + 2 * 65
    less = {"name": "less", "description": "", "expires": 0, "capCents": 0, "createGroups": False}
    assert found["updated"] == [nothing | less | {"hash": key["hash"], "addWalletsIn": [], "executeIn": ["0"]}]
    assert (found["removed"], found["cleared"], found["noActions"]) == ([], [], [])
    assert found["refused"] == "Unauthorized"
    assert (found["sent"], found["states"]) == (24, ["confirmed"])
    assert len(found["previews"]) == 16
    in_words = dict(found["inWords"])
    lent = dict(found["lent"])
    assert lent["Actions"] == f"{action['hash']} “sign it”"
    assert lent["Wallets"] == f"{first['address']} “first”"
    assert in_words["Expires"] == "2096-10-02 07:06:40 UTC"
    assert in_words["May spend in its whole life"] == "$5.00"
    assert in_words["May run the actions of"] == "group 1 “signers”"
    assert in_words["May add wallets to"] == "every group, present and future"


def sorted_lists(group: dict[str, Any]) -> dict[str, Any]:
    """A group whose members are in one order: the contract moves the last into a gap."""
    return group | {"actions": sorted(group["actions"]), "wallets": sorted(group["wallets"])}


def test_a_key_that_the_contract_would_refuse_is_never_minted(world: World) -> None:
    script = """
const account = await opened();
const said = await attempt(account.createUsageKey({ ...NONE, name: "x", description: "", executeIn: [String(2n ** 64n)] }));
console.log(JSON.stringify({ said, signed: provider.asked.includes("eth_signTypedData_v4"), keys: await account.listUsageKeys(), wallets: await account.listWallets() }));
process.exit(0);
"""
    found = world.run(world.funded("asks for too much").key, script)
    assert found["said"].startswith("WalletError refused: The contract refuses this: ")
    assert (found["signed"], found["keys"], found["wallets"]) == (False, [], [])


def test_credit_is_read_with_one_signature_and_bought_with_tokens(world: World) -> None:
    script = """
const account = await opened();
const [balance, usage] = await Promise.all([account.balance(), account.usage({})]);
const csv = await account.usageCsv({});
const config = await client.billing.tokenConfig();
const signed = provider.asked.filter((method) => method === "eth_signTypedData_v4").length;
const [token] = config.tokens;
const order = { account: account.master, token, amount: 5n * 10n ** BigInt(token.decimals), deposit: config.deposit_contract, confirmations: config.confirmations };
const refusals = [];
for (const changed of [{ deposit: token.address }, { token: { ...token, address: config.deposit_contract } }, { token: { ...token, decimals: 3 } }, { amount: 10n ** 40n }]) {
  refusals.push(await attempt(payTokens(session, { ...order, ...changed }, given.config)));
}
refusals.push(await attempt(payTokens(session, order, null)));
const { ContractInterface } = await import("./contract.mjs");
const owner = new ContractInterface(["accountConfig() returns (address)"], []).calldata("accountConfig", []);
provider.lie = (method, [call]) => (method === "eth_call" && call.data === owner ? "0x" + "11".repeat(20).padStart(64, "0") : null);
refusals.push(await attempt(payTokens(session, order, given.config)));
provider.lie = null;
// Something is left of an earlier payment: some tokens change no such allowance but to nothing.
const left = new ContractInterface(["approve(address spender, uint256 amount)"], []).calldata("approve", [config.deposit_contract, 1n]);
await provider.sign({ to: token.address, data: left, value: "0x0" });
const before = sent();
const receipt = await payTokens(session, order, given.config);
await chain("evm_mine");
await chain("evm_mine");
await until((each) => each.isFinal);
let paid;
do { paid = []; for await (const each of client.billing.tokenPayments()) paid.push(each); } while (paid[0]?.status !== "credited");
console.log(JSON.stringify({ balance, after: await account.balance(), usage, csv, signed, refusals, before, sent: sent(), receipt, paid, hash: config.how_to_pay.account_hash, own: (await account.describe()).hash, previews: previews.slice(1).map((each) => [each.title, each.lines]) }));
"""
    found = world.run(RICH, script)
    assert found["signed"] == 1
    assert found["usage"] == []
    assert found["csv"].startswith("id,time,")
    assert found["hash"] == found["own"]
    assert [each.split(": ", 1)[1] for each in found["refusals"]] == [
        "Nothing was sent: the node's attestation names another deposit contract.",
        "Nothing was sent: the deposit contract does not accept this token.",
        "Nothing was sent: the node's attestation names no price for a token at " + found["paid"][0]["token"] + ".",
        found["refusals"][3].split(": ", 1)[1],
        "Nothing was sent: the node's attestation names another deposit contract.",
        "Nothing was sent: the deposit contract belongs to another account contract.",
    ]
    assert "The wallet holds" in found["refusals"][3]
    assert (found["before"], found["sent"]) == (1, 4)
    assert found["paid"][0]["transaction_hash"] == found["receipt"]["transactionHash"]
    assert found["after"]["creditCents"] - found["balance"]["creditCents"] == 500
    (reset, nothing), (approve, lines), (deposit, _) = found["previews"]
    assert (reset, approve, deposit) == (
        "Allow the deposit contract to take tokens",
        "Allow the deposit contract to take tokens",
        "Pay tokens for the credit of an account",
    )
    assert nothing[1]["value"].startswith("exactly 0 ")
    assert lines[1]["value"].startswith("exactly 5 ")


def test_an_account_is_handed_to_another_wallet(world: World) -> None:
    script = """
const account = await opened();
await account.createWallet({ name: "stays", description: "" });
await account.transfer(given.successor);
const gone = String(await masterOf(session));
const late = await attempt(account.createWallet({ name: "too late", description: "" }));
const after = await masterOf({ wallet: { address: given.successor }, contract, transactions });
console.log(JSON.stringify({ gone, late, same: after === account.master, sent: sent() }));
process.exit(0);
"""
    successor = world.funded("takes over").address
    found = world.run(world.funded("hands over").key, script, successor=successor)
    assert (found["gone"], found["same"]) == ("null", True)
    assert "is not the administrator of this account" in found["late"]
    assert found["sent"] == 3


def test_an_account_of_a_key_is_converted(world: World) -> None:
    script = """
const made = await client.account.create("converts");
const keyed = new SvcClient(given.node, { apiKey: made.api_key });
const wrong = await sign(wallet, given.attested.chain_id, "CreateWallet");
const refused = await keyed.account.convert(wallet.address, wrong.typed_data, wrong.signature).catch((error) => error.details.reason);
const signed = await sign(wallet, given.attested.chain_id, "ConvertAccount");
const converted = await keyed.account.convert(wallet.address, signed.typed_data, signed.signature);
const account = new ChainAccount(session, client, await masterOf(session));
await account.createWallet({ name: "second", description: "" });
const old = await new ApiAccount(keyed).createWallet({ name: "", description: "" }).catch((error) => error.name);
console.log(JSON.stringify({ refused, hash: converted.api_key_hash, own: (await account.describe()).hash, wallets: (await account.listWallets()).map((each) => each.id), old }));
process.exit(0);
"""
    found = world.run(world.funded("takes an account").key, script)
    assert found["refused"] == "primary_type"
    assert found["hash"] == found["own"]
    assert (found["wallets"], found["old"]) == (["0", "1"], "Forbidden")
