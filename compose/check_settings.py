"""Check of the settings: faults, weakened promises to users, and credentials that become public."""

import re
from collections.abc import Iterator
from ipaddress import ip_address, ip_network
from itertools import combinations
from typing import Final
from urllib.parse import SplitResult, urlsplit

from compose.deployment import NodeSettings
from compose.findings import Finding, refused, refused_setting, remark
from node.settings import OWNER_CHANGE_DELAY_MIN_S, PREFIX, Settings
from svc_verifier.compose.tree import Fields, Items, Scalar, Service
from svc_verifier.formats.addresses import rpc_host
from svc_verifier.rendering.text import plain

_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s\"'<>]+")
_PRIVATE: Final = re.compile(
    r"-----BEGIN (?!CERTIFICATE-----)|\b(?:Bearer|Basic)\s+[A-Za-z0-9+/=._-]{6,}|\b(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9_+/=-]{4,}",
    re.IGNORECASE,
)
"""Credentials, with the card processor's forms (https://docs.stripe.com/keys); no certificates."""
_KEY_LIKE: Final = re.compile(r"[A-Za-z0-9_-]{20,}|(?=[A-Za-z_-]*[0-9]+[A-Za-z_-]+[0-9])[A-Za-z0-9_-]{8,}")
_LONG_LABEL: Final = re.compile(r"(?=[^.]*[0-9])[A-Za-z0-9-]{20,}")
_SERVICE: Final = re.compile(r"[a-z][a-z0-9_-]*")
"""Name of one label, which is neither an address nor a public name."""
_APART: Final = ("network_mode", "profiles", "scale", "deploy")
"""Keys by which a service is on no network of the file, or does not run."""
_32_BYTES: Final = re.compile(r"\b(?:0x)?[0-9a-fA-F]{64}\b")
_REPLACE: Final = (
    "Replace it where it is valid, name the entry (`a=https://…`) and give the new one as SVC_RPC_AUTHORIZATION_A."
)


def secret_findings(inlined: NodeSettings) -> Iterator[Finding]:
    """Objects to credentials, and remarks on possible ones."""
    settings, text = inlined.settings, inlined.text
    # Search the whole text: comments are measured and public as well.
    for url in sorted({*settings.rpc_urls, *settings.rpc_websocket_endpoints, *_URL.findall(text)}):
        yield from _of_url(url)
    if _PRIVATE.search(text):
        text = "hold an authorization or a private key, which everybody can read here"
        yield refused("settings", text, "Replace it where it is valid, and name the setting it is for with --secret.")
    if _32_BYTES.search(text):
        yield remark("settings", "hold 32 bytes in hex: if they are a private key, everybody can read and use it")


def _of_url(url: str) -> Iterator[Finding]:
    try:
        parts = urlsplit(url)
        # Some providers put a key into the host name, which the message must not repeat.
        host = _LONG_LABEL.sub("…", parts.hostname or "")
    except ValueError:
        return
    if parts.username is not None or parts.password is not None:
        text = f"the URL of {host} holds a user or password, which everybody can read here"
        yield refused("settings", text, _REPLACE)
    if _holds_key(parts):
        text = f"the URL of {host} holds what may be an access key: everybody can read and use it here"
        yield remark(
            "settings",
            f"{text}; if the provider takes a header, name the entry (`a=https://…`) and give it as SVC_RPC_AUTHORIZATION_A",
        )
    if host != (parts.hostname or ""):
        text = f"the host of {host} holds what may be an access key: this file, logs and metrics tell hosts"
        yield remark("settings", text)


def _holds_key(parts: SplitResult) -> bool:
    """Whether a URL has a query, a fragment, or a path part that looks like a key."""
    return bool(parts.query or parts.fragment or _KEY_LIKE.search(parts.path))


_RPC_AUTHORIZATION: Final = f"{PREFIX}RPC_AUTHORIZATION"
_NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")


def endpoint_findings(settings: Settings) -> Iterator[Finding]:
    """Objects to unsuitable providers, and to too few of them."""
    for url in settings.rpc_urls:
        yield from _endpoint("rpc_endpoints", url, "https")
    for url in filter(None, settings.rpc_websocket_endpoints):
        yield from _endpoint("rpc_websocket_endpoints", url, "wss")
    if settings.rpc_websocket_endpoints and len(settings.rpc_websocket_endpoints) != len(settings.rpc_endpoints):
        fix = "Name as many, empty where there is none."
        yield refused_setting("rpc_websocket_endpoints", "are not as many as rpc_endpoints, in their order", fix)
    if len(settings.rpc_endpoints) == 1 or settings.rpc_quorum == 1:
        yield refused_setting(
            "rpc_endpoints", "one endpoint is believed whatever it says", "Name three, of three providers."
        )
    elif len(settings.rpc_endpoints) == 2:
        yield remark("setting rpc_endpoints", "of two endpoints both must answer: name three, and one may fail")
    hosts = [rpc_host(url).lower() for url in settings.rpc_urls if rpc_host(url)]
    if len(set(hosts)) < len(hosts):
        yield refused_setting(
            "rpc_endpoints", "one host is named twice: its word would count twice", "Name one of each provider."
        )
    if settings.rpc_quorum > len(settings.rpc_endpoints):
        yield refused_setting("rpc_quorum", "is more than there are endpoints: nothing is ever agreed", "Leave it out.")
    # With half of the providers or fewer, two disjoint quorums can agree on different replies.
    if 0 < 2 * settings.rpc_quorum <= len(settings.rpc_endpoints):
        yield refused_setting("rpc_quorum", "is no majority: two answers could both count", "Leave it out.")


def log_export_findings(settings: Settings, node: Service, others: tuple[Service, ...]) -> Iterator[Finding]:
    """Objects to log lines for any other reader than a measured container of this file."""
    if not settings.log_export_url:
        return
    host = urlsplit(settings.log_export_url).hostname or ""
    collectors = [service for service in others if service.name == host]
    # The engine's DNS resolves a service beside the node; the host's resolver resolves any other
    # name. An address, perhaps written as `1` or `0x7f.1`, is not resolved at all.
    if not collectors or host == "localhost" or not _SERVICE.fullmatch(host):
        text = f"{plain(host)} is no service of this file: nothing measured says who reads the log"
        yield refused_setting(
            "log_export_url", text, "Name the collector, as svc-compose render --telemetry-logs does."
        )
    elif any(each.fields.all(key) for each in (node, *collectors) for key in _APART) or not all(
        _networks(node) & _networks(collector) for collector in collectors
    ):
        text = f"service {plain(host)!r} is not always on a network with the node: the host's resolver is asked for it"
        yield refused_setting(
            "log_export_url", text, "Put both on one network, and leave out what keeps it from running."
        )
    else:
        yield remark(
            "setting log_export_url", f"log lines go to service {plain(host)!r}: its configuration says where to"
        )


def _networks(service: Service) -> frozenset[str]:
    """Returns names of the service's networks; `default` if it names none (compose spec)."""
    names: set[str] = set()
    for networks in service.fields.all("networks"):
        if isinstance(networks, Fields):
            names.update(name for name, _ in networks.pairs)
        elif isinstance(networks, Items):
            names.update(item.text for item in networks.items if isinstance(item, Scalar))
    return frozenset(names or {"default"})


def _authorization(settings: Settings, allowed: tuple[str, ...]) -> Iterator[Finding]:
    """Objects to one secret for several providers, since each could use the others' quota."""
    if len(settings.rpc_endpoints) > 1 and _RPC_AUTHORIZATION in allowed:
        yield refused_setting(
            "rpc_endpoints",
            f"are several, and the node does not start when {_RPC_AUTHORIZATION} is set: it would go to all of them",
            "Name the entries (`a=https://…`), and the secret of each with --secret rpc_authorization_a.",
        )


def _endpoint(name: str, url: str, scheme: str) -> Iterator[Finding]:
    """Objects to an unsuitable URL. Never repeats it, since it may hold a secret."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        _ = parts.port  # raises ValueError if malformed
    except ValueError:
        yield refused_setting(name, "holds what is no URL", "Correct it.")
        return
    if not host:
        yield refused_setting(name, "holds what is no URL", "Correct it.")
    if parts.scheme != scheme:
        yield refused_setting(
            name, f"an entry is not {scheme}: who is between may answer in its place", f"Use {scheme}://."
        )
    if host and is_local(host):
        yield refused_setting(name, f"{host} is inside the machine or its network", "Name public endpoints.")


def is_local(host: str) -> bool:
    """Whether the host is local by its text. The node itself checks resolved addresses.

    A last label that is a number makes it an address in notations of some readers: `127.1`,
    `0x7f000001`. A name of one part is another container's.
    """
    host = host.rstrip(".").lower()
    last = host.rpartition(".")[2]
    if last in {"localhost", "local", "internal"}:
        return True
    try:
        return not ip_address(host).is_global
    except ValueError:
        return "." not in host or _NUMBER.fullmatch(last) is not None


_PUBLISHABLE: Final = re.compile(r"pk_(test|live)_[A-Za-z0-9_]{4,240}")
_LEDGER: Final = f"{PREFIX}LEDGER_URL"
_PROCESSOR_SECRETS: Final = (f"{PREFIX}PROCESSOR_SECRET_KEY", f"{PREFIX}PROCESSOR_WEBHOOK_SECRET")
_TOKEN_CONFIRMATIONS: Final[int] = Settings.model_fields["token_confirmations"].default
PROCESSOR_URL: Final[str] = Settings.model_fields["processor_url"].default


def billing_findings(settings: Settings, allowed: tuple[str, ...]) -> Iterator[Finding]:
    """Objects to faulty or risky billing settings; `allowed` are variables for encrypted values."""
    # The node refuses that start: its credit would be on its own disk despite these settings.
    if settings.ledger_ca_pem and _LEDGER not in allowed:
        fix = "Name it with --secret ledger_url, or take ledger_ca_pem out."
        yield refused_setting("ledger_ca_pem", f"is given without a database: {_LEDGER} is not among the secrets", fix)
    if settings.billing == "off":
        yield remark("setting billing", "off: nothing is charged")
        return
    if _LEDGER not in allowed:
        text = "is not among the secrets: credit is kept on this machine's own disk, which nobody can copy or share"
        yield remark("setting ledger_url", f"{text} (docs/backups.md)")
    yield from _processor(settings, allowed)
    yield from _deposits(settings)


def _processor(settings: Settings, allowed: tuple[str, ...]) -> Iterator[Finding]:
    given = [name for name in _PROCESSOR_SECRETS if name in allowed]
    if not given and not settings.processor_publishable_key:
        return
    if missing := [name for name in _PROCESSOR_SECRETS if name not in given]:
        fix = "Name it with --secret, or leave the card processor out."
        yield refused_setting(
            "processor_publishable_key", f"is one of three that go together: {missing[0]} is missing", fix
        )
    mode = _PUBLISHABLE.fullmatch(settings.processor_publishable_key)
    if mode is None:
        yield refused_setting(
            "processor_publishable_key", "is no publishable key (pk_…)", "Take it from the processor."
        )
    elif mode[1] == "test" and not settings.chain_testnet:
        yield refused_setting(
            "processor_publishable_key", "is a test key: payments are play money", "Use the live key."
        )
    yield from _processor_url(settings.processor_url)


def _processor_url(text: str) -> Iterator[Finding]:
    """Objects to the processor's URL. Repeats only its host, since the rest may be secret."""
    try:
        url = urlsplit(text)
        whole = url.scheme == "https" and bool(url.hostname) and url.path in {"", "/"} and not url.query
    except ValueError:
        whole = False
    if not whole:
        yield refused_setting("processor_url", "is not https:// and a host: the secret key goes there", "Leave it out.")
    elif text != PROCESSOR_URL:
        yield remark("setting processor_url", f"the secret key goes to {url.hostname}, and its word is credit")


def _deposits(settings: Settings) -> Iterator[Finding]:
    if bool(settings.token_deposit_contract) != bool(settings.token_prices):
        yield refused_setting("token_prices", "and token_deposit_contract go together", "Set both, or neither.")
    elif settings.token_deposit_contract and settings.token_confirmations < _TOKEN_CONFIRMATIONS:
        text = f"{settings.token_confirmations}: a deposit is spent before the chain has settled it"
        yield remark("setting token_confirmations", text)


DATA_DIR: Final = "/data"
GUEST_AGENT: Final = "/var/run/dstack.sock"
PUBLIC_AUTHORITY: Final = "https://acme-v02.api.letsencrypt.org/directory"
OLDEST_HEAD_S: Final = 600.0
"""Highest age of a head without a remark, since it hides revocations for as long."""
_MOUNTED: Final = ("/data", "/tmp", "/evidences", "/proc", "/dev", "/run", "/var/run")  # noqa: S108 - in a container
_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{40}")
_WIDEST: Final = {4: 8, 6: 16}
"""Bits of the shortest prefix that still names a private network, by the version of IP."""
_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})


def settings_findings(inlined: NodeSettings, allowed: tuple[str, ...]) -> tuple[Finding, ...]:
    """Returns objections to the node's settings; `allowed` are variables for encrypted values."""
    settings = inlined.settings
    return (
        *_missing(settings),
        *secret_findings(inlined),
        *_chain(settings),
        *endpoint_findings(settings),
        *_authorization(settings, allowed),
        *_tls(settings),
        *_certificate(settings),
        *_places(settings),
        *_weak(settings),
        *billing_findings(settings, allowed),
    )


def _missing(settings: Settings) -> Iterator[Finding]:
    for name in (
        "chain_id",
        "chain_name",
        "contract_address",
        "rpc_endpoints",
        "kms_root_public_key",
        "domain",
    ):
        if not getattr(settings, name):
            yield refused_setting(name, "is not set", "Set it: without it the node does not start, or proves nothing.")


def _chain(settings: Settings) -> Iterator[Finding]:
    if settings.contract_address and not _ADDRESS.fullmatch(settings.contract_address):
        yield refused_setting("contract_address", "is no address", "0x and 40 hex digits.")
    elif settings.contract_address and not int(settings.contract_address, 16):
        yield refused_setting("contract_address", "is nobody's", "Deploy the contract first.")
    if settings.kms_root_public_key and not settings.kms_root_public_key.startswith(("02", "03")):
        yield refused_setting(
            "kms_root_public_key", "is no compressed public key: 02 or 03 and 32 bytes", "Correct it."
        )
    if settings.chain_max_head_age_s == 0:
        fix = "Leave it out, or raise it for a slow chain."
        yield refused_setting("chain_max_head_age_s", "0: endpoints that stand still are believed, however long", fix)
    elif settings.chain_max_head_age_s > OLDEST_HEAD_S:
        text = f"{settings.chain_max_head_age_s:g} s: a revocation may stay unseen for as long"
        yield remark("setting chain_max_head_age_s", text)
    if settings.min_owner_change_delay_s < OWNER_CHANGE_DELAY_MIN_S:
        text = f"{settings.min_owner_change_delay_s} s: a contract is taken whose owner users cannot outrun"
        yield refused_setting("min_owner_change_delay_s", text, "Leave it out: a day.")
    if settings.chain_testnet:
        yield remark("setting chain_testnet", "this is a test network")


def _tls(settings: Settings) -> Iterator[Finding]:
    if settings.certificate_mode == "self-signed":
        yield refused_setting("certificate_mode", "self-signed: no client can tell it from another", "Use acme.")
    if not settings.certificate_mode and not settings.evidence_folder:
        fix = "Set certificate_mode, or evidence_folder beside an ingress."
        yield refused_setting("certificate_mode", "is empty and no sidecar's evidence is named: nobody ends TLS", fix)
    if settings.certificate_mode == "acme":
        if settings.acme_directory_url != PUBLIC_AUTHORITY:
            yield remark("setting acme_directory_url", "is not the public authority's: do clients trust it?")
        if settings.acme_ca_file:
            yield remark("setting acme_ca_file", "names private roots: they must be in the image")
    if any(word.startswith(_MOUNTED) for word in settings.acme_dns_hook):
        fix = "Name a program of the image."
        yield refused_setting("acme_dns_hook", "is in a folder that is mounted: no digest names that program", fix)
    elif settings.acme_dns_hook:
        yield remark("setting acme_dns_hook", "runs a command of the image; its arguments are public")


def _certificate(settings: Settings) -> Iterator[Finding]:
    """Objects to settings that the mode lacks, as the node does when it starts."""
    if settings.certificate_mode == "files":
        for name in ("certificate_chain_file", "certificate_key_file"):
            if not getattr(settings, name).startswith(("/evidences/", "/data/")):
                yield refused_setting(name, "is in no folder that is mounted", "Use acme, or have an ingress end TLS.")
    if settings.certificate_mode in {"acme", "self-signed"} and settings.evidence_folder:
        yield refused_setting("evidence_folder", "is a sidecar's, and the node makes its own evidence", "Leave it out.")
    if settings.certificate_mode == "acme" and "dns-01" in settings.acme_challenges and not settings.acme_dns_hook:
        yield refused_setting("acme_dns_hook", "is not set, and dns-01 needs it", "Name a command of the image.")


def _places(settings: Settings) -> Iterator[Finding]:
    if str(settings.data_dir) != DATA_DIR:
        yield refused_setting("data_dir", f"is not {DATA_DIR}, where the volume is", f'data_dir = "{DATA_DIR}".')
    if settings.guest_agent != GUEST_AGENT:
        yield refused_setting(
            "guest_agent", "is not the platform's socket: another could answer", f'"{GUEST_AGENT}" or nothing.'
        )
    for name in ("https_host", "http_host") if settings.certificate_mode else ("http_host",):
        if getattr(settings, name) in _LOOPBACK:
            yield refused_setting(name, "is loopback: nobody reaches the node in its container", f'{name} = "0.0.0.0".')
    for name in ("https_port", "http_port"):
        if getattr(settings, name) == 0:
            yield refused_setting(name, "0 takes any port, and another is published", "Name one.")
    yield from _listeners(settings)


def _listeners(settings: Settings) -> Iterator[Finding]:
    names = ["http_port", "metrics_port", *(["https_port"] if settings.certificate_mode else [])]
    for one, other in combinations(names, 2):
        if getattr(settings, one) == getattr(settings, other) != 0:
            yield refused_setting(one, f"is that of {other} too: the node does not start", "Name another.")


def _weak(settings: Settings) -> Iterator[Finding]:
    if settings.log_level == "debug":
        yield refused_setting("log_level", "debug: logs say more of what users do", "Leave it out.")
    if settings.metrics_host not in _LOOPBACK:
        yield remark("setting metrics_host", "/metrics is open to the other containers; its port must not be published")
    if settings.instance_id:
        yield remark("setting instance_id", "every machine of this file would be the same instance: run it once")
    if settings.proxy_protocol and not settings.trusted_proxies:
        yield refused_setting("trusted_proxies", "is empty with proxy_protocol on", "Name the proxies' networks.")
    for network in settings.trusted_proxies:
        if ip_network(network).prefixlen < _WIDEST[ip_network(network).version]:
            yield refused_setting(
                "trusted_proxies", f"{network}: anybody may say who he is", "Name the proxies' networks."
            )
    for entry in settings.egress_allow_hosts:
        if is_local(entry.partition("/")[0]):
            yield refused_setting("egress_allow_hosts", "opens the machine's own network to actions", "Take it out.")
