"""The endpoints about the node itself: no key, no charge."""

import hashlib
from collections.abc import Sequence
from typing import Final

from pydantic import JsonValue

from node.chain.contract.artifacts import account_contract_abi, deposit_contract_abi
from node.http.answers import Document, json_bytes
from node.http.endpoint import AnyEndpoint, Auth, Call, Endpoint, NoInput
from node.http.errors import ErrorCode
from node.status.models import ChainConfig, Health, Version
from node.status.service import StatusService

_TAG: Final = "Node information"
_CHAIN_ERRORS: Final = frozenset({ErrorCode.CHAIN_UNAVAILABLE})
_RECENT: Final = "As the contract had it at most ten seconds ago."


def endpoints(service: StatusService) -> list[AnyEndpoint]:
    """Returns the endpoints of chain configuration, ABIs, payers, health (also at the host's root), version and limits."""
    return [
        _chain_config(service),
        *_abis(),
        *_payers(service),
        _health(service),
        _version(service),
        _client_config(service),
    ]


def _chain_config(service: StatusService) -> AnyEndpoint:
    async def handle(_: Call, __: NoInput) -> ChainConfig:
        return service.chain

    return Endpoint(
        "GET",
        "/get_node_chain_config",
        Auth.NONE,
        NoInput,
        ChainConfig,
        handle,
        summary="The settlement chain and the account contract",
        tag=_TAG,
    )


def _abis() -> list[AnyEndpoint]:
    """Returns the endpoints of the two ABIs. Their bytes are encoded once, and clients revalidate them by ETag."""
    account, deposit = _abi_document(account_contract_abi()), _abi_document(deposit_contract_abi())

    async def show_account(_: Call, __: NoInput) -> Document:
        return account

    async def show_deposit(_: Call, __: NoInput) -> Document:
        return deposit

    return [
        Endpoint(
            "GET",
            path,
            Auth.NONE,
            NoInput,
            list[dict[str, JsonValue]],
            show,
            summary=summary,
            tag=_TAG,
            description="The JSON ABI, as solc gives it and as ethers, viem and web3 take it.",
            other_statuses=frozenset({304}),
            answer_headers={"ETag": "Of the ABI."},
        )
        for path, show, summary in (
            ("/get_account_contract_abi", show_account, "The account contract's ABI"),
            ("/get_deposit_contract_abi", show_deposit, "The ABI of the contract that takes token payments"),
        )
    ]


def _abi_document(abi: Sequence[JsonValue]) -> Document:
    body = json_bytes(list(abi))
    return Document(body, "application/json; charset=utf-8", hashlib.sha256(body).hexdigest())


def _payers(service: StatusService) -> list[AnyEndpoint]:
    async def payers(_: Call, __: NoInput) -> list[str]:
        return list(await service.payers.api_payers())

    async def admin_payer(_: Call, __: NoInput) -> str:
        return await service.payers.admin_api_payer()

    return [
        Endpoint(
            "GET",
            "/get_api_payers",
            Auth.NONE,
            NoInput,
            list[str],
            payers,
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


def _version(service: StatusService) -> AnyEndpoint:
    async def handle(_: Call, __: NoInput) -> Version:
        return service.version

    return Endpoint("GET", "/version", Auth.NONE, NoInput, Version, handle, summary="What is running", tag=_TAG)


def _client_config(service: StatusService) -> AnyEndpoint:
    async def handle(_: Call, __: NoInput) -> dict[str, JsonValue]:
        return dict(service.client_config)

    return Endpoint(
        "GET",
        "/get_svc_action_client_config",
        Auth.NONE,
        NoInput,
        dict[str, JsonValue],
        handle,
        summary="Every limit of this node, by name",
        tag=_TAG,
    )
