"""Published settings, which are all but the secrets (pure).

An attestation statement repeats them, so that a verifier sees a forged setting too.
"""

import math
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from pydantic import JsonValue, SecretStr

from node.settings import NAMED_AUTHORIZATION, SECRETS, Settings

_LARGEST_INTEGER: Final = 2**53 - 1
"""Largest integer that RFC 8785 writes exactly, as ECMAScript does."""
_WEI: Final = "_wei"


def published_settings(settings: Settings) -> dict[str, JsonValue]:
    """Returns `settings` by name, and under `secrets` the names of the secrets that are set.

    Only the origin of a URL is shown, since the rest may be a credential. Amounts of wei, and
    numbers that JSON does not hold exactly, are decimal strings.
    """
    shown: dict[str, JsonValue] = {}
    secrets: list[JsonValue] = []
    for name in sorted(type(settings).model_fields):
        value = getattr(settings, name)
        if name == "rpc_authorizations":
            secrets += [NAMED_AUTHORIZATION + entry for entry in sorted(settings.rpc_authorizations)]
        elif name == "rpc_endpoints":
            shown[name] = _shown(settings.rpc_urls)
        # Test name and type, so that a secret missing in one of them is still not published.
        elif name in SECRETS or isinstance(value, SecretStr):
            secret = value.get_secret_value() if isinstance(value, SecretStr) else value
            secrets += [name] if secret else []
        else:
            shown[name] = _shown(value, in_wei=name.endswith(_WEI))
    return {"settings": shown, "secrets": secrets}


def _shown(value: object, *, in_wei: bool = False) -> JsonValue:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return str(value) if in_wei or abs(value) > _LARGEST_INTEGER else value
    if isinstance(value, float):
        return value if math.isfinite(value) and abs(value) <= _LARGEST_INTEGER else str(value)
    if isinstance(value, (tuple, list, frozenset)):
        return [_shown(each) for each in value]
    if isinstance(value, (str, Path)):
        return _origin(str(value)) if "://" in str(value) else str(value)
    # No `str(value)`, since a new type of setting might show more than it should.
    raise TypeError(f"A setting of type {type(value).__name__} has no published form.")


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
