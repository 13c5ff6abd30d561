"""Checks the account contract before any read or transaction, with the verifier's own checks."""

from typing import Final

from svc_client.chain.providers import Providers, Question, call_of
from svc_client.errors import ContractNotAccepted, InvalidArgument
from svc_verifier.chain.abi import decode_address
from svc_verifier.chain.contracts import AccountQuestions, published_builds, recognise
from svc_verifier.check import Check, Status
from svc_verifier.checks import accounts
from svc_verifier.material import ContractCall, ProviderAnswers
from svc_verifier.trust import AccountPins, Trust

_DECIDING: Final = frozenset({accounts.CONTRACT, accounts.CODE, accounts.VIEWS, accounts.DELAY, accounts.OWNER})
"""Checks that the user's own transactions depend on. Others concern API-mode accounts."""
_MUST_PASS: Final = frozenset({accounts.CONTRACT, accounts.CODE, accounts.VIEWS, accounts.DELAY})
"""Checks that must pass. An owner may be unpinned, since it has no right in such accounts."""


async def check_contract(providers: Providers, trust: Trust) -> tuple[Check, ...]:
    """Returns the verifier's checks of the account contract.

    Raises ContractNotAccepted with the checks that failed, ProvidersDisagree and Unreachable.
    """
    if trust.accounts is None:
        raise InvalidArgument("No account contract is named: pin it in the trust file, or pass account_contract.")
    checks = accounts.check_accounts(await _answers(providers, trust.accounts), None, trust).checks
    refused = [check for check in checks if check.id in _DECIDING and _refuses(check)]
    if refused:
        why = "; ".join(f"{check.id}: {check.why}" for check in refused)
        raise ContractNotAccepted(f"The account contract is not accepted ({why}). Nothing was signed or sent.", refused)
    return checks


def _refuses(check: Check) -> bool:
    return check.status is Status.FAILED or (check.id in _MUST_PASS and check.status is not Status.PASSED)


async def _answers(providers: Providers, pins: AccountPins) -> ProviderAnswers:
    found = await providers.at_head([_code(pins.contract)])
    codes, told = {pins.contract: found.data(0)}, dict[ContractCall, bytes | None]()
    # Code first: no result of unknown code counts, since such code may return anything.
    if recognise(found.data(0), (*pins.codes, *published_builds())) is not None:
        asked = AccountQuestions(pins.contract)
        agreed = await providers.at_head([call_of(each) for each in asked.calls])
        told = dict(zip(asked.calls, agreed.results, strict=True))
        # The first results name the module. Code is constant, so a later block serves.
        if (module := decode_address(told[asked.views_module])) is not None:
            codes[module] = (await providers.at_head([_code(module)])).data(0)
    return ProviderAnswers(
        name=", ".join(providers.hosts),
        chain_id=providers.chain_id,
        block_number=found.block.number,
        block_hash=found.block.hash,
        block_time_s=found.block.time_s,
        code=codes,
        calls=told,
    )


def _code(address: bytes) -> Question:
    return Question("eth_getCode", (f"0x{address.hex()}",))
