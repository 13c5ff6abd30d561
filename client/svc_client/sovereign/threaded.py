"""Sovereign mode for programs without an event loop. It runs in its own thread for any caller."""

from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator
from types import TracebackType
from typing import Final, Self, TypeVar, Unpack

from svc_client import models
from svc_client.chain.sending import Fees
from svc_client.grants import WalletId
from svc_client.sovereign import records
from svc_client.sovereign.account import ChainAccount, Options, Preview
from svc_client.sovereign.calls import Call
from svc_client.sovereign.transactions import Sent
from svc_client.sovereign.typed_data import Purpose
from svc_client.sync import Client
from svc_client.threaded import LoopThread

Result = TypeVar("Result")
Item = TypeVar("Item", bound=models.Answer)


class Sovereign:
    """`AsyncSovereign` for any number of threads. Use it as a context manager."""

    def __init__(self, wallet: object, node: Client, **options: Unpack[Options]) -> None:
        self._node = node
        self._account = ChainAccount(wallet, node.transport, **options)
        self._thread = LoopThread()
        self.address: Final = self._account.address
        self.contract: Final = self._account.contract
        self.calls: Final = self._account.calls

    def status(self) -> records.AccountStatus:
        """Returns contract and account as the providers show them."""
        return self._run(self._account.status())

    def wallets(self) -> Iterator[models.Wallet]:
        """Goes over the account's wallets after reading every page."""
        return self._each(self._account.wallets())

    def groups(self) -> Iterator[models.Group]:
        """Goes over the account's groups after reading every page."""
        return self._each(self._account.groups())

    def actions(self) -> Iterator[models.Action]:
        """Goes over the account's actions after reading every page."""
        return self._each(self._account.actions())

    def usage_keys(self) -> Iterator[models.UsageKey]:
        """Goes over the account's usage keys after reading every page."""
        return self._each(self._account.usage_keys())

    def preview(self, *calls: Call) -> Preview:
        """Simulates calls as `AsyncSovereign.preview` does."""
        return self._run(self._account.preview(*calls))

    def send(self, *calls: Call, fees: Fees | None = None) -> Sent:
        """Sends calls as `AsyncSovereign.send` does, with the same errors."""
        return self._run(self._account.send(*calls, fees=fees))

    def safe_batch(self, *calls: Call) -> str:
        """Simulates calls and returns a file for a Safe's Transaction Builder. Sends nothing."""
        return self._run(self._account.safe_batch(*calls))

    def open(self, name: str, description: str = "") -> Sent:
        """Opens the wallet's own account."""
        return self._run(self._account.open(name, description))

    def create_group(
        self, name: str, description: str = "", *, actions: Iterable[str] = (), wallets: Iterable[WalletId] = ()
    ) -> str:
        """Makes a group with these actions (CIDs or hashes) and wallets, and returns its id."""
        return self._run(self._account.create_group(name, description, actions=actions, wallets=wallets))

    def mint_wallet(self) -> models.MintedWallet:
        """Lets the node mint a wallet as `AsyncSovereign.mint_wallet` does."""
        signed = self._run(self._account.signed_as_admin(Purpose.CREATE_WALLET))
        return self._node.wallets.mint_with_signature(*signed)

    def mint_usage_key(self) -> models.MintedUsageKey:
        """Lets the node mint a usage key as `AsyncSovereign.mint_usage_key` does."""
        signed = self._run(self._account.signed_as_admin(Purpose.ADD_USAGE_KEY))
        return self._node.usage_keys.mint_with_signature(*signed)

    def convert(self) -> models.Converted:
        """Hands the API key's account to this wallet for good, as `AsyncSovereign.convert` does."""
        converted = self._node.account.convert(self.address, *self._run(self._account.signed_for_conversion()))
        self._run(self._account.see_admin(converted.transaction_hash or ""))
        return converted

    def close(self) -> None:
        """Closes all connections to providers; the node's client stays open."""
        self._thread.close(self._account.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run(self, work: Coroutine[None, None, Result]) -> Result:
        return self._thread.run(work)

    def _each(self, items: AsyncIterator[Item]) -> Iterator[Item]:
        while (item := self._run(_next(items))) is not None:
            yield item


async def _next(items: AsyncIterator[Item]) -> Item | None:
    return await anext(items, None)
