"""Mints for wallets that administer their accounts, and converts managed accounts to them."""

import secrets
from typing import Final, cast

from node.api.calls import Call
from node.api.errors import ErrorCode, NodeError, require
from node.api.mutation import on_chain
from node.billing.charged_writes import MeteredWrites, WriteOrder
from node.chain.port import AdminAccounts, ContractCall
from node.chainsecured.envelope import EnvelopeFault, PrimaryType, Reason
from node.chainsecured.models import ConvertAnswer, ConvertRequest, MintedUsageKey, MintedWallet, SignedRequest
from node.chainsecured.verification import EnvelopeVerifier
from node.keyring.port import Keyring
from node.permissions.grants import account_key_only
from node.values import U256_MAX, hash_of_text, new_key, u256_hex

_ANY_PATH: Final = U256_MAX
"""Largest random path; the smallest is 1."""


class ChainSecuredService:
    """Mints wallets and usage keys, and converts accounts, for a verified signature.

    Minting stores nothing, so a replay only yields another wallet or secret without an account.
    """

    def __init__(
        self, verifier: EnvelopeVerifier, accounts: AdminAccounts, keyring: Keyring, writes: MeteredWrites
    ) -> None:
        self._verifier = verifier
        self._accounts = accounts
        self._keyring = keyring
        self._writes = writes

    async def mint_wallet(self, _: Call, request: SignedRequest) -> MintedWallet:
        """Derives a wallet for the signer's account under a new random path.

        Raises NodeError 400, 409 (a managed account has the wallet's hash), `chain_unavailable`.
        """
        owner = await self._owner(PrimaryType.CREATE_WALLET, request)
        path = 1 + secrets.randbelow(_ANY_PATH)
        return MintedWallet(wallet_address=self._keyring.wallet(owner, path).address, derivation_path=u256_hex(path))

    async def mint_usage_key(self, _: Call, request: SignedRequest) -> MintedUsageKey:
        """Draws a usage key, and derives its wallet under a path that follows from the key's hash.

        The secret is random, so that neither root nor wallet reveals it. Raises as `mint_wallet`.
        """
        owner = await self._owner(PrimaryType.ADD_USAGE_API_KEY, request)
        key = new_key()
        path = self._keyring.usage_key_wallet_path(hash_of_text(key))
        return MintedUsageKey(
            usage_api_key=key,
            wallet_address=self._keyring.wallet(owner, path).address,
            derivation_path=u256_hex(path),
        )

    async def convert(self, call: Call, request: ConvertRequest) -> ConvertAnswer:
        """Makes the account ChainSecured permanently; free. Its hash, contents and credit stay.

        Raises NodeError 409 (already converted, checked first; a wallet that ever was an admin),
        403, 400 and those of a write.
        """
        caller = call.caller
        # Check before the permission: a late conversion is 409 for every key of the account.
        if not caller.managed:
            raise NodeError(
                ErrorCode.CONFLICT,
                "This account is ChainSecured already, and stays it.",
                fix="Its admin wallet may hand it on with transferChainSecuredAccountOwnership.",
            )
        require(account_key_only(caller), caller)
        signer = await self._signer(PrimaryType.CONVERT_ACCOUNT, request)
        # The new admin signs, so that a typo cannot hand the account to a wallet without an owner.
        if signer != request.new_admin_wallet_address:
            fault = EnvelopeFault(
                Reason.ADDRESS_MISMATCH,
                "message.address is another wallet than new_admin_wallet_address.",
                fix="Let the wallet that is to be the admin sign.",
            )
            raise fault.refusal()

        async def prepare() -> ContractCall:
            return ContractCall("convertToChainSecuredAccount", (caller.master_hash, signer))

        answer = {"wallet_address": signer, "api_key_hash": u256_hex(caller.master_hash)}
        # Free (spec 10.1), so that an account without credit can leave API mode too.
        result = await self._writes.write_free(WriteOrder(prepare, caller, call.origin, answer))
        return ConvertAnswer(
            wallet_address=cast("str", result.answer["wallet_address"]),
            api_key_hash=cast("str", result.answer["api_key_hash"]),
            **on_chain(result),
        )

    async def authorise_convert(self, call: Call, _: ConvertRequest) -> None:
        """Lets pass a caller that may convert or has converted the account. Raises NodeError 403.

        The conversion ended that key's rights; it may still repeat the request for the response.
        """
        caller = call.caller
        if caller.managed or not caller.is_account_key:
            require(account_key_only(caller), caller)

    async def _owner(self, primary_type: PrimaryType, request: SignedRequest) -> int:
        """Returns the hash the signer's wallets derive from, of its present or future account."""
        signer = await self._signer(primary_type, request)
        owner = await self._accounts.mints_for(signer)
        # A managed account has the wallet's hash, so its keys could use what is minted.
        if owner is None:
            raise NodeError(
                ErrorCode.CONFLICT,
                "A managed account stands under the hash of this wallet, so that nothing is minted for it.",
                fix="Use another wallet, and tell the node's operator: payers open accounts under hashes of keys alone.",
            )
        return owner

    async def _signer(self, primary_type: PrimaryType, request: SignedRequest) -> str:
        try:
            return await self._verifier.signer(primary_type, request.typed_data, request.signature)
        except EnvelopeFault as fault:
            raise fault.refusal() from None
