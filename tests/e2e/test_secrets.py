"""No secret reaches a log, an error, a metric or the chain: everything a node wrote is searched for what it must not say."""

import base64
import urllib.request
from pathlib import Path

from tests.e2e.account import SIGNING_CODE, new_account
from tests.e2e.conftest import client_of
from tests.support.node import NodeProcess, running_node

KEY_CODE = "async function main({ wallet }) { return await Svc.Actions.getPrivateKey({ pkpId: wallet }); }"
EMAIL = "somebody.private@example.test"


def forms(secret: str) -> list[bytes]:
    """A secret as text and, for a key of 32 bytes, raw and in hex."""
    found = [secret.encode()]
    raw = (
        bytes.fromhex(secret[2:])
        if secret.startswith("0x")
        else base64.b64decode(secret)
        if secret.endswith("=")
        else b""
    )
    return [*found, raw, raw.hex().encode()] if raw else found


def written(node: NodeProcess, data: Path) -> dict[str, bytes]:
    """What a node leaves behind or shows but its log: metrics, and every file of its data directory but the TEE's own root."""
    with urllib.request.urlopen(node.log_value("metrics")) as response:
        texts = {"metrics": response.read()}
    for path in data.rglob("*"):
        if path.is_file():
            texts[str(path.relative_to(data))] = path.read_bytes()
    return texts


def test_what_a_node_writes_holds_no_secret(tmp_path: Path) -> None:
    with running_node(tmp_path) as node:
        client = client_of(node)
        body = client.post("new_account", {"account_name": "secret", "email": EMAIL}).ok()
        account = new_account(client)
        wallet = account.wallet()
        key = account.usage_key(execute_in_groups=[0])
        assert key.key is not None
        owner = account.client
        private_key = owner.post("svc_action", {"code": KEY_CODE, "js_params": {"wallet": wallet}}).ok()["response"]
        owner.post("svc_action", {"code": SIGNING_CODE, "js_params": {"wallet": wallet, "text": "hello"}}).ok()
        owner.post("remove_usage_api_key", {"usage_api_key": key.key, "extra": key.key}).refused(400, "bad_request")
        idempotent = {"Idempotency_Key": "0123456789012345678901"}
        repeated = owner.post("add_usage_api_key", {"name": "kept"}, **idempotent).ok()["usage_api_key"]
        secrets = [body["api_key"], account.key, key.key, repeated, private_key]
        texts = written(node, tmp_path)
    log = "\n".join(node.log)  # whole once the node has stopped
    assert log.count("svc_action") >= 2
    for place, text in {**texts, "log": log.encode()}.items():
        # An address waits in the ledger until the card processor has it, and stays there (docs/billing.md).
        told = [] if place.startswith(("ledger.sqlite3", "processor.sqlite3")) else [EMAIL]
        for number, secret in enumerate([*secrets, *told]):
            for form in forms(secret):
                assert form not in text, f"secret {number} is in {place}"
