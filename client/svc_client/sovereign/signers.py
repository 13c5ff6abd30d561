"""Wallets that sign typed data and transactions. The user's own libraries hold the keys."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Protocol, runtime_checkable

from eth_account import Account
from eth_account.signers.local import LocalAccount
from eth_account.typed_transactions.typed_transaction import TypedTransaction
from eth_utils.address import is_address, to_checksum_address
from hexbytes import HexBytes
from pydantic import JsonValue

from svc_client.errors import InvalidArgument, UnreadableFile
from svc_client.sovereign.calls import checked_address
from svc_verifier.errors import VerifierError
from svc_verifier.formats.strict_json import parse_json_object, read_bytes

_KEYSTORE_BYTES: Final = 65_536
_KEYSTORE_NESTING: Final = 8
_SIGNATURE_BYTES_MAX: Final = 4_096
"""Longest signature that the node accepts (docs/chain-secured.md)."""
_RAW_BYTES_MAX: Final = 131_072
"""Longest transaction that pools accept."""


class SignedMessage(Protocol):
    """Signature of typed data."""

    @property
    def signature(self) -> bytes:
        """The signature, 65 bytes of a key or the form that a contract wallet takes."""


class SignedTransaction(Protocol):
    """A transaction, signed."""

    @property
    def raw_transaction(self) -> bytes:
        """The bytes for eth_sendRawTransaction."""


@runtime_checkable
class Signer(Protocol):
    """A wallet that signs typed data, for instance an `eth_account` account or ContractWallet."""

    @property
    def address(self) -> str:
        """The wallet's address."""

    def sign_typed_data(self, *, full_message: dict[str, Any]) -> SignedMessage:
        """Signs EIP-712 typed data."""


@runtime_checkable
class TransactionSigner(Signer, Protocol):
    """A wallet that signs transactions as well."""

    def sign_transaction(self, transaction_dict: dict[str, Any], /) -> SignedTransaction:
        """Signs an EIP-1559 transaction."""


class ContractWallet:
    """A contract wallet (ERC-1271). Joins its owners' signatures by ascending address.

    Signs no transactions; `Sovereign.safe_batch` writes them. For another form of signatures pass
    any object with `address` and `sign_typed_data`.
    """

    def __init__(self, address: str, *owners: Signer) -> None:
        if not owners:
            raise InvalidArgument("A contract wallet has at least one owner who signs.")
        self.address = checked_address(address)
        self._owners = sorted(owners, key=lambda owner: int(owner.address, 16))

    def sign_typed_data(self, *, full_message: dict[str, Any]) -> SignedMessage:
        """Returns the owners' signatures, joined."""
        parts = [bytes(owner.sign_typed_data(full_message=full_message).signature) for owner in self._owners]
        return _Signature(b"".join(parts))


class Watched:
    """A wallet known only by its address: reads its account, writes transactions for others."""

    def __init__(self, address: str) -> None:
        self.address = checked_address(address)

    def sign_typed_data(self, *, full_message: dict[str, Any]) -> SignedMessage:
        """Raises InvalidArgument: no key of this wallet is here."""
        raise InvalidArgument(f"Nothing signs {full_message['primaryType']} for {self.address} here.")


class _Signature:
    def __init__(self, signature: bytes) -> None:
        self.signature = signature


class _Raw:
    def __init__(self, raw_transaction: bytes) -> None:
        self.raw_transaction = raw_transaction


class _Web3Account:
    """The default account of a web3 instance whose node signs."""

    def __init__(self, web3: Any) -> None:
        # By JSON-RPC: web3 uses eth_signTypedData, which few nodes have, and takes one form.
        self._ask = web3.manager.request_blocking
        self.address = str(web3.eth.default_account)

    def sign_typed_data(self, *, full_message: dict[str, Any]) -> SignedMessage:
        return _Signature(bytes(HexBytes(self._ask("eth_signTypedData_v4", [self.address, full_message]))))

    def sign_transaction(self, transaction_dict: dict[str, Any], /) -> SignedTransaction:
        asked = {name: hex(value) if isinstance(value, int) else value for name, value in transaction_dict.items()}
        asked |= {"from": self.address, "data": f"0x{transaction_dict['data'].hex()}"}
        answer = self._ask("eth_signTransaction", [asked])
        # Some nodes return the bytes, others an object that also has the transaction's members.
        return _Raw(bytes(HexBytes(answer["raw"] if isinstance(answer, Mapping) else answer)))


def signer_of(wallet: object) -> Signer:
    """Returns an account, a web3 instance or a like object as a signer. Raises InvalidArgument."""
    eth = getattr(wallet, "eth", None)
    if eth is not None and hasattr(eth, "default_account") and hasattr(wallet, "manager"):
        if not is_address(eth.default_account):
            raise InvalidArgument("The web3 instance has no default account: set web3.eth.default_account.")
        return _Web3Account(wallet)
    if not isinstance(wallet, Signer) or not is_address(wallet.address):
        raise InvalidArgument(
            "The wallet is no signer: pass an eth_account account, a web3 instance with a default account, or an object with"
            " address, sign_typed_data and (unless it is a contract) sign_transaction."
        )
    return wallet


def signature_of(signer: Signer, typed_data: Mapping[str, JsonValue]) -> str:
    """Returns the signer's signature as 0x hex. Raises InvalidArgument when it cannot sign."""
    try:
        signature = bytes(signer.sign_typed_data(full_message=dict(typed_data)).signature)
    except Exception as error:  # noqa: BLE001 - whatever the user's library raises; its text may hold anything
        raise InvalidArgument(f"The wallet {signer.address} did not sign ({type(error).__name__}).") from None
    if not 0 < len(signature) <= _SIGNATURE_BYTES_MAX:
        raise InvalidArgument(f"The wallet's signature has {len(signature)} bytes; 1 to {_SIGNATURE_BYTES_MAX} may be.")
    return f"0x{signature.hex()}"


def raw_transaction(signer: TransactionSigner, transaction: Mapping[str, Any]) -> bytes:
    """Returns the signed bytes of exactly this EIP-1559 transaction. Raises InvalidArgument."""
    try:
        raw = bytes(signer.sign_transaction(dict(transaction)).raw_transaction)
    except Exception as error:  # noqa: BLE001 - whatever the user's library raises; its text may hold anything
        raise InvalidArgument(
            f"The wallet {signer.address} did not sign ({type(error).__name__}); nothing was sent. A web3 instance signs only"
            " if its node holds the key: else pass the account itself."
        ) from None
    if len(raw) > _RAW_BYTES_MAX or not _is_as_asked(raw, signer.address, transaction):
        raise InvalidArgument(f"The wallet {signer.address} signed another transaction than asked; nothing was sent.")
    return raw


def _is_as_asked(raw: bytes, address: str, asked: Mapping[str, Any]) -> bool:
    # A wallet that changes nonce or fees would break replacing, which relies on both.
    try:
        signed = TypedTransaction.from_bytes(HexBytes(raw)).as_dict()
        sender = Account.recover_transaction(raw)
    except Exception:  # noqa: BLE001 - bytes of a foreign signer
        return False
    read = {name: bytes(value) if isinstance(value, bytes) else value for name, value in signed.items()}
    wanted = {**asked, "to": bytes(HexBytes(asked["to"])), "data": bytes(asked["data"])}
    same = all(read.get(name) == value for name, value in wanted.items())
    return same and not read.get("accessList") and sender.lower() == address.lower()


def read_keystore(path: Path, passphrase: str) -> LocalAccount:
    """Returns a Web3 Secret Storage account. Raises UnreadableFile and InvalidArgument."""
    stored = _keystore(path)
    try:
        account: LocalAccount = Account.from_key(Account.decrypt(stored, passphrase))
    except ValueError:
        # eth-keyfile says "MAC mismatch". Repeat neither that text nor the passphrase.
        raise InvalidArgument(f"The passphrase does not open {path}.") from None
    except (KeyError, TypeError, AttributeError, NotImplementedError) as error:
        raise UnreadableFile(f"{path} is no keystore that can be read ({type(error).__name__}).") from None
    return account


def keystore_address(path: Path) -> str:
    """Returns the address named in a keystore file, without decrypting. Raises UnreadableFile."""
    named = _keystore(path).get("address")
    address = f"0x{named.removeprefix('0x')}" if isinstance(named, str) else ""
    if not is_address(address):
        raise UnreadableFile(f"{path} does not name its address; so it has to be named.")
    return str(to_checksum_address(address))


def _keystore(path: Path) -> dict[str, Any]:
    try:
        text = read_bytes(path, _KEYSTORE_BYTES)
        stored = parse_json_object(text, str(path), _KEYSTORE_BYTES, _KEYSTORE_NESTING)
    except (OSError, ValueError, VerifierError) as error:
        raise UnreadableFile(f"{path} cannot be read as a keystore ({type(error).__name__}).") from None
    if not isinstance(stored.get("crypto", stored.get("Crypto")), dict):
        raise UnreadableFile(f"{path} is no keystore: it has no `crypto`.")
    return dict(stored)
