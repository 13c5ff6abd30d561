"""A short chain shown as a long one, since a local chain takes a minute to make ten thousand blocks."""

from typing import Any

from tests.support.lies import Ask, Outcome, Tell
from tests.support.lying_heads import TAGS, invented_hash


def stretched(factor: int) -> Tell:
    """Block n is shown as block n * `factor`, with empty blocks in between: no lie, all providers must show the same."""

    def shown(real: Any) -> Any:
        number = int(real["number"], 16) * factor
        return real | {"number": hex(number), "parentHash": invented_hash(number - 1)}

    async def block(wanted: str, ask: Ask) -> Outcome:
        head = (await ask("eth_getBlockByNumber", "latest", False))["result"]
        if wanted in TAGS:
            return {"result": shown(head)}
        number = int(wanted, 16)
        if number > int(head["number"], 16) * factor:
            return {"result": None}
        real = (await ask("eth_getBlockByNumber", hex(-(-number // factor)), False))["result"]
        if number % factor == 0:
            return {"result": shown(real)}
        below = (await ask("eth_getBlockByNumber", hex(number // factor), False))["result"]
        parent = invented_hash(number - 1) if (number - 1) % factor else below["hash"]
        return {"result": real | {"number": hex(number), "hash": invented_hash(number), "parentHash": parent}}

    async def logs(wanted: dict[str, Any], ask: Ask) -> Outcome:
        first, last = -(-int(wanted["fromBlock"], 16) // factor), int(wanted["toBlock"], 16) // factor
        if first > last:
            return {"result": []}
        found = (await ask("eth_getLogs", wanted | {"fromBlock": hex(first), "toBlock": hex(last)}))["result"]
        return {"result": [log | {"blockNumber": hex(int(log["blockNumber"], 16) * factor)} for log in found]}

    async def tell(method: str, params: list[Any], ask: Ask) -> Outcome:
        if method == "eth_getBlockByNumber":
            return await block(params[0], ask)
        return await logs(params[0], ask) if method == "eth_getLogs" else await ask(method, *params)

    return tell
