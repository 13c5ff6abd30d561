"""Trust of the user, with every value that a decision depends on, none from a server."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final


class TcbStatus(StrEnum):
    """Intel's TCB statuses, as dcap-qvl 0.7 spells them, without `Revoked`, never acceptable."""

    UP_TO_DATE = "UpToDate"
    SW_HARDENING_NEEDED = "SWHardeningNeeded"
    CONFIGURATION_NEEDED = "ConfigurationNeeded"
    CONFIGURATION_AND_SW_HARDENING_NEEDED = "ConfigurationAndSWHardeningNeeded"
    OUT_OF_DATE = "OutOfDate"
    OUT_OF_DATE_CONFIGURATION_NEEDED = "OutOfDateConfigurationNeeded"
    TD_RELAUNCH_ADVISED = "TDRelaunchAdvised"
    TD_RELAUNCH_ADVISED_CONFIGURATION_NEEDED = "TDRelaunchAdvisedConfigurationNeeded"


class Freshness(StrEnum):
    """Required freshness of a quote."""

    NONCE = "nonce"
    """Made for this verification."""
    EVIDENCE = "evidence"
    """As old as the evidence set, for nodes without nonces, and labelled in reports."""


@dataclass(frozen=True, slots=True)
class TcbPolicy:
    """Acceptable platforms. `minimum_evaluation_number` refuses collateral that was rolled back."""

    # The strictest default. Further statuses are known weaknesses that the user must accept.
    accepted: frozenset[TcbStatus] = frozenset({TcbStatus.UP_TO_DATE})
    rejected_advisories: frozenset[str] = frozenset()
    minimum_evaluation_number: int = 0
    # Intel issues TCB info and QE identity for 30 days (PCS API, nextUpdate).
    collateral_max_age_s: int = 30 * 24 * 3600
    platforms: frozenset[bytes] = frozenset()
    """16-byte PPIDs; empty allows any."""
    tdx_modules: frozenset[bytes] = frozenset()
    """48-byte MRSEAMs; empty allows any of Intel's."""


@dataclass(frozen=True, slots=True)
class DevelopmentRoot:
    """An INSECURE root of a simulator, in DER. Every line of a report under it says DEV."""

    certificate_der: bytes


INTEL: Final = None
"""The root of a Trust without a development root, Intel's own, pinned in the verifier."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OsMeasurements:
    """A user's 48-byte digests of an image that states none of its own (dstack before 0.6).

    `mrtd` depends on QEMU's order of adding pages; `kernel` is the first event of RTMR1,
    `command_line` and `initrd` are those of RTMR2, as `dstack-mr measure` computes them.
    """

    os_image_hash: bytes
    mrtd: bytes
    kernel: bytes
    command_line: bytes
    initrd: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountContractCode:
    """Build of the account contract, by hashes that do not depend on its deployment.

    `code_hash` is keccak256 of the runtime code with the bytes of every immutable set to zero,
    `views_code_hash` that of the views module's runtime code. `views_module_at` and
    `owner_change_delay_at` are the byte offsets of the 32-byte words of these immutables.
    """

    code_hash: bytes
    views_code_hash: bytes
    views_module_at: tuple[int, ...]
    owner_change_delay_at: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountPins:
    """Pins of the contract that guards the accounts and decides which keys may be used.

    `minimum_owner_change_delay_s` None means a day, and under a development root any delay. Empty
    `owners` and `payers` pin nothing. `accepted_replacements` is the exact number of replacements
    of the admin payer to accept beside none. `codes` are builds beside the published ones.
    """

    contract: bytes
    owners: frozenset[bytes] = frozenset()
    minimum_owner_change_delay_s: int | None = None
    payers: frozenset[bytes] = frozenset()
    accepted_replacements: int = 0
    codes: tuple[AccountContractCode, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """Values that one host is compared with. Empty collections and None pin nothing.

    `app_id` and addresses are 20 bytes, hashes 32. `kms_contract` is asked for allowed OS images,
    `os_images` are known production images. `os_measurements` pins images that state no digests,
    `acpi_tables` machines, by SHA384 over the three ACPI digests of RTMR0 in order.
    `kms_public_key` is the DER SubjectPublicKeyInfo in the key-provider event.

    `host_input` are the host's variables to accept, by name in `environment` and `allowed_envs`,
    else by `PATH:VARIABLE`, in a known script by `MEMBER:VARIABLE`. `scripts` are sha256 hashes.
    `app_compose_members` are accepted members, such as `secure_time`. `owners` may own the
    contract. `rpc_providers` are the origins that the node may ask about the chain,
    `kms_root_public_key` the 33-byte compressed key that it must require of its key service; the
    node attests both. `mr_owner` and `mr_owner_config` are the TD's 48-byte values; None expects
    zeros.
    """

    host: str
    app_id: bytes
    chain_id: int
    rpc_urls: tuple[str, ...] = ()
    kms_contract: bytes | None = None
    kms_public_key: bytes | None = None
    kms_root_public_key: bytes | None = None
    rpc_providers: frozenset[str] = frozenset()
    accounts: AccountPins | None = None
    mr_owner: bytes | None = None
    mr_owner_config: bytes | None = None
    owners: frozenset[bytes] = frozenset()
    os_images: frozenset[bytes] = frozenset()
    os_measurements: tuple[OsMeasurements, ...] = ()
    acpi_tables: frozenset[bytes] = frozenset()
    compose_hashes: frozenset[bytes] = frozenset()
    host_input: frozenset[str] = frozenset()
    scripts: frozenset[bytes] = frozenset()
    app_compose_members: frozenset[str] = frozenset()
    mounts: frozenset[str] = frozenset()
    """Paths of the machine that containers may mount. System paths never count."""
    tcb: TcbPolicy = field(default_factory=TcbPolicy)
    freshness: Freshness = Freshness.NONCE
    development_root: DevelopmentRoot | None = INTEL
    implementations: Mapping[bytes, str] = field(default_factory=dict)
    """Names of known contract code by keccak256, of proxies and of their implementations."""
