"""View calls on the account contract: one round trip each, never from a block older than the floor."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar

from node.chain.abi import AbiDecodeError, ContractAbi
from node.chain.block_floor import BlockFloor
from node.chain.rpc import (
    CallRevertedError,
    Endpoint,
    JsonRpc,
    RpcBehindError,
    RpcCall,
    RpcError,
    RpcOutcome,
    RpcRefusedError,
    RpcUnavailableError,
    chain_unavailable,
    eth_call_of,
    parse_quantity,
    returned_bytes,
)

Answer = TypeVar("Answer")
HEAD: Final = RpcCall("eth_blockNumber")


class ContractViews:
    """Calls views of the contract at `address` over `rpc`, at or above `floor`.

    `clock` (monotonic seconds) bounds how long a call waits for endpoints that are behind the floor.
    """

    def __init__(
        self,
        rpc: JsonRpc,
        abi: ContractAbi,
        address: str,
        floor: BlockFloor,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._rpc = rpc
        self._abi = abi
        self._address = address
        self._floor = floor
        self._clock = clock

    async def view(self, function: str, *arguments: object) -> tuple[object, ...]:
        """What `function` returns, at the head of an endpoint that has reached the floor.

        Raises CallRevertedError, or NodeError `chain_unavailable`.
        """
        calls = [HEAD, self._call(function, arguments)]
        floor = self._floor.value

        async def ask(endpoint: Endpoint, timeout_s: float) -> tuple[object, ...]:
            head, answer = await endpoint.send(calls, timeout_s)
            _require_at_or_above(floor, endpoint, _block_number(endpoint, head))
            return self._decoded(endpoint, function, answer)

        return await self._answer(ask)

    async def numbered_views(
        self,
        calls: Sequence[tuple[str, Sequence[object]]],
        block_number: Callable[[Sequence[tuple[object, ...]]], int],
    ) -> list[tuple[object, ...]]:
        """What several views return, asked together; none of them ever reverts, and one tells its own block number.

        Raises NodeError `chain_unavailable`.
        """
        requests = [self._call(function, arguments) for function, arguments in calls]
        floor = self._floor.value

        async def ask(endpoint: Endpoint, timeout_s: float) -> list[tuple[object, ...]]:
            answers = await endpoint.send(requests, timeout_s)
            try:
                returned = [
                    self._decoded(endpoint, function, answer)
                    for (function, _arguments), answer in zip(calls, answers, strict=True)
                ]
            except CallRevertedError:
                raise endpoint.fault("reverted a view that never does") from None
            _require_at_or_above(floor, endpoint, block_number(returned))
            return returned

        return await self._answer(ask)

    def _call(self, function: str, arguments: Sequence[object]) -> RpcCall:
        return eth_call_of(self._address, self._abi.encode_call(function, arguments))

    def _decoded(self, endpoint: Endpoint, function: str, answer: RpcOutcome) -> tuple[object, ...]:
        try:
            return self._abi.decode_result(function, returned_bytes(endpoint, answer))
        except AbiDecodeError:
            raise endpoint.fault(f"its answer to {function} is not the contract's") from None
        except RpcRefusedError as refused:
            if "out of gas" in refused.message.lower():  # how geth says what anvil calls a bare revert
                raise CallRevertedError(b"") from None
            # A view that an endpoint cannot run is not the endpoint's ill health.
            raise RpcUnavailableError(refused.host, f"refused {function} with error {refused.code}") from None

    async def _answer(self, ask: Callable[[Endpoint, float], Awaitable[Answer]]) -> Answer:
        deadline = self._clock() + self._rpc.limits.behind_timeout_s
        while True:
            try:
                return await self._rpc.first(ask)
            except CallRevertedError:
                raise
            except RpcBehindError as behind:
                if self._clock() >= deadline:
                    raise chain_unavailable(behind) from behind
            except RpcError as error:
                raise chain_unavailable(error) from error
            await asyncio.sleep(self._rpc.limits.behind_poll_s)


def _block_number(endpoint: Endpoint, outcome: RpcOutcome) -> int:
    number = parse_quantity(outcome)
    if number is None:
        raise endpoint.fault("its block number is not a quantity")
    return number


def _require_at_or_above(floor: int, endpoint: Endpoint, block_number: int) -> None:
    if block_number < floor:
        raise RpcBehindError(endpoint.host, f"is at block {block_number}, this node has relied on {floor}")
