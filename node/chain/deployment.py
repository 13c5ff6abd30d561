"""The deployed account contract: the check at the start that it is the published one, and its part of the statement."""

import asyncio
from dataclasses import dataclass
from typing import Final

import structlog
from pydantic import JsonValue

from node.chain.abi import AbiDecodeError, ContractAbi
from node.chain.contract.artifacts import contract_code_hash, immutables_agree, published_identity, views_code_hash
from node.chain.rpc import (
    CallRevertedError,
    Endpoint,
    JsonRpc,
    RpcCall,
    RpcOutcome,
    RpcRefusedError,
    RpcUnavailableError,
    eth_call_of,
    parse_quantity,
    returned_bytes,
)
from node.chain.view import ContractViews
from node.errors import StartupRefusedError
from node.values import checksum_address

OUTVOTES_NOBODY: Final = 2
"""Number of endpoints that cannot outvote one of them: a wrong one is a mistake in the settings."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ExpectedDeployment:
    """Deployment named by the settings: chain, address, and the shortest delay of the owner's changes in seconds."""

    chain_id: int
    contract: str
    min_owner_change_delay_s: int


async def verify_deployment(rpc: JsonRpc, abi: ContractAbi, expected: ExpectedDeployment, quorum: int) -> None:
    """Check that `quorum` endpoints are each on the expected chain and have the published code at the address.

    The code of the contract and of its views module must be the committed artifact's (see `contract.artifacts`), and the
    owner's delay long enough. An endpoint that serves anything else is then logged and outvoted from then on; of two
    endpoints none may. Raises StartupRefusedError naming `rpc_endpoints` (too few answer), `chain_id`,
    `contract_address` or `min_owner_change_delay_s`.
    """
    checks = [_verify_endpoint(endpoint, rpc, abi, expected) for endpoint in rpc.endpoints]
    outcomes = await asyncio.gather(*checks, return_exceptions=True)
    silent = [outcome for outcome in outcomes if isinstance(outcome, RpcUnavailableError)]
    wrong = [outcome for outcome in outcomes if isinstance(outcome, StartupRefusedError)]
    for outcome in outcomes:
        if isinstance(outcome, BaseException) and outcome not in silent and outcome not in wrong:
            raise outcome
    sound = len(outcomes) - len(silent) - len(wrong)
    # Sound ones must outvote the wrong ones: otherwise the mistake may be in the settings.
    if wrong and (sound < quorum or len(outcomes) <= OUTVOTES_NOBODY):
        raise wrong[0]
    if sound < quorum:
        why = "; ".join(f"{each.host} {each.why}" for each in silent)
        raise StartupRefusedError("rpc_endpoints", f"{quorum} must answer, {sound} do: {why}.")
    for refused in wrong:
        _log.error("rpc_endpoint_wrong", setting=refused.setting, why=refused.message)
    for each in silent:
        _log.warning("rpc_endpoint_silent", host=each.host, why=each.why)


async def _verify_endpoint(endpoint: Endpoint, rpc: JsonRpc, abi: ContractAbi, expected: ExpectedDeployment) -> None:
    address, timeout_s = expected.contract, rpc.settings.rpc_attempt_timeout_s
    seen_chain, answered = await endpoint.send(
        [RpcCall("eth_chainId"), RpcCall("eth_getCode", [address, "latest"])], timeout_s
    )
    seen = parse_quantity(seen_chain)
    if seen != expected.chain_id:
        what = "an unknown chain" if seen is None else f"chain {seen}"
        raise StartupRefusedError("chain_id", f"{endpoint.host} serves {what}, the setting says {expected.chain_id}.")
    code = _code(answered)
    if code is None:
        raise StartupRefusedError("contract_address", f"There is no contract at {address} on {endpoint.host}.")
    published = published_identity()
    if (found := contract_code_hash(code)) != published.code_hash:
        raise _another_contract(endpoint, address, f"its code hash is {found}, the published one {published.code_hash}")
    # An immutable stands at several places of the code, which the hash leaves out.
    if not immutables_agree(code):
        raise _another_contract(endpoint, address, "it holds different values of one immutable")
    # The hash leaves the immutables out. The code is known to be the published one, so its views tell their values.
    views = [eth_call_of(address, abi.encode_call(view, ())) for view in ("viewsModule", "ownerChangeDelay")]
    module_answer, delay_answer = await endpoint.send(views, timeout_s)
    module = _value(endpoint, abi, address, "viewsModule", module_answer)
    (module_code,) = await endpoint.send([RpcCall("eth_getCode", [str(module), "latest"])], timeout_s)
    found = views_code_hash(_code(module_code) or b"")
    if found != published.views_code_hash:
        detail = f"its views module has the code hash {found}, the published one has {published.views_code_hash}"
        raise _another_contract(endpoint, address, detail)
    delay_s = _value(endpoint, abi, address, "ownerChangeDelay", delay_answer)
    # The delay is the time in which users can leave after an owner schedules another admin payer.
    if not isinstance(delay_s, int) or delay_s < expected.min_owner_change_delay_s:
        raise StartupRefusedError(
            "min_owner_change_delay_s",
            f"The contract at {address} lets its owner replace the admin payer after {delay_s} s; the setting asks for"
            f" {expected.min_owner_change_delay_s} s at least. Deploy a contract with a longer --owner-change-delay-s.",
        )


def _code(answer: RpcOutcome) -> bytes | None:
    """Return the code of an eth_getCode answer; None if there is none."""
    if not isinstance(answer, str):
        return None
    try:
        return bytes.fromhex(answer.removeprefix("0x")) or None
    except ValueError:
        return None


def _value(endpoint: Endpoint, abi: ContractAbi, address: str, view: str, answer: RpcOutcome) -> object:
    try:
        (value,) = abi.decode_result(view, returned_bytes(endpoint, answer))
    except (AbiDecodeError, CallRevertedError, RpcRefusedError):
        raise _another_contract(endpoint, address, f"{view}() does not answer as it should") from None
    return value


def _another_contract(endpoint: Endpoint, address: str, why: str) -> StartupRefusedError:
    return StartupRefusedError(
        "contract_address",
        f"The contract at {address} on {endpoint.host} is not the account contract of this version: {why}. Deploy this"
        " version's with `svc-node contract deploy`, or run the version that the contract was deployed with.",
    )


async def attested_contract(views: ContractViews, chain_id: int, address: str) -> dict[str, JsonValue]:
    """Return the statement's part about the contract at `address`: its code, and its immutables by a quorum.

    A verifier compares it with its pins and with the chain (docs/verifying.md). Hashes are keccak256 of runtime code;
    the bytes of immutables count as zero, as the compiler leaves them. The code is that of this build's artifact, since
    a node does not start on another. Raises ChainUnavailableError.
    """
    published = published_identity()
    _, ((views_module,), (delay_s,)) = await views.at_head([("viewsModule", ()), ("ownerChangeDelay", ())])
    return {
        "address": checksum_address(address),
        "chain_id": chain_id,
        "code_hash": published.code_hash,
        "owner_change_delay_s": _number(delay_s),
        "views_code_hash": published.views_code_hash,
        "views_module": checksum_address(str(views_module)),
    }


def _number(value: object) -> JsonValue:
    assert isinstance(value, int)  # noqa: S101 - a uint256 as the ABI decodes it
    return value
