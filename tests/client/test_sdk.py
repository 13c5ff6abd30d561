"""The SDK against a running node: what a backend does with it, and how it says what went wrong."""

import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from svc_client import (
    ActionFailed,
    AsyncClient,
    BadRequest,
    Client,
    Forbidden,
    InsecureDevelopmentRootWarning,
    NodeNotAccepted,
    NotFound,
    SvcError,
    Unauthorized,
    models,
)
from svc_verifier.check import Verdict
from tests.support.client_arguments import ClientArguments
from tests.support.node import REPOSITORY
from tests.support.verifying import VerifiableNode

pytestmark = pytest.mark.filterwarnings("ignore::svc_client.InsecureDevelopmentRootWarning")
SIGN = 'async function main({wallet}) { return Svc.Actions.signMessage({pkpId: wallet, message: "hello"}); }'


@pytest.fixture(scope="session")
def account(node: VerifiableNode) -> models.NewAccount:
    from tests.support.client_arguments import arguments_for  # noqa: PLC0415 - for one fixture of wider scope

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InsecureDevelopmentRootWarning)
        with Client(**arguments_for(node)) as svc:
            return svc.account.create("client", "made by a test")


@pytest.fixture
def svc(arguments: ClientArguments, account: models.NewAccount) -> Iterator[Client]:
    with Client(api_key=account.api_key, **arguments) as client:
        yield client


def test_the_node_is_proven_before_it_is_used_and_the_report_can_be_read(svc: Client) -> None:
    before = svc.verification
    assert before is None
    assert svc.account.exists()
    assert svc.verification is not None
    assert svc.verification.verdict is Verdict.ACCEPTED


def test_a_backend_s_day(svc: Client, arguments: ClientArguments) -> None:
    wallet = svc.wallets.create("signer")
    assert wallet.address in {each.address for each in svc.wallets}
    run = svc.actions.run(SIGN, {"wallet": wallet.address})
    assert re.fullmatch(r"0x[0-9a-f]{130}", str(run.response))
    assert run.authorized_at_block is not None
    assert wallet.block_number is not None
    assert run.authorized_at_block >= wallet.block_number
    cid = svc.actions.cid(SIGN)
    svc.actions.register(cid, "sign")
    group = svc.groups.create("signers").allow(cid, wallet)
    key = svc.usage_keys.create("backend", execute_in=[group], cap_cents=50)
    (listed,) = [each for each in svc.usage_keys if each.name == "backend"]
    assert (listed.balance, listed.can_execute_in_groups) == (50, (group.id,))
    with Client(api_key=key.usage_api_key, **arguments) as scoped:
        assert scoped.actions.run(SIGN, {"wallet": wallet.address}).charged_cents == 1
        assert scoped.explain(code=SIGN, wallet=wallet.address).decision == "allow"
        with pytest.raises(Forbidden) as refused:
            scoped.actions.run(SIGN + " ", {"wallet": wallet.address})
        assert refused.value.missing is not None
        svc.usage_keys.remove(listed.api_key_hash)
        assert not scoped.account.exists()
        with pytest.raises(Unauthorized):
            scoped.billing.balance()


def test_errors_say_what_to_do(svc: Client) -> None:
    with pytest.raises(NotFound) as missing:
        svc.groups.remove(999_999)
    assert missing.value.fix
    assert missing.value.request_id
    with pytest.raises(BadRequest, match="wallet"):
        svc.groups.add_wallet(1, "no wallet")
    with pytest.raises(ActionFailed) as failed:
        svc.actions.run('async function main() { console.log("seen"); throw new TypeError("no"); }')
    assert (failed.value.name, failed.value.message, failed.value.charged_cents) == ("TypeError", "no", 1)
    assert "seen" in failed.value.logs
    with pytest.raises(ActionFailed, match="one script") as importing:
        svc.actions.run('import { z } from "zod@3.22.4"; function main() { return 1; }')
    assert importing.value.fix
    with pytest.raises(ActionFailed) as endless:
        svc.actions.run("function main() { for (;;); }", max_seconds=1)
    assert (endless.value.name, endless.value.charged_cents) == ("ActionTimeout", 1)


def test_another_application_is_refused_before_a_byte_of_a_request(arguments: ClientArguments) -> None:
    wrong = arguments | {"app_id": "0x" + "ab" * 20}
    with Client(api_key="never-sent", **wrong) as client, pytest.raises(NodeNotAccepted) as refused:
        client.account.exists()
    assert refused.value.report is not None
    assert refused.value.report.verdict is not Verdict.ACCEPTED


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "change",
    [{"url": "http://localhost:1"}, {"app_id": "0x12"}, {"trust": "/nowhere/trust.toml"}, {"insecure_dev_root": "/no"}],
)
def test_trust_that_cannot_be_used_is_named(arguments: ClientArguments, change: dict[str, Any]) -> None:
    given: dict[str, Any] = {**arguments, **change}
    with pytest.raises(SvcError), Client(**given) as client:
        client.account.exists()


async def test_the_asynchronous_client_does_the_same(arguments: ClientArguments, account: models.NewAccount) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        made = AsyncClient(api_key=account.api_key, **arguments)
    assert [(each.category, each.filename) for each in told] == [(InsecureDevelopmentRootWarning, __file__)]
    async with made as svc:
        assert (await svc.verify()).verdict is Verdict.ACCEPTED
        assert await svc.account.exists()
        wallet = await svc.wallets.create()
        assert (await svc.actions.run(SIGN, {"wallet": wallet.address}, idempotent=True)).charged_cents == 1
        assert [each.address async for each in svc.wallets][-1] == wallet.address


@pytest.mark.parametrize("tool", ["clients", "synchronous"])
def test_the_clients_are_made_of_their_table_and_of_one_another(tool: str) -> None:
    subprocess.run([sys.executable, "-m", f"tools.{tool}", "--check"], cwd=REPOSITORY, check=True, timeout=60)
