"""Published settings: every setting that decides what the node does, and no secret (pure).

An attestation statement repeats them. A verifier therefore sees a forged setting although the compose hash is the same.
"""

import math
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from pydantic import JsonValue, SecretStr

from node.settings import NAMED_AUTHORIZATION, SECRETS, Settings

_LARGEST_INTEGER: Final = 2**53 - 1
"""Largest exact integer of RFC 8785, which writes numbers as ECMAScript does."""
_WEI: Final = "_wei"


def published_settings(settings: Settings) -> dict[str, JsonValue]:
    """Returns `settings` by name, and under `secrets` the names of the secrets that are set.

    A URL is shown as its origin, since its user, path and query may be a credential; amounts of wei, and numbers that
    JSON does not hold exactly, are decimal strings.
    """
    shown: dict[str, JsonValue] = {}
    secrets: list[JsonValue] = []
    for name in sorted(type(settings).model_fields):
        value = getattr(settings, name)
        if name == "rpc_authorizations":
            secrets += [NAMED_AUTHORIZATION + entry for entry in sorted(settings.rpc_authorizations)]
        elif name == "rpc_endpoints":
            shown[name] = _shown(settings.rpc_urls)
        # By name and by type: a secret that is added to one of them alone is still not published.
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
    # Not `str(value)`: a new type of setting might show more of itself than it should.
    raise TypeError(f"A setting of type {type(value).__name__} has no published form.")


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
