"""Settings of actions, and the lists of hosts they may reach."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_network
from typing import Final, Self

from pydantic import field_validator

from node.settings.field import MIB, Section
from node.settings.field import of as _of
from node.values import IpAddress, IpNetwork

_NAME: Final = re.compile(r"(?:\*\.)?[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*")


@dataclass(frozen=True, slots=True)
class HostList:
    """Names and networks that actions may, or may not, reach.

    An entry is a name, `*.` and a name (every name below it), or an address or network (CIDR). Both
    lists can only narrow what is public.
    """

    names: frozenset[str] = frozenset()
    zones: tuple[str, ...] = ()
    networks: tuple[IpNetwork, ...] = ()

    @classmethod
    def of(cls, entries: Sequence[str]) -> Self:
        """Parses a list. Raises ValueError naming an entry that has none of the three forms."""
        names: set[str] = set()
        zones: list[str] = []
        networks: list[IpNetwork] = []
        for entry in entries:
            # Try a network first, since `10.0.0.1` has the form of a name too.
            if (network := _network(entry)) is not None:
                networks.append(network)
            elif not _NAME.fullmatch(entry.lower()):
                raise ValueError(f"{entry!r} is no name, no `*.` and a name, and no network")
            elif entry.startswith("*."):
                # Keep the dot, or `*.example.com` would include `badexample.com`.
                zones.append(entry[1:].lower())
            else:
                names.add(entry.lower())
        return cls(frozenset(names), tuple(zones), tuple(networks))

    def __bool__(self) -> bool:
        """Whether anything is listed."""
        return bool(self.names or self.zones or self.networks)

    def has_name(self, host: str) -> bool:
        """Whether a name (lower case, no trailing dot) is listed."""
        return host in self.names or any(host.endswith(zone) for zone in self.zones)

    def has_address(self, address: IpAddress) -> bool:
        """Whether a listed network contains the address."""
        return any(address in network for network in self.networks)


NO_HOSTS: Final = HostList()


def _network(entry: str) -> IpNetwork | None:
    try:
        return ip_network(entry)
    except ValueError:
        return None


class ActionSettings(Section):
    """Limits of one action and of all that run."""

    action_timeout_s: float = _of(900.0, "wall time of one action", gt=0)
    action_code_bytes: int = _of(4 * MIB, "source of one action, UTF-8", ge=1)
    action_params_bytes: int = _of(MIB, "js_params as JSON", ge=2)
    action_memory_bytes: int = _of(128 * MIB, "memory of the script's instance", ge=MIB)
    action_response_bytes: int = _of(MIB, "JSON text of the response", ge=4)
    action_log_bytes: int = _of(100 * 1024, "all logs of one action", ge=0)
    action_log_lines: int = _of(10_000, "lines of the logs of one action; more end it", ge=1)
    action_host_calls: int = _of(1_000, "calls of one action to the node, of every kind", ge=0)
    # Every request needs the event loop, so limit one action's share of it.
    action_host_time_s: float = _of(5.0, "processor time of the node for one action's calls, logs and response", gt=0)
    action_key_operations: int = _of(100, "calls of one action to Svc.Actions", ge=0)
    action_concurrent_max: int = _of(
        4096,
        "actions of the node running at a time, whatever memory there is; at most a sixth of its descriptors",
        ge=1,
    )
    action_concurrent_max_per_account: int = _of(16, "actions of one account running at a time; more are 429", ge=1)
    action_queue_max: int = _of(512, "actions waiting to begin; more are 429", ge=0)
    action_queue_wait_max_s: float = _of(10.0, "an action that waits longer to begin is 429", gt=0)
    action_memory_reserve_bytes: int = _of(
        256 * MIB,
        "no action starts while less memory is left; below half of it those that hold most are ended (503)",
        ge=0,
    )
    action_memory_together_bytes: int = _of(0, "memory all actions may hold together; 0: what the container has", ge=0)
    action_spare_workers: int = _of(
        4, "worker processes started ahead, so that a program's first action waits for none", ge=0
    )
    action_idle_workers: int = _of(
        64, "worker processes kept for the next action of their program; beyond that the least recently used end", ge=0
    )
    action_min_block_timeout_s: float = _of(10.0, "how long a request waits for its min_block", gt=0)
    # Limited, since an action can cause node faults, for example by using all its memory.
    action_uncharged_s_per_hour: float = _of(
        60.0, "run time of an account not charged when faults of the node ended its actions; what goes beyond is", ge=0
    )


class ExplainSettings(Section):
    """Rate limits of the explain endpoint."""

    explain_per_minute_per_account: int = _of(60, "calls of explain by all keys of one account; more are 429", ge=1)


class EgressSettings(Section):
    """Outbound requests of actions."""

    egress_requests: int = _of(50, "calls of one action to fetch; the next one ends it", ge=0)
    egress_concurrent_requests: int = _of(6, "requests of one action on their way at a time; further ones wait", ge=1)
    egress_timeout_s: float = _of(30.0, "one call of fetch, redirects and body included", gt=0)
    egress_redirects: int = _of(5, "redirects one call of fetch follows", ge=0)
    egress_request_body_bytes: int = _of(
        3 * MIB, "body of a request; as base64 it must fit into a message of 4 MiB", ge=0
    )
    egress_response_body_bytes: int = _of(10 * MIB, "body of a response, before and after decompression", ge=0)
    egress_held_bytes: int = _of(
        192 * MIB, "bodies on their way to all actions at a time, until the actions have read them", ge=0
    )
    egress_sockets: int = _of(
        1_024, "connections of all actions open at a time; at most a sixth of the process's descriptors", ge=1
    )
    egress_allow_hosts: tuple[str, ...] = _of(
        (), "names, `*.` and names, networks: nothing else is reached; empty: all that is public"
    )
    egress_deny_hosts: tuple[str, ...] = _of((), "likewise: never reached, even if in egress_allow_hosts")

    @field_validator("egress_allow_hosts", "egress_deny_hosts")
    @classmethod
    def _hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """Refuses an invalid entry at startup, before the first request."""
        HostList.of(value)
        return value
