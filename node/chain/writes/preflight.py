"""One look at the chain before a write: would it succeed, what gas, at what price, has the payer the money and the nonce."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from node.chain.block_floor import BlockFloor
from node.chain.quorum.client import BehindError, QuorumClient
from node.chain.quorum.heads import LATEST
from node.chain.quorum.tally import DisagreementError, agreed, is_agreed
from node.chain.read_meter import count_reads
from node.chain.rpc import CallRevertedError, Endpoint, RpcCall, answers
from node.chain.writes.fees import offer
from node.chain.writes.limits import WriteLimits
from node.chain.writes.looks import TIP, Look, calls_of, look_of, suggested_tip
from node.chain.writes.model import Fees, Transaction
from node.errors import ErrorCode, NodeError

NEAR: Final = 2
"""Clients estimate gas a little differently; a liar's number only matters when it is another one altogether."""


@dataclass(frozen=True, slots=True)
class Flight:
    """A transaction that would succeed now: with its gas limit, an offer, and the payer's state at about that block.

    `count` is the payer's next nonce by the chain's count: a quorum counts at least so many, and `count_at_most` at
    most; with one endpoint they are the same.
    """

    transaction: Transaction
    fees: Fees
    block_number: int
    count: int
    count_at_most: int
    balance_wei: int

    @property
    def cost_max(self) -> int:
        """The most the payer can lose by it, in wei."""
        return self.transaction.gas_limit * self.fees.max_fee + self.transaction.value


class Preflight:
    """Asks everything a write needs in one exchange: with one endpoint, or with as many as have to agree."""

    def __init__(
        self, witnesses: QuorumClient, floor: BlockFloor, limits: WriteLimits, clock: Callable[[], float]
    ) -> None:
        self._witnesses = witnesses
        self._floor = floor
        self._limits = limits
        self._clock = clock
        self._tip = 0
        self._tip_until = float("-inf")

    async def check(self, payer: str, to: str, data: bytes, value: int, gas_max: int) -> Flight:
        """Simulate `data` on `to` as `payer` at the head, and price it; `gas_max` is the most gas that it may take.

        Raises CallRevertedError when a quorum says that it would revert, RpcRefusedError or RpcUnavailableError when
        the chain does not say, NodeError when it needs more gas than is allowed or fees are above the cap, and what the
        meter of the request it is made for raises.
        """
        count_reads()
        calls = calls_of(payer, to, data, value)
        if asks_tip := self._clock() >= self._tip_until:
            calls.append(TIP)
        looks = await self._looks(calls)
        if asks_tip:
            self._note_tip([look.tip or 0 for look in looks])
        if (reverts := self._verdict(looks)) is not None:
            raise CallRevertedError(reverts)
        able = [look for look in looks if look.reverts is None]
        return self._flight(Transaction(to, data, value, self._gas_limit(able, gas_max)), able)

    async def price(self) -> Fees | None:
        """What is to be offered now; None when that is above the cap. Raises RpcRefusedError, RpcUnavailableError."""

        async def question(endpoint: Endpoint, timeout_s: float) -> tuple[int, int]:
            head, tip = await endpoint.send([LATEST, TIP], timeout_s)
            return answers.field(answers.record(head), "baseFeePerGas"), suggested_tip(tip)

        def is_settled(said: Sequence[tuple[int, int]]) -> bool:
            return all(self._are_near(numbers) for numbers in zip(*said, strict=True))

        base_fees, tips = zip(*await self._witnesses.ask(question, is_settled), strict=True)
        self._note_tip(tips)
        return offer(self._witnesses.at_least(base_fees), self._tip, self._limits.fees)

    async def _looks(self, calls: Sequence[RpcCall]) -> Sequence[Look]:
        """What the endpoints say; of several, those that are not behind what this process has relied on."""

        async def question(endpoint: Endpoint, timeout_s: float) -> Look:
            look = look_of(endpoint, await endpoint.send(calls, timeout_s))
            if self._witnesses.quorum > 1 and look.number < self._floor.value:
                raise BehindError(endpoint.host)
            return look

        limits = self._witnesses.rpc.limits
        deadline = self._clock() + limits.behind_timeout_s
        while True:
            try:
                return await self._witnesses.ask(question, self._is_settled)
            except BehindError:
                if self._clock() >= deadline:
                    raise
            await asyncio.sleep(limits.behind_poll_s)

    def _verdict(self, looks: Sequence[Look]) -> bytes | None:
        """With what a quorum says that the write would revert. Raises DisagreementError."""
        try:
            return agreed([look.reverts for look in looks], self._witnesses.quorum)
        except DisagreementError:
            for look in looks:
                self._witnesses.reputation.disagreed(look.endpoint, "rpc_endpoints_disagree", what="simulation")
            raise

    def _is_settled(self, looks: Sequence[Look]) -> bool:
        """Whether they agree on the end, on the nonce, and roughly on what it costs."""
        if not is_agreed([look.reverts for look in looks], self._witnesses.quorum):
            return False
        able = [look for look in looks if look.reverts is None]
        if len(able) < self._witnesses.quorum:
            return True
        counts = [look.count for look in able]
        amounts = [[look.gas for look in able], [look.base_fee for look in able], [look.balance for look in able]]
        are_same = self._witnesses.at_least(counts) == self._witnesses.at_most(counts)
        return are_same and all(map(self._are_near, amounts))

    def _are_near(self, amounts: Sequence[int]) -> bool:
        return self._witnesses.at_most(amounts) <= NEAR * self._witnesses.at_least(amounts)

    def _flight(self, transaction: Transaction, looks: Sequence[Look]) -> Flight:
        """Of what they say, each number is taken where one liar among them can only delay the write.

        Too little gas would make it fail, while too much is not paid for; a fee is paid for, and can be raised later.
        """
        at_least, at_most = self._witnesses.at_least, self._witnesses.at_most
        fees = offer(at_least([look.base_fee for look in looks]), self._tip, self._limits.fees)
        if fees is None:
            raise _too_expensive()
        counts = [look.count for look in looks]
        return Flight(
            transaction=transaction,
            fees=fees,
            block_number=at_least([look.number for look in looks]),
            count=at_least(counts),
            count_at_most=at_most(counts),
            balance_wei=at_least([look.balance for look in looks]),
        )

    def _note_tip(self, tips: Sequence[int]) -> None:
        self._tip = self._witnesses.at_least(tips)
        self._tip_until = self._clock() + self._limits.fees.suggestion_age_s

    def _gas_limit(self, looks: Sequence[Look], gas_max: int) -> int:
        needs, block_limits = [look.gas for look in looks], [look.gas_max for look in looks]
        allowed = min(gas_max, self._witnesses.at_most(block_limits) or gas_max)
        if (needed := self._witnesses.at_least(needs)) > allowed:
            raise NodeError(
                ErrorCode.BAD_REQUEST,
                f"This write needs {needed} gas, more than the {allowed} that one write may take.",
                fix="Send the entries in several calls, or shorten name and description.",
                details={"limit": "write_gas_limit_max", "gas_needed": needed, "gas_max": allowed},
            )
        return min(self._witnesses.at_most(needs) * (100 + self._limits.gas_margin_percent) // 100, allowed)


def _too_expensive() -> NodeError:
    return NodeError(
        ErrorCode.CHAIN_UNAVAILABLE,
        "The chain's fees are above what this node offers; nothing was changed and nothing was charged.",
        fix="Try again later.",
        retry_after_s=60,
    )
