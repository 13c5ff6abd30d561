#!/usr/bin/env python3
"""Pays for credit with a token: approves an allowance, deposits for the account, waits until the node has credited it.

    make run                                      # in one terminal
    .venv/bin/python examples/token_payment.py    # in another: 5 local dollars, from one of the chain's own accounts

The node is proven before the first request (`svc_client`). For another node name --node and --chain, and --trust with a file of
`svc-verify init`. The file PAYER_KEY_FILE has the payer's private key (0x hex); SVC_API_KEY is the account's key, else the program
opens a new account.
"""

import argparse
import json
import os
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

from eth_abi.abi import encode
from eth_account import Account
from eth_account.signers.local import LocalAccount
from eth_utils.crypto import keccak

from svc_client import Client, SvcError
from svc_client.models import TokenPayment

LOCAL_PAYER = "0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6"
"""One of anvil's published development keys, which holds local dollars. Worthless anywhere else."""
APP_ID = "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512"
ACCOUNT_CONTRACT = "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0"
"""The application and the account contract of every `make run`."""
TIMEOUT_S = 120
TIP_WEI = 10**9
GAS_MARGIN = 1.2


class Chain:
    """JSON-RPC provider, and the account that pays."""

    def __init__(self, url: str, payer: LocalAccount) -> None:
        self.url = url
        self.payer = payer

    def ask(self, method: str, *parameters: Any) -> Any:
        """One request."""
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
        request = urllib.request.Request(self.url, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:
            answer = json.load(response)
        if "error" in answer:
            sys.exit(f"{method}: {answer['error']}")
        return answer["result"]

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
        # Some providers show a receipt before its block is known: without status it says nothing yet.
        while not (receipt := self.ask("eth_getTransactionReceipt", transaction_hash) or {}).get("status"):
            if time.monotonic() > deadline:
                sys.exit(f"{transaction_hash} is not mined")
            time.sleep(0.2)
        if receipt["status"] != "0x1":
            sys.exit(f"{transaction_hash} was reverted")
        return transaction_hash


def credited(svc: Client, transaction_hash: str) -> TokenPayment:
    """Wait until the node has credited, or ignored, the deposit of this transaction."""
    deadline = time.monotonic() + TIMEOUT_S
    shown: tuple[str, int | None] | None = None
    while time.monotonic() < deadline:
        for each in svc.billing.token_payments():
            if each.transaction_hash != transaction_hash:
                continue
            if (each.status, each.confirmations) != shown:
                shown = each.status, each.confirmations
                print(f"{each.status}: {each.confirmations} of {each.confirmations_needed} confirmations")
            if each.status in {"credited", "ignored"}:
                return each
        time.sleep(0.2)
    sys.exit("the node has not credited it yet: read svc.billing.token_payments() later")


def pay(svc: Client, chain: Chain, whole_tokens: int) -> None:
    """Deposit tokens for the account of the client's key, and print what became of them."""
    config = svc.billing.token_config()
    token, how = config.tokens[0], config.how_to_pay
    amount = whole_tokens * 10**token.decimals
    print(f"paying {whole_tokens} {token.symbol} ({token.price_display}) for account {how['account_hash']}")
    chain.send(token.address, str(how["approve"]), config.deposit_contract, amount)
    account = int(str(how["account_hash"]), 16)
    paid = chain.send(config.deposit_contract, str(how["deposit"]), account, token.address, amount)
    payment = credited(svc, paid)
    print(f"{payment.status}: {payment.credited_display}", payment.reason or "")
    print(f"balance: {svc.billing.balance().balance_display}")


def main() -> None:
    """Open the clients and pay."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--node", default="https://localhost:8443")
    parser.add_argument("--chain", default="http://127.0.0.1:8545", help="JSON-RPC provider of the node's chain")
    parser.add_argument(
        "--trust", type=Path, help="trust file of svc-verify init; without it a node of make run is expected"
    )
    parser.add_argument(
        "--dev-root", type=Path, default=".data/tee-simulator/root.pem", help="the root that make run prints"
    )
    parser.add_argument("--tokens", type=int, default=5, help="number of whole tokens")
    options = parser.parse_args()
    trusted: dict[str, Any] = {"trust": options.trust}
    if options.trust is None:
        trusted = {"app_id": APP_ID, "account_contract": ACCOUNT_CONTRACT, "rpc_urls": [options.chain]}
        trusted["insecure_dev_root"] = options.dev_root
    key_file = os.environ.get("PAYER_KEY_FILE")
    chain = Chain(options.chain, Account.from_key(Path(key_file).read_text().strip() if key_file else LOCAL_PAYER))
    try:
        key = os.environ.get("SVC_API_KEY")
        if not key:
            with Client(options.node, **trusted) as svc:
                key = svc.account.create("pays").api_key
        with Client(options.node, key, **trusted) as svc:
            pay(svc, chain, options.tokens)
    except SvcError as error:
        sys.exit(f"{options.node}: {error}")


if __name__ == "__main__":
    main()
