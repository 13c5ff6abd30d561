"""Calls with the client that openapi-python-client generates, as a developer writes them. Prints what was answered."""

import json
import sys

from svc_node_client import AuthenticatedClient, Client
from svc_node_client.api.account_and_keys import post_new_account
from svc_node_client.api.actions import get_list_actions
from svc_node_client.api.execution import post_svc_action
from svc_node_client.api.groups import post_add_pkp_to_group
from svc_node_client.api.wallets import get_list_wallets, post_create_wallet
from svc_node_client.models import (
    CreateWalletAnswer,
    CreateWalletRequest,
    ErrorAnswer,
    GroupWalletRequest,
    NewAccountAnswer,
    NewAccountRequest,
    SvcActionAnswer,
    SvcActionRequest,
)


def main(url: str) -> None:
    """Open an account, mint two wallets, run an action, and be refused once."""
    account = post_new_account.sync(client=Client(base_url=url), body=NewAccountRequest(account_name="generated"))
    assert isinstance(account, NewAccountAnswer)
    with AuthenticatedClient(base_url=url, token=account.api_key) as client:
        nameless = post_create_wallet.sync(client=client)
        named = post_create_wallet.sync(client=client, body=CreateWalletRequest(name="Treasury"))
        assert isinstance(nameless, CreateWalletAnswer)
        assert isinstance(named, CreateWalletAnswer)
        wallets = get_list_wallets.sync(client=client)
        assert isinstance(wallets, list)
        ran = post_svc_action.sync(client=client, body=SvcActionRequest(code="function main() { return 6 * 7; }"))
        assert isinstance(ran, SvcActionAnswer)
        actions = get_list_actions.sync(client=client, group_id=0)
        missing = post_add_pkp_to_group.sync(client=client, body=GroupWalletRequest(group_id=7, pkp_id="0"))
        assert isinstance(missing, ErrorAnswer)
    shown = {
        "names": [wallet.name for wallet in wallets],
        "response": ran.response,
        "actions": actions,
        "error": missing.error,
    }
    sys.stdout.write(json.dumps(shown))


if __name__ == "__main__":
    main(sys.argv[1])
