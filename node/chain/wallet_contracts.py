"""ERC-1271 signatures of contract wallets (WalletContracts of node/chain/port.py), checked by a quorum.

The endpoints run a small program of this node's own at one block, which calls the wallet and returns a verdict. So a
wallet that reverts, burns its gas or answers garbage gives a result like any other, on which a quorum agrees to the bit.
"""

import asyncio
from typing import Final

from eth_abi.abi import encode

from node.chain.abi import AbiDecodeError
from node.chain.errors import ViewNotComputedError, too_few_answer
from node.chain.port import ContractVerdict
from node.chain.quorum.reader import QuorumReader
from node.chain.quorum.round import Returned, ViewCall
from node.settings.chain import WalletContractSettings
from node.values import keccak256

SIGNATURE_TIMEOUT_S: Final = 8.0
"""Time of the endpoints together for one wallet, then 503: below the ten seconds that many HTTP clients wait."""

SELECTOR: Final = keccak256(b"isValidSignature(bytes32,bytes)")[:4]
"""0x1626ba7e, which is the magic value too (ERC-1271)."""
MAGIC: Final = SELECTOR.ljust(32, b"\0")
PROGRAM_GAS: Final = 600_000
"""Gas for everything but the wallet: making a contract, and 4 KiB of signature as calldata (EIP-7623)."""


class QuorumWalletContracts:
    """Checks signatures by the endpoints of `quorum`. No endpoint is blamed for the answers of a wallet."""

    def __init__(self, quorum: QuorumReader, settings: WalletContractSettings) -> None:
        self._quorum = quorum
        self._gas = settings.wallet_signature_gas

    async def verdict(self, wallet: str, digest: bytes, signature: bytes) -> ContractVerdict:
        """Return whether the contract at `wallet` (0x hex) accepts. Raises ChainUnavailableError."""
        gas = self._gas
        program = verdict_program(wallet, SELECTOR + encode(["bytes32", "bytes"], [digest, signature]), gas)
        # A call passes on 63/64 of the gas (EIP-150), and the wallet is to have all of its own.
        call = ViewCall(None, program, _verdict, gas + gas // 63 + PROGRAM_GAS)
        try:
            async with asyncio.timeout(SIGNATURE_TIMEOUT_S):
                _, (answer,) = await self._quorum.read([call], of_strangers=True)
        except TimeoutError:
            raise too_few_answer() from None
        if not isinstance(answer, Returned):
            raise ViewNotComputedError
        (verdict,) = answer.values
        return ContractVerdict(verdict)


def verdict_program(wallet: str, calldata: bytes, gas: int) -> bytes:
    """Return EVM code that calls `wallet` statically with `calldata` and `gas`, and returns a ContractVerdict's number."""
    address = bytes.fromhex(wallet.removeprefix("0x"))
    length = len(calldata).to_bytes(2)

    def copying(offset: int) -> bytes:
        return b"\x61" + length + b"\x61" + offset.to_bytes(2) + b"\x60\x00\x39"  # CODECOPY(0, offset, length)

    calling = (
        b"\x60\x20\x60\x00"  # the answer: at most 32 bytes, to 0
        + (b"\x61" + length + b"\x60\x00")  # the calldata, at 0
        + (b"\x73" + address)
        + (b"\x63" + gas.to_bytes(4))
        + b"\xfa"  # STATICCALL
        + b"\x3d\x60\x20\x14\x16"  # and RETURNDATASIZE == 32
        + (b"\x60\x00\x51\x7f" + MAGIC + b"\x14\x16")  # and the word at 0 == the magic value
        + (b"\x73" + address + b"\x3b\x15\x15")  # has code: EXTCODESIZE, made 0 or 1
        + b"\x80\x91\x16\x01"  # has code + (accepted and has code): a precompile accepts nothing
        + b"\x60\x00\x52\x60\x20\x60\x00\xf3"  # returned as one word
    )
    return copying(len(copying(0) + calling)) + calling + calldata


def _verdict(data: bytes) -> tuple[object, ...]:
    number = int.from_bytes(data)
    if len(data) != len(MAGIC) or number not in {verdict.value for verdict in ContractVerdict}:
        raise AbiDecodeError("a verdict is one word of 0, 1 or 2")
    return (number,)
