"""`svc-compose` as operators run it: what it prints, what it leaves, how it ends."""

import hashlib
import json
from pathlib import Path

import pytest

from tests.compose.conftest import Run
from tests.support.measured_files import IMAGE, INGRESS_SETTINGS, OTHER_IMAGE, SETTINGS, SIDECAR_IMAGE

pytestmark = pytest.mark.exhaustive


@pytest.fixture
def settings_file(tmp_path: Path) -> str:
    (tmp_path / "settings.toml").write_text(SETTINGS)
    return "settings.toml"


def test_render_hash_check_and_diff(run: Run, settings_file: str, tmp_path: Path) -> None:
    rendered = run("render", "--image", IMAGE, "--settings", settings_file, "--docker-compose-out", "dc.yml", "--json")
    assert rendered.code == 0, rendered.err
    document = json.loads(rendered.out)
    raw = (tmp_path / "app-compose.json").read_bytes()
    assert document["compose_hash"] == hashlib.sha256(raw).hexdigest()
    assert document["images"] == [IMAGE]
    assert (tmp_path / "dc.yml").read_text() == json.loads(raw)["docker_compose_file"]
    assert run("hash", "app-compose.json").out.strip() == document["compose_hash"]
    assert run("check", "app-compose.json").code == 0
    again = run("render", "--image", OTHER_IMAGE, "--settings", settings_file, "--out", "new.json")
    assert again.code == 0
    said = run("diff", "app-compose.json", "new.json")
    assert said.code == 0
    assert f'node: image: "{IMAGE}" → "{OTHER_IMAGE}"' in said.out
    changes = json.loads(run("diff", "app-compose.json", "new.json", "--json").out)["changes"]
    assert [(each["area"], each["name"]) for each in changes] == [("service", "node: image")]
    assert "nothing differs" in run("diff", "new.json", "new.json").out


def test_what_the_check_refuses_is_not_written(run: Run, tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text(SETTINGS + 'log_level = "debug"\n')
    arguments = ["render", "--image", IMAGE, "--settings", "settings.toml"]
    refused = run(*arguments)
    assert refused.code == 10
    assert "log_level" in refused.err
    assert not (tmp_path / "app-compose.json").exists()
    assert run(*arguments, "--unchecked").code == 0
    checked = run("check", "app-compose.json", "--json")
    assert checked.code == 10
    assert json.loads(checked.out)["verdict"] == "refused"


def test_the_variant_with_sidecars(run: Run, tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text(INGRESS_SETTINGS)
    (tmp_path / "collector.yml").write_text("scrape: node:9464\n")
    ran = run(
        *("render", "--image", IMAGE, "--settings", "settings.toml", "--secret", "ledger_url"),
        *("--ingress-image", SIDECAR_IMAGE, "--ingress-env", "SET_CAA=true", "--ingress-secret", "DNS_TOKEN"),
        *("--telemetry-image", SIDECAR_IMAGE, "--telemetry-config", "collector.yml"),
    )
    assert ran.code == 0, ran.err
    assert "DNS_TOKEN, SVC_LEDGER_URL" in ran.out
    assert run("check", "app-compose.json").code == 10
    known = run("check", "app-compose.json", "--accept-env", "DNS_TOKEN", "--accept-key-holder", "ingress")
    assert known.code == 0


def test_secrets_are_named_and_never_taken(run: Run, settings_file: str, tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text(SETTINGS + 'rpc_authorization = "Bearer hush"\n')
    ran = run("render", "--image", IMAGE, "--settings", settings_file)
    assert ran.code == 30
    assert "rpc_authorization" in ran.err
    assert "hush" not in ran.err + ran.out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["render", "--image", "node:latest", "--settings", "settings.toml"], 2),
        (["render", "--image", IMAGE, "--settings", "none.toml"], 30),
        (["render", "--image", IMAGE, "--settings", "settings.toml", "--secret", "chain_id"], 2),
        (["render", "--image", IMAGE, "--settings", "settings.toml", "--ingress-env", "A=b"], 2),
        (["render", "--image", IMAGE, "--settings", "settings.toml", "--telemetry-argument", "b"], 2),
        (["render", "--image", IMAGE, "--settings", "settings.toml", "--out", "none/app.json"], 2),
        (["hash", "none.json"], 30),
        (["check", "settings.toml"], 30),
        (["diff", "settings.toml", "settings.toml"], 30),
        (["approve", "--app-id", "0x" + "11" * 20, "--chain-id", "1"], 2),
        (["approve", "--hash", "11", "--app-id", "0x" + "11" * 20, "--chain-id", "1"], 2),
        (["approve", "--hash", "11" * 32, "--app-id", "0x" + "1" * 39, "--chain-id", "1"], 2),
        (["approve", "--hash", "11" * 32, "--app-id", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD"[:-1] + "d"], 2),
        (["approve", "--hash", "11" * 32, "--app-id", "0x" + "11" * 20, "--chain-id", "1", "--key-file", "k"], 2),
        (["pending", "--app-id", "0x" + "11" * 20, "--chain-id", "1"], 2),
        (["nothing"], 2),
    ],
)
def test_misuse_and_files_that_cannot_be_read_have_their_exit_codes(
    run: Run, settings_file: str, arguments: list[str], code: int
) -> None:
    ran = run(*arguments)
    assert ran.code == code, (ran.out, ran.err)
    assert "internal error" not in ran.err


def test_an_address_with_a_slip_is_seen(run: Run) -> None:
    right, slip = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD"
    arguments = ["approve", "--hash", "11" * 32, "--chain-id", "1", "--app-id"]
    assert run(*arguments, right).code == 0
    refused = run(*arguments, slip)
    assert refused.code == 2
    assert "checksum" in refused.err
