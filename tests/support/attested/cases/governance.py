"""The approval on chain (spec 13.3; test_holes.py, 8, 9 and 15)."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from eth_utils.crypto import keccak

from svc_verifier.material import BlockHead, Missing, ProviderAnswers
from tests.support.attested.accounts import word
from tests.support.attested.case import ACCOUNTS, Case, accepted, case
from tests.support.attested.governance import (
    ALLOWED,
    CODE,
    KMS,
    OWNER,
    PROXY_CODE,
    REMOVED,
    UPGRADES_DISABLED,
    added,
    without,
)
from tests.support.attested.look import Look
from tests.support.attested.td import APP_ID, NOW_S

REST: Final = frozenset(
    f"governance.{name}"
    for name in ("contract", "compose-allowed", "upgradeability", "policy", "allowed-set", "pending", "owner")
).union(ACCOUNTS)
"""What rests on providers that agree."""

OTHER: Final = bytes.fromhex("0badc0de" * 8)
IMPLEMENTATION: Final = bytes.fromhex("1a" * 20)
ONE_URL: Final = {"rpc_urls": ("https://one.example",)}


def chain(**changes: Any) -> Callable[[Look], None]:
    """Something else is true on chain."""

    def tamper(look: Look) -> None:
        for name, value in changes.items():
            setattr(look.chain, name, value)

    return tamper


def second(change: Callable[[ProviderAnswers], ProviderAnswers | Missing]) -> Callable[[Look], None]:
    """The second provider says something else."""

    def tamper(look: Look) -> None:
        answers = look.providers[1]
        assert isinstance(answers, ProviderAnswers)
        look.providers[1] = change(answers)

    return tamper


def both(change: Callable[[ProviderAnswers], ProviderAnswers | Missing]) -> Callable[[Look], None]:
    """Both say something else."""

    def tamper(look: Look) -> None:
        look.providers = [change(each) for each in look.providers if isinstance(each, ProviderAnswers)]

    return tamper


def alone(look: Look) -> None:
    """One provider was asked."""
    look.providers.pop()


def lying(selector: bytes) -> Callable[[ProviderAnswers], ProviderAnswers]:
    """A provider that answers `true` whatever it is asked (hole 15)."""

    def change(answers: ProviderAnswers) -> ProviderAnswers:
        lies = {call: word(1) if call.data[:4] == selector else answer for call, answer in answers.calls.items()}
        return replace(answers, calls=lies)

    return change


def taken_back(answer: bytes | None) -> Callable[[ProviderAnswers], ProviderAnswers]:
    """A provider whose newest block says something else of the approval than the block of all."""
    return lambda answers: replace(answers, newest=dict.fromkeys(answers.newest, answer))


def denied_alone(look: Look) -> None:
    """The only provider denies the approval at its newest block."""
    both(taken_back(word(0)))(look)
    alone(look)


def disagreeing(look: Look) -> None:
    """The chain says no, one provider says yes."""
    look.chain.allowed = False
    second(lying(ALLOWED))(look)


def proxy(**changes: Any) -> Callable[[Look], None]:
    """The contract is an ERC-1967 proxy."""
    code = {APP_ID: PROXY_CODE, IMPLEMENTATION: CODE, OWNER: b""}
    return chain(slot=word(IMPLEMENTATION), code=code, **changes)


def logs(*more: Any) -> Callable[[Look], None]:
    """These events after the approval's own."""

    def tamper(look: Look) -> None:
        look.chain.logs = (added(look.chain.compose_hash), *more)

    return tamper


def other_code(code: bytes) -> Callable[[Look], None]:
    """Another code at the app id."""
    return chain(code={APP_ID: code, OWNER: b""})


def removed_and_gone(look: Look) -> None:
    """The approval was taken back."""
    look.chain.allowed = False
    look.chain.logs = (added(look.chain.compose_hash), added(look.chain.compose_hash, topic=REMOVED))


OWNED: Final = {"owners": frozenset({OWNER})}
NOT_ALLOWED: Final = "governance.compose-allowed"

GOVERNANCE_CASES: Final[tuple[Case, ...]] = (
    case("chain: another id", "", REST | {"governance.chain"}, tamper=chain(chain_id=1)),
    case("chain: another id at one endpoint", "", REST | {"governance.chain"}, tamper=second(lambda answers: replace(answers, chain_id=1))),
    case("chain: no endpoint answers", "", REST | {"governance.chain", "governance.endpoints"},
         tamper=both(lambda answers: Missing(f"{answers.name}: timed out"))),
    case("endpoints: one lies about the approval", "", REST | {"governance.endpoints"}, tamper=disagreeing),
    case("endpoints: another block hash", "", REST | {"governance.endpoints"}, tamper=second(lambda answers: replace(answers, block_hash=bytes(32)))),
    case("endpoints: another height", "", REST | {"governance.endpoints"}, tamper=second(lambda answers: replace(answers, block_number=1))),
    case("endpoints: another time of the block", "", REST | {"governance.endpoints"},
         tamper=second(lambda answers: replace(answers, block_time_s=answers.block_time_s + 1))),
    case("endpoints: one's newest block is of long ago", "", REST | {"governance.endpoints"},
         tamper=second(lambda answers: replace(answers, head=BlockHead(4_000, NOW_S - 1_500)))),
    case("endpoints: asked at a block of long ago", "", REST | {"governance.chain", "governance.endpoints"},
         tamper=chain(head=BlockHead(5_000, NOW_S + 1_000))),
    accepted("endpoints: one announces an absurd height", tamper=second(lambda answers: replace(answers, head=BlockHead(10**12, NOW_S)))),
    accepted("endpoints: of a bundle of before, without heads", tamper=chain(head=None)),
    accepted("endpoints: rare blocks", tamper=chain(head=BlockHead(4_713, NOW_S + 9_000))),
    case("endpoints: one says that the approval was taken back since", "", REST | {"governance.endpoints"}, tamper=second(taken_back(word(0)))),
    case("endpoints: both say that the approval was taken back since", "", REST | {"governance.endpoints"}, tamper=both(taken_back(word(0)))),
    case("endpoints: the contract reverts at one's newest block", "", REST | {"governance.endpoints"}, tamper=second(taken_back(None))),
    case("endpoints: the only one says that the approval was taken back since", "", REST | {"governance.endpoints"},
         tamper=denied_alone, trust=ONE_URL),
    accepted("endpoints: of a bundle of before, without answers at the newest block", tamper=both(lambda answers: replace(answers, newest={}))),
    case("endpoints: other code", "", REST | {"governance.endpoints"}, tamper=second(lambda answers: replace(answers, code={APP_ID: b"\1"}))),
    case("endpoints: other events", "", REST | {"governance.endpoints"}, tamper=second(lambda answers: replace(answers, logs=()))),
    case("endpoints: one does not answer", "", REST | {"governance.endpoints"}, tamper=second(lambda _: Missing("timed out"))),
    case("endpoints: both of one host", "", REST | {"governance.endpoints"},
         tamper=second(lambda answers: replace(answers, name="one.example"))),
    case("endpoints: one of the two pinned is left out", "", REST | {"governance.endpoints"}, tamper=alone),
    accepted("endpoints: one, which the user named", tamper=alone, trust=ONE_URL),
    case("contract: no code", "governance.contract", "governance.upgradeability", tamper=chain(code={APP_ID: b""})),
    case("approval: never given", NOT_ALLOWED, "governance.allowed-set", tamper=chain(allowed=False, logs=())),
    case("approval: taken back", NOT_ALLOWED, "governance.allowed-set", tamper=removed_and_gone),
    case("approval: the contract reverts", NOT_ALLOWED, tamper=chain(allowed=None)),
    case("approval: neither true nor false", NOT_ALLOWED, tamper=both(
        lambda answers: replace(answers, calls={call: word(2) if call.data[:4] == ALLOWED else answer for call, answer in answers.calls.items()}))),
    case("approval: not asked for the measured hash", "", NOT_ALLOWED, tamper=both(lambda answers: without(answers, ALLOWED))),
    case("approval: of other code alone", "", NOT_ALLOWED + " governance.allowed-set", tamper=chain(compose_hash=OTHER)),
    # what is not needed for acceptance
    accepted("owner: pinned", trust=OWNED),
    case("owner: none of the pinned ones", "governance.owner", trust={"owners": frozenset({bytes(20)})}),
    case("owner: another one is to take over", "governance.owner", tamper=chain(pending_owner=b"\7" * 20), trust=OWNED),
    case("owner: not told, though some are pinned", "governance.owner", tamper=chain(owner=None), trust=OWNED),
    accepted("owner: not told", "governance.owner", tamper=chain(owner=None)),
    accepted("owner: nobody", tamper=chain(owner=bytes(20)), trust=OWNED),
    accepted("proxy: of an unknown implementation", "governance.upgradeability", tamper=proxy()),
    accepted("proxy: of a known implementation", tamper=proxy(),
             trust={"implementations": {keccak(CODE): "DstackApp 2", keccak(PROXY_CODE): "proxy"}}),
    accepted("contract: delegates without an ERC-1967 slot", "governance.upgradeability", tamper=other_code(PROXY_CODE)),
    accepted("contract: an account that delegates its code", "governance.upgradeability", tamper=other_code(b"\xef\x01\x00" + bytes(20))),
    accepted("contract: may destroy itself", "governance.upgradeability", tamper=other_code(b"\x5b\xff")),
    accepted("contract: metadata behind its last instruction", tamper=other_code(CODE + b"\xf4\xff\xf2")),
    accepted("contract: the slot was not read", "governance.upgradeability", tamper=chain(slot=None)),
    accepted("policy: not told", "governance.policy", tamper=chain(policy=None)),
    accepted("allowed set: other code may have the keys", "governance.allowed-set", tamper=logs(added(OTHER))),
    accepted("allowed set: other code that the user accepts, and its own",
             tamper=logs(added(OTHER)), trust={"compose_hashes": frozenset({OTHER, Look().chain.compose_hash})}),
    accepted("allowed set: other code was removed", tamper=logs(added(OTHER), added(OTHER, topic=REMOVED))),
    accepted("allowed set: an event of another contract", tamper=logs(added(OTHER, address=KMS))),
    accepted("allowed set: out of reach", "governance.allowed-set", tamper=chain(logs=Missing("too many"))),
    accepted("pending: an approval is scheduled", "governance.pending", tamper=chain(pending=((OTHER, 1_790_000_100),))),
    accepted("pending: a contract without delay", tamper=chain(delay=None)),
    accepted("upgrades: another contract's event says they are disabled", "governance.upgradeability",
             tamper=lambda look: (proxy()(look), logs(added(b"", address=KMS, topic=UPGRADES_DISABLED))(look))),
    accepted("upgrades: unknown code says they are disabled", "governance.upgradeability",
             tamper=lambda look: (proxy()(look), logs(added(b"", topic=UPGRADES_DISABLED))(look))),
    accepted("allowed set: out of reach of the second, so the first may hide events", "governance.allowed-set",
             tamper=second(lambda answers: replace(answers, logs=Missing("too many")))),
    accepted("proxy: unknown code that shows the slot of a known implementation and runs another", "governance.upgradeability",
             tamper=proxy(), trust={"implementations": {keccak(CODE): "DstackApp 2"}}),
)  # fmt: skip
