"""Deployment of the contracts, verification of a deployed one, and its attestation."""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import structlog
from eth_abi.abi import encode
from pydantic import JsonValue

from node.chain.abi import AbiDecodeError, ContractAbi
from node.chain.contract.artifacts import (
    account_creation_code,
    contract_code_hash,
    deposit_creation_code,
    immutables_agree,
    published_identity,
    views_code_hash,
)
from node.chain.reads import ContractViews
from node.chain.rpc import (
    BatchRefusedError,
    CallRevertedError,
    JsonRpc,
    Provider,
    RpcCall,
    RpcError,
    RpcOutcome,
    RpcRefusedError,
    RpcUnavailableError,
    eth_call_of,
    parse_quantity,
    returned_bytes,
)
from node.chain.rpc.answers import HEIGHT, LATEST, TIPS, MalformedResultError, base_fee_of, record, suggested_tip
from node.chain.rpc.receipts import IncompleteReceipt, Receipt, read_receipt, receipt_of
from node.chain.writes.fees import PRIORITY_FEE_MAX_WEI
from node.errors import StartupRefusedError
from node.keyring.port import SigningKey
from node.keyring.transactions import rlp_encode, sign_transaction, transaction_hash
from node.values import checksum_address, keccak256

Answer = TypeVar("Answer")

RECEIPT_TIMEOUT_S: Final = 120.0
"""Maximum wait for a deployment's receipt, ten blocks of Ethereum."""
RECEIPT_POLL_S: Final = 0.1
GAS_MARGIN_PERCENT: Final = 10
"""Gas limit above the estimate, which is for a slightly different block."""


@dataclass(frozen=True, slots=True)
class ContractOptions:
    """Arguments of the account contract's constructor.

    `owner` owns the configuration. `admin_payer` is the enclave's, or zero if the owner names it
    later. `owner_change_delay_s` is the delay of the owner's later changes of payers.
    """

    owner: str
    admin_payer: str
    owner_change_delay_s: int


@dataclass(frozen=True, slots=True)
class DepositOptions:
    """Arguments of the deposit contract's constructor, all addresses.

    `owner` names tokens and treasury. Payments are for accounts of `account_contract` and go to
    `treasury`. `tokens` are accepted from the start.
    """

    owner: str
    account_contract: str
    treasury: str
    tokens: Sequence[str]


def _quantity(answer: JsonValue, what: str) -> int:
    number = parse_quantity(answer)
    if number is None:
        raise StartupRefusedError("rpc_endpoints", f"the endpoint gave no usable {what}.")
    return number


async def _asked(question: Awaitable[Answer]) -> Answer:
    try:
        return await question
    except RpcError as error:
        raise StartupRefusedError("rpc_endpoints", f"the contract could not be deployed: {error}") from None


async def deploy_account_contract(rpc: JsonRpc, deployer: SigningKey, options: ContractOptions) -> str:
    """Deploys the account contract with `deployer`'s key and gas. Returns its EIP-55 address.

    Raises StartupRefusedError if the provider refuses or the transaction is not mined.
    """
    arguments = encode(
        ["address", "address", "uint256"], [options.owner, options.admin_payer, options.owner_change_delay_s]
    )
    return await deploy_contract(rpc, deployer, account_creation_code() + arguments.hex())


async def deploy_deposit_contract(rpc: JsonRpc, deployer: SigningKey, options: DepositOptions) -> str:
    """Deploys the deposit contract with `deployer`'s key and gas. Returns its EIP-55 address.

    Raises StartupRefusedError if the provider refuses or the transaction is not mined.
    """
    arguments = encode(
        ["address", "address", "address", "address[]"],
        [options.owner, options.account_contract, options.treasury, list(options.tokens)],
    )
    return await deploy_contract(rpc, deployer, deposit_creation_code() + arguments.hex())


async def deploy_contract(rpc: JsonRpc, deployer: SigningKey, code: str) -> str:
    """Deploys a contract from creation code with arguments (0x hex). Returns its EIP-55 address.

    Raises StartupRefusedError if the provider refuses or the transaction is not mined.
    """
    creation: dict[str, JsonValue] = {"from": deployer.address, "data": code}
    base_fee, tip = await _asked(rpc.first(_fees))
    gas = _quantity(await _asked(rpc.call("eth_estimateGas", [creation])), "gas estimate")
    gas_limit = gas + gas * GAS_MARGIN_PERCENT // 100
    # Pending, since an earlier transaction of the same key may not be mined yet.
    nonce = _quantity(await _asked(rpc.call("eth_getTransactionCount", [deployer.address, "pending"])), "nonce")
    transaction = {
        "chainId": _quantity(await _asked(rpc.call("eth_chainId")), "chain id"),
        "nonce": nonce,
        "gas": gas_limit,
        # Twice the base fee covers six full blocks (EIP-1559).
        "maxFeePerGas": 2 * base_fee + tip,
        "maxPriorityFeePerGas": tip,
        "data": code,
    }
    await _require_funds(rpc, deployer.address, gas_limit * (2 * base_fee + tip))
    raw = sign_transaction(deployer, transaction)
    await _asked(rpc.call("eth_sendRawTransaction", ["0x" + raw.hex()]))
    # Both are computed here, since a provider could name another transaction or contract.
    await _require_success(rpc, transaction_hash(raw))
    # The address of a contract that a transaction makes (Yellow Paper, section 7).
    digest = keccak256(rlp_encode([bytes.fromhex(deployer.address.removeprefix("0x")), nonce]))
    return checksum_address("0x" + digest[-20:].hex())


async def _fees(provider: Provider, timeout_s: float) -> tuple[int, int]:
    """Returns base fee and tip in wei per gas, from one exchange."""
    head, *tips = await provider.send([LATEST, *TIPS], timeout_s)
    try:
        base_fee = base_fee_of(record(head))
        # Capped like a node's writes, since a single provider suggests it.
        return base_fee, min(suggested_tip(tips, base_fee), PRIORITY_FEE_MAX_WEI)
    except MalformedResultError as malformed:
        raise provider.fault(malformed.why) from None


async def _require_funds(rpc: JsonRpc, deployer: str, cost_wei: int) -> None:
    """Checks the balance before sending, since providers' own refusals vary in wording."""
    balance_wei = _quantity(await _asked(rpc.call("eth_getBalance", [deployer, "pending"])), "balance")
    if balance_wei < cost_wei:
        raise StartupRefusedError(
            "--key-file",
            f"its address {deployer} holds {balance_wei} wei, and deploying may cost {cost_wei}: send it some.",
        )


async def _require_success(rpc: JsonRpc, transaction: str) -> None:
    """Waits for the receipt. Raises StartupRefusedError if it reverted or has no valid one."""

    async def receipt(provider: Provider, timeout_s: float) -> Receipt | str:
        outcome, head = await provider.send([receipt_of(transaction), HEIGHT], timeout_s)
        seen = read_receipt(outcome, transaction, parse_quantity(head))
        if isinstance(seen, IncompleteReceipt):
            return f"the receipt that {provider.host} shows does not count by its {seen.field}"
        return seen or "it is not mined"

    loop = asyncio.get_running_loop()
    deadline, why = loop.time() + RECEIPT_TIMEOUT_S, "it is not mined"
    while loop.time() < deadline:
        try:
            seen = await rpc.first(receipt)
        except RpcError as error:
            # The transaction is sent, so an unreachable provider is asked again.
            seen = str(error)
        if isinstance(seen, Receipt):
            if seen.status:
                return
            raise StartupRefusedError("rpc_endpoints", f"the deployment {transaction} was reverted.")
        why = seen
        await asyncio.sleep(RECEIPT_POLL_S)
    what = f"the deployment {transaction} was sent and is not confirmed after {RECEIPT_TIMEOUT_S:g} s: {why}."
    raise StartupRefusedError("rpc_endpoints", f"{what} Look for it before you deploy again.")


async def has_code(rpc: JsonRpc, address: str) -> bool:
    """Returns whether a contract is at `address` at the head."""
    return await _asked(rpc.call("eth_getCode", [address, "latest"])) not in (None, "", "0x")


OUTVOTES_NOBODY: Final = 2
"""Number of providers among which one is no minority, so a wrong one stops the start."""

_log = structlog.get_logger(__name__)


async def verify_deployment(
    rpc: JsonRpc, abi: ContractAbi, chain_id: int, contract: str, min_owner_change_delay_s: int, quorum: int
) -> None:
    """Checks that `quorum` providers serve this chain and the published code at `contract`.

    The code of the contract and of its views module must be the artifact's (`contract.artifacts`),
    and the owner's delay long enough. Any other provider is logged and outvoted later, but of two
    providers both must be right. Raises StartupRefusedError, which names `rpc_endpoints` (too few
    respond), `chain_id`, `contract_address` or `min_owner_change_delay_s`.
    """
    timeout_s = rpc.settings.rpc_attempt_timeout_s
    checks = [
        _verify_provider(provider, timeout_s, abi, chain_id, contract, min_owner_change_delay_s)
        for provider in rpc.providers
    ]
    outcomes = [_as_refusal(outcome) for outcome in await asyncio.gather(*checks, return_exceptions=True)]
    silent = [outcome for outcome in outcomes if isinstance(outcome, RpcUnavailableError)]
    wrong = [outcome for outcome in outcomes if isinstance(outcome, StartupRefusedError)]
    for outcome in outcomes:
        if isinstance(outcome, BaseException) and outcome not in silent and outcome not in wrong:
            raise outcome
    sound = len(outcomes) - len(silent) - len(wrong)
    # Correct ones must outvote the wrong ones. Otherwise the settings may be wrong.
    if wrong and (sound < quorum or len(outcomes) <= OUTVOTES_NOBODY):
        raise wrong[0]
    if sound < quorum:
        why = "; ".join(f"{each.host} {each.why}" for each in silent)
        raise StartupRefusedError("rpc_endpoints", f"{quorum} must answer, {sound} do: {why}.")
    for refused in wrong:
        _log.error("rpc_endpoint_wrong", setting=refused.setting, why=refused.message)
    for each in silent:
        _log.warning("rpc_endpoint_silent", host=each.host, why=each.why)


def _as_refusal(outcome: BaseException | None) -> BaseException | None:
    """Returns a check's outcome. A provider without batches is refused as a setting."""
    if isinstance(outcome, BatchRefusedError):
        return StartupRefusedError("rpc_endpoints", f"{outcome.host} {outcome.why}.")
    return outcome


async def _verify_provider(
    provider: Provider, timeout_s: float, abi: ContractAbi, chain_id: int, address: str, min_delay_s: int
) -> None:
    seen_chain, answered = await provider.send(
        [RpcCall("eth_chainId"), RpcCall("eth_getCode", [address, "latest"])], timeout_s
    )
    seen = parse_quantity(seen_chain)
    if seen != chain_id:
        what = "an unknown chain" if seen is None else f"chain {seen}"
        raise StartupRefusedError("chain_id", f"{provider.host} serves {what}, the setting says {chain_id}.")
    code = _code(answered)
    if code is None:
        raise StartupRefusedError("contract_address", f"There is no contract at {address} on {provider.host}.")
    published = published_identity()
    if (found := contract_code_hash(code)) != published.code_hash:
        raise _another_contract(provider, address, f"its code hash is {found}, the published one {published.code_hash}")
    # An immutable is at several places of the code, which the hash leaves out.
    if not immutables_agree(code):
        raise _another_contract(provider, address, "it holds different values of one immutable")
    # The hash omits immutables. The code is verified, so its views return their values.
    views = [eth_call_of(address, abi.encode_call(view, ())) for view in ("viewsModule", "ownerChangeDelay")]
    module_answer, delay_answer = await provider.send(views, timeout_s)
    module = _value(provider, abi, address, "viewsModule", module_answer)
    (module_code,) = await provider.send([RpcCall("eth_getCode", [str(module), "latest"])], timeout_s)
    found = views_code_hash(_code(module_code) or b"")
    if found != published.views_code_hash:
        detail = f"its views module has the code hash {found}, the published one has {published.views_code_hash}"
        raise _another_contract(provider, address, detail)
    delay_s = _value(provider, abi, address, "ownerChangeDelay", delay_answer)
    # Within the delay, users can leave after an owner schedules another admin payer.
    if not isinstance(delay_s, int) or delay_s < min_delay_s:
        raise StartupRefusedError(
            "min_owner_change_delay_s",
            f"The contract at {address} lets its owner replace the admin payer after {delay_s} s; the setting asks for"
            f" {min_delay_s} s at least. Deploy a contract with a longer --owner-change-delay-s.",
        )


def _code(answer: RpcOutcome) -> bytes | None:
    """Returns the code of an eth_getCode reply; None if there is none."""
    if not isinstance(answer, str):
        return None
    try:
        return bytes.fromhex(answer.removeprefix("0x")) or None
    except ValueError:
        return None


def _value(provider: Provider, abi: ContractAbi, address: str, view: str, answer: RpcOutcome) -> object:
    try:
        (value,) = abi.decode_result(view, returned_bytes(provider, answer))
    except (AbiDecodeError, CallRevertedError, RpcRefusedError):
        raise _another_contract(provider, address, f"{view}() does not answer as it should") from None
    return value


def _another_contract(provider: Provider, address: str, why: str) -> StartupRefusedError:
    return StartupRefusedError(
        "contract_address",
        f"The contract at {address} on {provider.host} is not the account contract of this version: {why}. Deploy this"
        " version's with `svc-node contract deploy`, or run the version that the contract was deployed with.",
    )


async def attested_contract(views: ContractViews, chain_id: int, address: str) -> dict[str, JsonValue]:
    """Returns the statement's part on the contract: its code, and its immutables by a quorum.

    A verifier compares it with its pins and with the chain (docs/verifying.md). Hashes are
    keccak256 of runtime code with immutables zeroed, as the compiler leaves them. The code is this
    build's artifact, since a node does not start with another. Raises ChainUnavailableError.
    """
    published = published_identity()
    _, ((views_module,), (delay_s,)) = await views.at_head([("viewsModule", ()), ("ownerChangeDelay", ())])
    assert isinstance(delay_s, int)  # noqa: S101 - a uint256 as the ABI decodes it
    return {
        "address": checksum_address(address),
        "chain_id": chain_id,
        "code_hash": published.code_hash,
        "owner_change_delay_s": delay_s,
        "views_code_hash": published.views_code_hash,
        "views_module": checksum_address(str(views_module)),
    }
