"""HTTP of the `acme` library under the node's rules: TLS alone, bounded responses, deadlines, no environment.

Blocking, for a thread.
"""

import ssl
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import requests
from acme import errors, messages
from acme.client import ClientNetwork
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from josepy.jwa import ES256
from josepy.jwk import JWKEC
from requests.adapters import HTTPAdapter

USER_AGENT: Final = "svc-node"
BLOCK_BYTES: Final = 65_536
REQUEST_TIMEOUT_S: Final = 30.0
"""Longest exchange with the authority."""
RESPONSE_MAX_BYTES: Final = 1024 * 1024
"""Largest response that is read. A certificate chain has some 6 KiB."""
NONCE_RETRIES: Final = 10
"""Repetitions of a request whose nonce was refused. The library repeats once; authorities under load refuse more often."""
RETRY_LATER: Final = frozenset({429, 503})


class AcmeNetwork(ClientNetwork):
    """Signed requests to one certificate authority.

    `tls` names the trusted roots. This network alone uses it and changes it. `monotonic` is a clock in seconds.
    """

    def __init__(
        self,
        account_key: EllipticCurvePrivateKey,
        tls: ssl.SSLContext,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        key = JWKEC(key=account_key)
        super().__init__(key, alg=ES256, user_agent=USER_AGENT)
        self._monotonic = monotonic
        self.session.trust_env = False  # The host can forge the environment: neither proxy nor roots come from it.
        self.session.mount("https://", _Trusting(tls))
        self.retry_after_s: int | None = None
        """Retry-After of the last refusal."""

    def post(self, *args: Any, **kwargs: Any) -> requests.Response:
        """Sign and send. Repeats with a new nonce when one was refused."""
        for _ in range(NONCE_RETRIES):
            try:
                return self._post_once(*args, **kwargs)
            except messages.Error as error:
                if error.code != "badNonce":
                    raise
        return self._post_once(*args, **kwargs)

    def _send_request(self, method: str, url: str, *args: Any, **kwargs: Any) -> requests.Response:
        """Send a request and read the whole response. Raises acme.errors.ClientError or requests' own errors."""
        if not url.startswith("https://"):
            raise errors.ClientError("the authority names an address without TLS")
        deadline = self._monotonic() + REQUEST_TIMEOUT_S
        kwargs["headers"] = {**kwargs.get("headers", {}), "User-Agent": self.user_agent}
        kwargs.update(verify=True, timeout=REQUEST_TIMEOUT_S, stream=True, allow_redirects=False)
        with self.session.request(method, url, *args, **kwargs) as response:
            body = b"".join(self._blocks(response, deadline))
        # The public ways to a body are closed for a streamed answer that was read; the library asks for all of them.
        response._content = body  # noqa: SLF001 - see above
        response.encoding = "utf-8"
        self.retry_after_s = _seconds(response) if response.status_code in RETRY_LATER else None
        return response

    def _blocks(self, response: requests.Response, deadline: float) -> Iterator[bytes]:
        left = RESPONSE_MAX_BYTES
        for block in response.iter_content(BLOCK_BYTES):
            left -= len(block)
            if left < 0:
                raise errors.ClientError("the answer is too large")
            if self._monotonic() > deadline:
                raise errors.ClientError("the answer took too long")
            yield block


class _Trusting(HTTPAdapter):
    """Adapter that uses this TLS context alone: the context of the libraries also writes its keys to SSLKEYLOGFILE."""

    def __init__(self, tls: ssl.SSLContext) -> None:
        self._tls = tls
        super().__init__()

    def init_poolmanager(self, connections: int, maxsize: int, block: bool = False, **pool_kwargs: Any) -> None:
        """Make the pool as the library does, with the context."""
        super().init_poolmanager(connections, maxsize, block, ssl_context=self._tls, **pool_kwargs)

    def cert_verify(self, conn: Any, url: str, verify: Any, cert: Any) -> None:  # noqa: ARG002 - the library's signature
        """Require a certificate, without the roots that the library would add to the context's own."""
        conn.cert_reqs = "CERT_REQUIRED"


def _seconds(response: requests.Response) -> int | None:
    """Returns Retry-After in seconds. A date is ignored: the authority's clock is not ours."""
    value = response.headers.get("Retry-After", "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else None
