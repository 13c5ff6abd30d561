"""The settlement chain and the account contract on it, by JSON-RPC and the contract's ABI only."""

import json
import time
import urllib.request
from pathlib import Path
from typing import Any

from eth_abi.abi import decode, encode
from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak

REPOSITORY = Path(__file__).resolve().parents[2]
ABI = json.loads((REPOSITORY / "node/chain/contract/AccountConfig.json").read_text())["abi"]
TIMEOUT_S = 60
GAS_MARGIN = 1.2


class RevertedError(Exception):
    """The contract refused: the name of its error, or its data where the ABI has none such."""


def signature(entry: dict[str, Any]) -> str:
    """`name(type,type)`, whose hash names functions, events and errors."""
    return f"{entry['name']}({','.join(each['type'] for each in entry['inputs'])})"


def calldata(abi: list[dict[str, Any]], function: str, *arguments: Any) -> bytes:
    """A call of a function by its ABI."""
    entry = next(each for each in abi if each["type"] == "function" and each["name"] == function)
    return keccak(text=signature(entry))[:4] + encode([each["type"] for each in entry["inputs"]], arguments)


class Chain:
    """JSON-RPC provider, and the account contract at `contract`."""

    def __init__(self, url: str, contract: str) -> None:
        self.url = url
        self.contract = contract
        self.chain_id = int(self.ask("eth_chainId"), 16)

    def ask(self, method: str, *parameters: Any) -> Any:
        """One request. Raises RevertedError for a refused execution."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}).encode()
        request = urllib.request.Request(self.url, body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
            said = json.loads(answer.read())
        if "error" in said:
            raise RevertedError(_reason(said["error"]))
        return said["result"]

    def fund(self, address: str) -> None:
        """Ether for gas, from an unlocked account: only the local chain has such."""
        giver = self.ask("eth_accounts")[0]
        self.wait(self.ask("eth_sendTransaction", {"from": giver, "to": address, "value": hex(10**18)}))

    def send(self, account: LocalAccount, to: str | None, data: bytes) -> dict[str, Any]:
        """Sign a transaction with the account's own key, send it, and wait for its receipt."""
        call: dict[str, Any] = {"from": account.address, "data": "0x" + data.hex()} | ({"to": to} if to else {})
        base_fee = int(self.ask("eth_getBlockByNumber", "latest", False)["baseFeePerGas"], 16)
        transaction: dict[str, Any] = {
            "type": 2,
            "chainId": self.chain_id,
            "nonce": int(self.ask("eth_getTransactionCount", account.address, "pending"), 16),
            "gas": int(int(self.ask("eth_estimateGas", call), 16) * GAS_MARGIN),
            "maxFeePerGas": 2 * base_fee + 10**9,
            "maxPriorityFeePerGas": 10**9,
            "to": to or b"",
            "data": data,
            "value": 0,
        }
        raw = account.sign_transaction(transaction).raw_transaction
        return self.wait(self.ask("eth_sendRawTransaction", "0x" + raw.hex().removeprefix("0x")))

    def wait(self, transaction_hash: str) -> dict[str, Any]:
        """The receipt of a transaction that succeeded."""
        deadline = time.monotonic() + TIMEOUT_S
        # Some providers show a receipt before its block is known: without status it says nothing yet.
        while not (receipt := self.ask("eth_getTransactionReceipt", transaction_hash) or {}).get("status"):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{transaction_hash} is not mined")
            time.sleep(0.1)
        if receipt["status"] != "0x1":
            raise RevertedError(transaction_hash)
        return dict(receipt)

    def view(self, function: str, *arguments: Any) -> int:
        """A view of the account contract that returns one integer."""
        call = {"to": self.contract, "data": "0x" + calldata(ABI, function, *arguments).hex()}
        return int(self.ask("eth_call", call, "latest"), 16)

    def event(self, receipt: dict[str, Any], name: str) -> dict[str, Any]:
        """The arguments, by name, of the one event of that name."""
        entry = next(each for each in ABI if each["type"] == "event" and each["name"] == name)
        topic = "0x" + keccak(text=signature(entry)).hex()
        (log,) = [log for log in receipt["logs"] if log["topics"][0] == topic]
        plain = [each for each in entry["inputs"] if not each["indexed"]]
        indexed = [each for each in entry["inputs"] if each["indexed"]]
        values = decode([each["type"] for each in plain], bytes.fromhex(log["data"][2:]))
        found = dict(zip([each["name"] for each in plain], values, strict=True))
        for each, value in zip(indexed, log["topics"][1:], strict=True):
            (found[each["name"]],) = decode([each["type"]], bytes.fromhex(value[2:]))
        return found


def address_of(receipt: dict[str, Any]) -> str:
    """Where a deployment's contract is."""
    return str(to_checksum_address(receipt["contractAddress"]))


def _reason(error: dict[str, Any]) -> str:
    data = error.get("data")
    if not isinstance(data, str):
        return str(error.get("message"))
    for entry in ABI:
        if entry["type"] == "error" and "0x" + keccak(text=signature(entry))[:4].hex() == data[:10]:
            return str(entry["name"])
    return data
