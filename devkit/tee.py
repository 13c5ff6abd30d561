"""The simulated TEE of a development node and its governance contract, with one app id."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from attest.errors import AttestError
from devkit.governance.deployment import Governance, GovernanceTerms, deployed_governance, require_allowed
from devkit.records import another_version
from devkit.tee_simulator.authorities import certificate_authorities
from devkit.tee_simulator.compose import APP_COMPOSE_FILE, app_compose_in
from devkit.tee_simulator.key_service import kms_root_key
from devkit.tee_simulator.options import SimulatorOptions
from devkit.tee_simulator.os_image import OS_IMAGE_HASH
from devkit.tee_simulator.seed import load_or_create_seed
from devkit.tee_simulator.server import TeeSimulator
from node.chain.rpc import JsonRpc
from node.errors import StartupRefusedError

DIRECTORY: Final = "tee-simulator"
SOCKET: Final = "dstack.sock"
GOVERNANCE_RECORD: Final = "governance.json"


@dataclass(frozen=True, slots=True)
class DevelopmentTee:
    """Endpoint of the guest agent, root of its quotes, and its governance contract."""

    endpoint: str
    root_file: Path
    governance: Governance


@asynccontextmanager
async def development_tee(rpc: JsonRpc, data_dir: Path, contract_record: Path) -> AsyncIterator[DevelopmentTee]:
    """Serve this data directory's simulator, under a contract on the local chain.

    Raises StartupRefusedError naming data_dir, and errors of the deployment.
    """
    directory = data_dir / DIRECTORY
    async with AsyncExitStack() as stack:
        try:
            terms, app_compose = await asyncio.to_thread(terms_of, directory)
            record = data_dir / GOVERNANCE_RECORD
            if contract_record.exists() and not record.exists():
                raise another_version(data_dir)  # its keys depend on another app id
            # Before the simulator, whose app id is the app's address, on which every key depends.
            governance = await deployed_governance(rpc, record, terms)
            await require_allowed(rpc, governance, terms.compose_hash, directory / APP_COMPOSE_FILE)
            options = SimulatorOptions(app_compose=app_compose, app_id=governance.app_id)
            simulator = await stack.enter_async_context(TeeSimulator(directory, directory / SOCKET, options))
        except AttestError as error:
            raise StartupRefusedError("data_dir", error.message) from None
        yield DevelopmentTee(simulator.endpoint, simulator.root_file, governance)


def terms_of(directory: Path) -> tuple[GovernanceTerms, str]:
    """Returns the initial content of the contracts, and the compose file of this directory."""
    seed = load_or_create_seed(directory)
    app_compose = app_compose_in(directory)
    terms = GovernanceTerms(
        kms_public_key=kms_root_key(seed),
        kms_ca_public_key=certificate_authorities(seed).kms_ca.public_key_der,
        os_image_hash=OS_IMAGE_HASH,
        compose_hash=hashlib.sha256(app_compose.encode()).digest(),
    )
    return terms, app_compose
