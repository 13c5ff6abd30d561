"""A part of a file on one line: equal for equal parts, whatever the order of their keys, and safe to print."""

import hashlib
import json
from typing import Final

from svc_verifier.compose.tree import Fields, Items, Scalar
from svc_verifier.rendering.text import plain

SHOWN_CHARACTERS: Final = 400


def tree_text(value: object) -> str:
    """Text is in quotes, so that `"true"` and `true` differ; what is too long to read ends in its whole hash: of a part of
    one, somebody who writes both files could find two texts.
    """
    whole = _text(value)
    shown = plain(whole, SHOWN_CHARACTERS)
    if shown == whole:
        return shown
    return f"{shown} (sha256 {hashlib.sha256(whole.encode(errors='surrogatepass')).hexdigest()})"


def _text(value: object) -> str:
    if isinstance(value, Scalar):
        return json.dumps(value.text, ensure_ascii=False) if value.is_text else value.text
    if isinstance(value, Items | list):
        items = value.items if isinstance(value, Items) else value
        return f"[{', '.join(map(_text, items))}]"
    if isinstance(value, Fields | dict):
        pairs = value.pairs if isinstance(value, Fields) else tuple(value.items())
        return f"{{{', '.join(sorted(f'{json.dumps(key)}: {_text(part)}' for key, part in pairs))}}}"
    return json.dumps(value, ensure_ascii=False)
