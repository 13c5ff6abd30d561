"""Trust by named values: a trust file, and options that add to it but never contradict it in silence."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeVar

from svc_verifier.addresses import DEFAULT_CHAIN_ID, DEFAULT_ENDPOINTS, DEVELOPMENT_CHAIN_ID
from svc_verifier.errors import VerifierError, VerifierErrorCode
from svc_verifier.files import read_bytes
from svc_verifier.trust import AccountPins, DevelopmentRoot, Freshness, TcbStatus, Trust
from svc_verifier.trust_file import load_trust

Value = TypeVar("Value")
ADDRESS_BYTES: Final = 20
ROOT_LIMIT_BYTES: Final = 65_536


class ContradictionError(Exception):
    """The command line contradicts itself or the trust file, or leaves out what must be named: misuse, exit code 2."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustOptions:
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


def trust_for(host: str, options: TrustOptions, *, live: bool, unnamed: bool = False) -> Trust:
    """The trust for a host's name. `live` needs endpoints of the chain, a replay does not.

    `unnamed` lets the application be left out: its app id is then zeros, which is nobody's.

    Raises ContradictionError, and VerifierError(BAD_TRUST, BAD_ROOT) for files that cannot be read.
    """
    file = load_trust(options.trust_file) if options.trust_file is not None else None
    if file is not None and file.host != host:
        raise ContradictionError(f"the trust file is of {file.host}, not of {host}")
    root = development_root(options.insecure_dev_root) if options.insecure_dev_root is not None else None
    app_id = _one("--app-id", options.app_id, file.app_id if file else None)
    if app_id is None and not unnamed:
        raise ContradictionError("name the application with --app-id, or a trust file that does")
    usual = DEVELOPMENT_CHAIN_ID if root is not None else DEFAULT_CHAIN_ID
    chain_id = _one("--chain-id", options.chain_id, file.chain_id if file else None) or usual
    base = file or Trust(host=host, app_id=app_id or bytes(ADDRESS_BYTES), chain_id=chain_id)
    return replace(
        base,
        rpc_urls=_endpoints(options.rpc_urls or base.rpc_urls, chain_id, live=live),
        kms_contract=_one("--kms-contract", options.kms_contract, base.kms_contract),
        accounts=_accounts(options.account_contract, base.accounts),
        kms_public_key=_one("--kms-public-key", options.kms_public_key, base.kms_public_key),
        tcb=replace(base.tcb, accepted=base.tcb.accepted.union(options.accept_tcb)),
        host_input=base.host_input.union(options.accept_env),
        freshness=options.freshness or base.freshness,
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
