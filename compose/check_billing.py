"""Credits: halves of the card processor and of deposits that the node would refuse at its start, and what costs the operator money."""

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

from compose.findings import Finding, refused_setting, remark
from node.settings import PREFIX, Settings

_PUBLISHABLE: Final = re.compile(r"pk_(test|live)_[A-Za-z0-9_]{4,240}")
_LEDGER: Final = f"{PREFIX}LEDGER_URL"
_PROCESSOR_SECRETS: Final = (f"{PREFIX}PROCESSOR_SECRET_KEY", f"{PREFIX}PROCESSOR_WEBHOOK_SECRET")
_TOKEN_CONFIRMATIONS: Final[int] = Settings.model_fields["token_confirmations"].default
PROCESSOR_URL: Final[str] = Settings.model_fields["processor_url"].default


def billing_findings(settings: Settings, allowed: tuple[str, ...]) -> Iterator[Finding]:
    """`allowed` are the variables that the operator will encrypt."""
    if settings.billing == "off":
        yield remark("setting billing", "off: nothing is charged")
        return
    if _LEDGER not in allowed:
        text = "is not among the secrets: credit is kept on this machine's own disk, which nobody can copy or share"
        yield remark("setting ledger_url", f"{text} (docs/backups.md)")
    yield from _processor(settings, allowed)
    yield from _deposits(settings)


def _processor(settings: Settings, allowed: tuple[str, ...]) -> Iterator[Finding]:
    given = [name for name in _PROCESSOR_SECRETS if name in allowed]
    if not given and not settings.processor_publishable_key:
        return
    if missing := [name for name in _PROCESSOR_SECRETS if name not in given]:
        fix = "Name it with --secret, or leave the card processor out."
        yield refused_setting(
            "processor_publishable_key", f"is one of three that go together: {missing[0]} is missing", fix
        )
    mode = _PUBLISHABLE.fullmatch(settings.processor_publishable_key)
    if mode is None:
        yield refused_setting(
            "processor_publishable_key", "is no publishable key (pk_…)", "Take it from the processor."
        )
    elif mode[1] == "test" and not settings.chain_testnet:
        yield refused_setting(
            "processor_publishable_key", "is a test key: payments are play money", "Use the live key."
        )
    yield from _processor_url(settings.processor_url)


def _processor_url(text: str) -> Iterator[Finding]:
    """Never repeated, but its host: it may hold what should not have been written (`check_secrets`)."""
    try:
        url = urlsplit(text)
        whole = url.scheme == "https" and bool(url.hostname) and url.path in {"", "/"} and not url.query
    except ValueError:
        whole = False
    if not whole:
        yield refused_setting("processor_url", "is not https:// and a host: the secret key goes there", "Leave it out.")
    elif text != PROCESSOR_URL:
        yield remark("setting processor_url", f"the secret key goes to {url.hostname}, and its word is credit")


def _deposits(settings: Settings) -> Iterator[Finding]:
    if bool(settings.token_deposit_contract) != bool(settings.token_prices):
        yield refused_setting("token_prices", "and token_deposit_contract go together", "Set both, or neither.")
    elif settings.token_deposit_contract and settings.token_confirmations < _TOKEN_CONFIRMATIONS:
        text = f"{settings.token_confirmations}: a deposit is spent before the chain has settled it"
        yield remark("setting token_confirmations", text)
