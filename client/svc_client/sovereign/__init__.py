"""Sovereign mode: the user's wallet runs an account. `pip install 'svc-client[sovereign]'`."""

import svc_client.sovereign._extra  # noqa: F401 - first: it says what to install
from svc_client.sovereign.account import AsyncSovereign
from svc_client.sovereign.calls import Call
from svc_client.sovereign.signers import ContractWallet, Signer, TransactionSigner, read_keystore
from svc_client.sovereign.threaded import Sovereign
from svc_client.sovereign.transactions import Sent

__all__ = [
    "AsyncSovereign",
    "Call",
    "ContractWallet",
    "Sent",
    "Signer",
    "Sovereign",
    "TransactionSigner",
    "read_keystore",
]
