"""A developer's backend in a few lines: calls the API and has every answer checked against the OpenAPI document."""

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Answer:
    """One HTTP answer, whole; `body` is the parsed JSON."""

    status: int
    headers: Mapping[str, str]
    body: Any

    def ok(self) -> Any:
        """The body of a 200; anything else fails the test with what was answered."""
        assert self.status == 200, (self.status, self.body)
        return self.body

    def refused(self, status: int, error: str) -> Any:
        """The `details` of an error of this status and code."""
        assert (self.status, self.body.get("error")) == (status, error), (self.status, self.body)
        return self.body.get("details", {})


@dataclass(frozen=True)
class Client:
    """Calls one node with one key (None: without)."""

    api: str
    check: Callable[[str, str, Answer], None]
    key: str | None = None

    def with_key(self, key: str | None) -> "Client":
        """The same node with another key."""
        return replace(self, key=key)

    def send(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str] | None = None) -> Answer:
        """Send raw bytes."""
        sent = dict(headers or {})
        if self.key is not None:
            sent.setdefault("X-Api-Key", self.key)
        request = urllib.request.Request(f"{self.api}/{path}", data=body, headers=sent, method=method)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:
                answer = Answer(response.status, dict(response.headers.items()), json.loads(response.read()))
        except urllib.error.HTTPError as error:
            with error:
                answer = Answer(error.code, dict(error.headers.items()), json.loads(error.read()))
        self.check(method, path.partition("?")[0], answer)
        return answer

    def post(self, path: str, body: object = None, **headers: str) -> Answer:
        """POST JSON; header names are written with underscores."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        content = {"Content-Type": "application/json"}
        return self.send("POST", path, json.dumps({} if body is None else body).encode(), content | named)

    def get(self, path: str, **query: object) -> Answer:
        """GET with query parameters."""
        text = urllib.parse.urlencode({name: str(value) for name, value in query.items()})
        return self.send("GET", f"{path}?{text}" if text else path, None)
