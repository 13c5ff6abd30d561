"""The `acme` library's HTTP with the node's manners: TLS alone, bounded answers, an end to waiting, no environment.

Blocking, for a thread. The library retries a refused nonce once; servers under load refuse more often than that.
"""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import requests
from acme import errors, messages
from acme.client import ClientNetwork
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from josepy.jwa import ES256
from josepy.jwk import JWKEC

from attest.certificates.limits import AcmeLimits

USER_AGENT: Final = "svc-node"
BLOCK_BYTES: Final = 65_536
TOLD_TO_WAIT: Final = frozenset({429, 503})


class AcmeNetwork(ClientNetwork):
    """Signed requests to one certificate authority.

    `ca_file` is a PEM bundle that replaces the public roots, for a private authority. `clock` is monotonic seconds.
    """

    def __init__(
        self,
        account_key: EllipticCurvePrivateKey,
        limits: AcmeLimits,
        ca_file: Path | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        key = JWKEC(key=account_key)
        super().__init__(key, alg=ES256, user_agent=USER_AGENT)
        self._limits = limits
        self._ca = True if ca_file is None else str(ca_file)
        self._clock = clock
        self.session.trust_env = False  # the host can forge the environment: no proxy and no roots from there
        self.retry_after_s: int | None = None
        """What the last refusal asked for."""

    def post(self, *args: Any, **kwargs: Any) -> requests.Response:
        """Sign and send, again with a fresh nonce where one was refused."""
        for _ in range(self._limits.nonce_retries):
            try:
                return self._post_once(*args, **kwargs)
            except messages.Error as error:
                if error.code != "badNonce":
                    raise
        return self._post_once(*args, **kwargs)

    def _send_request(self, method: str, url: str, *args: Any, **kwargs: Any) -> requests.Response:
        """One exchange, body included. Raises acme.errors.ClientError or requests' own errors."""
        if not url.startswith("https://"):
            raise errors.ClientError("the authority names an address without TLS")
        deadline = self._clock() + self._limits.request_timeout_s
        kwargs["headers"] = {**kwargs.get("headers", {}), "User-Agent": self.user_agent}
        kwargs.update(verify=self._ca, timeout=self._limits.request_timeout_s, stream=True, allow_redirects=False)
        with self.session.request(method, url, *args, **kwargs) as response:
            body = b"".join(self._blocks(response, deadline))
        # The public ways to a body are closed for a streamed answer that was read; the library asks for all of them.
        response._content = body  # noqa: SLF001 - see above
        response.encoding = "utf-8"
        self.retry_after_s = _seconds(response) if response.status_code in TOLD_TO_WAIT else None
        return response

    def _blocks(self, response: requests.Response, deadline: float) -> Iterator[bytes]:
        left = self._limits.response_bytes
        for block in response.iter_content(BLOCK_BYTES):
            left -= len(block)
            if left < 0:
                raise errors.ClientError("the answer is too large")
            if self._clock() > deadline:
                raise errors.ClientError("the answer took too long")
            yield block


def _seconds(response: requests.Response) -> int | None:
    """Retry-After in seconds; a date is as good as nothing, since the authority's clock is not ours."""
    value = response.headers.get("Retry-After", "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else None
