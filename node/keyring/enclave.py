"""Obtains the enclave's root from the TEE's key service, and derives every key from it.

Derivation is HKDF-SHA256 (RFC 5869) by one table of labels. The info of a derivation is the
keccak256 hash of the label's text and then its inputs, 32 bytes each. Each label has a fixed number
of inputs, so that no two derivations share an info. Changing a text or the order of inputs changes
every key made from it. Never edit a row; add one. Committed vectors pin every row.
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
"""Path of the root. The platform separates an app's keys by path, so it names service and use."""

ROOT_PURPOSE: Final = "svc/v1/root"
"""Covered only by the platform's signature over the key, and gives that signature one meaning."""

ROOT_ALGORITHM: Final = "secp256k1"
"""Curve of the key that the platform signs. The root's bytes do not depend on it."""

RETRY_AFTER_S: Final = 5


class KeyService(Protocol):
    """Key service of the TEE, implemented by `attest.guest_agent.GuestAgent`."""

    async def info(self) -> Info:
        """Returns the identity of this TD. Raises AttestError."""
        ...

    async def get_key(self, path: str, purpose: str, algorithm: str = "secp256k1") -> DerivedKey:
        """Returns the app's key at `path`. Raises AttestError."""
        ...


class EnclaveRoot(Redacted):
    """The root, with the compressed public key (33 bytes) of the service that signed for it."""

    __slots__ = ("_material", "kms_public_key")

    def __init__(self, material: bytes, kms_public_key: bytes) -> None:
        self._material = SecretBytes(material)
        self.kms_public_key = kms_public_key

    def reveal(self) -> bytes:
        """Returns the 32 secret bytes, for `EnclaveKeyring` only."""
        return self._material.get_secret_value()


async def obtain_root(service: KeyService, pinned_kms_key: bytes | None = None) -> EnclaveRoot:
    """Requests the root from the key service and checks the chain of keys that signed for it.

    The chain must end in `pinned_kms_key`, a 33-byte compressed public key; None accepts any, for
    development. Raises StartupRefusedError if the response is malformed or from another service (a
    retry does not help), RootKeyUnavailableError if the service is unreachable or slow.
    """
    try:
        answer = await service.get_key(ROOT_PATH, ROOT_PURPOSE, ROOT_ALGORITHM)
        kms_key = kms_root_public_key(answer, ROOT_PURPOSE, (await service.info()).app_id)
    except AttestError as error:
        # Only an outage is temporary; any other error would be the same after a retry.
        if error.code in {AttestErrorCode.UNREACHABLE, AttestErrorCode.TIMEOUT}:
            why = f"The root key cannot be had: {error.message}"
            raise RootKeyUnavailableError(why, retry_after_s=RETRY_AFTER_S) from None
        why = f"the guest agent gave no usable root key. {error.message}"
        raise StartupRefusedError("guest_agent", why) from None
    # Without the pin the host could substitute its own key service and know every key.
    if pinned_kms_key is not None and not hmac.compare_digest(kms_key, pinned_kms_key):
        raise StartupRefusedError(
            "kms_root_public_key", f"the guest agent's key chain ends in {kms_key.hex()}, which is not the pinned key."
        )
    return EnclaveRoot(answer.key.get_secret_value(), kms_key)


ROOT_LENGTH_BYTES: Final = 32
SALT: Final = b"svc/v1"

P256_ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""Order n of P-256 (SP 800-186, 3.2.1.3)."""
P256_CANDIDATE_BYTES: Final = 48
"""Length of P-256's candidate, 128 bits more than n (FIPS 186-5, A.2.1), to avoid rejection."""
P256_INFO: Final = b"p256"


class Label(StrEnum):
    """Labels with their ordered inputs of 32 bytes each; integers are big-endian."""

    WALLET = "svc/v1/wallet"
    """A wallet's scalar, from chain id, contract (left-padded), owner's master hash and path."""

    ENCRYPTION = "svc/v1/encryption"
    """An AES-256 key, from the wallet's four inputs and a `Purpose` hash."""

    ACTION_IDENTITY = "svc/v1/action-identity"
    """A scalar, from keccak256 of the CIDv0 text."""

    PAYER = "svc/v1/payer"
    """A scalar, from keccak256 of the instance id's UTF-8 text, and the index."""

    ADMIN_PAYER = "svc/v1/admin-payer"
    """A scalar, without inputs."""

    IDEMPOTENCY_SEAL = "svc/v1/idempotency/seal"
    """An AES-256 key, without inputs."""

    IDEMPOTENCY_MAC = "svc/v1/idempotency/mac"
    """An HMAC-SHA256 key, without inputs."""

    CUSTOMER_EMAIL = "svc/v1/customer-email"
    """The AES-256 key, without inputs, that seals e-mail addresses for the card processor."""

    TLS = "svc/v1/tls"
    """The AES-256 key of the certificate key on disk, from keccak256 of the instance id."""

    ACME_ACCOUNT = "svc/v1/acme-account"
    """The seed of the ACME account key, without inputs."""

    MASTER_WALLET_PATH = "svc/v1/master-wallet-path"
    """A master wallet's public derivation path, keccak256(label hash, apiKeyHash), without HKDF."""

    USAGE_KEY_WALLET_PATH = "svc/v1/usage-key-wallet-path"
    """Public path of a usage key's minted wallet, keccak256(label hash, usage key hash)."""


class Purpose(StrEnum):
    """Use of an encryption key. Its keccak256 hash is the last input."""

    ACTION_MESSAGES = "svc/v1/purpose/action-messages"
    """Key of `Encrypt` and `Decrypt` of actions."""


def label_hash(label: Label | Purpose) -> bytes:
    """Returns the keccak256 hash of the label's UTF-8 text, 32 bytes."""
    return keccak256(label.value.encode())


def input_bytes(value: int) -> bytes:
    """Returns `value` as a derivation input, 32 bytes big-endian. Raises ValueError if no u256."""
    if not 0 <= value <= U256_MAX:
        raise ValueError("A key derivation input is not an unsigned 256-bit integer.")
    return value.to_bytes(32)


def text_input(text: str) -> int:
    """Returns a text's derivation input, keccak256 of its UTF-8. Raises ValueError if empty."""
    if not text:
        raise ValueError("A key derivation input is an empty text.")
    # The hash makes an input of 32 bytes, so that inputs cannot run into each other.
    return hash_of_text(text)


def info_of(label: Label, inputs: Sequence[int]) -> bytes:
    """Returns HKDF's info, the label's hash and the inputs of 32 bytes each without separators."""
    return label_hash(label) + b"".join(map(input_bytes, inputs))


def scalar_from(expand: Callable[[bytes], bytes], info: bytes) -> bytes:
    """Returns a secp256k1 scalar in 1..n-1 from `expand(info)`.

    If it is 0 or >= n (chance about 2^-128), a 32-byte big-endian counter from 1 follows info.
    """
    candidate = expand(info)
    for attempt in count(1):
        # Reject instead of reducing, so that every scalar is equally likely (spec 7.3).
        if 0 < int.from_bytes(candidate) < CURVE_ORDER:
            break
        candidate = expand(info + attempt.to_bytes(32))
    return candidate


class Derivation(Redacted):
    """HKDF bound to a root. Keeps the extracted key inside an HMAC object, and not the root."""

    __slots__ = ("_keyed",)

    def __init__(self, root: bytes) -> None:
        if len(root) != ROOT_LENGTH_BYTES:
            raise RootKeyUnavailableError(f"The enclave root must be {ROOT_LENGTH_BYTES} bytes.")
        # RFC 5869 2.2, extract. The salt is the HMAC key, and only this step uses the root.
        self._keyed = hmac.new(hmac.digest(SALT, root, "sha256"), digestmod=hashlib.sha256)

    def key(self, label: Label, *inputs: int) -> bytes:
        """Returns 32 secret bytes for `label` and its inputs."""
        return self._expand(info_of(label, inputs))

    def scalar(self, label: Label, *inputs: int) -> bytes:
        """Returns a secp256k1 private key, 32 bytes big-endian, for `label` and its inputs."""
        return scalar_from(self._expand, info_of(label, inputs))

    def _expand(self, info: bytes) -> bytes:
        # RFC 5869 2.3, expand, one block. Copying keeps the prepared HMAC free of input.
        block = self._keyed.copy()
        block.update(info + b"\x01")
        return block.digest()


def p256_key_of(seed: bytes) -> EllipticCurvePrivateKey:
    """Returns the private key HKDF-Expand-SHA256(`seed`, "p256", 48 bytes) mod (n - 1), plus 1."""
    # 128 bits more than n, so that the reduction's bias is below 2^-128.
    candidate = int.from_bytes(HKDFExpand(SHA256(), P256_CANDIDATE_BYTES, P256_INFO).derive(seed))
    return derive_private_key(candidate % (P256_ORDER - 1) + 1, SECP256R1())


ADDRESS_LENGTH_BYTES: Final = 20
VERSION: Final = b"\x01"
NONCE_LENGTH_BYTES: Final = 12
TAG_LENGTH_BYTES: Final = 16
OVERHEAD_BYTES: Final = len(VERSION) + NONCE_LENGTH_BYTES + TAG_LENGTH_BYTES
"""Length that sealing adds to the plaintext."""


class AesGcmSealer(Redacted):
    """Implements `node.keyring.port.Sealer` with AES-256-GCM (SP 800-38D) and one derived key.

    A sealed value is a version byte, 12-byte random nonce, ciphertext and 16-byte tag.
    """

    __slots__ = ("_cipher",)

    def __init__(self, key: bytes) -> None:
        self._cipher = AESGCM(key)

    def seal(self, plaintext: bytes, context: bytes) -> bytes:
        """Returns version, nonce, ciphertext and tag. Version and `context` are authenticated."""
        # A random nonce of 96 bits is safe for 2^32 messages per key (NIST SP 800-38D §8.3).
        nonce = secrets.token_bytes(NONCE_LENGTH_BYTES)
        # Authenticate the version, so that a value cannot be presented as another version.
        return VERSION + nonce + self._cipher.encrypt(nonce, plaintext, VERSION + context)

    def open(self, sealed: bytes, context: bytes) -> bytes:
        """Returns the plaintext. Raises one ValueError for another key, other context or damage."""
        nonce, body = sealed[1 : 1 + NONCE_LENGTH_BYTES], sealed[1 + NONCE_LENGTH_BYTES :]
        if len(sealed) < OVERHEAD_BYTES or sealed[:1] != VERSION:
            raise ValueError("not a sealed value of this version")
        try:
            return self._cipher.decrypt(nonce, body, VERSION + context)
        except InvalidTag:
            # Hide the cause, which would tell a forger which part was wrong.
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
    """Returns the path that follows from the key's hash. It is public; the root adds the secret."""
    return int.from_bytes(keccak256(label_hash(label) + input_bytes(key_hash)))


class EnclaveKeyring(Redacted):
    """Implements `node.keyring.port.Keyring`.

    `root` is the 32-byte secret of the TEE's key service (see `obtain_root`) and is not kept.
    `chain_id` and `contract` (0x hex in any case) enter every wallet: see spec 7.5.
    """

    __slots__ = ("_chain_id", "_contract", "_derivation", "_mac")

    def __init__(self, root: bytes, chain_id: int, contract: str) -> None:
        self._derivation = Derivation(root)
        self._chain_id = chain_id
        self._contract = _address_input(contract)
        self._mac = hmac.new(self._derivation.key(Label.IDEMPOTENCY_MAC), digestmod=hashlib.sha256)

    def wallet(self, owner: int, derivation_path: int) -> Secp256k1Key:
        """Returns the wallet's key. The caller compares its address with the registered one."""
        # Chain and contract are inputs, so that each deployment has its own addresses (spec 7.5).
        return self._signing_key(Label.WALLET, self._chain_id, self._contract, owner, derivation_path)

    def master_wallet_path(self, api_key_hash: int) -> int:
        """Returns the path of an account's master wallet, keccak256(label hash, apiKeyHash)."""
        return _public_path(Label.MASTER_WALLET_PATH, api_key_hash)

    def usage_key_wallet_path(self, usage_key_hash: int) -> int:
        """Returns the path of a usage key's wallet, keccak256(label hash, usage key hash)."""
        return _public_path(Label.USAGE_KEY_WALLET_PATH, usage_key_hash)

    def wallet_sealer(self, owner: int, derivation_path: int) -> AesGcmSealer:
        """Returns the sealer of actions' Encrypt and Decrypt, for that wallet and purpose only."""
        # A separate key per purpose, so that none can open values of another purpose.
        purpose = int.from_bytes(label_hash(Purpose.ACTION_MESSAGES))
        wallet = (self._chain_id, self._contract, owner, derivation_path)
        return AesGcmSealer(self._derivation.key(Label.ENCRYPTION, *wallet, purpose))

    def action_identity(self, cid: str) -> Secp256k1Key:
        """Returns the key of the code with this CIDv0."""
        return self._signing_key(Label.ACTION_IDENTITY, text_input(cid))

    def payer(self, instance: str, index: int) -> Secp256k1Key:
        """Returns the key of the `index`-th payer of the node instance with this non-empty id."""
        return self._signing_key(Label.PAYER, text_input(instance), index)

    def admin_payer(self) -> Secp256k1Key:
        """Returns the key, shared by all instances, that registers and funds payers."""
        return self._signing_key(Label.ADMIN_PAYER)

    def idempotency_sealer(self) -> AesGcmSealer:
        """Returns the sealer of stored responses and of one-time secrets in the write journal."""
        return AesGcmSealer(self._derivation.key(Label.IDEMPOTENCY_SEAL))

    def idempotency_mac(self, message: bytes) -> bytes:
        """Returns the 32-byte HMAC-SHA256 by which idempotency rows are found."""
        # Use a copy, since the prepared HMAC must not absorb messages.
        mac = self._mac.copy()
        mac.update(message)
        return mac.digest()

    def email_sealer(self) -> AesGcmSealer:
        """Returns the sealer, shared by all instances, of e-mails for the card processor."""
        return AesGcmSealer(self._derivation.key(Label.CUSTOMER_EMAIL))

    def tls_sealer(self, instance: str) -> AesGcmSealer:
        """Returns the sealer of this instance's certificate key in its file on disk."""
        return AesGcmSealer(self._derivation.key(Label.TLS, text_input(instance)))

    def acme_account_key(self) -> EllipticCurvePrivateKey:
        """Returns the P-256 key, shared by all instances of an app, of the ACME account."""
        return p256_key_of(self._derivation.key(Label.ACME_ACCOUNT))

    def _signing_key(self, label: Label, *inputs: int) -> Secp256k1Key:
        return Secp256k1Key(self._derivation.scalar(label, *inputs))
