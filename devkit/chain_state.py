"""Keeps the local chain's state file usable after a kill.

anvil rewrites the file in place, so a kill can leave half of it; and it writes accounts and blocks one after the other,
so a file written under load can hold the effects of a transaction without the transaction. Copies are kept while the
chain runs, and the newest consistent one is what a start begins with; the node's journal sends what is missing again.
"""

import asyncio
import contextlib
import gzip
import json
import shutil
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, Final

import aiohttp

from node.runtime.http_client import plain_session

COPY_INTERVAL_S: Final = 0.5
COPIES: Final = 8
DUMP_TIMEOUT_S: Final = 10.0


def is_consistent(state: Mapping[str, Any]) -> bool:
    """Whether blocks, transactions and accounts of a dumped state tell the same story.

    The blocks are 1 to the best one, each once (every start of anvil adds a genesis block), each has the transactions
    that name it, and every sender's nonce is the number of its transactions.
    Raises KeyError, TypeError or ValueError for what is no state.
    """
    transactions = state["transactions"]
    blocks = [block for block in state["blocks"] if int(block["header"]["number"], 16) > 0]
    sizes = {int(block["header"]["number"], 16): len(block["transactions"]) for block in blocks}
    held = Counter(int(transaction["block_number"]) for transaction in transactions)
    sent = Counter(transaction["info"]["from"].lower() for transaction in transactions)
    nonces = {address.lower(): account["nonce"] for address, account in state["accounts"].items()}
    return (
        len(blocks) == len(sizes) == int(state["best_block_number"])
        and held == Counter(sizes)
        and all(nonces.get(sender) == count for sender, count in sent.items())
    )


def _is_usable(path: Path) -> bool:
    try:
        return is_consistent(json.loads(path.read_bytes()))
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _copies(state_file: Path) -> list[Path]:
    """The copies there are, newest first."""
    found = state_file.parent.glob(f"{state_file.stem}.copy-*.json")
    return sorted(found, key=lambda path: path.stat().st_mtime_ns, reverse=True)


def recover_state(state_file: Path) -> None:
    """Before anvil starts: put the newest consistent copy in place of a state file that a kill spoilt.

    Where none is consistent the chain begins anew, rather than with effects nobody can account for.
    """
    if not state_file.exists() or _is_usable(state_file):
        return
    usable = next((copy for copy in _copies(state_file) if _is_usable(copy)), None)
    if usable is None:
        state_file.unlink()
    else:
        # A copy, not a rename: if this start is killed too, the slot is still there.
        shutil.copyfile(usable, state_file)


async def last_state(url: str) -> bytes | None:
    """The whole state of a running chain as anvil would write it; None when it does not answer.

    Asked for before anvil is stopped, since what it writes at its end can lack the last blocks.
    """
    request = {"jsonrpc": "2.0", "id": 1, "method": "anvil_dumpState", "params": []}
    timeout = aiohttp.ClientTimeout(total=DUMP_TIMEOUT_S)
    try:
        async with plain_session(timeout=timeout) as session, session.post(url, json=request) as response:
            answer = await response.json()
        return gzip.decompress(bytes.fromhex(answer["result"].removeprefix("0x")))
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError, KeyError, AttributeError):
        return None


def write_state(state_file: Path, state: bytes) -> None:
    """Put a state in place in one step; anvil must have ended."""
    partial = state_file.with_suffix(".partial.json")
    partial.write_bytes(state)
    partial.replace(state_file)


class _Copier:
    """Copies the state file into slots in turn whenever it has changed."""

    def __init__(self, state_file: Path) -> None:
        self._state_file = state_file
        self._seen_ns = 0
        self._slot = 0

    def copy_when_changed(self) -> None:
        """Copy the state once. A slot is replaced atomically."""
        changed_ns = self._state_file.stat().st_mtime_ns
        # An unchanged file would push older and different versions out of the slots.
        if changed_ns == self._seen_ns:
            return
        self._seen_ns = changed_ns
        partial = self._state_file.with_suffix(".partial.json")
        # anvil may be in the middle of writing it. Such a copy is not judged here, under load, but at the next start,
        # which passes over it.
        shutil.copyfile(self._state_file, partial)
        partial.replace(self._state_file.with_suffix(f".copy-{self._slot}.json"))
        self._slot = (self._slot + 1) % COPIES


@contextlib.asynccontextmanager
async def state_copies(state_file: Path) -> AsyncIterator[None]:
    """Keep the last `COPIES` versions of the state file until the context ends."""
    copier = _Copier(state_file)

    async def keep_copying() -> None:
        while True:
            await asyncio.sleep(COPY_INTERVAL_S)
            # anvil has not written the file yet, or the folder is gone at the end of a test.
            with contextlib.suppress(OSError):
                await asyncio.to_thread(copier.copy_when_changed)

    task = asyncio.create_task(keep_copying())
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
