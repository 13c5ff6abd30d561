"""`svc-compose name-admin-payer` and `kms`: the owner's naming on the account contract, and the key service's public keys."""

import asyncio
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from compose.cli_governance import KEY, SAFE, SAFE_JSON, signing_key_in
from compose.errors import ComposeError, Exit
from compose.governance.admin_payer import (
    Naming,
    NamingState,
    NamingStep,
    cancelling_step,
    naming_step,
    read_kms_info,
    read_naming,
)
from compose.governance.safe import checksum_address, safe_batch_of
from compose.governance.sending import Sent, send_transaction
from compose.options import JSON, Address
from compose.output import show, write_bytes
from svc_verifier.cli_options import Endpoint
from svc_verifier.formats.strict_json import Json
from svc_verifier.gathering.chain import RpcEndpoint
from svc_verifier.gathering.host import GatheringLimits, plain_session

_CHAIN_ID = click.option("--chain-id", type=click.IntRange(min=1), required=True, help="The chain it is on.")


@dataclass(frozen=True, slots=True)
class Made:
    """Step of a naming, the state before it where the contract was asked, and the transaction where it was sent."""

    step: NamingStep
    state: NamingState | None = None
    sent: Sent | None = None


@click.command("name-admin-payer")
@click.option("--contract", type=Address(), required=True, help="The account contract.")
@click.option("--admin-payer", type=Address(), required=True, help="The address that the node names in /health.")
@_CHAIN_ID
@click.option("--rpc-url", type=Endpoint(), multiple=True, help="Whom to ask; all must agree.")
@KEY
@SAFE_JSON
@SAFE
@click.option("--again", is_flag=True, help="Name the same one again, which removes every payer.")
@click.option("--cancel", is_flag=True, help="Take a scheduled naming back instead.")
@JSON
def name_admin_payer(contract: bytes, admin_payer: bytes, chain_id: int, as_json: bool, **of: Any) -> None:
    """Name the account contract's admin payer: print the owner's call, write it for a Safe, or send it.

    With --rpc-url the contract is asked what comes next: the first naming counts at once, later ones wait.
    """
    if of["again"] and of["cancel"]:
        raise ComposeError(Exit.MISUSE, "--again and --cancel exclude each other.")
    if of["key_file"] is not None and not of["rpc_url"]:
        raise ComposeError(Exit.MISUSE, "--key-file sends, and needs --rpc-url to send to.")
    if of["safe"] is not None and of["safe_json"] is None:
        raise ComposeError(Exit.MISUSE, "--safe is for --safe-json.")
    made = asyncio.run(_made(contract, admin_payer, chain_id, of))
    method = made.step.method(admin_payer)
    if of["safe"] is not None and made.state is not None and made.state.owner != of["safe"]:
        text = f"the contract's owner is {checksum_address(made.state.owner)}, and not that Safe, which cannot make this call."
        raise ComposeError(Exit.REFUSED, text)
    if of["safe_json"] is not None and method is not None:
        batch = safe_batch_of(contract, method, chain_id, of["safe"], time.time())
        write_bytes(Path(of["safe_json"]), batch.encode())
    _report(made, contract, admin_payer, chain_id, as_json=as_json)
    sys.exit(Exit.UNDECIDED if made.step.waits else Exit.DONE)


async def _made(contract: bytes, payer: bytes, chain_id: int, of: dict[str, Any]) -> Made:
    """Returns the next step, sent where there is a key."""
    urls: tuple[str, ...] = of["rpc_url"]
    if not urls:
        function = Naming.CANCEL if of["cancel"] else Naming.SET
        return Made(NamingStep(function, "the contract was not asked; --rpc-url does"))
    key = None if of["key_file"] is None else signing_key_in(of["key_file"])
    async with plain_session() as session:
        state = await read_naming(session, urls, contract, chain_id)
        step = cancelling_step(state) if of["cancel"] else naming_step(state, payer, again=of["again"])
        data = step.data(payer)
        if key is None or data is None:
            return Made(step, state)
        if state.owner != bytes.fromhex(key.address.removeprefix("0x")):
            raise ComposeError(
                Exit.REFUSED,
                f"the key is of {key.address}, and the contract's owner is {checksum_address(state.owner)}. Nothing was sent.",
            )
        endpoint = RpcEndpoint(session, urls[0], GatheringLimits())
        return Made(step, state, await send_transaction(endpoint, key, contract, data, chain_id))


def _report(made: Made, contract: bytes, payer: bytes, chain_id: int, *, as_json: bool) -> None:
    function, data, state = made.step.function, made.step.data(payer), made.state
    calldata = None if data is None else f"0x{data.hex()}"
    sent = None if made.sent is None else f"0x{made.sent.transaction_hash.hex()}"
    document: dict[str, Json] = {
        "admin_payer": checksum_address(payer),
        "contract": checksum_address(contract),
        "chain_id": chain_id,
        "function": None if function is None else function.value,
        "text": made.step.text,
        "waits": made.step.waits,
        "data": calldata,
        "transaction_hash": sent,
        "owner": None if state is None else checksum_address(state.owner),
        "due_unix_s": None if state is None or not state.due_s else state.due_s,
    }
    lines = [
        ("admin payer", checksum_address(payer)),
        ("contract", f"{checksum_address(contract)} on chain {chain_id}"),
        ("step", made.step.text if function is None else f"{function.value}: {made.step.text}"),
    ]
    if calldata is not None and made.sent is None:
        lines += [("to", checksum_address(contract)), ("value", "0"), ("data", calldata)]
    if made.sent is not None:
        lines.append(("sent", f"{sent}, block {made.sent.block_number}"))
    if state is not None:
        lines.append(("owner", checksum_address(state.owner)))
    show(document, lines, as_json=as_json)


@click.command()
@click.option("--contract", type=Address(), required=True, help="The key service's contract (DstackKms).")
@_CHAIN_ID
@click.option("--rpc-url", type=Endpoint(), multiple=True, required=True, help="Whom to ask; all must agree.")
@JSON
def kms(contract: bytes, chain_id: int, rpc_url: tuple[str, ...], as_json: bool) -> None:
    """Print the public keys of a key service, as its contract's kmsInfo() has them."""

    async def read() -> tuple[bytes, bytes]:
        async with plain_session() as session:
            return await read_kms_info(session, rpc_url, contract, chain_id)

    root, authority = asyncio.run(read())
    document: dict[str, Json] = {"kms_root_public_key": root.hex(), "key_provider_id": authority.hex()}
    lines = [
        ("kms_root_public_key", f"{root.hex()} (k256Pubkey: the setting of that name)"),
        ("key provider id", f"{authority.hex()} (caPubkey: `render --key-provider-id`, `svc-verify --kms-public-key`)"),
    ]
    show(document, lines, as_json=as_json)
