"""The parts that run an image: the choice of an engine, and the network of a container."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from tests.support.containers.container import Container
from tests.support.containers.engines import Jail, chosen, engines
from tests.support.containers.network import OwnNetwork

PATIENCE_S = 10.0


@pytest.fixture
def network() -> Iterator[OwnNetwork]:
    if os.geteuid() != 0:
        pytest.skip("the image cannot be run here: only root may make containers with a network of their own")
    with OwnNetwork() as made:
        yield made


@contextmanager
def shouting() -> Iterator[int]:
    """The port of a server of the machine's loopback that answers each connection in capitals, once it has said all."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    connection.sendall(everything(connection).upper())

        server = threading.Thread(target=serve, daemon=True)
        server.start()
        yield int(listening.getsockname()[1])
        listening.shutdown(socket.SHUT_RDWR)
        server.join(PATIENCE_S)


def everything(connection: socket.socket) -> bytes:
    return b"".join(iter(lambda: connection.recv(65536), b""))


def asked(port: int, said: bytes) -> bytes:
    """What is answered; nothing where the connection ends before."""
    with suppress(OSError), closing(socket.create_connection(("127.0.0.1", port), PATIENCE_S)) as connection:
        connection.sendall(said)
        connection.shutdown(socket.SHUT_WR)
        return everything(connection)
    return b""


def test_a_lent_port_is_reached_from_inside_and_back(network: OwnNetwork) -> None:
    said = os.urandom(1 << 20).hex().encode()
    with shouting() as port:
        network.lend(port)
        assert asked(network.reach(port), said) == said.upper()


def test_what_is_not_lent_is_not_there(network: OwnNetwork) -> None:
    with shouting() as port:
        assert asked(network.reach(port), b"hello") == b""
        assert asked(port, b"hello") == b"HELLO", "though the machine has it"


def test_a_network_without_a_container_has_no_first_process(network: OwnNetwork) -> None:
    assert network.first_process() is None


def test_programs_that_are_not_there_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    probe = Container(["--help"], tmp_path / "agent", "probe", 1 << 30)
    with_programs = [engine for engine in engines(tmp_path) if not isinstance(engine, Jail)]
    engine, refused = chosen(with_programs, tmp_path / "layout", probe, "/nowhere")
    assert engine is None
    assert refused == {
        "podman with runc": "not installed: podman, runc",
        "podman with crun": "not installed: podman, crun",
        "runc alone": "not installed: runc",
        "crun alone": "not installed: crun",
    }
