"""The measured file: what stands in it is what runs, and the same deployment is always the same bytes."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from compose.app_compose import AppOptions, app_compose_bytes
from compose.check import Accepted, check, is_refused
from compose.deployment import Deployment, Ingress, parse_image, read_settings
from compose.errors import ComposeError, Exit
from compose.measured import inlined_settings
from node.settings import PREFIX, SECRETS
from svc_verifier.compose.app_compose import audit_app_compose
from svc_verifier.compose.host_input import HostInput
from tests.compose.conftest import RUN_S
from tests.support.measured_files import (
    IMAGE,
    INGRESS_SETTINGS,
    SETTINGS,
    SIDECAR_IMAGE,
    as_docker_compose_reads,
    measured,
    node_alone,
    with_sidecars,
)
from tests.support.node import REPOSITORY

AWKWARD = SETTINGS + 'chain_token = "$HOME ${LD_PRELOAD:-x} $$ $1 ä"\n# --- # : { [ & * ! | > \' " % @ `\n\n#  end  \n'


def containers(file_text: str) -> dict[str, dict[str, object]]:
    services: dict[str, dict[str, object]] = yaml.safe_load(file_text)["services"]
    return services


def node_arguments(file_text: str) -> list[str]:
    """What the node's process is started with, whatever the host's variables are."""
    command = containers(file_text)["node"]["command"]
    assert isinstance(command, list)
    forged = {"HOME": "forged", "LD_PRELOAD": "forged", "PATH": "forged"}
    return [as_docker_compose_reads(word, forged) for word in command]


@pytest.mark.parametrize("settings", [SETTINGS, AWKWARD])
def test_the_node_is_started_with_exactly_the_settings_that_were_given(settings: str) -> None:
    file = measured(node_alone(settings))
    assert node_arguments(file.app.docker_compose_file or "") == ["serve", "--config-text", settings.rstrip() + "\n"]


@pytest.mark.exhaustive
def test_svc_node_serve_takes_those_arguments(tmp_path: Path) -> None:
    closed = [f'"http://127.0.0.1:{port}"' for port in (1, 2, 3)]
    settings = SETTINGS.replace('data_dir = "/data"', f'data_dir = "{tmp_path}"').replace(
        '["https://one.example", "https://two.example", "https://three.example"]', f"[{', '.join(closed)}]"
    )
    arguments = node_arguments(measured(node_alone(settings)).app.docker_compose_file or "")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    ran = subprocess.run(
        [sys.executable, "-m", "node", *arguments],
        cwd=REPOSITORY,
        env=environment,
        capture_output=True,
        text=True,
        timeout=RUN_S,
        check=False,
    )
    # past its settings: the first thing that is not here is the chain
    assert "will not start: rpc_endpoints: 2 must answer, 0 do: 127.0.0.1:1" in ran.stderr, ran.stderr


def test_equal_deployments_are_equal_bytes_in_the_form_that_dstacks_tools_hash() -> None:
    file = measured(with_sidecars())
    assert file.raw == measured(with_sidecars()).raw
    members = json.loads(file.raw)
    again = json.dumps(members, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert again == file.raw
    assert file.hash == hashlib.sha256(file.raw).digest()


def test_only_secrets_come_from_the_host_and_they_are_its_sole_input() -> None:
    file = measured(node_alone(secrets=tuple(SECRETS)))
    names = sorted(PREFIX + name.upper() for name in SECRETS)
    assert json.loads(file.raw)["allowed_envs"] == names
    assert sorted(containers(file.app.docker_compose_file or "")["node"]["environment"]) == names  # type: ignore[call-overload]
    assert not [entry for entry in file.audit.host_input if entry.decides]
    assert measured().audit.host_input == ()


def test_the_verifier_has_nothing_to_object_to_in_a_node_alone() -> None:
    audit = audit_app_compose(measured(node_alone(AWKWARD)).raw.decode())
    assert audit.findings == ()
    assert audit.scripts == ()
    assert audit.host_input == ()
    assert audit.key_holders == ("node",)
    assert [image.reference for image in audit.images] == [IMAGE]


def test_sidecars_are_pinned_and_what_they_may_do_is_said() -> None:
    audit = audit_app_compose(measured(with_sidecars()).raw.decode())
    assert audit.findings == ()
    assert audit.key_holders == ("ingress", "node")
    assert {image.reference for image in audit.images} == {IMAGE, SIDECAR_IMAGE}
    assert HostInput("DNS_TOKEN", "allowed_envs", decides=False) in audit.host_input


def test_a_changed_telemetry_configuration_is_another_config_so_that_its_container_is_made_anew() -> None:
    one, other = (measured(with_sidecars(config=text)).app.docker_compose_file or "" for text in ("a: 1\n", "a: 2\n"))
    assert containers(one)["telemetry"]["configs"] != containers(other)["telemetry"]["configs"]
    (name,) = yaml.safe_load(one)["configs"]
    assert hashlib.sha256(b"a: 1\n").hexdigest().startswith(name.removeprefix("telemetry-"))
    assert len(name.removeprefix("telemetry-")) >= 40, "two contents of one name could be found"


def test_the_containers_of_the_node_are_closed() -> None:
    node = containers(measured().app.docker_compose_file or "")["node"]
    assert node["read_only"] is True
    assert node["cap_drop"] == ["ALL"]
    assert node["security_opt"] == ["no-new-privileges:true"]
    assert node["ports"] == ["443:8443", "80:8000"]
    assert node["entrypoint"] == ["svc-node"]
    assert "ports" not in containers(measured(with_sidecars()).app.docker_compose_file or "")["node"]


@pytest.mark.parametrize(
    "bad",
    [
        "registry.example/node:1",
        "registry.example/node@sha256:" + "ab" * 31,
        "registry.example/node@sha256:" + "ab" * 33,
        "registry.example/node@sha256:" + "AB" * 32,
        "registry.example/node@sha512:" + "ab" * 32,
        "registry.example/n\u043ede@sha256:" + "ab" * 32,
        "registry.example/node:l\u0430test@sha256:" + "ab" * 32,
        "registry.example/node@sha256:" + "ab" * 31 + "\u0430b",
        "registry.example/node@sha256:" + "ab" * 32 + "\n",
        "registry.example/node@sha256:" + "ab" * 32 + " # x",
        "${REGISTRY}/node@sha256:" + "ab" * 32,
        "node: x@sha256:" + "ab" * 32,
        "Registry.example/Node@sha256:" + "ab" * 32,
        "@sha256:" + "ab" * 32,
        "a" * 300 + "@sha256:" + "ab" * 32,
        "",
    ],
)
def test_an_image_without_a_whole_digest_is_no_image(bad: str) -> None:
    with pytest.raises(ComposeError) as refused:
        parse_image(bad)
    assert refused.value.code is Exit.MISUSE


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ("", "empty"),
        (" chain_id = 1\n", "begins with a blank"),
        ("chain_id = 1\r\n", "U+000D"),
        ('chain_name = "a\u202eb"\n', "U+202E"),
        ("chain_id = 1\u2028\n", "U+2028"),
        ("\ufeffchain_id = 1\n", "U+FEFF"),
        ("chain_id = 1\x00\n", "U+0000"),
        ("chain_id = 1\nchain_id = 2\n", "overwrite"),
        ("chain_ids = 1\n", "chain_ids"),
        ('rpc_authorization = "Bearer hush"\n', "rpc_authorization"),
        ('"rpc_authorization" = "Bearer hush"\n', "rpc_authorization"),
        ('chain_id = 1\n# SVC_RPC_AUTHORIZATION = "Bearer hush"\n', "rpc_authorization"),
        ("chain_id = 1 # acme_dns_credential=hush\n", "acme_dns_credential"),
        ("http_port = 70000\n", "http_port"),
        ("dev_chain_port = 1\n", "dev_chain_port"),
        ("x" * 70_000, "65536"),
    ],
)
def test_settings_that_serve_would_refuse_or_readers_dispute_are_refused_without_a_value(
    settings: str, named: str
) -> None:
    with pytest.raises(ComposeError) as refused:
        read_settings(settings)
    assert refused.value.code is Exit.MALFORMED
    assert named in refused.value.message
    assert "hush" not in refused.value.message


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("LD_PRELOAD", "x"),
        ("COMPOSE_FILE", "x"),
        ("PATH", "x"),
        ("HTTPS_PROXY", "x"),
        ("PYTHONSTARTUP", "x"),
        ("SVC_CHAIN_ID", "1"),
        ("lower", "x"),
        ("A B", "x"),
        ("\u0410", "x"),
        ("A", "x\ny"),
    ],
)
def test_a_sidecars_variable_is_none_that_decides_what_runs(name: str, value: str) -> None:
    with pytest.raises(ComposeError):
        Ingress(parse_image(SIDECAR_IMAGE), ((name, value),), ())
    if value != "x\ny":
        with pytest.raises(ComposeError):
            Ingress(parse_image(SIDECAR_IMAGE), (), (name,))


@pytest.mark.parametrize(
    ("environment", "secrets"),
    [
        ((("A", "measured"),), ("A",)),
        ((("A", "1"), ("A", "2")), ()),
        ((), ("DOMAIN",)),
        ((), ("TARGET_ENDPOINT",)),
        ((("DOMAIN", "other.example"),), ()),
    ],
)
def test_the_host_sets_no_variable_of_the_ingress_that_is_measured(
    environment: tuple[tuple[str, str], ...], secrets: tuple[str, ...]
) -> None:
    with pytest.raises(ComposeError, match="given twice"):
        Ingress(parse_image(SIDECAR_IMAGE), environment, secrets)


def test_a_value_of_the_ingress_is_taken_as_it_stands() -> None:
    awkward = 'a: b # $HOME "${X}" \'\\'
    deployment = Deployment(
        image=parse_image(IMAGE),
        settings=read_settings(INGRESS_SETTINGS),
        ingress=Ingress(parse_image(SIDECAR_IMAGE), (("NOTE", awkward),), ()),
    )
    file = measured(deployment)
    entries = containers(file.app.docker_compose_file or "")["ingress"]["environment"]
    assert isinstance(entries, list)
    assert f"NOTE={awkward}" in [as_docker_compose_reads(entry, {"HOME": "forged"}) for entry in entries]
    assert file.audit.host_input == ()


def test_what_does_not_fit_together_is_refused() -> None:
    with pytest.raises(ComposeError, match="nothing would end TLS"):
        node_alone(INGRESS_SETTINGS)
    with pytest.raises(ComposeError, match="ingress ends TLS itself"):
        with_sidecars(SETTINGS)
    with pytest.raises(ComposeError, match="metrics_host"):
        with_sidecars(INGRESS_SETTINGS.replace('metrics_host = "0.0.0.0"', ""))
    with pytest.raises(ComposeError, match="no secret of the node"):
        node_alone(secrets=("chain_id",))
    for name, key_provider in (("Ein Name", ""), ("a\u0430", ""), ("", ""), ("a", "abc"), ("a", "AB")):
        with pytest.raises(ComposeError):
            AppOptions(name, key_provider)


def test_what_is_rendered_passes_the_check_and_reads_back() -> None:
    file = measured(node_alone(AWKWARD, secrets=("ledger_url",)), key_provider_id="3059")
    assert not is_refused(check(file, Accepted()))
    assert inlined_settings(file).settings == read_settings(AWKWARD).settings
    assert b'"key_provider_id":"3059"' in app_compose_bytes(node_alone(), AppOptions(key_provider_id="3059"))
