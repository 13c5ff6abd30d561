"""Administration of a ChainSecured account by the user's own wallet.

`ChainAccount` needs no node. `AsyncSovereign` adds mints by the node; `Sovereign` is for threads.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Final, Self, TypedDict, TypeVar, Unpack

from eth_utils.address import to_checksum_address
from pydantic import JsonValue

from svc_client import models
from svc_client.aio import AsyncClient
from svc_client.chain.providers import Agreed, Providers, Question, RevertData
from svc_client.chain.sending import GWEI, Fees, Sender, Sending
from svc_client.errors import InvalidAnswer, InvalidArgument, SvcError, Unconfirmed, Unreachable
from svc_client.grants import WalletId
from svc_client.sovereign import contract_abi, records
from svc_client.sovereign.acceptance import check_contract
from svc_client.sovereign.calls import Call, Calls, address_hash
from svc_client.sovereign.signers import TransactionSigner, raw_transaction, signature_of, signer_of
from svc_client.sovereign.transactions import Sent, batch_file_of, request_of, sent_of
from svc_client.sovereign.typed_data import Purpose, envelope
from svc_client.threaded import SyncTransport
from svc_client.transport import Transport
from svc_verifier.check import Check, Status

Item = TypeVar("Item", bound=models.Listed)

TIMEOUT_S: Final = 300.0
"""Limit of one transaction from simulation to confirmations, unless the caller sets another."""
MAX_FEE_GWEI: Final = 200.0
_WEI_END: Final = 1 << 256
"""End of the uint256 range; fees stay below it."""
_PAGE_SIZE: Final = 50
_PAGES: Final = 10_000


_WITHOUT_DATA_FEE: Final = frozenset({1, 11_155_111, 17_000, 560_048, 31_337})
"""Ethereum, test and development chains, where gas is the whole price. Rollups also charge data."""


@dataclass(frozen=True, slots=True)
class Preview:
    """A transaction that would succeed now, with its words, its gas limit and its highest price."""

    words: tuple[str, ...]
    fees: Fees
    is_whole_price: bool
    """False on a chain that may add a rollup's data fee, which the gas limit does not bound."""


class Options(TypedDict, total=False):
    """Bounds of an account's transactions, and the callback that gets their hashes."""

    one_provider: bool
    """Accept one JSON-RPC provider, which the user runs; otherwise two or more must agree."""
    max_fee_gwei: float
    """Highest price in gwei for a unit of gas; 200."""
    timeout_s: float
    """Limit of one transaction from simulation to confirmations; 300."""
    tell: Callable[[str], None]
    """Gets the hash of each transaction before it is sent."""


def _say_nothing(_: str) -> None:
    """Ignores the hash of a transaction, for callers that do not want it."""


class ChainAccount:
    """A ChainSecured account that a wallet administers, over the chain alone.

    `wallet` is an `eth_account` account, a web3 instance with a default account, a
    `ContractWallet` or a like object. `transport`'s trust names contract, chain and providers;
    a development root makes one provider enough. Every method raises SvcError.
    """

    def __init__(self, wallet: object, transport: Transport | SyncTransport, **options: Unpack[Options]) -> None:
        self._signer = signer_of(wallet)
        self._trust = transport.trust()
        if self._trust.accounts is None:
            raise InvalidArgument("No account contract is named: pin it in the trust file, or pass account_contract.")
        self._timeout_s = options.get("timeout_s", TIMEOUT_S)
        max_fee_gwei = options.get("max_fee_gwei", MAX_FEE_GWEI)
        # Ask for the allowed range: every comparison with NaN is false.
        if not (self._timeout_s > 0 and 0 < max_fee_gwei * GWEI < _WEI_END):
            raise InvalidArgument("timeout_s and max_fee_gwei are numbers above 0.")
        self.address: Final = str(to_checksum_address(self._signer.address))
        self.contract: Final = str(to_checksum_address(self._trust.accounts.contract))
        self.calls: Final = Calls(self.address)
        is_development = self._trust.development_root is not None
        self._providers = Providers(
            self._trust.rpc_urls,
            self._trust.chain_id,
            one_is_enough=options.get("one_provider", False) or is_development,
            is_development=is_development,
            proxy_url=transport.trusted.proxy_url,
        )
        self._sending = Sending(
            self._providers,
            max_fee_wei=int(max_fee_gwei * GWEI),
            tell=options.get("tell", _say_nothing),
        )
        self._checks: tuple[Check, ...] | None = None

    async def status(self) -> records.AccountStatus:
        """Returns contract and account as the providers show them."""
        checks = await self._accepted()
        own_hash = address_hash(self.address)
        asked = [self._view("getAccount", own_hash), Question("eth_getBalance", (self.address,), is_quantity=True)]
        agreed = await self._providers.at_head(asked)
        common = {
            "contract": self.contract,
            "chain_id": self._trust.chain_id,
            "block_number": agreed.block.number,
            "wallet_address": self.address,
            "balance_wei": agreed.number(1),
            # Checks that need the node's attestation were not made here and say nothing.
            "notes": tuple(f"{check.id}: {check.why}" for check in checks if check.status is Status.FAILED),
        }
        account = contract_abi.result("getAccount", agreed.data(0))["shown"]
        if not isinstance(account, dict):
            raise InvalidAnswer("getAccount did not return an account.")
        if not account["masterHash"]:
            return records.AccountStatus.model_validate({**common, "exists": False, "is_admin": False})
        is_admin = account["isMaster"] is True and not account["managed"] and account["adminWallet"] == self.address
        return records.AccountStatus.model_validate(
            {
                **common,
                "exists": True,
                "is_admin": is_admin,
                "admin_wallet_address": account["adminWallet"],
                "account_hash": records.hash_text(account["masterHash"]),
                "name": account["name"],
                "wallets": account["pkpCount"],
                "groups": account["groupCount"],
                "actions": account["actionCount"],
                "usage_keys": account["apiKeyCount"],
            }
        )

    def wallets(self) -> AsyncIterator[models.Wallet]:
        """Goes over the account's wallets after reading every page."""
        return self._pages("listPkps", records.wallet_of)

    def groups(self) -> AsyncIterator[models.Group]:
        """Goes over the account's groups after reading every page."""
        return self._pages("listGroups", records.group_of)

    def actions(self) -> AsyncIterator[models.Action]:
        """Goes over the account's actions after reading every page."""
        return self._pages("listActions", records.action_of)

    def usage_keys(self) -> AsyncIterator[models.UsageKey]:
        """Goes over the account's usage keys after reading every page."""
        return self._pages("listApiKeys", records.usage_key_of)

    async def preview(self, *calls: Call) -> Preview:
        """Simulates calls as one transaction and returns its words and price. Sends nothing."""
        agreed = await self._simulated(calls)
        fees = await self._sending.fees(request_of(calls, self.contract), self.address, agreed.block.base_fee_wei)
        is_whole_price = self._trust.chain_id in _WITHOUT_DATA_FEE
        return Preview(tuple(call.words for call in calls), fees, is_whole_price)

    async def send(self, *calls: Call, fees: Fees | None = None) -> Sent:
        """Sends calls of `self.calls` as one transaction, and waits until it is confirmed.

        `fees` of a preview limit the cost. Several calls are sent as a multicall, if each succeeds.
        Before sending raises Reverted, NotSent, ProvidersDisagree and ContractNotAccepted; later
        NonceTaken, Unconfirmed and Reverted with the hash.
        """
        signer = self._signer
        if not isinstance(signer, TransactionSigner):
            raise InvalidArgument(
                f"The contract {self.address} sends no transaction of its own: write safe_batch instead."
            )
        await self._accepted()
        deadline = time.monotonic() + self._timeout_s
        sender = Sender(signer.address, partial(raw_transaction, signer))
        most_wei = None if fees is None else fees.most_wei
        receipt = await self._sending.send(request_of(calls, self.contract), sender, deadline, most_wei)
        return sent_of(calls, self.contract, receipt)

    async def safe_batch(self, *calls: Call) -> str:
        """Simulates calls and returns a file for a Safe's Transaction Builder. Sends nothing."""
        await self._simulated(calls)
        return batch_file_of(calls, self.contract, self._trust.chain_id, self.address)

    async def open(self, name: str, description: str = "") -> Sent:
        """Opens the wallet's own account."""
        return await self.send(self.calls.open(name, description))

    async def create_group(
        self, name: str, description: str = "", *, actions: Iterable[str] = (), wallets: Iterable[WalletId] = ()
    ) -> str:
        """Makes a group with these actions (CIDs or hashes) and wallets, and returns its id."""
        sent = await self.send(self.calls.add_group(name, description, actions=actions, wallets=wallets))
        added = sent.events("GroupAdded")
        if len(added) != 1:
            raise InvalidAnswer(f"The transaction {sent.transaction_hash} does not tell the group's number.")
        return str(added[0]["groupId"])

    async def signed_as_admin(self, purpose: Purpose) -> tuple[dict[str, JsonValue], str]:
        """Signs for a mint. Raises InvalidArgument without an account: any could take the mint."""
        if not (await self.status()).is_admin:
            raise InvalidArgument(f"{self.address} is no account's admin: open the account first.")
        return await self._signed(purpose)

    async def signed_for_conversion(self) -> tuple[dict[str, JsonValue], str]:
        """Signs for the conversion of an account, once the contract is accepted."""
        await self._accepted()
        return await self._signed(Purpose.CONVERT)

    async def see_admin(self, transaction_hash: str) -> None:
        """Waits until the providers show this wallet as the account's admin. Raises Unconfirmed."""
        deadline, why = time.monotonic() + self._timeout_s, "providers do not show it yet"
        while time.monotonic() < deadline:
            try:
                if (await self.status()).is_admin:
                    return
            except SvcError as error:
                why = str(error)
            await asyncio.sleep(self._providers.poll_s)
        raise Unconfirmed(f"The node says that it converted the account ({transaction_hash}): {why}.", transaction_hash)

    async def close(self) -> None:
        """Closes all connections to providers."""
        await self._providers.close()

    async def _accepted(self) -> tuple[Check, ...]:
        """Checks the contract once. Its code and immutables cannot change afterwards."""
        if self._checks is None:
            self._checks = await check_contract(self._providers, self._trust)
        return self._checks

    async def _signed(self, purpose: Purpose) -> tuple[dict[str, JsonValue], str]:
        typed_data = envelope(purpose, self.address, self._trust.chain_id)
        # In a thread: a hardware wallet or a signing node is slow.
        return typed_data, await asyncio.to_thread(signature_of, self._signer, typed_data)

    async def _simulated(self, calls: tuple[Call, ...]) -> Agreed:
        request = request_of(calls, self.contract)
        await self._accepted()
        return await self._sending.simulate(request, self.address)

    def _view(self, function: str, *arguments: object) -> Question:
        data = contract_abi.calldata(function, arguments)
        return Question("eth_call", ({"to": self.contract, "data": f"0x{data.hex()}"},))

    async def _pages(self, view: str, read: Callable[[records.Record], Item]) -> AsyncIterator[Item]:
        await self._accepted()
        # Read all pages before the first item, and by id, as `AsyncClient` does.
        found: dict[str, Item] = {}
        for page in range(_PAGES):
            items, total = await self._page(view, page)
            found.update((item.id, item) for item in map(read, items))
            # By place and not by the page's length, so that a list that shrank ends as well.
            if (page + 1) * _PAGE_SIZE >= total:
                break
        else:
            raise Unreachable(f"{view} has no end.")
        for item in found.values():
            yield item

    async def _page(self, view: str, page: int) -> tuple[list[records.Record], int]:
        agreed = await self._providers.at_head([self._view(view, address_hash(self.address), page, _PAGE_SIZE)])
        answer = agreed.answers[0]
        if isinstance(answer, RevertData):
            raise contract_abi.refusal(view, answer.data)
        return records.rows(contract_abi.result(view, answer))


class AsyncSovereign(ChainAccount):
    """A ChainSecured account of a wallet (see `ChainAccount`), with the node's mints for it.

    Only mints and conversion use the node. Use it as an async context manager.
    """

    def __init__(self, wallet: object, node: AsyncClient, **options: Unpack[Options]) -> None:
        super().__init__(wallet, node.transport, **options)
        self._node = node

    async def mint_wallet(self) -> models.MintedWallet:
        """Lets the node mint a wallet for this account; `calls.register_wallet` then adds it.

        The account must be open: a wallet minted earlier can be given to any account.
        """
        return await self._node.wallets.mint_with_signature(*await self.signed_as_admin(Purpose.CREATE_WALLET))

    async def mint_usage_key(self) -> models.MintedUsageKey:
        """Lets the node mint a usage key, shown once. `calls.attach_usage_key` then adds it."""
        return await self._node.usage_keys.mint_with_signature(*await self.signed_as_admin(Purpose.ADD_USAGE_KEY))

    async def convert(self) -> models.Converted:
        """Hands the account of the node client's API key to this wallet for good, seen on chain.

        The node's payer sends the transaction. Raises Unconfirmed if providers do not show it.
        """
        converted = await self._node.account.convert(self.address, *await self.signed_for_conversion())
        await self.see_admin(converted.transaction_hash or "")
        return converted

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
