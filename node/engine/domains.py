"""Converts domain names to ASCII, as the URL Standard asks of UTS 46 ("domain to ASCII").

Both the `URL` of actions and the check of outbound requests use it, so that a request goes to the
host that the action sees. The tables are those of `idna`.
"""

import codecs
import unicodedata
from typing import Final

import idna

# `uts46_remap` imports its tables at the first use, when a worker can open no file any more.
import idna.uts46data

_PUNYCODE: Final = codecs.lookup("punycode")
"""Looked up here for the same reason."""
_PREFIX: Final = "xn--"
_LABEL_CHARACTERS_MAX: Final = 63
"""Maximum label that is not ASCII. The DNS has none longer, and Punycode takes quadratic time."""
_RIGHT_TO_LEFT: Final = frozenset({"R", "AL", "AN"})
_JOINERS: Final = "\u200c\u200d"
_UNASSIGNED: Final = "Cn"


def domain_to_ascii(domain: str) -> str:
    """Returns the name in lower case, each label in ASCII. Raises ValueError for an invalid one.

    It is the processing with CheckBidi and CheckJoiners, and without CheckHyphens,
    UseSTD3ASCIIRules and VerifyDnsLength. A name in ASCII is taken as it is, also with Punycode
    that is invalid. A name that is not ASCII has at most 1,024 characters, a limit of `idna`.
    Characters that the interpreter's Unicode does not have yet are refused.
    """
    if domain.isascii():
        return domain.lower()
    # First, as it limits the length.
    mapped = idna.uts46_remap(domain, std3_rules=False).split(".")
    _require_assigned(domain)
    shown = [_decoded(label) for label in mapped]
    if any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for label in shown for character in label):
        for label in filter(None, shown):
            idna.core.check_bidi(label, check_ltr=True)
    return ".".join(map(_encoded, mapped, shown))


def _decoded(label: str) -> str:
    """Returns the label that people read. Raises ValueError unless it is valid (section 4.1)."""
    if not label.startswith(_PREFIX):
        return _valid(label)
    decoded, _ = _PUNYCODE.decode(label.removeprefix(_PREFIX).encode("ascii"))
    if decoded.isascii():
        raise ValueError("a label in Punycode that needs none")
    _require_assigned(decoded)
    # Mapping would change what is not valid, or not in form C.
    if idna.uts46_remap(decoded, std3_rules=False) != decoded:
        raise ValueError("Punycode of a label that would be mapped")
    return _valid(decoded)


def _valid(label: str) -> str:
    if label.isascii():
        return label
    if len(label) > _LABEL_CHARACTERS_MAX or label.startswith(_PREFIX) or "." in label:
        raise ValueError("a label that is too long, or is none")
    idna.core.check_initial_combiner(label)
    for place, character in enumerate(label):
        if character in _JOINERS and not idna.core.valid_contextj(label, place):
            raise ValueError("a joiner that joins nothing")
    return label


def _encoded(mapped: str, shown: str) -> str:
    return mapped if mapped.isascii() else _PREFIX + _PUNYCODE.encode(shown)[0].decode("ascii")


def _require_assigned(text: str) -> None:
    if any(unicodedata.category(character) == _UNASSIGNED for character in text):
        raise ValueError("a character that this Unicode does not have")
