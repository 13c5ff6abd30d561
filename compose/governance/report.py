"""Reports of one call, and of everything that is announced."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from compose.governance.state import Call, Function, GovernanceState, Step, calldata, checksum_address
from svc_client.chain.receipts import Receipt
from svc_client.chain.safe_batch import NamedCall
from svc_verifier.formats.strict_json import Json
from svc_verifier.rendering.text import moment, plain

HEAD_MAX_AGE_S: Final = 3_600
"""Age of a head from which its state is not current; svc-verify has the same limit."""
Report = tuple[dict[str, Json], list[tuple[str, str]]]
"""Document for machines, and lines for people."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A step. `state`, read after any sending, is None without providers; `sent` if not sent."""

    app_id: bytes
    chain_id: int
    compose_hash: bytes
    step: Step[Function]
    state: GovernanceState | None
    sent: Receipt | None

    @property
    def call(self) -> Call | None:
        """The call that was or will be sent; None if there is none."""
        return Call(self.app_id, self.step.function, self.compose_hash) if self.step.function is not None else None


def call_report(outcome: Outcome) -> Report:
    """Returns the report of one approval or removal."""
    call, state = outcome.call, outcome.state
    document: dict[str, Json] = {
        "compose_hash": outcome.compose_hash.hex(),
        "app_id": checksum_address(outcome.app_id),
        "chain_id": outcome.chain_id,
        "function": call.function.value if call else None,
        "text": outcome.step.text,
        "waits": outcome.step.waits,
        "to": checksum_address(outcome.app_id) if call else None,
        "value": "0" if call else None,
        "data": f"0x{calldata(call.named).hex()}" if call else None,
        "transaction_hash": outcome.sent.shown if outcome.sent else None,
        "block_number": outcome.sent.block_number if outcome.sent else None,
        "owner": _owner(state) if state else None,
        "allowed": state.allowed if state else None,
        "delay_s": state.delay_s if state else None,
        "due_unix_s": state.due_s(outcome.compose_hash) if state else None,
    }
    lines = [
        ("compose hash", outcome.compose_hash.hex()),
        *step_lines((outcome.app_id, outcome.chain_id), outcome.step, call.named if call else None, outcome.sent),
    ]
    return document, [*lines, *(_state_lines(state, outcome.compose_hash) if state is not None else ())]


def step_lines(
    contract: tuple[bytes, int], step: Step[Any], call: NamedCall | None, sent: Receipt | None
) -> list[tuple[str, str]]:
    """Returns lines of a step on a contract (address and chain id), and of its transaction."""
    address, chain_id = contract
    lines = [
        ("contract", f"{checksum_address(address)} on chain {chain_id}"),
        ("step", f"{call.function}: {step.text}" if call else step.text),
    ]
    if sent is not None:
        return [*lines, ("sent", f"{sent.shown}, block {sent.block_number}")]
    return [*lines, ("to", call.to), ("value", "0"), ("data", f"0x{calldata(call).hex()}")] if call else lines


def _state_lines(state: GovernanceState, compose_hash: bytes) -> list[tuple[str, str]]:
    due_s = state.due_s(compose_hash)
    due = [("can be added", f"from {moment(due_s)} on")] if due_s is not None else []
    return [("owner", owner_text(state)), ("allowed now", "yes" if state.allowed else "no"), *due]


def pending_report(app_id: bytes, state: GovernanceState, names: Mapping[bytes, str], age_s: float) -> Report:
    """Returns all announced and allowed hashes. `names` are files by hash, `age_s` the head's."""
    waiting = sorted(state.pending or (), key=lambda each: each[1])
    allowed = sorted((state.allowed_since or {}).items(), key=lambda each: each[1])
    unknown = [*_unknown(state), *_unsure(state, age_s)]
    document: dict[str, Json] = {
        "app_id": checksum_address(app_id),
        "chain_id": state.chain_id,
        "block_number": state.block_number,
        "block_unix_s": state.block_time_s,
        "owner": _owner(state),
        "delay_s": state.delay_s,
        "pending": None if state.pending is None else [_entry(digest, time_s, names) for digest, time_s in waiting],
        "allowed": None if state.allowed_since is None else [_entry(*each, names) for each in allowed],
        "unknown": [*unknown],
    }
    lines = [
        ("contract", f"{checksum_address(app_id)} on chain {state.chain_id}, block {state.block_number}"),
        ("owner", owner_text(state)),
        ("delay", "none" if state.delay_s is None else f"{state.delay_s} s from announcing to adding"),
        *(("pending", f"{_named(digest, names)} can be added from {moment(due_s)} on") for digest, due_s in waiting),
        *([("pending", "nothing is announced")] if state.pending == () else []),
        *(("allowed", f"{_named(digest, names)} since {moment(since_s)}") for digest, since_s in allowed),
        *(("not known", text) for text in unknown),
    ]
    return document, lines


def _unknown(state: GovernanceState) -> list[str]:
    """Returns facts that this contract does not show, so that the report names them."""
    found = []
    if state.pending is None:
        found.append(
            "this contract announces nothing (dstack's own does not): an approval counts in the block it is mined in"
        )
    if state.owner.kind.startswith("a Safe"):
        found.append("what waits for signatures in the owner's Safe is not on chain: look at it in Safe's own service")
    if state.owner.delay_s is not None:
        found.append(
            f"the owner is a timelock of {state.owner.delay_s} s: what it has scheduled is in its own events "
            "(CallScheduled), which are not read here"
        )
    if state.is_proxy:
        found.append("the contract is a proxy: its owner may exchange its code, and all that is said here with it")
    if state.owner.kind == "a contract":
        found.append("the owner is a contract of unknown kind: what it is about to do cannot be read here")
    if state.allowed_since is None:
        found.append(f"which hashes are allowed now: {plain(state.events_problem)}")
    return found


def _unsure(state: GovernanceState, age_s: float) -> list[str]:
    """Returns reasons to doubt the replies themselves."""
    found = []
    if age_s > HEAD_MAX_AGE_S:
        found.append(f"the newest block is {age_s:.0f} s old: nothing is known of what came since")
    if state.providers < 2:
        found.append("one provider was asked, and is believed: name another with --rpc-url")
    return found


def _owner(state: GovernanceState) -> dict[str, Json]:
    address = state.owner.address
    return {
        "address": checksum_address(address) if address is not None else None,
        "kind": state.owner.kind,
        "delay_s": state.owner.delay_s,
    }


def owner_text(state: GovernanceState) -> str:
    """Returns address and kind of the owner, for people."""
    address = state.owner.address
    return f"{checksum_address(address)}, {state.owner.kind}" if address is not None else state.owner.kind


def _entry(digest: bytes, time_s: int, names: Mapping[bytes, str]) -> dict[str, Json]:
    return {"compose_hash": digest.hex(), "unix_s": time_s, "time": moment(time_s), "file": names.get(digest)}


def _named(digest: bytes, names: Mapping[bytes, str]) -> str:
    name = names.get(digest)
    return f"{digest.hex()} ({plain(name)})" if name is not None else digest.hex()
