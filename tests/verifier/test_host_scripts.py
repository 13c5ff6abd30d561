"""Start scripts that a managed host adds: by exact hash, named in the trust file, and what they read is not proven."""

import hashlib
import re
from dataclasses import replace

import pytest

from svc_verifier.check import Status
from svc_verifier.compose import known_scripts
from svc_verifier.compose.known_scripts import KNOWN_SCRIPTS, KnownScript
from svc_verifier.errors import VerifierError
from svc_verifier.trust import Trust
from svc_verifier.trust_file import parse_trust
from tests.support.audited import PLAIN, TRUST, app_compose, by_id, outcomes
from tests.support.contract import REPOSITORY

SCRIPT = "#!/bin/sh\necho login as $HOST_USER\n"
NEWER = "#!/bin/sh\necho login as $HOST_USER, newer\n"
ADDRESS = "https://code.example/start.sh"
MEMBER = "pre_launch_script"
INPUTS = (f"{MEMBER}:/host/config", f"{MEMBER}:HOST_USER")


def known(script: str, version: str) -> KnownScript:
    digest = hashlib.sha256(script.encode()).digest()
    return KnownScript("example-start", version, digest, ADDRESS, ("HOST_USER", "/host/config"))


@pytest.fixture(autouse=True)
def _published(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_scripts, "KNOWN_SCRIPTS", (known(SCRIPT, "1.0.0"), known(NEWER, "1.1.0")))


def trusting(*scripts: str, accepted: tuple[str, ...] = ()) -> Trust:
    listed = ", ".join(f'"{each}"' for each in scripts)
    inputs = ", ".join(f'"{each}"' for each in accepted)
    text = f'host = "h.example"\napp_id = "{"00" * 20}"\nchain_id = 1\nscripts = [{listed}]\nhost_input = [{inputs}]\n'
    return parse_trust(text)


@pytest.mark.parametrize("name", [hashlib.sha256(SCRIPT.encode()).hexdigest(), "example-start@1.0.0"])
def test_a_known_script_that_the_trust_file_names_runs_and_what_it_reads_is_not_proven(name: str) -> None:
    checks = by_id(app_compose(PLAIN, pre_launch_script=SCRIPT), trusting(name))
    assert checks["code.scripts"].status is Status.PASSED
    host = checks["code.host-input"]
    assert host.status is Status.UNKNOWN
    assert set(INPUTS) <= set(host.evidence)
    assert all(place == "read by example-start@1.0.0" for place in host.evidence.values())
    accepted = by_id(app_compose(PLAIN, pre_launch_script=SCRIPT), trusting(name, accepted=INPUTS))
    assert accepted["code.host-input"].status is Status.PASSED


def test_one_accepted_input_leaves_the_other_unproven() -> None:
    trust = trusting("example-start@1.0.0", accepted=INPUTS[:1])
    assert outcomes(PLAIN, trust, pre_launch_script=SCRIPT)["code.host-input"] is Status.UNKNOWN


@pytest.mark.parametrize(
    ("script", "name"),
    [
        (SCRIPT + " ", "example-start@1.0.0"),
        (SCRIPT[:-1], "example-start@1.0.0"),
        (SCRIPT.replace("echo", "echO"), "example-start@1.0.0"),
        (SCRIPT, "example-start@1.1.0"),
        (SCRIPT, hashlib.sha256(NEWER.encode()).hexdigest()),
    ],
    ids=["a byte more", "a byte less", "a byte changed", "another version", "another version's hash"],
)
def test_another_script_than_the_named_one_is_refused(script: str, name: str) -> None:
    assert outcomes(PLAIN, trusting(name), pre_launch_script=script)["code.scripts"] is Status.FAILED


def test_to_be_in_the_table_accepts_nothing() -> None:
    check = by_id(app_compose(PLAIN, pre_launch_script=SCRIPT), TRUST)["code.scripts"]
    assert check.status is Status.FAILED
    assert "example-start@1.0.0" in check.why


def test_a_script_in_another_member_is_judged_by_its_own_member() -> None:
    trust = trusting("example-start@1.0.0", accepted=INPUTS)
    assert outcomes(PLAIN, trust, init_script=SCRIPT)["code.host-input"] is Status.UNKNOWN


def test_a_report_of_very_many_scripts_is_short_and_shows_those_that_are_not_accepted() -> None:
    trust = trusting("example-start@1.0.0", accepted=INPUTS)
    hidden = by_id(app_compose(PLAIN, init_script=[SCRIPT] * 50 + ["evil"]), trust)["code.scripts"]
    assert hidden.status is Status.FAILED
    assert "init_script[50]" in hidden.why
    assert hidden.evidence["init_script[50]"] == hashlib.sha256(b"evil").hexdigest()
    check = by_id(app_compose(PLAIN, init_script=["a"] * 10_000), trust)["code.scripts"]
    assert check.status is Status.FAILED
    assert len(check.why) < 1000
    assert len(check.evidence) < 50


def test_an_accepted_input_of_a_script_accepts_no_variable_of_the_file() -> None:
    trust = trusting("example-start@1.0.0", accepted=INPUTS)
    checks = outcomes(PLAIN, trust, pre_launch_script=SCRIPT, allowed_envs=["HOST_USER"])
    assert checks["code.host-input"] is Status.UNKNOWN


@pytest.mark.parametrize("name", ["example-start@9.9.9", "example-start@*", "other@1.0.0", "example-start", "@"])
def test_a_name_that_the_table_does_not_have_is_no_trust_file(name: str) -> None:
    with pytest.raises(VerifierError):
        trusting(name)


@pytest.mark.parametrize("features", [["kms", "tproxy-net", "remote-shell"], ["KMS"], ["kms "], [""]])
def test_an_unknown_feature_leaves_the_verdict_open_until_it_is_accepted_by_its_name(features: list[str]) -> None:
    assert outcomes(PLAIN, features=features)["code.members"] is Status.UNKNOWN
    accepted = replace(TRUST, app_compose_members=frozenset({f"features:{features[-1]}"}))
    assert outcomes(PLAIN, accepted, features=features)["code.members"] is Status.PASSED


@pytest.mark.parametrize("features", ["kms", {"kms": True}, [1], [["kms"]]])
def test_features_of_another_form_are_refused(features: object) -> None:
    assert outcomes(PLAIN, features=features)["code.form"] is Status.FAILED


@pytest.mark.parametrize("features", [None, [], ["kms", "tproxy-net"]])
def test_the_features_that_dstack_reads_pass(features: object) -> None:
    assert set(outcomes(PLAIN, features=features).values()) == {Status.PASSED}


def test_the_published_table_has_whole_hashes_addresses_and_inputs() -> None:
    assert KNOWN_SCRIPTS
    assert len({script.digest for script in KNOWN_SCRIPTS}) == len(KNOWN_SCRIPTS)
    for script in KNOWN_SCRIPTS:
        assert len(script.digest) == 32
        assert script.read_at.startswith("https://")
        assert script.reads == tuple(sorted(script.reads))
        assert script.title == f"{script.name}@{script.version}"


def test_the_published_table_has_each_version_with_and_without_its_last_line_end() -> None:
    assert [script.version for script in KNOWN_SCRIPTS] == [
        version for version in ("0.0.16", "0.0.17", "0.0.18", "0.0.19") for _ in range(2)
    ]
    commits = {script.version: script.read_at.split("/")[6][:7] for script in KNOWN_SCRIPTS}
    assert commits == {"0.0.16": "0593b4b", "0.0.17": "deb6808", "0.0.18": "d3fb09c", "0.0.19": "c021d8b"}


def test_the_page_shows_the_table_and_a_trust_file_that_can_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_scripts, "KNOWN_SCRIPTS", KNOWN_SCRIPTS)
    page = (REPOSITORY / "docs/hosts/phala.md").read_text()
    for script in KNOWN_SCRIPTS:
        assert f"| `{script.title}` | `{script.digest.hex()}` |" in page
        assert script.read_at in page
        assert all(name in page for name in script.reads if not name.startswith("DSTACK_"))
    block = re.search(r"<!-- trust -->\n *```toml\n(.*?)```", page, re.DOTALL)
    assert block is not None
    trust = parse_trust(block[1])
    newest = max(KNOWN_SCRIPTS, key=lambda script: tuple(map(int, script.version.split("."))))
    assert trust.scripts == {script.digest for script in KNOWN_SCRIPTS if script.title == newest.title}
    assert trust.host_input <= {f"{MEMBER}:{name}" for script in KNOWN_SCRIPTS for name in script.reads}
