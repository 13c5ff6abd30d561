"""Ways of a transaction to the chain: signed and sent here until every endpoint shows it in force, or a batch file for a Safe."""

import asyncio
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import aiohttp

from compose.errors import ComposeError, Exit
from compose.governance.state import Call, Function, GovernanceState, read_state
from node.errors import DomainError
from node.keyring.port import SigningKey
from node.keyring.signing_key import Secp256k1Key
from node.keyring.transactions import sign_transaction
from svc_verifier.chain.abi import keccak
from svc_verifier.errors import VerifierError
from svc_verifier.formats.strict_json import Json
from svc_verifier.gathering.chain import RpcEndpoint, RpcRefusedError

RECEIPT_TIMEOUT_S: Final = 180.0
"""Longest wait for a sent transaction to be mined: fifteen slots. It is then reported, and never sent again."""
POLL_S: Final = 0.5
"""Pause between two looks at a receipt or at the contract's state."""
EFFECT_TIMEOUT_S: Final = 60.0
"""Longest wait for every endpoint to show the effect of a mined transaction: five slots."""
GAS_MARGIN_PERCENT: Final = 30
"""Added to the estimate of the endpoint."""
FEE_PER_GAS_MAX_WEI: Final = 500 * 10**9
"""Highest offer for a unit of gas, whatever an endpoint suggests."""
_KEY: Final = re.compile(r"(?:0x)?[0-9a-fA-F]{64}")
_QUANTITY: Final = re.compile(r"0x[0-9a-fA-F]{1,64}")
_BLOCK_HASH: Final = re.compile(r"0x(?!0{64})[0-9a-fA-F]{64}")
"""Some endpoints give the receipt of a pending block a hash of zeros."""
_UNKNOWN_METHOD: Final = (-32601, -32004)
"""Error codes for a method that the endpoint does not have (JSON-RPC 2.0, EIP-1474)."""


def signing_key(text: str) -> SigningKey:
    """Return the key of 64 hex digits, with or without 0x. Raises ComposeError(MISUSE), which does not repeat them."""
    refusal = ComposeError(Exit.MISUSE, "the key file holds no secp256k1 private key (0x and 64 hex digits).")
    digits = text.strip()
    if not _KEY.fullmatch(digits):
        raise refusal
    try:
        return Secp256k1Key(bytes.fromhex(digits.removeprefix("0x")))
    except ValueError:  # zero, or not below the order of the curve
        raise refusal from None


@dataclass(frozen=True, slots=True)
class Fees:
    """Gas limit, and wei for each unit of gas."""

    gas: int
    max_fee_wei: int
    priority_fee_wei: int


def signed_call(key: SigningKey, chain_id: int, nonce: int, fees: Fees, to: bytes, data: bytes) -> bytes:
    """Return the raw transaction, for eth_sendRawTransaction (EIP-1559).

    Raises ComposeError(REFUSED) when an endpoint has named numbers that no transaction can hold.
    """
    transaction = {
        "type": 2,
        "chainId": chain_id,
        "nonce": nonce,
        "to": f"0x{to.hex()}",
        "value": 0,
        "data": data,
        "gas": fees.gas,
        "maxFeePerGas": fees.max_fee_wei,
        "maxPriorityFeePerGas": fees.priority_fee_wei,
    }
    try:
        return sign_transaction(key, transaction)
    except DomainError as error:
        raise ComposeError(Exit.REFUSED, f"{error.message} Nothing was sent.") from None


@dataclass(frozen=True, slots=True)
class Sent:
    """A mined transaction: its hash (32 bytes) and its block."""

    transaction_hash: bytes
    block_number: int


async def send(endpoint: RpcEndpoint, key: SigningKey, call: Call, state: GovernanceState) -> Sent:
    """Sign and send the call, and wait for its receipt.

    Raises ComposeError: REFUSED before anything is sent, or when it reverted; UNDECIDED when it is not mined in time.
    """
    # Before the gas is estimated: the refusal of an estimate would not say whose call this has to be.
    if state.owner.address != bytes.fromhex(key.address.removeprefix("0x")):
        whose = f"0x{state.owner.address.hex()}, {state.owner.kind}" if state.owner.address else state.owner.kind
        raise ComposeError(
            Exit.REFUSED,
            f"the key is of {key.address.lower()}, and the contract's owner is {whose}. Nothing was sent; without a key "
            "the call is printed for the owner to make.",
        )
    return await send_transaction(endpoint, key, call.app_id, call.data, state.chain_id)


async def send_transaction(endpoint: RpcEndpoint, key: SigningKey, to: bytes, data: bytes, chain_id: int) -> Sent:
    """Sign and send a call of the contract at `to` (20 bytes), and wait for its receipt. Raises as `send` does."""
    raw = await _signed(endpoint, key, to, data, chain_id)
    # Computed here and not taken from the answer: a lying endpoint could name the hash of another transaction.
    expected = keccak(raw)
    try:
        await endpoint.call("eth_sendRawTransaction", [f"0x{raw.hex()}"])
    except (RpcRefusedError, VerifierError) as error:
        # Even a refusal may come after it was passed on ("already known"): to send again with the next nonce could do
        # it twice.
        text = f"{error}. The transaction 0x{expected.hex()} may have been sent: look for it before sending again."
        raise ComposeError(Exit.UNDECIDED, text) from None
    return Sent(expected, await _mined(endpoint, expected))


async def _signed(endpoint: RpcEndpoint, key: SigningKey, to: bytes, data: bytes, chain_id: int) -> bytes:
    sender = key.address.lower()
    request: Json = {"from": sender, "to": f"0x{to.hex()}", "data": f"0x{data.hex()}"}
    # First: what would revert is refused here, before anything is signed or paid for.
    gas = _quantity(await rpc_call(endpoint, "eth_estimateGas", request))
    base_fee_wei, tip_wei = await _prices(endpoint)
    # Twice the base fee: it grows by an eighth a block at most (EIP-1559), so five full blocks may come before ours.
    # The gas estimate is of the present state, and storage may change until then.
    fees = Fees(gas + gas * GAS_MARGIN_PERCENT // 100, 2 * base_fee_wei + tip_wei, tip_wei)
    # Both figures are one endpoint's word: without a bound it could have the owner's balance burnt as fees.
    if fees.max_fee_wei > FEE_PER_GAS_MAX_WEI:
        text = (
            f"a unit of gas would cost up to {fees.max_fee_wei} wei, and no more than {FEE_PER_GAS_MAX_WEI} is offered."
        )
        raise ComposeError(Exit.REFUSED, text)
    balance_wei = _quantity(await rpc_call(endpoint, "eth_getBalance", sender, "pending"))
    if balance_wei < fees.gas * fees.max_fee_wei:
        text = f"{sender} holds {balance_wei} wei, and this may cost {fees.gas * fees.max_fee_wei}: send it some."
        raise ComposeError(Exit.REFUSED, text)
    # With "pending" a transaction that still waits is not replaced by ours.
    nonce = _quantity(await rpc_call(endpoint, "eth_getTransactionCount", sender, "pending"))
    return signed_call(key, chain_id, nonce, fees, to, data)


async def _prices(endpoint: RpcEndpoint) -> tuple[int, int]:
    """Return base fee and tip, wei for a unit of gas. Where the endpoint has no tips, the gas price tells it."""
    try:
        return await _base_fee_wei(endpoint), _quantity(await rpc_call(endpoint, "eth_maxPriorityFeePerGas"))
    except _UnknownMethodError:
        # Asked together: a base fee of another moment would make another tip.
        base_fee_wei, price_wei = await asyncio.gather(_base_fee_wei(endpoint), _gas_price_wei(endpoint))
        return base_fee_wei, max(0, price_wei - base_fee_wei)


async def _base_fee_wei(endpoint: RpcEndpoint) -> int:
    block = await rpc_call(endpoint, "eth_getBlockByNumber", "latest", False)
    return _quantity(block.get("baseFeePerGas") if isinstance(block, dict) else None)


async def _gas_price_wei(endpoint: RpcEndpoint) -> int:
    """Return 0 where the endpoint refuses that too."""
    try:
        return _quantity(await rpc_call(endpoint, "eth_gasPrice"))
    except ComposeError as error:
        if error.code is not Exit.REFUSED:
            raise
        return 0


async def _mined(endpoint: RpcEndpoint, transaction_hash: bytes) -> int:
    """Wait for a receipt that counts; return its block."""
    shown, why = f"0x{transaction_hash.hex()}", ""
    loop = asyncio.get_running_loop()
    until_s = loop.time() + RECEIPT_TIMEOUT_S
    while loop.time() < until_s:
        receipt, height = await _receipt(endpoint, shown)
        if receipt is not None:
            lacking = _lacking(receipt, shown, height)
            if lacking is None:
                # A reverted transaction is mined too, and has a receipt.
                if _quantity(receipt.get("status")) == 0:
                    raise ComposeError(Exit.REFUSED, f"the transaction {shown} was mined and failed: nothing changed.")
                return _quantity(receipt.get("blockNumber"))
            why = f" (the receipt that {endpoint.name} shows does not count by its {lacking})"
        await asyncio.sleep(POLL_S)
    text = f"the transaction {shown} was sent, and not mined in {RECEIPT_TIMEOUT_S:g} s{why}"
    raise ComposeError(Exit.UNDECIDED, f"{text}: look for it before sending again.")


async def _receipt(endpoint: RpcEndpoint, shown: str) -> tuple[dict[str, Json] | None, int]:
    """Return the receipt and the endpoint's height after it.

    None while the endpoint is out: the transaction is sent already, and the wait for it is bounded.
    """
    try:
        receipt = await rpc_call(endpoint, "eth_getTransactionReceipt", shown)
        return receipt if isinstance(receipt, dict) else None, _quantity(await rpc_call(endpoint, "eth_blockNumber"))
    except ComposeError:
        return None, 0


def _lacking(receipt: dict[str, Json], shown: str, height: int) -> str | None:
    """Return the field by which a receipt does not count; None for a whole one, of a block that the endpoint has.

    Endpoints show receipts of pending blocks too, and some leave fields out: neither says what became of the transaction.
    """
    number = _number(receipt.get("blockNumber"))
    counts = {
        "transactionHash": str(receipt.get("transactionHash")).lower() == shown,
        "blockHash": _BLOCK_HASH.fullmatch(str(receipt.get("blockHash"))) is not None,
        "blockNumber": number is not None and number <= height,
        "transactionIndex": _number(receipt.get("transactionIndex")) is not None,
        "status": _number(receipt.get("status")) in {0, 1},
        "logs": isinstance(receipt.get("logs"), list),
    }
    return next((name for name, holds in counts.items() if not holds), None)


class _UnknownMethodError(ComposeError):
    """The endpoint does not have the method."""


async def rpc_call(endpoint: RpcEndpoint, method: str, *parameters: Json) -> Json:
    """Return the endpoint's result. Raises ComposeError: REFUSED for a refusal, UNDECIDED without an answer."""
    try:
        return await endpoint.call(method, parameters)
    except RpcRefusedError as error:
        if isinstance(error.error, dict) and error.error.get("code") in _UNKNOWN_METHOD:
            raise _UnknownMethodError(Exit.REFUSED, f"{error}.") from None
        why = "the contract refuses it (it would revert): nothing was sent." if error.reverted else f"{error}."
        raise ComposeError(Exit.REFUSED, why) from None
    except VerifierError as error:
        raise ComposeError(Exit.UNDECIDED, f"{error.message}.") from None


def _quantity(value: Json) -> int:
    number = _number(value)
    if number is None:
        raise ComposeError(Exit.UNDECIDED, "the endpoint answers what is no number.")
    return number


def _number(value: Json) -> int | None:
    return int(value, 16) if isinstance(value, str) and _QUANTITY.fullmatch(value) else None


async def state_after(
    session: aiohttp.ClientSession, urls: Sequence[str], call: Call, chain_id: int, sent: Sent
) -> GovernanceState:
    """Wait until every endpoint shows the effect of `sent` at its own head; return the first one's state.

    A receipt alone is one endpoint's word. Raises ComposeError(UNDECIDED) with the hash of the transaction when an
    endpoint does not show the effect in time.
    """
    deadline_s = asyncio.get_running_loop().time() + EFFECT_TIMEOUT_S
    states = []
    for url in urls:
        try:
            # Each endpoint for itself: asked together they are asked at a block that all have, perhaps one before the
            # effect.
            states.append(await _state_with_effect(session, url, call, chain_id, deadline_s))
        except ComposeError as error:
            text = f"the transaction 0x{sent.transaction_hash.hex()} is said to be in block {sent.block_number}, and"
            raise ComposeError(Exit.UNDECIDED, f"{text} {error.message}. Look for it before sending again.") from None
    return states[0]


async def _state_with_effect(
    session: aiohttp.ClientSession, url: str, call: Call, chain_id: int, deadline_s: float
) -> GovernanceState:
    """Poll until the endpoint shows the effect. Raises ComposeError with the last fault after the deadline."""
    while True:
        try:
            state = await read_state(session, [url], call.app_id, chain_id, call.compose_hash)
            if is_in_force(call, state):
                return state
            behind = f"an endpoint does not show at block {state.block_number} what it did: one lags or lies"
            fault = ComposeError(Exit.UNDECIDED, behind)
        except ComposeError as error:
            fault = error
        if asyncio.get_running_loop().time() >= deadline_s:
            raise fault
        await asyncio.sleep(POLL_S)


def is_in_force(call: Call, state: GovernanceState) -> bool:
    """Whether the contract's state is the one that the call makes (pure)."""
    match call.function:
        case Function.ADD:
            return state.allowed
        case Function.REMOVE:
            return not state.allowed
        case Function.SCHEDULE:
            return state.due_s(call.compose_hash) is not None
        case Function.CANCEL:
            return state.due_s(call.compose_hash) is None


_VERSION: Final = "1.0"
_SHORT: Final = 18
"""Characters of an argument in the name of a batch: 0x and eight bytes."""


@dataclass(frozen=True, slots=True)
class Method:
    """Function of a contract with its arguments: name, ABI type and value as Safe shows it."""

    name: str
    arguments: tuple[tuple[str, str, str], ...] = ()


def safe_batch(call: Call, chain_id: int, safe: bytes | None, now_s: float) -> str:
    """Returns the file for a call on the app's contract; `safe` is the Safe's address where it is known."""
    method = Method(call.function.value, (("composeHash", "bytes32", f"0x{call.compose_hash.hex()}"),))
    return safe_batch_of(call.app_id, method, chain_id, safe, now_s)


def safe_batch_of(to: bytes, method: Method, chain_id: int, safe: bytes | None, now_s: float) -> str:
    """Returns the file for a call of `method` on the contract at `to` (20 bytes).

    `data` stays empty as in files that Safe writes: the builder encodes the named function, so a signer reads exactly
    what is sent.
    """
    inputs: list[Json] = [{"internalType": kind, "name": name, "type": kind} for name, kind, _ in method.arguments]
    short = ", ".join(value if len(value) <= _SHORT else f"{value[:_SHORT]}…" for _, _, value in method.arguments)
    meta: dict[str, Json] = {
        "name": f"{method.name} {short}".strip(),
        "description": f"{method.name}({', '.join(value for _, _, value in method.arguments)})",
        "createdFromSafeAddress": checksum_address(safe) if safe is not None else "",
    }
    transaction: dict[str, Json] = {
        "to": checksum_address(to),
        "value": "0",
        "data": None,
        "contractMethod": {"inputs": inputs, "name": method.name, "payable": False},
        "contractInputsValues": {name: value for name, _, value in method.arguments},
    }
    batch: dict[str, Json] = {
        "version": _VERSION,
        "chainId": str(chain_id),
        # Milliseconds, and the chain id a text: so the Transaction Builder writes and reads it.
        "createdAt": int(now_s * 1000),
        "meta": meta,
        "transactions": [transaction],
    }
    return json.dumps(batch, indent=2, ensure_ascii=False) + "\n"


def checksum_address(address: bytes) -> str:
    """Returns the EIP-55 form of 20 bytes."""
    digits = address.hex()
    # A letter is a capital where the hash of the lower-case digits has 8 or more at its place.
    marks = keccak(digits.encode()).hex()
    return "0x" + "".join(
        sign.upper() if int(mark, 16) >= 8 else sign for sign, mark in zip(digits, marks, strict=False)
    )
