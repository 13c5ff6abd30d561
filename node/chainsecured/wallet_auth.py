"""Who calls with an `X-Wallet-Auth` header: the account whose current admin wallet signed it (decisions.md section 2)."""

import base64
import binascii
import re
from typing import Final

from pydantic import JsonValue

from node.chain.port import AdminAccounts
from node.chainsecured.envelope import PrimaryType, typed_data_text
from node.chainsecured.refusals import EnvelopeFault
from node.chainsecured.verification import EnvelopeVerifier
from node.errors import ErrorCode, NodeError
from node.http.strict_json import parse_strict_json
from node.permissions.grants import Caller
from node.values import hash_of_address

_BASE64: Final = re.compile(r"[A-Za-z0-9+/]*={0,2}")
_TO_STANDARD: Final = str.maketrans("-_", "+/")
_MEMBERS: Final = frozenset({"typed_data", "signature"})


class AdminWallets:
    """Implements `node.http.authentication.WalletCallers`: `BillingAuth` envelopes in a header."""

    def __init__(self, verifier: EnvelopeVerifier, accounts: AdminAccounts) -> None:
        self._verifier = verifier
        self._accounts = accounts

    async def caller(self, header: str) -> Caller:
        """The account of the wallet that signed.

        Raises NodeError `unauthorized` for whatever is wrong with header, envelope, signature or wallet, and
        `chain_unavailable`.
        """
        try:
            typed_data, signature = _contents(header)
            wallet = await self._verifier.signer(PrimaryType.BILLING_AUTH, typed_data, signature)
        except EnvelopeFault as fault:
            raise _refusal(str(fault), {"reason": str(fault.reason), **fault.details}) from None
        account = await self._accounts.account_of_admin(wallet)
        if account is None:
            raise _refusal("This wallet is no ChainSecured account's admin.", {"reason": "no_account"})
        return Caller(hash_of_address(wallet), account, managed=False, grants=None)


def _contents(header: str) -> tuple[str, str]:
    """typed_data and signature of the header's value. Raises NodeError `unauthorized`, EnvelopeFault."""
    try:
        value = parse_strict_json(_decoded(header))
    except ValueError:
        raise _refusal("X-Wallet-Auth is not base64 of JSON.", {"reason": "header_malformed"}) from None
    if not isinstance(value, dict) or value.keys() != _MEMBERS or not isinstance(value["signature"], str):
        raise _refusal("X-Wallet-Auth must hold exactly typed_data and signature.", {"reason": "header_members"})
    return typed_data_text(value["typed_data"]), value["signature"]


def _decoded(header: str) -> bytes:
    """Standard or url-safe base64, padded or not. Raises ValueError."""
    standard = header.translate(_TO_STANDARD)
    if not _BASE64.fullmatch(standard):
        raise binascii.Error("not base64")
    digits = standard.rstrip("=")
    return base64.b64decode(digits + "=" * (-len(digits) % 4), validate=True)


def _refusal(message: str, details: dict[str, JsonValue]) -> NodeError:
    return NodeError(
        ErrorCode.UNAUTHORIZED,
        message,
        fix="Send base64 of {typed_data, signature}, signed as BillingAuth by the admin wallet less than 300 s ago.",
        details=details,
    )
