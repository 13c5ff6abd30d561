"""State of the payers, for /health and for Prometheus."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from node.chain.port import Administration
from node.settings.chain import PayerSettings
from node.settings.field import WEI_PER_ETHER
from node.values import ZERO_ADDRESS


class AdminPayerState(StrEnum):
    """Admin payer that the contract names, seen from this enclave."""

    UNKNOWN = "unknown"
    """Not read since the start."""
    UNNAMED = "unnamed"
    """No address yet: the contract has no payers, and no API-mode accounts."""
    OWN = "own"
    OTHER = "other"
    """Another address, whose payers may write every API-mode account."""
    REPLACED = "replaced"
    """This enclave's after another one: writes of that one's payers persist."""


@dataclass(frozen=True, slots=True)
class PayerStatus:
    """State of a payer. `ready`: the contract has it registered and it has gas money."""

    address: str
    balance_wei: int
    registered: bool
    ready: bool


@dataclass(frozen=True, slots=True)
class PayersStatus:
    """State of all payers. `problem` tells the operator in a sentence what to do, or is None.

    `read_age_s`: seconds since balances and names were read; None if not since the start.
    `administration`: the contract's own administration as read at that time.
    """

    payers: Sequence[PayerStatus]
    admin: str
    admin_balance_wei: int
    problem: str | None
    read_age_s: float | None
    administration: Administration | None = None

    @property
    def admin_state(self) -> AdminPayerState:
        """Admin payer that the contract named when it was last read."""
        if self.administration is None:
            return AdminPayerState.UNKNOWN
        named = self.administration.admin_payer
        if named == ZERO_ADDRESS:
            return AdminPayerState.UNNAMED
        if named != self.admin:
            return AdminPayerState.OTHER
        # Grants that the former one's payers wrote remain, so a new naming is no help (spec 11.3).
        return AdminPayerState.REPLACED if self.administration.admin_payer_replacements else AdminPayerState.OWN

    @property
    def payers_of_others(self) -> Sequence[str]:
        """Payers of the contract that are not this instance's.

        While `admin_state` is OWN, only instances of this app can have added them. Naming an admin
        payer removes every payer, and its key is derived in this app's enclaves alone.
        """
        own = {payer.address for payer in self.payers}
        return [] if self.administration is None else [each for each in self.administration.payers if each not in own]

    @property
    def ready(self) -> bool:
        """Whether any payer can send."""
        return any(payer.ready for payer in self.payers)


class PayerMetrics(Collector):
    """Prometheus metrics of `status`; unread values are NaN. The label `payer` is EIP-55."""

    def __init__(
        self, registry: CollectorRegistry, status: Callable[[], PayersStatus], settings: PayerSettings
    ) -> None:
        self._status = status
        self._settings = settings
        registry.register(self)

    def collect(self) -> Iterable[Metric]:
        """Yields the metrics as of now."""
        status = self._status()
        known = status.read_age_s is not None
        yield from self._of_each(status, known=known)
        yield _labelled(
            "svc_admin_payer_balance_ether",
            "What the admin payer holds, in units of 10^18 wei.",
            {status.admin: status.admin_balance_wei / WEI_PER_ETHER if known else math.nan},
        )
        yield _gauge(
            "svc_payer_low_balance_ether",
            "Below it a payer is filled up; /health is degraded where the admin payer cannot.",
            self._settings.payer_low_balance_wei / WEI_PER_ETHER,
        )
        yield _gauge(
            "svc_admin_payer_low_balance_ether",
            "What filling one empty payer takes: below it /health is degraded at the next payer that is low.",
            self._settings.payer_target_balance_wei / WEI_PER_ETHER,
        )
        yield _gauge(
            "svc_payer_funding_problem",
            "1: the last round over the payers found what the operator has to mend, or no answers; /health says which.",
            float(status.problem is not None),
        )
        yield _gauge(
            "svc_payer_read_age_seconds",
            "Since the payers' balances and names were last read.",
            math.nan if status.read_age_s is None else status.read_age_s,
        )

        yield from _of_the_contract(status)

    def _of_each(self, status: PayersStatus, *, known: bool) -> Iterable[Metric]:
        def of_each(name: str, meaning: str, values: Iterable[float]) -> Metric:
            shown = zip((payer.address for payer in status.payers), values, strict=True)
            return _labelled(name, meaning, {address: value if known else math.nan for address, value in shown})

        yield of_each(
            "svc_payer_balance_ether",
            "What a payer of this instance holds, in units of 10^18 wei.",
            [payer.balance_wei / WEI_PER_ETHER for payer in status.payers],
        )
        yield of_each(
            "svc_payer_registered",
            "Whether the contract names the payer: 1 or 0.",
            [float(payer.registered) for payer in status.payers],
        )
        yield of_each(
            "svc_payer_ready",
            "Whether the payer can send: it is named, and has gas money that no unfinished transaction may take.",
            [float(payer.ready) for payer in status.payers],
        )


def _of_the_contract(status: PayersStatus) -> Iterable[Metric]:
    admin = GaugeMetricFamily(
        "svc_contract_admin_payer",
        "1 for whom the contract names as admin payer: this enclave's own, nobody (unnamed), somebody else (other), or this "
        "enclave's after somebody else's (replaced).",
        labels=["named"],
    )
    for state in AdminPayerState:
        admin.add_metric([state], float(status.admin_state is state))
    yield admin
    read = status.administration
    yield _gauge(
        "svc_contract_payers_of_others",
        "The contract's payers that are not this instance's; other instances of the app have added them.",
        math.nan if read is None else float(len(status.payers_of_others)),
    )
    yield _gauge(
        "svc_owner_change_effective_timestamp_seconds",
        "From when the owner's scheduled change of the admin payer may take effect, in unix seconds; 0: none is scheduled.",
        math.nan if read is None else float(read.scheduled.effective_at if read.scheduled else 0),
    )


def _labelled(name: str, meaning: str, values: dict[str, float]) -> Metric:
    family = GaugeMetricFamily(name, meaning, labels=["payer"])
    for address, value in values.items():
        family.add_metric([address], value)
    return family


def _gauge(name: str, meaning: str, value: float) -> Metric:
    return GaugeMetricFamily(name, meaning, value=value)
