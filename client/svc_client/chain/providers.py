"""Providers of the chain. A reply counts when enough of them give it and none contradicts it.

Reads are made at one block that all providers have, and its hash is compared as well. Providers
that follow a fork are asked again, some blocks deeper; if they still disagree, the read fails.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import aiohttp

from svc_client.errors import InvalidAnswer, InvalidArgument, ProvidersDisagree, Unreachable
from svc_verifier.chain.abi import WORD
from svc_verifier.chain.contracts import CONFIRMATIONS, head_problems
from svc_verifier.errors import VerifierError
from svc_verifier.formats.addresses import rpc_host
from svc_verifier.formats.strict_json import Json, hex_bytes
from svc_verifier.gathering.chain import RpcProvider, RpcRefusedError
from svc_verifier.gathering.host import GatheringLimits, plain_session
from svc_verifier.material import BlockHead, ContractCall

Said = TypeVar("Said")

_LIMITS: Final = GatheringLimits(rpc_timeout_s=15.0, rpc_bytes=4_194_304, rpc_total_bytes=33_554_432)
_QUANTITY_MAX: Final = 2 + 64
"""Most characters of a quantity, `0x` and the 64 digits of a word."""
_UNKNOWN_METHOD: Final = (-32601, -32004)
"""Error codes for a method that the provider does not have (JSON-RPC 2.0, EIP-1474)."""
_ATTEMPTS: Final = 3
"""Looks at the chain before a contradiction counts, since a short fork looks like one."""
PROVIDERS_MAX: Final = 8


@dataclass(frozen=True, slots=True)
class Question:
    """A question about the chain's state. The block, its last parameter, is added at the call."""

    method: str
    parameters: tuple[Json, ...]
    is_quantity: bool = False


class WrongChain(ProvidersDisagree):
    """A provider serves another chain than the configured one."""


def call_of(call: ContractCall) -> Question:
    """Returns the question for a contract call's result."""
    return Question("eth_call", ({"to": f"0x{call.to.hex()}", "data": f"0x{call.data.hex()}"},))


@dataclass(frozen=True, slots=True)
class RevertData:
    """Result of a call that reverted; empty if a provider omits the data."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Block:
    """A block; `base_fee_wei` is wei for a unit of gas."""

    number: int
    hash: bytes
    time_s: int
    base_fee_wei: int


@dataclass(frozen=True, slots=True)
class Agreed:
    """Results that the providers agree on, in order of the questions. Quantities are 32 bytes."""

    block: Block
    answers: tuple[bytes | RevertData, ...]

    @property
    def results(self) -> tuple[bytes | None, ...]:
        """Results in the form that the verifier's decoders take; None for a call that reverted."""
        return tuple(None if isinstance(answer, RevertData) else answer for answer in self.answers)

    def data(self, place: int) -> bytes:
        """Returns the bytes of a result. Raises InvalidAnswer for a revert."""
        answer = self.answers[place]
        if isinstance(answer, RevertData):
            raise InvalidAnswer("The contract reverts where it answers.")
        return answer

    def number(self, place: int) -> int:
        """Returns a quantity, or the one word that a view returned."""
        return int.from_bytes(self.data(place), "big")


@dataclass(frozen=True, slots=True)
class Failure:
    """A provider without a usable reply, and the reason. `error` is the error object it sent."""

    host: str
    why: str
    error: Json = None
    is_revert: bool = False


@dataclass(frozen=True, slots=True)
class _Answers:
    host: str
    block: Block
    answers: tuple[bytes | RevertData, ...]


class Providers:
    """JSON-RPC providers of one chain. Use it in one event loop.

    At least `least` of them, by default more than half, have to give the same reply, and none may
    contradict it. `one_is_enough` accepts a single provider. A development chain's time is not
    compared with this machine's clock.
    """

    def __init__(
        self,
        urls: Sequence[str],
        chain_id: int,
        *,
        one_is_enough: bool,
        is_development: bool,
        least: int | None = None,
        proxy_url: str | None = None,
    ) -> None:
        self.hosts = tuple(rpc_host(url) for url in urls)
        # Two URLs of one host are one provider: its operator could lie in both.
        if len(set(self.hosts)) != len(urls) or not all(self.hosts) or not 0 < len(urls) <= PROVIDERS_MAX:
            raise InvalidArgument(f"Name 1 to {PROVIDERS_MAX} JSON-RPC providers, each of another host.")
        if len(urls) == 1 and not one_is_enough:
            raise InvalidArgument(
                f"{self.hosts[0]} alone could lie unseen: name two JSON-RPC providers or more (rpc_urls), or allow one that"
                " you run yourself (one_provider)."
            )
        self.chain_id = chain_id
        # With a majority, two disjoint sets of providers cannot serve two histories.
        self.least = len(urls) // 2 + 1 if least is None else least
        self.poll_s = 0.1 if is_development else 1.0
        self.confirmations = 1 if is_development else CONFIRMATIONS
        self._is_development = is_development
        self._urls = tuple(urls)
        self._proxy_url = proxy_url
        self._session: aiohttp.ClientSession | None = None
        self._proven: set[str] = set()

    async def close(self) -> None:
        """Closes all connections."""
        if self._session is not None:
            await self._session.close()

    @property
    def now_s(self) -> int | None:
        """Unix time that blocks are compared with; None for a development chain."""
        return None if self._is_development else int(time.time())

    def members(self) -> list[RpcProvider]:
        """Returns the providers, each with the byte limits of one operation."""
        if self._session is None:
            self._session = plain_session()
        return [RpcProvider(self._session, url, _LIMITS, self._proxy_url) for url in self._urls]

    async def at_head(self, questions: Sequence[Question], depth: int = 0) -> Agreed:
        """Returns results `depth` below the common head. Raises ProvidersDisagree, Unreachable."""
        contradiction: ProvidersDisagree | None = None
        for attempt in range(_ATTEMPTS):
            try:
                # First at the tip, to see one's own writes; then deeper, below a fork of one block.
                found = await self._look(questions, depth + (CONFIRMATIONS if attempt else 0))
            except Unreachable:
                # A contradiction says more than a later time-out.
                if contradiction is None:
                    raise
                break
            if isinstance(found, Agreed):
                return found
            contradiction = found
            await asyncio.sleep(self.poll_s)
        assert contradiction is not None  # noqa: S101 - a look without one returned or raised
        raise contradiction

    async def each(self, method: str, parameters: Sequence[Json]) -> "dict[str, Json | Failure]":
        """Returns each provider's reply by host. Raises ProvidersDisagree for a wrong chain."""
        return await self._each(lambda provider: provider.call(method, parameters))

    async def numbers(self, method: str, parameters: Sequence[Json] = ()) -> dict[str, int]:
        """Returns each quantity by host. Raises as `each`, and Unreachable for too few."""
        return self._enough(await self._each(lambda provider: _number(provider, method, parameters)))

    async def tips(self) -> dict[str, int]:
        """Returns each provider's tip in wei for a unit of gas, by host. Raises as `numbers`."""
        return self._enough(await self._each(_tip))

    def _enough(self, said: dict[str, int | Failure]) -> dict[str, int]:
        numbers = {host: each for host, each in said.items() if not isinstance(each, Failure)}
        self._require_enough(len(numbers), [each for each in said.values() if isinstance(each, Failure)])
        return numbers

    async def _each(self, ask: Callable[[RpcProvider], Awaitable[Said]]) -> dict[str, Said | Failure]:
        providers, failures = await self._proven_providers()
        said = await asyncio.gather(*(_said(each, ask(each)) for each in providers))
        return dict(zip([each.name for each in providers], said, strict=True)) | {each.host: each for each in failures}

    async def block(self, host: str, tag: str) -> Block | Failure:
        """Returns one provider's block by number (hex) or name."""
        provider = self.members()[self.hosts.index(host)]
        return await _said(provider, _block(provider, tag))

    async def _look(self, questions: Sequence[Question], depth: int) -> Agreed | ProvidersDisagree:
        providers, failures = await self._proven_providers()
        heads = await asyncio.gather(*(_said(each, _block(each, "latest")) for each in providers))
        known = [None if isinstance(head, Failure) else BlockHead(head.number, head.time_s) for head in heads]
        counting: list[tuple[RpcProvider, Block]] = []
        for provider, head, problem in zip(providers, heads, head_problems(known, self.now_s), strict=True):
            if isinstance(head, Failure):
                failures.append(head)
            elif problem:
                failures.append(Failure(provider.name, problem))
            else:
                counting.append((provider, head))
        self._require_enough(len(counting), failures)
        # Read at one block number that all these providers have. At "latest", honest providers a
        # block apart would contradict each other. `_agreed` also compares the block's hash, since
        # replies of two forks could otherwise count as one majority.
        number = max(0, min(head.number for _, head in counting) - depth)
        asked = [_said(provider, _answers(provider, number, questions)) for provider, _ in counting]
        found = await asyncio.gather(*asked)
        answered = [each for each in found if not isinstance(each, Failure)]
        self._require_enough(len(answered), [*failures, *(each for each in found if isinstance(each, Failure))])
        return _agreed(answered, questions)

    def _require_enough(self, count: int, failures: Sequence[Failure]) -> None:
        if count < self.least:
            why = "; ".join(f"{each.host}: {each.why}" for each in failures)
            raise Unreachable(f"{self.least} providers of the chain have to answer, {count} did: {why}.")

    async def _proven_providers(self) -> tuple[list[RpcProvider], list[Failure]]:
        """Returns the providers of this chain and the failures. Raises ProvidersDisagree."""
        providers = self.members()
        new = [each for each in providers if each.name not in self._proven]
        failures: list[Failure] = []
        for provider, said in zip(
            new, await asyncio.gather(*(_said(each, _number(each, "eth_chainId")) for each in new)), strict=True
        ):
            if isinstance(said, Failure):
                failures.append(said)
            elif said != self.chain_id:
                raise WrongChain(f"{provider.name} serves chain {said}, and {self.chain_id} was named.")
            else:
                self._proven.add(provider.name)
        return [each for each in providers if each.name in self._proven], failures


def _agreed(answered: Sequence[_Answers], questions: Sequence[Question]) -> Agreed | ProvidersDisagree:
    first = answered[0]
    merged = list(first.answers)
    for other in answered[1:]:
        if other.block != first.block:
            return _contradiction(first, other, "the block")
        for place, (one, two) in enumerate(zip(merged, other.answers, strict=True)):
            both = _same(one, two)
            if both is None:
                return _contradiction(first, other, questions[place].method)
            merged[place] = both
    return Agreed(first.block, tuple(merged))


def _same(one: bytes | RevertData, two: bytes | RevertData) -> bytes | RevertData | None:
    if one == two:
        return one
    # Some providers omit the data of a revert. Both say that it reverts; keep the one with data.
    if isinstance(one, RevertData) and isinstance(two, RevertData) and not (one.data and two.data):
        return one if one.data else two
    return None


def _contradiction(one: _Answers, two: _Answers, what: str) -> ProvidersDisagree:
    number = one.block.number
    return ProvidersDisagree(f"{one.host} and {two.host} contradict each other about block {number}: {what}.")


async def _said(provider: RpcProvider, asked: Awaitable[Said]) -> Said | Failure:
    try:
        return await asked
    except RpcRefusedError as error:
        return Failure(provider.name, "refused the request", error.error, error.reverted)
    except (VerifierError, InvalidAnswer, ValueError) as error:
        # The verifier's message names host and fault, and never a URL with its key.
        return Failure(provider.name, str(error).removeprefix(f"{provider.name}: "))


async def _number(provider: RpcProvider, method: str, parameters: Sequence[Json] = ()) -> int:
    return quantity(await provider.call(method, parameters))


async def _tip(provider: RpcProvider) -> int:
    """Returns the tip; without that method, the gas price less the base fee of the same moment."""
    try:
        return await _number(provider, "eth_maxPriorityFeePerGas")
    except RpcRefusedError as refused:
        if not isinstance(refused.error, dict) or refused.error.get("code") not in _UNKNOWN_METHOD:
            raise
    block, price_wei = await asyncio.gather(_block(provider, "latest"), _gas_price(provider))
    return max(0, price_wei - block.base_fee_wei)


async def _gas_price(provider: RpcProvider) -> int:
    """Returns the gas price; 0 if the provider refuses the request."""
    try:
        return await _number(provider, "eth_gasPrice")
    except RpcRefusedError:
        return 0


async def _block(provider: RpcProvider, tag: str) -> Block:
    read = await provider.call("eth_getBlockByNumber", [tag, False])
    if not isinstance(read, dict):
        raise InvalidAnswer("does not have the block")
    # A chain without EIP-1559 has no base fee, so it counts as 0.
    base_fee = read.get("baseFeePerGas", "0x0")
    return Block(
        quantity(read.get("number")), octets(read.get("hash")), quantity(read.get("timestamp")), quantity(base_fee)
    )


async def _answers(provider: RpcProvider, number: int, questions: Sequence[Question]) -> _Answers:
    block = await _block(provider, hex(number))
    if block.number != number:
        raise InvalidAnswer("answers another block than it was asked for")
    answers = await asyncio.gather(*(_answer(provider, question, number) for question in questions))
    return _Answers(provider.name, block, tuple(answers))


async def _answer(provider: RpcProvider, question: Question, number: int) -> bytes | RevertData:
    try:
        said = await provider.call(question.method, [*question.parameters, hex(number)])
    except RpcRefusedError as error:
        if not error.reverted:
            raise
        return RevertData(_revert_data(error.error))
    return quantity(said).to_bytes(WORD, "big") if question.is_quantity else octets(said)


def _revert_data(error: Json) -> bytes:
    data = error.get("data") if isinstance(error, dict) else None
    # Some providers wrap the data in an object.
    data = data.get("data") if isinstance(data, dict) else data
    try:
        return octets(data)
    except InvalidAnswer:
        return b""


def octets(value: Json) -> bytes:
    """Returns the bytes of 0x hex. Raises InvalidAnswer."""
    try:
        if isinstance(value, str) and value.startswith("0x"):
            return hex_bytes(value)
    except ValueError:
        pass
    raise InvalidAnswer("answers what is not hex")


def quantity(value: Json) -> int:
    """Returns the number of a JSON-RPC quantity, below 2**256. Raises InvalidAnswer."""
    if isinstance(value, str) and value.startswith("0x") and 2 < len(value) <= _QUANTITY_MAX and value[2:].isalnum():
        try:
            return int(value, 16)
        except ValueError:
            pass
    raise InvalidAnswer("answers what is no number")
