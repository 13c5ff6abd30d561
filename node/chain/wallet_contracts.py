"""ERC-1271 signatures of contract wallets (WalletContracts of node/chain/port.py): whatever the contract does, one verdict.

The endpoints run a small program of this node's own at one block, which calls the wallet and says what came of it. So a
wallet that reverts, burns its gas or answers garbage gives an answer like any other, on which a quorum agrees to the bit.
"""

import asyncio
from dataclasses import dataclass
from typing import Final

from eth_abi.abi import encode

from node.chain.abi import AbiDecodeError
from node.chain.port import ContractVerdict
from node.chain.quorum import refusals
from node.chain.quorum.reader import QuorumReader
from node.chain.quorum.view_calls import Returned, ViewCall
from node.values import keccak256

SELECTOR: Final = keccak256(b"isValidSignature(bytes32,bytes)")[:4]
"""0x1626ba7e, which is the magic value too (ERC-1271)."""
MAGIC: Final = SELECTOR.ljust(32, b"\0")
PROGRAM_GAS: Final = 600_000
"""For everything but the wallet: making a contract, and 4 KiB of signature as calldata (EIP-7623)."""


@dataclass(frozen=True, slots=True)
class WalletContractLimits:
    """What asking one contract wallet may take.

    `signature_gas`: the most gas isValidSignature may burn; a wallet that needs more has not signed.
    `signature_timeout_s`: how long the endpoints may take together, in seconds; then it is 503.
    """

    signature_gas: int = 3_000_000
    signature_timeout_s: float = 8.0


class QuorumWalletContracts:
    """Asks the endpoints of `quorum`. What a wallet answers is nobody's fault: no endpoint is blamed for it."""

    def __init__(self, quorum: QuorumReader, limits: WalletContractLimits) -> None:
        self._quorum = quorum
        self._limits = limits

    async def verdict(self, wallet: str, digest: bytes, signature: bytes) -> ContractVerdict:
        """Whether the contract at `wallet` (0x hex) accepts. Raises NodeError `chain_unavailable`."""
        gas = self._limits.signature_gas
        program = verdict_program(wallet, SELECTOR + encode(["bytes32", "bytes"], [digest, signature]), gas)
        # An endpoint keeps back a 64th of what it has (EIP-150), and the wallet is to have all of its own.
        call = ViewCall(None, program, _verdict, gas + gas // 63 + PROGRAM_GAS)
        try:
            async with asyncio.timeout(self._limits.signature_timeout_s):
                _, (answer,) = await self._quorum.read([call], of_strangers=True)
        except TimeoutError:
            raise refusals.too_few_answer() from None
        if not isinstance(answer, Returned):
            raise refusals.NotComputedError
        (verdict,) = answer.values
        return ContractVerdict(verdict)


def verdict_program(wallet: str, calldata: bytes, gas: int) -> bytes:
    """EVM code that calls `wallet` statically with `calldata` and `gas`, and returns a ContractVerdict's number (pure)."""
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
