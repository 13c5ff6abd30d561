"""Contract wallets on a local chain: deployed, made to sign (ERC-1271), and made to act."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from eth_abi.abi import encode
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak

from node.keyring.port import SigningKey
from tests.support.contract import Rpc, canonical, signature

ARTIFACT_FILE: Final = Path(__file__).parent / "contract_wallets.json"
CONTRACTS: Final[dict[str, Any]] = json.loads(ARTIFACT_FILE.read_text())["contracts"]
MAGIC: Final = bytes.fromhex("1626ba7e")
"""ERC-1271's yes."""


async def deploy_wallet(rpc: Rpc, sender: str, name: str, *arguments: object) -> str:
    """The EIP-55 address of a new contract of the artifact; `sender` pays, unlocked at anvil."""
    constructors = [entry for entry in CONTRACTS[name]["abi"] if entry["type"] == "constructor"]
    types = [canonical(each) for entry in constructors for each in entry["inputs"]]
    request = {"from": sender, "data": CONTRACTS[name]["bytecode"] + encode(types, arguments).hex()}
    receipt = await rpc.ask("eth_sendTransactionSync", request)
    assert receipt["status"] == "0x1"
    return str(to_checksum_address(receipt["contractAddress"]))


def calldata(name: str, function: str, *arguments: object) -> str:
    """A call of one of the artifact's functions, 0x hex."""
    entry = next(each for each in CONTRACTS[name]["abi"] if each.get("name") == function)
    types = [canonical(each) for each in entry["inputs"]]
    return "0x" + (keccak(signature(entry).encode())[:4] + encode(types, arguments)).hex()


@dataclass(frozen=True)
class OwnerWallet:
    """A wallet of one key."""

    address: str
    owner: SigningKey

    @classmethod
    async def deployed(cls, rpc: Rpc, sender: str, owner: SigningKey) -> "OwnerWallet":
        """A new one."""
        return cls(await deploy_wallet(rpc, sender, "OwnerWallet", owner.address), owner)

    def sign(self, digest: bytes) -> bytes:
        """What its `isValidSignature` takes for this digest: 65 bytes."""
        return self.owner.sign_digest(digest)

    def execution(self, to: str, data: bytes) -> str:
        """Calldata by which the owner, as sender, has the wallet call `to`."""
        return calldata("OwnerWallet", "execute", to, 0, data)


@dataclass(frozen=True)
class MultisigWallet:
    """A wallet of three keys of which two sign; `owners` in ascending order of their addresses."""

    address: str
    owners: Sequence[SigningKey]

    @classmethod
    async def deployed(cls, rpc: Rpc, sender: str, owners: Sequence[SigningKey]) -> "MultisigWallet":
        """A new one."""
        ordered = sorted(owners, key=lambda key: bytes.fromhex(key.address[2:]))
        addresses = [key.address for key in ordered]
        return cls(await deploy_wallet(rpc, sender, "MultisigWallet", addresses), ordered)

    def sign(self, digest: bytes) -> bytes:
        """What its `isValidSignature` takes for this digest: the first and the last owner's signatures, 130 bytes."""
        return self.owners[0].sign_digest(digest) + self.owners[2].sign_digest(digest)

    async def execution(self, rpc: Rpc, to: str, data: bytes) -> str:
        """Calldata by which anybody has the wallet call `to`, at its present nonce."""
        nonce = int(await self._ask(rpc, "nonce"), 16)
        digest = await self._ask(rpc, "executionDigest", to, 0, data, nonce)
        return calldata("MultisigWallet", "execute", to, 0, data, self.sign(bytes.fromhex(digest[2:])))

    async def _ask(self, rpc: Rpc, function: str, *arguments: object) -> str:
        request = {"to": self.address, "data": calldata("MultisigWallet", function, *arguments)}
        return str(await rpc.ask("eth_call", request, "latest"))


async def says(rpc: Rpc, wallet: str, digest: bytes, signed: bytes) -> bytes:
    """What a wallet's `isValidSignature` returns, as raw bytes; raises Revert."""
    request = {"to": wallet, "data": calldata("OwnerWallet", "isValidSignature", digest, signed)}
    return bytes.fromhex((await rpc.ask("eth_call", request, "latest"))[2:])


def magic_answer(dirty: bytes = bytes(28)) -> bytes:
    """The 32 bytes of a yes, with 28 bytes after the magic value."""
    assert len(dirty) == 28
    return MAGIC + dirty
