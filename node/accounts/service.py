"""Opening accounts in API mode."""

from typing import cast

from node.accounts.models import NewAccountAnswer, NewAccountRequest
from node.billing.metering import MeteredWrites, WriteOrder
from node.chain.port import ContractCall, WriteResult
from node.errors import ErrorCode, NodeError
from node.http.mutation import on_chain
from node.keyring.port import Keyring
from node.ledger.port import Ledger
from node.values import hash_of_text, new_key


class AccountService:
    """Draws account keys, derives their master wallets, and opens account and wallet in one transaction."""

    def __init__(self, writes: MeteredWrites, ledger: Ledger, keyring: Keyring) -> None:
        self._writes = writes
        self._ledger = ledger
        self._keyring = keyring

    async def new_account(self, request: NewAccountRequest, idempotency_id: str | None) -> NewAccountAnswer:
        """Open an account; free. A key whose hash is taken on chain is drawn again.

        Raises NodeError `chain_unavailable`, `chain_timeout`.
        """
        sent: list[int] = []
        try:
            result = await self._writes.write_drawn(lambda: self._order(request, idempotency_id, sent), free=True)
        except NodeError as error:
            if error.code is ErrorCode.CHAIN_TIMEOUT and sent:  # it will be there, and the address is known only here
                await self._ledger.open_account(sent[-1], email=request.email)
            raise
        return await self._opened(request, result)

    async def _opened(self, request: NewAccountRequest, result: WriteResult) -> NewAccountAnswer:
        # From the result and not from the draw: a repeated request finds the key of the first one.
        api_key, wallet_address = cast("str", result.answer["api_key"]), cast("str", result.answer["wallet_address"])
        await self._ledger.open_account(hash_of_text(api_key), email=request.email)
        return NewAccountAnswer(api_key=api_key, wallet_address=wallet_address, **on_chain(result))

    def _order(self, request: NewAccountRequest, idempotency_id: str | None, sent: list[int]) -> WriteOrder:
        api_key = new_key()
        key_hash = hash_of_text(api_key)
        path = self._keyring.master_wallet_path(key_hash)
        address = self._keyring.wallet(key_hash, path).address

        async def prepare() -> ContractCall:
            sent.append(key_hash)
            arguments = (key_hash, request.account_name, request.account_description, address, path)
            return ContractCall("createManagedAccount", arguments)

        return WriteOrder(prepare, None, idempotency_id, {"api_key": api_key, "wallet_address": address})
