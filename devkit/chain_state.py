"""Keeps the local chain's state file usable after a kill.

anvil rewrites the file in place, so a kill can leave half of it. It writes accounts before blocks,
so a file written under load can hold effects without their transaction. Copies are kept while the
chain runs, and a start uses the newest consistent one; the node's journal sends the rest again.
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
    """Whether blocks, transactions and accounts of a dumped state agree.

    The blocks are 1 to the best one, each once (every start of anvil adds a genesis block), each
    has the transactions that name it, and every sender's nonce is the number of its transactions.
    Raises KeyError, TypeError or ValueError for an invalid state.
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
    """Returns the copies, newest first."""
    found = state_file.parent.glob(f"{state_file.stem}.copy-*.json")
    return sorted(found, key=lambda path: path.stat().st_mtime_ns, reverse=True)


def recover_state(state_file: Path) -> None:
    """Replace a spoilt state file by the newest consistent copy, before anvil starts.

    Without a consistent copy the chain begins at genesis, without unexplained effects.
    """
    if not state_file.exists() or _is_usable(state_file):
        return
    usable = next((copy for copy in _copies(state_file) if _is_usable(copy)), None)
    if usable is None:
        state_file.unlink()
    else:
        # A copy, not a rename, so that the slot is still there if this start is killed too.
        shutil.copyfile(usable, state_file)


async def last_state(url: str) -> bytes | None:
    """Returns a running chain's state as anvil would write it; None when it does not respond.

    Called before anvil is stopped, since its last write can lack the last blocks.
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
    """Replace the state atomically. anvil must have ended."""
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
        # anvil may be writing it. A start skips such a copy, so it is not judged here, under load.
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
