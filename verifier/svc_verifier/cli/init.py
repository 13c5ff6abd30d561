"""Proposes a trust file for a host without pins, with the source of each member.

This is trust on first use, so each value says what vouches for it, and a person decides. If no
application is named, the host is verified twice, first to read the measured one.
"""

import asyncio
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import click

from svc_verifier.chain import abi, contracts
from svc_verifier.chain.contracts import AccountQuestions, published_builds, recognise
from svc_verifier.check import Report, Verdict
from svc_verifier.checks.accounts import DELAY_MIN_S
from svc_verifier.checks.governance import agreed_chain
from svc_verifier.cli.options import WIDTH_CHARACTERS, text_report, write
from svc_verifier.errors import Exit, VerifierError, VerifierErrorCode
from svc_verifier.formats.addresses import HostAddress, rpc_host, rpc_origin
from svc_verifier.formats.event_log import BootIdentity, boot_identity, parse_event_log, parse_key_provider
from svc_verifier.formats.info import AttestedConfig
from svc_verifier.formats.quote import parse_quote_response
from svc_verifier.gathering.gather import Sources
from svc_verifier.material import HttpResponse, Material, ProviderAnswers
from svc_verifier.rendering.text import DEV
from svc_verifier.session import Verification, look
from svc_verifier.trust import AccountPins, Trust
from svc_verifier.trust_file import trust_text
from svc_verifier.worker import Worker

UNNAMED: Final = bytes(20)
"""App id of a trust that names none yet."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Proposed trust, the reason for each member, and the report of a verification under it."""

    trust: Trust
    reasons: Mapping[str, str]
    report: Report


async def propose(address: HostAddress, trust: Trust, sources: Sources) -> Proposal:
    """Returns a proposal on top of what `trust` already names; its app id may be `UNNAMED`.

    Raises VerifierError(UNREACHABLE) when the host shows no log to read an identity from.
    """
    reasons = {
        "host": "you named it",
        "app_id": "you named it",
        "chain_id": "you named it, or it is the default",
        "freshness": "a quote must be made for your nonce",
        "rpc_urls": "asked what the contract says: one that lies is found out only by another that does not",
    }
    if trust.app_id == UNNAMED:
        # Without providers, since this verification finds out which contract to ask about.
        first = await look(address, replace(trust, rpc_urls=()), sources)
        trust = replace(trust, app_id=_identity(first.material).app_id)
        reasons["app_id"] = (
            "THE HOST NAMED IT: measured into RTMR3 at boot. Compare it with what the operator publishes elsewhere: "
            "any other application would have named its own"
        )
    verification = await look(address, trust, sources)
    trust = _with_key(trust, verification, reasons)
    trust = _with_chain(trust, verification, reasons)
    trust = _with_platform(trust, verification.report, reasons)
    trust = _with_code(trust, verification.report, reasons)
    config = verification.attested_config
    trust = _with_configuration(trust, config, reasons)
    trust = _with_accounts(trust, verification, config, reasons)
    async with Worker() as worker:
        until_s = asyncio.get_running_loop().time() + sources.limits.look_timeout_s
        return Proposal(trust, reasons, await worker.judge(verification.material, trust, until_s))


def _identity(material: Material) -> BootIdentity:
    try:
        if isinstance(material.attestation, HttpResponse):
            shown = parse_quote_response(material.attestation.body, "/attestation")
            return boot_identity(parse_event_log(shown.event_log))
    except VerifierError as error:
        raise VerifierError(VerifierErrorCode.UNREACHABLE, f"no identity to propose: {error.message}") from None
    raise VerifierError(VerifierErrorCode.UNREACHABLE, f"no identity to propose: {material.attestation.why}")


def _with_key(trust: Trust, verification: Verification, reasons: dict[str, str]) -> Trust:
    """Adds the key service that the log names, if the user pinned none."""
    try:
        provider = parse_key_provider(_identity(verification.material).key_provider)
    except VerifierError:
        return trust
    if trust.kms_public_key is not None or provider.kind != "kms":
        return trust
    said = "measured into RTMR3 at boot: the KMS that gave this node its keys, and that may know them"
    if trust.kms_contract is not None:
        same = _chain_key(trust, verification) == provider.identifier
        said += "; " + ("the KMS contract names the same" if same else "THE KMS CONTRACT DOES NOT NAME IT")
    reasons["kms_public_key"] = said
    return replace(trust, kms_public_key=provider.identifier)


def _chain_key(trust: Trust, verification: Verification) -> bytes | None:
    chain = agreed_chain(verification.material.providers, trust, verification.material.now_s).value
    if chain is None or trust.kms_contract is None:
        return None
    told = abi.decode_byte_strings(chain.calls.get(contracts.kms_info(trust.kms_contract)), 4)
    return told[1] if told is not None else None


def _with_chain(trust: Trust, verification: Verification, reasons: dict[str, str]) -> Trust:
    """Adds the contract's owner as the providers agree on it."""
    chain = agreed_chain(verification.material.providers, trust, verification.material.now_s).value
    if chain is None:
        return trust
    owner = abi.decode_address(chain.calls.get(contracts.AppQuestions(trust.app_id).owner))
    if owner is not None and any(owner) and not trust.owners:
        reasons["owners"] = "who may approve other code now, by the contract: ask the operator whether this is theirs"
        trust = replace(trust, owners=frozenset({owner}))
    return trust


def _with_platform(trust: Trust, report: Report, reasons: dict[str, str]) -> Trust:
    """Adds the processor's PPID and the evaluation number, below which collateral is refused."""
    evidence = {check.id: check.evidence for check in report.checks}
    status = evidence["hardware.tcb-status"].get("status", "of unknown status")
    number = int(evidence["hardware.collateral"].get("evaluation_number", "0"))
    reasons["tcb"] = (
        f"this platform is {status}; collateral of an evaluation number below today's is refused, "
        "and so is every other machine: add its PPID to `platforms` when the operator adds one"
    )
    lowest = max(number, trust.tcb.minimum_evaluation_number)
    ppid = bytes.fromhex(evidence["hardware.platform"].get("ppid", ""))
    platforms = trust.tcb.platforms or frozenset({ppid} if ppid else ())
    return replace(trust, tcb=replace(trust.tcb, minimum_evaluation_number=lowest, platforms=platforms))


def _with_code(trust: Trust, report: Report, reasons: dict[str, str]) -> Trust:
    """Adds measured values, which are the compose file, the image and the host's tables."""
    evidence = {check.id: check.evidence for check in report.checks}
    measured = {
        "compose_hashes": _digest(evidence["identity.compose-measured"], "measured"),
        "os_images": _digest(evidence["os.allowed"], "os_image_hash"),
        "acpi_tables": _digest(evidence["os.acpi-tables"], "fingerprint"),
    }
    said = {
        "compose_hashes": "measured into RTMR3 at boot: what runs now; another version is refused until you pin it too",
        "os_images": "what its firmware and kernel registers lead to: look it up among the releases of dstack",
        "acpi_tables": "THE HOST WROTE THEM, and the kernel runs them: compare with a machine of your own",
    }
    pins = {name: value for name, value in measured.items() if value and not getattr(trust, name)}
    reasons.update({name: said[name] for name in pins})
    return replace(
        trust,
        compose_hashes=pins.get("compose_hashes", trust.compose_hashes),
        os_images=pins.get("os_images", trust.os_images),
        acpi_tables=pins.get("acpi_tables", trust.acpi_tables),
    )


def _digest(evidence: Mapping[str, str], name: str) -> frozenset[bytes]:
    """Returns a digest of a check's evidence; empty if the check did not get that far."""
    return frozenset({bytes.fromhex(evidence[name])} if name in evidence else ())


def _with_configuration(trust: Trust, config: AttestedConfig, reasons: dict[str, str]) -> Trust:
    """Adds the RPC providers and the key service of the node."""
    # A text that is no origin could not be read from a trust file.
    if config.rpc_providers and not trust.rpc_providers and all(map(rpc_origin, config.rpc_providers)):
        reasons["rpc_providers"] = "attested: whom the node asks about the chain; others are refused until you pin them"
        trust = replace(trust, rpc_providers=frozenset(config.rpc_providers))
    if config.kms_root_public_key and trust.kms_root_public_key is None:
        reasons["kms_root_public_key"] = "attested: the root key that the node requires of its key service"
        trust = replace(trust, kms_root_public_key=config.kms_root_public_key)
    return trust


def _with_accounts(trust: Trust, verification: Verification, config: AttestedConfig, reasons: dict[str, str]) -> Trust:
    """Adds the contract that guards the accounts' keys, with its present owner and delay."""
    pins = trust.accounts
    if pins is None and config.contract is None:
        return trust
    if pins is None:
        assert config.contract is not None  # noqa: S101 - see above
        reasons["accounts.contract"] = (
            "THE NODE NAMED IT, in its attested configuration: compare it with what the operator publishes elsewhere"
        )
        pins = AccountPins(contract=config.contract)
    chain = agreed_chain(verification.material.providers, trust, verification.material.now_s).value
    owner = None if chain is None else abi.decode_address(chain.calls.get(AccountQuestions(pins.contract).owner))
    if owner is not None and any(owner) and not pins.owners:
        reasons["accounts.owners"] = "who may name another admin payer, after the delay: ask whether this is theirs"
        pins = replace(pins, owners=frozenset({owner}))
    delay_s = None if chain is None else _owner_change_delay_s(chain, pins)
    if delay_s and pins.minimum_owner_change_delay_s is None:
        shorter = "" if delay_s >= DELAY_MIN_S else "LESS THAN A DAY; "
        reasons["accounts.minimum_owner_change_delay_s"] = f"{shorter}the contract's own: look at least as often"
        pins = replace(pins, minimum_owner_change_delay_s=delay_s)
    return replace(trust, accounts=pins)


def _owner_change_delay_s(chain: ProviderAnswers, pins: AccountPins) -> int | None:
    """Returns the delay in the code of a known build; None if unknown or ambiguous."""
    found = recognise(chain.code.get(pins.contract, b""), (*pins.codes, *published_builds()))
    if found is None or len(found.owner_change_delay) > 1:
        return None
    (word,) = found.owner_change_delay
    return int.from_bytes(word, "big")


def propose_and_write(
    host: HostAddress, trust: Trust, sources: Sources, out: Path, *, confirmed: bool, verbose: bool
) -> Exit:
    """Returns 0 if the file was written, else 20. Raises click.UsageError and VerifierError."""
    # First, since a file that exists pins something and must not be replaced by a proposal.
    if out.exists():
        raise click.UsageError(f"{out} is there already: a pin is not replaced unseen; name another file with --out")
    proposal = asyncio.run(propose(host, trust, sources))
    mark = f"{DEV} " if proposal.report.development else ""
    # URLs of providers may hold credentials, which go into the file alone.
    hosts = tuple(f"…{rpc_host(url)}…" for url in proposal.trust.rpc_urls)
    shown = trust_text(replace(proposal.trust, rpc_urls=hosts), proposal.reasons)
    click.echo(f"{mark}Proposed as {out}:\n{mark}".rstrip())
    click.echo("".join(f"{mark}  {line}".rstrip() + "\n" for line in shown.splitlines()), nl=False)
    click.echo(f"{mark}".rstrip())
    click.echo(text_report(proposal.report, width=WIDTH_CHARACTERS, colour=False, verbose=verbose), nl=False)
    # A host that fails under trust from its own statements is broken or hostile.
    if proposal.report.verdict is Verdict.REJECTED:
        click.echo(f"{mark}Nothing was written: the host is rejected even by what it says of itself.")
        return Exit.REJECTED
    # Only a person can agree. Without one nothing is decided.
    if not confirmed and not (sys.stdin.isatty() and click.confirm(f"Trust this, and write {out}?", default=False)):
        click.echo(f"{mark}Nothing was written.")
        return Exit.UNDECIDED
    write(out, trust_text(proposal.trust, proposal.reasons))
    click.echo(f"{mark}{out} is written. Compare it with what the operator publishes elsewhere.")
    return Exit.ACCEPTED
