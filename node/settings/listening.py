"""Settings of where the node listens."""

from ipaddress import ip_network
from pathlib import Path
from typing import Literal

from pydantic import field_validator

from node.settings.field import Section
from node.settings.field import of as _of


class ListeningSettings(Section):
    """Addresses the node listens on, its data directory, log level and trusted proxies."""

    http_host: str = _of("127.0.0.1", "address the API listens on")
    http_port: int = _of(8000, "port of the API; 0 takes a free one", ge=0, le=65535)
    metrics_host: str = _of("127.0.0.1", "address /metrics listens on; keep it off the public network")
    metrics_port: int = _of(9464, "port of /metrics; 0 takes a free one", ge=0, le=65535)
    data_dir: Path = _of(Path(".data"), "directory of the node's database; private to it")
    instance_id: str = _of("", "names this instance among those of one app; empty: a random one, kept in data_dir")
    forwarding_header: str = _of("X-Forwarded-For", "header in which a proxy of trusted_proxies names its client")
    trusted_proxies: tuple[str, ...] = _of(
        (), "networks (CIDR) of proxies whose forwarding_header, or PROXY header, is believed; empty: none is"
    )
    proxy_protocol: bool = _of(
        False,
        "connections of trusted_proxies to the HTTP and HTTPS ports begin with a PROXY header (v1 or v2), or are "
        "closed; forwarding_header is then read from nobody",
    )
    source_commit: str = _of("", "commit the node was built from, shown by /version")
    log_level: Literal["debug", "info", "warning", "error"] = _of("info", "what is logged")
    log_export_url: str = _of(
        "",
        "where log lines are sent too, by OTLP/HTTP: a collector in the same measured file, such as "
        "http://telemetry:4318/v1/logs; empty: nowhere",
        pattern="^(http://[a-z0-9]([a-z0-9._-]*[a-z0-9])?(:[0-9]{1,5})?/v1/logs)?$",
    )

    @field_validator("trusted_proxies")
    @classmethod
    def _networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """Each must be a network, said at the start and not at the first request."""
        for network in value:
            ip_network(network)
        return value
