"""Commands that read or change contracts: approvals, the admin payer, the key service's keys."""

import asyncio
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import click

from compose.app_compose import compose_hash
from compose.check import Accepted, check
from compose.command_line import (
    COMPOSE_HASH,
    FILE,
    JSON,
    Address,
    accepted,
    accepting,
    on_chain,
    require_unrefused,
    show,
    write_bytes,
)
from compose.errors import ComposeError, Exit
from compose.governance.admin_payer import (
    Naming,
    NamingState,
    cancelling_step,
    naming_call,
    naming_step,
    read_kms_info,
    read_naming,
)
from compose.governance.report import HEAD_MAX_AGE_S, Outcome, call_report, owner_text, pending_report, step_lines
from compose.governance.sending import (
    providers_of,
    require_not_made,
    safe_batch,
    send,
    signing_key,
    state_after,
)
from compose.governance.state import (
    Call,
    Function,
    GovernanceState,
    Step,
    approval_step,
    calldata,
    checksum_address,
    read_state,
    revocation_step,
)
from compose.measured import APP_COMPOSE_MAX_BYTES, read_file, read_measured
from node.keyring.port import SigningKey
from svc_client.chain.receipts import Receipt
from svc_client.chain.safe_batch import NamedCall
from svc_verifier.chain.abi import WORD
from svc_verifier.formats.strict_json import Json

KEY: Final = click.option(
    "--key-file",
    type=click.Path(path_type=Path, allow_dash=True, dir_okay=False),
    help="File with the owner's private key; `-` reads standard input. With it the transaction is sent.",
)
SAFE_JSON: Final = click.option("--safe-json", type=FILE, help="Write a batch for Safe's Transaction Builder.")
SAFE: Final = click.option("--safe", type=Address(), help="The Safe's address, for that file.")
_HASH: Final = click.option("--hash", "given", type=COMPOSE_HASH, help="Instead of FILE.")
_APP: Final = ("--app-id", "The app's contract.")
_UNASKED: Final = "the contract was not asked; --rpc-url does"


KEY_FILE_MAX_BYTES: Final = 4_096
"""Largest key file that is read, for 64 hex digits and blanks."""


@dataclass(frozen=True, slots=True)
class TransactionOptions:
    """Options of every transaction; `key` is None if the call is only printed."""

    contract: bytes
    chain_id: int
    urls: tuple[str, ...]
    key: SigningKey | None
    safe_json: Path | None
    safe: bytes | None


@click.command()
@click.argument("file", type=FILE, required=False)
@_HASH
@click.option("--schedule", is_flag=True, help="Without --rpc-url: announce, and do not add.")
@on_chain(*_APP, required=False)
@KEY
@SAFE_JSON
@SAFE
@accepting
@click.option("--unchecked", is_flag=True, help="Approve what the check refuses.")
@JSON
def approve(file: Path | None, given: bytes | None, schedule: bool, as_json: bool, **options: Any) -> None:
    """Approve FILE on the app's contract, so that its hash may obtain every key.

    With --rpc-url the contract gives the next step: announce, wait, or add. --key-file sends it.
    """
    chosen = _options(options.pop("app_id"), **options)
    known = accepted(options["accept_env"], options["accept_key_holder"], options["trust_file"])
    digest = _digest_of(file, given, known if file else None, unchecked=options["unchecked"])
    if schedule and chosen.urls:
        raise ComposeError(Exit.MISUSE, "--schedule is for a run without --rpc-url: the contract says what comes next.")
    unasked = Step(Function.SCHEDULE if schedule else Function.ADD, _UNASKED)
    made = _outcome(chosen, digest, unasked, lambda state: approval_step(state, digest, time.time()))
    _finish(chosen, asyncio.run(made), as_json=as_json)


@click.command()
@click.argument("file", type=FILE, required=False)
@_HASH
@on_chain(*_APP, required=False)
@KEY
@SAFE_JSON
@SAFE
@JSON
def revoke(file: Path | None, given: bytes | None, as_json: bool, **options: Any) -> None:
    """Revoke the approval of FILE, or its announcement. Its hash then obtains no keys.

    A running machine keeps the keys that it has, so stop it too.
    """
    chosen = _options(options.pop("app_id"), **options)
    digest = _digest_of(file, given, None, unchecked=True)
    unasked = Step(Function.REMOVE, _UNASKED)
    made = _outcome(chosen, digest, unasked, lambda state: revocation_step(state, digest))
    _finish(chosen, asyncio.run(made), as_json=as_json)


@click.command()
@on_chain(*_APP, required=True)
@click.option("--known", type=FILE, multiple=True, help="A measured file, to name its hash by.")
@JSON
def pending(app_id: bytes, chain_id: int, rpc_url: tuple[str, ...], known: tuple[Path, ...], as_json: bool) -> None:
    """Show announced hashes, hashes that may obtain the keys now, and what is unknown."""
    names = {compose_hash(read_file(path, APP_COMPOSE_MAX_BYTES)): str(path) for path in known}
    state = asyncio.run(_state_of_all(rpc_url, app_id, chain_id, tuple(names) or (bytes(WORD),)))
    age_s = time.time() - state.block_time_s
    document, lines = pending_report(app_id, state, names, age_s)
    show(document, lines, as_json=as_json)
    sys.exit(Exit.UNDECIDED if age_s > HEAD_MAX_AGE_S else Exit.DONE)


def _options(
    contract: bytes, chain_id: int, rpc_url: tuple[str, ...], key_file: Path | None, **of: Any
) -> TransactionOptions:
    if key_file is not None and not rpc_url:
        raise ComposeError(Exit.MISUSE, "--key-file sends, and needs --rpc-url to send to.")
    if of["safe"] is not None and of["safe_json"] is None:
        raise ComposeError(Exit.MISUSE, "--safe is for --safe-json.")
    key = signing_key_in(key_file) if key_file is not None else None
    return TransactionOptions(contract, chain_id, rpc_url, key, of["safe_json"], of["safe"])


def signing_key_in(path: Path) -> SigningKey:
    """Returns the key in the file, `-` for standard input. Raises ComposeError(MISUSE)."""
    if str(path) == "-":
        # Standard input leaves no file; an argument would appear in the list of processes.
        return signing_key(sys.stdin.buffer.read(KEY_FILE_MAX_BYTES + 1).decode(errors="replace"))
    raw = read_file(path, KEY_FILE_MAX_BYTES)
    if path.stat().st_mode & 0o077:
        click.echo(f"{path} can be read by others on this machine: chmod 600 it.", err=True)
    return signing_key(raw.decode(errors="replace"))


def _digest_of(file: Path | None, given: bytes | None, known: Accepted | None, *, unchecked: bool) -> bytes:
    """Returns the hash of the file or `given`. Checks a file if `known` is given."""
    if (file is None) == (given is None):
        raise ComposeError(Exit.MISUSE, "name either a file or --hash.")
    if file is None:
        if known is None and not unchecked:
            click.echo("A hash alone cannot be checked: look at the file it is of.", err=True)
        return given or b""
    raw = read_file(file, APP_COMPOSE_MAX_BYTES)
    # Check approvals only: a bad file must still be revocable.
    if known is not None:
        require_unrefused(check(read_measured(raw), known), unchecked=unchecked)
    return compose_hash(raw)


async def _outcome(
    options: TransactionOptions,
    digest: bytes,
    unasked: Step[Function],
    step_of: Callable[[GovernanceState], Step[Function]],
) -> Outcome:
    """Returns the next step. With a key, sends it and returns the state afterwards."""
    app_id, chain_id = options.contract, options.chain_id
    if not options.urls:
        return Outcome(app_id, chain_id, digest, unasked, None, None)
    async with providers_of(options.urls, chain_id) as providers:
        state = await read_state(providers, app_id, digest)
        step = step_of(state)
        if options.key is None or step.function is None:
            return Outcome(app_id, chain_id, digest, step, state, None)
        call = Call(app_id, step.function, digest)
        await require_not_made(providers, call, state)
        receipt = await send(providers, options.key, state.owner.address, call.named)
        after = await state_after(providers, call, receipt)
        return Outcome(app_id, chain_id, digest, step, after, receipt)


async def _state_of_all(
    urls: tuple[str, ...], app_id: bytes, chain_id: int, digests: tuple[bytes, ...]
) -> GovernanceState:
    """Returns the last state read, or the first where a hash and the events contradict."""
    async with providers_of(urls, chain_id) as providers:
        for digest in digests:
            state = await read_state(providers, app_id, digest)
            # One contradiction is enough: the events are unreliable for every hash.
            if state.allowed_since is None:
                break
    return state


def _write_batch(options: TransactionOptions, call: NamedCall | None, owner: bytes | None, whose: str) -> None:
    """Writes the batch file if wanted. `whose` names the owner; "" if it is unknown."""
    # Otherwise signers would collect signatures for a batch that can only revert.
    if options.safe is not None and whose and owner != options.safe:
        text = f"the contract's owner is {whose}, and not that Safe, which cannot make this call."
        raise ComposeError(Exit.REFUSED, text)
    if options.safe_json is not None and call is not None:
        write_bytes(options.safe_json, safe_batch(call, options.chain_id, options.safe))


def _finish(options: TransactionOptions, outcome: Outcome, *, as_json: bool) -> None:
    call, state = outcome.call, outcome.state
    owner, whose = (state.owner.address, owner_text(state)) if state else (None, "")
    _write_batch(options, call.named if call else None, owner, whose)
    document, lines = call_report(outcome)
    show(document, lines, as_json=as_json)
    sys.exit(Exit.UNDECIDED if outcome.step.waits else Exit.DONE)


@dataclass(frozen=True, slots=True)
class Made:
    """Step of a naming, with the state before it if read, and the transaction if sent."""

    step: Step[Naming]
    state: NamingState | None = None
    sent: Receipt | None = None

    def call(self, contract: bytes, payer: bytes) -> NamedCall | None:
        """Returns the call of the step; None if there is nothing to send."""
        return None if self.step.function is None else naming_call(self.step.function, contract, payer)


@click.command("name-admin-payer")
@on_chain("--contract", "The account contract.", required=False)
@click.option("--admin-payer", type=Address(), required=True, help="The address that the node names in /health.")
@KEY
@SAFE_JSON
@SAFE
@click.option("--again", is_flag=True, help="Name the same one again, which removes every payer.")
@click.option("--cancel", is_flag=True, help="Take a scheduled naming back instead.")
@JSON
def name_admin_payer(
    contract: bytes, admin_payer: bytes, again: bool, cancel: bool, as_json: bool, **options: Any
) -> None:
    """Name the account contract's admin payer: print the owner's call, write it, or send it.

    With --rpc-url the contract gives the next step. A first naming counts at once, later ones wait.
    """
    if again and cancel:
        raise ComposeError(Exit.MISUSE, "--again and --cancel exclude each other.")
    chosen = _options(contract, **options)

    def step_of(state: NamingState) -> Step[Naming]:
        return cancelling_step(state) if cancel else naming_step(state, admin_payer, again=again)

    unasked = Step(Naming.CANCEL if cancel else Naming.SET, _UNASKED)
    made = asyncio.run(_made(chosen, admin_payer, unasked, step_of))
    call = made.call(contract, admin_payer)
    owner, whose = (made.state.owner, checksum_address(made.state.owner)) if made.state else (None, "")
    _write_batch(chosen, call, owner, whose)
    _report(made, call, chosen, admin_payer, as_json=as_json)
    sys.exit(Exit.UNDECIDED if made.step.waits else Exit.DONE)


async def _made(
    options: TransactionOptions, payer: bytes, unasked: Step[Naming], step_of: Callable[[NamingState], Step[Naming]]
) -> Made:
    """Returns the next step, sent if there is a key."""
    if not options.urls:
        return Made(unasked)
    async with providers_of(options.urls, options.chain_id) as providers:
        state = await read_naming(providers, options.contract)
        made = Made(step_of(state), state)
        call = made.call(options.contract, payer)
        if options.key is None or call is None:
            return made
        return replace(made, sent=await send(providers, options.key, state.owner, call))


def _report(made: Made, call: NamedCall | None, options: TransactionOptions, payer: bytes, *, as_json: bool) -> None:
    state, chain_id = made.state, options.chain_id
    document: dict[str, Json] = {
        "admin_payer": checksum_address(payer),
        "contract": checksum_address(options.contract),
        "chain_id": chain_id,
        "function": None if call is None else call.function,
        "text": made.step.text,
        "waits": made.step.waits,
        "data": None if call is None else f"0x{calldata(call).hex()}",
        "transaction_hash": None if made.sent is None else made.sent.shown,
        "owner": None if state is None else checksum_address(state.owner),
        "due_unix_s": None if state is None or not state.due_s else state.due_s,
    }
    lines = [
        ("admin payer", checksum_address(payer)),
        *step_lines((options.contract, chain_id), made.step, call, made.sent),
        *([("owner", checksum_address(state.owner))] if state is not None else []),
    ]
    show(document, lines, as_json=as_json)


@click.command()
@on_chain("--contract", "The key service's contract (DstackKms).", required=True)
@JSON
def kms(contract: bytes, chain_id: int, rpc_url: tuple[str, ...], as_json: bool) -> None:
    """Print the public keys of a key service from its contract's kmsInfo()."""

    async def read() -> tuple[bytes, bytes]:
        async with providers_of(rpc_url, chain_id) as providers:
            return await read_kms_info(providers, contract)

    root, authority = asyncio.run(read())
    document: dict[str, Json] = {"kms_root_public_key": root.hex(), "key_provider_id": authority.hex()}
    lines = [
        ("kms_root_public_key", f"{root.hex()} (k256Pubkey: the setting of that name)"),
        ("key provider id", f"{authority.hex()} (caPubkey: `render --key-provider-id`, `svc-verify --kms-public-key`)"),
    ]
    show(document, lines, as_json=as_json)
