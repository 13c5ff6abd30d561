"""The node's settings as they are inlined: the exact text, and what `svc-node serve` makes of it."""

import re
import tomllib
from dataclasses import dataclass

from compose.block import inlinable
from compose.errors import ComposeError, Exit
from compose.limits import DEFAULT_LIMITS, ComposeLimits
from node.errors import StartupRefusedError
from node.settings import PREFIX, SECRETS, Settings
from node.settings.loading import settings_for_serving_from_text


@dataclass(frozen=True, slots=True)
class NodeSettings:
    """`given` are the names that the text sets; the rest of `settings` are defaults of this version."""

    text: str
    settings: Settings
    given: frozenset[str]


def read_settings(text: str, limits: ComposeLimits = DEFAULT_LIMITS) -> NodeSettings:
    """What `serve` would read. Raises ComposeError(MALFORMED) naming the setting, never a value."""
    body = inlinable(text, "the settings file", limits.settings_bytes)
    for name in sorted(SECRETS):
        if re.search(rf"(?im)^[^\n]*#[^\n]*{name}\W*=", body):
            raise ComposeError(
                Exit.MALFORMED,
                f"a comment of the settings file sets {name}: everybody can read this file. Take the secret out, "
                f"replace it where it is valid, and give the new one as {PREFIX}{name.upper()}.",
            )
    try:
        settings = settings_for_serving_from_text(body, {})
    except StartupRefusedError as refused:
        raise ComposeError(Exit.MALFORMED, f"the settings file: {refused}") from None
    return NodeSettings(body, settings, frozenset(tomllib.loads(body)))
