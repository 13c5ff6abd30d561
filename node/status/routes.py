"""Endpoints about the node itself. They need no key and cost nothing."""

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar

from pydantic import JsonValue

from node.chain.contract.artifacts import account_contract_abi, deposit_contract_abi
from node.http.answers import Document, json_bytes
from node.http.endpoint import AnyEndpoint, Auth, Call, Endpoint, NoInput
from node.http.errors import ErrorCode
from node.status.models import ChainConfig, Health, Version
from node.status.service import PayerReads, StatusService

_TAG: Final = "Node information"
_CHAIN_ERRORS: Final = frozenset({ErrorCode.CHAIN_UNAVAILABLE})
_RECENT: Final = "As the contract had it at most ten seconds ago."
Output = TypeVar("Output")


def endpoints(service: StatusService) -> list[AnyEndpoint]:
    """Returns the endpoints of chain, ABIs, payers, health (also at the root), version, limits."""
    return [
        Endpoint(
            "GET",
            "/get_node_chain_config",
            Auth.NONE,
            NoInput,
            ChainConfig,
            _always(service.chain),
            summary="The settlement chain and the account contract",
            tag=_TAG,
        ),
        _abi("/get_account_contract_abi", account_contract_abi(), "The account contract's ABI"),
        _abi("/get_deposit_contract_abi", deposit_contract_abi(), "The ABI of the contract that takes token payments"),
        *_payers(service.payers),
        _health(service),
        Endpoint(
            "GET",
            "/version",
            Auth.NONE,
            NoInput,
            Version,
            _always(service.version),
            summary="What is running",
            tag=_TAG,
        ),
        Endpoint(
            "GET",
            "/get_svc_action_client_config",
            Auth.NONE,
            NoInput,
            dict[str, JsonValue],
            _always(dict(service.client_config)),
            summary="Every limit of this node, by name",
            tag=_TAG,
        ),
    ]


def _always(answer: Output) -> Callable[[Call, NoInput], Awaitable[Output]]:
    """Returns the handler of a response that does not change while the node runs."""

    async def handle(_: Call, __: NoInput) -> Output:
        return answer

    return handle


def _abi(path: str, abi: Sequence[JsonValue], summary: str) -> AnyEndpoint:
    # Encode once. Clients revalidate by ETag; a changed ABI comes with another build.
    body = json_bytes(list(abi))
    document = Document(body, "application/json; charset=utf-8", hashlib.sha256(body).hexdigest())
    return Endpoint(
        "GET",
        path,
        Auth.NONE,
        NoInput,
        list[dict[str, JsonValue]],
        _always(document),
        summary=summary,
        tag=_TAG,
        description="The JSON ABI, as solc gives it and as ethers, viem and web3 take it.",
        other_statuses=frozenset({304}),
        answer_headers={"ETag": "Of the ABI."},
    )


def _payers(payers: PayerReads) -> list[AnyEndpoint]:
    async def all_payers(_: Call, __: NoInput) -> list[str]:
        return list(await payers.api_payers())

    async def admin_payer(_: Call, __: NoInput) -> str:
        return await payers.admin_api_payer()

    return [
        Endpoint(
            "GET",
            "/get_api_payers",
            Auth.NONE,
            NoInput,
            list[str],
            all_payers,
            summary="The addresses that pay for API-mode writes",
            tag=_TAG,
            description=_RECENT,
            errors=_CHAIN_ERRORS,
        ),
        Endpoint(
            "GET",
            "/get_admin_api_payer",
            Auth.NONE,
            NoInput,
            str,
            admin_payer,
            summary="The address that names the payers",
            tag=_TAG,
            description=_RECENT,
            errors=_CHAIN_ERRORS,
        ),
    ]


def _health(service: StatusService) -> AnyEndpoint:
    async def handle(call: Call, _: NoInput) -> Health:
        health = await service.health()
        # Degraded is 200, so that a load balancer keeps a node that still serves (spec 9.5).
        call.status = 503 if health.status == "down" else 200
        return health

    return Endpoint(
        "GET",
        "/health",
        Auth.NONE,
        NoInput,
        Health,
        handle,
        summary="Whether the node can serve",
        tag=_TAG,
        description="503 when the node cannot run actions or reach the chain. The same at `/health` of the host.",
        also_at=("/health",),
        other_statuses=frozenset({503}),
    )
