"""All settings of the node, composed of the sections of its components."""

from collections.abc import Iterable
from typing import Final

from pydantic import field_validator

from attest.settings import AcmeSettings, CertificateSettings, GuestAgentSettings
from node.settings.chain import (
    AuthorisationSettings,
    ChainSettings,
    ChainWriteSettings,
    ListenerSettings,
    RpcSettings,
    WalletContractSettings,
    rpc_entry,
)
from node.settings.credits import (
    PriceSettings,
    ProcessorSettings,
    TokenPaymentSettings,
    UsageSettings,
)
from node.settings.execution import ActionSettings, EgressSettings, ExplainSettings
from node.settings.http import AttestationSettings, FieldSettings, HttpSettings, ListeningSettings, TlsSettings
from node.settings.ledger import LedgerSettings, PostgresSettings

__all__ = ["LISTS", "NAMED_AUTHORIZATION", "SECRETS", "Settings", "secrets_of"]

LISTS: Final = (
    *("rpc_endpoints", "rpc_websocket_endpoints", "trusted_proxies", "egress_allow_hosts", "egress_deny_hosts"),
    *("acme_contact", "acme_challenges", "acme_dns_hook", "token_prices"),
)
"""Settings that have several values."""


class Settings(
    ListeningSettings,
    TlsSettings,
    CertificateSettings,
    AcmeSettings,
    HttpSettings,
    FieldSettings,
    ChainSettings,
    RpcSettings,
    ListenerSettings,
    AuthorisationSettings,
    WalletContractSettings,
    ChainWriteSettings,
    ActionSettings,
    ExplainSettings,
    EgressSettings,
    PriceSettings,
    UsageSettings,
    LedgerSettings,
    PostgresSettings,
    ProcessorSettings,
    TokenPaymentSettings,
    GuestAgentSettings,
    AttestationSettings,
):
    """Every setting. A component receives this object typed as its own section.

    The order of the bases is the order of docs/settings.md.
    """

    @field_validator(*LISTS, mode="before")
    @classmethod
    def _from_commas(cls, value: object) -> object:
        """Splits a text at commas, the form of a list in an environment variable."""
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


SECRETS: Final = frozenset(
    {"rpc_authorization", "acme_dns_credential", "ledger_url", "processor_secret_key", "processor_webhook_secret"}
)
"""Settings that `svc-node serve` takes from its environment; `secrets_of` adds named ones."""
NAMED_AUTHORIZATION: Final = "rpc_authorization_"
"""Prefix of a provider's secret, followed by its name in `rpc_endpoints`."""


def secrets_of(rpc_endpoints: Iterable[str]) -> frozenset[str]:
    """Returns the names of the secrets of a node with these providers."""
    # Take names only from the measured file, so that the host cannot add a variable.
    names = (rpc_entry(text).name for text in rpc_endpoints)
    return SECRETS | {NAMED_AUTHORIZATION + name for name in names if name}
