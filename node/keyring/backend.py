"""Refuses to start without native secp256k1. Pure Python signs 10 to 47 times slower.

It is a separate module because importing `signing_key` fails without the library.
"""

import importlib
from typing import Final

from node.errors import StartupRefusedError

KEY_ONE: Final = bytes(31) + b"\x01"
ADDRESS_OF_KEY_ONE: Final = "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"


def require_native_backend() -> None:
    """Checks that coincurve loads, derives an address and signs, or raises StartupRefusedError."""
    try:
        keys = importlib.import_module("node.keyring.signing_key")
        key = keys.Secp256k1Key(KEY_ONE)
        # Sign as well, since a broken library may load and fail only here.
        key.sign_digest(bytes(32))
        works = key.address == ADDRESS_OF_KEY_ONE
    except Exception as error:  # noqa: BLE001  native code may raise anything
        raise StartupRefusedError("coincurve", f"secp256k1 does not work here ({type(error).__name__}).") from None
    if not works:
        raise StartupRefusedError("coincurve", "secp256k1 gives a wrong address here.")
