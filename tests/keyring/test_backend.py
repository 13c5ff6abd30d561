"""The node refuses to start when secp256k1 does not run on coincurve."""

import pytest

from node.errors import StartupRefusedError
from node.keyring.backend import require_native_backend


def test_this_machine_is_fit() -> None:
    require_native_backend()


@pytest.mark.parametrize("backend", ["eth_keys.backends.NativeECCBackend", "no.such.Backend"])
def test_another_backend_refuses_the_start(monkeypatch: pytest.MonkeyPatch, backend: str) -> None:
    monkeypatch.setenv("ECC_BACKEND_CLASS", backend)
    with pytest.raises(StartupRefusedError, match="ECC_BACKEND_CLASS"):
        require_native_backend()
