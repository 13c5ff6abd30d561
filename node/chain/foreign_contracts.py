"""Reads of untrusted contracts by a quorum: contract wallets, and the app's governance contract.

They may revert, burn gas, return garbage, or differ by provider, so no provider is blamed.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Final

import structlog
from eth_abi.abi import encode

from node.chain.abi import AbiDecodeError
from node.chain.errors import ViewNotComputedError, too_few_answer
from node.chain.port import ContractVerdict
from node.chain.quorum.reader import QuorumReader
from node.chain.quorum.round import Returned, ViewCall, any_bytes
from node.errors import DomainError
from node.runtime.clock import Clock
from node.runtime.tasks import TaskSet
from node.settings.chain import WalletContractSettings
from node.values import keccak256

SIGNATURE_TIMEOUT_S: Final = 8.0
"""Time-out for one wallet, then 503. Many HTTP clients wait ten seconds."""

SELECTOR: Final = keccak256(b"isValidSignature(bytes32,bytes)")[:4]
"""0x1626ba7e, which is also the magic value (ERC-1271)."""
MAGIC: Final = SELECTOR.ljust(32, b"\0")
PROGRAM_GAS: Final = 600_000
"""Gas besides the wallet's, for contract creation and 4 KiB of calldata (EIP-7623)."""


class QuorumWalletContracts:
    """Implements WalletContracts of node/chain/port.py for ERC-1271 signatures.

    The providers run a small program of this node at one block, which calls the wallet and returns
    a verdict. So also a wallet that reverts, burns its gas or returns garbage has one result on
    which a quorum agrees exactly (ADR 15).
    """

    def __init__(self, quorum: QuorumReader, settings: WalletContractSettings) -> None:
        self._quorum = quorum
        self._gas = settings.wallet_signature_gas

    async def verdict(self, wallet: str, digest: bytes, signature: bytes) -> ContractVerdict:
        """See `WalletContracts.verdict`."""
        gas = self._gas
        program = verdict_program(wallet, SELECTOR + encode(["bytes32", "bytes"], [digest, signature]), gas)
        # A call passes on 63/64 of the gas (EIP-150). The wallet gets all of its own.
        call = ViewCall(None, program, _verdict, gas + gas // 63 + PROGRAM_GAS)
        try:
            async with asyncio.timeout(SIGNATURE_TIMEOUT_S):
                _, (answer,) = await self._quorum.read([call], of_strangers=True)
        except TimeoutError:
            raise too_few_answer() from None
        # The program never reverts, so a provider's limit ended it. The signature is undecided.
        if not isinstance(answer, Returned):
            raise ViewNotComputedError
        (verdict,) = answer.values
        return ContractVerdict(verdict)


def verdict_program(wallet: str, calldata: bytes, gas: int) -> bytes:
    """Returns EVM code that calls `wallet` statically and returns a ContractVerdict."""
    address = bytes.fromhex(wallet.removeprefix("0x"))
    length = len(calldata).to_bytes(2)

    def copying(offset: int) -> bytes:
        return b"\x61" + length + b"\x61" + offset.to_bytes(2) + b"\x60\x00\x39"  # CODECOPY to 0

    calling = (
        b"\x60\x20\x60\x00"  # the result, at most 32 bytes, to 0
        + (b"\x61" + length + b"\x60\x00")  # the calldata, at 0
        + (b"\x73" + address)
        + (b"\x63" + gas.to_bytes(4))
        + b"\xfa"  # STATICCALL
        + b"\x3d\x60\x20\x14\x16"  # and RETURNDATASIZE == 32
        + (b"\x60\x00\x51\x7f" + MAGIC + b"\x14\x16")  # and the word at 0 == the magic value
        + (b"\x73" + address + b"\x3b\x15\x15")  # has code: EXTCODESIZE, made 0 or 1
        + b"\x80\x91\x16\x01"  # has code + (accepted and has code), as a precompile has no code
        + b"\x60\x00\x52\x60\x20\x60\x00\xf3"  # returned as one word
    )
    return copying(len(copying(0) + calling)) + calling + calldata


def _verdict(data: bytes) -> tuple[object, ...]:
    number = int.from_bytes(data)
    if len(data) != len(MAGIC) or number not in {verdict.value for verdict in ContractVerdict}:
        raise AbiDecodeError("a verdict is one word of 0, 1 or 2")
    return (number,)


COMPOSE_APPROVAL_INTERVAL_S: Final = 60.0
"""Interval of the reads. A removal needs a person's action, so a minute is short enough."""

_SELECTOR: Final = keccak256(b"allowedComposeHashes(bytes32)")[:4]
_TRUE: Final = (1).to_bytes(32)
_FALSE: Final = bytes(32)

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class AppIdentity:
    """App id (20 bytes) and compose hash (32 bytes) of this machine, from the guest agent."""

    app_id: bytes
    compose_hash: bytes


class ComposeApproval:
    """Last known approval of this machine's compose hash by the contract at its app id.

    The key service reads it at each start of a machine. A running machine keeps its keys when its
    hash is removed, which only this check notices. `identity` returns None without the platform.
    """

    def __init__(
        self, quorum: QuorumReader, identity: Callable[[], Awaitable[AppIdentity | None]], clock: Clock | None = None
    ) -> None:
        self._quorum = quorum
        self._identity = identity
        self._sleep = (clock or Clock()).sleep
        self._own: AppIdentity | None = None
        self.allowed: bool | None = None
        """Last result. None: not read yet, or no such contract is at the app id on this chain."""

    @property
    def problem(self) -> str | None:
        """Note for /health while the hash is not allowed; None otherwise."""
        if self.allowed is not False or self._own is None:
            return None
        return (
            f"the app's contract 0x{self._own.app_id.hex()} no longer allows this node's compose hash "
            f"0x{self._own.compose_hash.hex()}: the node runs on with the keys it has, and gets none at its next start"
        )

    async def check(self) -> None:
        """Reads the approval. A failed read keeps the last value."""
        # A running machine keeps its identity, so the last one serves if the agent is silent.
        self._own = await self._identity() or self._own
        if self._own is None:
            return
        calldata = _SELECTOR + self._own.compose_hash
        call = ViewCall("0x" + self._own.app_id.hex(), calldata, any_bytes)
        try:
            # The operator may upgrade or never deploy it, so no provider is blamed.
            _, (answer,) = await self._quorum.read([call], of_strangers=True)
        except DomainError:
            return
        before = self.allowed
        self.allowed = {_TRUE: True, _FALSE: False}.get(answer.data) if isinstance(answer, Returned) else None
        # Logged only at the change. /health shows the problem for its whole duration.
        if self.allowed is not before and self.problem is not None:
            _log.error("compose_hash_not_allowed", compose_hash=self._own.compose_hash.hex())

    @contextlib.asynccontextmanager
    async def checking(self) -> AsyncIterator[None]:
        """Checks now and every COMPOSE_APPROVAL_INTERVAL_S in the background, until the end."""
        tasks = TaskSet("compose_approval")
        tasks.keep(self._check_regularly)
        try:
            yield
        finally:
            await tasks.stop()

    async def _check_regularly(self) -> None:
        while True:
            await self.check()
            await self._sleep(COMPOSE_APPROVAL_INTERVAL_S)
