"""Values that fit their schema and that the node refuses, each with the reason: schemathesis sends others in their place."""

import math
import time
from collections.abc import Callable, Mapping
from typing import Any

import schemathesis

from node.engine.cid import parse_cid
from node.engine.errors import InvalidCidError
from node.settings.execution import ActionSettings

CID = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG"


def expiration(value: Any) -> Any:
    """A schema has no clock: a new key may not have expired."""
    try:
        seconds = int(value, 0) if isinstance(value, str) else value
    except ValueError:
        return value
    return None if isinstance(seconds, int) and 0 < seconds <= time.time() else value


def max_seconds(value: Any) -> Any:
    """The most is a setting, which the description names."""
    return 1 if isinstance(value, int) and value > ActionSettings().action_timeout_s else value


def min_block(value: Any) -> Any:
    """A block that the chain has not come to is waited for, and is 503."""
    return 1 if isinstance(value, int) and value > 1 else value


def action_ipfs_cid(value: Any) -> Any:
    """Base 58 is a number, which no pattern bounds exactly: the first and the last texts of the pattern are no CIDs."""
    try:
        return CID if isinstance(value, str) and len(value) == len(CID) and parse_cid(value) else value
    except InvalidCidError:
        return CID if value.startswith("Qm") else value


def moment(value: Any) -> Any:
    """There is no year 0, and 29 February is not in every year."""
    text = str(value)
    return "2026-01-31T00:00:00Z" if text.startswith("0000-") or "-02-29T" in text else value


MENDS: Mapping[str, Callable[[Any], Any]] = {
    "expiration": expiration,
    "max_seconds": max_seconds,
    "min_block": min_block,
    "action_ipfs_cid": action_ipfs_cid,
    "from": moment,
    "to": moment,
}


def mended(name: str, value: Any) -> Any:
    """The value, or one beside it that the node takes."""
    if isinstance(value, dict):
        return {key: mended(key, each) for key, each in value.items()}
    if isinstance(value, list):
        return [mended(name, each) for each in value]
    # To JSON Schema 1.0 is an integer. The node takes no fraction where it wants one, as parsers of other languages do.
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        value = int(value)
    return MENDS[name](value) if name in MENDS else value


@schemathesis.hook
def before_call(_context: schemathesis.HookContext, case: schemathesis.Case[Any], _options: dict[str, Any]) -> None:
    """Mend what is about to be sent, where it is to fit the schema."""
    if case.meta is not None and case.meta.generation.mode.is_negative:
        return
    case.body = mended("", case.body)
    case.query = mended("", dict(case.query or {}))
