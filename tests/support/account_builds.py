"""`python -m tests.support.account_builds`: write the verifier's table of published builds of the account contract.

The build is that of the committed artifact. Which of its words hold which immutable is read from a deployment on a local
chain. A build that is deployed somewhere and still sound is kept in the table by hand; one with a known fault is not.
"""

import asyncio
import json
from typing import Any, Final

from eth_utils.crypto import keccak

from tests.support.account_chain import OWNER_CHANGE_DELAY_S, AccountChain, account_chain
from tests.support.contract import ARTIFACT, REPOSITORY

TABLE: Final = REPOSITORY / "verifier" / "svc_verifier" / "chain" / "account_contract.json"


async def deployed_build(chain: AccountChain) -> dict[str, Any]:
    """The artifact's build as the table lists it."""
    code = bytes.fromhex((await chain.rpc.ask("eth_getCode", chain.contract.address, "latest"))[2:])
    views_module = await chain.contract.call("viewsModule")
    names = {
        bytes.fromhex(views_module[2:]).rjust(32, b"\0"): "views_module_at",
        OWNER_CHANGE_DELAY_S.to_bytes(32, "big"): "owner_change_delay_at",
    }
    groups = [[each["start"] for each in group] for group in ARTIFACT["immutableReferences"].values()]
    return {
        "code_hash": keccak(bytes.fromhex(ARTIFACT["deployedBytecode"][2:])).hex(),
        "views_code_hash": keccak(bytes.fromhex(ARTIFACT["viewsDeployedBytecode"][2:])).hex(),
        **{names[code[group[0] : group[0] + 32]]: group for group in groups},
    }


def written(builds: list[dict[str, Any]]) -> str:
    """The text of the table."""
    return json.dumps({"builds": builds}, indent=1) + "\n"


async def main() -> None:
    """Write the table anew."""
    async with account_chain() as chain:
        TABLE.write_text(written([await deployed_build(chain)]))


if __name__ == "__main__":
    asyncio.run(main())
