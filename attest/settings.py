"""Settings of the platform and of certificates, and how a setting is declared."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr


class Section(BaseModel):
    """Immutable settings of one component. Errors hide the value, which may be a secret."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


def setting(default: Any, meaning: str, **bounds: Any) -> Any:
    """Declare a setting with its default, meaning and bounds. Its name ends in its unit."""
    return Field(default=default, description=meaning, **bounds)


class GuestAgentSettings(Section):
    """The dstack guest agent and the root key that its key chain must end in."""

    guest_agent: str = setting("/var/run/dstack.sock", "dstack guest agent: path of its unix socket, or URL")
    kms_root_public_key: str = setting(
        "",
        "33-byte compressed public key, hex, that the guest agent's key chain must end in",
        pattern="^([0-9a-f]{66})?$",
    )
    quote_places: int = setting(16, "callers waiting behind the quote that is being made; more are 503", ge=0)


class CertificateSettings(Section):
    """The certificate of the HTTPS listener."""

    certificate_mode: Literal["", "acme", "files", "self-signed"] = setting(
        "",
        "where the certificate of `domain` comes from; then the API is on https_port alone. `self-signed` is insecure; "
        "empty: no TLS here",
    )
    certificate_chain_file: str = setting("", "`files`: PEM file of the chain, leaf first")
    certificate_key_file: str = setting("", "`files`: PEM file of its private key, unencrypted")


class AcmeSettings(Section):
    """Certificates from an ACME authority (RFC 8555)."""

    acme_directory_url: str = setting(
        "https://acme-v02.api.letsencrypt.org/directory",
        "`acme`: directory of the certificate authority",
        pattern="^https://",
    )
    acme_contact: tuple[str, ...] = setting((), "e-mail addresses the authority may write to")
    acme_ca_file: str = setting("", "PEM roots that vouch for a private authority; empty: the public ones")
    acme_challenges: tuple[Literal["tls-alpn-01", "http-01", "dns-01"], ...] = setting(
        ("tls-alpn-01", "http-01"),
        "proofs in the order they are tried; tls-alpn-01 needs one instance behind the name, the others do not",
        min_length=1,
    )
    acme_dns_hook: tuple[str, ...] = setting(
        (), "`dns-01`: command that is called with `present` or `cleanup`, the record's name and its value"
    )
    acme_dns_credential: SecretStr = setting(
        SecretStr(""), "handed to that command alone, as the variable ACME_DNS_CREDENTIAL; empty: none"
    )
    acme_dns_propagation_s: float = setting(30.0, "how long the world may take to see the record", ge=0)
