"""The catalogue of what one provider may do to a node that asks it: `proxy.behaviour = LIES[name](stage)`."""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import aiohttp
from aiohttp import web
from eth_utils.crypto import keccak

from tests.support import rpc_proxy
from tests.support.contract import ARTIFACT, signature
from tests.support.forged_views import allow, deny, expired, of_account
from tests.support.lies import Ask, Outcome, Tell, altering, answering, flipping, forging, per_call, upon
from tests.support.lying_heads import changing_hashes, frozen_head, invented_hash, invented_head, number_of, state_of
from tests.support.rpc_proxy import Behaviour, Forward

FAR: Final = 10**9
YEAR_S: Final = 365 * 86400


@dataclass(frozen=True)
class Stage:
    """What the lies are about.

    `past_block`: where lies about the past take their state from. `other_account`: the master hash strangers' keys are
    given to. `contract`: the address invented logs are of. `other_chain`: the URL of a chain that is not this one
    (None: the same chain under another id). `late_s`: how long an answer lets wait.
    """

    past_block: int
    contract: str
    other_account: int = 7
    other_chain: str | None = None
    late_s: float = 0.3


Lie: TypeAlias = Callable[[Stage], Behaviour]


def _told(tell: Tell) -> Lie:
    return lambda _: per_call(tell)


def another_chain(stage: Stage) -> Behaviour:
    """Another chain answers, or this one says it is another."""
    if stage.other_chain is None:
        return per_call(altering({"eth_chainId", "net_version"}, lambda _: hex(FAR)))
    url = stage.other_chain

    async def behaviour(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
        async with aiohttp.ClientSession() as session, session.post(url, json=asked) as response:
            return web.json_response(await response.json())

    return behaviour


def of_answers(change: Callable[[Any], Any]) -> Lie:
    """Every answer object changed, wherever it stands."""

    def both(answers: Any) -> Any:
        return [change(answer) for answer in answers] if isinstance(answers, list) else change(answers)

    return lambda _: rpc_proxy.changing(both)


def result(value: Any) -> Lie:
    """The same result for every call."""
    return of_answers(lambda answer: {"jsonrpc": "2.0", "id": answer["id"], "result": value})


def _without_one(answers: Any) -> Any:
    return answers[:-1] if isinstance(answers, list) else {}


def event_topic(name: str) -> str:
    """The first topic of the contract's event of that name."""
    (entry,) = [entry for entry in ARTIFACT["abi"] if entry["type"] == "event" and entry["name"] == name]
    return "0x" + keccak(signature(entry).encode()).hex()


def invented_log(stage: Stage, block: int, account: int, index: int) -> dict[str, Any]:
    """A well-formed log: a usage key of `account` was removed."""
    topics = [event_topic("UsageApiKeyRemoved"), f"0x{account:064x}", f"0x{index + 1:064x}"]
    place = {"blockNumber": hex(block), "blockHash": invented_hash(block), "logIndex": hex(index)}
    of = {"transactionHash": invented_hash(index), "transactionIndex": "0x0", "removed": False}
    return {"address": stage.contract, "topics": topics, "data": "0x"} | place | of


def invented_logs(count: int, *, ahead: int) -> Lie:
    """`count` logs that never were, of the stage's account and others, `ahead` of the head."""

    def behaviour(stage: Stage) -> Behaviour:
        async def tell(method: str, params: list[Any], ask: Ask) -> Outcome:
            outcome = await ask(method, *params)
            if method != "eth_getLogs" or "error" in outcome:
                return outcome
            block = number_of((await ask("eth_getBlockByNumber", "latest", False))["result"]) + ahead
            invented = [invented_log(stage, block, stage.other_account + index, index) for index in range(count)]
            return {"result": outcome["result"] + invented}

        return per_call(tell)

    return behaviour


def _broken_logs(logs: list[Any]) -> list[Any]:
    return [*logs, {}, {"topics": []}, {"topics": ["0x12"], "blockNumber": -1}, None, "log"]


def _forged_receipt(params: list[Any]) -> Outcome:
    place = {"blockNumber": hex(FAR), "blockHash": invented_hash(FAR), "transactionHash": params[0]}
    return {"result": {"status": "0x1", "logs": [], "transactionIndex": "0x0", "gasUsed": "0x5208"} | place}


def _swallowed(params: list[Any]) -> Outcome:
    return {"result": "0x" + keccak(bytes.fromhex(params[0][2:])).hex()}


def _reverts(data: str) -> Tell:
    error = {"code": 3, "message": "execution reverted", "data": data}
    return answering({"eth_call", "eth_estimateGas"}, lambda _: {"error": error})


UNKNOWN_ACCOUNT: Final = "0x" + keccak(b"AccountDoesNotExist(uint256)")[:4].hex() + "00" * 32


def _dated(seconds: int) -> Tell:
    blocks = {"eth_getBlockByNumber", "eth_getBlockByHash"}
    return altering(blocks, lambda block: block | {"timestamp": hex(int(block["timestamp"], 16) + seconds)})


def limited_logs(blocks: int) -> Tell:
    """No lie: `eth_getLogs` over more blocks than this is refused, as hosted providers do."""
    error = {"code": -32005, "message": f"query exceeds max block range {blocks}"}

    async def tell(method: str, params: list[Any], ask: Ask) -> Outcome:
        if method == "eth_getLogs" and "blockHash" not in params[0]:
            first, last = (int(params[0][name], 16) for name in ("fromBlock", "toBlock"))
            if last - first >= blocks:
                return {"error": error}
        return await ask(method, *params)

    return tell


YES: Final = forging(allow)

STATE_LIES: Final[Mapping[str, Lie]] = {
    "says yes": _told(YES),
    "says no": _told(forging(deny)),
    "every key is of another account": lambda stage: per_call(forging(of_account(stage.other_account))),
    "every key is expired": _told(forging(expired)),
    "old block under the present head": lambda stage: per_call(state_of(stage.past_block, hidden=True)),
    "state of another block": lambda stage: per_call(state_of(stage.past_block, hidden=False)),
    "reverts": _told(_reverts(UNKNOWN_ACCOUNT)),
    "bare reverts": _told(_reverts("0x")),
    "empty answers": _told(answering({"eth_call"}, lambda _: {"result": "0x"})),
}
HEAD_LIES: Final[Mapping[str, Lie]] = {
    "frozen head": lambda stage: per_call(frozen_head(stage.past_block)),
    "head far ahead": _told(invented_head(FAR)),
    "head one ahead": _told(invented_head(1)),
    "invented hash at the true height": _told(invented_head(0)),
    "says yes at a head far ahead": _told(upon(YES, invented_head(FAR))),
    "says yes at an invented hash": _told(upon(YES, invented_head(0))),
    "says yes at a frozen head": lambda stage: per_call(upon(YES, frozen_head(stage.past_block))),
    "reorganisations without end": lambda _: per_call(changing_hashes()),
    "head of the future": _told(_dated(10 * YEAR_S)),
    "head of last year": _told(_dated(-YEAR_S)),
    "wrong chain": another_chain,
}
GARBAGE: Final[Mapping[str, Lie]] = {
    "no JSON": lambda _: rpc_proxy.saying(b"<html>502</html>"),
    "HTTP 500": lambda _: rpc_proxy.saying(b"{}", status=500),
    "HTTP 429": lambda _: rpc_proxy.saying(b"{}", status=429, headers={"Retry-After": "3600"}),
    "redirect": lambda _: rpc_proxy.saying(b"", status=307, headers={"Location": "http://127.0.0.1:9/"}),
    "wrong ids": of_answers(lambda answer: answer | {"id": answer["id"] + 1}),
    "one id for all": of_answers(lambda answer: answer | {"id": 1}),
    "one answer short": lambda _: rpc_proxy.changing(_without_one),
    "null results": result(None),
    "numbers for results": result(1),
    "objects for results": result({"number": [], "hash": {}}),
    "odd hex for results": result("0xabc"),
    "true for results": result("0x" + f"{1:064x}"),
    "huge answer": lambda _: rpc_proxy.saying(b"0" * (17 << 20)),
    "deep answer": lambda _: rpc_proxy.saying(b"[" * 200_000),
    "method missing": lambda _: rpc_proxy.refusing(-32601, "the method does not exist"),
    "over its limit": lambda _: rpc_proxy.refusing(-32005, "daily request count exceeded"),
}
SILENCE: Final[Mapping[str, Lie]] = {
    "hangs": lambda _: rpc_proxy.hang,
    "hangs midway": lambda _: rpc_proxy.hang_midway,
    "drips": lambda _: rpc_proxy.drip,
    "floods": lambda _: rpc_proxy.flood,
    "drops": lambda _: rpc_proxy.drop,
    "resets": lambda _: rpc_proxy.reset,
    "truncates": lambda _: rpc_proxy.truncate,
    "speaks no HTTP": lambda _: rpc_proxy.speak_no_http,
    "answers late": lambda stage: rpc_proxy.slow(stage.late_s),
}
LOG_LIES: Final[Mapping[str, Lie]] = {
    "invents logs": invented_logs(3, ahead=0),
    "invents logs ahead": invented_logs(3, ahead=FAR),
    "invents a flood of logs": invented_logs(1_000, ahead=0),
    "hides logs": _told(altering({"eth_getLogs"}, lambda _: [])),
    "broken logs": _told(altering({"eth_getLogs"}, _broken_logs)),
    "refuses logs": _told(answering({"eth_getLogs"}, lambda _: {"error": {"code": -32005, "message": "limit"}})),
}
WRITE_LIES: Final[Mapping[str, Lie]] = {
    "forged receipts": _told(answering({"eth_getTransactionReceipt"}, _forged_receipt)),
    "hides receipts": _told(altering({"eth_getTransactionReceipt"}, lambda _: None)),
    "swallows transactions": _told(answering({"eth_sendRawTransaction"}, _swallowed)),
    "nonces far ahead": _told(altering({"eth_getTransactionCount"}, lambda count: hex(int(count, 16) + 1000))),
    "nonces of nobody": _told(altering({"eth_getTransactionCount"}, lambda _: "0x0")),
}


def _in_turn(names: tuple[str, ...]) -> Lie:
    known: Mapping[str, Lie] = {**STATE_LIES, **HEAD_LIES, **GARBAGE, **SILENCE}
    return lambda stage: flipping([rpc_proxy.honest, *(known[name](stage) for name in names)])


FLIPS: Final[Mapping[str, Lie]] = {
    "flips between yes and the truth": _in_turn(("says yes",)),
    "flips between heads": _in_turn(
        ("frozen head", "says yes at a head far ahead", "invented hash at the true height")
    ),
    "flips between everything": _in_turn(("says yes", "no JSON", "frozen head", "resets", "says no")),
}
LIES: Final[Mapping[str, Lie]] = functools.reduce(
    lambda known, more: {**known, **more}, (STATE_LIES, HEAD_LIES, GARBAGE, SILENCE, LOG_LIES, WRITE_LIES, FLIPS)
)
"""Every lie by its name; a node with two honest providers beside this one must never grant what the chain does not."""
