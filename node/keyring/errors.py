"""Failures of the keyring: what cannot be signed, and a root key that cannot be had."""

from collections.abc import Sequence

from node.errors import DomainError


class UnsignableError(DomainError):
    """The caller asked for a signature of something that has none."""


class UnsignableMessageError(UnsignableError):
    """The message has no UTF-8 form, or too many bytes."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy


class UnsignableTypedDataError(UnsignableError):
    """The typed data is not what EIP-712 describes; `reason` names the field."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The typed data cannot be signed: {reason}.", details={"reason": reason})


class UnsignableTransactionError(UnsignableError):
    """The transaction has missing, wrong or unknown fields; `fields` are their names."""

    def __init__(self, message: str, fields: Sequence[str]) -> None:
        super().__init__(message, details={"fields": [*fields]})


class RootKeyUnavailableError(DomainError):
    """The TEE's key service gave no root key; a retry may help."""
