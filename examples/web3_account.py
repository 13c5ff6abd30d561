#!/usr/bin/env python3
"""Administers a ChainSecured account with web3.py, by the ABI that the node publishes.

    make run                                      # in one terminal
    .venv/bin/python examples/web3_account.py     # in another

The steps are those of `examples/chain_secured`, which needs no web3. Each printed line is a checked
claim. The node is proven before the first request (`svc_client`). For another node name --node and
--chain, and --trust with a file of `svc-verify init`. On the local chain an unlocked account gives
the gas. Needs `pip install web3`, which is no dependency of the client.
"""

import argparse
import time
from pathlib import Path
from typing import Any

from eth_account import Account
from eth_account.messages import encode_defunct
from web3 import Web3
from web3.exceptions import ContractCustomError
from web3.logs import DISCARD
from web3.middleware import SignAndSendRawMiddlewareBuilder
from web3.types import TxParams

from svc_client import Client

SIGN = "async function main({ wallet, text }) { return Svc.Actions.signMessage({ pkpId: wallet, message: text }); }"
APP_ID = "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512"
ACCOUNT_CONTRACT = "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0"
"""The application and the account contract of every `make run`."""
NO_GROUPS: list[int] = []
FIELDS = {"string": ("name", "version"), "uint256": ("chainId", "issuedAt"), "address": ("address",)}


def require(holds: bool, claim: str) -> None:
    """Print what holds; stop at what does not."""
    if not holds:
        raise SystemExit(f"NOT SO  {claim}")
    print(f"ok    {claim}")


class Wallet:
    """An externally owned account with gas, and the account contract as it calls it."""

    def __init__(self, chain_url: str, contract: str, abi: Any) -> None:
        self.key = Account.create()
        self.web3 = Web3(Web3.HTTPProvider(chain_url))
        give: TxParams = {"from": self.web3.eth.accounts[0], "to": self.key.address, "value": Web3.to_wei(1, "ether")}
        self.web3.eth.wait_for_transaction_receipt(self.web3.eth.send_transaction(give))
        self.web3.middleware_onion.inject(SignAndSendRawMiddlewareBuilder.build(self.key), layer=0)
        self.web3.eth.default_account = self.key.address
        self.contract = self.web3.eth.contract(address=Web3.to_checksum_address(contract), abi=abi)
        self.hash = int.from_bytes(Web3.keccak(hexstr=self.key.address))

    def send(self, function: str, *arguments: Any) -> Any:
        """Call a function in a transaction; its receipt."""
        sent = self.contract.functions[function](*arguments).transact()
        return self.web3.eth.wait_for_transaction_receipt(sent)

    def event(self, receipt: Any, name: str) -> Any:
        """The arguments of the one event of that name."""
        (event,) = self.contract.events[name]().process_receipt(receipt, errors=DISCARD)
        return event["args"]

    def signed(self, primary_type: str) -> tuple[dict[str, Any], str]:
        """The typed data that the service takes for 300 seconds, and the signature of it (EIP-712)."""
        domain = {"name": "Service ChainSecured", "version": "1", "chainId": str(self.web3.eth.chain_id)}
        message = {"address": self.key.address, "issuedAt": str(int(time.time()))}
        kinds = {name: kind for kind, names in FIELDS.items() for name in names}
        types = {
            kind: [{"name": name, "type": kinds[name]} for name in values]
            for kind, values in (("EIP712Domain", domain), (primary_type, message))
        }
        typed_data = {"types": types, "primaryType": primary_type, "domain": domain, "message": message}
        signature = self.key.sign_typed_data(full_message=typed_data).signature
        return typed_data, Web3.to_hex(signature)

    def refusal(self, function: str, *arguments: Any) -> str:
        """The name of the error with which the contract refuses a call; web3 gives its four bytes."""
        try:
            self.contract.functions[function](*arguments).call()
        except ContractCustomError as refused:
            errors = [entry for entry in self.contract.abi if entry["type"] == "error"]
            texts = (f"{each['name']}({','.join(of['type'] for of in each['inputs'])})" for each in errors)
            return next(text for text in texts if str(refused.data).startswith(Web3.to_hex(Web3.keccak(text=text)[:4])))
        return ""


def run(svc: Client, mine: Wallet, stranger: Wallet) -> tuple[str, str]:
    """Open an account with two wallets, a group and a usage key; the key, and the wallet it may use."""
    opened = mine.event(mine.send("newChainSecuredAccount", "web3", "by its published ABI"), "AccountCreated")
    require(opened["apiKeyHash"] == mine.hash, "the event names the account by the hash of its wallet's address")
    wallets = []
    for name in ("master", "signer"):
        minted = svc.wallets.mint_with_signature(*mine.signed("CreateWallet"))
        derivation = int(minted.derivation_path, 16)
        mine.send("registerWalletDerivation", mine.hash, minted.wallet_address, derivation, name, "")
        wallets.append(minted.wallet_address)
    cid = svc.actions.cid(SIGN)
    mine.send("addActionWithCid", mine.hash, "sign", "", cid)
    members = ([int.from_bytes(Web3.keccak(text=cid))], wallets[1:])
    group = mine.event(mine.send("addGroup", mine.hash, "signers", "", *members), "GroupAdded")["groupId"]
    key = svc.usage_keys.mint_with_signature(*mine.signed("AddUsageApiKey"))
    wallet = (mine.hash, key.wallet_address, int(key.derivation_path, 16), "of a usage key", "")
    mine.send("registerWalletDerivation", *wallet)
    usage, grants = (
        int.from_bytes(Web3.keccak(text=key.usage_api_key)),
        (False, False, False, *[NO_GROUPS] * 3, [group]),
    )
    mine.send("setUsageApiKey", mine.hash, usage, 0, 0, "key", "", *grants)
    found = mine.contract.functions.resolveMaster(mine.hash).call()
    require(found == mine.hash, "a view of the contract finds the account")
    refused = stranger.refusal("addGroup", mine.hash, "theirs", "", [], [])
    require(refused == "NoAccountAccess(uint256,address)", f"another wallet may not write: {refused}")
    return key.usage_api_key, wallets[1]


def sign(svc: Client, wallet: str) -> None:
    """Let the action sign with the usage key of `svc`, and recover the signature."""
    response = str(svc.actions.run(SIGN, {"wallet": wallet, "text": "by web3"}).response)
    signer = Account.recover_message(encode_defunct(text="by web3"), signature=response)
    require(signer == wallet, f"the signature recovers to {wallet}")


def main() -> None:
    """Parse the arguments, prove the node, and go."""
    parser = argparse.ArgumentParser(description="A ChainSecured account through web3.py and the published ABI.")
    parser.add_argument("--node", default="https://localhost:8443", help="the node")
    parser.add_argument("--chain", default="http://127.0.0.1:8545", help="JSON-RPC provider of the node's chain")
    parser.add_argument("--trust", type=Path, help="trust file of svc-verify init")
    parser.add_argument(
        "--dev-root", type=Path, default=".data/tee-simulator/root.pem", help="root that make run prints"
    )
    options = parser.parse_args()
    trusted: dict[str, Any] = {"trust": options.trust}
    if options.trust is None:
        trusted = {"app_id": APP_ID, "account_contract": ACCOUNT_CONTRACT, "rpc_urls": [options.chain]}
        trusted["insecure_dev_root"] = options.dev_root
    with Client(options.node, **trusted) as svc:
        contract, abi = svc.node.chain().contract_address, svc.node.account_contract_abi()
        key, wallet = run(svc, Wallet(options.chain, contract, abi), Wallet(options.chain, contract, abi))
    with Client(options.node, key, **trusted) as svc:
        sign(svc, wallet)


if __name__ == "__main__":
    main()
