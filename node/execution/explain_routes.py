"""POST /explain."""

from typing import Final

from node.errors import ErrorCode
from node.execution.explain import ExplainService
from node.execution.explain_models import ExplainAnswer, ExplainRequest
from node.http.endpoint import AnyEndpoint, Auth, Call, Endpoint

_EXAMPLE_CID: Final = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG"


def endpoints(service: ExplainService) -> list[AnyEndpoint]:
    """The endpoint that tells a key what it may run, and why."""

    async def handle(call: Call, request: ExplainRequest) -> ExplainAnswer:
        return await service.explain(call.caller, request)

    return [
        Endpoint(
            "POST",
            "/explain",
            Auth.ANY_KEY,
            ExplainRequest,
            ExplainAnswer,
            handle,
            summary="May this key run an action, and why",
            tag="Execution",
            description="Asks about the key that calls: may it run the action named by exactly one of `code` and "
            "`action_ipfs_cid`, and use the wallet `pkp_id` in it. Decided at the head of the chain; a denial is a 200. "
            "`group` is the group the decision rests on (`0`: the grant of every group), or the one in which `missing` "
            "would turn it. Free.",
            errors=frozenset({ErrorCode.NOT_FOUND}),
            example={"action_ipfs_cid": _EXAMPLE_CID, "pkp_id": "0"},
        )
    ]
