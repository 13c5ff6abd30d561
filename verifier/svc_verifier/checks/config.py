"""Checks of the configuration that the node attests.

Approved code depends on its settings, some of which come from the host. The node's signed statement
repeats them, which reveals a forged chain, contract, RPC provider or key service.
"""

from collections.abc import Iterator
from typing import Final

from svc_verifier.check import Check, Group, Outcome, Status, failed, group_not_made, passed, skipped, unknown
from svc_verifier.checks.freshness import STATEMENT
from svc_verifier.errors import VerifierError
from svc_verifier.formats.info import AttestedConfig, parse_attested_config
from svc_verifier.trust import Trust

CHAIN: Final = "config.chain"
CONTRACT: Final = "config.contract"
DOMAIN: Final = "config.domain"
RPC_PROVIDERS: Final = "config.rpc-providers"
KMS_KEY: Final = "config.kms-key"

PIN: Final = (
    "Compare the address with what the operator publishes elsewhere, and name it with --account-contract, or as "
    "`contract` under `[accounts]` in trust.toml; `svc-verify init` proposes both."
)
"""Advice for an account contract that the node names and the user does not."""

UNPIN: Final = "Is it a node of this kind? Take the pin out of trust.toml only if you can do without."

LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


def check_configuration(statement: Check, text: str | None, trust: Trust) -> Outcome[AttestedConfig]:
    """Returns the group. The members of `text` count only if its check, `statement`, passed."""
    if statement.status is Status.SKIPPED:
        return Outcome(tuple(_without_statement(trust)), AttestedConfig())
    # Settings outside of a signed statement are the host's word.
    if statement.status is not Status.PASSED or text is None:
        return group_not_made(STATEMENT, Group.CONFIG)
    try:
        config = parse_attested_config(text)
    except VerifierError:
        return group_not_made(STATEMENT, Group.CONFIG)
    checks = (
        _chain(config, trust),
        _contract(config, trust),
        _domain(config, trust),
        _rpc_providers(config, trust),
        _kms_key(config, trust),
    )
    return Outcome(checks, config)


def _without_statement(trust: Trust) -> Iterator[Check]:
    """Returns checks without a statement, in which a pin cannot be proven."""
    why = "without a statement the node attests no configuration (--freshness=evidence)"
    pinned = {
        CHAIN: trust.accounts is not None,
        CONTRACT: trust.accounts is not None,
        DOMAIN: False,
        RPC_PROVIDERS: bool(trust.rpc_providers),
        KMS_KEY: trust.kms_root_public_key is not None,
    }
    for name, is_pinned in pinned.items():
        yield unknown(name, f"{why}, though one is pinned", UNPIN) if is_pinned else skipped(name, why)


def _chain(config: AttestedConfig, trust: Trust) -> Check:
    # Also where the attested form is unknown, since the node may work with the settings.
    if "chain_id" in config.contradictions:
        return failed(CHAIN, "the node's settings name another chain than its account contract is on")
    if config.chain_id is None:
        return _not_stated(CHAIN, "chain", is_pinned=trust.accounts is not None)
    evidence = {"attested": str(config.chain_id), "pinned": str(trust.chain_id)}
    # A chain of the host's own could hold a copy of the contract with other accounts.
    if config.chain_id != trust.chain_id:
        why = f"the node is set up for chain {config.chain_id}, pinned is {trust.chain_id}"
        return failed(CHAIN, why, "Its accounts are on another chain than the one asked here.", **evidence)
    return passed(CHAIN, **evidence)


def _contract(config: AttestedConfig, trust: Trust) -> Check:
    pins = trust.accounts
    # Both are signed and differ, so it is unknown which one the node works with.
    if "address" in config.contradictions:
        named = "that" if config.contract is None else f"0x{config.contract.hex()}"
        return failed(
            CONTRACT, f"the node's settings name another account contract than {named}, of which it attests the code"
        )
    if config.contract is None:
        return _not_stated(CONTRACT, "account contract", is_pinned=pins is not None)
    attested = f"0x{config.contract.hex()}"
    if pins is None:
        return unknown(
            CONTRACT, f"no account contract is pinned; the node says that it uses {attested}", PIN, attested=attested
        )
    evidence = {"attested": attested, "pinned": f"0x{pins.contract.hex()}"}
    if config.contract != pins.contract:
        why = f"the node says that it uses the account contract {attested}, pinned is {evidence['pinned']}"
        fix = "The owner of another contract decides there which keys may be used."
        return failed(CONTRACT, why, fix, **evidence)
    return passed(CONTRACT, **evidence)


def _domain(config: AttestedConfig, trust: Trust) -> Check:
    if config.domains is None:
        return _not_stated(DOMAIN, "domain", is_pinned=False)
    evidence = {"attested": ", ".join(config.domains), "pinned": trust.host}
    # The node makes quotes for its own domain alone, so another name is another party's node. All
    # loopback names are this machine, and a development node serves all of them.
    is_loopback = trust.host in LOOPBACK and not LOOPBACK.isdisjoint(config.domains)
    if trust.host not in config.domains and not is_loopback:
        return failed(
            DOMAIN, f"the node says that it is set up for {evidence['attested']}, not for {trust.host}", **evidence
        )
    return passed(DOMAIN, **evidence)


def _rpc_providers(config: AttestedConfig, trust: Trust) -> Check:
    """Compare the RPC providers, which the node believes about the chain."""
    pinned = trust.rpc_providers
    # A node needs a provider, so an empty list counts as not stated.
    if not config.rpc_providers:
        return _not_stated(RPC_PROVIDERS, "RPC providers", is_pinned=bool(pinned))
    evidence = {"attested": ", ".join(config.rpc_providers)}
    if not pinned:
        return _not_pinned(RPC_PROVIDERS, "no RPC provider of the node is pinned", "rpc_providers", evidence, trust)
    # One unknown provider is enough, since with others of its kind it may reach a quorum.
    strange = [provider for provider in config.rpc_providers if provider not in pinned]
    if strange:
        why = f"the node asks {', '.join(strange)}, which is none of the pinned RPC providers"
        return failed(RPC_PROVIDERS, why, "What such a provider says decides who may use which key.", **evidence)
    return passed(RPC_PROVIDERS, **evidence)


def _kms_key(config: AttestedConfig, trust: Trust) -> Check:
    pinned, attested = trust.kms_root_public_key, config.kms_root_public_key
    if attested is None:
        return _not_stated(KMS_KEY, "key of its key service", is_pinned=pinned is not None)
    evidence = {"attested": attested.hex() or "none"}
    if pinned is None:
        why = "no root key of the key service is pinned"
        return _not_pinned(KMS_KEY, why, "kms_root_public_key", evidence, trust)
    # Empty if the node requires no key. It would then take its keys from any service of the host.
    if attested != pinned:
        why = f"the node requires the key {evidence['attested']} of its key service, pinned is {pinned.hex()}"
        return failed(KMS_KEY, why, "Another key service could know every key of the node.", **evidence)
    return passed(KMS_KEY, **evidence)


def _not_stated(identifier: str, what: str, *, is_pinned: bool) -> Check:
    """Returns a check of a missing value, which matters only if the user pinned one."""
    if not is_pinned:
        return skipped(identifier, f"the node attests no {what}")
    why = f"the node attests no {what}, or in no known form, though one is pinned"
    return unknown(identifier, why, UNPIN)


def _not_pinned(identifier: str, why: str, member: str, evidence: dict[str, str], trust: Trust) -> Check:
    if trust.development_root is not None:
        return skipped(identifier, f"DEV: {why}", **evidence)
    return skipped(identifier, f"{why}: set `{member}` in trust.toml, which `svc-verify init` proposes", **evidence)
