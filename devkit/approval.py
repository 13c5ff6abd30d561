"""`svc-devkit approve-compose`, the owner's approval of the development compose file."""

import contextlib
import json
from typing import Final

from pydantic import JsonValue

from devkit.data_directory import locked_data_directory
from devkit.governance.deployment import APPROVAL_DELAY_S, Governance, is_allowed
from devkit.local_chain import FUNDED_KEYS
from devkit.run import development_chain
from devkit.settings import DevelopmentSettings
from devkit.tee import DIRECTORY, GOVERNANCE_RECORD, terms_of
from node.chain.rpc import JsonRpc, RpcError
from node.errors import StartupRefusedError
from node.keyring.signing_key import key_from_hex
from node.runtime.http_client import plain_session
from node.values import keccak256

_SCHEDULE: Final = keccak256(b"scheduleComposeHash(bytes32)")[:4]
_ADD: Final = keccak256(b"addComposeHash(bytes32)")[:4]
_CANCEL: Final = keccak256(b"cancelComposeHash(bytes32)")[:4]


async def approve_development_compose(settings: DevelopmentSettings) -> str:
    """Approve the compose file in the data directory, and return a sentence about it.

    Starts the local chain for that alone, since `svc-devkit run` stops it when it refuses the file.
    The chain's clock moves on by the approval delay. Raises StartupRefusedError.
    """
    record = settings.data_dir / GOVERNANCE_RECORD
    if not record.exists():
        raise StartupRefusedError("data_dir", f"{settings.data_dir} is no data directory of a node that has run.")
    governance = Governance(**json.loads(record.read_text()))
    terms, _ = terms_of(settings.data_dir / DIRECTORY)
    compose_hash = terms.compose_hash
    async with contextlib.AsyncExitStack() as stack:
        lock = await stack.enter_async_context(locked_data_directory(settings.data_dir))
        # Any free port, since only this command uses this chain.
        own = settings.model_copy(update={"dev_chain_port": 0})
        chain = await stack.enter_async_context(development_chain(own, lock))
        session = await stack.enter_async_context(plain_session())
        rpc = JsonRpc(session, (chain.url,), own)
        if await is_allowed(rpc, governance, compose_hash):
            return f"the contract {governance.app} allows the compose hash 0x{compose_hash.hex()} already"
        try:
            await _approve(rpc, governance, compose_hash)
        except RpcError as error:
            raise StartupRefusedError(
                "data_dir", f"the contract {governance.app} refused the approval: {error}"
            ) from None
        if not await is_allowed(rpc, governance, compose_hash):
            raise StartupRefusedError("data_dir", f"the contract {governance.app} did not take the approval.")
    return f"the contract {governance.app} allows the compose hash 0x{compose_hash.hex()} now"


async def _approve(rpc: JsonRpc, governance: Governance, compose_hash: bytes) -> None:
    # An announced approval that is not due would make scheduling revert, so it is cancelled.
    with contextlib.suppress(RpcError):
        await _send(rpc, governance, _CANCEL + compose_hash)
    await _send(rpc, governance, _SCHEDULE + compose_hash)
    # The contract keeps the delay. The local chain's clock can be moved, so there is no wait.
    await rpc.call("evm_increaseTime", [APPROVAL_DELAY_S])
    await rpc.call("evm_mine")
    await _send(rpc, governance, _ADD + compose_hash)


async def _send(rpc: JsonRpc, governance: Governance, calldata: bytes) -> None:
    owner = key_from_hex(FUNDED_KEYS[0]).address
    call: JsonValue = {"from": owner, "to": governance.app, "data": "0x" + calldata.hex()}
    # Called first, since a transaction that reverts is mined all the same.
    await rpc.call("eth_call", [call, "latest"])
    await rpc.call("anvil_impersonateAccount", [owner])
    await rpc.call("eth_sendTransactionSync", [call])
