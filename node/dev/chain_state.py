"""Keeps the local chain's state file usable: anvil rewrites it in place, so a kill can leave half a file."""

import asyncio
import contextlib
import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

COPY_INTERVAL_S: Final = 2.0


def _copy_of(state_file: Path) -> Path:
    return state_file.with_suffix(".copy.json")


def _is_whole(path: Path) -> bool:
    try:
        json.loads(path.read_bytes())
    except (OSError, ValueError):
        return False
    return True


def _copy_when_changed(state_file: Path) -> None:
    """Keep a copy of a complete state file; the copy itself is replaced in one step."""
    copy = _copy_of(state_file)
    if copy.exists() and copy.stat().st_mtime >= state_file.stat().st_mtime:
        return
    partial = state_file.with_suffix(".partial.json")
    shutil.copyfile(state_file, partial)
    if _is_whole(partial):
        partial.replace(copy)


def recover_state(state_file: Path) -> None:
    """Before anvil starts: put the last whole copy in place of a state file that a kill cut off."""
    if not state_file.exists() or _is_whole(state_file):
        return
    copy = _copy_of(state_file)
    if copy.exists():
        shutil.copyfile(copy, state_file)
    else:
        state_file.unlink()


@contextlib.asynccontextmanager
async def state_copies(state_file: Path) -> AsyncIterator[None]:
    """Copy the state file whenever it has changed, every `COPY_INTERVAL_S` at most, until the context ends."""

    async def keep_copying() -> None:
        while True:
            await asyncio.sleep(COPY_INTERVAL_S)
            with contextlib.suppress(OSError):
                await asyncio.to_thread(_copy_when_changed, state_file)

    task = asyncio.create_task(keep_copying())
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
