"""The node refuses to start where the native secp256k1 is missing or broken."""

import subprocess
import sys

import pytest

from node.errors import StartupRefusedError
from node.keyring.backend import require_native_backend
from node.keyring.signing_key import Secp256k1Key
from tests.support.node import REPOSITORY

WITHOUT_COINCURVE = """
import sys
sys.modules["coincurve"] = None
from node.keyring.backend import require_native_backend
require_native_backend()
"""


def test_this_machine_is_fit() -> None:
    require_native_backend()


def test_a_machine_without_coincurve_is_refused_by_name() -> None:
    command = [sys.executable, "-c", WITHOUT_COINCURVE]
    finished = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert "StartupRefusedError: coincurve: secp256k1 does not work here" in finished.stderr


def test_a_library_that_computes_nonsense_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Secp256k1Key, "address", "0x" + "00" * 20)
    with pytest.raises(StartupRefusedError, match="wrong address"):
        require_native_backend()
