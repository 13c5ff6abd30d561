"""Asks JSON-RPC providers for governance and account contracts."""

import asyncio
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final
from urllib.parse import urlsplit

import aiohttp

from svc_verifier.chain import abi, contracts
from svc_verifier.chain.contracts import CONFIRMATIONS, AccountQuestions, head_problems
from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.formats.addresses import rpc_host
from svc_verifier.formats.strict_json import Json, parse_json_object
from svc_verifier.gathering.host import GatheringLimits, read_bounded
from svc_verifier.material import BlockHead, ContractCall, ContractLog, Missing, ProviderAnswers

NESTING: Final = 16
VALUES: Final = 32_768
"""JSON values of one reply, which may be read in the caller's event loop. A block names some
thousand transactions; more events are asked for in parts."""
_INLINE_BYTES: Final = 16 * 1024
"""Replies up to this size are parsed on the event loop, in well under a millisecond."""
NEWEST: Final = "latest"
"""The tag of a provider's newest block."""


class RpcRefusedError(Exception):
    """The provider replied with an error; `reverted` when the contract reverted.

    `error` is the provider's own error object, which may repeat the URL with its credentials.
    """

    def __init__(self, message: str, *, reverted: bool, error: Json = None) -> None:
        super().__init__(message)
        self.reverted = reverted
        self.error = error


class RpcProvider:
    """JSON-RPC provider. `name` is its host and port. A proxy carries https alone."""

    def __init__(
        self, session: aiohttp.ClientSession, url: str, limits: GatheringLimits, proxy_url: str | None = None
    ) -> None:
        self.name = rpc_host(url)
        self._session = session
        self._url = url
        self._limits = limits
        # Through CONNECT a proxy sees an encrypted tunnel. Plain http it could rewrite.
        self._proxy_url = proxy_url if urlsplit(url).scheme == "https" else None
        self._ids = itertools.count(1)
        self._bytes_left = limits.rpc_total_bytes

    async def call(self, method: str, parameters: Sequence[Json]) -> Json:
        """Returns the result. Raises VerifierError(UNREACHABLE), RpcRefusedError for an error."""
        number = next(self._ids)
        request: dict[str, Json] = {"jsonrpc": "2.0", "id": number, "method": method, "params": list(parameters)}
        body, what = await self._post(request), f"{self.name}: {method}"
        parse = partial(parse_json_object, body, what, self._limits.rpc_bytes, NESTING, VALUES)
        # Large replies of all providers may come in one turn of the caller's event loop.
        answer = parse() if len(body) <= _INLINE_BYTES else await asyncio.to_thread(parse)
        # JSON-RPC 2.0 §5: the id ties a reply to its request, which a faulty proxy may mix up.
        if answer.get("id") != number:
            raise self._unreachable("answers another request")
        error = answer.get("error")
        if error is not None:
            raise RpcRefusedError(f"{self.name}: {method} was refused", reverted=_is_revert(error), error=error)
        if "result" not in answer:
            raise self._unreachable("answers without a result")
        return answer["result"]

    async def _post(self, request: dict[str, Json]) -> bytes:
        timeout = aiohttp.ClientTimeout(total=self._limits.rpc_timeout_s)
        limit = min(self._limits.rpc_bytes, self._bytes_left)
        try:
            async with self._session.post(
                self._url, json=request, timeout=timeout, proxy=self._proxy_url, allow_redirects=False
            ) as response:
                body = await read_bounded(response, limit)
        except Exception as error:  # noqa: BLE001 - whatever a stranger's bytes make a library raise
            raise self._unreachable(f"cannot be reached ({type(error).__name__})") from None
        # Counted even when refused, since a provider could otherwise cause endless requests.
        self._bytes_left -= limit if body is None else len(body)
        if body is None:
            raise self._unreachable(f"answers with more than {limit} bytes")
        if response.status != 200 and not body.lstrip().startswith(b"{"):
            raise self._unreachable(f"answers HTTP {response.status}")
        return body

    def _unreachable(self, what: str) -> VerifierError:
        return VerifierError(VerifierErrorCode.UNREACHABLE, f"{self.name}: {what}")


def _is_revert(error: Json) -> bool:
    """Whether an error is a revert. Most nodes use code 3, the others say so in words."""
    if not isinstance(error, dict):
        return False
    return error.get("code") == 3 or "revert" in str(error.get("message", "")).lower()


_QUANTITY: Final = re.compile(r"0x[0-9a-fA-F]{1,15}")


@dataclass(frozen=True, slots=True)
class Subject:
    """Addresses and values to ask the providers about."""

    app_id: bytes
    kms: bytes | None
    compose_hash: bytes
    os_image_hash: bytes | None
    account_contract: bytes | None = None


async def ask_providers(
    providers: Sequence[RpcProvider], subject: Subject, limits: GatheringLimits, now_s: int | None
) -> tuple[ProviderAnswers | Missing, ...]:
    """Returns each provider's replies at one block; `Missing` for one that does not count.

    `now_s` is this machine's clock, None for development chains.
    """
    started_s = asyncio.get_running_loop().time()
    until_s = started_s + limits.rpc_total_timeout_s
    heads_until_s = started_s + limits.rpc_total_timeout_s / 2  # the rest is for the others
    # The heads of all first, since a provider that is late or lies about its height must not choose
    # the block for the others.
    heads = _counting(providers, await asyncio.gather(*(_head(each, heads_until_s) for each in providers)), now_s)
    known = [head.number for head in heads if isinstance(head, BlockHead)]
    # One block that all have, since replies at different blocks may differ without a lie.
    block = max(0, min(known, default=0) - (CONFIRMATIONS if len(known) > 1 else 0))

    async def ask(provider: RpcProvider, head: BlockHead | Missing) -> ProviderAnswers | Missing:
        try:
            async with asyncio.timeout_at(until_s):
                return head if isinstance(head, Missing) else await _answers(provider, subject, block, head, limits)
        except TimeoutError:
            return Missing(f"{provider.name}: not all was answered in {limits.rpc_total_timeout_s:.3g} s")

    return tuple(await asyncio.gather(*map(ask, providers, heads)))


def _counting(
    providers: Sequence[RpcProvider], heads: Sequence[BlockHead | Missing], now_s: int | None
) -> list[BlockHead | Missing]:
    """Returns the heads that count. A provider of the past is not asked and chooses nothing."""
    problems = head_problems([head if isinstance(head, BlockHead) else None for head in heads], now_s)
    named = zip(providers, heads, problems, strict=True)
    return [Missing(f"{provider.name}: {problem}") if problem else head for provider, head, problem in named]


async def _head(provider: RpcProvider, until_s: float) -> BlockHead | Missing:
    try:
        async with asyncio.timeout_at(until_s):
            header = await provider.call("eth_getBlockByNumber", [NEWEST, False])
        return BlockHead(_quantity(_member(header, "number")), _quantity(_member(header, "timestamp")))
    except TimeoutError:
        return Missing(f"{provider.name}: does not answer in time")
    except (VerifierError, RpcRefusedError) as error:
        return Missing(str(error))


async def _answers(
    provider: RpcProvider, subject: Subject, block: int, head: BlockHead, limits: GatheringLimits
) -> ProviderAnswers | Missing:
    try:
        answers = await _first_answers(provider, subject, block)
        answers = await _about_accounts(provider, answers, subject.account_contract)
        # Owners are known only from the replies before.
        answers = await _about_owners(provider, answers, subject)
        answers = await _about_newest(provider, answers)
        answers = replace(answers, head=head, logs=await _logs(provider, subject.app_id, block, limits))
    except (VerifierError, RpcRefusedError) as error:
        return Missing(str(error))
    kept = _kept_bytes(answers)
    if kept > limits.rpc_kept_bytes:
        return Missing(f"{provider.name}: its answers are {kept} bytes, more than {limits.rpc_kept_bytes}")
    return answers


def _kept_bytes(answers: ProviderAnswers) -> int:
    logs = () if isinstance(answers.logs, Missing) else answers.logs
    texts = [*answers.code.values(), *answers.storage.values(), *(result or b"" for result in answers.calls.values())]
    return sum(map(len, texts)) + sum(len(log.data) + sum(map(len, log.topics)) for log in logs)


async def _first_answers(provider: RpcProvider, subject: Subject, block: int) -> ProviderAnswers:
    asked = contracts.calls(subject.app_id, subject.kms, subject.compose_hash, subject.os_image_hash)
    slot_of: list[Json] = [_hex(subject.app_id), _hex(contracts.IMPLEMENTATION_SLOT), hex(block)]
    chain_id, header, slot = await asyncio.gather(
        provider.call("eth_chainId", []),
        provider.call("eth_getBlockByNumber", [hex(block), False]),
        provider.call("eth_getStorageAt", slot_of),
    )
    # Some providers return the newest block for one they do not have.
    if _quantity(_member(header, "number")) != block:
        raise _malformed(provider, "the block it was asked for")
    results = await asyncio.gather(*(_call(provider, question, block) for question in asked))
    # A provider may strip leading zeros. The address is the last 20 bytes (ERC-1967).
    stored = _bytes(slot).rjust(abi.WORD, b"\0")
    codes = {subject.app_id: await _code(provider, subject.app_id, block)}
    if any(stored):
        codes[stored[-20:]] = await _code(provider, stored[-20:], block)
    return ProviderAnswers(
        name=provider.name,
        chain_id=_quantity(chain_id),
        block_number=block,
        block_hash=_bytes(_member(header, "hash")),
        block_time_s=_quantity(_member(header, "timestamp")),
        code=codes,
        storage={(subject.app_id, contracts.IMPLEMENTATION_SLOT): stored},
        calls=dict(zip(asked, results, strict=True)),
    )


async def _about_accounts(provider: RpcProvider, answers: ProviderAnswers, contract: bytes | None) -> ProviderAnswers:
    """Adds code and views of the account contract, and the code of its views module."""
    if contract is None:
        return answers
    asked, block = AccountQuestions(contract), answers.block_number
    results = await asyncio.gather(*(_call(provider, question, block) for question in asked.calls))
    calls = dict(zip(asked.calls, results, strict=True))
    codes = {contract: await _code(provider, contract, block)}
    views_module = abi.decode_address(calls[asked.views_module])
    if views_module is not None:
        codes[views_module] = await _code(provider, views_module, block)
    return replace(answers, code={**answers.code, **codes}, calls={**answers.calls, **calls})


async def _about_owners(provider: RpcProvider, answers: ProviderAnswers, subject: Subject) -> ProviderAnswers:
    """Adds the code of each contract's owner.

    If the owner is a Safe, adds its threshold and its owners.
    """
    questions_of_owner = [contracts.AppQuestions(subject.app_id).owner]
    if subject.account_contract is not None:
        questions_of_owner.append(AccountQuestions(subject.account_contract).owner)
    owners = {abi.decode_address(answers.calls.get(question)) for question in questions_of_owner}
    codes, calls = dict(answers.code), dict(answers.calls)
    for owner in owners:
        if owner is None or not any(owner):
            continue
        codes[owner] = await _code(provider, owner, answers.block_number)
        if codes[owner]:
            for question in (contracts.safe_threshold(owner), contracts.safe_owners(owner)):
                calls[question] = await _call(provider, question, answers.block_number)
    return replace(answers, code=codes, calls=calls)


async def _about_newest(provider: RpcProvider, answers: ProviderAnswers) -> ProviderAnswers:
    """Adds present approvals, since another provider may hold the common block back."""
    asked = [question for question in answers.calls if contracts.revocable(question)]
    # By tag, since behind one name may be several machines with different heads.
    results = await asyncio.gather(*(_call(provider, question, NEWEST) for question in asked))
    return replace(answers, newest=dict(zip(asked, results, strict=True)))


async def _logs(
    provider: RpcProvider, address: bytes, block: int, limits: GatheringLimits
) -> tuple[ContractLog, ...] | Missing:
    """Returns the events up to `block`. Ranges that a provider refuses are halved."""
    found: list[Json] = []
    ranges, requests = [(0, block)], 0
    while ranges:
        start, end = ranges.pop()
        requests += 1
        if requests > limits.rpc_log_ranges:
            return Missing(f"{provider.name} gives its events in too small pieces")
        try:
            found += await _raw_logs(provider, address, start, end)
        except (RpcRefusedError, VerifierError) as error:
            # A range this short is refused for another reason than its length.
            if end - start < limits.rpc_log_blocks_min:
                return Missing(str(error))
            middle = (start + end) // 2
            ranges += [(middle + 1, end), (start, middle)]
        if len(found) > limits.rpc_logs:
            return Missing(f"{provider.name} tells of more than {limits.rpc_logs} events")
    times: dict[int, int] = {}
    events: list[ContractLog] = []
    try:
        for item in found:
            events.append(await _log(provider, item, times))
            # A block's further events need no request, so the loop must be yielded to.
            await asyncio.sleep(0)
        return tuple(events)
    except (RpcRefusedError, VerifierError) as error:
        return Missing(str(error))


async def _raw_logs(provider: RpcProvider, address: bytes, start: int, end: int) -> list[Json]:
    wanted: Json = [_hex(topic) for topic in contracts.TOPICS]
    query: Json = {"address": _hex(address), "topics": [wanted], "fromBlock": hex(start), "toBlock": hex(end)}
    answer = await provider.call("eth_getLogs", [query])
    if not isinstance(answer, list):
        raise _malformed(provider, "a list of events")
    return answer


async def _log(provider: RpcProvider, item: Json, times: dict[int, int]) -> ContractLog:
    """Returns an event. `times` keeps the unix times of blocks that were already asked for."""
    number = _quantity(_member(item, "blockNumber"))
    if number not in times:
        header = await provider.call("eth_getBlockByNumber", [hex(number), False])
        times[number] = _quantity(_member(header, "timestamp"))
    topics = _member(item, "topics")
    return ContractLog(
        address=_bytes(_member(item, "address")),
        topics=tuple(_bytes(topic) for topic in topics) if isinstance(topics, list) else (),
        data=_bytes(_member(item, "data")),
        block_number=number,
        block_time_s=times[number],
    )


async def _code(provider: RpcProvider, address: bytes, block: int) -> bytes:
    return _bytes(await provider.call("eth_getCode", [_hex(address), hex(block)]))


async def _call(provider: RpcProvider, question: ContractCall, block: int | str) -> bytes | None:
    """Returns the result of a contract call; None if the contract reverted."""
    transaction: Json = {"to": _hex(question.to), "data": _hex(question.data)}
    try:
        return _bytes(await provider.call("eth_call", [transaction, block if isinstance(block, str) else hex(block)]))
    except RpcRefusedError as error:
        # A revert is the contract's result. Other errors are the provider's and spoil all.
        if error.reverted:
            return None
        raise


def _hex(data: bytes) -> str:
    return "0x" + data.hex()


def _bytes(value: Json) -> bytes:
    digits = value.removeprefix("0x") if isinstance(value, str) else "?"
    try:
        return bytes.fromhex(digits if not digits or digits.isalnum() else "?")
    except ValueError:
        raise VerifierError(VerifierErrorCode.NOT_HEX, "an endpoint answers what is not hex") from None


def _quantity(value: Json) -> int:
    """Returns a JSON-RPC quantity of less than 63 bits, which heights and times never exceed."""
    if not isinstance(value, str) or not _QUANTITY.fullmatch(value):
        raise VerifierError(VerifierErrorCode.NOT_HEX, "an endpoint answers what is no number")
    return int(value, 16)


def _member(value: Json, key: str) -> Json:
    if not isinstance(value, dict) or key not in value:
        raise VerifierError(VerifierErrorCode.UNREACHABLE, f"an endpoint answers without {key}")
    return value[key]


def _malformed(provider: RpcProvider, what: str) -> VerifierError:
    return VerifierError(VerifierErrorCode.UNREACHABLE, f"{provider.name} does not answer {what}")
