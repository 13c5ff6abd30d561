"""The account contract of a data directory: deployed once, and never replaced behind the user's back."""

import hashlib
import json
from importlib import resources
from pathlib import Path
from typing import Final

from devkit.local_chain import FUNDED_KEYS
from devkit.records import another_version, write_record
from node.chain.deployment import ContractOptions, deploy_account_contract, has_code
from node.chain.rpc import JsonRpc
from node.keyring.signing_key import key_from_hex

OWNER_CHANGE_DELAY_S: Final = 60


def _version() -> str:
    """Returns the fingerprint of a build of the contract: SHA-256 of its committed creation code, hex."""
    artifact = json.loads(resources.files("node.chain.contract").joinpath("AccountConfig.json").read_bytes())
    return hashlib.sha256(str(artifact["bytecode"]).encode()).hexdigest()


async def deployed_contract(rpc: JsonRpc, record: Path, admin_payer: str) -> str:
    """The contract that `record` names, or a new one where the chain does not have it (yet, or any more).

    Another build of the contract is another address, and with it other wallets: so an older one is not replaced.
    Raises StartupRefusedError naming data_dir, and what deploying raises.
    """
    if record.exists():
        known = json.loads(record.read_text())
        # A chain that was killed may have lost its last blocks, and the contract with them.
        if await has_code(rpc, str(known["address"])):
            if known.get("creation_code_sha256") != _version():
                raise another_version(record.parent)
            return str(known["address"])
    deployer = key_from_hex(FUNDED_KEYS[0])
    options = ContractOptions(deployer.address, admin_payer, OWNER_CHANGE_DELAY_S)
    address = await deploy_account_contract(rpc, deployer, options)
    # After the deployment: a kill in between leaves a contract that nobody uses, and the next start deploys another.
    write_record(record, {"address": address, "creation_code_sha256": _version()})
    return address
