"""Checks of the approval on chain, by independent providers at one block (spec 13.3).

The user pins the contract, since one that the server named could say anything. All compose hashes
that it allows get the same keys, so the whole set is shown and not just the running one.
"""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from svc_verifier.chain import abi, contracts
from svc_verifier.chain.contracts import (
    allowed_since,
    answer_problems,
    can_change,
    clock_difference,
    disagreement,
    taken_back,
)
from svc_verifier.check import Check, Group, Outcome, Status, failed, group_not_made, not_made, passed, skipped, unknown
from svc_verifier.checks.identity import Identity
from svc_verifier.material import Missing, ProviderAnswers
from svc_verifier.trust import Trust


def agreed_chain(
    providers: tuple[ProviderAnswers | Missing, ...], trust: Trust, now_s: int, *, replayed: bool = False
) -> Outcome[ProviderAnswers]:
    """Returns what the providers agree on, if they are of the pinned chain and give equal replies.

    A replay asks no provider. If the user names none, those of the bundle count as named. Its
    replies are its author's word either way, and the report says so.
    """
    asked = [provider for provider in providers if isinstance(provider, ProviderAnswers)]
    # Blocks of a development chain have any time, so no clock is compared with them.
    clock_s = now_s if trust.development_root is None else None
    problems = answer_problems(asked, clock_s)
    there = [answer for answer, problem in zip(asked, problems, strict=True) if not problem]
    missing = [provider.why for provider in providers if isinstance(provider, Missing)]
    missing += [f"{each.name}: {problem}" for each, problem in zip(asked, problems, strict=True) if problem]
    difference = clock_difference(asked, clock_s)
    clock = {"clock": difference} if difference else {}
    if not there:
        why = "; ".join(missing) or "no endpoint is known"
        made = not_made("governance.endpoints", "governance.chain", **clock)
        return Outcome((unknown("governance.chain", why, _OTHERS), made), None)
    # Counted as named and not as replied. If one of two is silenced, the other must not pass as the
    # only one.
    named = len(trust.rpc_urls) or (len(providers) if replayed else 0)
    chain, agreement = _chain(there, trust), _agreement(there, missing, named)
    agreement = replace(agreement, evidence={**agreement.evidence, **clock})
    counts = chain.status is Status.PASSED and agreement.status in {Status.PASSED, Status.SKIPPED}
    return Outcome((chain, agreement), common_answers(there) if counts else None)


_OTHERS: Final = "This says nothing of the host. Name endpoints you trust with --rpc-url."


def common_answers(there: list[ProviderAnswers]) -> ProviderAnswers:
    """Returns the common replies. Events are missing in them if a provider refused its own."""
    silent = next((provider.logs for provider in there if isinstance(provider.logs, Missing)), None)
    # A set of events from one provider alone could leave out a removal or an approval.
    return there[0] if silent is None else replace(there[0], logs=silent)


def check_governance(chain: Outcome[ProviderAnswers], identity: Identity | None, trust: Trust) -> Outcome[None]:
    """Returns the whole group; `chain` is the result of `agreed_chain`."""
    answers = chain.value
    if answers is None:
        rest = group_not_made("governance.endpoints", Group.GOVERNANCE).checks[len(chain.checks) :]
        return Outcome((*chain.checks, *rest), None)
    app = contracts.AppQuestions(trust.app_id)
    checks = (
        _contract(answers, trust),
        _allowed(answers, app, identity, trust),
        _owner(answers, app, trust),
        _upgradeability(answers, trust),
        _policy(answers, app),
        _allowed_set(answers, identity, trust),
        _pending(answers, app),
    )
    return Outcome((*chain.checks, *checks), None)


def _chain(there: list[ProviderAnswers], trust: Trust) -> Check:
    for provider in there:
        # The same address on another chain may be any contract.
        if provider.chain_id != trust.chain_id:
            why = f"{provider.name} is of chain {provider.chain_id}, pinned is {trust.chain_id}"
            return unknown("governance.chain", why, _OTHERS)
    return passed("governance.chain", chain_id=str(trust.chain_id))


def _agreement(there: list[ProviderAnswers], missing: list[str], named: int) -> Check:
    """Check agreement. A fault of providers is none of the host, so this never fails."""
    name = "governance.endpoints"
    first = there[0]
    evidence = {"block": str(first.block_number), "block_hash": first.block_hash.hex()}
    if why := disagreement(there):
        return unknown(name, why, _OTHERS, **evidence)
    # The common block may be as old as the slowest head. Later revocations must not stay hidden.
    for each in there:
        withdrawn = ", ".join(taken_back(each))
        if withdrawn:
            why = f"{each.name} says that the {withdrawn} is not approved at its newest block, though it was at the one asked"
            fix = "The approval was just taken back, or this endpoint lies or lags: verify again in two minutes."
            return unknown(name, why, fix, **evidence)
    # The user chose to believe a single provider; the report says so instead of failing.
    if len(there) + len(missing) == 1 == named:
        return skipped(name, f"one endpoint was named: {first.name} is believed", **evidence)
    # Two URLs of one host are one source.
    if len({provider.name for provider in there}) < 2:
        why = "; ".join(missing) or "all endpoints are of one host"
        return unknown(name, f"only {first.name} counts: {why}", "Name another endpoint with --rpc-url.", **evidence)
    return passed(name, **evidence, providers=", ".join(provider.name for provider in there))


def _contract(answers: ProviderAnswers, trust: Trust) -> Check:
    # Without code every call succeeds with an empty result.
    code = answers.code.get(trust.app_id, b"")
    if not code:
        return failed("governance.contract", f"there is no code at 0x{trust.app_id.hex()}", "Check app id and chain.")
    return passed("governance.contract", code_hash=abi.keccak(code).hex())


def _allowed(answers: ProviderAnswers, app: contracts.AppQuestions, identity: Identity | None, trust: Trust) -> Check:
    name = "governance.compose-allowed"
    if identity is None:
        return not_made(name, "log.replay")
    question = app.compose_allowed(identity.compose_hash)
    if question not in answers.calls:
        return unknown(name, "the contract was not asked for the measured compose hash")
    # Anything but a proper true counts as false, an empty result of a missing contract included.
    allowed = abi.decode_bool(answers.calls[question])
    evidence = {"compose_hash": identity.compose_hash.hex(), "block": str(answers.block_number)}
    if allowed is not True:
        why = "the contract does not allow the measured compose hash"
        refused = failed(name, why, "This is unauthorised code, or its approval was taken back.", **evidence)
        # A missing contract can allow nothing, so that is what there is to mend.
        return refused if answers.code.get(trust.app_id) else replace(refused, depends_on="governance.contract")
    return passed(name, **evidence)


def _owner(answers: ProviderAnswers, app: contracts.AppQuestions, trust: Trust) -> Check:
    name = "governance.owner"
    owner = abi.decode_address(answers.calls.get(app.owner))
    if owner is None:
        why = "the contract names no owner"
        return failed(name, f"{why}, pinned are some") if trust.owners else unknown(name, why)
    evidence = {"owner": f"0x{owner.hex()}", "kind": kind_of_owner(answers, owner)}
    # Two-step transfer (Ownable2Step): a pending owner can take over at any moment.
    pending = abi.decode_address(answers.calls.get(app.pending_owner))
    if pending is not None and any(pending):
        evidence["pending_owner"] = f"0x{pending.hex()}"
    if not trust.owners and trust.development_root is not None:
        return skipped(name, "DEV: under a development root no owner is pinned", **evidence)
    if not trust.owners:
        return unknown(name, "no owner is pinned", "Set `owners` in trust.toml.", **evidence)
    strange = [
        address for address in (owner, pending) if address is not None and any(address) and address not in trust.owners
    ]
    if strange:
        return failed(name, f"0x{strange[0].hex()} is none of the pinned owners", **evidence)
    return passed(name, **evidence)


def kind_of_owner(answers: ProviderAnswers, owner: bytes) -> str:
    """Describes how many keys decide for an owner, by its code and a Safe's views."""
    if not any(owner):
        return "nobody"
    # No code: a key, or a contract not deployed yet (CREATE2), which its deployer alone decides.
    if not answers.code.get(owner, b""):
        return "an externally owned account: one key decides"
    threshold = abi.decode_number(answers.calls.get(contracts.safe_threshold(owner)))
    owners = abi.decode_addresses(answers.calls.get(contracts.safe_owners(owner)))
    if threshold is not None and owners is not None:
        return f"a Safe, {threshold} of {len(owners)}"
    return "a contract"


def _upgradeability(answers: ProviderAnswers, trust: Trust) -> Check:
    name = "governance.upgradeability"
    slot = answers.storage.get((trust.app_id, contracts.IMPLEMENTATION_SLOT))
    if slot is None:
        return unknown(name, "the proxy slot was not read")
    # EIP-1967: the implementation slot is zero if the contract is no such proxy.
    address = slot[-abi.ADDRESS :] if any(slot) else trust.app_id
    code = answers.code.get(address, b"")
    code_hash = abi.keccak(code)
    evidence = {"implementation": f"0x{address.hex()}", "code_hash": code_hash.hex()}
    own_hash = abi.keccak(answers.code.get(trust.app_id, b""))
    if own_hash != code_hash:
        evidence["proxy_code_hash"] = own_hash.hex()
    # Both codes, since a proxy whose own code is unknown may ignore the slot.
    known = [trust.implementations.get(digest) for digest in (own_hash, code_hash)]
    if all(label is not None for label in known):
        return passed(name, **evidence, known_as=", ".join(dict.fromkeys(filter(None, known))))
    fix = "Read that code, the proxy's own too, and pin their hashes under `implementations` in trust.toml."
    if not any(slot):
        if code and not can_change(code):
            return passed(name, **evidence, proxy="none: the code neither calls into other code nor destroys itself")
        return unknown(name, "the contract may run the code of another, which can be exchanged", fix, **evidence)
    return unknown(name, _proxy_problem(answers, trust, known=known[1] is not None), fix, **evidence)


def _proxy_problem(answers: ProviderAnswers, trust: Trust, *, known: bool) -> str:
    """Returns why a proxy's code may change; `known` is whether its implementation is pinned."""
    if known:
        return "the proxy's own code is not known to you: it may run other code than the slot names"
    logs = answers.logs if not isinstance(answers.logs, Missing) else ()
    if any(log.address == trust.app_id and log.topics[:1] == (contracts.UPGRADES_DISABLED,) for log in logs):
        return "the contract says that upgrades are disabled for good, but its code, which says so, is not known to you"
    return "the owner may replace the contract's code at any time, and its present code is not known to you"


def _policy(answers: ProviderAnswers, app: contracts.AppQuestions) -> Check:
    policy = {
        "allow_any_device": abi.decode_bool(answers.calls.get(app.allow_any_device)),
        "require_tcb_up_to_date": abi.decode_bool(answers.calls.get(app.require_tcb_up_to_date)),
    }
    if None in policy.values():
        return unknown("governance.policy", "the contract does not tell its policy")
    return passed("governance.policy", **{name: str(value).lower() for name, value in policy.items()})


def _allowed_set(answers: ProviderAnswers, identity: Identity | None, trust: Trust) -> Check:
    name = "governance.allowed-set"
    if isinstance(answers.logs, Missing):
        return unknown(name, f"the contract's events could not be read: {answers.logs.why}")
    since = allowed_since(answers.logs, trust.app_id)
    evidence = {digest.hex(): f"since {utc_moment(time_s)}" for digest, time_s in since.items()}
    if identity is None:
        return not_made(name, "log.replay", **evidence)
    running = identity.compose_hash
    # One member is known from the quote. Events that lack it are not complete.
    if running not in since:
        return unknown(name, "the events do not show when the running compose hash was added", **evidence)
    # Every allowed code obtains the same keys, so a backdoor in one is a backdoor in all.
    others = [digest for digest in since if digest != running and digest not in trust.compose_hashes]
    if others:
        why = f"{len(others)} other compose hash(es) may obtain the same keys: {', '.join(d.hex() for d in others[:8])}"
        return unknown(
            name, why, "Read what each of them runs, and pin those you accept under `compose_hashes`.", **evidence
        )
    return passed(name, **evidence)


def _pending(answers: ProviderAnswers, app: contracts.AppQuestions) -> Check:
    name = "governance.pending"
    delay = abi.decode_number(answers.calls.get(app.approval_delay))
    # Only our contract has `approvalDelay()`. A call of it on dstack's reverts.
    if delay is None:
        why = (
            "the contract announces nothing: approvals count at once, and what its owner prepares cannot be known here"
        )
        return skipped(name, why, delay="none")
    pending = abi.decode_pairs(answers.calls.get(app.pending_approvals))
    if pending is None:
        return unknown(name, "the contract does not tell what is scheduled", delay=f"{delay} s")
    # Unknown and not failed, since the delay exists for announcements and the code may be good.
    if pending:
        listed = ", ".join(f"{digest.hex()} from {utc_moment(eta)} on" for digest, eta in pending)
        fix = "Read what the announced code does before it may obtain the keys."
        return unknown(name, f"scheduled: {listed}", fix, delay=f"{delay} s", scheduled=listed)
    return passed(name, delay=f"{delay} s", scheduled="nothing")


def utc_moment(unix_s: int) -> str:
    """Returns a time of a block or contract, to the second, or a number if no calendar has it."""
    try:
        return datetime.fromtimestamp(unix_s, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return f"second {unix_s}"
