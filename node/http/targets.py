"""Targets of requests (RFC 9112, 3.2), judged as bytes before there is a request object.

aiohttp makes a URL of each target, and asks a URL with an authority for its host when it makes the request: names in it are
then decoded (IDNA) at whatever length. So no such URL gets that far. What aiohttp's parser itself does with a target, of
HEADER_MAX_BYTES at most, costs a fraction of a millisecond: it does not decode, and it alone knows where a head begins.
"""

import re
from typing import Final

from aiohttp.http_exceptions import InvalidURLError
from aiohttp.http_parser import RawRequestMessage
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

_ORIGIN_FORM: Final = re.compile(rb'/[!"$-~]*')
"""Visible characters without `#`: a fragment is no part of a target."""
_ABSOLUTE_FORM: Final = re.compile(
    rb"https?://(?P<authority>[A-Za-z0-9.:_~%\[\]-]{1,255})(?P<origin>/.*)", re.IGNORECASE
)
"""255: the longest name there is (RFC 1035, 2.3.4). Without user information, which no request may have (RFC 9110, 4.2.4)."""


def with_origin_form(message: RawRequestMessage) -> RawRequestMessage:
    """Return the request with its target in origin-form, or `*` of OPTIONS. Raises InvalidURLError for another target.

    An absolute-form is rewritten (RFC 9112, 3.2.2). Where its authority is not that of Host, Host is left out: a proxy may
    go by the one, the node by the other, so what they disagree on names no host.
    """
    target = message.path.encode("utf-8", "surrogateescape")
    # The usual form first; CONNECT has a form of its own, and nothing to connect to here.
    if message.method != "CONNECT" and _ORIGIN_FORM.fullmatch(target):
        return message
    if message.method == "OPTIONS" and target == b"*":
        return message
    absolute = _ABSOLUTE_FORM.fullmatch(target)
    if message.method == "CONNECT" or absolute is None or not _ORIGIN_FORM.fullmatch(absolute["origin"]):
        # Not with the target itself: messages of errors are logged.
        raise InvalidURLError("The target is in no form that is taken here.")
    origin = absolute["origin"].decode()
    path, _, query = origin.partition("?")
    headers = CIMultiDict(message.headers)
    if headers.get("Host", "").lower() != absolute["authority"].decode().lower():
        headers.popall("Host", None)
    return message._replace(
        path=origin,
        url=URL.build(path=path, query_string=query, encoded=True),
        headers=CIMultiDictProxy(headers),
    )
