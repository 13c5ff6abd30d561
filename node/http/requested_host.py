"""Which host a request is addressed to, where the whole request agrees on one."""

from urllib.parse import urlsplit

from aiohttp import web


def requested_host(request: web.Request) -> str | None:
    """`host[:port]` as it was sent; None when there is none, several, or another one in the request line.

    A proxy may go by the one, the node by the other (RFC 9112, 3.2.2): what they disagree on names no host.
    """
    named = request.headers.getall("Host", ())
    if len(named) != 1:
        return None
    if request.raw_path.startswith("/"):
        return named[0]
    try:
        target = urlsplit(request.raw_path).netloc
    except ValueError:
        return None
    return named[0] if target.lower() == named[0].lower() else None
