"""Authenticates calls. The secret key may do everything, the publishable one is for browsers.

Source: https://docs.stripe.com/api/authentication and https://docs.stripe.com/keys.
"""

import base64
import binascii
import hmac
from collections.abc import Mapping
from typing import Final

from pydantic import JsonValue

from devkit.processor.errors import ApiError
from devkit.processor.forms import Tree

BROWSER_FIELDS: Final = (
    "id", "object", "amount", "automatic_payment_methods", "canceled_at", "cancellation_reason", "capture_method",
    "client_secret", "confirmation_method", "created", "currency", "description", "last_payment_error", "livemode",
    "next_action", "payment_method", "payment_method_types", "processing", "receipt_email", "setup_future_usage",
    "shipping", "status",
)  # fmt: skip
"""Fields of an intent for a publishable key, without customer and metadata."""


def sent_key(headers: Mapping[str, str], tree: Tree) -> str:
    """Returns a request's key (bearer, basic user, or `key` parameter). Raises ApiError 401."""
    scheme, _, credentials = headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer" and credentials:
        return credentials.strip()
    if scheme.lower() == "basic":
        with_user = _decoded(credentials).partition(":")[0]
        if with_user:
            return with_user
    key = tree.get("key")
    if isinstance(key, str) and key.startswith("pk_"):
        return key
    message = (
        "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth "
        "(e.g. 'Authorization: Bearer YOUR_SECRET_KEY')."
    )
    raise ApiError(401, message)


def _decoded(credentials: str) -> str:
    try:
        return base64.b64decode(credentials, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""


class Keys:
    """The two keys of the account."""

    def __init__(self, secret_key: str, publishable_key: str) -> None:
        self._secret_key = secret_key
        self._publishable_key = publishable_key

    def is_secret(self, key: str) -> bool:
        """Whether it is the secret key, not the publishable one. Raises ApiError 401 for others."""
        sent = key.encode(errors="surrogateescape")
        if hmac.compare_digest(sent, self._secret_key.encode()):
            return True
        if hmac.compare_digest(sent, self._publishable_key.encode()):
            return False
        raise ApiError(401, f"Invalid API Key provided: {_masked(key)}")


def _masked(key: str) -> str:
    prefix = key[:8] if key.startswith(("sk_test_", "pk_test_", "sk_live_", "pk_live_", "rk_test_", "rk_live_")) else ""
    return prefix + "*" * 10 + (key[-4:] if key.isascii() and len(key) > 24 else "")


def publishable_refused() -> ApiError:
    """Returns the 403 of a call that needs the secret key."""
    message = "This API call cannot be made with a publishable API key. Please use a secret API key."
    return ApiError(403, message, code="secret_key_required")


def browser_view(body: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Returns a response, or an error with an intent, in the publishable key's view."""
    if body.get("object") == "payment_intent":
        return {name: body[name] for name in BROWSER_FIELDS}
    error = body.get("error")
    if isinstance(error, dict) and isinstance(intent := error.get("payment_intent"), dict):
        return {"error": {**error, "payment_intent": browser_view(intent)}}
    return dict(body)
