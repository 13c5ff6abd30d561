"""What is asked of the chain: the calls, storage slots and events of DstackApp and DstackKms (attestation.md section 3)."""

from dataclasses import dataclass
from typing import Final

from svc_verifier.chain.abi import WORD, address_word, selector, topic
from svc_verifier.material import ContractCall

IMPLEMENTATION_SLOT: Final = bytes.fromhex("360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc")
"""ERC-1967: where a proxy keeps the address of its code."""

COMPOSE_HASH_ADDED: Final = topic("ComposeHashAdded(bytes32)")
COMPOSE_HASH_REMOVED: Final = topic("ComposeHashRemoved(bytes32)")
UPGRADES_DISABLED: Final = topic("UpgradesDisabled()")
TOPICS: Final = (COMPOSE_HASH_ADDED, COMPOSE_HASH_REMOVED, UPGRADES_DISABLED)


@dataclass(frozen=True, slots=True)
class AppQuestions:
    """The calls on one app contract."""

    app_id: bytes

    def compose_allowed(self, compose_hash: bytes) -> ContractCall:
        """`allowedComposeHashes(bytes32)`."""
        return self._call("allowedComposeHashes(bytes32)", compose_hash)

    @property
    def owner(self) -> ContractCall:
        """`owner()`."""
        return self._call("owner()")

    @property
    def pending_owner(self) -> ContractCall:
        """`pendingOwner()`."""
        return self._call("pendingOwner()")

    @property
    def allow_any_device(self) -> ContractCall:
        """`allowAnyDevice()`."""
        return self._call("allowAnyDevice()")

    @property
    def require_tcb_up_to_date(self) -> ContractCall:
        """`requireTcbUpToDate()`."""
        return self._call("requireTcbUpToDate()")

    @property
    def approval_delay(self) -> ContractCall:
        """`approvalDelay()`: ours; a contract without it approves at once."""
        return self._call("approvalDelay()")

    @property
    def pending_approvals(self) -> ContractCall:
        """`pendingComposeHashes()`: ours."""
        return self._call("pendingComposeHashes()")

    def _call(self, signature: str, argument: bytes = b"") -> ContractCall:
        return ContractCall(self.app_id, selector(signature) + argument)


def os_image_allowed(kms: bytes, os_image_hash: bytes) -> ContractCall:
    """`allowedOsImages(bytes32)` of the KMS contract."""
    return ContractCall(kms, selector("allowedOsImages(bytes32)") + os_image_hash)


def kms_info(kms: bytes) -> ContractCall:
    """`kmsInfo()` of the KMS contract: k256Pubkey, caPubkey, quote, eventlog."""
    return ContractCall(kms, selector("kmsInfo()"))


def app_registered(kms: bytes, app_id: bytes) -> ContractCall:
    """`registeredApps(address)`; anybody may register, so it proves nothing."""
    return ContractCall(kms, selector("registeredApps(address)") + address_word(app_id))


def safe_threshold(owner: bytes) -> ContractCall:
    """`getThreshold()` of a Safe."""
    return ContractCall(owner, selector("getThreshold()"))


def safe_owners(owner: bytes) -> ContractCall:
    """`getOwners()` of a Safe."""
    return ContractCall(owner, selector("getOwners()"))


def calls(
    app_id: bytes, kms: bytes | None, compose_hash: bytes, os_image_hash: bytes | None
) -> tuple[ContractCall, ...]:
    """Every call of one verification but those on the owner, which is known only from their answers."""
    app = AppQuestions(app_id)
    asked = [
        app.compose_allowed(compose_hash),
        app.owner,
        app.pending_owner,
        app.allow_any_device,
        app.require_tcb_up_to_date,
        app.approval_delay,
        app.pending_approvals,
    ]
    if kms is not None:
        asked += [kms_info(kms), app_registered(kms, app_id)]
        if os_image_hash is not None and len(os_image_hash) == WORD:
            asked.append(os_image_allowed(kms, os_image_hash))
    return tuple(asked)
