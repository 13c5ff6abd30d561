"""Administration of a ChainSecured account by the user's own wallet: reads, transactions, and mints of the node."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self, TypeVar

from eth_utils.address import to_checksum_address
from pydantic import JsonValue

from svc_client import models
from svc_client.errors import InvalidAnswer, InvalidArgument, SvcError, Unconfirmed, Unreachable
from svc_client.grants import WalletId
from svc_client.sovereign import contract_abi, records
from svc_client.sovereign.acceptance import check_contract
from svc_client.sovereign.calls import Call, Calls, address_hash, batch_of
from svc_client.sovereign.providers import Agreed, Providers, Question, RevertData
from svc_client.sovereign.safe_batch import batch_file
from svc_client.sovereign.signers import TransactionSigner, signature_of, signer_of
from svc_client.sovereign.transactions import GWEI, Fees, Sent, Transactions
from svc_client.sovereign.typed_data import Purpose, envelope
from svc_client.sync import Client
from svc_client.threaded import LoopThread
from svc_verifier.chain.contracts import CONFIRMATIONS
from svc_verifier.check import Check, Status

Result = TypeVar("Result")
Item = TypeVar("Item", bound=models.Answer)

TIMEOUT_S: Final = 300.0
"""For one transaction, from its simulation to its confirmations, unless the caller says otherwise."""
MAX_FEE_GWEI: Final = 200.0
_PAGE_SIZE: Final = 50
_PAGES: Final = 10_000


@dataclass(frozen=True, slots=True)
class Preview:
    """A transaction that would succeed now: its words, its gas limit, and its highest price."""

    words: tuple[str, ...]
    fees: Fees


def _say_nothing(_: str) -> None:
    """Take the hash of a transaction, for callers who do not want it."""


class Sovereign:
    """A ChainSecured account in the hands of a wallet. Use it as a context manager, from any thread.

    `wallet` is an `eth_account` account, a web3 instance with a default account, a `ContractWallet` or any such object. Contract,
    chain and providers are those that `node` was told to trust; the node itself is asked for mints and conversion alone. One
    provider is enough under a development root, or with `one_provider` for one that the user runs. `tell` is given the hash
    of each transaction before it is sent. Everything raises SvcError.
    """

    def __init__(
        self,
        wallet: object,
        node: Client,
        *,
        one_provider: bool = False,
        max_fee_gwei: float = MAX_FEE_GWEI,
        timeout_s: float = TIMEOUT_S,
        tell: Callable[[str], None] = _say_nothing,
    ) -> None:
        self._signer = signer_of(wallet)
        self._node = node
        self._trust = node.transport.trust()
        if self._trust.accounts is None:
            raise InvalidArgument("No account contract is named: pin it in the trust file, or pass account_contract.")
        if timeout_s <= 0 or max_fee_gwei <= 0:
            raise InvalidArgument("timeout_s and max_fee_gwei are more than 0.")
        self.address: Final = str(to_checksum_address(self._signer.address))
        self.contract: Final = str(to_checksum_address(self._trust.accounts.contract))
        self.calls: Final = Calls(self.address)
        is_development = self._trust.development_root is not None
        self._providers = Providers(
            self._trust.rpc_urls,
            self._trust.chain_id,
            one_is_enough=one_provider or is_development,
            is_development=is_development,
            proxy_url=node.transport.trusted.proxy_url,
        )
        self._transactions = Transactions(
            self._providers,
            self.contract,
            max_fee_wei=int(max_fee_gwei * GWEI),
            confirmations=1 if is_development else CONFIRMATIONS,
            tell=tell,
        )
        self._timeout_s = timeout_s
        self._thread = LoopThread()
        self._checks: tuple[Check, ...] | None = None

    def status(self) -> records.AccountStatus:
        """Return what providers show of contract and account."""
        return self._run(self._status())

    def wallets(self) -> Iterator[models.Wallet]:
        """Go over the account's wallets, page by page."""
        return self._pages("listPkps", records.wallet_of)

    def groups(self) -> Iterator[models.Group]:
        """Go over the account's groups, page by page."""
        return self._pages("listGroups", records.group_of)

    def actions(self) -> Iterator[models.Action]:
        """Go over the account's actions, page by page."""
        return self._pages("listActions", records.action_of)

    def usage_keys(self) -> Iterator[models.UsageKey]:
        """Go over the account's usage keys, page by page."""
        return self._pages("listApiKeys", records.usage_key_of)

    def preview(self, *calls: Call) -> Preview:
        """Simulate calls of `self.calls` as one transaction, and return words and price. Nothing is signed or sent."""
        return self._run(self._preview(calls))

    def send(self, *calls: Call) -> Sent:
        """Send calls of `self.calls` as one transaction, and wait until it is confirmed.

        Several calls are a multicall, and are sent only if each would succeed. Raises Reverted, NotSent, ProvidersDisagree and
        ContractNotAccepted with nothing sent; NonceTaken, Unconfirmed and Reverted with the hash after that.
        """
        signer = self._signer
        if not isinstance(signer, TransactionSigner):
            raise InvalidArgument(
                f"The contract {self.address} sends no transaction of its own: write safe_batch instead."
            )
        return self._run(self._send(calls, signer))

    def safe_batch(self, *calls: Call) -> str:
        """Return the calls as a batch file for a Safe's Transaction Builder, simulated as the wallet's own. Nothing is sent."""
        self._run(self._simulated(calls))
        return batch_file(calls, self.contract, self._trust.chain_id, self.address)

    def open(self, name: str, description: str = "") -> Sent:
        """Open the wallet's own account."""
        return self.send(self.calls.open(name, description))

    def create_group(
        self, name: str, description: str = "", *, actions: Iterable[str] = (), wallets: Iterable[WalletId] = ()
    ) -> str:
        """Make a group with these actions (CIDs or hashes) and wallets, and return its id."""
        sent = self.send(self.calls.add_group(name, description, actions=actions, wallets=wallets))
        added = sent.events("GroupAdded")
        if len(added) != 1:
            raise InvalidAnswer(f"The transaction {sent.transaction_hash} does not tell the group's number.")
        return str(added[0]["groupId"])

    def mint_wallet(self) -> models.MintedWallet:
        """Let the node mint a wallet for this account; `calls.register_wallet` then makes it the account's.

        The account has to be open: a wallet that is minted before it can be given to any account.
        """
        self._require_admin()
        return self._node.wallets.mint_with_signature(*self._signed(Purpose.CREATE_WALLET))

    def mint_usage_key(self) -> models.MintedUsageKey:
        """Let the node mint a usage key, whose text is shown once; `calls.attach_usage_key` then gives it its rights."""
        self._require_admin()
        return self._node.usage_keys.mint_with_signature(*self._signed(Purpose.ADD_USAGE_KEY))

    def convert(self) -> models.Converted:
        """Hand the account of the node client's API key to this wallet, for good, and see it on chain.

        The node's payer sends the transaction. Raises Unconfirmed when providers do not show it in time.
        """
        self._ready()
        typed_data, signature = self._signed(Purpose.CONVERT)
        converted = self._node.account.convert(self.address, typed_data, signature)
        self._run(self._see_admin(converted.transaction_hash or ""))
        return converted

    def close(self) -> None:
        """Close all connections to providers; the node's client stays open."""
        self._thread.close(self._providers.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _signed(self, purpose: Purpose) -> tuple[dict[str, JsonValue], str]:
        typed_data = envelope(purpose, self.address, self._trust.chain_id)
        return typed_data, signature_of(self._signer, typed_data)

    def _require_admin(self) -> None:
        if not self.status().is_admin:
            raise InvalidArgument(f"{self.address} is no account's admin: open the account first.")

    def _ready(self) -> None:
        self._run(self._accepted())

    def _run(self, work: Coroutine[None, None, Result]) -> Result:
        return self._thread.run(work)

    async def _accepted(self) -> tuple[Check, ...]:
        """Check the contract, once: its code and immutables cannot change afterwards."""
        if self._checks is None:
            self._checks = await check_contract(self._providers, self._trust)
        return self._checks

    async def _send(self, calls: tuple[Call, ...], signer: TransactionSigner) -> Sent:
        await self._accepted()
        return await self._transactions.send(calls, signer, time.monotonic() + self._timeout_s)

    async def _simulated(self, calls: tuple[Call, ...]) -> Agreed:
        batch_of(calls)
        await self._accepted()
        return await self._transactions.simulate(calls, self.address)

    async def _preview(self, calls: tuple[Call, ...]) -> Preview:
        agreed = await self._simulated(calls)
        fees = await self._transactions.fees(calls, self.address, agreed.block.base_fee_wei)
        return Preview(tuple(call.words for call in calls), fees)

    async def _status(self) -> records.AccountStatus:
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
            # The node's attestation is not asked for here, so checks that need it were not made and say nothing.
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

    async def _see_admin(self, transaction_hash: str) -> None:
        """Wait until the providers show this wallet as the account's admin."""
        deadline, why = time.monotonic() + self._timeout_s, "providers do not show it yet"
        while time.monotonic() < deadline:
            try:
                if (await self._status()).is_admin:
                    return
            except SvcError as error:
                why = str(error)
            await asyncio.sleep(self._providers.poll_s)
        raise Unconfirmed(f"The node says that it converted the account ({transaction_hash}): {why}.", transaction_hash)

    def _view(self, function: str, *arguments: object) -> Question:
        data = contract_abi.calldata(function, arguments)
        return Question("eth_call", ({"to": self.contract, "data": f"0x{data.hex()}"},))

    def _pages(self, view: str, read: Callable[[records.Record], Item]) -> Iterator[Item]:
        self._ready()
        for page in range(_PAGES):
            items, total = self._run(self._page(view, page))
            yield from map(read, items)
            # By place and not by the page's length: a list that shrank meanwhile ends as well.
            if (page + 1) * _PAGE_SIZE >= total:
                return
        raise Unreachable(f"{view} has no end.")

    async def _page(self, view: str, page: int) -> tuple[list[records.Record], int]:
        agreed = await self._providers.at_head([self._view(view, address_hash(self.address), page, _PAGE_SIZE)])
        answer = agreed.answers[0]
        if isinstance(answer, RevertData):
            raise contract_abi.refusal(view, answer.data)
        return records.rows(contract_abi.result(view, answer))
