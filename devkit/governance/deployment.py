"""The governance contracts of a data directory. The app's address is the simulated app id."""

import hashlib
import json
import shlex
import sys
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from typing import Final

from eth_abi.abi import encode
from pydantic import JsonValue

from devkit.local_chain import FUNDED_KEYS
from devkit.records import another_version, write_record
from node.chain.deployment import deploy_contract, has_code
from node.chain.rpc import JsonRpc, RpcError
from node.errors import StartupRefusedError
from node.keyring.signing_key import key_from_hex

APPROVAL_DELAY_S: Final = 60
"""Seconds that a scheduled approval waits, long enough to be seen and short enough to wait."""

ALLOWED_COMPOSE_HASHES: Final = "0x2f6622e5"
"""Selector of `allowedComposeHashes(bytes32)`."""


@dataclass(frozen=True, slots=True)
class GovernanceTerms:
    """Initial content of the contracts, with the OS image and the first allowed compose hash.

    The key service's public key is compressed, its authority's is DER; hashes have 32 bytes.
    """

    kms_public_key: bytes
    kms_ca_public_key: bytes
    os_image_hash: bytes
    compose_hash: bytes


@dataclass(frozen=True, slots=True)
class Governance:
    """Addresses (EIP-55), and a fingerprint of the contracts' build with its key service."""

    app: str
    kms: str
    version: str

    @property
    def app_id(self) -> bytes:
        """Address of the app, 20 bytes."""
        return bytes.fromhex(self.app.removeprefix("0x"))


async def deployed_governance(rpc: JsonRpc, record: Path, terms: GovernanceTerms) -> Governance:
    """Returns the contracts that `record` names, or new ones if the chain lacks them.

    Every key of the node depends on the app's address, so it is never replaced silently. Raises
    StartupRefusedError naming data_dir, and errors of the deployment.
    """
    version = _version(terms)
    known = Governance(**json.loads(record.read_text())) if record.exists() else None
    if known is not None and known.version != version:
        raise another_version(record.parent)
    if known is not None and await has_code(rpc, known.app):
        return known
    owner = key_from_hex(FUNDED_KEYS[0])
    # The chain may have lost only the second one, which must be deployed to its old address.
    kept = known is not None and await has_code(rpc, known.kms)
    kms = known.kms if known and kept else await deploy_contract(rpc, owner, _kms_code(owner.address, terms))
    app = await deploy_contract(rpc, owner, _app_code(owner.address, kms, terms.compose_hash))
    deployed = Governance(app, kms, version)
    # The chain lost a contract whose successor has another address. The record stays, since the
    # keys depend on it.
    if known is not None and known != deployed:
        raise another_version(record.parent)
    write_record(record, asdict(deployed))
    return deployed


async def require_allowed(rpc: JsonRpc, governance: Governance, compose_hash: bytes, compose_file: Path) -> None:
    """Raise StartupRefusedError, as the key service would, for an unapproved compose file."""
    if not await is_allowed(rpc, governance, compose_hash):
        program = Path(sys.executable).with_name("svc-devkit")
        command = f"SVC_DATA_DIR={shlex.quote(str(compose_file.parents[1].resolve()))} {shlex.quote(str(program))}"
        raise StartupRefusedError(
            "data_dir",
            f"the governance contract {governance.app} does not allow the compose hash 0x{compose_hash.hex()} of "
            f"{compose_file}: the hash was removed, or the file was changed. Approve it as the contract's owner with "
            f"`{command} approve-compose`, and start again. If only the file was changed, restoring it helps as well.",
        )


async def is_allowed(rpc: JsonRpc, governance: Governance, compose_hash: bytes) -> bool:
    """Returns whether the app's contract allows the compose hash. Raises StartupRefusedError."""
    call: JsonValue = {"to": governance.app, "data": ALLOWED_COMPOSE_HASHES + compose_hash.hex()}
    try:
        return await rpc.call("eth_call", [call, "latest"]) == "0x" + (1).to_bytes(32).hex()
    except RpcError as error:
        raise StartupRefusedError("data_dir", f"the governance contract cannot be asked: {error}") from None


def _artifact(name: str) -> str:
    """Returns the creation code of a contract."""
    text = resources.files("devkit.governance").joinpath("governance.json").read_bytes()
    return str(json.loads(text)["contracts"][name]["bytecode"])


def _version(terms: GovernanceTerms) -> str:
    codes = (_artifact("DstackKms") + _artifact("DstackApp")).encode()
    return hashlib.sha256(codes + terms.kms_public_key + terms.kms_ca_public_key + terms.os_image_hash).hexdigest()


def _kms_code(owner: str, terms: GovernanceTerms) -> str:
    arguments = [owner, terms.kms_public_key, terms.kms_ca_public_key, terms.os_image_hash]
    return _artifact("DstackKms") + encode(["address", "bytes", "bytes", "bytes32"], arguments).hex()


def _app_code(owner: str, kms: str, compose_hash: bytes) -> str:
    arguments = [owner, kms, compose_hash, APPROVAL_DELAY_S]
    return _artifact("DstackApp") + encode(["address", "address", "bytes32", "uint256"], arguments).hex()
