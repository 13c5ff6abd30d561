"""The account contract of a data directory, deployed once and never replaced silently."""

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
    """Returns the SHA-256 of the contract's committed creation code, in hex."""
    artifact = json.loads(resources.files("node.chain.contract").joinpath("AccountConfig.json").read_bytes())
    return hashlib.sha256(str(artifact["bytecode"]).encode()).hexdigest()


async def deployed_contract(rpc: JsonRpc, record: Path, admin_payer: str) -> str:
    """Returns the contract that `record` names, or a new one if the chain lacks it.

    Another build would have another address and other wallets, so it replaces none. Raises
    StartupRefusedError naming data_dir, and errors of the deployment.
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
    # After the deployment. A kill in between leaves an unused contract and the next start's own.
    write_record(record, {"address": address, "creation_code_sha256": _version()})
    return address
