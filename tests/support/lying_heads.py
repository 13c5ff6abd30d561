"""Lies about which block is the head, and about the state at it."""

from typing import Any, Final

from eth_utils.crypto import keccak

from tests.support.forged_views import at_block
from tests.support.lies import Ask, Outcome, Tell, forging

TAGS: Final = frozenset({"latest", "pending", "safe", "finalized"})
BLOCK_PARAMETER: Final = {
    "eth_call": 1,
    "eth_estimateGas": 1,
    "eth_getBalance": 1,
    "eth_getCode": 1,
    "eth_getTransactionCount": 1,
    "eth_getBlockByNumber": 0,
}
"""Where a method has its block; anvil's own default where it is not given."""

UNKNOWN: Final[Outcome] = {"error": {"code": -32001, "message": "Resource not found"}}


def number_of(block: Any) -> int:
    return int(block["number"], 16)


async def _height(block: Any, ask: Ask) -> int | None:
    """The number a block parameter stands for, None for the head's tags and for unknown hashes."""
    if isinstance(block, dict):
        found = (await ask("eth_getBlockByHash", block["blockHash"], False))["result"]
        return None if found is None else number_of(found)
    return None if block in TAGS else int(block, 16)


def frozen_head(past: int) -> Tell:
    """Block `past` is the head, consistently: nothing after it has happened."""

    async def tell(method: str, params: list[Any], ask: Ask) -> Outcome:
        if method == "eth_blockNumber":
            return {"result": hex(past)}
        if method == "eth_getLogs":
            return await ask(method, _clipped(params[0], past))
        at = BLOCK_PARAMETER.get(method)
        if at is not None and at < len(params):
            block = hex(past) if params[at] in ("latest", "pending", "safe", "finalized") else params[at]
            height = await _height(block, ask)
            if height is None or height > past:
                return {"result": None} if method == "eth_getBlockByNumber" else UNKNOWN
            params = [*params[:at], block, *params[at + 1 :]]
        outcome = await ask(method, *params)
        return {"result": None} if _stands_after(outcome.get("result"), past) else outcome

    return tell


def _clipped(wanted: dict[str, Any], past: int) -> dict[str, Any]:
    ends = {name: wanted.get(name, "latest") for name in ("fromBlock", "toBlock")}
    return wanted | {name: hex(past if end in TAGS else min(int(end, 16), past)) for name, end in ends.items()}


def _stands_after(result: Any, past: int) -> bool:
    """Whether this is a block, receipt or transaction of a later block."""
    if not isinstance(result, dict):
        return False
    number = result.get("blockNumber") or result.get("number")
    return number is not None and int(number, 16) > past


def state_of(past: int, *, hidden: bool) -> Tell:
    """The true head with the state of block `past`; `hidden` where the answer is also said to be the asked block's."""

    async def tell(method: str, params: list[Any], ask: Ask) -> Outcome:
        if method != "eth_call" or len(params) < 2:
            return await ask(method, *params)
        old = await ask(method, params[0], hex(past))
        if not hidden or "error" in old:
            return old
        block = params[1]
        by = ("eth_getBlockByHash", block["blockHash"]) if isinstance(block, dict) else ("eth_getBlockByNumber", block)
        shown = (await ask(*by, False))["result"] or (await ask("eth_getBlockByNumber", "latest", False))["result"]

        async def old_answer(_method: str, *_params: Any) -> Outcome:
            return old

        return await _dated(shown)(method, params, old_answer)

    return tell


def invented_hash(number: int) -> str:
    """The hash the liar says block `number` has."""
    return "0x" + keccak(f"invented block {number}".encode()).hex()


def invented_head(ahead: int) -> Tell:
    """The head is a block nobody else has, `ahead` above the true one; the state said to be its is the true head's."""

    def invented(true: Any) -> Any:
        number = number_of(true) + ahead
        hashes = {
            "hash": invented_hash(number),
            "parentHash": invented_hash(number - 1) if ahead else true["parentHash"],
        }
        return true | hashes | {"number": hex(number), "timestamp": hex(int(true["timestamp"], 16) + ahead)}

    async def tell(method: str, params: list[Any], ask: Ask) -> Outcome:
        head = invented((await ask("eth_getBlockByNumber", "latest", False))["result"])
        mine = {*TAGS, head["number"], head["hash"]}
        if method == "eth_blockNumber":
            return {"result": head["number"]}
        if method in {"eth_getBlockByNumber", "eth_getBlockByHash"}:
            return {"result": head} if params[0] in mine else await ask(method, *params)
        if method == "eth_call" and len(params) > 1 and _is_of(params[1], mine):
            return await _dated(head)(method, [params[0], "latest"], ask)
        return await ask(method, *params)

    return tell


def _dated(block: Any) -> Tell:
    """Decisions that are said to be of this block."""
    return forging(at_block(number_of(block), int(block["timestamp"], 16)), frozenset({"authorisation"}))


def _is_of(block: Any, mine: set[str]) -> bool:
    return (block["blockHash"] if isinstance(block, dict) else block) in mine


def changing_hashes() -> Tell:
    """Every block has another hash each time it is asked by its number: a reorganisation without end."""
    asked = 0

    async def tell(method: str, params: list[Any], ask: Ask) -> Outcome:
        nonlocal asked
        if method == "eth_getBlockByHash":
            return {"result": None}
        outcome = await ask(method, *params)
        if method != "eth_getBlockByNumber" or outcome.get("result") is None:
            return outcome
        asked += 1
        hashes = {"hash": invented_hash(asked * 2), "parentHash": invented_hash(asked * 2 + 1)}
        return {"result": outcome["result"] | hashes}

    return tell
