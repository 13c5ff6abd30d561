"""Containers beside the node get at nothing of it, and no file holds what is not measured."""

import pytest

from compose.check import Accepted, check
from compose.cli import LOG_EXPORT
from compose.errors import ComposeError, Exit
from compose.findings import Weight
from compose.measured import Measured
from svc_verifier.check import Status
from svc_verifier.checks.code import check_code
from svc_verifier.trust import Trust
from tests.support.measured_files import (
    INGRESS_SETTINGS,
    SETTINGS,
    SIDECAR_IMAGE,
    changed,
    compose_changed,
    measured,
    node_alone,
    with_sidecars,
)

KNOWN = Accepted(frozenset({"DNS_TOKEN"}), frozenset({"ingress"}))


def refusals(file: Measured) -> list[str]:
    return [each.text for each in check(file, KNOWN) if each.weight is Weight.REFUSED]


def beside(line: str) -> Measured:
    """The node with an ingress, a collector and another container."""
    spy = f"services:\n  spy:\n    image: {SIDECAR_IMAGE}\n    {line}\n"
    return compose_changed(measured(with_sidecars()), "services:\n", spy)


def test_a_container_that_asks_for_nothing_is_accepted() -> None:
    for line in ("restart: always", "cap_add: [NET_BIND_SERVICE]", "security_opt: [no-new-privileges=true]"):
        assert refusals(beside(line)) == []
    assert refusals(beside("links: ['node:upstream']")) == []


@pytest.mark.parametrize("capability", ["SYS_TIME", "cap_sys_time", "CHECKPOINT_RESTORE", "ALL", "$ANY"])
def test_capabilities_of_the_whole_machine_are_refused(capability: str) -> None:
    """SYS_TIME sets the clock by which certificates and the age of the chain's head are judged."""
    assert any(f"capability {capability}" in text for text in refusals(beside(f"cap_add: ['{capability}']")))


@pytest.mark.parametrize("option", ["seccomp=loose.json", "label=type:spc_t", "no-new-privileges:false"])
def test_the_engines_own_profile_stays(option: str) -> None:
    assert any("replaces the engine's own profile" in text for text in refusals(beside(f"security_opt: ['{option}']")))


@pytest.mark.parametrize(
    "line",
    [
        "container_name: node",
        "networks: {default: {aliases: [other, Node]}}",
        "links: ['telemetry:node']",
        "external_links: ['elsewhere:node']",
    ],
)
def test_nobody_else_has_the_nodes_name(line: str) -> None:
    """The ingress hands requests, with their keys, to whoever answers by that name."""
    assert any("has the name 'node' too" in text for text in refusals(beside(line)))


@pytest.mark.parametrize("volume", ["cert-data", "evidences", "data"])
def test_what_holders_of_the_keys_keep_is_theirs(volume: str) -> None:
    """In cert-data lies the key of the certificate that users are shown; who writes evidences says what they find."""
    assert any(f"mounts {volume}, " in text for text in refusals(beside(f"volumes: ['{volume}:/theirs:ro']")))
    assert refusals(beside("volumes: ['its-own:/its-own']")) == []


def test_another_container_that_publishes_ports_is_remarked() -> None:
    remarked = [each.text for each in check(beside("ports: ['80:80']"), KNOWN) if each.weight is Weight.REMARK]
    assert [text for text in remarked if "publishes ports" in text] == [
        "service 'spy' publishes ports: on 80 and 443 it may prove the name to a certificate authority as its own"
    ]
    assert not any("publishes ports" in each.text for each in check(measured(with_sidecars()), KNOWN))


@pytest.mark.parametrize("kind", ["configs", "secrets"])
@pytest.mark.parametrize(
    ("source", "named"),
    [
        ("{file: /opt/given}", "/opt/given"),
        ("{file: given}", "./given"),
        ("{external: true}", "external"),
        ("{driver: theirs}", "driver"),
        ("{template_driver: theirs}", "template_driver"),
    ],
)
def test_configs_and_secrets_hold_what_the_file_says(kind: str, source: str, named: str) -> None:
    text = measured().app.docker_compose_file or ""
    said = refusals(changed(measured(), docker_compose_file=f"{kind}:\n  given: {source}\n{text}"))
    assert any(named in each and "not measured" in each for each in said)


def test_the_api_in_clear_is_not_published_beside_an_ingress() -> None:
    open_port = compose_changed(
        measured(with_sidecars()), "    read_only: true\n", '    ports: ["80:8000"]\n    read_only: true\n'
    )
    assert any("in clear" in text for text in refusals(open_port))


@pytest.mark.parametrize("option", ["exec", "suid", "dev"])
def test_nothing_that_is_written_to_tmp_can_be_run(option: str) -> None:
    said = refusals(compose_changed(measured(), "size=64m", f"size=64m,{option}"))
    assert any(f"has {option}" in text for text in said)


def test_a_port_that_is_read_as_a_number_is_refused() -> None:
    """`22:22` without quotes is 1342 to some readers, and then another port of the node's is published."""
    file = measured(with_sidecars())
    ended = (file.app.docker_compose_file or "").replace("http_host =", "http_port = 22\n        http_host =")
    ended = ended.replace('evidence_folder = "/evidences"', 'certificate_mode = "acme"')
    opened = ended.replace("    read_only: true\n", "    ports: [22:22]\n    read_only: true\n")
    quoted = opened.replace("[22:22]", "['22:22']")
    assert any("22:22" in text for text in refusals(changed(file, docker_compose_file=opened)))
    assert not any("22:22" in text for text in refusals(changed(file, docker_compose_file=quoted)))


def test_log_lines_leave_for_the_collector_of_the_file_alone() -> None:
    exporting = measured(with_sidecars(LOG_EXPORT + INGRESS_SETTINGS))
    assert refusals(exporting) == []
    said = [each.text for each in check(exporting, KNOWN) if each.subject == "setting log_export_url"]
    assert said == ["log lines go to service 'telemetry': its configuration says where to"]
    for elsewhere in ("logs.example", "node", "spy", "127.0.0.1", "localhost"):
        file = compose_changed(exporting, "http://telemetry:4318/", f"http://{elsewhere}:4318/")
        assert refusals(file) == [f"{elsewhere} is no service of this file: nothing measured says who reads the log"]
    renamed = compose_changed(exporting, "\n  telemetry:\n", "\n  other:\n")
    assert any("telemetry is no service" in text for text in refusals(renamed))


@pytest.mark.parametrize("name", ["203.0.113.5", "1", "0x7f000001", "localhost", "logs.example"])
def test_a_service_that_is_called_as_an_address_is_no_collector(name: str) -> None:
    exporting = measured(with_sidecars(LOG_EXPORT + INGRESS_SETTINGS))
    file = compose_changed(exporting, "http://telemetry:4318/", f"http://{name}:4318/")
    file = compose_changed(file, "\n  telemetry:\n", f'\n  "{name}":\n')
    assert any(f"{name} is no service" in text for text in refusals(file))


@pytest.mark.parametrize(
    "apart",
    [
        "networks: [other]",
        "networks: {other: {}}",
        "network_mode: none",
        "profiles: [later]",
        "scale: 0",
        "deploy: {replicas: 0}",
    ],
)
def test_a_collector_that_the_node_cannot_find_leaves_the_name_to_the_host(apart: str) -> None:
    exporting = measured(with_sidecars(LOG_EXPORT + INGRESS_SETTINGS))
    file = compose_changed(exporting, "\n  telemetry:\n", f"\n  telemetry:\n    {apart}\n")
    assert any("the host's resolver is asked for it" in text for text in refusals(file))


def test_a_collector_on_a_network_that_the_node_is_on_too_is_taken() -> None:
    exporting = measured(with_sidecars(LOG_EXPORT + INGRESS_SETTINGS))
    file = compose_changed(exporting, "\n  telemetry:\n", "\n  telemetry:\n    networks: [inner, default]\n")
    assert not any("resolver" in text for text in refusals(file))


def test_the_verifier_takes_a_file_whose_lines_go_to_its_collector() -> None:
    exporting = measured(with_sidecars(LOG_EXPORT + INGRESS_SETTINGS))
    inputs = frozenset({"DNS_TOKEN", "SVC_LEDGER_URL"})
    trust = Trust(host="h.example", app_id=bytes(20), chain_id=1, host_input=inputs)
    assert {check.status for check in check_code(exporting.raw.decode(), trust).checks} == {Status.PASSED}


def test_an_export_needs_a_collector_and_an_address_inside_the_file() -> None:
    with pytest.raises(ComposeError, match="log_export_url needs a collector") as raised:
        node_alone(LOG_EXPORT + SETTINGS)
    assert raised.value.code is Exit.MISUSE
    for url in ("https://logs.example/v1/logs", "http://u:p@telemetry/v1/logs", "http://telemetry/v1/logs?key=1", "x"):
        with pytest.raises(ComposeError):
            node_alone(f'log_export_url = "{url}"\n{SETTINGS}')
