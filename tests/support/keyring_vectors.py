"""The committed keyring vectors: what they hold, and how they are written again.

`python -m tests.support.keyring_vectors` rewrites the file; a test fails when that would change a byte.
"""

import json
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from node.keyring.enclave import Derivation, EnclaveKeyring, Label, Purpose, label_hash, text_input
from node.keyring.signing_key import Secp256k1Key
from node.values import u256_hex

VECTOR_FILE = Path(__file__).resolve().parents[1] / "vectors" / "keyring" / "derivation.json"

ROOT = bytes(range(32))
CHAIN_ID = 8453
CONTRACT = "0x5FbDB2315678afecb367f032d93F642f64180aa3"
OWNER = 0x1111111111111111111111111111111111111111111111111111111111111111
PATH = 0x2222222222222222222222222222222222222222222222222222222222222222
INSTANCE = "instance-0"
CID = "QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n"
MESSAGE = b"find this row"


def keyring() -> EnclaveKeyring:
    """The keyring the vectors are made with; its root is public and worthless."""
    return EnclaveKeyring(ROOT, CHAIN_ID, CONTRACT)


def _key_vector(key: Secp256k1Key) -> dict[str, str]:
    return {"private_key": key.reveal(), "public_key": "0x" + key.public_key.hex(), "address": key.address}


def _uncompressed(key: EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def vectors() -> dict[str, object]:
    """Every label with its hash, and every key the keyring makes for fixed inputs."""
    derivation, keys = Derivation(ROOT), keyring()
    contract = int(CONTRACT, 16)
    purpose = int.from_bytes(label_hash(Purpose.ACTION_MESSAGES))
    symmetric = {
        Label.ENCRYPTION: derivation.key(Label.ENCRYPTION, CHAIN_ID, contract, OWNER, PATH, purpose),
        Label.IDEMPOTENCY_SEAL: derivation.key(Label.IDEMPOTENCY_SEAL),
        Label.IDEMPOTENCY_MAC: derivation.key(Label.IDEMPOTENCY_MAC),
        Label.CUSTOMER_EMAIL: derivation.key(Label.CUSTOMER_EMAIL),
        Label.TLS: derivation.key(Label.TLS, text_input(INSTANCE)),
        Label.ACME_ACCOUNT: derivation.key(Label.ACME_ACCOUNT),
    }
    return {
        "root": "0x" + ROOT.hex(),
        "inputs": {
            "chain_id": CHAIN_ID,
            "contract": CONTRACT,
            "owner": u256_hex(OWNER),
            "derivation_path": u256_hex(PATH),
            "instance": INSTANCE,
            "cid": CID,
            "mac_message": MESSAGE.decode(),
        },
        "label_hashes": {name.value: "0x" + label_hash(name).hex() for name in (*Label, *Purpose)},
        "signing_keys": {
            Label.WALLET.value: _key_vector(keys.wallet(OWNER, PATH)),
            Label.ACTION_IDENTITY.value: _key_vector(keys.action_identity(CID)),
            Label.PAYER.value: _key_vector(keys.payer(INSTANCE, 3)),
            Label.ADMIN_PAYER.value: _key_vector(keys.admin_payer()),
        },
        "symmetric_keys": {label.value: "0x" + key.hex() for label, key in symmetric.items()},
        "paths": {
            Label.MASTER_WALLET_PATH.value: u256_hex(keys.master_wallet_path(OWNER)),
            Label.USAGE_KEY_WALLET_PATH.value: u256_hex(keys.usage_key_wallet_path(OWNER)),
        },
        "idempotency_mac": "0x" + keys.idempotency_mac(MESSAGE).hex(),
        "acme_account_public_key": "0x" + _uncompressed(keys.acme_account_key().public_key()).hex(),
    }


def rendered() -> str:
    """The vector file's exact text."""
    return json.dumps(vectors(), indent=2) + "\n"


if __name__ == "__main__":
    VECTOR_FILE.write_text(rendered())
