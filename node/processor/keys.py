"""Keys that the operator has from the processor, validated before they are used.

Their forms (https://docs.stripe.com/keys): `sk_` and `rk_` (restricted) keys are secret, `pk_` keys
are for browsers, and each says whether it moves real money (`live`) or not (`test`).
"""

import re
from dataclasses import dataclass, field
from typing import Final

from yarl import URL

from node.errors import StartupRefusedError

PROCESSOR_URL: Final = "https://api.stripe.com"
WEBHOOK_SECRETS_MAX: Final = 2
"""Maximum webhook secrets, the old and the new one while they are exchanged."""

_SECRET: Final = re.compile(r"(?:sk|rk)_(test|live)_[A-Za-z0-9_]{4,240}")
_PUBLISHABLE: Final = re.compile(r"pk_(test|live)_[A-Za-z0-9_]{4,240}")
_WEBHOOK: Final = re.compile(r"whsec_[A-Za-z0-9_+/=-]{4,240}")
_METHOD: Final = re.compile(r"[a-z0-9_]{2,40}")


@dataclass(frozen=True, slots=True)
class ProcessorKeys:
    """Configuration of the processor. `webhook_secret` may hold two, separated by a comma.

    `payment_methods`, separated by commas, may be used by a customer. The processor offers those
    that its account may take (https://docs.stripe.com/payments/accept-stablecoin-payments).
    """

    secret_key: str = field(repr=False)
    publishable_key: str
    webhook_secret: str = field(repr=False)
    url: str = PROCESSOR_URL
    payment_methods: str = "card,crypto"

    @property
    def live(self) -> bool:
        """Whether payments move real money."""
        return _mode(_SECRET, self.secret_key) == "live"

    @property
    def webhook_secrets(self) -> tuple[str, ...]:
        """Signing secrets: one, or two while they are exchanged."""
        return _listed(self.webhook_secret)

    @property
    def methods(self) -> tuple[str, ...]:
        """Payment methods, by the processor's names."""
        return _listed(self.payment_methods)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _mode(form: re.Pattern[str], key: str) -> str | None:
    match = form.fullmatch(key)
    return None if match is None else match[1]


def validate_keys(keys: ProcessorKeys, *, production: bool) -> None:
    """Checks that the keys have the right form and one mode, in `production` that of real money.

    Raises StartupRefusedError with the setting. No message repeats a key.
    """
    mode = _mode(_SECRET, keys.secret_key)
    if mode is None:
        raise StartupRefusedError("processor_secret_key", "is no secret key of the processor (sk_… or rk_…).")
    # A test key takes test cards, which are in the public documentation.
    if production and mode != "live":
        raise StartupRefusedError(
            "processor_secret_key", "is a test key: every payment would be play money. Use the live key."
        )
    browser = _mode(_PUBLISHABLE, keys.publishable_key)
    if browser is None:
        raise StartupRefusedError("processor_publishable_key", "is no publishable key of the processor (pk_…).")
    # The two modes share no objects, so the browser would not find the payment.
    if browser != mode:
        raise StartupRefusedError(
            "processor_publishable_key",
            f"is a {browser} key beside a {mode} secret key: no payment could be confirmed.",
        )
    secrets = keys.webhook_secrets
    if not 1 <= len(secrets) <= WEBHOOK_SECRETS_MAX or not all(map(_WEBHOOK.fullmatch, secrets)):
        raise StartupRefusedError(
            "processor_webhook_secret",
            "must be the signing secret of the webhook endpoint (whsec_…), or two with a comma.",
        )
    if not keys.methods or not all(map(_METHOD.fullmatch, keys.methods)):
        raise StartupRefusedError(
            "processor_payment_methods", "must be the processor's names of payment methods, such as card,crypto."
        )
    _validate_url(keys.url, production=production)


def _validate_url(text: str, *, production: bool) -> None:
    try:
        url = URL(text)
        whole = url.scheme in {"http", "https"} and bool(url.host) and url.path == "/" and not url.query_string
        plain = url.scheme == "http"
    except ValueError:
        whole, plain = False, False
    if not whole:
        raise StartupRefusedError("processor_url", "must be http:// or https:// and a host, without a path.")
    if production and plain:
        raise StartupRefusedError("processor_url", "must be https:// in production: the secret key goes there.")
