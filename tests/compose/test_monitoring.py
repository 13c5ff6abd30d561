"""Alarms and dashboard: of metrics that a running node really shows, and alarms that go off when they should."""

import json
import re
import shutil
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from compose.cli import LOG_EXPORT
from compose.deployment import read_settings
from tests.compose.conftest import Run
from tests.support.measured_files import IMAGE, SETTINGS, SIDECAR_IMAGE
from tests.support.node import REPOSITORY, running_node

FOLDER = REPOSITORY / "compose" / "monitoring"
DASHBOARD = json.loads((FOLDER / "dashboard.json").read_text())
PAGE = (REPOSITORY / "docs" / "monitoring.md").read_text()
NAME = re.compile(r"\bsvc_[a-z0-9_]+")
LABEL = re.compile(r"(?:by|without|on|ignoring) \(([^)]*)\)|([a-z_]+)(?:=~|!=|!~|=)\"")
ADDED = {"instance", "job", "le"}
"""Labels of Prometheus itself, and of histograms."""


def rules(name: str) -> list[dict[str, Any]]:
    groups = yaml.safe_load((FOLDER / name).read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def dashboard_expressions() -> list[str]:
    shown = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
    return [*shown, *(each["query"]["query"] for each in DASHBOARD["templating"]["list"] if each["type"] == "query")]


EXPRESSIONS = [*dashboard_expressions(), *(rule["expr"] for rule in rules("node.rules.yml"))]
SOLD = [rule["expr"] for rule in rules("payments.rules.yml")]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[set[str]]:
    """Every name of a series that a running node shows."""
    with running_node(tmp_path_factory.mktemp("node")) as node:
        with urllib.request.urlopen(node.log_value("metrics")) as response:
            text = response.read().decode()
        yield set(names_of(text))


def names_of(text: str) -> Iterator[str]:
    """The series of each family, also of one that has none yet."""
    suffixes = {"counter": ["_total"], "histogram": ["_bucket", "_sum", "_count"], "gauge": [""]}
    for family in text_string_to_metric_families(text):
        yield from (family.name + suffix for suffix in suffixes.get(family.type, []))


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_every_metric_is_one_that_a_running_node_shows(shown: set[str], expression: str) -> None:
    named = set(NAME.findall(expression))
    assert named or expression.startswith("up{")
    assert named <= shown


@pytest.mark.parametrize("expression", SOLD)
def test_every_metric_of_payments_is_one_that_a_running_node_shows(shown: set[str], expression: str) -> None:
    named = set(NAME.findall(expression))
    assert named
    assert named <= shown


@pytest.mark.parametrize("expression", [*EXPRESSIONS, *SOLD])
def test_every_label_is_one_that_the_node_gives(expression: str) -> None:
    """Labels that no series has select nothing, and no alarm ever goes off."""
    sources = "\n".join(path.read_text() for path in (REPOSITORY / "node").rglob("*.py"))
    for listed, single in LABEL.findall(expression):
        for label in re.findall(r"[a-z_]+", listed or single):
            assert label in ADDED or re.search(rf'\["[^\]]*"?{label}"', sources), label


def test_every_metric_of_the_page_and_every_alarm_is_there(shown: set[str]) -> None:
    families = {re.sub(r"_(total|bucket|sum|count)$", "", name) for name in shown}
    assert set(re.findall(r"`(svc_[a-z_]+)`", PAGE)) <= families
    alarms = {rule["alert"] for name in ("node.rules.yml", "payments.rules.yml") for rule in rules(name)}
    assert set(re.findall(r"`(Svc[A-Za-z]+)`", PAGE)) == alarms, "each has what to do, and there are no others"


def section(anchor: str) -> str:
    """What stands on the page under the heading with this anchor, up to the next one; empty where there is none."""
    parts = re.split(r"^#+ (.*)$", PAGE, flags=re.MULTILINE)
    texts = {heading.lower().replace(" ", "-"): text for heading, text in zip(parts[1::2], parts[2::2], strict=True)}
    return texts.get(anchor, "")


@pytest.mark.parametrize(
    "rule", [*rules("node.rules.yml"), *rules("payments.rules.yml")], ids=lambda rule: rule["alert"]
)
def test_an_alarm_names_the_place_that_says_what_to_do(rule: dict[str, Any]) -> None:
    page, _, anchor = rule["annotations"]["runbook"].partition("#")
    assert page == "docs/monitoring.md"
    assert f"`{rule['alert']}`" in section(anchor)


def promtool(*arguments: str, folder: Path) -> str:
    program = shutil.which("promtool")
    if program is None:
        pytest.skip("promtool is not installed (Debian: apt-get install prometheus)")
    ran = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_prometheus_takes_the_rules() -> None:
    promtool("check", "rules", "node.rules.yml", "payments.rules.yml", folder=FOLDER)


@pytest.mark.parametrize(("block", "file"), [("collector", "collector.yml"), ("logs", "collector-logs.yml")])
def test_the_commands_of_the_page_make_a_deployment_with_a_collector_that_is_accepted(
    run: Run, tmp_path: Path, block: str, file: str
) -> None:
    settings = SETTINGS + 'metrics_host = "0.0.0.0"\n'
    (tmp_path / "settings.toml").write_text(settings)
    (tmp_path / "compose").symlink_to(REPOSITORY / "compose")
    found = re.search(rf"<!-- {block} -->\n *```\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    named = {"$IMAGE": IMAGE, "$COLLECTOR": SIDECAR_IMAGE, "$KMS_CA_KEY": "ab" * 91}
    for command in found[1].strip().splitlines():
        program, *arguments = command.split()
        assert program == "svc-compose"
        ran = run(*(named.get(argument, argument) for argument in arguments))
        assert ran.code == 0, ran.out + ran.err
    collector = yaml.safe_load((FOLDER / file).read_text())
    (scraped,) = collector["receivers"]["prometheus"]["config"]["scrape_configs"]
    assert scraped["job_name"] == "svc-node", "the name that the rules ask for"
    assert scraped["static_configs"][0]["targets"] == [f"node:{read_settings(settings).settings.metrics_port}"]
    address = read_settings(LOG_EXPORT).settings.log_export_url
    said = (tmp_path / "app-compose.json").read_text()
    assert (address in said) == (block == "logs")
    if block == "logs":
        received = collector["receivers"]["otlp"]["protocols"]["http"]["endpoint"]
        assert address == f"http://telemetry:{received.rpartition(':')[2]}/v1/logs"
        assert collector["service"]["pipelines"]["logs"]["receivers"] == ["otlp"]


def series(name: str, values: str) -> dict[str, str]:
    return {"series": name, "values": values}


NOT_A_NUMBER = " ".join(["NaN"] * 41)
QUARTER_S = 2_000_000
"""Of the life of the certificate of a node with which nothing is wrong: it ends with the third quarter from 0 on."""

CASES = {
    "SvcNodeGone": [
        series('up{job="svc-node", instance="a"}', "1x10 0x40"),
        series('svc_instance_info{id="i1", instance="a"}', "1x10 stale _x29"),
    ],
    "SvcMachineGone": [
        series('up{job="svc-node", instance="a"}', "1x10 _x30"),
        series('svc_instance_info{id="i1", instance="a"}', "1x10 _x30"),
    ],
    "SvcComposeHashNotAllowed": [series('svc_compose_hash_allowed{instance="a"}', "1x10 0x30")],
    "SvcNodeFails": [
        series('svc_http_requests_total{status="500", instance="a"}', "0+5x40"),
        series('svc_http_requests_total{status="200", instance="a"}', "0+100x40"),
    ],
    "SvcNodeUnavailable": [
        series('svc_http_requests_total{status="503", instance="a"}', "0+10x40"),
        series('svc_http_requests_total{status="200", instance="a"}', "0+100x40"),
    ],
    "SvcListenerLags": [series('svc_account_event_listener_lag_seconds{instance="a"}', "1x10 31x30")],
    "SvcListenerSilent": [series('svc_account_event_listener_lag_seconds{instance="a"}', " ".join(["NaN"] * 41))],
    "SvcChainStands": [series('svc_chain_head_number{instance="a"}', "0+30x10 310x30")],
    "SvcEndpointsDisagree": [series('svc_rpc_disagreements_total{host="one.example", instance="a"}', "0+1x40")],
    "SvcActionsWait": [
        series('svc_action_queue_wait_seconds_bucket{le="1.0", instance="a"}', "0+10x40"),
        series('svc_action_queue_wait_seconds_bucket{le="10.0", instance="a"}', "0+100x40"),
        series('svc_action_queue_wait_seconds_bucket{le="+Inf", instance="a"}', "0+100x40"),
    ],
    "SvcActionsRefused": [series('svc_action_queue_refusals_total{reason="full", instance="a"}', "0+1x40")],
    "SvcActionsShed": [series('svc_action_sheds_total{instance="a"}', "0x30 1x10")],
    "SvcActionsOfNodeFail": [series('svc_executions_total{result="node_fault", instance="a"}', "0x30 1x10")],
    "SvcComponentDown": [series('svc_component_status{component="tee", status="down", instance="a"}', "1x40")],
    "SvcComponentDegraded": [series('svc_component_status{component="tee", status="degraded", instance="a"}', "1x40")],
    "SvcPayersCannotSend": [
        series('svc_payer_ready{payer="0x1", instance="a"}', "1x10 0x30"),
        series('svc_payer_ready{payer="0x2", instance="a"}', "0x40"),
    ],
    "SvcPayerFundingFails": [series('svc_payer_funding_problem{instance="a"}', "1x40")],
    "SvcPayersUnread": [series('svc_payer_read_age_seconds{instance="a"}', "1+60x40")],
    "SvcPayerLow": [series('svc_payer_balance_ether{payer="0x1", instance="a"}', "0.5x10 0.19x30")],
    "SvcPayerUnnamed": [series('svc_payer_registered{payer="0x2", instance="a"}', "0x40")],
    "SvcAdminPayerLow": [series('svc_admin_payer_balance_ether{payer="0x3", instance="a"}', "0.6x10 0.49x30")],
    "SvcOwnerChangeScheduled": [
        series('svc_owner_change_effective_timestamp_seconds{instance="a"}', "0x10 1800000000x30")
    ],
    "SvcAdminPayerChanged": [series('svc_contract_admin_payer{named="other", instance="a"}', "0x10 1x30")],
    "SvcPayersUnknown": [series('svc_contract_payers_of_others{instance="a"}', "0x10 1x30")],
    "SvcCertificateMissing": [
        series('svc_certificate_renewal_failing{instance="a"}', "1x40"),
        series('svc_certificate_not_after_timestamp_seconds{instance="a"}', NOT_A_NUMBER),
        series('svc_certificate_not_before_timestamp_seconds{instance="a"}', NOT_A_NUMBER),
    ],
    "SvcCertificateNotRenewed": [series('svc_certificate_renewal_failing{instance="a"}', "1x40")],
    "SvcCertificateOld": [series('svc_certificate_not_before_timestamp_seconds{instance="a"}', f"{-6 * QUARTER_S}x40")],
    "SvcCertificateExpires": [
        series('svc_certificate_not_before_timestamp_seconds{instance="a"}', f"{-20 * QUARTER_S}x40")
    ],
    "SvcGuestAgentSilent": [series('svc_guest_agent_reachable{instance="a"}', "1x10 0x30")],
    "SvcLogLinesDropped": [series('svc_log_lines_dropped_total{instance="a"}', "0x30 1x10")],
    "SvcPaymentsUnswept": [series('svc_processor_sweep_lag_seconds{instance="a"}', "901x40")],
    "SvcProcessorOutboxLags": [series('svc_processor_outbox_oldest_seconds{instance="a"}', "901x40")],
    "SvcWebhookSignature": [series('svc_processor_webhooks_total{result="bad_signature", instance="a"}', "0x30 1x10")],
    "SvcDepositsLag": [series('svc_token_deposits_lag_seconds{instance="a"}', "901x40")],
}
WELL = [
    series('up{job="svc-node", instance="a"}', "1x40"),
    series('svc_instance_info{id="i1", instance="a"}', "1x40"),
    series('svc_compose_hash_allowed{instance="a"}', "NaN 1x39"),
    series('svc_contract_payers_of_others{instance="a"}', "NaN 0x39"),
    series('svc_http_requests_total{status="200", instance="a"}', "0+100x40"),
    series('svc_http_requests_total{status="503", instance="a"}', "0+1x40"),
    series('svc_http_requests_total{status="500", instance="a"}', "1x40"),
    series('svc_account_event_listener_lag_seconds{instance="a"}', "NaN NaN 2x38"),
    series('svc_chain_head_number{instance="a"}', "NaN 0+1x39"),
    series('svc_rpc_disagreements_total{host="one.example", instance="a"}', "3x40"),
    series('svc_action_queue_wait_seconds_bucket{le="1.0", instance="a"}', "0+100x40"),
    series('svc_action_queue_wait_seconds_bucket{le="+Inf", instance="a"}', "0+100x40"),
    series('svc_action_queue_refusals_total{reason="full", instance="a"}', "7x40"),
    series('svc_action_sheds_total{instance="a"}', "2x40"),
    series('svc_executions_total{result="node_fault", instance="a"}', "2x40"),
    series('svc_executions_total{result="error", instance="a"}', "0+9x40"),
    series('svc_component_status{component="tee", status="ok", instance="a"}', "1x40"),
    series('svc_component_status{component="tee", status="degraded", instance="a"}', "0x10 1x5 0x24"),
    series('svc_component_status{component="tee", status="down", instance="a"}', "0x40"),
    series('svc_component_status{component="billing", status="off", instance="a"}', "1x40"),
    series('svc_payer_ready{payer="0x1", instance="a"}', "NaN 0x1 1x38"),
    series('svc_payer_ready{payer="0x2", instance="a"}', "NaN 0x1 1x20 0x17"),
    series('svc_payer_registered{payer="0x1", instance="a"}', "NaN 0x1 1x38"),
    series('svc_payer_registered{payer="0x2", instance="a"}', "NaN 0x1 1x38"),
    series('svc_owner_change_effective_timestamp_seconds{instance="a"}', "NaN 0x39"),
    series('svc_contract_admin_payer{named="unnamed", instance="a"}', "0x1 1x9 0x29"),
    series('svc_contract_admin_payer{named="own", instance="a"}', "0x10 1x29"),
    series('svc_contract_admin_payer{named="other", instance="a"}', "0x40"),
    series('svc_payer_balance_ether{payer="0x1", instance="a"}', "NaN 0.5-0.01x28 0.5x10"),
    series('svc_payer_balance_ether{payer="0x2", instance="a"}', "NaN 0.5x39"),
    series('svc_payer_low_balance_ether{instance="a"}', "0.2x40"),
    series('svc_admin_payer_balance_ether{payer="0x3", instance="a"}', "NaN 0.51x39"),
    series('svc_admin_payer_low_balance_ether{instance="a"}', "0.5x40"),
    series('svc_payer_funding_problem{instance="a"}', "1x3 0x36"),
    series('svc_payer_read_age_seconds{instance="a"}', "NaN NaN 60x38"),
    series('svc_certificate_not_before_timestamp_seconds{instance="a"}', f"NaN {-QUARTER_S}x39"),
    series('svc_certificate_not_after_timestamp_seconds{instance="a"}', f"NaN {2 * QUARTER_S}x39"),
    series('svc_certificate_renewal_failing{instance="a"}', "1x20 0x19"),
    series('svc_certificate_last_failure_timestamp_seconds{instance="a"}', "NaN 60x39"),
    series('svc_guest_agent_reachable{instance="a"}', "NaN 1x10 0x1 1x27"),
    series('svc_guest_agent_answer_age_seconds{instance="a"}', "NaN 15x39"),
    series('svc_processor_sweep_lag_seconds{instance="a"}', "30x40"),
    series('svc_processor_outbox_oldest_seconds{instance="a"}', "0x40"),
    series('svc_processor_webhooks_total{result="accepted", instance="a"}', "0+1x40"),
    series('svc_token_deposits_lag_seconds{instance="a"}', "2x40"),
]
"""A sample a minute of a node with which nothing is wrong, as far as counters remember."""


def holds(tmp_path: Path, given: list[dict[str, str]], expected: set[str]) -> None:
    """At the 38th minute exactly these alarms are on."""
    for name in ("node.rules.yml", "payments.rules.yml"):
        shutil.copy(FOLDER / name, tmp_path / name)
    samples = [{"labels": f'{{alertname="{name}"}}', "value": 1} for name in sorted(expected)]
    expression = 'count by (alertname) (ALERTS{alertstate="firing"})'
    test = {
        "interval": "1m",
        "input_series": given,
        "promql_expr_test": [{"expr": expression, "eval_time": "38m", "exp_samples": samples}],
    }
    document = {"rule_files": ["node.rules.yml", "payments.rules.yml"], "evaluation_interval": "1m", "tests": [test]}
    (tmp_path / "case.yml").write_text(json.dumps(document))
    promtool("test", "rules", "case.yml", folder=tmp_path)


def test_nothing_goes_off_while_all_is_well(tmp_path: Path) -> None:
    holds(tmp_path, WELL, set())


@pytest.mark.parametrize("alarm", CASES)
def test_each_alarm_goes_off_for_its_trouble_alone(tmp_path: Path, alarm: str) -> None:
    changed = {each["series"] for each in CASES[alarm]}
    holds(tmp_path, [*CASES[alarm], *(each for each in WELL if each["series"] not in changed)], {alarm})


OTHER_WAYS = [
    ("SvcPayersUnread", series('svc_payer_read_age_seconds{instance="a"}', NOT_A_NUMBER)),
    ("SvcGuestAgentSilent", series('svc_guest_agent_answer_age_seconds{instance="a"}', "0+60x40")),
    ("SvcCertificateExpires", series('svc_certificate_not_after_timestamp_seconds{instance="a"}', "60x40")),
    ("SvcAdminPayerChanged", series('svc_contract_admin_payer{named="replaced", instance="a"}', "0x10 1x30")),
]


UPGRADED = [
    series('up{job="svc-node", instance="a"}', "1x20 _x20"),
    series('svc_instance_info{id="i1", instance="a"}', "1x20 _x20"),
    series('up{job="svc-node", instance="b"}', "_x22 1x17"),
    series('svc_instance_info{id="i1", instance="b"}', "_x22 1x17"),
]
"""A machine whose container was replaced: the name of the container is another one, the id of the instance is not."""


def without_changed(changed: list[dict[str, str]]) -> list[dict[str, str]]:
    names = {each["series"] for each in changed}
    return [each for each in WELL if each["series"] not in names]


def test_a_container_that_was_replaced_is_no_machine_that_is_gone(tmp_path: Path) -> None:
    holds(tmp_path, [*UPGRADED, *without_changed(UPGRADED)], set())


def test_a_replaced_container_whose_machine_dies_is_one_alarm(tmp_path: Path) -> None:
    died = [UPGRADED[0], UPGRADED[1], *(series(each["series"], "_x22 1x5 _x12") for each in UPGRADED[2:])]
    holds(tmp_path, [*died, *without_changed(died)], {"SvcMachineGone"})


def test_payers_of_another_instance_that_is_seen_are_known(tmp_path: Path) -> None:
    second = [
        series('svc_contract_payers_of_others{instance="a"}', "0x10 1x30"),
        series('svc_contract_payers_of_others{instance="b"}', "_x10 2x30"),
        series('svc_payer_registered{payer="0x9", instance="b"}', "_x10 1x30"),
    ]
    holds(tmp_path, [*second, *without_changed(second)], set())
    stranger = [series('svc_contract_payers_of_others{instance="b"}', "_x10 3x30")]
    alarmed = [each for each in second if each["series"] != stranger[0]["series"]] + stranger
    holds(tmp_path, [*alarmed, *without_changed(alarmed)], {"SvcPayersUnknown"})


@pytest.mark.parametrize(("alarm", "changed"), OTHER_WAYS)
def test_an_alarm_goes_off_for_its_other_trouble_too(tmp_path: Path, alarm: str, changed: dict[str, str]) -> None:
    holds(tmp_path, [changed, *(each for each in WELL if each["series"] != changed["series"])], {alarm})


def test_a_node_that_ends_no_tls_raises_no_alarm_for_its_certificate(tmp_path: Path) -> None:
    without = [
        series(f'svc_certificate_{name}_timestamp_seconds{{instance="a"}}', NOT_A_NUMBER)
        for name in ("not_before", "not_after", "last_failure")
    ]
    without.append(series('svc_certificate_renewal_failing{instance="a"}', "0x40"))
    changed = {each["series"] for each in without}
    holds(tmp_path, [*without, *(each for each in WELL if each["series"] not in changed)], set())


def test_one_instance_is_not_measured_by_the_thresholds_of_another(tmp_path: Path) -> None:
    other = [
        series('svc_payer_balance_ether{payer="0x9", instance="b"}', "0.02x40"),
        series('svc_payer_low_balance_ether{instance="b"}', "0.01x40"),
    ]
    holds(tmp_path, [*WELL, *other], set())


def test_each_alarm_has_its_case() -> None:
    assert {rule["alert"] for name in ("node.rules.yml", "payments.rules.yml") for rule in rules(name)} == set(CASES)
