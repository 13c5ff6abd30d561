"""The enclave's one root, obtained from the TEE's key service at start, and the keyring: every key is derived from that root.

Derivation is HKDF-SHA256 (RFC 5869) by one table of labels. A label is a text; its keccak256 hash, 32 bytes, enters a
derivation. The inputs that follow are 32 bytes each and their number is fixed for each label, so no two derivations can
share an info string. Changing a text or the order of inputs changes every key made from it: never edit a row, add one
under a new text. Committed vectors pin every row.
"""

import hashlib
import hmac
import secrets
from collections.abc import Callable, Sequence
from enum import StrEnum
from itertools import count
from typing import Final, Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey, derive_private_key
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from pydantic import SecretBytes

from attest.errors import AttestError, AttestErrorCode
from attest.key_chain import kms_root_public_key
from attest.responses import DerivedKey, Info
from node.errors import StartupRefusedError
from node.keyring.port import Redacted, RootKeyUnavailableError
from node.keyring.signing_key import CURVE_ORDER, Secp256k1Key
from node.values import U256_MAX, hash_of_text, keccak256

ROOT_PATH: Final = "svc/v1/root"
"""Names service, version and use. The platform separates the keys of an app by the path alone."""

ROOT_PURPOSE: Final = "svc/v1/root"
"""Enters only the platform's signature over the key, and keeps that signature from meaning anything else."""

ROOT_ALGORITHM: Final = "secp256k1"
"""Curve of the key that the platform signs. The bytes do not depend on it."""

RETRY_AFTER_S: Final = 5


class KeyService(Protocol):
    """Key service of the TEE, as `attest.guest_agent.GuestAgent` implements it."""

    async def info(self) -> Info:
        """Return the identity of this TD. Raises AttestError."""
        ...

    async def get_key(self, path: str, purpose: str, algorithm: str = "secp256k1") -> DerivedKey:
        """Return the app's key at `path`. Raises AttestError."""
        ...


class EnclaveRoot(Redacted):
    """The root, and the public key of the service that vouches for it: 33 bytes, compressed, not secret."""

    __slots__ = ("_material", "kms_public_key")

    def __init__(self, material: bytes, kms_public_key: bytes) -> None:
        self._material = SecretBytes(material)
        self.kms_public_key = kms_public_key

    def reveal(self) -> bytes:
        """Return the 32 secret bytes, for `EnclaveKeyring` alone."""
        return self._material.get_secret_value()


async def obtain_root(service: KeyService, pinned_kms_key: bytes | None = None) -> EnclaveRoot:
    """Request the root from the key service, and check the chain of keys that vouches for it.

    `pinned_kms_key` is the 33-byte compressed public key the chain must end in; None accepts any, for development.
    Raises StartupRefusedError when the response is not from the pinned service or is malformed (a retry gives the same),
    RootKeyUnavailableError when the service is unreachable or slow (a retry may help).
    """
    try:
        answer = await service.get_key(ROOT_PATH, ROOT_PURPOSE, ROOT_ALGORITHM)
        kms_key = kms_root_public_key(answer, ROOT_PURPOSE, (await service.info()).app_id)
    except AttestError as error:
        raise _translated(error) from None
    # Without the pin the host could answer with a key service of its own, and know every key.
    if pinned_kms_key is not None and not hmac.compare_digest(kms_key, pinned_kms_key):
        raise StartupRefusedError(
            "kms_root_public_key", f"the guest agent's key chain ends in {kms_key.hex()}, which is not the pinned key."
        )
    return EnclaveRoot(answer.key.get_secret_value(), kms_key)


def _translated(error: AttestError) -> RootKeyUnavailableError | StartupRefusedError:
    # Only an outage passes; any other answer is the same at the next try.
    if error.code in {AttestErrorCode.UNREACHABLE, AttestErrorCode.TIMEOUT}:
        return RootKeyUnavailableError(f"The root key cannot be had: {error.message}", retry_after_s=RETRY_AFTER_S)
    return StartupRefusedError("guest_agent", f"the guest agent gave no usable root key. {error.message}")


ROOT_LENGTH_BYTES: Final = 32
SALT: Final = b"svc/v1"

P256_ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""n of P-256 (SP 800-186, 3.2.1.3)."""
P256_CANDIDATE_BYTES: Final = 48
"""128 bits more than n has (FIPS 186-5, A.2.1). Rejection would be needed once in 2^32 seeds, and never be tested."""
P256_INFO: Final = b"p256"


class Label(StrEnum):
    """Labels, each with its inputs in order (32 bytes each, integers big-endian)."""

    WALLET = "svc/v1/wallet"
    """Chain id, contract address (left-padded), owner's master hash, derivation path: a wallet's scalar."""

    ENCRYPTION = "svc/v1/encryption"
    """The wallet's four inputs, then a `Purpose` hash: an AES-256 key."""

    ACTION_IDENTITY = "svc/v1/action-identity"
    """keccak256 of the CIDv0 text: a scalar."""

    PAYER = "svc/v1/payer"
    """keccak256 of the instance id's UTF-8 text, index: a scalar."""

    ADMIN_PAYER = "svc/v1/admin-payer"
    """No inputs: a scalar."""

    IDEMPOTENCY_SEAL = "svc/v1/idempotency/seal"
    """No inputs: an AES-256 key."""

    IDEMPOTENCY_MAC = "svc/v1/idempotency/mac"
    """No inputs: an HMAC-SHA256 key."""

    CUSTOMER_EMAIL = "svc/v1/customer-email"
    """No inputs: the AES-256 key that seals e-mail addresses on their way to the card processor."""

    TLS = "svc/v1/tls"
    """keccak256 of the instance id's UTF-8 text: the AES-256 key that seals the certificate key on disk."""

    ACME_ACCOUNT = "svc/v1/acme-account"
    """No inputs: the seed of the ACME account key."""

    MASTER_WALLET_PATH = "svc/v1/master-wallet-path"
    """No HKDF and no secret: keccak256(label hash, apiKeyHash) is a master wallet's derivation path."""

    USAGE_KEY_WALLET_PATH = "svc/v1/usage-key-wallet-path"
    """Likewise: keccak256(label hash, usage key hash) is the path of the wallet minted with a usage key."""


class Purpose(StrEnum):
    """Last input of an encryption key: the use of the key, as a keccak256 hash."""

    ACTION_MESSAGES = "svc/v1/purpose/action-messages"
    """`Encrypt` and `Decrypt` of actions."""


def label_hash(label: Label | Purpose) -> bytes:
    """Return the keccak256 hash of the label's UTF-8 text, 32 bytes."""
    return keccak256(label.value.encode())


def input_bytes(value: int) -> bytes:
    """Return a derivation input: `value` as 32 bytes, big-endian. Raises ValueError when it is no u256."""
    if not 0 <= value <= U256_MAX:
        raise ValueError("A key derivation input is not an unsigned 256-bit integer.")
    return value.to_bytes(32)


def text_input(text: str) -> int:
    """Return a text as a derivation input: keccak256 of its UTF-8 bytes. Raises ValueError when it is empty."""
    if not text:
        raise ValueError("A key derivation input is an empty text.")
    # Hashed: a text of any length becomes one 32-byte input, so no two inputs run into one another.
    return hash_of_text(text)


def info_of(label: Label, inputs: Sequence[int]) -> bytes:
    """Return HKDF's info: the label's hash and the inputs, 32 bytes each, nothing between them."""
    return label_hash(label) + b"".join(map(input_bytes, inputs))


def scalar_from(expand: Callable[[bytes], bytes], info: bytes) -> bytes:
    """Return a secp256k1 scalar in 1..n-1 from `expand(info)`.

    A value of 0 or >= n (chance about 2^-128) is expanded again with a 32-byte big-endian counter, from 1, after info.
    """
    candidate = expand(info)
    for attempt in count(1):
        # Rejected and not reduced: every scalar is equally likely (spec 7.3).
        if 0 < int.from_bytes(candidate) < CURVE_ORDER:
            break
        candidate = expand(info + attempt.to_bytes(32))
    return candidate


class Derivation(Redacted):
    """HKDF bound to a root. Only HKDF's extracted key is kept, inside a keyed HMAC object, and the root is not."""

    __slots__ = ("_keyed",)

    def __init__(self, root: bytes) -> None:
        if len(root) != ROOT_LENGTH_BYTES:
            raise RootKeyUnavailableError(f"The enclave root must be {ROOT_LENGTH_BYTES} bytes.")
        # RFC 5869 2.2, extract: the salt is the HMAC key, and only this step sees the root.
        self._keyed = hmac.new(hmac.digest(SALT, root, "sha256"), digestmod=hashlib.sha256)

    def key(self, label: Label, *inputs: int) -> bytes:
        """Return 32 secret bytes for `label` and its inputs."""
        return self._expand(info_of(label, inputs))

    def scalar(self, label: Label, *inputs: int) -> bytes:
        """Return a secp256k1 private key, 32 bytes big-endian, for `label` and its inputs."""
        return scalar_from(self._expand, info_of(label, inputs))

    def _expand(self, info: bytes) -> bytes:
        # RFC 5869 2.3, expand, one block: HMAC(PRK, info | 0x01). The copy keeps the prepared key free of any input.
        block = self._keyed.copy()
        block.update(info + b"\x01")
        return block.digest()


def p256_key_of(seed: bytes) -> EllipticCurvePrivateKey:
    """Return the private key HKDF-Expand-SHA256(`seed`, "p256", 48 bytes) mod (n - 1), plus 1."""
    # Of 128 bits more than n, so that the reduction favours no key by more than 2^-128.
    candidate = int.from_bytes(HKDFExpand(SHA256(), P256_CANDIDATE_BYTES, P256_INFO).derive(seed))
    return derive_private_key(candidate % (P256_ORDER - 1) + 1, SECP256R1())


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
        # The version is authenticated: a value cannot be passed off as one of another version.
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

    `root` is the 32-byte secret of the TEE's key service (see `obtain_root`), and is not kept. `chain_id` and
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
        # Chain and contract are inputs: another deployment is another address space (spec 7.5).
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
