"""Reads of contracts that are neither this project's nor trusted, by a quorum: contract wallets, and the app's governance contract.

Such a contract may tell providers apart, revert, burn its gas or answer garbage, so no provider is blamed for its answers.
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
"""Time of the providers together for one wallet, then 503: below the ten seconds that many HTTP clients wait."""

SELECTOR: Final = keccak256(b"isValidSignature(bytes32,bytes)")[:4]
"""0x1626ba7e, which is the magic value too (ERC-1271)."""
MAGIC: Final = SELECTOR.ljust(32, b"\0")
PROGRAM_GAS: Final = 600_000
"""Gas for everything but the wallet: making a contract, and 4 KiB of signature as calldata (EIP-7623)."""


class QuorumWalletContracts:
    """Checks ERC-1271 signatures (WalletContracts of node/chain/port.py) by the providers of `quorum`.

    The providers run a small program of this node's own at one block, which calls the wallet and returns a verdict. So a
    wallet that reverts, burns its gas or answers garbage gives a result like any other, on which a quorum agrees to the
    bit (ADR 15).
    """

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
        # The program itself never reverts: a provider's own bound ended it, which says nothing of the signature.
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


COMPOSE_APPROVAL_INTERVAL_S: Final = 60.0
"""Interval of the reads. A removed hash calls for a person, who needs minutes; one read a minute costs no quota."""

_SELECTOR: Final = keccak256(b"allowedComposeHashes(bytes32)")[:4]
_TRUE: Final = (1).to_bytes(32)
_FALSE: Final = bytes(32)

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class AppIdentity:
    """App id (20 bytes) and compose hash (32 bytes) of this machine, as the guest agent reports them."""

    app_id: bytes
    compose_hash: bytes


class ComposeApproval:
    """Last known approval of this machine's compose hash. `identity` returns None while the platform does not respond.

    The contract of a dstack app is at the address that is its app id, and the key service asks it at each start of a
    machine. A machine that runs already keeps its keys when its compose hash is removed: nothing but this check notices.
    """

    def __init__(
        self, quorum: QuorumReader, identity: Callable[[], Awaitable[AppIdentity | None]], clock: Clock | None = None
    ) -> None:
        self._quorum = quorum
        self._identity = identity
        self._sleep = (clock or Clock()).sleep
        self._own: AppIdentity | None = None
        self.allowed: bool | None = None
        """Last answer. None: not read yet, or the account contract's chain has no such contract at the app id."""

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
        """Read the approval. A read that fails keeps the last value: it says nothing about the approval."""
        # A running machine keeps its identity, so the last known one serves while the guest agent is silent.
        self._own = await self._identity() or self._own
        if self._own is None:
            return
        calldata = _SELECTOR + self._own.compose_hash
        call = ViewCall("0x" + self._own.app_id.hex(), calldata, any_bytes)
        try:
            # The contract is the operator's, may be none at all, and may be upgraded: no provider is blamed for it.
            _, (answer,) = await self._quorum.read([call], of_strangers=True)
        except DomainError:
            return
        before, self.allowed = self.allowed, _meaning(answer.data) if isinstance(answer, Returned) else None
        # Logged at the change alone; /health shows the problem as long as it lasts.
        if self.allowed is not before and self.problem is not None:
            _log.error("compose_hash_not_allowed", compose_hash=self._own.compose_hash.hex())

    @contextlib.asynccontextmanager
    async def checking(self) -> AsyncIterator[None]:
        """Check at once and then every COMPOSE_APPROVAL_INTERVAL_S, in the background, until the context ends."""
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


def _meaning(data: bytes) -> bool | None:
    return {_TRUE: True, _FALSE: False}.get(data)
