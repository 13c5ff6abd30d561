"""A managed host's own script and features: rendered as it measures them, and judged as svc-verify judges them."""

import hashlib
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from compose.check import Accepted, check, is_refused
from compose.cli import commands
from compose.errors import Exit
from compose.findings import Weight
from compose.measured import Measured
from svc_verifier.check import Status
from svc_verifier.checks.code import check_code
from svc_verifier.compose import known_scripts
from svc_verifier.compose.known_scripts import KnownScript
from svc_verifier.trust import Trust
from tests.support.measured_files import IMAGE, SETTINGS, changed, measured

SCRIPT = "#!/bin/sh\necho login as $HOST_USER\n"
DIGEST = hashlib.sha256(SCRIPT.encode()).digest()
KNOWN = KnownScript("example-start", "1.0.0", DIGEST, "https://code.example/start.sh", ("HOST_USER",))
INPUT = "pre_launch_script:HOST_USER"


@pytest.fixture(autouse=True)
def _published(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_scripts, "KNOWN_SCRIPTS", (KNOWN,))


def hosted(script: str = SCRIPT, **members: object) -> Measured:
    file = measured(host_script=script)
    return changed(file, **members) if members else file


def test_the_file_is_written_with_what_the_host_adds() -> None:
    plain, file = measured().members, hosted().members
    added = {name: value for name, value in file.items() if plain.get(name) != value}
    assert added == {
        "features": ["kms", "tproxy-net"],
        "pre_launch_script": SCRIPT,
        "storage_fs": "zfs",
        "tproxy_enabled": True,
    }
    assert plain.keys() - file.keys() == {"key_provider_id"}
    assert measured(host_script=SCRIPT, key_provider_id="ab").members["key_provider_id"] == "ab"
    assert hosted().raw == json.dumps(file, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


@pytest.mark.parametrize("names_script", [True, False])
@pytest.mark.parametrize("accepts_input", [True, False])
@pytest.mark.parametrize(
    ("script", "members"),
    [
        (SCRIPT, {}),
        (SCRIPT + " ", {}),
        ("true\n", {}),
        (SCRIPT, {"features": ["kms", "tproxy-net", "remote-shell"]}),
        (SCRIPT, {"allowed_envs": ["HOST_USER"]}),
        (SCRIPT, {"init_script": SCRIPT}),
    ],
    ids=["the script", "a byte more", "another script", "a hostile feature", "its variable allowed", "another member"],
)
def test_check_and_verifier_agree(
    script: str, members: dict[str, object], names_script: bool, accepts_input: bool
) -> None:
    scripts = frozenset({DIGEST} if names_script else ())
    inputs = frozenset({INPUT} if accepts_input else ())
    file = hosted(script, **members)
    trust = Trust(host="h.example", app_id=bytes(20), chain_id=1, scripts=scripts, host_input=inputs)
    statuses = {check.status for check in check_code(file.raw.decode(), trust).checks}
    refused = is_refused(check(file, Accepted(inputs, frozenset(), scripts)))
    assert refused == (statuses != {Status.PASSED})
    assert refused == ((script, members, names_script, accepts_input) != (SCRIPT, {}, True, True))


def test_each_refusal_names_its_check() -> None:
    subjects = {each.subject for each in check(hosted(), Accepted()) if each.weight is Weight.REFUSED}
    assert subjects == {"code.scripts", "host"}
    said = "\n".join(each.text for each in check(hosted(), Accepted()))
    assert f"example-start@1.0.0, sha256 {DIGEST.hex()}" in said
    assert f"{INPUT} (read by example-start@1.0.0) comes from the host, and nothing proves it" in said


def test_render_needs_a_trust_file_that_names_the_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("settings.toml").write_text(SETTINGS)
    Path("start.sh").write_text(SCRIPT)
    Path("trust.toml").write_text(
        f'host = "h.example"\napp_id = "{"00" * 20}"\nchain_id = 1\n'
        f'scripts = ["example-start@1.0.0"]\nhost_input = ["{INPUT}"]\n'
    )
    base = ["render", "--image", IMAGE, "--settings", "settings.toml", "--host-profile", "phala"]

    def ran(*arguments: str) -> tuple[Exit, str]:
        result = CliRunner().invoke(commands, [*base, *arguments])
        code = getattr(result.exception, "code", Exit.DONE)
        return code, result.output

    assert ran()[0] is Exit.MISUSE
    code, said = ran("--host-script", "start.sh")
    assert code is Exit.REFUSED
    assert "code.scripts" in said
    assert not Path("app-compose.json").exists()
    assert ran("--host-script", "start.sh", "--trust", "trust.toml")[0] is Exit.DONE
    assert json.loads(Path("app-compose.json").read_bytes())["pre_launch_script"] == SCRIPT
    checked = CliRunner().invoke(commands, ["check", "app-compose.json", "--trust", "trust.toml"])
    assert checked.exit_code == 0, checked.output
    Path("trust.toml").write_text("scripts = 1\n")
    assert ran("--host-script", "start.sh", "--trust", "trust.toml")[0] is Exit.MALFORMED
