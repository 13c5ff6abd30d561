"""From the settings to each room's own limits: the rooms know nothing of settings, and no default stands twice unseen."""

from collections.abc import Mapping
from dataclasses import Field, fields, is_dataclass
from typing import Any, Final, TypeVar

from attest.certificates.limits import AcmeLimits, CertificateLimits
from attest.evidence.limits import EvidenceLimits
from attest.guest_agent import GuestAgentLimits
from attest.quote_queue import QuoteLimits
from attest.retries import RetryLimits
from node.attestation.limits import AttestationLimits
from node.billing.pricing import Prices
from node.chain.admins.limits import AdminHistoryLimits
from node.chain.authorisations.limits import AuthorisationLimits
from node.chain.deposits.limits import TokenLimits
from node.chain.listener.limits import ListenerLimits
from node.chain.quorum.limits import QuorumLimits
from node.chain.rpc import WebsocketLimits
from node.chain.rpc.limits import RpcLimits
from node.chain.wallet_contracts import WalletContractLimits
from node.chain.writes.limits import FeeLimits, PayerLimits, WriteLimits
from node.engine.admission.limits import AdmissionLimits
from node.engine.egress.limits import EgressLimits
from node.engine.limits import EngineLimits
from node.execution.explain import ExplainLimits
from node.execution.limits import ExecutionLimits
from node.settings import Settings
from node.status.health import HealthLimits

Section = TypeVar("Section")

SECTIONS: Final[Mapping[type, str]] = {
    RpcLimits: "rpc_",
    QuorumLimits: "rpc_",
    WebsocketLimits: "rpc_websocket_",
    ListenerLimits: "listener_",
    AuthorisationLimits: "authorisation_",
    AdminHistoryLimits: "admins_",
    WalletContractLimits: "wallet_",
    WriteLimits: "write_",
    FeeLimits: "fee_",
    PayerLimits: "payer_",
    EngineLimits: "action_",
    AdmissionLimits: "action_",
    EgressLimits: "egress_",
    ExecutionLimits: "action_",
    ExplainLimits: "explain_",
    HealthLimits: "health_",
    Prices: "price_",
    TokenLimits: "",
    GuestAgentLimits: "guest_agent_",
    CertificateLimits: "certificate_",
    AcmeLimits: "acme_",
    RetryLimits: "guest_agent_retry_",
    QuoteLimits: "quote_",
    EvidenceLimits: "evidence_",
    AttestationLimits: "attestation_",
}
"""Each room's limits and what their settings' names begin with."""


def _setting(kind: type, field: "Field[Any]") -> str:
    """A field that bears a setting's whole name is that setting: rooms may share one."""
    return field.name if field.name in Settings.model_fields else SECTIONS[kind] + field.name


def _value(settings: Settings, kind: type, field: "Field[Any]") -> Any:
    nested: object = field.default_factory
    for room in SECTIONS:
        if room is nested:
            return section(settings, room)
    return getattr(settings, _setting(kind, field))


def section(settings: Settings, kind: type[Section]) -> Section:
    """The limits of one room: each field from the setting of its name."""
    assert is_dataclass(kind)  # noqa: S101 - the keys of SECTIONS are
    values = {field.name: _value(settings, kind, field) for field in fields(kind)}
    built: Section = kind(**values)
    return built
