"""Is this the chain and the contract the settings name? Asked of every endpoint before the node serves."""

import asyncio
from typing import Final

import structlog

from node.chain.abi import AbiDecodeError, ContractAbi
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
from node.errors import StartupRefusedError

OUTVOTES_NOBODY: Final = 2
"""So many endpoints, or fewer, can outvote none of them: a wrong one is a mistake in the settings."""

_log = structlog.get_logger(__name__)

PROBES: Final = (("owner", ()), ("adminApiPayerAccount", ()), ("authorisation", (0, 0, ())), ("getAccount", (0,)))
"""Views that answer on every deployment of the contract, whatever stands in it."""


async def verify_deployment(rpc: JsonRpc, abi: ContractAbi, chain_id: int, contract_address: str, quorum: int) -> None:
    """Pass when `quorum` endpoints are on chain `chain_id` and have the account contract at `contract_address`.

    One that serves another chain or contract is then logged and goes on being outvoted; of two endpoints none may.
    Raises StartupRefusedError naming `rpc_endpoints` (too few answer), `chain_id` or `contract_address`.
    """
    checks = [_verify_endpoint(endpoint, rpc, abi, chain_id, contract_address) for endpoint in rpc.endpoints]
    outcomes = await asyncio.gather(*checks, return_exceptions=True)
    silent = [outcome for outcome in outcomes if isinstance(outcome, RpcUnavailableError)]
    wrong = [outcome for outcome in outcomes if isinstance(outcome, StartupRefusedError)]
    for outcome in outcomes:
        if isinstance(outcome, BaseException) and outcome not in silent and outcome not in wrong:
            raise outcome
    sound = len(outcomes) - len(silent) - len(wrong)
    if wrong and (sound < quorum or len(outcomes) <= OUTVOTES_NOBODY):
        raise wrong[0]
    if sound < quorum:
        why = "; ".join(f"{each.host} {each.why}" for each in silent)
        raise StartupRefusedError("rpc_endpoints", f"{quorum} must answer, {sound} do: {why}.")
    for refused in wrong:
        _log.error("rpc_endpoint_wrong", setting=refused.setting, why=refused.message)
    for each in silent:
        _log.warning("rpc_endpoint_silent", host=each.host, why=each.why)


async def _verify_endpoint(endpoint: Endpoint, rpc: JsonRpc, abi: ContractAbi, chain_id: int, address: str) -> None:
    probes = [eth_call_of(address, abi.encode_call(function, arguments)) for function, arguments in PROBES]
    calls = [RpcCall("eth_chainId"), RpcCall("eth_getCode", [address, "latest"]), *probes]
    seen_chain, code, *answers = await endpoint.send(calls, rpc.limits.attempt_timeout_s)
    seen = parse_quantity(seen_chain)
    if seen != chain_id:
        what = "an unknown chain" if seen is None else f"chain {seen}"
        raise StartupRefusedError("chain_id", f"{endpoint.host} serves {what}, the setting says {chain_id}.")
    if not isinstance(code, str) or code in {"", "0x"}:
        raise StartupRefusedError("contract_address", f"There is no contract at {address} on {endpoint.host}.")
    for (function, _arguments), answer in zip(PROBES, answers, strict=True):
        _verify_answer(endpoint, abi, address, function, answer)


def _verify_answer(endpoint: Endpoint, abi: ContractAbi, address: str, function: str, answer: RpcOutcome) -> None:
    try:
        abi.decode_result(function, returned_bytes(endpoint, answer))
    except (AbiDecodeError, CallRevertedError, RpcRefusedError):
        raise StartupRefusedError(
            "contract_address",
            f"The contract at {address} on {endpoint.host} is not the account contract of this version:"
            f" {function}() does not answer as it should.",
        ) from None
