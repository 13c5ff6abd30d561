"""What must not be approved is refused, each for its own reason; what render writes is not."""

import json
from collections.abc import Callable

import pytest

from compose.check import Accepted, check, is_refused
from compose.check_host import host_findings
from compose.errors import ComposeError, Exit
from compose.findings import Weight
from compose.measured import Measured, read_measured
from node.settings import SECRETS
from tests.support.loop_meter import takes_at_most
from tests.support.measured_files import (
    SETTINGS,
    changed,
    compose_changed,
    measured,
    node_alone,
    with_sidecars,
)

Edit = Callable[[Measured], Measured]


def refusals(file: Measured, accepted: Accepted | None = None) -> str:
    found = check(file, accepted or Accepted())
    return "\n".join(f"{each.subject}: {each.text}" for each in found if each.weight is Weight.REFUSED)


def test_what_render_writes_is_accepted() -> None:
    assert refusals(measured(node_alone(secrets=tuple(SECRETS - {"rpc_authorization"})))) == ""
    known = Accepted(frozenset({"DNS_TOKEN"}), frozenset({"ingress"}))
    assert refusals(measured(with_sidecars()), known) == ""


def test_a_sidecar_that_holds_the_keys_or_a_variable_of_the_host_must_be_said_to_be_known() -> None:
    said = refusals(measured(with_sidecars()))
    assert "'ingress' reaches the guest agent" in said
    assert "DNS_TOKEN" in said


def test_a_variable_that_decides_what_runs_is_never_accepted() -> None:
    file = changed(measured(), allowed_envs=["LD_PRELOAD"])
    assert "decides what runs" in refusals(file, Accepted(frozenset({"LD_PRELOAD"})))


@pytest.mark.parametrize(
    "name",
    ["PYTHONPATH", "https_proxy", "SSL_CERT_FILE", "MALLOC_CONF", "NODE_OPTIONS", "GCONV_PATH", "GODEBUG", "HOME"],
)
def test_a_variable_of_interpreters_or_of_who_is_trusted_is_never_accepted(name: str) -> None:
    assert "decides what runs" in refusals(changed(measured(), allowed_envs=[name]), Accepted(frozenset({name})))


def test_many_variables_of_the_host_take_no_time() -> None:
    spy = "".join(f", A{number}=$B{number}" for number in range(5_000))
    file = compose_changed(measured(), "services:\n", f"services:\n  spy:\n    image: a\n    environment: [A=a{spy}]\n")
    file = changed(file, allowed_envs=[f"C{number}" for number in range(60_000)])
    with takes_at_most(1.0):
        assert len(list(host_findings(file, frozenset()))) == 65_000


@pytest.mark.parametrize(
    "line",
    [
        "environment: [SVC_LEDGER_URL]",
        "environment: {TOKEN: $SVC_LEDGER_URL}",
        'environment: ["TOKEN=a${SVC_LEDGER_URL}"]',
    ],
)
def test_a_secret_of_the_node_is_given_to_no_other_container(line: str) -> None:
    file = measured(node_alone(secrets=("ledger_url",)))
    spy = f"services:\n  spy:\n    image: a\n    {line}\n"
    assert "handed to another" in refusals(compose_changed(file, "services:\n", spy))
    top = "secrets:\n  it: {environment: SVC_LEDGER_URL}\nservices:\n"
    assert "handed to another" in refusals(compose_changed(file, "services:\n", top))
    assert refusals(file) == ""


@pytest.mark.parametrize(
    ("members", "named"),
    [
        ({"public_logs": True}, "public_logs"),
        ({"public_sysinfo": True}, "public_sysinfo"),
        ({"pre_launch_script": "echo hello"}, "pre_launch_script"),
        ({"init_script": "echo hello"}, "init_script"),
        ({"post_script": "echo hello"}, "post_script"),
        ({"allowed_envs": ["SVC_CHAIN_ID"]}, "SVC_CHAIN_ID"),
        ({"allowed_envs": ["SVC_LEDGER_URL "]}, "SVC_LEDGER_URL "),
        ({"allowed_envs": ["SVC_RPC_AUTHORIZATI\u041eN"]}, "no secret of the node"),
        ({"kms_enabled": False}, "no KMS"),
        ({"kms_enabled": False, "local_key_provider_enabled": True}, "local_key_provider_enabled"),
        ({"secure_time": False}, "secure_time"),
        ({"secure_time": None}, "secure_time"),
        ({"manifest_version": 9}, "manifest_version"),
        ({"new_feature": True}, "new_feature"),
        ({"key_provider": "local"}, "key_provider"),
        ({"key_provider": "none"}, "key_provider"),
        ({"key_provider": ["kms"]}, "key_provider"),
        ({"key_provider_id": ["aa"]}, "key_provider_id"),
        ({"local_key_provider_enabled": "true"}, "local_key_provider_enabled"),
        ({"no_instance_id": "yes"}, "no_instance_id"),
        ({"gateway_enabled": 1}, "gateway_enabled"),
    ],
)
def test_what_the_platform_is_told_to_open_is_refused(members: dict[str, object], named: str) -> None:
    assert named in refusals(changed(measured(), **members))


@pytest.mark.parametrize(
    ("before", "after", "named"),
    [
        ("@sha256:" + "ab" * 32, "", "not pinned"),
        ("@sha256:" + "ab" * 32, "@sha256:" + "ab" * 31, "not pinned"),
        ("image: registry.example/svc-node:1.0@", "image: ${REGISTRY}/svc-node@", "REGISTRY"),
        ("    read_only: true\n", "", "root file system"),
        ("    read_only: true\n", "    read_only: yes\n", "root file system"),
        ("    cap_drop: [ALL]\n", "", "capabilities"),
        ("    cap_drop: [ALL]\n", "    privileged: true\n    cap_drop: [ALL]\n", "privileged"),
        ("    cap_drop: [ALL]\n", "    network_mode: host\n    cap_drop: [ALL]\n", "network_mode"),
        ("    cap_drop: [ALL]\n", "    pid: host\n    cap_drop: [ALL]\n", "pid"),
        ("    cap_drop: [ALL]\n", "    user: '0:0'\n    cap_drop: [ALL]\n", "user"),
        ("    cap_drop: [ALL]\n", "    user: '+00'\n    cap_drop: [ALL]\n", "user"),
        ("    cap_drop: [ALL]\n", "    cap_drop: [ALL, {a: b}]\n", "no text"),
        (
            "    cap_drop: [ALL]\n",
            "    logging: {driver: local, options: {env: A}}\n    cap_drop: [ALL]\n",
            "variables",
        ),
        ("    cap_drop: [ALL]\n", "    env_file: x.env\n    cap_drop: [ALL]\n", "env_file"),
        ("    cap_drop: [ALL]\n", "    logging:\n      driver: syslog\n    cap_drop: [ALL]\n", "syslog"),
        ("    cap_drop: [ALL]\n", "    logging: {options: {}}\n    cap_drop: [ALL]\n", "logging driver"),
        ("    cap_drop: [ALL]\n", "    build: .\n    cap_drop: [ALL]\n", "build"),
        ("      - no-new-privileges:true\n", "      - seccomp:unconfined\n", "no-new-privileges"),
        ("- data:/data", "- data:/other", "/data"),
        ("- data:/data", "- data:/data\n      - /var/run/docker.sock:/s", "docker.sock"),
        ("- data:/data", "- data:/data\n      - //var/run:/s", "container engine"),
        ("      - /var/run/dstack.sock:/var/run/dstack.sock\n", "", "socket"),
        ('- "443:8443"', '- "443:8443"\n      - "9464:9464"', "9464"),
        ('- "443:8443"', '- "443:8443"\n      - "9000-9999:9000-9999"', "9000-9999"),
        ('- "443:8443"', '- "443:8443"\n      - target: 9464', "long form"),
        ("entrypoint: [svc-node]", "entrypoint: [sh, -c, svc-node]", "entrypoint"),
        ("- --config-text", "- --config", "command"),
        ("- --config-text", "- ${FLAG}", "FLAG"),
        ("    ports:", "    environment:\n      - LD_PRELOAD=/data/x.so\n    ports:", "LD_PRELOAD"),
        ("    ports:", "    environment:\n      - SVC_CHAIN_ID=1\n    ports:", "SVC_CHAIN_ID"),
        ("    ports:", "    environment:\n      SVC_CHAIN_ID: 1\n    ports:", "SVC_CHAIN_ID"),
        ("    ports:", "    environment:\n      - SVC_LEDGER_URL=Bearer hush\n    ports:", "has a value"),
        ("    ports:", "    environment:\n      - SVC_LEDGER_URL\n    ports:", "not in allowed_envs"),
        ("- data:/data", "- data:/data\n      - code:/usr/lib/python3", "/usr/lib/python3"),
        ("- data:/data", "- data:/data\n      - evidences:/evidences", "/evidences"),
        (
            "- /var/run/dstack.sock:",
            "- /var/run/dstack.sock:/evidences:ro\n      - /opt/false.sock:",
            "/opt/false.sock",
        ),
        ("- data:/data", "- data:/data\n      - false:/var/run/dstack.sock", "mounted twice"),
        ("- data:/data", "- /home/kept:/data", "/home/kept"),
        ("- data:/data", "- data:/data:ro", "data:/data:ro"),
        ("  data:\n", "  data:\n    name: theirs\n  copy:\n    name: theirs\n", "another name"),
        ("  data:\n", "  data:\n  dstack_data:\n    external: true\n", "another name"),
        ("  data:\n", "  data:\n    driver: theirs\n", "another name"),
        ("- data:/data", "- data:/data\n      - {type: volume, source: a, target: /usr}", "SOURCE:TARGET"),
        ("    cap_drop: [ALL]\n", "    extra_hosts: ['one.example:1.2.3.4']\n    cap_drop: [ALL]\n", "extra_hosts"),
        ("    cap_drop: [ALL]\n", "    working_dir: /data\n    cap_drop: [ALL]\n", "working_dir"),
        ("      - no-new-privileges:true\n", "      - no-new-privileges:true\n      - seccomp:/x\n", "security_opt"),
        ("- /tmp:mode", "- /usr:mode", "a tmpfs at /usr"),
        ("services:\n", "services:\n  spy:\n    image: a\n    volumes: [data:/d:ro]\n", "keeps its journal"),
        ("services:\n", "services:\n  spy:\n    image: a\n    volumes: [/opt:/d]\n", "/opt of the machine"),
        ("services:\n", "services:\n  spy:\n    image: a\n    volumes: [{type: bind, target: /d}]\n", "neither"),
        ("services:\n", "services:\n  spy:\n    image: a\n    network_mode: service:node\n", "inside of another"),
        ("services:\n", "services:\n  spy:\n    image: a\n    pid: container:node\n", "inside of another"),
        ("chain_id = 8453", "chain_id = ${CHAIN}", "CHAIN"),
        ("chain_id = 8453", "chain_id = $CHAIN", "CHAIN"),
        ("  node:\n", "  nod\u0435:\n", "no service is named"),
        ("services:\n", "include: [other.yml]\nservices:\n", "include"),
        ("  data:\n", "  data:\n    driver_opts: {device: /}\n", "driver_opts"),
    ],
)
def test_an_opened_compose_file_is_refused(before: str, after: str, named: str) -> None:
    said = refusals(compose_changed(measured(), before, after))
    assert named in said
    assert "hush" not in said


@pytest.mark.parametrize(
    ("before", "after", "named"),
    [
        ("chain_id = 8453\n", "", "chain_id"),
        ('chain_name = "Base"\n', "", "chain_name"),
        ('domain = "node.example"\n', "", "domain"),
        ('kms_root_public_key = "02' + "a" * 64 + '"\n', "", "kms_root_public_key"),
        ('"0x00000000000000000000000000000000000000aa"', '"0xaa"', "contract_address"),
        ('"https://one.example"', '"http://one.example"', "not https"),
        ('"https://one.example"', '"https://ingress:8545"', "inside the machine"),
        ('"https://one.example"', '"https://127.0.0.1"', "inside the machine"),
        ('"https://one.example"', '"https://10.1.2.3"', "inside the machine"),
        ('"https://one.example"', '"https://[::1]:8545"', "inside the machine"),
        ('"https://one.example"', '"https://[::ffff:127.0.0.1]"', "inside the machine"),
        ('"https://one.example"', '"https://127.0.0.1."', "inside the machine"),
        ('"https://one.example"', '"https://127.1"', "inside the machine"),
        ('"https://one.example"', '"https://2130706433"', "inside the machine"),
        ('"https://one.example"', '"https://0x7F.0.0.1"', "inside the machine"),
        ('"https://one.example"', '"https://169.254.169.254"', "inside the machine"),
        ('"https://one.example"', '"https://rpc.localhost"', "inside the machine"),
        (', "https://two.example", "https://three.example"', "", "one endpoint"),
        ('"https://two.example"', '"https://ONE.example/other"', "one host is named twice"),
        ("chain_id = 8453\n", "chain_id = 8453\nrpc_quorum = 1\n", "rpc_endpoints"),
        ("chain_id = 8453\n", "chain_id = 8453\nchain_max_head_age_s = 0\n", "chain_max_head_age_s"),
        ("chain_id = 8453\n", "chain_id = 8453\nmin_owner_change_delay_s = 60\n", "min_owner_change_delay_s"),
        ("chain_id = 8453\n", 'chain_id = 8453\nlog_level = "debug"\n', "log_level"),
        ('certificate_mode = "acme"', 'certificate_mode = "self-signed"', "certificate_mode"),
        ('certificate_mode = "acme"', 'certificate_mode = "files"', "certificate_key_file"),
        ('data_dir = "/data"', 'data_dir = "/data"\nevidence_folder = "/evidences"', "evidence_folder"),
        ('data_dir = "/data"', 'data_dir = "/data"\nacme_challenges = ["dns-01"]', "acme_dns_hook"),
        ('https_host = "0.0.0.0"\n', "", "https_host"),
        ('http_host = "0.0.0.0"\n', 'http_host = "localhost"\n', "http_host"),
        ('data_dir = "/data"', 'data_dir = "/tmp"', "data_dir"),
        ('data_dir = "/data"', 'data_dir = "/data"\nguest_agent = "http://agent.example"', "guest_agent"),
        ('data_dir = "/data"', 'data_dir = "/data"\nproxy_protocol = true', "trusted_proxies"),
        ('data_dir = "/data"', 'data_dir = "/data"\ntrusted_proxies = ["0.0.0.0/0"]', "trusted_proxies"),
        ('data_dir = "/data"', 'data_dir = "/data"\ntrusted_proxies = ["0.0.0.0/1", "128.0.0.0/1"]', "128.0.0.0/1"),
        ('data_dir = "/data"', 'data_dir = "/data"\ntrusted_proxies = ["2000::/3"]', "2000::/3"),
        ('data_dir = "/data"', 'data_dir = "/data"\negress_allow_hosts = ["127.0.0.0/8"]', "egress_allow_hosts"),
        ('data_dir = "/data"', 'data_dir = "/data"\nhttps_port = 0', "https_port"),
        ('data_dir = "/data"', 'data_dir = "/data"\nacme_dns_hook = "/data/hook"', "no digest names"),
        (
            'data_dir = "/data"',
            'data_dir = "/data"\nacme_dns_hook = ["/usr/bin/python3.13", "-I", "/tmp/hook.py"]',
            "no digest names",
        ),
        ('data_dir = "/data"', 'data_dir = "/data"\nhttp_port = 8443', "https_port too"),
        ('data_dir = "/data"', 'data_dir = "/data"\nmetrics_port = 8000', "metrics_port too"),
        ('kms_root_public_key = "02', 'kms_root_public_key = "05', "no compressed public key"),
        ('"0x00000000000000000000000000000000000000aa"', f'"0x{"0" * 40}"', "nobody's"),
        ("chain_id = 8453\n", "chain_id = 8453\nrpc_quorum = 4\n", "nothing is ever agreed"),
        ('"https://one.example"', '"https://one.example:99999"', "no URL"),
        (
            "chain_id = 8453\n",
            'chain_id = 8453\nrpc_websocket_endpoints = ["wss://one.example"]\n',
            "not as many as rpc_endpoints",
        ),
    ],
)
def test_settings_that_weaken_what_users_are_promised_are_refused(before: str, after: str, named: str) -> None:
    assert before in SETTINGS
    said = refusals(measured(node_alone(SETTINGS.replace(before, after))))
    assert named in said
    assert "hush" not in said


def test_credentials_in_the_url_of_an_endpoint_are_refused_and_not_repeated() -> None:
    for url in (
        "https://user:hush@one.example",
        "https://us\\u0065r:hush\\u0040one.example",
        "https://a.example/?key=hush",
    ):
        with pytest.raises(ComposeError, match="SVC_RPC_AUTHORIZATION_A") as refused:
            node_alone(SETTINGS.replace("https://one.example", url))
        assert "hush" not in str(refused.value)
        assert "SVC_RPC_AUTHORIZATION_A" in refusals(compose_changed(measured(), "https://one.example", url))


NAMED = SETTINGS.replace("https://one.example", "a=https://one.example")


def test_the_secret_of_a_named_endpoint_may_come_from_the_host_and_no_others() -> None:
    file = measured(node_alone(NAMED, secrets=("rpc_authorization_a",)))
    assert file.app.allowed_environment == ("SVC_RPC_AUTHORIZATION_A",)
    assert refusals(file) == ""
    with pytest.raises(ComposeError, match="rpc_authorization_b"):
        node_alone(NAMED, secrets=("rpc_authorization_b",))
    stranger = changed(file, allowed_envs=["SVC_RPC_AUTHORIZATION_A", "SVC_RPC_AUTHORIZATION_B"])
    assert "'SVC_RPC_AUTHORIZATION_B', which is no secret of the node" in refusals(stranger)


def test_one_secret_for_several_providers_is_refused() -> None:
    assert "would go to all of them" in refusals(measured(node_alone(NAMED, secrets=("rpc_authorization",))))


def test_a_comment_that_sets_the_secret_of_an_endpoint_is_refused() -> None:
    with pytest.raises(ComposeError, match="a comment of the settings file sets"):
        node_alone(f'{NAMED}# rpc_authorization_a = "Bearer hush"\n')


def test_an_endpoint_may_have_no_websocket() -> None:
    line = 'rpc_websocket_endpoints = ["wss://one.example", "", "wss://three.example"]\n'
    assert refusals(measured(node_alone(SETTINGS + line))) == ""


@pytest.mark.parametrize(
    "url",
    [
        "https://one.example/v2/0123456789abcdefghijHUSH",
        "https://one.example/v1/a1b2HUSH",
        "https://one.example/?id=HUSH",
        "https://one.example/rpc#HUSH",
        "https://0123456789abcdef01234567HUSH.one.example",
    ],
)
@pytest.mark.parametrize("line", ['"https://one.example"', "# The node of"])
def test_an_access_key_in_a_url_is_remarked_and_not_repeated(url: str, line: str) -> None:
    instead = f'"{url}"' if line.startswith('"') else f"# before: {url}\n{line}"
    findings = check(measured(node_alone(SETTINGS.replace(line, instead))), Accepted())
    assert not is_refused(findings)
    (remark,) = [each for each in findings if "access key" in each.text]
    assert "hush" not in remark.text.lower()


def test_endpoints_of_plain_words_are_not_remarked() -> None:
    words = '"https://one.example/ext/bc/C/rpc", "https://two.example/v1/base-mainnet", "https://three.example:8443/"'
    text = SETTINGS.replace('"https://one.example", "https://two.example", "https://three.example"', words)
    assert not any("access key" in each.text for each in check(measured(node_alone(text)), Accepted()))


@pytest.mark.parametrize(
    "comment",
    [
        "# was https://user:hush@one.example/",
        "# Authorization: Bearer hush0123",
        "# -----BEGIN PRIVATE KEY----- hush",
    ],
)
def test_credentials_in_a_comment_are_refused_and_not_repeated(comment: str) -> None:
    file = measured(node_alone(f"{SETTINGS}{comment}\n"))
    assert is_refused(check(file, Accepted()))
    assert "hush" not in refusals(file)


def test_what_may_be_a_private_key_is_remarked() -> None:
    findings = check(measured(node_alone(f"{SETTINGS}# payer 0x{'5a' * 32}\n")), Accepted())
    assert any("32 bytes in hex" in each.text for each in findings)
    assert not any("32 bytes in hex" in each.text for each in check(measured(), Accepted()))


def test_settings_that_cannot_be_read_are_refused_without_their_text() -> None:
    said = refusals(compose_changed(measured(), "chain_id = 8453", 'rpc_authorization = "hush"'))
    assert "rpc_authorization" in said
    assert "hush" not in said


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"[]",
        b'{"name":"a","name":"b"}',
        b"\xff",
        b"\xef\xbb\xbf{}",
        b'{"a":' * 100_000,
        b'{"runner":"bash","bash_script":"x"}',
        b'{"runner":"docker-compose","docker_compose_file":"a: 1\\n---\\nb: 2\\n"}',
        b'{"runner":"docker-compose","docker_compose_file":"services: {}\\nservices: {}\\n"}',
        b'{"runner":"docker-compose","docker_compose_file":"services: !!python/object:os.system {}"}',
        b'{"runner":"docker-compose","docker_compose_file":"a: &a [*a]"}',
        b'{"runner":"docker-compose","docker_compose_file":"a: 1\\u2028b: 2"}',
        b'{"manifest_version":NaN}',
        b" " * 2_000_000,
    ],
)
def test_a_file_that_two_readers_may_take_differently_is_not_read(raw: bytes) -> None:
    with pytest.raises(ComposeError) as refused:
        read_measured(raw)
    assert refused.value.code is Exit.MALFORMED


def test_a_merge_hides_nothing() -> None:
    text = """
x-node: &node
  image: registry.example/other:latest
  privileged: true
services:
  node:
    <<: *node
    image: registry.example/svc-node@sha256:%s
""" % ("ab" * 32)
    said = refusals(changed(measured(), docker_compose_file=text))
    assert "not pinned" in said
    assert "privileged" in said


@pytest.mark.parametrize(
    ("merged", "line", "own"),
    [
        ("cap_drop: [ALL]", "    cap_drop: [ALL]\n", "    cap_drop: []\n"),
        (
            "security_opt: ['no-new-privileges:true']",
            "    security_opt:\n      - no-new-privileges:true\n",
            "    security_opt: []\n",
        ),
        ("tmpfs: /tmp", "    cap_drop: [ALL]\n", "    cap_drop: [ALL]\n"),
    ],
)
def test_what_a_merge_gives_beside_another_value_closes_nothing(merged: str, line: str, own: str) -> None:
    text = (measured().app.docker_compose_file or "").replace(line, f"    <<: *closed\n{own}")
    said = refusals(changed(measured(), docker_compose_file=f"x-closed: &closed\n  {merged}\n{text}"))
    assert f"services.node.{merged.partition(':')[0]} is given more than once" in said


def test_a_service_that_a_merge_gives_is_not_taken_for_the_node() -> None:
    text = measured().app.docker_compose_file or ""
    head, services = text.split("services:\n")
    node, volumes = services.split("volumes:\n  data:")
    other = node.replace("entrypoint: [svc-node]", "entrypoint: [sh]")
    merged = f"{head}x-all: &all\n{node}services:\n  <<: *all\n{other}volumes:\n  data:{volumes}"
    said = refusals(changed(measured(), docker_compose_file=merged))
    assert "services.node is given more than once" in said
    assert "or several are" in said


def test_findings_are_safe_to_print() -> None:
    file = changed(measured(), allowed_envs=["\x1b[31mA", "B\u202e"], **{"evil\x1b[2J_script": "x"})
    for finding in check(file, Accepted()):
        assert finding.text.isprintable(), finding
        assert finding.fix.isprintable(), finding
        json.dumps(finding.text)
