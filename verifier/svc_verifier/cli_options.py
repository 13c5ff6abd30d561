"""Options of the command line, and the trust that they ask for."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from svc_verifier.addresses import DEFAULT_CHAIN_ID, DEFAULT_ENDPOINTS, DEVELOPMENT_CHAIN_ID, HostAddress, is_rpc_url
from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.files import read_bytes
from svc_verifier.trust import AccountPins, DevelopmentRoot, Freshness, TcbStatus, Trust
from svc_verifier.trust_file import load_trust, parse_hex

Value = TypeVar("Value")
ADDRESS_BYTES: Final = 20
ROOT_LIMIT_BYTES: Final = 65_536


class ContradictionError(Exception):
    """The command line contradicts itself or the trust file, or leaves out what must be named: misuse, exit code 2."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The options that say what is trusted; None and empty where one is not given."""

    app_id: bytes | None = None
    chain_id: int | None = None
    rpc_urls: tuple[str, ...] = ()
    trust_file: Path | None = None
    kms_contract: bytes | None = None
    kms_public_key: bytes | None = None
    account_contract: bytes | None = None
    accept_tcb: tuple[TcbStatus, ...] = ()
    accept_env: tuple[str, ...] = ()
    freshness: Freshness | None = None
    insecure_dev_root: Path | None = None


def trust_for(host: str, asked: Asked, *, live: bool, unnamed: bool = False) -> Trust:
    """The trust for a host's name. `live` needs endpoints of the chain, a replay does not.

    `unnamed` lets the application be left out: its app id is then zeros, which is nobody's.

    Raises ContradictionError, and VerifierError(BAD_TRUST, BAD_ROOT) for files that cannot be read.
    """
    file = load_trust(asked.trust_file) if asked.trust_file is not None else None
    if file is not None and file.host != host:
        raise ContradictionError(f"the trust file is of {file.host}, not of {host}")
    root = development_root(asked.insecure_dev_root) if asked.insecure_dev_root is not None else None
    app_id = _one("--app-id", asked.app_id, file.app_id if file else None)
    if app_id is None and not unnamed:
        raise ContradictionError("name the application with --app-id, or a trust file that does")
    usual = DEVELOPMENT_CHAIN_ID if root is not None else DEFAULT_CHAIN_ID
    chain_id = _one("--chain-id", asked.chain_id, file.chain_id if file else None) or usual
    base = file or Trust(host=host, app_id=app_id or bytes(ADDRESS_BYTES), chain_id=chain_id)
    return replace(
        base,
        rpc_urls=_endpoints(asked.rpc_urls or base.rpc_urls, chain_id, live=live),
        kms_contract=_one("--kms-contract", asked.kms_contract, base.kms_contract),
        accounts=_accounts(asked.account_contract, base.accounts),
        kms_public_key=_one("--kms-public-key", asked.kms_public_key, base.kms_public_key),
        tcb=replace(base.tcb, accepted=base.tcb.accepted.union(asked.accept_tcb)),
        host_input=base.host_input.union(asked.accept_env),
        freshness=asked.freshness or base.freshness,
        development_root=root,
    )


def development_root(path: Path) -> DevelopmentRoot:
    """The INSECURE root of a simulator, from a PEM file of one certificate. Raises VerifierError(BAD_ROOT)."""
    from cryptography import x509  # noqa: PLC0415 - a fifth of a replay's start, and needed here alone
    from cryptography.hazmat.primitives.serialization import Encoding  # noqa: PLC0415 - likewise

    try:
        (certificate,) = x509.load_pem_x509_certificates(read_bytes(path, ROOT_LIMIT_BYTES))
        return DevelopmentRoot(certificate.public_bytes(Encoding.DER))
    except (OSError, ValueError) as error:
        message = f"{path} is no PEM file of one certificate ({type(error).__name__})"
        raise VerifierError(VerifierErrorCode.BAD_ROOT, message) from None


def _one(option: str, asked: Value | None, filed: Value | None) -> Value | None:
    if asked is not None and filed is not None and asked != filed:
        raise ContradictionError(f"{option} and the trust file name different values")
    return asked if asked is not None else filed


def _accounts(contract: bytes | None, filed: AccountPins | None) -> AccountPins | None:
    if contract is None or filed is None:
        return filed if contract is None else AccountPins(contract=contract)
    _one("--account-contract", contract, filed.contract)
    return filed


def _endpoints(named: tuple[str, ...], chain_id: int, *, live: bool) -> tuple[str, ...]:
    if named or not live:
        return named
    known = DEFAULT_ENDPOINTS.get(chain_id)
    if known is None:
        raise ContradictionError(f"no public endpoints of chain {chain_id} are known here: name yours with --rpc-url")
    return known


Command = TypeVar("Command", bound=Callable[..., Any])
INPUT: Final = click.Path(path_type=Path, dir_okay=False)


class Hex(click.ParamType[bytes]):
    """Bytes in hex, with or without 0x, of a length where one is given."""

    def __init__(self, name: str, length: int | None = None) -> None:
        self.name = name
        self._length = length

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> bytes:
        """As click asks for it."""
        try:
            return parse_hex(str(value), self._length, self.name)
        except VerifierError as error:
            self.fail(error.message, param, ctx)


class Host(click.ParamType[HostAddress]):
    """A host as https://HOST[:PORT]."""

    name = "host"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> HostAddress:
        """As click asks for it."""
        try:
            return HostAddress.of(str(value))
        except VerifierError as error:
            self.fail(error.message, param, ctx)


class Endpoint(click.ParamType[str]):
    """An http or https URL; it may hold credentials and is never shown."""

    name = "url"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """As click asks for it."""
        if not is_rpc_url(str(value)):
            self.fail("is no http or https URL (it is not shown here: it may hold credentials)", param, ctx)
        return str(value)


def trusting(command: Command) -> Command:
    """The options of `Asked`: the command's parameters are gathered by `asked_of`."""
    for option in reversed(_TRUSTING):
        command = option(command)
    return command


def asked_of(options: dict[str, Any]) -> Asked:
    """Takes the options of `trusting` out of a command's parameters."""
    freshness = options.pop("freshness")
    return Asked(
        app_id=options.pop("app_id"),
        chain_id=options.pop("chain_id"),
        rpc_urls=options.pop("rpc_url"),
        trust_file=options.pop("trust"),
        kms_contract=options.pop("kms_contract"),
        kms_public_key=options.pop("kms_public_key"),
        account_contract=options.pop("account_contract"),
        accept_tcb=tuple(TcbStatus(status) for status in options.pop("accept_tcb")),
        accept_env=options.pop("accept_env"),
        freshness=Freshness(freshness) if freshness else None,
        insecure_dev_root=options.pop("insecure_dev_root"),
    )


_TRUSTING: Final = (
    click.option("--app-id", type=Hex("app id", 20), metavar="0x…", help="The application: its contract's address."),
    click.option(
        "--chain-id",
        type=click.IntRange(min=1),
        metavar="N",
        help=f"The chain of that contract.  [default: {DEFAULT_CHAIN_ID}, Base]",
    ),
    click.option(
        "--rpc-url",
        type=Endpoint(),
        multiple=True,
        help="A JSON-RPC endpoint of the chain; name two that do not know each other.  [default: two public ones]",
    ),
    click.option("--trust", type=INPUT, help="What is trusted, as `svc-verify init` writes it."),
    click.option("--kms-contract", type=Hex("address", 20), metavar="0x…", help="The KMS contract: allowed OS images."),
    click.option("--kms-public-key", type=Hex("key"), metavar="0x…", help="The KMS's public key, DER in hex."),
    click.option(
        "--account-contract",
        type=Hex("address", 20),
        metavar="0x…",
        help="The contract that guards the accounts' keys.",
    ),
    click.option(
        "--accept-tcb",
        type=click.Choice([status.value for status in TcbStatus]),
        metavar="STATUS",
        multiple=True,
        help="A TCB status to accept beside UpToDate.",
    ),
    click.option("--accept-env", metavar="NAME", multiple=True, help="A variable that the host may set."),
    click.option(
        "--freshness",
        type=click.Choice([choice.value for choice in Freshness]),
        help="How fresh: made for this nonce, or as old as the evidence.  [default: nonce]",
    ),
    click.option(
        "--insecure-dev-root",
        type=INPUT,
        help="INSECURE: the root of a TEE simulator; collateral.json lies beside it. Every line says DEV.",
    ),
)
