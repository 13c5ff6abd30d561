"""Authentication. A key is hashed as soon as it is read, and only its hash is passed on."""

from collections import OrderedDict
from typing import Final, Protocol

from aiohttp import web

from node.api.errors import SEND_LIVE_KEY, ErrorCode, NodeError, UnknownKeyError
from node.errors import DomainError
from node.http.endpoint import AnyEndpoint, Auth
from node.permissions.grants import Caller
from node.runtime.limits import TokenBuckets
from node.values import KEY_PATTERN, hash_of_text

WALLET_AUTH: Final = "X-Wallet-Auth"
_REMEMBERED_KEYS: Final = 10_000
_BEARER: Final = "bearer"


class Callers(Protocol):
    """Finds callers by their keys, on the chain or in a cache."""

    async def caller(self, key_hash: int) -> Caller | None:
        """Return the caller of a key; None when unknown, removed or expired."""
        ...


class WalletCallers(Protocol):
    """Finds callers by the signatures of their wallets."""

    async def caller(self, header: str) -> Caller:
        """Return the account whose admin wallet signed the value of an `X-Wallet-Auth` header.

        Raises NodeError `unauthorized`, also for a wallet without account, and `chain_unavailable`.
        """
        ...


def wallet_auth_of(request: web.Request) -> str | None:
    """Return the request's `X-Wallet-Auth`, if any. Raises NodeError if it is sent twice."""
    return _only(request, WALLET_AUTH)


def _only(request: web.Request, name: str) -> str | None:
    """Return the one value of a header, if any. Raises NodeError `unauthorized` for several."""
    values = request.headers.getall(name, ())
    # A proxy may check the first value and this node read the last.
    if len(values) > 1:
        message = f"{name} is sent more than once."
        raise NodeError(ErrorCode.UNAUTHORIZED, message, fix="Send it once.", details={"reason": "header_repeated"})
    return values[0].strip() if values else None


def key_hash_of(request: web.Request) -> int:
    """Return the hash of the request's key: `Authorization: Bearer` first, then `X-Api-Key`.

    Raises NodeError `unauthorized` for a missing or malformed key, or a header that is sent twice.
    """
    authorization, key = _only(request, "Authorization"), _only(request, "X-Api-Key")
    scheme, _, token = (authorization or "").partition(" ")
    if scheme.lower() == _BEARER:
        # Even if it is wrong, since trying X-Api-Key then would give the request two callers.
        key = token.strip()
    elif authorization is not None and key is None:
        # Another scheme beside X-Api-Key belongs to a proxy, and names no caller of this node.
        raise _unauthorized("The Authorization header is not of the form: Bearer <key>.")
    if not key:
        raise _unauthorized("This endpoint needs a key, and the request has none.")
    # A key's hash is public on chain, so it must never be accepted as a key.
    if not KEY_PATTERN.fullmatch(key):
        raise _unauthorized("What was sent is not a key: a key is base64 of 32 bytes, never a hash.")
    # From here on only the hash exists, so no log, cache, ledger or error can repeat the key.
    return hash_of_text(key)


class Authenticator:
    """Finds the caller of a request. Look-ups of unknown keys are limited by client address.

    Endpoints with `cached_caller` use `cached_callers`; all others use `callers`, which read live.
    """

    def __init__(
        self, callers: Callers, cached_callers: Callers, wallets: WalletCallers, unknown_keys: TokenBuckets
    ) -> None:
        self._callers = callers
        self._cached_callers = cached_callers
        self._wallets = wallets
        self._unknown_keys = unknown_keys
        self._known: OrderedDict[int, int] = OrderedDict()

    def account_of(self, key_hash: int) -> int | None:
        """Return the account (master hash) of a key seen lately; None for other keys."""
        return self._known.get(key_hash)

    async def authenticate(self, endpoint: AnyEndpoint, key_hash: int, client: str) -> Caller | None:
        """Return the caller. For `Auth.SHAPED_KEY`, return None if the key is unknown.

        `client` is the address as rate limits count it. `check_kind` checks the kind of key.

        Raises UnknownKeyError for an unknown, removed or expired key, and LimitReachedError when
        the address has asked for too many unknown keys.
        """
        # Checked before the look-up, which reads the chain. Only unknown keys are limited, so that
        # an attacker behind the same address cannot lock out a known client.
        if key_hash not in self._known:
            self._unknown_keys.check(client)
        callers = self._cached_callers if endpoint.access.cached_caller else self._callers
        caller = await callers.caller(key_hash)
        if caller is None:
            # A removed key is limited from its next request on.
            self._known.pop(key_hash, None)
            self._unknown_keys.spend(client)
            if endpoint.access.auth is Auth.SHAPED_KEY:
                return None
            raise UnknownKeyError
        # Known keys pass even if an attacker at the same address has used up the look-ups.
        self._known[key_hash] = caller.master_hash
        self._known.move_to_end(key_hash)
        if len(self._known) > _REMEMBERED_KEYS:
            self._known.popitem(last=False)
        return caller

    async def authenticate_wallet(self, header: str, client: str) -> Caller:
        """Return the account whose admin wallet signed the `X-Wallet-Auth` value.

        Raises NodeError `unauthorized` and `chain_unavailable`, which both count like an unknown
        key: a wrong signature costs a chain read, and a contract wallet can make providers disagree
        at will. Raises LimitReachedError like `authenticate`.
        """
        # Before the look-up, so that an empty bucket costs no chain read.
        self._unknown_keys.check(client)
        try:
            return await self._wallets.caller(header)
        except DomainError:
            self._unknown_keys.spend(client)
            raise


def check_kind(endpoint: AnyEndpoint, caller: Caller) -> None:
    """Refuse a kind of key that the endpoint does not take. Called after the body is read.

    Raises NodeError `forbidden`.
    """
    # The admin wallet owns a ChainSecured account; its key from API mode must not act for it.
    needs_account_key = endpoint.access.auth is Auth.ACCOUNT_KEY and not caller.is_account_key
    if not caller.managed and not endpoint.access.open_to_converted and (caller.is_account_key or needs_account_key):
        raise NodeError(
            ErrorCode.FORBIDDEN,
            "This account is ChainSecured: no key may do this, and its old account key only reads.",
            fix="Send the transaction from the account's admin wallet; run actions with a usage key.",
            details={"missing": "admin_wallet"},
        )
    if needs_account_key:
        raise NodeError(
            ErrorCode.FORBIDDEN,
            "Only the account key may do this; this is a usage key.",
            fix="Use the account key.",
            details={"missing": "account_key"},
        )


def _unauthorized(message: str) -> NodeError:
    return NodeError(ErrorCode.UNAUTHORIZED, message, fix=SEND_LIVE_KEY)
