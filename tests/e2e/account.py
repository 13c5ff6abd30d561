"""What most end-to-end tests start from: an account with a wallet, an action, a group and keys."""

from dataclasses import dataclass
from typing import Any

from tests.support.client import Client

SIGNING_CODE = """async function main({ wallet, text }) {
  return await Svc.Actions.signMessage({ pkpId: wallet, message: text });
}
"""
TRIVIAL_CODE = "function main() { return 'done'; }"


@dataclass(frozen=True)
class Account:
    """An API-mode account; `client` speaks with the account key."""

    client: Client
    key: str
    wallet_address: str

    def usage_key(self, **grants: Any) -> Client:
        """A client with a fresh usage key."""
        body = {"name": "usage"} | grants
        return self.client.with_key(self.client.post("add_usage_api_key", body).ok()["usage_api_key"])

    def group(self, **contents: Any) -> str:
        """A fresh group's id."""
        body = {"group_name": "group"} | contents
        return str(self.client.post("add_group", body).ok()["group_id"])

    def wallet(self) -> str:
        """A fresh wallet's address."""
        return str(self.client.post("create_wallet").ok()["wallet_address"])

    def action(self, code: str) -> tuple[str, str]:
        """Register code; its CID and hashed CID."""
        cid = self.client.post("get_svc_action_ipfs_id", code).ok()
        self.client.post("add_action", {"action_ipfs_cid": cid, "name": "action"}).ok()
        listed = self.client.get("list_actions", page_size=100).ok()
        return cid, next(item["hashed_cid"] for item in listed if item["action_ipfs_cid"] == cid)


def new_account(client: Client) -> Account:
    """Sign up."""
    body = client.with_key(None).post("new_account", {"account_name": "test"}).ok()
    return Account(client.with_key(body["api_key"]), body["api_key"], body["wallet_address"])
