"""Sends one call with a key, and waits until it is mined: simulated first, never sent twice."""

import asyncio
import re
from dataclasses import dataclass
from typing import Final

from compose.errors import ComposeError, Exit
from compose.governance.calls import Call
from compose.governance.state import GovernanceState
from compose.governance.transaction import Fees, signed_call
from compose.limits import ComposeLimits
from node.keyring.port import SigningKey
from svc_verifier.chain.abi import keccak
from svc_verifier.errors import VerifierError
from svc_verifier.formats.strict_json import Json
from svc_verifier.gathering.chain import RpcEndpoint, RpcRefusedError

_QUANTITY: Final = re.compile(r"0x[0-9a-fA-F]{1,64}")


@dataclass(frozen=True, slots=True)
class Sent:
    """32 bytes, and the height it was mined at."""

    transaction_hash: bytes
    block_number: int


async def send(
    endpoint: RpcEndpoint, key: SigningKey, call: Call, state: GovernanceState, limits: ComposeLimits
) -> Sent:
    """Raises ComposeError: REFUSED before anything is sent, or when it reverted; UNDECIDED when it is not mined in time."""
    if state.owner.address != bytes.fromhex(key.address.removeprefix("0x")):
        whose = f"0x{state.owner.address.hex()}, {state.owner.kind}" if state.owner.address else state.owner.kind
        raise ComposeError(
            Exit.REFUSED,
            f"the key is of {key.address.lower()}, and the contract's owner is {whose}. Nothing was sent; without a key "
            "the call is printed for the owner to make.",
        )
    raw = await _signed(endpoint, key, call, state.chain_id, limits)
    expected = keccak(raw)
    try:
        await endpoint.call("eth_sendRawTransaction", [f"0x{raw.hex()}"])
    except (RpcRefusedError, VerifierError) as error:
        text = f"{error}. The transaction 0x{expected.hex()} may have been sent: look for it before sending again."
        raise ComposeError(Exit.UNDECIDED, text) from None
    return Sent(expected, await _mined(endpoint, expected, limits))


async def _signed(endpoint: RpcEndpoint, key: SigningKey, call: Call, chain_id: int, limits: ComposeLimits) -> bytes:
    sender = key.address.lower()
    request: Json = {"from": sender, "to": f"0x{call.app_id.hex()}", "data": f"0x{call.data.hex()}"}
    gas = _quantity(await _asked(endpoint, "eth_estimateGas", request))
    block = await _asked(endpoint, "eth_getBlockByNumber", "latest", False)
    base_fee_wei = _quantity(block.get("baseFeePerGas") if isinstance(block, dict) else None)
    tip_wei = _quantity(await _asked(endpoint, "eth_maxPriorityFeePerGas"))
    fees = Fees(gas + gas * limits.gas_margin_percent // 100, 2 * base_fee_wei + tip_wei, tip_wei)
    if fees.max_fee_wei > limits.fee_per_gas_max_wei:
        text = f"a unit of gas would cost up to {fees.max_fee_wei} wei, and no more than {limits.fee_per_gas_max_wei} is offered."
        raise ComposeError(Exit.REFUSED, text)
    balance_wei = _quantity(await _asked(endpoint, "eth_getBalance", sender, "pending"))
    if balance_wei < fees.gas * fees.max_fee_wei:
        text = f"{sender} holds {balance_wei} wei, and this may cost {fees.gas * fees.max_fee_wei}: send it some."
        raise ComposeError(Exit.REFUSED, text)
    nonce = _quantity(await _asked(endpoint, "eth_getTransactionCount", sender, "pending"))
    return signed_call(key, chain_id, nonce, fees, call.app_id, call.data)


async def _mined(endpoint: RpcEndpoint, transaction_hash: bytes, limits: ComposeLimits) -> int:
    shown = f"0x{transaction_hash.hex()}"
    loop = asyncio.get_running_loop()
    until_s = loop.time() + limits.receipt_timeout_s
    while loop.time() < until_s:
        receipt = await _receipt(endpoint, shown)
        if isinstance(receipt, dict):
            if receipt.get("status") != "0x1":
                raise ComposeError(Exit.REFUSED, f"the transaction {shown} was mined and failed: nothing changed.")
            return _quantity(receipt.get("blockNumber"))
        await asyncio.sleep(limits.receipt_poll_s)
    text = f"the transaction {shown} was sent, and not mined in {limits.receipt_timeout_s:g} s: look for it before sending again."
    raise ComposeError(Exit.UNDECIDED, text)


async def _receipt(endpoint: RpcEndpoint, shown: str) -> Json:
    """None for an endpoint that is away for a moment: the transaction is on its way, and the time is bounded."""
    try:
        return await _asked(endpoint, "eth_getTransactionReceipt", shown)
    except ComposeError:
        return None


async def _asked(endpoint: RpcEndpoint, method: str, *parameters: Json) -> Json:
    try:
        return await endpoint.call(method, parameters)
    except RpcRefusedError as error:
        why = "the contract refuses it (it would revert): nothing was sent." if error.reverted else f"{error}."
        raise ComposeError(Exit.REFUSED, why) from None
    except VerifierError as error:
        raise ComposeError(Exit.UNDECIDED, f"{error.message}.") from None


def _quantity(value: Json) -> int:
    if not isinstance(value, str) or not _QUANTITY.fullmatch(value):
        raise ComposeError(Exit.UNDECIDED, "the endpoint answers what is no number.")
    return int(value, 16)
