"""Refuses to start on a slow or absent secp256k1: signing in pure Python is 10 to 47 times slower (architecture.md)."""

from eth_keys.backends import get_backend
from eth_keys.backends.coincurve import CoinCurveECCBackend

from node.errors import StartupRefusedError
from node.keyring.signing_key import Secp256k1Key


def require_native_backend() -> None:
    """Check that eth-keys runs on coincurve and that coincurve signs. Raises StartupRefusedError otherwise."""
    try:
        backend = get_backend()
        Secp256k1Key(bytes(31) + b"\x01").sign_digest(bytes(32))
    except Exception as error:  # noqa: BLE001  a broken native library raises anything; the operator gets one answer
        raise StartupRefusedError(
            "ECC_BACKEND_CLASS", f"secp256k1 does not work here ({type(error).__name__})."
        ) from None
    if not isinstance(backend, CoinCurveECCBackend):
        raise StartupRefusedError(
            "ECC_BACKEND_CLASS",
            f"{type(backend).__name__} is active, not coincurve: unset the variable or install coincurve.",
        )
