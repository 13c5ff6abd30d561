"""What two honest providers say of the app's governance contract, encoded by hand from the published selectors."""

import hashlib
from dataclasses import dataclass, field, replace
from typing import Final

from eth_utils.crypto import keccak

from svc_verifier.material import BlockHead, ContractCall, ContractLog, Missing, ProviderAnswers
from tests.support.attested.accounts import AccountContract, word
from tests.support.attested.td import APP_ID, NOW_S

CHAIN_ID: Final = 31_337
OWNER: Final = bytes.fromhex("0e" * 20)
KMS: Final = bytes.fromhex("5e" * 20)
SLOT: Final = bytes.fromhex("360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc")
ADDED: Final = keccak(text="ComposeHashAdded(bytes32)")
REMOVED: Final = keccak(text="ComposeHashRemoved(bytes32)")
UPGRADES_DISABLED: Final = keccak(text="UpgradesDisabled()")

ALLOWED: Final = bytes.fromhex("2f6622e5")
OWNER_OF: Final = bytes.fromhex("8da5cb5b")
PENDING_OWNER: Final = bytes.fromhex("e30c3978")
ALLOW_ANY_DEVICE: Final = bytes.fromhex("3440a16a")
REQUIRE_TCB: Final = bytes.fromhex("0aa58c83")
OS_IMAGES: Final = bytes.fromhex("9a4e1d18")
APPROVAL_DELAY: Final = keccak(text="approvalDelay()")[:4]
PENDING: Final = keccak(text="pendingComposeHashes()")[:4]

CODE: Final = bytes.fromhex("6080604052600080fdfe")
"""A contract that always reverts: no delegate call, no self-destruction."""

PROXY_CODE: Final = bytes.fromhex("363d3d373d3d3d363d73") + bytes(20) + bytes.fromhex("5af43d82803e903d91602b57fd5bf3")
"""EIP-1167, which delegates every call."""


def pairs(*items: tuple[bytes, int]) -> bytes:
    """An array of (bytes32, uint256)."""
    return word(32) + word(len(items)) + b"".join(digest + word(number) for digest, number in items)


def added(digest: bytes, time_s: int = NOW_S - 86_400, address: bytes = APP_ID, topic: bytes = ADDED) -> ContractLog:
    """The event of an approval."""
    return ContractLog(address, (topic,), digest, 7, time_s)


@dataclass
class Chain:
    """What is true on chain; `answers` writes it as a provider's answers."""

    compose_hash: bytes
    chain_id: int = CHAIN_ID
    allowed: bool | None = True
    code: dict[bytes, bytes] = field(default_factory=lambda: {APP_ID: CODE, OWNER: b""})
    slot: bytes | None = bytes(32)
    owner: bytes | None = OWNER
    pending_owner: bytes = bytes(20)
    delay: int | None = 60
    pending: tuple[tuple[bytes, int], ...] = ()
    policy: bool | None = True
    logs: tuple[ContractLog, ...] | Missing | None = None
    calls: dict[ContractCall, bytes | None] = field(default_factory=dict)
    block_time_s: int = NOW_S - 12
    accounts: AccountContract = field(default_factory=AccountContract)
    head: BlockHead | None = field(default_factory=lambda: BlockHead(4_713, NOW_S - 8))

    def answers(self, name: str) -> ProviderAnswers:
        """All of it, as one provider tells it."""

        def call(selector: bytes, argument: bytes = b"") -> ContractCall:
            return ContractCall(APP_ID, selector + argument)

        policy = None if self.policy is None else word(int(self.policy))
        allowed = None if self.allowed is None else word(int(self.allowed))
        calls: dict[ContractCall, bytes | None] = {
            call(ALLOWED, self.compose_hash): allowed,
            call(OWNER_OF): None if self.owner is None else word(self.owner),
            call(PENDING_OWNER): word(self.pending_owner),
            call(ALLOW_ANY_DEVICE): policy,
            call(REQUIRE_TCB): policy,
            call(APPROVAL_DELAY): None if self.delay is None else word(self.delay),
            call(PENDING): None if self.delay is None else pairs(*self.pending),
        }
        return ProviderAnswers(
            name=name,
            chain_id=self.chain_id,
            block_number=4_711,
            block_hash=hashlib.sha256(b"block").digest(),
            block_time_s=self.block_time_s,
            code=dict(self.code) | self.accounts.codes(),
            storage={} if self.slot is None else {(APP_ID, SLOT): self.slot},
            calls=calls | self.accounts.calls() | self.calls,
            logs=(added(self.compose_hash),) if self.logs is None else self.logs,
            head=self.head,
            newest={call(ALLOWED, self.compose_hash): allowed},
        )


def without(answers: ProviderAnswers, selector: bytes) -> ProviderAnswers:
    """The same, had the question never been asked."""
    return replace(answers, calls={call: answer for call, answer in answers.calls.items() if call.data[:4] != selector})
