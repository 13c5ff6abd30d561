"""Verifies signed envelopes and `X-Wallet-Auth` headers."""

import base64
import binascii
import re
from collections.abc import Callable
from typing import Final

from pydantic import JsonValue

from node.api.calls import parse_strict_json
from node.api.errors import ErrorCode, NodeError
from node.chain.port import AdminAccounts, ContractVerdict, WalletContracts
from node.chainsecured.envelope import (
    EnvelopeFault,
    Expected,
    PrimaryType,
    Reason,
    read_envelope,
    signature_bytes,
    typed_data_text,
)
from node.keyring.signing_key import recovered_address
from node.permissions.grants import Caller
from node.values import hash_of_address

_BASE64: Final = re.compile(r"[A-Za-z0-9+/]*={0,2}")
_TO_STANDARD: Final = str.maketrans("-_", "+/")
_MEMBERS: Final = frozenset({"typed_data", "signature"})


class EnvelopeVerifier:
    """Verifies envelopes for one chain, statelessly: only the time window bounds replays."""

    def __init__(self, chain_id: int, contracts: WalletContracts, clock: Callable[[], float]) -> None:
        self._chain_id = chain_id
        self._contracts = contracts
        self._clock = clock

    async def signer(self, primary_type: PrimaryType, typed_data: str, signature: str) -> str:
        """Returns the EIP-55 address that `typed_data` names and that signed it for this purpose.

        The signature, 0x hex, is the wallet's own or one that its contract accepts (ERC-1271).
        Raises EnvelopeFault of the first fault, NodeError `chain_unavailable`.
        """
        # Check everything local before the chain, so that a faulty envelope costs no read.
        envelope = read_envelope(typed_data, Expected(primary_type, self._chain_id, self._clock()))
        signed = signature_bytes(signature)
        # A key's own signature needs no provider, so try it before the contract.
        digest = envelope.digest()
        if recovered_address(digest, signed) == envelope.address:
            return envelope.address
        verdict = await self._contracts.verdict(envelope.address, digest, signed)
        if verdict is ContractVerdict.NO_CODE:
            raise EnvelopeFault(
                Reason.SIGNATURE_NO_CODE,
                "message.address did not sign this typed data, and no contract is deployed there.",
                fix="Sign with that very wallet (65 bytes with a low s, or 64 compact); deploy a contract wallet first.",
            )
        if verdict is not ContractVerdict.ACCEPTED:
            raise EnvelopeFault(
                Reason.SIGNATURE_REJECTED,
                "The contract at message.address does not accept this signature (ERC-1271).",
                fix="isValidSignature must return 0x1626ba7e in 32 bytes for the digest of this typed data.",
            )
        return envelope.address


class AdminWallets:
    """Implements `WalletCallers` (`node.http.authentication`) with `BillingAuth` envelopes."""

    def __init__(self, verifier: EnvelopeVerifier, accounts: AdminAccounts) -> None:
        self._verifier = verifier
        self._accounts = accounts

    async def caller(self, header: str) -> Caller:
        """Returns the account whose current admin is the signing wallet.

        Raises NodeError `unauthorized` (header, envelope, signature, wallet), `chain_unavailable`.
        """
        try:
            typed_data, signature = _contents(header)
            wallet = await self._verifier.signer(PrimaryType.BILLING_AUTH, typed_data, signature)
        except EnvelopeFault as fault:
            raise _refusal(str(fault), {"reason": str(fault.reason), **fault.details}) from None
        # A former admin's alias still finds the account and authorises nothing (spec 8.7).
        account = await self._accounts.account_of_admin(wallet)
        if account is None:
            raise _refusal("This wallet is no ChainSecured account's admin.", {"reason": "no_account"})
        return Caller(hash_of_address(wallet), account, managed=False, grants=None)


def _contents(header: str) -> tuple[str, str]:
    """Returns typed_data and signature. Raises NodeError `unauthorized`, EnvelopeFault."""
    try:
        value = parse_strict_json(_decoded(header))
    except ValueError:
        raise _refusal("X-Wallet-Auth is not base64 of JSON.", {"reason": "header_malformed"}) from None
    # Like the envelope itself, the object may have no other member.
    if not isinstance(value, dict) or value.keys() != _MEMBERS or not isinstance(value["signature"], str):
        raise _refusal("X-Wallet-Auth must hold exactly typed_data and signature.", {"reason": "header_members"})
    return typed_data_text(value["typed_data"]), value["signature"]


def _decoded(header: str) -> bytes:
    """Decodes standard or url-safe base64, padded or not. Raises ValueError."""
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
