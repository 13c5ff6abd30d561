"""The endpoint `/billing/usage`."""

from node.billing.usage.models import UsageItem, UsageQuery
from node.billing.usage.service import UsageService
from node.errors import ErrorCode
from node.http.answers import CSV, Document
from node.http.endpoint import AnyEndpoint, Auth, Call, Endpoint, Listing


def endpoints(service: UsageService) -> list[AnyEndpoint]:
    """`GET /billing/usage`, as JSON by the page or as CSV in one piece."""

    async def handle(call: Call, query: UsageQuery) -> Listing[UsageItem] | Document:
        if call.wants_csv:
            call.headers["Content-Disposition"] = 'attachment; filename="usage.csv"'
            return Document(await service.export(call.caller, query), f"{CSV}; charset=utf-8")
        return await service.page(call.caller, query)

    usage = Endpoint(
        "GET",
        "/billing/usage",
        Auth.ANY_KEY,
        UsageQuery,
        Listing[UsageItem],
        handle,
        summary="What was charged, execution by execution and write by write",
        tag="Billing",
        description="Oldest first. A usage key is shown its own charges. With `Accept: text/csv` the whole period "
        "comes in one answer, whatever page is asked for; a caller gets a few of these a minute, more are 429.",
        errors=frozenset({ErrorCode.BILLING_UNAVAILABLE, ErrorCode.BILLING_DISABLED}),
        open_to_converted=True,
        wallet_auth=True,
        also_csv=True,
    )
    return [usage]
