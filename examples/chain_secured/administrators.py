"""Who may administer a ChainSecured account: a plain wallet, a contract wallet of one key, or one of three keys.

Each signs the service's typed data, and calls the account contract. The contract wallets are the small ones of the
tests; a Safe or any other ERC-1271 wallet can take their place.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from chain import REPOSITORY, Chain, address_of, calldata
from eth_abi.abi import encode
from eth_account import Account
from eth_account.signers.local import LocalAccount
from eth_typing import Hash32

CONTRACTS = json.loads((REPOSITORY / "tests/support/contract_wallets/contract_wallets.json").read_text())["contracts"]


class Administrator(ABC):
    """A wallet with an address that signs digests and makes calls."""

    address: str

    @abstractmethod
    def sign(self, digest: bytes) -> bytes:
        """What the service takes as this wallet's signature."""

    @abstractmethod
    def call(self, to: str, data: bytes) -> dict[str, Any]:
        """Call a contract as this wallet; the receipt."""


class PlainWallet(Administrator):
    """An externally owned account: one key."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._account: LocalAccount = Account.create()
        self.address = self._account.address
        chain.fund(self.address)

    def sign(self, digest: bytes) -> bytes:
        """65 bytes."""
        return bytes(self._account.unsafe_sign_hash(Hash32(digest)).signature)

    def call(self, to: str, data: bytes) -> dict[str, Any]:
        """A transaction of its own."""
        return self._chain.send(self._account, to, data)

    def deploy(self, code: bytes) -> str:
        """The address of a new contract."""
        return address_of(self._chain.send(self._account, None, code))


class OwnedContract(Administrator):
    """A contract wallet that one key signs and acts for."""

    def __init__(self, chain: Chain) -> None:
        self._owner = PlainWallet(chain)
        self.address = self._owner.deploy(_code("OwnerWallet", ["address"], [self._owner.address]))

    def sign(self, digest: bytes) -> bytes:
        """The owner's signature, which the contract knows (ERC-1271)."""
        return self._owner.sign(digest)

    def call(self, to: str, data: bytes) -> dict[str, Any]:
        """By the owner's transaction to the wallet."""
        return self._owner.call(self.address, calldata(CONTRACTS["OwnerWallet"]["abi"], "execute", to, 0, data))


class Multisig(Administrator):
    """A contract wallet of three keys, two of which sign and act together."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        self._sender = PlainWallet(chain)
        keys = [Account.create() for _ in range(3)]
        self._owners: list[LocalAccount] = sorted(keys, key=lambda key: int(key.address, 16))
        addresses = [owner.address for owner in self._owners]
        self.address = self._sender.deploy(_code("MultisigWallet", ["address[3]"], [addresses]))

    def sign(self, digest: bytes) -> bytes:
        """Two owners' signatures, one after the other, in the order of their addresses."""
        return b"".join(bytes(owner.unsafe_sign_hash(Hash32(digest)).signature) for owner in self._owners[:2])

    def call(self, to: str, data: bytes) -> dict[str, Any]:
        """Two owners sign what the wallet is to do next; anybody may bring it to the chain."""
        nonce = int(self._ask("nonce"), 16)
        digest = bytes.fromhex(self._ask("executionDigest", to, 0, data, nonce)[2:])
        return self._sender.call(self.address, self._encode("execute", to, 0, data, self.sign(digest)))

    def _ask(self, function: str, *arguments: Any) -> str:
        call = {"to": self.address, "data": "0x" + self._encode(function, *arguments).hex()}
        return str(self._chain.ask("eth_call", call, "latest"))

    def _encode(self, function: str, *arguments: Any) -> bytes:
        return calldata(CONTRACTS["MultisigWallet"]["abi"], function, *arguments)


ADMINISTRATORS: dict[str, Callable[[Chain], Administrator]] = {
    "wallet": PlainWallet,
    "owned-contract": OwnedContract,
    "multisig": Multisig,
}


def _code(contract: str, types: list[str], arguments: list[Any]) -> bytes:
    return bytes.fromhex(CONTRACTS[contract]["bytecode"][2:]) + encode(types, arguments)
