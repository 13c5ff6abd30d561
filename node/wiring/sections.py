"""From the settings to each room's own limits: the rooms know nothing of settings, and no default stands twice unseen."""

from collections.abc import Mapping
from dataclasses import Field, fields, is_dataclass
from typing import Any, Final, TypeVar

from node.billing.free_writes import FreeWriteLimits
from node.billing.payments.limits import MirrorLimits, PaymentLimits
from node.billing.pricing import Prices
from node.billing.usage.service import UsageLimits
from node.http.fields import FieldLimits
from node.http.limits import HttpLimits
from node.http.list_limits import ListLimits
from node.http.tls_listener import TlsLimits
from node.ledger.limits import LedgerLimits
from node.ledger.postgres.limits import PostgresLimits
from node.processor.limits import ProcessorLimits
from node.settings import Settings

Section = TypeVar("Section")

SECTIONS: Final[Mapping[type, str]] = {
    HttpLimits: "http_",
    FieldLimits: "",
    ListLimits: "list_",
    Prices: "price_",
    FreeWriteLimits: "free_writes_",
    LedgerLimits: "ledger_",
    PostgresLimits: "ledger_postgres_",
    UsageLimits: "usage_",
    ProcessorLimits: "processor_",
    PaymentLimits: "processor_",
    MirrorLimits: "mirror_",
    TlsLimits: "https_",
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
