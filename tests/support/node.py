"""A real node: `svc-devkit run` as a process of its own, with its local chain and TEE simulator."""

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

READY_TIMEOUT_S = 120.0
STOP_TIMEOUT_S = 60.0
REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass
class NodeProcess:
    """A running `svc-devkit run`: where it answers, and what it has printed so far."""

    url: str
    process: subprocess.Popen[bytes]
    log: list[str]

    @property
    def api(self) -> str:
        """The address of the API."""
        return f"{self.url}/core/v1"

    def log_value(self, name: str) -> str:
        """The value printed as `name value` before `ready`."""
        return next(line.split()[1] for line in self.log if line.startswith(f"{name} "))

    def log_up_to(self, text: str) -> str:
        """The log, once a line of it holds this text: lines are written a moment after what they tell of."""
        give_up_at = time.monotonic() + STOP_TIMEOUT_S
        while not any(text in line for line in self.log):
            assert time.monotonic() < give_up_at, f"the log never said {text!r}"
            os.sched_yield()
        return "\n".join(self.log)

    def kill(self) -> None:
        """SIGKILL to the node alone, as an out-of-memory killer would."""
        self.process.kill()
        self.process.wait(STOP_TIMEOUT_S)

    def kill_with_chain(self) -> None:
        """SIGKILL to the node and the local chain at once, as a power cut would: the node sees nothing of it."""
        self.process.send_signal(signal.SIGSTOP)
        for pid in [*_children(self.process.pid), self.process.pid]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(STOP_TIMEOUT_S)

    @contextlib.contextmanager
    def standing_still_with_chain(self) -> Iterator[None]:
        """Node and local chain take connections and answer nothing."""
        processes = [self.process.pid, *_children(self.process.pid)]
        for pid in processes:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in processes:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)


def _children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in listed]


def _collect(stream: IO[bytes], log: list[str], ready: "queue.Queue[str | None]") -> None:
    for line in stream:
        text = line.decode(errors="replace").rstrip()
        log.append(text)
        if text.startswith("ready "):
            ready.put(text.split()[1])
    ready.put(None)


def development_environment(data_directory: Path, settings: Mapping[str, str]) -> dict[str, str]:
    """The environment of a node on free ports with its data in `data_directory`."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
    environment |= {"SVC_DATA_DIR": str(data_directory), "SVC_HTTP_PORT": "0", "SVC_METRICS_PORT": "0"}
    environment |= {"SVC_HTTPS_PORT": "0", "SVC_DEV_PROCESSOR_PORT": "0"}
    return environment | {"SVC_DEV_CHAIN_PORT": "0", "PYTHONUNBUFFERED": "1"} | dict(settings)


def interpreter_of(checkout: Path) -> str:
    """This interpreter for this checkout, and for another one that of its own virtual environment."""
    return sys.executable if checkout == REPOSITORY else str(checkout / ".venv" / "bin" / "python")


def development_command(checkout: Path) -> tuple[str, ...]:
    """Module and command of the development node; a checkout of before `devkit` has it in the node."""
    return ("devkit", "run") if (checkout / "devkit").is_dir() else ("node", "dev")


@contextlib.contextmanager
def running_node(
    data_directory: Path,
    settings: Mapping[str, str] | None = None,
    checkout: Path = REPOSITORY,
    constants: Mapping[str, object] | None = None,
) -> Iterator[NodeProcess]:
    """Run a development node until the context ends; it must then stop cleanly unless it was killed.

    `constants` are other values of module constants, by dotted name.
    """
    launcher = ("tests.support.with_constants", json.dumps(constants)) if constants else ()
    process = subprocess.Popen(
        [interpreter_of(checkout), "-m", *launcher, *development_command(checkout)],
        env=development_environment(data_directory, settings or {}),
        cwd=checkout,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    log: list[str] = []
    ready: queue.Queue[str | None] = queue.Queue()
    assert process.stdout is not None
    collector = threading.Thread(target=_collect, args=(process.stdout, log, ready), daemon=True)
    collector.start()
    try:
        url = ready.get(timeout=READY_TIMEOUT_S)
        if url is None:
            raise AssertionError("the node did not get ready:\n" + "\n".join(log[-40:]))
        yield NodeProcess(url, process, log)
    finally:
        killed = process.returncode is not None
        if not killed:
            process.send_signal(signal.SIGINT)
        try:
            status = process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        collector.join(STOP_TIMEOUT_S)
        process.stdout.close()
    assert killed or status == 0, "the node did not stop cleanly:\n" + "\n".join(log[-40:])
