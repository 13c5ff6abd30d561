"""Opening accounts in API mode."""

from typing import cast

import structlog

from node.accounts.models import NewAccountAnswer, NewAccountRequest
from node.api.calls import Call, NoInput
from node.api.errors import as_node_error
from node.api.mutation import on_chain
from node.billing.charged_writes import MeteredWrites, WriteOrder
from node.billing.service import NewAccounts
from node.chain.errors import WriteUnconfirmedError
from node.chain.port import ContractCall, WriteResult
from node.errors import DomainError
from node.keyring.port import Keyring
from node.values import hash_of_text, new_key, u256_hex

_log = structlog.get_logger(__name__)


class AccountService:
    """Draws account keys and opens each account with its master wallet in one transaction."""

    def __init__(self, writes: MeteredWrites, new_accounts: NewAccounts, keyring: Keyring) -> None:
        self._writes = writes
        self._new_accounts = new_accounts
        self._keyring = keyring

    async def new_account(self, call: Call, request: NewAccountRequest) -> NewAccountAnswer:
        """Opens an account; free. If the key's hash is taken on chain, another key is drawn.

        Raises NodeError `chain_unavailable`, `chain_timeout`.
        """
        sent: list[int] = []
        try:
            result = await self._writes.write_drawn(lambda: self._order(call, request, sent), free=True)
        except WriteUnconfirmedError:
            # Unconfirmed (504): the account may exist later; only this call has the e-mail address.
            if sent:
                await self._note(sent[-1], request.email)
            raise
        return await self._opened(request, result)

    async def account_exists(self, call: Call, _: NoInput) -> bool:
        """Returns whether the key that was sent belongs to an account."""
        return call.authenticated is not None

    async def _opened(self, request: NewAccountRequest, result: WriteResult) -> NewAccountAnswer:
        # A repeated request receives the first one's key, so take the result and not this draw.
        api_key, wallet_address = cast("str", result.answer["api_key"]), cast("str", result.answer["wallet_address"])
        await self._note(hash_of_text(api_key), request.email)
        return NewAccountAnswer(api_key=api_key, wallet_address=wallet_address, **on_chain(result))

    async def _note(self, account: int, email: str | None) -> None:
        """Stores the e-mail address. A failure is only logged, since the key is shown only now."""
        try:
            await self._new_accounts.opened(account, email)
        except DomainError as error:
            _log.warning("new_account_not_noted", account=u256_hex(account), error=str(as_node_error(error).code))

    def _order(self, call: Call, request: NewAccountRequest, sent: list[int]) -> WriteOrder:
        # Each attempt draws a new key: a hash taken on chain belongs to another account.
        api_key = new_key()
        key_hash = hash_of_text(api_key)
        path = self._keyring.master_wallet_path(key_hash)
        address = self._keyring.wallet(key_hash, path).address

        # One transaction creates both, so that no crash leaves an account without its wallet.
        async def prepare() -> ContractCall:
            sent.append(key_hash)
            arguments = (key_hash, request.account_name, request.account_description, address, path)
            return ContractCall("createManagedAccount", arguments)

        return WriteOrder(prepare, None, call.origin, {"api_key": api_key, "wallet_address": address})
