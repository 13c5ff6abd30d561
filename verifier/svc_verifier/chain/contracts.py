"""Calls, code hashes and events of the contracts, and agreement of providers (pure).

Fetching asks which providers count before it chooses a block; the checks ask again. One liar must
neither choose an old block for all nor make honest providers look late. So a provider is judged by
time and by height, since a height alone costs a liar nothing, and times are compared with this
machine's clock. If one of two named providers is excluded, the other one alone decides nothing.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

from svc_verifier.chain import abi
from svc_verifier.chain.abi import WORD, address_word, selector, topic
from svc_verifier.formats.strict_json import Json, parse_json_object
from svc_verifier.material import BlockHead, ContractCall, ContractLog, Missing, ProviderAnswers
from svc_verifier.trust import AccountContractCode

_PUSH1: Final = 0x60
_PUSH32: Final = 0x7F
_JUMPDEST: Final = 0x5B
_LEAVES: Final = frozenset({0x00, 0x56, 0xF3, 0xFD, 0xFE, 0xFF})
"""STOP, JUMP, RETURN, REVERT, INVALID, SELFDESTRUCT. Code after them runs only by a jump."""

_NOT_LEGACY: Final = b"\xef"
"""First byte of code that cannot be deployed (EIP-3541). Delegated accounts have it (EIP-7702)."""

_CHANGES: Final = frozenset({0xF2, 0xF4, 0xFF})
"""CALLCODE and DELEGATECALL run other code as the contract's own; SELFDESTRUCT removes it."""


def can_change(code: bytes) -> bool:
    """Whether `code` may run another contract's code as its own, or destroy itself.

    Execution starts at the first byte and jumps only to JUMPDESTs outside of pushed data, so this
    linear reading meets every instruction that can run. It skips metadata, which cannot.
    """
    if code[:1] == _NOT_LEGACY:
        return True
    place, runs = 0, True
    while place < len(code):
        instruction = code[place]
        # Jumps end at a JUMPDEST only, so bytes after one of `_LEAVES` are dead until the next one.
        runs = runs or instruction == _JUMPDEST
        if runs and instruction in _CHANGES:
            return True
        if instruction in _LEAVES:
            runs = False
        # Pushed bytes are data, and no JUMPDEST among them is a target (Yellow Paper §9.4.3).
        place += 1 + (instruction - _PUSH1 + 1 if _PUSH1 <= instruction <= _PUSH32 else 0)
    return False


_SELECTOR_BYTES: Final = 4
IMPLEMENTATION_SLOT: Final = bytes.fromhex("360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc")
"""Storage slot in which a proxy keeps the address of its code (ERC-1967)."""

COMPOSE_HASH_ADDED: Final = topic("ComposeHashAdded(bytes32)")
COMPOSE_HASH_REMOVED: Final = topic("ComposeHashRemoved(bytes32)")
UPGRADES_DISABLED: Final = topic("UpgradesDisabled()")
TOPICS: Final = (COMPOSE_HASH_ADDED, COMPOSE_HASH_REMOVED, UPGRADES_DISABLED)


class AppQuestions:
    """Calls on one app contract. dstack's has no `approval_delay` and `pending_approvals`."""

    def __init__(self, app_id: bytes) -> None:
        self._app_id: Final = app_id
        self.owner: Final = self._call("owner()")
        self.pending_owner: Final = self._call("pendingOwner()")
        self.allow_any_device: Final = self._call("allowAnyDevice()")
        self.require_tcb_up_to_date: Final = self._call("requireTcbUpToDate()")
        self.approval_delay: Final = self._call("approvalDelay()")
        self.pending_approvals: Final = self._call("pendingComposeHashes()")

    def compose_allowed(self, compose_hash: bytes) -> ContractCall:
        """`allowedComposeHashes(bytes32)`."""
        return self._call("allowedComposeHashes(bytes32)", compose_hash)

    def _call(self, signature: str, argument: bytes = b"") -> ContractCall:
        return ContractCall(self._app_id, selector(signature) + argument)


def os_image_allowed(kms: bytes, os_image_hash: bytes) -> ContractCall:
    """`allowedOsImages(bytes32)` of the KMS contract."""
    return ContractCall(kms, selector("allowedOsImages(bytes32)") + os_image_hash)


def kms_info(kms: bytes) -> ContractCall:
    """`kmsInfo()` of the KMS contract: k256Pubkey, caPubkey, quote, eventlog."""
    return ContractCall(kms, selector("kmsInfo()"))


def app_registered(kms: bytes, app_id: bytes) -> ContractCall:
    """`registeredApps(address)`. Any account may register an app, so it proves nothing."""
    return ContractCall(kms, selector("registeredApps(address)") + address_word(app_id))


def safe_threshold(owner: bytes) -> ContractCall:
    """`getThreshold()` of a Safe."""
    return ContractCall(owner, selector("getThreshold()"))


def safe_owners(owner: bytes) -> ContractCall:
    """`getOwners()` of a Safe."""
    return ContractCall(owner, selector("getOwners()"))


def calls(
    app_id: bytes, kms: bytes | None, compose_hash: bytes, os_image_hash: bytes | None
) -> tuple[ContractCall, ...]:
    """Returns the calls of a verification, except those on the owner, which is not known yet."""
    app = AppQuestions(app_id)
    asked = [
        app.compose_allowed(compose_hash),
        app.owner,
        app.pending_owner,
        app.allow_any_device,
        app.require_tcb_up_to_date,
        app.approval_delay,
        app.pending_approvals,
    ]
    if kms is not None:
        asked += [kms_info(kms), app_registered(kms, app_id)]
        if os_image_hash is not None and len(os_image_hash) == WORD:
            asked.append(os_image_allowed(kms, os_image_hash))
    return tuple(asked)


_REVOCABLE: Final = {
    selector("allowedComposeHashes(bytes32)"): "compose hash",
    selector("allowedOsImages(bytes32)"): "operating system image",
}


def revocable(call: ContractCall) -> str:
    """Returns the name of what a call asks the approval of; empty for any other call."""
    return _REVOCABLE.get(call.data[:_SELECTOR_BYTES], "")


def taken_back(answers: ProviderAnswers) -> Iterator[str]:
    """Lists approvals at the common block that a provider denies at its newest block."""
    for call, answer in answers.newest.items():
        if abi.decode_bool(answers.calls.get(call)) is True and abi.decode_bool(answer) is not True:
            yield revocable(call) or "call"


def allowed_since(logs: Sequence[ContractLog], app_id: bytes) -> dict[bytes, int]:
    """Returns compose hashes that are allowed after all events, with the unix time of each."""
    since: dict[bytes, int] = {}
    for log in logs:
        kind = log.topics[0] if log.topics and log.address == app_id else b""
        # The contract chooses whether the hash is a topic or the first word of data.
        digest = log.topics[1] if len(log.topics) > 1 else log.data[: abi.WORD]
        if kind == COMPOSE_HASH_ADDED:
            since[digest] = log.block_time_s
        elif kind == COMPOSE_HASH_REMOVED:
            since.pop(digest, None)
    return since


class AccountQuestions:
    """Calls on one account contract. Its own code serves all but `views_module`."""

    def __init__(self, contract: bytes) -> None:
        def call(signature: str) -> ContractCall:
            return ContractCall(contract, selector(signature))

        self.views_module: Final = call("viewsModule()")
        self.owner: Final = call("owner()")
        self.pending_owner: Final = call("pendingOwner()")
        self.admin_payer: Final = call("adminApiPayerAccount()")
        self.replacements: Final = call("adminApiPayerReplacements()")
        self.payers: Final = call("api_payers()")
        self.scheduled_change: Final = call("scheduledOwnerChange()")

    @property
    def calls(self) -> tuple[ContractCall, ...]:
        """Every call of one verification."""
        asked = (self.views_module, self.owner, self.pending_owner, self.admin_payer)
        return (*asked, self.replacements, self.payers, self.scheduled_change)


@dataclass(frozen=True, slots=True)
class ScheduledChange:
    """The owner's announced change with selector, addresses and unix second; empty without one."""

    selector: bytes
    accounts: tuple[bytes, ...]
    effective_at_s: int


@dataclass(frozen=True, slots=True)
class RecognisedCode:
    """Deployed code of a known build, and the words found where each immutable is used."""

    build: AccountContractCode
    views_module: frozenset[bytes]
    owner_change_delay: frozenset[bytes]


def recognise(code: bytes, builds: Iterable[AccountContractCode]) -> RecognisedCode | None:
    """Returns the build that `code` is, if it is one of `builds`."""
    for build in builds:
        places = (*build.views_module_at, *build.owner_change_delay_at)
        # A slice beyond the end would be short, and blanking it would lengthen the code.
        if max(places) + abi.WORD > len(code):
            continue
        masked = bytearray(code)
        for place in places:
            masked[place : place + abi.WORD] = bytes(abi.WORD)
        if abi.keccak(bytes(masked)) == build.code_hash:
            return RecognisedCode(build, _words(code, build.views_module_at), _words(code, build.owner_change_delay_at))
    return None


@cache
def published_builds() -> tuple[AccountContractCode, ...]:
    """Returns the known builds of `account_contract.json`, newest first."""
    text = resources.files("svc_verifier.chain").joinpath("account_contract.json").read_text()
    listed = parse_json_object(text, "account_contract.json", 1_048_576, 8)["builds"]
    assert isinstance(listed, list)  # noqa: S101 - a file of this package
    return tuple(_build(each) for each in listed if isinstance(each, dict))


def decode_scheduled_change(answer: bytes | None) -> ScheduledChange | None:
    """Returns the `(bytes4, address[], uint256)` of `scheduledOwnerChange()`, else None."""
    head = 3 * abi.WORD
    if answer is None or len(answer) < head or int.from_bytes(answer[abi.WORD : 2 * abi.WORD], "big") != head:
        return None
    # The array follows a head of three words. With an offset of 32 it is a result of its own.
    accounts = abi.decode_addresses(abi.WORD.to_bytes(abi.WORD, "big") + answer[head:])
    # bytes4 is left-aligned in its word, so the rest must be zero.
    if accounts is None or any(answer[_SELECTOR_BYTES : abi.WORD]):
        return None
    return ScheduledChange(answer[:_SELECTOR_BYTES], accounts, int.from_bytes(answer[2 * abi.WORD : head], "big"))


def _words(code: bytes, places: tuple[int, ...]) -> frozenset[bytes]:
    return frozenset(code[place : place + abi.WORD] for place in places)


def _build(read: dict[str, Json]) -> AccountContractCode:
    return AccountContractCode(
        code_hash=bytes.fromhex(str(read["code_hash"])),
        views_code_hash=bytes.fromhex(str(read["views_code_hash"])),
        views_module_at=_offsets(read["views_module_at"]),
        owner_change_delay_at=_offsets(read["owner_change_delay_at"]),
    )


def _offsets(read: Json) -> tuple[int, ...]:
    return tuple(place for place in read if isinstance(place, int)) if isinstance(read, list) else ()


CONFIRMATIONS: Final = 2
"""Blocks below the lowest head at which all providers are asked, since heads differ briefly."""

LAG_S: Final = 120
"""Seconds by which a provider's newest block may be older than another's. Balanced public providers
differ by some blocks, of 12 s at most; a revocation must not stay hidden for longer."""

FUTURE_S: Final = 60
"""Seconds by which a block may be ahead of this machine's clock, which may be late. Less than
`LAG_S`, so that a head of the future cannot make honest ones late."""

CLOCK_S: Final = 300
"""Seconds by which newest block and clock may differ unreported. Blocks take less on any chain."""

BLOCK_MAX_AGE_S: Final = 3_600
"""Seconds after which a newest block is too old. The chain has stopped, or the provider has."""


def head_problems(heads: Sequence[BlockHead | None], now_s: int | None) -> tuple[str, ...]:
    """Returns for each provider why its newest block excludes it; empty if it counts.

    `now_s` is this machine's clock; None ignores it, for development chains with their own time.
    """
    # A head of the future would make every honest one look late.
    plausible = [head for head in heads if head is not None and not _is_of_the_future(head, now_s)]
    newest = max((_by_the_clock(head, now_s) for head in plausible), key=lambda head: head.time_s, default=None)
    return tuple("" if head is None else _head_problem(head, newest, now_s) for head in heads)


def answer_problems(answers: Sequence[ProviderAnswers], now_s: int | None) -> tuple[str, ...]:
    """Returns for each provider why its replies do not count; empty if they do."""
    late = head_problems([answer.head for answer in answers], now_s)
    return tuple(problem or _block_problem(answer, now_s) for answer, problem in zip(answers, late, strict=True))


def clock_difference(answers: Sequence[ProviderAnswers], now_s: int | None) -> str:
    """Returns by how much the clock and the newest block differ; empty if by little.

    Only providers that count are compared. If none does, this machine's clock may be wrong.
    """
    problems = answer_problems(answers, now_s)
    counting = [answer for answer, problem in zip(answers, problems, strict=True) if not problem]
    times = [answer.block_time_s if answer.head is None else answer.head.time_s for answer in counting or answers]
    if now_s is None or not times or abs(max(times) - now_s) <= CLOCK_S:
        return ""
    difference_s = max(times) - now_s
    which = "ahead of" if difference_s > 0 else "behind"
    return f"the newest block of the chain's providers is {abs(difference_s)} s {which} this machine's clock"


def disagreement(answers: Sequence[ProviderAnswers]) -> str:
    """Say in what two providers differ that were asked the same; empty where all agree."""
    first = answers[0]
    for other in answers[1:]:
        # Many public providers refuse old events. That is no contradiction, and
        # `governance.allowed-set` reports what is missing.
        has_events = not isinstance(first.logs, Missing) and not isinstance(other.logs, Missing)
        differing = {
            "the block": (first.block_number, first.block_hash) != (other.block_number, other.block_hash),
            "the time of the block": first.block_time_s != other.block_time_s,
            "code or storage": dict(first.code) != dict(other.code) or dict(first.storage) != dict(other.storage),
            "what contracts answer": dict(first.calls) != dict(other.calls),
            "the events": has_events and first.logs != other.logs,
        }
        for what, is_other in differing.items():
            if is_other:
                return f"{first.name} and {other.name} differ in {what}: one of them lies or lags"
    return ""


def _head_problem(head: BlockHead, newest: BlockHead | None, now_s: int | None) -> str:
    if now_s is not None and _is_of_the_future(head, now_s):
        return f"its newest block is {head.time_s - now_s} s ahead of this machine's clock"
    if newest is not None and _is_behind(head, newest):
        return f"its newest block is {newest.time_s - head.time_s} s behind that of another endpoint"
    return ""


def _block_problem(answer: ProviderAnswers, now_s: int | None) -> str:
    """Returns why the block that all were asked at is too old, by this provider's statements."""
    if now_s is not None and now_s - answer.block_time_s > BLOCK_MAX_AGE_S:
        return f"the newest block is {now_s - answer.block_time_s} s old"
    block = BlockHead(answer.block_number, answer.block_time_s)
    if answer.head is not None and _is_behind(block, answer.head):
        return f"it was asked at a block {answer.head.time_s - block.time_s} s behind its newest: another endpoint lags"
    return ""


def _is_behind(block: BlockHead, newest: BlockHead) -> bool:
    """By time and by height, since on a chain with rare blocks neighbours are minutes apart."""
    return newest.time_s - block.time_s > LAG_S and newest.number - block.number > CONFIRMATIONS


def _is_of_the_future(head: BlockHead, now_s: int | None) -> bool:
    return now_s is not None and head.time_s > now_s + FUTURE_S


def _by_the_clock(head: BlockHead, now_s: int | None) -> BlockHead:
    # Cut at the clock, since within the tolerance a liar could still gain a minute on the others.
    return head if now_s is None else BlockHead(head.number, min(head.time_s, now_s))
