"""Keyring of a node: every derived key, from the enclave's one root."""

import hashlib
import hmac
import secrets
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from node.keyring.derivation import Derivation, Label, Purpose, input_bytes, label_hash, p256_key_of, text_input
from node.keyring.port import Redacted
from node.keyring.signing_key import Secp256k1Key
from node.values import keccak256

ADDRESS_LENGTH_BYTES: Final = 20
VERSION: Final = b"\x01"
NONCE_LENGTH_BYTES: Final = 12
TAG_LENGTH_BYTES: Final = 16
OVERHEAD_BYTES: Final = len(VERSION) + NONCE_LENGTH_BYTES + TAG_LENGTH_BYTES
"""Length of a sealed value beyond its plaintext."""


class AesGcmSealer(Redacted):
    """Implements `node.keyring.port.Sealer` with AES-256-GCM (NIST SP 800-38D) under one derived key.

    Sealed: version byte, 12-byte random nonce, ciphertext, 16-byte tag.
    """

    __slots__ = ("_cipher",)

    def __init__(self, key: bytes) -> None:
        self._cipher = AESGCM(key)

    def seal(self, plaintext: bytes, context: bytes) -> bytes:
        """Return version, nonce, ciphertext and tag. Version and `context` are authenticated."""
        # Random 96 bits: safe for 2^32 messages under one key (NIST SP 800-38D §8.3).
        nonce = secrets.token_bytes(NONCE_LENGTH_BYTES)
        return VERSION + nonce + self._cipher.encrypt(nonce, plaintext, VERSION + context)

    def open(self, sealed: bytes, context: bytes) -> bytes:
        """Return the plaintext. Raises the same ValueError for another key, another context or damage."""
        nonce, body = sealed[1 : 1 + NONCE_LENGTH_BYTES], sealed[1 + NONCE_LENGTH_BYTES :]
        if len(sealed) < OVERHEAD_BYTES or sealed[:1] != VERSION:
            raise ValueError("not a sealed value of this version")
        try:
            return self._cipher.decrypt(nonce, body, VERSION + context)
        except InvalidTag:
            # No cause is shown: it would tell a forger which part was wrong.
            raise ValueError("sealed under another key or context, or damaged") from None


def _address_input(contract: str) -> int:
    try:
        raw = bytes.fromhex(contract.removeprefix("0x"))
    except ValueError:
        raw = b""
    if len(raw) != ADDRESS_LENGTH_BYTES:
        raise ValueError("The keyring needs the contract's address: 0x and 40 hex digits.")
    return int.from_bytes(raw)


def _public_path(label: Label, key_hash: int) -> int:
    """Return a path that follows from the key's hash alone: it is public, and the secret enters with the root."""
    return int.from_bytes(keccak256(label_hash(label) + input_bytes(key_hash)))


class EnclaveKeyring(Redacted):
    """Implements `node.keyring.port.Keyring`.

    `root` is the 32-byte secret of the TEE's key service (see `node.keyring.root`), and is not kept. `chain_id` and
    `contract` (0x hex in any case) are part of every wallet: another contract is another address space.
    """

    __slots__ = ("_chain_id", "_contract", "_derivation", "_mac")

    def __init__(self, root: bytes, chain_id: int, contract: str) -> None:
        self._derivation = Derivation(root)
        self._chain_id = chain_id
        self._contract = _address_input(contract)
        self._mac = hmac.new(self._derivation.key(Label.IDEMPOTENCY_MAC), digestmod=hashlib.sha256)

    def wallet(self, owner: int, derivation_path: int) -> Secp256k1Key:
        """Return the wallet's key. The caller compares the address with the registered one before any use."""
        return self._signing_key(Label.WALLET, self._chain_id, self._contract, owner, derivation_path)

    def master_wallet_path(self, api_key_hash: int) -> int:
        """Return the path of an account's master wallet: keccak256(label hash, apiKeyHash), as u256."""
        return _public_path(Label.MASTER_WALLET_PATH, api_key_hash)

    def usage_key_wallet_path(self, usage_key_hash: int) -> int:
        """Return the path of the wallet minted with a usage key: keccak256(label hash, usage key hash), as u256."""
        return _public_path(Label.USAGE_KEY_WALLET_PATH, usage_key_hash)

    def wallet_sealer(self, owner: int, derivation_path: int) -> AesGcmSealer:
        """Return the sealer of Encrypt and Decrypt of actions: its key is for that wallet and this purpose alone."""
        # A key of its own for each purpose: what one opens can never be another's.
        purpose = int.from_bytes(label_hash(Purpose.ACTION_MESSAGES))
        wallet = (self._chain_id, self._contract, owner, derivation_path)
        return AesGcmSealer(self._derivation.key(Label.ENCRYPTION, *wallet, purpose))

    def action_identity(self, cid: str) -> Secp256k1Key:
        """Return the key of the code with this CIDv0."""
        return self._signing_key(Label.ACTION_IDENTITY, text_input(cid))

    def payer(self, instance: str, index: int) -> Secp256k1Key:
        """Return the key of the `index`-th payer of a node instance, whose id is a non-empty text."""
        return self._signing_key(Label.PAYER, text_input(instance), index)

    def admin_payer(self) -> Secp256k1Key:
        """Return the key that registers payers and tops them up: the same for every instance."""
        return self._signing_key(Label.ADMIN_PAYER)

    def idempotency_sealer(self) -> AesGcmSealer:
        """Return the sealer of stored responses and of one-time secrets in the write journal."""
        return AesGcmSealer(self._derivation.key(Label.IDEMPOTENCY_SEAL))

    def idempotency_mac(self, message: bytes) -> bytes:
        """Return the 32-byte HMAC-SHA256 by which idempotency rows are found."""
        # A copy: the key is prepared once, and its state must not see messages.
        mac = self._mac.copy()
        mac.update(message)
        return mac.digest()

    def email_sealer(self) -> AesGcmSealer:
        """Return the sealer of e-mail addresses that wait for the card processor: the same key for every instance."""
        return AesGcmSealer(self._derivation.key(Label.CUSTOMER_EMAIL))

    def tls_sealer(self, instance: str) -> AesGcmSealer:
        """Return the sealer of the private key of this instance's certificate, for its file on disk."""
        return AesGcmSealer(self._derivation.key(Label.TLS, text_input(instance)))

    def acme_account_key(self) -> EllipticCurvePrivateKey:
        """Return the P-256 key of the ACME account: the same for every instance of an app."""
        return p256_key_of(self._derivation.key(Label.ACME_ACCOUNT))

    def _signing_key(self, label: Label, *inputs: int) -> Secp256k1Key:
        return Secp256k1Key(self._derivation.scalar(label, *inputs))
