#!/usr/bin/env python3
"""Pays for credit with a token: an allowance, a deposit for the account, and the wait until the node has credited it.

    make run                                      # in one terminal
    .venv/bin/python examples/token_payment.py    # in another: 5 local dollars, from one of the chain's own accounts

Elsewhere: --node and --chain name yours; the payer's private key (0x hex) is read from the file PAYER_KEY_FILE names, the
account's key is SVC_API_KEY. Nothing here is the node's: it needs the API, a JSON-RPC endpoint, eth-abi and eth-account.
"""

import argparse
import json
import os
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from eth_abi.abi import encode
from eth_account import Account
from eth_account.signers.local import LocalAccount
from eth_utils.crypto import keccak

LOCAL_PAYER = "0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6"
"""One of anvil's published development keys, which holds local dollars. Worthless anywhere else."""
TIMEOUT_S = 120
TIP_WEI = 10**9
GAS_MARGIN = 1.2


def asked(request: urllib.request.Request) -> Any:
    """The JSON of an answer; what is no success raises with what was said."""
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        sys.exit(f"{request.host}: {error.code} {error.read().decode()}")


class Node:
    """The node's API with one account's key."""

    def __init__(self, url: str, key: str) -> None:
        self.api = f"{url.rstrip('/')}/core/v1"
        self.headers = {"Content-Type": "application/json"} | ({"X-Api-Key": key} if key else {})

    def get(self, path: str) -> Any:
        """One GET."""
        return asked(urllib.request.Request(f"{self.api}/{path}", headers=self.headers))

    def post(self, path: str, body: Any) -> Any:
        """One POST."""
        return asked(urllib.request.Request(f"{self.api}/{path}", json.dumps(body).encode(), self.headers))


class Chain:
    """One JSON-RPC endpoint, and who pays."""

    def __init__(self, url: str, payer: LocalAccount) -> None:
        self.url = url
        self.payer = payer

    def ask(self, method: str, *parameters: Any) -> Any:
        """One request."""
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
        said = asked(urllib.request.Request(self.url, json.dumps(body).encode(), {"Content-Type": "application/json"}))
        if "error" in said:
            sys.exit(f"{method}: {said['error']}")
        return said["result"]

    def send(self, to: str, function: str, *arguments: Any) -> str:
        """Call a function by its signature in a transaction, and wait for it; its hash."""
        types = function[function.index("(") + 1 : -1].split(",")
        data = keccak(text=function)[:4] + encode(types, arguments)
        base_fee = int(self.ask("eth_getBlockByNumber", "latest", False)["baseFeePerGas"], 16)
        call = {"from": self.payer.address, "to": to, "data": "0x" + data.hex()}
        transaction: dict[str, Any] = {
            "type": 2,
            "chainId": int(self.ask("eth_chainId"), 16),
            "nonce": int(self.ask("eth_getTransactionCount", self.payer.address, "pending"), 16),
            "gas": int(int(self.ask("eth_estimateGas", call), 16) * GAS_MARGIN),
            "maxFeePerGas": 2 * base_fee + TIP_WEI,
            "maxPriorityFeePerGas": TIP_WEI,
            "to": to,
            "data": data,
            "value": 0,
        }
        raw = self.payer.sign_transaction(transaction).raw_transaction
        return self.mined(self.ask("eth_sendRawTransaction", "0x" + raw.hex().removeprefix("0x")))

    def mined(self, transaction_hash: str) -> str:
        """Wait until it is on chain."""
        deadline = time.monotonic() + TIMEOUT_S
        while (receipt := self.ask("eth_getTransactionReceipt", transaction_hash)) is None:
            if time.monotonic() > deadline:
                sys.exit(f"{transaction_hash} is not mined")
            time.sleep(0.2)
        if receipt["status"] != "0x1":
            sys.exit(f"{transaction_hash} was reverted")
        return transaction_hash


def credited(node: Node, transaction_hash: str) -> Any:
    """Wait until the node has credited, or ignored, the deposit of this transaction."""
    deadline = time.monotonic() + TIMEOUT_S
    shown = None
    while time.monotonic() < deadline:
        found = [each for each in payments(node) if each["transaction_hash"] == transaction_hash]
        if found and (found[0]["status"], found[0]["confirmations"]) != shown:
            shown = found[0]["status"], found[0]["confirmations"]
            print(f"{shown[0]}: {shown[1]} of {found[0]['confirmations_needed']} confirmations")
        if found and found[0]["status"] in {"credited", "ignored"}:
            return found[0]
        time.sleep(0.2)
    sys.exit("the node has not credited it yet: look again at /billing/token_payments")


def payments(node: Node) -> list[Any]:
    """Every payment of the account, page by page."""
    found: list[Any] = []
    while page := node.get(f"billing/token_payments?page_number={len(found) // 100}&page_size=100"):
        found += page
        if len(page) < 100:
            break
    return found


def main() -> None:
    """Pay, and show what became of it."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--node", default="http://127.0.0.1:8000")
    arguments.add_argument("--chain", default="http://127.0.0.1:8545")
    arguments.add_argument("--tokens", type=int, default=5, help="how many whole tokens")
    told = arguments.parse_args()
    key_file = os.environ.get("PAYER_KEY_FILE")
    chain = Chain(told.chain, Account.from_key(Path(key_file).read_text().strip() if key_file else LOCAL_PAYER))
    key = os.environ.get("SVC_API_KEY") or Node(told.node, "").post("new_account", {"account_name": "pays"})["api_key"]
    node = Node(told.node, key)
    config = node.get("billing/token_config")
    token, how = config["tokens"][0], config["how_to_pay"]
    amount = told.tokens * 10 ** token["decimals"]
    print(f"paying {told.tokens} {token['symbol']} ({token['price_display']}) for account {how['account_hash']}")
    chain.send(token["address"], how["approve"], config["deposit_contract"], amount)
    account = int(how["account_hash"], 16)
    paid = chain.send(config["deposit_contract"], how["deposit"], account, token["address"], amount)
    payment = credited(node, paid)
    print(f"{payment['status']}: {payment['credited_display']}", payment["reason"] or "")
    print(f"balance: {node.get('billing/balance')['balance_display']}")


if __name__ == "__main__":
    main()
