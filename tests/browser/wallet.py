"""A wallet in the browser: announced by EIP-6963, asked by EIP-1193, with a real key that signs in this process."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import aiohttp
from eth_account import Account
from eth_account.messages import encode_defunct, encode_typed_data
from eth_account.signers.local import LocalAccount

from devkit.local_chain import FUNDED_KEYS
from node.values import checksum_address
from tests.browser.page import BrowserPage

BINDING: Final = "testWalletRequest"
SOURCE: Final = (Path(__file__).parent / "wallet.js").read_text()
REJECTED: Final = (4001, "User rejected the request.")
UNKNOWN_CHAIN: Final = (4902, "Unrecognized chain ID.")
UNAUTHORISED: Final = (4100, "The requested account has not been authorized.")
ICON: Final = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1 1'/%3E"


class WalletError(Exception):
    """An answer of the wallet that is an error of EIP-1193 or of JSON-RPC."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(code, message, data)


@dataclass(frozen=True)
class Announcement:
    """The wallet's announcement (EIP-6963)."""

    name: str = "Test Wallet"
    icon: str = ICON
    rdns: str = "org.example.wallet"
    uuid: str = "350670db-19fa-4704-a166-e52e178b59d2"


@dataclass
class Wallet:
    """An account on a chain. Its user agrees to all, but rejects the methods in `rejects`."""

    chain_url: str
    key: str = FUNDED_KEYS[1]
    chain_id: int = 31337
    announcement: Announcement = field(default_factory=Announcement)
    rejects: set[str] = field(default_factory=set)
    asked: list[tuple[str, list[Any]]] = field(default_factory=list)
    other_chain: bool = False
    """The wallet has another chain selected until it is asked to switch."""

    @property
    def account(self) -> LocalAccount:
        """The key."""
        signer: LocalAccount = Account.from_key(self.key)
        return signer

    @property
    def address(self) -> str:
        """The account's address, with its checksum."""
        return str(self.account.address)

    def methods(self) -> list[str]:
        """The methods that were asked for, in order."""
        return [method for method, _ in self.asked]

    async def answer(self, method: str, parameters: list[Any]) -> Any:
        """The result of a request. Raises WalletError."""
        self.asked.append((method, parameters))
        if method in self.rejects:
            raise WalletError(*REJECTED)
        own: dict[str, Callable[..., Awaitable[Any]]] = {
            "eth_requestAccounts": self._accounts,
            "eth_accounts": self._accounts,
            "eth_chainId": self._chain,
            "wallet_switchEthereumChain": self._switch,
            "personal_sign": self._sign,
            "eth_signTypedData_v4": self._sign_typed_data,
            "eth_sendTransaction": self._send,
        }
        return await (own[method](*parameters) if method in own else self.rpc(method, *parameters))

    async def _accounts(self, *_: object) -> list[str]:
        return [self.address.lower()]

    async def _chain(self, *_: object) -> str:
        return hex(1 if self.other_chain else self.chain_id)

    async def _switch(self, wanted: dict[str, str]) -> None:
        if int(wanted["chainId"], 16) != self.chain_id:
            raise WalletError(*UNKNOWN_CHAIN)
        self.other_chain = False

    async def _sign(self, message: str, address: str) -> str:
        self._own(address)
        signed = self.account.sign_message(encode_defunct(hexstr=message))
        return f"0x{signed.signature.hex().removeprefix('0x')}"

    async def _sign_typed_data(self, address: str, typed_data: str) -> str:
        self._own(address)
        signed = self.account.sign_message(encode_typed_data(full_message=json.loads(typed_data)))
        return f"0x{signed.signature.hex().removeprefix('0x')}"

    async def _send(self, transaction: dict[str, str]) -> str:
        self._own(transaction["from"])
        if self.other_chain:
            raise WalletError(4901, "The wallet is on another chain.")
        gas = transaction.get("gas") or await self.rpc("eth_estimateGas", transaction)
        unsigned: dict[str, Any] = {
            "to": checksum_address(transaction["to"]),
            "data": transaction.get("data", "0x"),
            "value": int(transaction.get("value", "0x0"), 16),
            "gas": int(gas, 16),
            "gasPrice": int(await self.rpc("eth_gasPrice"), 16),
            "nonce": int(await self.rpc("eth_getTransactionCount", self.address, "pending"), 16),
            "chainId": self.chain_id,
        }
        signed = self.account.sign_transaction(unsigned)
        return str(await self.rpc("eth_sendRawTransaction", f"0x{signed.raw_transaction.hex().removeprefix('0x')}"))

    def _own(self, address: str) -> None:
        if address.lower() != self.address.lower():
            raise WalletError(*UNAUTHORISED)

    async def rpc(self, method: str, *parameters: object) -> Any:
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": list(parameters)}
        async with aiohttp.ClientSession() as session, session.post(self.chain_url, json=request) as response:
            answer = await response.json()
        if "error" in answer:
            error = answer["error"]
            raise WalletError(error["code"], error["message"], error.get("data"))
        return answer["result"]


class InjectedWallet:
    """The wallet of a page, as an extension of the browser gives it to every document."""

    def __init__(self, page: BrowserPage, wallet: Wallet) -> None:
        self._page = page
        self._wallet = wallet

    async def inject(self) -> None:
        """Announce the wallet in every document that the page opens from now on."""
        await self._page.expose(BINDING, self._asked)
        announcement = json.dumps(vars(self._wallet.announcement))
        await self._page.before_scripts(SOURCE.replace("ANNOUNCEMENT", announcement))

    async def emit(self, event: str, value: object) -> None:
        """Tell the page of an event of EIP-1193: `accountsChanged`, `chainChanged`, `disconnect`."""
        await self._page.value(f"testWallet.emit({json.dumps(event)}, {json.dumps(value)})")

    async def _asked(self, text: str) -> None:
        request = json.loads(text)
        try:
            result = await self._wallet.answer(request["method"], list(request.get("params") or []))
        except WalletError as error:
            answer = {"error": dict(zip(("code", "message", "data"), error.args, strict=True))}
        else:
            answer = {"result": result}
        await self._page.value(f"testWallet.answer({request['id']}, {json.dumps(answer)})")
