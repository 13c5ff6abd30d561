"""Providers that are no liars: receipts that do not count, and chains without eth_maxPriorityFeePerGas."""

from typing import Any, Final

from tests.support.lies import Ask, Outcome, altering, per_call
from tests.support.rpc_proxy import Behaviour

RECEIPT: Final = "eth_getTransactionReceipt"
TIP: Final = "eth_maxPriorityFeePerGas"
GWEI: Final = 10**9

ABSENT: Final = object()

CHANGES: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "of a pending block": ("blockHash", {"blockHash": None, "blockNumber": None, "transactionIndex": None}),
    "without status": ("status", {"status": ABSENT}),
    "without logs": ("logs", {"logs": ABSENT}),
    "of block 1,000,000": ("blockNumber", {"blockNumber": hex(1_000_000)}),
    "of the block zero": ("blockHash", {"blockHash": "0x" + "00" * 32}),
    "without block hash": ("blockHash", {"blockHash": ABSENT}),
    "with a short block hash": ("blockHash", {"blockHash": "0x12"}),
    "without block number": ("blockNumber", {"blockNumber": ABSENT}),
    "without place": ("transactionIndex", {"transactionIndex": ABSENT}),
    "of a third status": ("status", {"status": "0x2"}),
    "with logs that are none": ("logs", {"logs": ["0x12"]}),
    "of another transaction": ("transactionHash", {"transactionHash": "0x" + "22" * 32}),
}
"""By its name: the field by which a receipt does not count, and what is changed of the chain's."""

UNKNOWN: Final = {"code": -32601, "message": f"the method {TIP} does not exist/is not available"}
UNSUPPORTED: Final = {"code": -32004, "message": "Method not supported"}


def showing(change: dict[str, Any]) -> Behaviour:
    """A provider whose receipts are changed."""

    def changed(receipt: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in (receipt | change).items() if value is not ABSENT}

    return per_call(altering({RECEIPT}, changed))


def without_tips(above_gwei: int | None, error: dict[str, Any] = UNKNOWN) -> Behaviour:
    """A provider of a chain without tips, whose gas price is so much above the base fee; None: it has no gas price either."""

    async def tell(method: str, params: list[Any], ask: Ask) -> Outcome:
        if method == TIP or (method == "eth_gasPrice" and above_gwei is None):
            return {"error": error}
        if method == "eth_gasPrice" and above_gwei is not None:
            head = (await ask("eth_getBlockByNumber", "latest", False))["result"]
            return {"result": hex(max(0, int(head["baseFeePerGas"], 16) + above_gwei * GWEI))}
        return await ask(method, *params)

    return per_call(tell)
