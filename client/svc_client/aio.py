"""The asynchronous client: every endpoint of the node, by subject.

`sync.py` is made from this file by `python -m tools.synchronous`; edit here, or endpoints.toml.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self, TypeVar, Unpack
from urllib.parse import quote, urlencode

from pydantic import JsonValue

from svc_client import models
from svc_client.answers import action_failed, decoded, flag, listed, model, object_of, objects, run_of, text, texts
from svc_client.errors import InvalidAnswer
from svc_client.grants import Grants, GroupId, WalletId, address_of, addresses, grants_body, group_id
from svc_client.statements import Sums
from svc_client.transport import TIMEOUT_S, Call, Repeat, Transport, TrustIn, warn_of_root

if TYPE_CHECKING:
    from svc_verifier.check import Report
    from svc_verifier.session import Response

Kind = TypeVar("Kind", bound=models.Answer)
Item = TypeVar("Item", bound=models.Listed | models.TokenPayment)
_PAGE_SIZE: Final = 100
_PAGES: Final = 10_000
"""Most pages of one list, a million items. A list that goes on raises InvalidAnswer."""
_LONGEST_RUN_S: Final = 900
"""Highest `max_seconds` that the client sends, a node's limit unless its operator set another."""


class _Part:
    """A subject of the API."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def _get(self, path: str, *, at_root: bool = False, is_public: bool = False) -> "Response":
        return await self._transport.call(Call("GET", path, at_root=at_root, is_public=is_public))

    async def _change(self, path: str, members: Mapping[str, JsonValue], *, is_public: bool = False) -> "Response":
        # Leave out an option that was not given, so that the node's default applies.
        given: dict[str, JsonValue] = {name: value for name, value in members.items() if value is not None}
        return await self._transport.call(Call("POST", path, given, Repeat.WITH_KEY, is_public=is_public))

    async def _changed(self, path: str, **members: JsonValue) -> models.Mutation:
        return model(models.Mutation, await self._change(path, members))

    async def _made(self, kind: type[Kind], path: str, **members: JsonValue) -> Kind:
        return model(kind, await self._change(path, members))

    async def _opened(self, kind: type[Kind], path: str, **members: JsonValue) -> Kind:
        return model(kind, await self._change(path, members, is_public=True))

    async def _pages(self, path: str, kind: type[Item]) -> AsyncIterator[Item]:
        # Read all pages first: a caller that removes items would shift the rest to earlier pages.
        # Each page is read at a block of its own, so an item may be on two pages.
        found: dict[str, Item] = {}
        async for item in self._streamed(path, kind):
            found[item.id] = item
        for item in found.values():
            yield item

    async def _streamed(self, path: str, kind: type[Item]) -> AsyncIterator[Item]:
        separator = "&" if "?" in path else "?"
        # A short page is the last one. The node's count of the list is not used, because other
        # clients may change the list meanwhile.
        for page in range(_PAGES):
            response = await self._get(f"{path}{separator}page_number={page}&page_size={_PAGE_SIZE}")
            items = listed(kind, response)
            for item in items:
                yield item
            if len(items) < _PAGE_SIZE:
                return
        raise InvalidAnswer(f"{path} has no end.")


class AsyncAccount(_Part):
    """The account of the key."""

    # Made of client/endpoints.toml by `make format`, from here on:
    async def create(self, name: str, description: str = "", email: str | None = None) -> models.NewAccount:
        """Make an account; needs no key. The response holds its key, which is shown once."""
        return await self._opened(
            models.NewAccount, "/new_account", account_name=name, account_description=description, email=email
        )

    async def exists(self) -> bool:
        """Return whether the key's account exists."""
        return flag(await self._get("/account_exists"))

    async def convert(self, new_admin: str, typed_data: Mapping[str, JsonValue], signature: str) -> models.Converted:
        """Hand the account to a wallet for good. `signature` signs `ConvertAccount`."""
        return await self._made(
            models.Converted,
            "/convert_to_chain_secured_account",
            new_admin_wallet_address=new_admin,
            typed_data=dict(typed_data),
            signature=signature,
        )


class AsyncWallets(_Part):
    """Wallets of the account."""

    async def create(self, name: str = "", description: str = "") -> models.NewWallet:
        """Mint a wallet."""
        return await self._made(models.NewWallet, "/create_wallet", name=name or None, description=description or None)

    # Made of client/endpoints.toml by `make format`, from here on:
    def __aiter__(self) -> AsyncIterator[models.Wallet]:
        """Go over all wallets after reading every page."""
        return self._pages("/list_wallets", models.Wallet)

    def in_group(self, group: GroupId) -> AsyncIterator[models.Wallet]:
        """Go over the wallets of a group."""
        return self._pages(f"/list_wallets_in_group?{urlencode({'group_id': group_id(group)})}", models.Wallet)

    async def mint_with_signature(self, typed_data: Mapping[str, JsonValue], signature: str) -> models.MintedWallet:
        """Mint a wallet for a ChainSecured account. `signature` signs `CreateWallet`."""
        return await self._opened(
            models.MintedWallet, "/create_wallet_with_signature", typed_data=dict(typed_data), signature=signature
        )


class AsyncGroup:
    """Group whose grants read as sentences: `await group.allow(action=cid, wallet=address)`."""

    def __init__(self, groups: "AsyncGroups", number: str) -> None:
        self._groups = groups
        self.id = number

    async def allow(self, action: str | None = None, wallet: WalletId | None = None) -> "AsyncGroup":
        """Let the group's keys run an action (a CID) or use a wallet there. Returns the group."""
        if action is not None:
            await self._groups.add_action(self.id, action)
        if wallet is not None:
            await self._groups.add_wallet(self.id, wallet)
        return self

    async def forbid(self, hashed_cid: str | None = None, wallet: WalletId | None = None) -> "AsyncGroup":
        """Take an action, by its hash, or a wallet out of the group. Returns the group."""
        if hashed_cid is not None:
            await self._groups.remove_action(self.id, hashed_cid)
        if wallet is not None:
            await self._groups.remove_wallet(self.id, wallet)
        return self


class AsyncGroups(_Part):
    """Groups, which say which actions may use which wallets."""

    async def create(
        self, name: str, description: str = "", *, wallets: Sequence[WalletId] = (), action_hashes: Sequence[str] = ()
    ) -> AsyncGroup:
        """Make a group that holds these wallets and hashed CIDs."""
        held: dict[str, JsonValue] = {"pkp_ids_permitted": addresses(wallets), "cid_hashes_permitted": [*action_hashes]}
        made = await self._made(models.NewGroup, "/add_group", group_name=name, group_description=description, **held)
        return AsyncGroup(self, made.group_id)

    def of(self, group: GroupId) -> AsyncGroup:
        """Return the group of this id, without asking the node."""
        return AsyncGroup(self, str(group_id(group)))

    # Made of client/endpoints.toml by `make format`, from here on:
    def __aiter__(self) -> AsyncIterator[models.Group]:
        """Go over all groups after reading every page."""
        return self._pages("/list_groups", models.Group)

    async def update(
        self, group: GroupId, name: str, description: str, wallets: Sequence[WalletId], action_hashes: Sequence[str]
    ) -> models.Mutation:
        """Replace everything of a group; both lists are replaced whole."""
        return await self._changed(
            "/update_group",
            group_id=group_id(group),
            name=name,
            description=description,
            pkp_ids_permitted=addresses(wallets),
            cid_hashes_permitted=[*action_hashes],
        )

    async def remove(self, group: GroupId) -> models.Mutation:
        """Remove a group."""
        return await self._changed("/remove_group", group_id=group_id(group))

    async def add_wallet(self, group: GroupId, wallet: WalletId) -> models.Mutation:
        """Put a wallet into a group."""
        return await self._changed("/add_pkp_to_group", group_id=group_id(group), pkp_id=address_of(wallet))

    async def remove_wallet(self, group: GroupId, wallet: WalletId) -> models.Mutation:
        """Take a wallet out of a group."""
        return await self._changed("/remove_pkp_from_group", group_id=group_id(group), pkp_id=address_of(wallet))

    async def add_action(self, group: GroupId, cid: str) -> models.Mutation:
        """Put an action, by its CID, into a group."""
        return await self._changed("/add_action_to_group", group_id=group_id(group), action_ipfs_cid=cid)

    async def remove_action(self, group: GroupId, hashed_cid: str) -> models.Mutation:
        """Take an action, by its hash, out of a group."""
        return await self._changed("/remove_action_from_group", group_id=group_id(group), hashed_cid=hashed_cid)


class AsyncActions(_Part):
    """Actions, the code that runs in the TEE."""

    async def run(
        self,
        code: str,
        params: Mapping[str, JsonValue] | None = None,
        *,
        max_seconds: int | None = None,
        idempotent: bool = False,
        timeout_s: float | None = None,
    ) -> models.Run:
        """Run code and return its result. The node decides at a block this client saw, or later.

        `max_seconds` ends the run, and its price; without it the node's limit does. It is added
        to the client's deadline, two minutes by default. `timeout_s` is this run's own deadline.

        Raises ActionFailed for an error of the action, and Unanswered if the response is lost. An
        `idempotent` run has an Idempotency-Key: a lost response is asked for again, the run begins
        once, and the deadline is its `max_seconds` unless given. Unanswered means its node ended.
        """
        body: dict[str, JsonValue] = {"code": code}
        if params is not None:
            body["js_params"] = dict(params)
        if max_seconds is not None:
            body["max_seconds"] = max_seconds
            timeout_s = timeout_s or self._transport.timeout_s + max_seconds
        elif idempotent:
            # The run goes on without its client, which waits no longer than this.
            body["max_seconds"] = min(_LONGEST_RUN_S, max(1, int(timeout_s or self._transport.timeout_s)))
        # The client reads its own writes. Another node behind the same balancer may not have seen
        # the block of a grant yet, and waits for it (spec 2.11).
        if self._transport.highest_block is not None:
            body["min_block"] = self._transport.highest_block
        # Each run is charged. Repeat one that may have begun only if the caller asked for it.
        repeat = Repeat.WITH_KEY if idempotent else Repeat.WHEN_REFUSED
        response = await self._transport.call(Call("POST", "/svc_action", body, repeat), timeout_s)
        answer = object_of(response)
        # A failed action gets status 200: the node did its part, and the run is charged.
        if answer.get("has_error"):
            raise action_failed(answer)
        return run_of(answer, response)

    async def cid(self, code: str) -> str:
        """Return the CID of code."""
        # This POST changes nothing, so it is repeated without an Idempotency-Key.
        call = Call("POST", "/get_svc_action_ipfs_id", code, is_public=True)
        return text(await self._transport.call(call))

    def in_group(self, group: GroupId) -> AsyncIterator[models.Action]:
        """Go over the actions of a group."""
        return self._pages(f"/list_actions?{urlencode({'group_id': group_id(group)})}", models.Action)

    # Made of client/endpoints.toml by `make format`, from here on:
    def __aiter__(self) -> AsyncIterator[models.Action]:
        """Go over all registered actions after reading every page."""
        return self._pages("/list_actions", models.Action)

    async def register(self, cid: str, name: str, description: str = "") -> models.Mutation:
        """Register an action with the account."""
        return await self._changed("/add_action", action_ipfs_cid=cid, name=name, description=description)

    async def rename(self, hashed_cid: str, name: str, description: str = "") -> models.Mutation:
        """Give a registered action another name and description."""
        return await self._changed("/update_action_metadata", hashed_cid=hashed_cid, name=name, description=description)

    async def delete(self, hashed_cid: str) -> models.Mutation:
        """Delete an action; it leaves every group."""
        return await self._changed("/delete_action", hashed_cid=hashed_cid)


class AsyncUsageKeys(_Part):
    """Usage keys, which limit what a program may do. Only the account key manages them."""

    async def create(self, name: str, description: str = "", **grants: Unpack[Grants]) -> models.NewUsageKey:
        """Make a usage key with grants, as `create("web", execute_in=[group], cap_cents=500)`."""
        body: dict[str, JsonValue] = {"name": name, "description": description, **grants_body(grants)}
        return await self._made(models.NewUsageKey, "/add_usage_api_key", **body)

    async def update(
        self, api_key_hash: str, name: str, description: str = "", **grants: Unpack[Grants]
    ) -> models.Mutation:
        """Replace all grants of a key. `expires` and `cap_cents` change only if they are given."""
        body: dict[str, JsonValue] = {"name": name, "description": description, **grants_body(grants)}
        return await self._changed("/update_usage_api_key", **body, api_key_hash=api_key_hash)

    # Made of client/endpoints.toml by `make format`, from here on:
    def __aiter__(self) -> AsyncIterator[models.UsageKey]:
        """Go over all usage keys after reading every page."""
        return self._pages("/list_api_keys", models.UsageKey)

    async def rename(self, api_key_hash: str, name: str, description: str = "") -> models.Mutation:
        """Give a key another name and description."""
        return await self._changed(
            "/update_usage_api_key_metadata", api_key_hash=api_key_hash, name=name, description=description
        )

    async def remove(self, api_key_hash: str) -> models.Mutation:
        """Remove a key, by the hash that lists show."""
        return await self._changed("/remove_usage_api_key", api_key_hash=api_key_hash)

    async def mint_with_signature(self, typed_data: Mapping[str, JsonValue], signature: str) -> models.MintedUsageKey:
        """Mint a usage key for a ChainSecured account. `signature` signs `AddUsageApiKey`."""
        return await self._opened(
            models.MintedUsageKey, "/add_usage_api_key_with_signature", typed_data=dict(typed_data), signature=signature
        )


class AsyncBilling(_Part):
    """Credit: balance, payments and charges."""

    async def publishable_key(self) -> str:
        """Return the card processor's publishable key."""
        answer = object_of(await self._get("/billing/processor_config", is_public=True))
        return str(answer.get("publishable_key", ""))

    def usage(self, from_time: str = "", to_time: str = "") -> AsyncIterator[models.Usage]:
        """Go over charges from `from_time` to before `to_time` (RFC 3339, unix s), oldest first."""
        return self._pages(f"/billing/usage{_period(from_time, to_time)}", models.Usage)

    async def usage_csv(self, from_time: str = "", to_time: str = "") -> str:
        """Return the charges as CSV."""
        call = Call("GET", f"/billing/usage{_period(from_time, to_time)}", accept="text/csv")
        return decoded(await self._transport.call(call))

    async def statement(self, from_time: str, to_time: str) -> models.Statement:
        """Return the cost of a period by key and item. Reads every charge of it, page by page."""
        sums = Sums()
        # `usage` keeps all charges until the last page. Charges are only added, so sum them here.
        async for charge in self._streamed(f"/billing/usage{_period(from_time, to_time)}", models.Usage):
            sums.add(charge)
        return sums.statement(from_time, to_time)

    # Made of client/endpoints.toml by `make format`, from here on:
    async def balance(self) -> models.Balance:
        """Return the credit of the account."""
        return model(models.Balance, await self._get("/billing/balance"))

    async def begin_payment(self, amount_cents: int) -> models.PaymentIntent:
        """Begin a card payment of at least 500 cents."""
        return await self._made(models.PaymentIntent, "/billing/create_payment_intent", amount_cents=amount_cents)

    async def confirm_payment(self, payment_intent_id: str) -> models.ConfirmedPayment:
        """Credit a payment that succeeded. Repeating it adds no second credit."""
        return await self._made(
            models.ConfirmedPayment, "/billing/confirm_payment", payment_intent_id=payment_intent_id
        )

    async def token_config(self) -> models.TokenConfig:
        """Return the terms of payment in tokens."""
        return model(models.TokenConfig, await self._get("/billing/token_config"))

    def token_payments(self) -> AsyncIterator[models.TokenPayment]:
        """Go over the deposits the node saw."""
        return self._pages("/billing/token_payments", models.TokenPayment)


class AsyncNode(_Part):
    """The node itself. Nothing here needs a key, and none is sent."""

    async def attestation(self, nonce: str = "") -> models.Attestation:
        """Return a quote. A nonce of 64 hex digits asks for a fresh one."""
        path = f"/attestation?{urlencode({'nonce': nonce})}" if nonce else "/attestation"
        return model(models.Attestation, await self._get(path, at_root=True, is_public=True))

    async def evidence(self, name: str) -> bytes:
        """Return a file of the evidence set, for instance `sha256sum.txt`."""
        return (await self._get(f"/evidences/{quote(name)}", at_root=True, is_public=True)).body

    # Made of client/endpoints.toml by `make format`, from here on:
    async def chain(self) -> models.ChainConfig:
        """Return the settlement chain and the account contract."""
        return model(models.ChainConfig, await self._get("/get_node_chain_config", is_public=True))

    async def health(self) -> models.Health:
        """Return the node's health."""
        return model(models.Health, await self._get("/health", is_public=True))

    async def version(self) -> models.Version:
        """Return the software version that the node claims, without proof."""
        return model(models.Version, await self._get("/version", is_public=True))

    async def limits(self) -> dict[str, JsonValue]:
        """Return every limit that users meet, by name, and the prices."""
        return object_of(await self._get("/get_svc_action_client_config", is_public=True))

    async def payers(self) -> tuple[str, ...]:
        """Return the addresses that send transactions for API-mode accounts."""
        return texts(await self._get("/get_api_payers", is_public=True))

    async def admin_payer(self) -> str:
        """Return the address that names the payers."""
        return text(await self._get("/get_admin_api_payer", is_public=True))

    async def account_contract_abi(self) -> tuple[dict[str, JsonValue], ...]:
        """Return the ABI of the account contract."""
        return objects(await self._get("/get_account_contract_abi", is_public=True))

    async def deposit_contract_abi(self) -> tuple[dict[str, JsonValue], ...]:
        """Return the ABI of the contract that takes payments in tokens."""
        return objects(await self._get("/get_deposit_contract_abi", is_public=True))

    async def info(self) -> models.Info:
        """Return the TEE platform's description of the node."""
        return model(models.Info, await self._get("/info", at_root=True, is_public=True))


class AsyncClient:
    """Client of one node, which is proven before the first byte of a request leaves.

    Trust is a trust file, or `app_id` with `rpc_urls` and `chain_id`. `timeout_s` bounds a call
    with its retries; `proxy_url` is an HTTP proxy. Use it as an async context manager.
    """

    def __init__(
        self,
        url: str,
        api_key: str | None = None,
        *,
        trust: str | PathLike[str] | None = None,
        app_id: str | None = None,
        rpc_urls: Sequence[str] = (),
        chain_id: int | None = None,
        account_contract: str | None = None,
        insecure_dev_root: str | PathLike[str] | None = None,
        proxy_url: str | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        trusted = TrustIn(
            trust=None if trust is None else Path(trust),
            app_id=app_id,
            rpc_urls=tuple(rpc_urls),
            chain_id=chain_id,
            account_contract=account_contract,
            insecure_dev_root=None if insecure_dev_root is None else Path(insecure_dev_root),
            proxy_url=proxy_url,
        )
        # Connects nothing: the first call, or `verify`, proves the node.
        self._transport = Transport(url, api_key, trusted, timeout_s)
        warn_of_root(trusted, url)
        self.account = AsyncAccount(self._transport)
        self.wallets = AsyncWallets(self._transport)
        self.groups = AsyncGroups(self._transport)
        self.actions = AsyncActions(self._transport)
        self.usage_keys = AsyncUsageKeys(self._transport)
        self.billing = AsyncBilling(self._transport)
        self.node = AsyncNode(self._transport)

    @property
    def verification(self) -> "Report | None":
        """The report of the last verification; None before the first."""
        return self._transport.report

    @property
    def transport(self) -> Transport:
        """The transport below, for parts of this package."""
        return self._transport

    async def verify(self) -> "Report":
        """Return the node's report, verified now or before. Raises NodeNotAccepted, Unreachable."""
        session = await self._transport.open()
        verification = session.verification
        assert verification is not None  # noqa: S101 - a session is open only after a verification
        return verification.report

    async def explain(self, *, code: str = "", cid: str = "", wallet: str = "") -> models.Explanation:
        """Return why the key may or may not run an action (code or CID) and use a wallet."""
        # Leave out what was not given: the node reads an empty text as a value.
        given: dict[str, JsonValue] = {"code": code, "action_ipfs_cid": cid, "pkp_id": wallet}
        body: dict[str, JsonValue] = {name: value for name, value in given.items() if value}
        response = await self._transport.call(Call("POST", "/explain", body))
        return model(models.Explanation, response)

    async def close(self) -> None:
        """Close all connections."""
        await self._transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def _period(from_time: str, to_time: str) -> str:
    query = urlencode({name: value for name, value in (("from", from_time), ("to", to_time)) if value})
    return f"?{query}" if query else ""
