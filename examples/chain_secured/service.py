"""The service's HTTP API, as far as a ChainSecured account needs it."""

import json
import urllib.error
import urllib.request
from typing import Any

from administrators import Administrator
from typed_data import digest, envelope

TIMEOUT_S = 60


class RefusedError(Exception):
    """The service refused: its status, and its error as it says it."""

    def __init__(self, status: int, said: dict[str, Any]) -> None:
        super().__init__(f"{status} {said}")
        self.status = status


class Service:
    """The API at `url`, which ends with /core/v1."""

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")

    def get(self, path: str, key: str | None = None) -> Any:
        """The answer to a GET. Raises RefusedError."""
        return self._ask("GET", path, None, key)

    def post(self, path: str, body: Any, key: str | None = None) -> Any:
        """The answer to a POST. Raises RefusedError."""
        return self._ask("POST", path, json.dumps(body).encode(), key)

    def signed(self, path: str, primary_type: str, wallet: Administrator, chain_id: int) -> dict[str, Any]:
        """The answer to a request that the wallet signs and no key authorises."""
        typed_data = envelope(primary_type, wallet.address, chain_id)
        signature = "0x" + wallet.sign(digest(typed_data)).hex()
        return dict(self.post(path, {"typed_data": typed_data, "signature": signature}))

    def _ask(self, method: str, path: str, body: bytes | None, key: str | None) -> Any:
        headers = {"Content-Type": "application/json"} | ({"X-Api-Key": key} if key else {})
        request = urllib.request.Request(f"{self._url}/{path}", body, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as refused:
            raise RefusedError(refused.code, json.loads(refused.read())) from None
