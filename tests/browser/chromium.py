"""Headless Chromium as a process of its own.

Installed by apt when the tests run as root and it is not there; where it cannot be had, tests skip and say so.
"""

import contextlib
import os
import queue
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import IO, Final

import pytest

from tests.support.apt import install

NO_CHROMIUM: Final = "Chromium is not installed"
START_TIMEOUT_S: Final = 60.0
STOP_TIMEOUT_S: Final = 20.0
ANNOUNCEMENT: Final = "DevTools listening on "
ELSEWHERE: Final = "node.test"
"""Name of this machine to the browser, beside those of loopback."""
OPTIONS: Final = (
    "--headless=new",
    "--no-sandbox",  # the tests may run as root, which Chromium's own sandbox refuses
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-popup-blocking",
    "--no-first-run",
    "--remote-debugging-port=0",
    # A host that is not on loopback to the pages: some things are kept there alone.
    f"--host-resolver-rules=MAP {ELSEWHERE} 127.0.0.1",
)


@cache
def installed() -> bool:
    """Whether Chromium is here, after an attempt to install it when this is root (announced)."""
    if shutil.which("chromium") is None:
        install("chromium", "the tests of the pages")
    return shutil.which("chromium") is not None


@contextlib.contextmanager
def running_chromium(profile: Path) -> Iterator[str]:
    """The DevTools address of a fresh browser with its profile in an empty directory.

    Skips the test where there is no Chromium.
    """
    if not installed():
        pytest.skip(f"{NO_CHROMIUM}, and installing it needs root and a package source")
    command = ("chromium", *OPTIONS, f"--user-data-dir={profile}", "about:blank")
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
    assert process.stderr is not None
    announced: queue.Queue[str | None] = queue.Queue()
    reader = threading.Thread(target=_read, args=(process.stderr, announced), daemon=True)
    reader.start()
    try:
        url = announced.get(timeout=START_TIMEOUT_S)
        assert url is not None, "Chromium ended before it listened"
        yield url
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(STOP_TIMEOUT_S)
        reader.join(STOP_TIMEOUT_S)
        process.stderr.close()


def _read(stream: IO[bytes], announced: "queue.Queue[str | None]") -> None:
    """Read to the end: a browser whose pipe is full stands still."""
    for line in stream:
        text = line.decode(errors="replace").strip()
        if text.startswith(ANNOUNCEMENT):
            announced.put(text.removeprefix(ANNOUNCEMENT))
    announced.put(None)
