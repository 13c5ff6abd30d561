"""Effects of importing the keyring on its process."""

import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]


@pytest.mark.exhaustive
def test_the_recursion_limit_stays_what_it_is() -> None:
    """py_ecc, which eth-account imports, raises it so far that nested JSON overflows the stack: keep both out."""
    script = (
        "import sys; before = sys.getrecursionlimit()\n"
        "import node.keyring.enclave, node.keyring.signing, node.keyring.transactions\n"
        "import node.keyring.backend, attest.guest_agent, devkit.tee_simulator.server\n"
        "print(sys.getrecursionlimit() == before, 'py_ecc' in sys.modules)\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=PROJECT)
    assert ran.stdout == "True False\n", ran.stderr
