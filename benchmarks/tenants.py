"""Accounts of a development node, each with a wallet, and their requests as bytes."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.wire import Connection, post


@dataclass(frozen=True, slots=True)
class Tenant:
    """An account with its account key and one wallet."""

    api: str
    key: str
    wallet: str

    def action(self, code: str, params: Mapping[str, object] | None = None) -> bytes:
        """Returns the request that runs `code`. Its parameters always include `wallet`."""
        body = {"code": code, "js_params": {"wallet": self.wallet, **(params or {})}}
        return post(f"{self.api}/svc_action", body, {"X-Api-Key": self.key})

    async def ask(self, path: str) -> Any:
        """Returns the parsed response of a GET."""
        connection = await Connection.open(self.api)
        path = f"{self.api.partition('//')[2].partition('/')[2]}/{path}"
        answer = await connection.ask(f"GET /{path} HTTP/1.1\r\nHost: node\r\nX-Api-Key: {self.key}\r\n\r\n".encode())
        connection.close()
        assert answer.status == 200, answer.body
        return json.loads(answer.body)


async def new_tenants(api: str, count: int) -> list[Tenant]:
    """Makes `count` accounts."""
    connection = await Connection.open(api)

    async def call(path: str, body: object, headers: Mapping[str, str] | None = None) -> Any:
        answer = await connection.ask(post(f"{api}/{path}", body, headers))
        assert answer.status == 200, answer.body
        return json.loads(answer.body)

    made: list[Tenant] = []
    for index in range(count):
        key = (await call("new_account", {"account_name": f"tenant {index}"}))["api_key"]
        wallet = (await call("create_wallet", {}, {"X-Api-Key": key}))["wallet_address"]
        made.append(Tenant(api, key, wallet))
    connection.close()
    return made
