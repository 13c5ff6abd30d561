"""`svc-node serve` inside the built image, on what a development node outside lends it."""

import contextlib
import os
import queue
import signal
import subprocess
import threading
import urllib.parse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from image.selection import PYTHON
from tests.support.client import Client
from tests.support.containers.container import DATA, GUEST_AGENT, Container
from tests.support.containers.engines import Engine, chosen, engines
from tests.support.containers.network import OwnNetwork
from tests.support.serving import READY_TIMEOUT_S, collect, toml, unchecked

HTTP_PORT = 8000
MEMORY_BYTES = 2 << 30
PROGRAM = f"/usr/bin/python{PYTHON}"
OPEN_TO_ALL = 0o777
"""The mode of dstack's own socket."""


@dataclass
class ContainedNode:
    """A node in its container; `process` runs the container in the foreground, `first` is the node's own number."""

    url: str
    process: "subprocess.Popen[str]"
    first: int
    log: list[str]

    @property
    def api(self) -> Client:
        """A client without a key."""
        return unchecked(self.url)

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Signal the node as an engine's `stop` or `kill` does; the container's exit code."""
        os.kill(self.first, number)
        return self.process.wait(READY_TIMEOUT_S)

    def status(self) -> Mapping[str, str]:
        """The kernel's account of the node's process."""
        lines = Path(f"/proc/{self.first}/status").read_text().splitlines()
        return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}

    def python(self, code: str) -> "subprocess.CompletedProcess[str]":
        """Code in the image's Python, as another process of the container."""
        return self._beside(PROGRAM, "-I", "-c", code)

    def svc_node(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """A command of the image, as another process of the container."""
        return self._beside("/usr/local/bin/svc-node", *arguments)

    def _beside(self, *command: str) -> "subprocess.CompletedProcess[str]":
        user = self.status()["Uid"].split()[0]
        places = ("--mount", "--pid", "--net", "--ipc", "--uts", "--root", "--wd")
        entering = ["nsenter", f"--target={self.first}", *places, f"--setuid={user}", f"--setgid={user}"]
        return subprocess.run(
            ["setpriv", "--no-new-privs", *entering, *command],
            env={},
            capture_output=True,
            text=True,
            timeout=READY_TIMEOUT_S,
            check=False,
        )


@dataclass
class Host:
    """Where containers run: an engine with the image, and what is lent of a development node. `refused` says why engines
    nearer to a deployment are not used.
    """

    engine: Engine
    settings: Mapping[str, object]
    guest_agent: Path
    refused: Mapping[str, str]

    def serve(self, volume: str, changed: Mapping[str, object] | None = None, seccomp: Path | None = None) -> Container:
        """Of `serve` with the lent settings, as the compose file starts it."""
        ours = {"data_dir": DATA, "guest_agent": GUEST_AGENT, "http_port": HTTP_PORT, "http_host": "0.0.0.0"}
        text = toml({**self.settings, **ours, **(changed or {})})
        return self.container(["serve", "--config-text", text], volume, seccomp)

    def container(self, arguments: Sequence[str], volume: str, seccomp: Path | None = None) -> Container:
        """Of any command of the image."""
        return Container(arguments, self.guest_agent, volume, MEMORY_BYTES, seccomp)

    def run(self, container: Container) -> "subprocess.CompletedProcess[str]":
        """A container that ends by itself."""
        with self._network() as network:
            command = self.engine.command(container, network.path)
            return subprocess.run(command, capture_output=True, text=True, timeout=READY_TIMEOUT_S, check=False)

    @contextlib.contextmanager
    def serving(self, container: Container) -> Iterator[ContainedNode]:
        """A node that is ready. It must have been stopped in the context, or stop cleanly at its end."""
        log: list[str] = []
        ready: queue.Queue[str | None] = queue.Queue()
        with self._network() as network:
            command = self.engine.command(container, network.path)
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            collector = threading.Thread(target=collect, args=(process, log, ready), daemon=True)
            collector.start()
            try:
                if ready.get(timeout=READY_TIMEOUT_S) is None:
                    raise AssertionError("".join(log))
                first = network.first_process()
                assert first is not None
                node = ContainedNode(f"http://127.0.0.1:{network.reach(HTTP_PORT)}", process, first, log)
                yield node
                if process.poll() is None:
                    assert node.stop() == 0, "".join(log[-40:])
            finally:
                left = network.first_process()
                if left is not None:
                    os.kill(left, signal.SIGKILL)
                process.wait(READY_TIMEOUT_S)
                collector.join(READY_TIMEOUT_S)
                assert process.stdout is not None
                process.stdout.close()

    @contextlib.contextmanager
    def _network(self) -> Iterator[OwnNetwork]:
        """One in which the chain's port is all that there is of the machine."""
        chain_port = urllib.parse.urlsplit(str(self.settings["rpc_endpoints"]).strip("[']")).port
        assert chain_port is not None
        with OwnNetwork() as network:
            network.lend(chain_port)
            yield network


@contextlib.contextmanager
def host(layout: Path, folder: Path, settings: Mapping[str, object]) -> Iterator[Host | Mapping[str, str]]:
    """Where the image runs beside the development node of these settings, on the first engine that can; else the
    reasons why none can. `folder` holds everything the engine keeps.
    """
    guest_agent = Path(str(settings["guest_agent"]))
    guest_agent.chmod(OPEN_TO_ALL)
    probe = Container(["--help"], guest_agent, "probe", MEMORY_BYTES)
    with OwnNetwork() as network:
        engine, refused = chosen(engines(folder), layout, probe, network.path)
    if engine is None:
        yield refused
        return
    try:
        yield Host(engine, settings, guest_agent, refused)
    finally:
        engine.remove()
