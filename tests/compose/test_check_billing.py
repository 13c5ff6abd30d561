"""What the node would refuse of credits at its start is refused before it is approved, and no secret is repeated."""

from pathlib import Path

import pytest

from compose.check import Accepted, check
from compose.deployment import read_settings
from compose.errors import ComposeError
from compose.findings import Weight
from compose.measured import inlined_settings
from tests.support.measured_files import SETTINGS, measured, node_alone
from tests.support.postgres import write_certificate

CREDIT = SETTINGS.replace('billing = "off"\n', "")
SECRETS = ("processor_secret_key", "processor_webhook_secret")
LIVE = 'processor_publishable_key = "pk_live_abcdef"\n'
TOKENS = (
    'token_deposit_contract = "0x00000000000000000000000000000000000000bb"\n'
    'token_prices = ["0x00000000000000000000000000000000000000cc:USDC:6:1000000"]\n'
)


def findings(more: str, secrets: tuple[str, ...] = (), base: str = CREDIT) -> dict[Weight, str]:
    found = check(measured(node_alone(base + more, secrets=secrets)), Accepted())
    return {weight: "\n".join(f"{x.subject}: {x.text}" for x in found if x.weight is weight) for weight in Weight}


def test_credit_with_and_without_a_card_processor_is_accepted() -> None:
    for more, secrets in (("", ()), (LIVE, SECRETS), (LIVE + TOKENS, (*SECRETS, "ledger_url"))):
        assert findings(more, secrets)[Weight.REFUSED] == ""


def test_credit_on_a_disk_that_nobody_can_copy_is_remarked() -> None:
    assert "ledger_url" in findings("")[Weight.REMARK]
    assert "ledger_url" not in findings("", ("ledger_url",))[Weight.REMARK]
    assert "ledger_url" not in findings("", base=SETTINGS)[Weight.REMARK]


def test_the_authority_of_a_database_is_measured_and_no_key_is(tmp_path: Path) -> None:
    write_certificate(tmp_path, "db.example")
    pem = f'ledger_ca_pem = """\n{(tmp_path / "ca.pem").read_text()}"""\n'
    assert findings(pem, ("ledger_url",))[Weight.REFUSED] == ""
    assert "without a database" in findings(pem)[Weight.REFUSED]
    file = measured(node_alone(CREDIT + pem, secrets=("ledger_url",)))
    assert inlined_settings(file).settings.ledger_ca_pem == (tmp_path / "ca.pem").read_text()
    for wrong, said in (
        ((tmp_path / "server.key").read_text(), "private key"),
        ("no certificate", "cannot be read"),
        ("x" * 20_000, "16384"),
    ):
        with pytest.raises(ComposeError, match="ledger_ca_pem") as refused:
            read_settings(CREDIT + f'ledger_ca_pem = """\n{wrong}"""\n')
        assert said in str(refused.value)
        assert wrong not in str(refused.value)


@pytest.mark.parametrize(
    ("more", "secrets", "named"),
    [
        (LIVE, (), "SVC_PROCESSOR_SECRET_KEY is missing"),
        (LIVE, ("processor_secret_key",), "SVC_PROCESSOR_WEBHOOK_SECRET is missing"),
        ("", SECRETS, "no publishable key"),
        ('processor_publishable_key = "pk_test_abcdef"\n', SECRETS, "play money"),
        ('processor_publishable_key = "sk_live_HUSHabc"\n', SECRETS, "everybody can read"),
        ("# the old one: rk_live_HUSHabc\n", (), "everybody can read"),
        ("# whsec_HUSHabcdef\n", (), "everybody can read"),
        (LIVE + 'processor_url = "http://processor.example"\n', SECRETS, "not https"),
        (LIVE + 'processor_url = "https://processor.example/v1"\n', SECRETS, "not https"),
        (LIVE + 'processor_url = "https://["\n', SECRETS, "not https"),
        (TOKENS.splitlines(keepends=True)[0], (), "go together"),
        (TOKENS.splitlines(keepends=True)[1], (), "go together"),
    ],
)
def test_halves_and_secrets_in_the_open_are_refused(more: str, secrets: tuple[str, ...], named: str) -> None:
    said = findings(more, secrets)
    assert named in said[Weight.REFUSED]
    assert "hush" not in "".join(said.values()).lower()


def test_a_test_network_may_have_play_money() -> None:
    more = 'chain_testnet = true\nprocessor_publishable_key = "pk_test_abcdef"\n'
    assert findings(more, SECRETS)[Weight.REFUSED] == ""


def test_another_processor_and_hasty_deposits_are_remarked() -> None:
    said = findings(LIVE + TOKENS + 'processor_url = "https://processor.example"\ntoken_confirmations = 2\n', SECRETS)
    assert said[Weight.REFUSED] == ""
    assert "goes to processor.example" in said[Weight.REMARK]
    assert "token_confirmations: 2" in said[Weight.REMARK]
    assert "token_confirmations" not in findings(LIVE + TOKENS, SECRETS)[Weight.REMARK]
