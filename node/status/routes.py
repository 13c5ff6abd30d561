"""Endpoints about the node itself. They need no key and cost nothing."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar

from pydantic import JsonValue

from node.api.calls import Call, Document, NoInput, json_bytes
from node.api.errors import ErrorCode
from node.chain.contract.artifacts import account_contract_abi, deposit_contract_abi
from node.http.endpoint import Access, AnyEndpoint, Auth, Docs, Group, Operation, Responses
from node.status.models import EXAMPLE_CHAIN, EXAMPLE_HEALTH, ChainConfig, Health, Version
from node.status.service import PayerReads, StatusService

_INFORMATION: Final = Group("Node information", Access(Auth.NONE))
_CHAIN_ERRORS: Final = frozenset({ErrorCode.CHAIN_UNAVAILABLE})
_RECENT: Final = "As the contract had it at most ten seconds ago."
Output = TypeVar("Output")


def endpoints(service: StatusService) -> list[AnyEndpoint]:
    """Returns the endpoints of chain, ABIs, payers, health (also at the root), version, limits."""

    async def health(call: Call, _: NoInput) -> Health:
        found = await service.health()
        # Degraded is 200, so that a load balancer keeps a node that still serves (spec 9.5).
        call.status = 503 if found.status == "down" else 200
        return found

    return [
        _INFORMATION(
            Operation("GET", "/get_node_chain_config", NoInput, ChainConfig, _always(service.chain)),
            Docs(
                "The settlement chain and the account contract",
                "What a wallet or a library needs to talk to the contract by itself.",
                example=EXAMPLE_CHAIN,
            ),
        ),
        _abi("/get_account_contract_abi", account_contract_abi(), "The account contract's ABI"),
        _abi("/get_deposit_contract_abi", deposit_contract_abi(), "The ABI of the contract that takes token payments"),
        *_payers(service.payers),
        _INFORMATION(
            Operation("GET", "/health", NoInput, Health, health, also_at=("/health",)),
            Docs(
                "Whether the node can serve",
                "503 when the node cannot run actions or reach the chain. The same at `/health` of the host.",
                example=EXAMPLE_HEALTH,
            ),
            responses=Responses(other=frozenset({503})),
        ),
        _INFORMATION(
            Operation("GET", "/version", NoInput, Version, _always(service.version)),
            Docs(
                "What is running",
                "As the node names it, which proves nothing: the attestation does.",
                example={"name": "svc-node", "version": "0.2.0", "commit": None, "compose_hash": None},
            ),
        ),
        _INFORMATION(
            Operation(
                "GET",
                "/get_svc_action_client_config",
                NoInput,
                dict[str, JsonValue],
                _always(dict(service.client_config)),
            ),
            Docs(
                "Every limit of this node, by name",
                "Limits that users meet, by the names of the settings, and the prices.",
                example={"action_timeout_s": 900.0, "list_max_entries_per_call": 100},
            ),
        ),
    ]


def _always(answer: Output) -> Callable[[Call, NoInput], Awaitable[Output]]:
    """Returns the handler of a response that does not change while the node runs."""

    async def handle(_: Call, __: NoInput) -> Output:
        return answer

    return handle


def _abi(path: str, abi: Sequence[JsonValue], summary: str) -> AnyEndpoint:
    # Encode once. Clients revalidate by ETag; a changed ABI comes with another build.
    document = Document.fixed(json_bytes(list(abi)), "application/json; charset=utf-8")
    return _INFORMATION(
        Operation("GET", path, NoInput, list[dict[str, JsonValue]], _always(document)),
        Docs(
            summary,
            "The JSON ABI, as solc gives it and as ethers, viem and web3 take it.",
            [{"type": "function", "name": "owner", "inputs": [], "stateMutability": "view"}],
            {"ETag": "Of the ABI."},
        ),
        responses=Responses(other=frozenset({304})),
    )


def _payers(payers: PayerReads) -> list[AnyEndpoint]:
    async def all_payers(_: Call, __: NoInput) -> list[str]:
        return list(await payers.api_payers())

    async def admin_payer(_: Call, __: NoInput) -> str:
        return await payers.admin_api_payer()

    return [
        _INFORMATION(
            Operation("GET", "/get_api_payers", NoInput, list[str], all_payers),
            Docs(
                "The addresses that pay for API-mode writes",
                _RECENT,
                example=["0xc808eA6a7eA53adb593ED00B58263c378dae2dc7"],
            ),
            errors=_CHAIN_ERRORS,
        ),
        _INFORMATION(
            Operation("GET", "/get_admin_api_payer", NoInput, str, admin_payer),
            Docs("The address that names the payers", _RECENT, example="0xA5f584d6B2d5B074BA56d2396A42020c876660E0"),
            errors=_CHAIN_ERRORS,
        ),
    ]
