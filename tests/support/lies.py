"""How one provider lies, call by call inside batches: what a lie is, and how lies are laid upon each other."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeAlias

from aiohttp import web

from tests.support.forged_views import Change, asked_view, decoded, encoded
from tests.support.rpc_proxy import Behaviour, Forward

Outcome: TypeAlias = dict[str, Any]
"""`{"result": …}` or `{"error": …}`."""


class Ask(Protocol):
    """What the chain, or the lie below, answers to one call."""

    def __call__(self, method: str, /, *params: Any) -> Awaitable[Outcome]: ...


Tell: TypeAlias = Callable[[str, list[Any], Ask], Awaitable[Outcome]]
"""What is told about one call (method and parameters), with the truth at hand."""


def per_call(tell: Tell) -> Behaviour:
    """A behaviour that answers each call of a request by `tell`."""

    async def behaviour(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
        async def ask(method: str, *params: Any) -> Outcome:
            answer = await forward({"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)})
            return {"error": answer["error"]} if "error" in answer else {"result": answer["result"]}

        async def told(call: Any) -> Any:
            return {"jsonrpc": "2.0", "id": call["id"], **await tell(call["method"], call["params"], ask)}

        if isinstance(asked, list):
            return web.json_response([await told(call) for call in asked])
        return web.json_response(await told(asked))

    return behaviour


def upon(upper: Tell, lower: Tell) -> Tell:
    """`upper`, which takes what `lower` tells for the truth."""

    async def tell(method: str, params: list[Any], ask: Ask) -> Outcome:
        async def below(inner: str, *inner_params: Any) -> Outcome:
            return await lower(inner, list(inner_params), ask)

        return await upper(method, params, below)

    return tell


def forging(change: Change, only: frozenset[str] | None = None) -> Tell:
    """Views of the account contract changed (`only` those named), also where the truth is a revert or no known block."""

    async def tell(method: str, params: list[Any], ask: Ask) -> Outcome:
        outcome = await ask(method, *params)
        view = asked_view(params[0]) if method == "eth_call" else None
        if view is None or (only is not None and view.name not in only):
            return outcome
        return {"result": encoded(view, change(view, decoded(view, outcome.get("result"))))}

    return tell


def altering(methods: set[str], change: Callable[[Any], Any]) -> Tell:
    """The results of these methods changed; null and errors are left."""

    async def tell(method: str, params: list[Any], ask: Ask) -> Outcome:
        outcome = await ask(method, *params)
        if method not in methods or outcome.get("result") is None:
            return outcome
        return {"result": change(outcome["result"])}

    return tell


def answering(methods: set[str], answer: Callable[[list[Any]], Outcome]) -> Tell:
    """These methods answered without asking the chain."""

    async def tell(method: str, params: list[Any], ask: Ask) -> Outcome:
        return answer(params) if method in methods else await ask(method, *params)

    return tell


def flipping(behaviours: list[Behaviour]) -> Behaviour:
    """Another behaviour with every request, in turn."""
    turn = 0

    async def behaviour(request: web.Request, asked: Any, forward: Forward) -> web.StreamResponse:
        nonlocal turn
        turn += 1
        return await behaviours[turn % len(behaviours)](request, asked, forward)

    return behaviour
