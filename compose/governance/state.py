"""State of the app's contract, and the transaction that comes next.

Every named provider is asked at one block, and all must agree.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Generic, TypeVar

from compose.errors import ComposeError, Exit
from node import values
from svc_client.chain.providers import Providers, octets
from svc_client.chain.safe_batch import NamedCall
from svc_client.errors import InvalidAnswer
from svc_verifier.chain import abi, contracts
from svc_verifier.chain.abi import WORD, selector
from svc_verifier.chain.contracts import allowed_since, answer_problems, disagreement
from svc_verifier.checks.governance import common_answers, kind_of_owner
from svc_verifier.formats.strict_json import Json
from svc_verifier.gathering.chain import RpcProvider, RpcRefusedError, Subject, ask_providers
from svc_verifier.gathering.host import GatheringLimits
from svc_verifier.material import Missing, ProviderAnswers

AnyFunction = TypeVar("AnyFunction", bound=Enum)
_TIMELOCK = selector("getMinDelay()")


def checksum_address(address: bytes) -> str:
    """Returns the EIP-55 form of 20 bytes."""
    return values.checksum_address(f"0x{address.hex()}")


@dataclass(frozen=True, slots=True)
class Owner:
    """Owner of the contract. `address` is None without one; `delay_s` is a timelock's delay."""

    address: bytes | None
    kind: str
    delay_s: int | None


@dataclass(frozen=True, slots=True)
class GovernanceState:
    """State at one block. `delay_s` and `pending` are None for a contract without announcements
    (dstack's own), where approvals count at once. `allowed_since` has each allowed hash with its
    unix time; it is None if the events were unreadable, for the reason in `events_problem`.
    """

    chain_id: int
    block_number: int
    block_time_s: int
    owner: Owner
    allowed: bool
    delay_s: int | None
    pending: tuple[tuple[bytes, int], ...] | None
    allowed_since: dict[bytes, int] | None
    events_problem: str
    is_proxy: bool
    """Whether the contract is a proxy, whose code can be replaced."""
    providers: int
    """Number of providers that agreed."""

    def due_s(self, compose_hash: bytes) -> int | None:
        """Returns the unix time from which a scheduled hash can be added; None if not scheduled."""
        return dict(self.pending or ()).get(compose_hash)


async def read_state(
    providers: Providers, app_id: bytes, compose_hash: bytes, asked: Sequence[RpcProvider] | None = None
) -> GovernanceState:
    """Reads the contract at `app_id`, and whether it allows `compose_hash`.

    `asked` None means all providers. Raises ComposeError(UNDECIDED, REFUSED).
    """
    limits, subject, now_s = GatheringLimits(), Subject(app_id, None, compose_hash, None), providers.now_s
    asked, chain_id = asked or providers.members(), providers.chain_id
    answers = _agreed(await ask_providers(asked, subject, limits, now_s), now_s)
    # Contracts of one deployer often have the same address on several chains.
    if answers.chain_id != chain_id:
        raise ComposeError(Exit.REFUSED, f"the provider is of chain {answers.chain_id}, and {chain_id} was named.")
    # A call of an address without code succeeds with no data, like a contract without functions.
    if not answers.code.get(app_id, b""):
        raise ComposeError(Exit.REFUSED, f"there is no contract at 0x{app_id.hex()} on chain {chain_id}.")
    app = contracts.AppQuestions(app_id)
    allowed = abi.decode_bool(answers.calls.get(app.compose_allowed(subject.compose_hash)))
    if allowed is None:
        why = f"the contract at 0x{app_id.hex()} does not know allowedComposeHashes: it is no app of dstack."
        raise ComposeError(Exit.REFUSED, why)
    delay_s = abi.decode_number(answers.calls.get(app.approval_delay))
    pending = abi.decode_pairs(answers.calls.get(app.pending_approvals))
    # A delay without a schedule is incomplete. Read as "nothing" it would announce twice.
    if delay_s is not None and pending is None:
        raise ComposeError(Exit.UNDECIDED, "the contract has a delay, and does not tell what is scheduled.")
    owner = await _owner(asked[0], answers, app)
    since, events_problem = _allowed_since(answers, app_id, subject.compose_hash, allowed=allowed)
    return GovernanceState(
        answers.chain_id,
        answers.block_number,
        answers.block_time_s,
        owner,
        allowed,
        delay_s,
        pending if delay_s is not None else None,
        since,
        events_problem,
        any(answers.storage.get((app_id, contracts.IMPLEMENTATION_SLOT), b"")),
        len(asked),
    )


def _agreed(answers: Sequence[ProviderAnswers | Missing], now_s: int | None) -> ProviderAnswers:
    """Returns the common results. Fails if a provider is silent or late, since it might differ."""
    there = [answer for answer in answers if isinstance(answer, ProviderAnswers)]
    missing = [answer.why for answer in answers if isinstance(answer, Missing)]
    problems = zip(there, answer_problems(there, now_s), strict=True)
    missing += [f"{answer.name}: {problem}" for answer, problem in problems if problem]
    if missing or not there:
        raise ComposeError(Exit.UNDECIDED, "; ".join(missing) or "no provider was named.")
    if (problem := disagreement(there)) or len({answer.chain_id for answer in there}) > 1:
        raise ComposeError(Exit.UNDECIDED, f"{problem or 'the providers are of several chains'}.")
    return common_answers(there)


def _allowed_since(
    answers: ProviderAnswers, app_id: bytes, compose_hash: bytes, *, allowed: bool
) -> tuple[dict[bytes, int] | None, str]:
    """Returns allowed hashes from the events, or None and the reason if they contradict."""
    if isinstance(answers.logs, Missing):
        return None, answers.logs.why
    since = allowed_since(answers.logs, app_id)
    if (compose_hash in since) is not allowed:
        said = "allows" if allowed else "does not allow"
        return None, f"the contract {said} {compose_hash.hex()}, and its events say otherwise: do not rely on them"
    return since, ""


async def _owner(provider: RpcProvider, answers: ProviderAnswers, app: contracts.AppQuestions) -> Owner:
    address = abi.decode_address(answers.calls.get(app.owner))
    if address is None or not any(address):
        return Owner(None, "nobody: nothing can be approved or removed", None)
    kind = kind_of_owner(answers, address)
    if kind != "a contract":
        return Owner(address, kind, None)
    transaction: Json = {"to": f"0x{address.hex()}", "data": f"0x{_TIMELOCK.hex()}"}
    try:
        # Only for display, so one provider is enough; at the same block as the other reads.
        asked = [transaction, hex(answers.block_number)]
        delay_s = abi.decode_number(octets(await provider.call("eth_call", asked)))
    except (RpcRefusedError, InvalidAnswer):
        delay_s = None
    return Owner(address, kind if delay_s is None else "a timelock contract", delay_s)


class Function(Enum):
    """Functions of the app's contract, each with one argument `composeHash`."""

    ADD = "addComposeHash"
    REMOVE = "removeComposeHash"
    SCHEDULE = "scheduleComposeHash"
    """Our contract's: announces an approval that can be added after approvalDelay()."""
    CANCEL = "cancelComposeHash"
    """Our contract's: cancels an announced approval."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call on the contract at `app_id` (20 bytes), without value; `compose_hash` is 32 bytes."""

    app_id: bytes
    function: Function
    compose_hash: bytes

    @property
    def named(self) -> NamedCall:
        """The call in the form for a Safe's signers."""
        argument = ("composeHash", "bytes32", f"0x{self.compose_hash.hex()}")
        return NamedCall(checksum_address(self.app_id), self.function.value, (argument,))


def calldata(call: NamedCall) -> bytes:
    """Returns selector and arguments of a call with addresses and words as arguments."""
    signature = f"{call.function}({','.join(kind for _, kind, _ in call.arguments)})"
    return selector(signature) + b"".join(bytes.fromhex(value[2:]).rjust(WORD, b"\0") for *_, value in call.arguments)


@dataclass(frozen=True, slots=True)
class Step(Generic[AnyFunction]):
    """Next step. `function` is None if there is nothing to send now; `waits` if there will be."""

    function: AnyFunction | None
    text: str
    waits: bool = False


def approval_step(state: GovernanceState, compose_hash: bytes, now_s: float) -> Step[Function]:
    """Returns the next transaction of an approval. With a delay it announces first, adds later.

    `now_s` is unix time; the chain's own clock counts if it is ahead.
    """
    if state.allowed:
        return Step(None, "it is allowed already")
    if state.delay_s is None:
        return Step(Function.ADD, "it counts at once: this contract announces nothing")
    due_s = state.due_s(compose_hash)
    # The contract compares with the time of the mining block, which is not before now.
    if due_s is not None and max(now_s, state.block_time_s) < due_s:
        return Step(None, "it is scheduled, and not due yet", waits=True)
    if due_s is not None:
        return Step(Function.ADD, "it was scheduled and is due: it counts from then on")
    if state.delay_s == 0:
        return Step(Function.ADD, "it counts at once: the contract's delay is 0")
    return Step(Function.SCHEDULE, f"it is announced, and can be added {state.delay_s} s later")


def revocation_step(state: GovernanceState, compose_hash: bytes) -> Step[Function]:
    """Returns the transaction that revokes an approval at once."""
    if state.allowed:
        return Step(Function.REMOVE, "it counts at once: machines that ask for keys from then on get none")
    if state.due_s(compose_hash) is not None:
        return Step(Function.CANCEL, "what was announced is taken back")
    return Step(None, "it is neither allowed nor scheduled")
