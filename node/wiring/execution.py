"""Actions of one node: their endpoints, their prices and the network they may reach."""

import time

from node.billing.charging import Prices
from node.chain.assembly import ChainComponent
from node.engine.admission.gate import RETRY_AFTER_MAX_S
from node.engine.egress.addresses import AddressPolicy
from node.engine.egress.egress import Egress
from node.execution import explain
from node.execution import routes as execution
from node.execution.explain import ExplainService
from node.execution.service import ExecutionService
from node.http.endpoint import AnyEndpoint
from node.http.rate import AccountGate
from node.settings import Settings
from node.settings.host_list import HostList


def execution_endpoints(settings: Settings, service: ExecutionService, chain: ChainComponent) -> list[AnyEndpoint]:
    """Returns the endpoints that run actions and that explain who may run them."""
    prices = Prices.of(settings)
    explaining = ExplainService(chain.explanations, chain.reads, prices, service.cid_of, settings, time.monotonic)
    gate = AccountGate(settings.action_concurrent_max_per_account, RETRY_AFTER_MAX_S)
    return [
        *execution.endpoints(
            service,
            gate,
            chain.reach,
            execution.largest_answer_bytes(settings.action_response_bytes, settings.action_log_bytes),
        ),
        *explain.endpoints(explaining),
    ]


def action_egress(settings: Settings, *, allow_loopback: bool) -> Egress:
    """Returns the outbound requests of actions, as far as this deployment allows them."""
    policy = AddressPolicy(
        allow=HostList.of(settings.egress_allow_hosts),
        deny=HostList.of(settings.egress_deny_hosts),
        allow_loopback=allow_loopback,
    )
    return Egress(settings, policy)
