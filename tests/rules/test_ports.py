"""Ports that tests give to programs are nobody else's."""

import socket
import subprocess
import sys

import pytest

from tests.support import ports
from tests.support.node import REPOSITORY
from tests.support.ports import END, FIRST, free_port

TAKING = """
from itertools import count
from tests.support import ports
ports._NEXT = count({start})
print(ports.free_port())
"""


def test_no_port_is_given_twice() -> None:
    given = [free_port() for _ in range(50)]
    assert len(set(given)) == 50
    assert FIRST <= min(given) <= max(given) < END


def test_another_worker_gets_another_one_while_this_one_runs() -> None:
    mine = free_port()
    command = [sys.executable, "-c", TAKING.format(start=mine - FIRST)]
    other = subprocess.run(command, cwd=REPOSITORY, capture_output=True, check=True)
    assert int(other.stdout) != mine


@pytest.mark.parametrize("kind", [socket.SOCK_STREAM, socket.SOCK_DGRAM])
def test_a_port_that_somebody_has_is_passed_over(kind: socket.SocketKind) -> None:
    port = free_port()
    assert ports._nobody_has(port)
    with socket.socket(socket.AF_INET, kind) as stranger:
        stranger.bind(("127.0.0.1", port))
        assert not ports._nobody_has(port)
