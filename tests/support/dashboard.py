"""The dashboard's modules in one folder, as a browser finds them, and values of contract calls for them."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.support.node import REPOSITORY
from tools.vendored import vendored

PAGE = REPOSITORY / "node" / "dashboard" / "page"
BUNDLE = PAGE.with_name("bundle")
WALLET = REPOSITORY / "tests" / "support" / "dashboard_wallet.mjs"

SESSION = """
import { rpc, walletOf } from "./dashboard_wallet.mjs";
import { AccountContract } from "./account-contract.mjs";
import { ACCOUNT_CONTRACT } from "./contract.mjs";
import { Transactions } from "./transactions.mjs";
import { Wallet } from "./wallet.mjs";
const provider = await walletOf(given.packages, given.key, given.chain);
const wallet = await Wallet.connect(provider.announced());
const contract = new AccountContract(wallet, given.attested);
const previews = [];
let onPreview = async () => true;
const confirm = async (preview) => { previews.push(preview); return onPreview(preview); };
const transactions = new Transactions(wallet, { chainId: given.attested.chain_id, confirm, pollMs: 10 });
const states = [];
transactions.addEventListener("change", () => {
  const { state } = transactions.list()[0];
  if (states.at(-1) !== state) states.push(state);
});
const until = (wanted) => new Promise((resolve) => {
  const look = () => wanted(transactions.list()[0]) && (transactions.removeEventListener("change", look), resolve());
  transactions.addEventListener("change", look);
  look();
});
const attempt = (promise) => promise.then(() => "done", (error) => `${error.name} ${error.kind}: ${error.message}`);
const send = (name, ...values) => transactions.send(contract, name, values);
const chain = (method, ...params) => rpc(given.chain, method, ...params);
const sent = () => provider.asked.filter((method) => method === "eth_sendTransaction").length;
"""
"""Connected wallet before the account contract on a chain, from `packages`, `key`, `chain` and `attested`."""

VALUES = """
const read = (value) =>
  Array.isArray(value) ? value.map(read) : value !== null && typeof value === "object" ? BigInt(value.number) : value;
const shown = (value) =>
  typeof value === "bigint" ? { number: String(value) } : Array.isArray(value) ? value.map(shown)
    : value !== null && typeof value === "object" ? { fields: Object.entries(value).map(([name, each]) => [name, shown(each)]) } : value;
"""
"""Functions for scripts: numbers of contracts come and go as texts, since JSON's are too small."""


def laid_out_page(folder: Path) -> Path:
    """Copies all modules of the page, of the bundle and of the client into the folder; returns it."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in [*PAGE.glob("*.mjs"), *BUNDLE.glob("*.js"), WALLET]:
        shutil.copy(path, folder / path.name)
    for name, source in vendored().items():
        shutil.copy(REPOSITORY / source, folder / name)
    # As a browser takes them: each script is a module, whatever its name ends in.
    (folder / "package.json").write_text('{"type": "module"}')
    return folder


def given(value: object) -> Any:
    """A value of a contract call as JSON for `read`."""
    if isinstance(value, bytes):
        return "0x" + value.hex()
    if isinstance(value, int) and not isinstance(value, bool):
        return {"number": str(value)}
    return [given(each) for each in value] if isinstance(value, Sequence) and not isinstance(value, str) else value


def taken(value: Any) -> Any:
    """Returns the value of which `shown` made this, with structs as dicts."""
    if isinstance(value, list):
        return [taken(each) for each in value]
    if isinstance(value, Mapping):
        return int(value["number"]) if "number" in value else {name: taken(each) for name, each in value["fields"]}
    return value
