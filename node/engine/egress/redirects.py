"""What follows an answer that redirects (Fetch Standard, "HTTP-redirect fetch")."""

from dataclasses import replace
from typing import Final

from node.engine.egress.headers import for_another_origin, without_body
from node.engine.egress.messages import FetchRequest
from node.engine.egress.targets import join_target

REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_POST_BECOMES_GET: Final = frozenset({301, 302})
_SEE_OTHER: Final = 303


def redirected(request: FetchRequest, status: int, location: str) -> FetchRequest:
    """The request to make instead of `request`. Raises FetchRefusedError where `location` leads nowhere.

    Its target is only parsed: whether it may be reached is decided anew, as for any request.
    """
    target = join_target(request.target, location)
    following = replace(request, target=target)
    if _becomes_get(request.method, status):
        following = replace(following, method="GET", body=None, headers=without_body(following.headers))
    if target.origin != request.target.origin:
        following = replace(following, headers=for_another_origin(following.headers))
    return following


def _becomes_get(method: str, status: int) -> bool:
    if status in _POST_BECOMES_GET:
        return method == "POST"
    return status == _SEE_OTHER and method not in {"GET", "HEAD"}
