"""`svc-compose approve`, `revoke` and `pending`: the owner's transactions, and what everybody can see of them."""

import asyncio
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from compose.app_compose import compose_hash
from compose.check import Accepted, check
from compose.cli_render import require_unrefused
from compose.errors import ComposeError, Exit
from compose.governance.report import HEAD_MAX_AGE_S, Outcome, call_report, owner_text, pending_report
from compose.governance.safe import safe_batch
from compose.governance.sending import Sent, send, signing_key, state_after
from compose.governance.state import GovernanceState, read_state
from compose.governance.steps import Call, Function, Step, approval_step, revocation_step
from compose.measured import APP_COMPOSE_MAX_BYTES, read_file, read_measured
from compose.options import COMPOSE_HASH, FILE, JSON, Address, accepted, accepting, on_chain
from compose.output import show, write_bytes
from node.keyring.port import SigningKey
from svc_verifier.chain.abi import WORD
from svc_verifier.gathering.chain import RpcEndpoint
from svc_verifier.gathering.host import GatheringLimits, plain_session

KEY: Final = click.option(
    "--key-file",
    type=click.Path(path_type=Path, allow_dash=True, dir_okay=False),
    help="File with the owner's private key; `-` reads standard input. With it the transaction is sent.",
)
SAFE_JSON: Final = click.option("--safe-json", type=FILE, help="Write a batch for Safe's Transaction Builder.")
SAFE: Final = click.option("--safe", type=Address(), help="The Safe's address, for that file.")
_HASH: Final = click.option("--hash", "given", type=COMPOSE_HASH, help="Instead of FILE.")


KEY_FILE_MAX_BYTES: Final = 4_096
"""Largest key file that is read: 64 hex digits and blanks."""


@dataclass(frozen=True, slots=True)
class TransactionOptions:
    """Options of both transactions; `key` is None where the call is to be printed."""

    app_id: bytes
    chain_id: int
    urls: tuple[str, ...]
    key: SigningKey | None
    safe_json: Path | None
    safe: bytes | None


@click.command()
@click.argument("file", type=FILE, required=False)
@_HASH
@click.option("--schedule", is_flag=True, help="Without --rpc-url: announce, and do not add.")
@on_chain(required=False)
@KEY
@SAFE_JSON
@SAFE
@accepting
@click.option("--unchecked", is_flag=True, help="Approve what the check refuses.")
@JSON
def approve(file: Path | None, given: bytes | None, schedule: bool, as_json: bool, **options: Any) -> None:
    """Approve FILE on the app's contract: its hash may then obtain every key.

    With --rpc-url the contract is asked what comes next: announcing, waiting, or adding. With --key-file it is sent.
    """
    chosen = _options(**options)
    known = accepted(options["accept_env"], options["accept_key_holder"], options["trust_file"])
    digest = _digest_of(file, given, known if file else None, unchecked=options["unchecked"])
    if schedule and chosen.urls:
        raise ComposeError(Exit.MISUSE, "--schedule is for a run without --rpc-url: the contract says what comes next.")
    unasked = Step(Function.SCHEDULE if schedule else Function.ADD, "the contract was not asked; --rpc-url does")
    outcome = asyncio.run(_approval(chosen, digest, unasked))
    _finish(chosen, outcome, as_json=as_json)


@click.command()
@click.argument("file", type=FILE, required=False)
@_HASH
@on_chain(required=False)
@KEY
@SAFE_JSON
@SAFE
@JSON
def revoke(file: Path | None, given: bytes | None, as_json: bool, **options: Any) -> None:
    """Take the approval of FILE back, or its announcement: from then on it obtains no keys.

    A machine that runs keeps the keys it has: stop it too.
    """
    chosen = _options(**options)
    digest = _digest_of(file, given, None, unchecked=True)
    outcome = asyncio.run(_revocation(chosen, digest))
    _finish(chosen, outcome, as_json=as_json)


@click.command()
@on_chain(required=True)
@click.option("--known", type=FILE, multiple=True, help="A measured file, to name its hash by.")
@JSON
def pending(app_id: bytes, chain_id: int, rpc_url: tuple[str, ...], known: tuple[Path, ...], as_json: bool) -> None:
    """Show what is announced and not yet in force, what may obtain the keys now, and what cannot be known."""
    names = {compose_hash(read_file(path, APP_COMPOSE_MAX_BYTES)): str(path) for path in known}
    state = asyncio.run(_state_of_all(rpc_url, app_id, chain_id, tuple(names) or (bytes(WORD),)))
    age_s = time.time() - state.block_time_s
    document, lines = pending_report(app_id, state, names, age_s)
    show(document, lines, as_json=as_json)
    sys.exit(Exit.UNDECIDED if age_s > HEAD_MAX_AGE_S else Exit.DONE)


def _options(
    app_id: bytes, chain_id: int, rpc_url: tuple[str, ...], key_file: Path | None, **of: Any
) -> TransactionOptions:
    if key_file is not None and not rpc_url:
        raise ComposeError(Exit.MISUSE, "--key-file sends, and needs --rpc-url to send to.")
    if of["safe"] is not None and of["safe_json"] is None:
        raise ComposeError(Exit.MISUSE, "--safe is for --safe-json.")
    key = signing_key_in(key_file) if key_file is not None else None
    return TransactionOptions(app_id, chain_id, rpc_url, key, of["safe_json"], of["safe"])


def signing_key_in(path: Path) -> SigningKey:
    """Returns the key in the file, `-` for standard input. Raises ComposeError(MISUSE)."""
    if str(path) == "-":
        return signing_key(sys.stdin.buffer.read(KEY_FILE_MAX_BYTES + 1).decode(errors="replace"))
    raw = read_file(path, KEY_FILE_MAX_BYTES)
    if path.stat().st_mode & 0o077:
        click.echo(f"{path} can be read by others on this machine: chmod 600 it.", err=True)
    return signing_key(raw.decode(errors="replace"))


def _digest_of(file: Path | None, given: bytes | None, known: Accepted | None, *, unchecked: bool) -> bytes:
    """Returns the hash of the file or `given`. A file is checked where `known` is given: a revoked one may be unreadable."""
    if (file is None) == (given is None):
        raise ComposeError(Exit.MISUSE, "name either a file or --hash.")
    if file is None:
        if known is None and not unchecked:
            click.echo("A hash alone cannot be checked: look at the file it is of.", err=True)
        return given or b""
    raw = read_file(file, APP_COMPOSE_MAX_BYTES)
    if known is not None:
        require_unrefused(check(read_measured(raw), known), unchecked=unchecked)
    return compose_hash(raw)


async def _approval(options: TransactionOptions, digest: bytes, unasked: Step) -> Outcome:
    if not options.urls:
        return _outcome(options, digest, unasked, None, None)
    state = await _state(options.urls, options.app_id, options.chain_id, digest)
    return await _made(options, digest, approval_step(state, digest, time.time()), state)


async def _revocation(options: TransactionOptions, digest: bytes) -> Outcome:
    if not options.urls:
        step = Step(Function.REMOVE, "the contract was not asked; --rpc-url does")
        return _outcome(options, digest, step, None, None)
    state = await _state(options.urls, options.app_id, options.chain_id, digest)
    return await _made(options, digest, revocation_step(state, digest), state)


async def _made(options: TransactionOptions, digest: bytes, step: Step, state: GovernanceState) -> Outcome:
    """Send the step when there is one and a key; then read the state after it."""
    if options.key is None or step.function is None:
        return _outcome(options, digest, step, state, None)
    async with plain_session() as session:
        endpoint = RpcEndpoint(session, options.urls[0], GatheringLimits())
        call = Call(options.app_id, step.function, digest)
        sent = await send(endpoint, options.key, call, state)
        after = await state_after(session, options.urls, call, options.chain_id, sent)
    return _outcome(options, digest, step, after, sent)


def _outcome(
    options: TransactionOptions, digest: bytes, step: Step, state: GovernanceState | None, sent: Sent | None
) -> Outcome:
    return Outcome(options.app_id, options.chain_id, digest, step, state, sent)


async def _state(urls: tuple[str, ...], app_id: bytes, chain_id: int, digest: bytes) -> GovernanceState:
    async with plain_session() as session:
        return await read_state(session, urls, app_id, chain_id, digest)


async def _state_of_all(
    urls: tuple[str, ...], app_id: bytes, chain_id: int, digests: tuple[bytes, ...]
) -> GovernanceState:
    """Returns the last state read, or the first in which a hash and the events contradict one another."""
    for digest in digests:
        state = await _state(urls, app_id, chain_id, digest)
        if state.allowed_since is None:
            break
    return state


def _finish(options: TransactionOptions, outcome: Outcome, *, as_json: bool) -> None:
    call, state = outcome.call, outcome.state
    if options.safe is not None and state is not None and state.owner.address != options.safe:
        text = f"the contract's owner is {owner_text(state)}, and not that Safe, which cannot make this call."
        raise ComposeError(Exit.REFUSED, text)
    if options.safe_json is not None and call is not None:
        write_bytes(options.safe_json, safe_batch(call, options.chain_id, options.safe, time.time()).encode())
    document, lines = call_report(outcome)
    show(document, lines, as_json=as_json)
    sys.exit(Exit.UNDECIDED if outcome.step.waits else Exit.DONE)
