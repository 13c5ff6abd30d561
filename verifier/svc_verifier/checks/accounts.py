"""Checks that the account contract is the published one and that the enclave controls it.

Payers speak for managed accounts, and the admin payer names payers. So the contract's code must be
known, and its admin payer must be a key of the attested enclave and never have been another, since
writes of another's payers last. Its owner, who may name another, must be pinned and must wait. All
of it is read from the providers that agree on the governance contract, at the same block. The node
attests only which contract it uses, and the address of its enclave's key.
"""

from typing import Final

from svc_verifier.chain import abi
from svc_verifier.chain.contracts import (
    AccountQuestions,
    RecognisedCode,
    decode_scheduled_change,
    published_builds,
    recognise,
)
from svc_verifier.check import (
    CATALOGUE,
    Check,
    Group,
    Outcome,
    failed,
    group_not_made,
    not_made,
    passed,
    skipped,
    unknown,
)
from svc_verifier.checks.config import CONTRACT as CONFIG_CONTRACT
from svc_verifier.checks.freshness import STATEMENT
from svc_verifier.checks.governance import kind_of_owner, utc_moment
from svc_verifier.formats.info import AttestedConfig
from svc_verifier.material import ProviderAnswers
from svc_verifier.trust import AccountPins, Trust

CONTRACT: Final = "accounts.contract"
CODE: Final = "accounts.code"
VIEWS: Final = "accounts.views"
DELAY: Final = "accounts.delay"
OWNER: Final = "accounts.owner"
SCHEDULED: Final = "accounts.scheduled"
ADMIN_PAYER: Final = "accounts.admin-payer"
HISTORY: Final = "accounts.history"
PAYERS: Final = "accounts.payers"

DELAY_MIN_S: Final = 86_400
"""Shortest delay, a day, in which a user who looks daily sees an announced change."""

DEVELOPMENT_DELAY_MIN_S: Final = 1
"""Shortest delay under a development root."""

_NAMING: Final = abi.selector("setAdminApiPayerAccount(address)")


def check_accounts(chain: ProviderAnswers | None, config: AttestedConfig | None, trust: Trust) -> Outcome[None]:
    """Returns the whole group. `chain` and `config` are None if they are not known."""
    pins = trust.accounts
    if pins is None:
        return _unpinned(config)
    if chain is None:
        return group_not_made("governance.endpoints", Group.ACCOUNTS)
    contract = _contract(chain, pins)
    code = chain.code.get(pins.contract, b"")
    if not code:
        return Outcome((contract, *_rest(CONTRACT, after=CONTRACT)), None)
    # Code first, since what unknown code returns about owner or payers proves nothing. Its hash is
    # taken with blanked immutables, whose values differ with each deployment.
    found = recognise(code, (*pins.codes, *published_builds()))
    # Attested values of another contract do not count for this one.
    stated = config if config is not None and config.contract == pins.contract else AttestedConfig()
    if found is None:
        return Outcome((contract, _unknown_code(code), *_rest(CODE, after=CODE)), None)
    asked = AccountQuestions(pins.contract)
    checks = (
        contract,
        _code(found, stated),
        _views(chain, found, stated),
        _delay(found, stated, pins, trust),
        _owner(chain, asked, pins, trust),
        _scheduled(chain, asked),
        _admin_payer(chain, asked, config),
        _history(chain, asked, pins),
        _payers(chain, asked, pins),
    )
    return Outcome(checks, None)


def _unpinned(config: AttestedConfig | None) -> Outcome[None]:
    """Returns the group without a pin. Other applications have no such contract."""
    if config is None:
        return group_not_made(STATEMENT, Group.ACCOUNTS)
    if config.contract is None:
        why = "no account contract is pinned, and the node attests none"
        return Outcome(tuple(skipped(name, why) for name in _names()), None)
    attested = f"0x{config.contract.hex()}"
    return Outcome((not_made(CONTRACT, CONFIG_CONTRACT, attested=attested), *_rest(CONTRACT, after=CONTRACT)), None)


def _names() -> tuple[str, ...]:
    return tuple(name for name in CATALOGUE if name.startswith(f"{Group.ACCOUNTS}."))


def _rest(identifier: str, *, after: str) -> tuple[Check, ...]:
    names = _names()
    behind = names[names.index(after) + 1 :]
    return tuple(not_made(name, identifier) for name in behind)


def _contract(chain: ProviderAnswers, pins: AccountPins) -> Check:
    evidence = {"contract": f"0x{pins.contract.hex()}", "block": str(chain.block_number)}
    if pins.contract not in chain.code:
        return unknown(CONTRACT, "the endpoints were not asked about the pinned account contract", **evidence)
    if not chain.code[pins.contract]:
        why = f"there is no code at {evidence['contract']}"
        return failed(CONTRACT, why, "Check the address and the chain.", **evidence)
    return passed(CONTRACT, **evidence)


def _unknown_code(code: bytes) -> Check:
    why = "the code is that of no published build of the account contract"
    fix = "If you have read this code, pin it under `[[accounts.codes]]` in trust.toml; a newer verifier may know it."
    return failed(CODE, why, fix, code_hash_as_deployed=abi.keccak(code).hex())


def _code(found: RecognisedCode, stated: AttestedConfig) -> Check:
    build = found.build
    known = "published" if build in published_builds() else "pinned by you"
    evidence = {"code_hash": build.code_hash.hex(), "known": known}
    if stated.code_hash not in {None, build.code_hash}:
        return failed(CODE, "the node attests other code than the chain shows", **evidence)
    return passed(CODE, **evidence)


def _views(chain: ProviderAnswers, found: RecognisedCode, stated: AttestedConfig) -> Check:
    """Check the module whose code runs on the contract's storage for calls it does not know."""
    modules = {abi.decode_address(word) for word in found.views_module}
    # An immutable is copied to each place of its use. Different copies could run different modules.
    if len(modules) > 1 or None in modules:
        return failed(VIEWS, "the code does not name one and the same views module wherever it is used")
    (module,) = modules
    assert module is not None  # noqa: S101 - see above
    evidence = {"views_module": f"0x{module.hex()}"}
    if module not in chain.code:
        return unknown(VIEWS, "the endpoints did not show the code of the views module", **evidence)
    code_hash = abi.keccak(chain.code[module])
    evidence["code_hash"] = code_hash.hex()
    # DELEGATECALL runs that code on the accounts' storage.
    if code_hash != found.build.views_code_hash:
        why = "the views module is not the published one: its code may write what it likes into the accounts"
        return failed(VIEWS, why, **evidence)
    if stated.views_module not in {None, module} or stated.views_code_hash not in {None, code_hash}:
        return failed(VIEWS, "the node attests another views module than the chain shows", **evidence)
    return passed(VIEWS, **evidence)


def _delay(found: RecognisedCode, stated: AttestedConfig, pins: AccountPins, trust: Trust) -> Check:
    # The delay leaves a user time to withdraw before a new admin payer can act
    # (docs/threat-model.md, contract's owner).
    usual = DELAY_MIN_S if trust.development_root is None else DEVELOPMENT_DELAY_MIN_S
    pinned = pins.minimum_owner_change_delay_s
    minimum_s = usual if pinned is None else pinned
    delays = {int.from_bytes(word, "big") for word in found.owner_change_delay}
    evidence = {"delay": " and ".join(f"{each} s" for each in sorted(delays)), "minimum": f"{minimum_s} s"}
    # The contract might use the shortest copy.
    if len(delays) > 1:
        return failed(DELAY, "the code does not name one and the same delay wherever it is used", **evidence)
    if min(delays) < minimum_s:
        why = f"the owner's changes wait {evidence['delay']}, which is less than {evidence['minimum']}"
        fix = "A shorter one may be pinned as `minimum_owner_change_delay_s`: then look as often yourself."
        return failed(DELAY, why, fix, **evidence)
    if stated.owner_change_delay_s not in {None, *delays}:
        return failed(DELAY, "the node attests another delay than the chain shows", **evidence)
    return passed(DELAY, **evidence)


def _owner(chain: ProviderAnswers, asked: AccountQuestions, pins: AccountPins, trust: Trust) -> Check:
    owner = abi.decode_address(chain.calls.get(asked.owner))
    pending = abi.decode_address(chain.calls.get(asked.pending_owner))
    if owner is None or pending is None:
        return unknown(OWNER, "the contract does not tell its owner")
    evidence = {"owner": f"0x{owner.hex()}", "kind": kind_of_owner(chain, owner)}
    if any(pending):
        evidence["pending_owner"] = f"0x{pending.hex()}"
    if not pins.owners and trust.development_root is not None:
        return skipped(OWNER, "DEV: under a development root no owner of the account contract is pinned", **evidence)
    if not pins.owners:
        fix = "Set `owners` under `[accounts]` in trust.toml; `svc-verify init` proposes it."
        return unknown(OWNER, "no owner of the account contract is pinned", fix, **evidence)
    # A pending owner needs no further consent of the present one.
    strange = [address for address in (owner, pending) if any(address) and address not in pins.owners]
    if strange:
        return failed(OWNER, f"0x{strange[0].hex()} is none of the pinned owners", **evidence)
    return passed(OWNER, **evidence)


def _scheduled(chain: ProviderAnswers, asked: AccountQuestions) -> Check:
    change = decode_scheduled_change(chain.calls.get(asked.scheduled_change))
    if change is None:
        return unknown(SCHEDULED, "the contract does not tell what its owner has scheduled")
    # The contract returns these empty values if no change is scheduled.
    if not change.effective_at_s and not any(change.selector) and not change.accounts:
        return passed(SCHEDULED, scheduled="nothing")
    what = "name the admin payer" if change.selector == _NAMING else f"call 0x{change.selector.hex()}"
    whom = ", ".join(f"0x{account.hex()}" for account in change.accounts) or "nobody"
    listed = f"{what}: {whom}, from {utc_moment(change.effective_at_s)} on"
    fix = "An admin payer outside of the enclave can open every managed account: ask the operator, and move what you keep."
    return failed(SCHEDULED, f"the owner has scheduled to {listed}", fix, scheduled=listed)


def _admin_payer(chain: ProviderAnswers, asked: AccountQuestions, config: AttestedConfig | None) -> Check:
    # Two independent sources. The chain names the payer, the quote names the enclave's key.
    named = abi.decode_address(chain.calls.get(asked.admin_payer))
    if named is None:
        return unknown(ADMIN_PAYER, "the contract does not tell its admin payer")
    evidence = {"named": f"0x{named.hex()}"}
    if config is None:
        return not_made(ADMIN_PAYER, STATEMENT, **evidence)
    if config.admin_payer is None:
        return unknown(ADMIN_PAYER, "the node attests no admin payer", "It does so for a nonce alone.", **evidence)
    evidence["attested"] = f"0x{config.admin_payer.hex()}"
    # The first naming needs no delay, so an unnamed contract is open to its owner.
    if not any(named):
        why = "no admin payer is named yet: the owner may name any address, at once"
        fix = f"The owner has to name {evidence['attested']} before a managed account is used."
        return unknown(ADMIN_PAYER, why, fix, **evidence)
    if named != config.admin_payer:
        why = f"the admin payer is {evidence['named']}, and the attested enclave holds {evidence['attested']}"
        fix = "The holder of that key may name payers, who speak for every managed account."
        return failed(ADMIN_PAYER, why, fix, **evidence)
    return passed(ADMIN_PAYER, **evidence)


def _history(chain: ProviderAnswers, asked: AccountQuestions, pins: AccountPins) -> Check:
    """Check that no other admin payer was ever named, since writes of its payers would last."""
    replacements = abi.decode_number(chain.calls.get(asked.replacements))
    if replacements is None:
        return unknown(HISTORY, "the contract does not tell how often its admin payer was replaced")
    evidence = {"replacements": str(replacements)}
    # The exact number, so that a further replacement after an accepted one is reported.
    if replacements not in {0, pins.accepted_replacements}:
        why = f"the admin payer was replaced by another one, {replacements} times in all"
        fix = (
            "The holder of that key may have granted keys of its own the use of managed accounts' wallets. If you know all"
            " that was written, set `accepted_replacements` under `[accounts]` in trust.toml; nodes go on refusing to run"
            " anything for these accounts."
        )
        return failed(HISTORY, why, fix, **evidence)
    return passed(HISTORY, **evidence)


def _payers(chain: ProviderAnswers, asked: AccountQuestions, pins: AccountPins) -> Check:
    """Compare payers with the pins. Without pins they are the admin payer's, by the code."""
    payers = abi.decode_addresses(chain.calls.get(asked.payers))
    if payers is None:
        return unknown(PAYERS, "the contract does not tell its payers")
    evidence = {"payers": ", ".join(f"0x{payer.hex()}" for payer in payers) or "none"}
    strange = [payer for payer in payers if pins.payers and payer not in pins.payers]
    if strange:
        why = f"0x{strange[0].hex()} speaks for every managed account and is none of the pinned payers"
        return failed(PAYERS, why, "Ask the operator which instance it belongs to.", **evidence)
    return passed(PAYERS, **evidence)
