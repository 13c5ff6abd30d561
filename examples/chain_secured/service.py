"""The node, proven before the first request (`svc_client`), as far as a ChainSecured account needs it."""

from typing import Any, Self

from administrators import Administrator
from typed_data import digest, envelope

from svc_client import Client
from svc_client.models import MintedUsageKey, MintedWallet


class Service:
    """The node at `url`, with a client for each key; a context manager. `trusted` are a client's arguments that name what is proven."""

    def __init__(self, url: str, chain_id: int, trusted: dict[str, Any]) -> None:
        self._url = url
        self._chain_id = chain_id
        self._trusted = trusted
        self._clients: dict[str | None, Client] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for each in self._clients.values():
            each.close()

    def client(self, key: str | None = None) -> Client:
        """Return the client with this usage key, or without a key. It verifies the node once and keeps the connection."""
        if key not in self._clients:
            self._clients[key] = Client(self._url, key, **self._trusted)
        return self._clients[key]

    def exists(self, key: str) -> bool:
        """Return whether the usage key belongs to an account."""
        return self.client(key).account.exists()

    def mint_wallet(self, admin: Administrator) -> MintedWallet:
        """Mint a wallet that the admin's signature authorises, and no key."""
        typed_data, signature = self._signed("CreateWallet", admin)
        return self.client().wallets.mint_with_signature(typed_data, signature)

    def mint_usage_key(self, admin: Administrator) -> MintedUsageKey:
        """Mint a usage key likewise; its secret is shown once."""
        typed_data, signature = self._signed("AddUsageApiKey", admin)
        return self.client().usage_keys.mint_with_signature(typed_data, signature)

    def _signed(self, primary_type: str, admin: Administrator) -> tuple[dict[str, Any], str]:
        typed_data = envelope(primary_type, admin.address, self._chain_id)
        return typed_data, "0x" + admin.sign(digest(typed_data)).hex()
