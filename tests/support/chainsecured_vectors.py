"""The published vectors of ChainSecured mode, made without the node's code; wallets compare themselves with them.

`python -m tests.support.chainsecured_vectors` rewrites the file; a test fails when that would change a byte.
"""

import base64
import json
from pathlib import Path
from typing import Final

from eth_utils.crypto import keccak

from tests.support.envelopes import Eoa, compact, digest_of, envelope

VECTOR_FILE: Final = Path(__file__).resolve().parents[1] / "vectors" / "chainsecured" / "vectors.json"
SECRETS: Final = (bytes(32), bytes(range(32)), b"\xff" * 32, bytes.fromhex("fb" * 32))
KEY: Final = Eoa("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80")
"""The first of anvil's published development keys."""
ISSUED_AT: Final = 1_800_000_000
CHAIN_ID: Final = 8453
LABEL: Final = keccak(b"svc/v1/usage-key-wallet-path")


def _usage_key(secret: bytes) -> dict[str, str]:
    key = base64.b64encode(secret).decode()
    key_hash = keccak(key.encode())
    return {
        "usage_api_key": key,
        "api_key_hash": "0x" + key_hash.hex(),
        "derivation_path": "0x" + keccak(LABEL + key_hash).hex(),
    }


def _envelope(primary_type: str) -> dict[str, object]:
    typed_data = envelope(primary_type, KEY.address, ISSUED_AT, CHAIN_ID)
    signature = KEY.sign(typed_data)
    return {
        "typed_data": typed_data,
        "digest": "0x" + digest_of(typed_data).hex(),
        "signature": signature,
        "compact_signature": "0x" + compact(bytes.fromhex(signature[2:])).hex(),
    }


def rendered() -> str:
    """The vector file's exact text."""
    vectors = {
        "usage_keys": [_usage_key(secret) for secret in SECRETS],
        "accounts": [
            {"admin_wallet_address": address, "api_key_hash": "0x" + keccak(bytes.fromhex(address[2:])).hex()}
            for address in (KEY.address, "0x" + "11" * 20)
        ],
        "private_key": KEY.key,
        "envelopes": [_envelope(name) for name in ("CreateWallet", "ConvertAccount", "AddUsageApiKey", "BillingAuth")],
    }
    return json.dumps(vectors, indent=2) + "\n"


if __name__ == "__main__":
    VECTOR_FILE.parent.mkdir(exist_ok=True)
    VECTOR_FILE.write_text(rendered())
