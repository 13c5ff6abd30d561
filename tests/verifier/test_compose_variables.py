"""Variables in compose texts that the host may set: by docker compose's own grammar, and by what each of them decides."""

import json
from dataclasses import replace

import pytest

from svc_verifier.check import Status
from svc_verifier.compose.app_compose import audit_app_compose
from svc_verifier.trust import Trust
from tests.support.audited import PLAIN, app_compose, by_id, outcomes, refused, service

DECIDING = (
    ("command: run $MODE", "services.node.command:MODE"),
    ("entrypoint: ['sh', '-c', '${SCRIPT:-true}']", "services.node.entrypoint:SCRIPT"),
    ("container_name: $X", "services.node.container_name:X"),
    ("domainname: $X", "services.node.domainname:X"),
    ("user: $X", "services.node.user:X"),
    ("cpuset: $X", "services.node.cpuset:X"),
    ("mac_address: $X", "services.node.mac_address:X"),
    ("depends_on: {db: {condition: $X}}", "services.node.depends_on.db.condition:X"),
    ("extra_hosts: ['a:$X']", "services.node.extra_hosts:X"),
    ("ports: ['$PORT']", "services.node.ports.target:PORT"),
    ("ports: ['1:$PORT']", "services.node.ports.target:PORT"),
    ("ports: ['1:${PORT:-80}/udp']", "services.node.ports.target:PORT"),
    ("ports: ['${BOTH:-80:80}']", "services.node.ports.target:BOTH"),
    ("ports: ['${BOTH:-{}:80}']", "services.node.ports.target:BOTH"),
    ("ports: ['${BOTH:-{}:80:80}']", "services.node.ports.target:BOTH"),
    ("ports: ['127.0.0.1:1:$PORT']", "services.node.ports.target:PORT"),
    ("ports: [{target: $PORT, published: 80}]", "services.node.ports.target:PORT"),
    ("ports: [{target: 80, protocol: $PORT}]", "services.node.ports.protocol:PORT"),
    ("ports: [{target: 80, '$PORT': 80}]", "services.node.ports:PORT"),
    ("env_file: .env", "services.node.env_file:.env"),
    ("env_file: [{path: a.env, required: false}]", "services.node.env_file.path:a.env"),
    ("label_file: .env", "services.node.label_file:.env"),
    ("labels: {'$X': a}", "services.node.labels:X"),
    ("labels: ['$X=a']", "services.node.labels:X"),
    ("labels: ['$X']", "services.node.labels:X"),
    ("environment: ['$X']", "services.node.environment:X"),
    ("environment: ['${X:-A=b}']", "services.node.environment:X"),
    ("environment: {'$X': a}", "services.node.environment:X"),
    ("healthcheck: {test: [CMD, '$X']}", "services.node.healthcheck.test:X"),
    ("healthcheck: {disable: $X}", "services.node.healthcheck.disable:X"),
    ("ulimits: {'$X': 1}", "services.node.ulimits:X"),
    ("deploy: {resources: {limits: {'$X': 1}}}", "services.node.deploy.resources.limits:X"),
    ("deploy: {restart_policy: {condition: $X}}", "services.node.deploy.restart_policy.condition:X"),
    ("mem_limit: '${!}'", "services.node.mem_limit:?"),
)
QUANTITIES = (
    *("mem_limit", "mem_reservation", "mem_swappiness", "memswap_limit"),
    *("cpus", "cpu_count", "cpu_percent", "cpu_period", "cpu_quota", "cpu_rt_period", "cpu_rt_runtime", "cpu_shares"),
    *("pids_limit", "shm_size", "restart", "stop_grace_period", "stop_signal", "scale"),
)
TIMES = ("interval", "timeout", "retries", "start_period", "start_interval")
LEFT_TO_THE_HOST = (
    ("ports: ['1:1', '${PORT}:80']", "services.node.ports:PORT"),
    ("ports: ['${PORT:-80}:80/tcp']", "services.node.ports:PORT"),
    ("ports: ['${PORT:-$$}}:80']", "services.node.ports:PORT"),
    ("ports: ['${BIND:-127.0.0.1}:80:80']", "services.node.ports:BIND"),
    ("ports: ['${BIND:-[::1]}:80:80']", "services.node.ports:BIND"),
    ("ports: [{target: 80, published: '$PORT'}]", "services.node.ports.published:PORT"),
    ("ports: [{target: 80, host_ip: '$BIND'}]", "services.node.ports.host_ip:BIND"),
    ("labels: {a.b: '$X'}", "services.node.labels.'a.b':X"),
    ("labels: ['a=$X']", "services.node.labels:X"),
    ("hostname: $X", "services.node.hostname:X"),
    *((f"{key}: $X", f"services.node.{key}:X") for key in QUANTITIES),
    ("ulimits: {nofile: $X}", "services.node.ulimits.nofile:X"),
    ("ulimits: {nofile: {soft: $X, hard: 9}}", "services.node.ulimits.nofile.soft:X"),
    *((f"healthcheck: {{{key}: $X}}", f"services.node.healthcheck.{key}:X") for key in TIMES),
    *((f"deploy: {{resources: {{limits: {{{key}: $X}}}}}}", f"services.node.deploy.resources.limits.{key}:X")
      for key in ("cpus", "memory", "pids")),
    ("deploy: {resources: {reservations: {memory: $X}}}", "services.node.deploy.resources.reservations.memory:X"),
)  # fmt: skip
PLACES = [(*row, Status.FAILED) for row in DECIDING] + [(*row, Status.UNKNOWN) for row in LEFT_TO_THE_HOST]


@pytest.mark.parametrize(("lines", "word", "status"), PLACES)
def test_a_variable_outside_of_an_environment_is_accepted_by_the_word_of_its_place_alone(
    lines: str, word: str, status: Status
) -> None:
    check = by_id(app_compose(service(lines)))["code.host-input"]
    assert check.status is status
    assert word in check.evidence
    assert word in check.why
    name = word.rpartition(":")[2]
    others = (
        name,
        f"services.node:{name}",
        f"services.other.ports:{name}",
        f"services:{name}",
        f"services.node.ports:{name}",
    )
    every = frozenset({*others} - {word})
    trust = Trust(host="h", app_id=bytes(20), chain_id=1, host_input=every)
    assert outcomes(service(lines), trust)["code.host-input"] is status, "no other word is enough"
    trust = replace(trust, host_input=frozenset({word} | ({name} if "environment" in lines else set())))
    assert outcomes(service(lines), trust)["code.host-input"] is Status.PASSED


EXTENSIONS = (
    ("x-a: {b: ['$TOKEN']}\n", "", Status.PASSED),
    ("x-a: &a {'$TOKEN': 1}\n", "", Status.PASSED),
    ("", "x-a: {b: '$TOKEN'}", Status.PASSED),
    ("x-a: &a [sh, -c, $TOKEN]\n", "command: *a", Status.FAILED),
    ("x-a: &a {command: $TOKEN}\n", "<<: *a", Status.FAILED),
    ("x-a: &a {hostname: $TOKEN}\n", "<<: *a", Status.UNKNOWN),
    ("x-a: &a {b: &b {A: $TOKEN}}\n", "environment: {<<: *b}", Status.UNKNOWN),
    ("x-a: {b: &b {LD_PRELOAD: $TOKEN}}\n", "environment: *b", Status.FAILED),
    ("x-a: &a {x-b: $TOKEN}\n", "<<: *a", Status.PASSED),
    ("", "labels: {x-a: $TOKEN}", Status.UNKNOWN),
    ("", "environment: {x-a: $TOKEN}", Status.UNKNOWN),
    ("", "healthcheck: {x-a: $TOKEN}", Status.FAILED),
    ("volumes: {x-a: {name: $TOKEN}}\n", "", Status.FAILED),
)


@pytest.mark.parametrize(("top", "lines", "status"), EXTENSIONS)
def test_an_extension_counts_where_a_service_takes_it_and_is_nothing_elsewhere(
    top: str, lines: str, status: Status
) -> None:
    assert outcomes(top + service(lines))["code.host-input"] is status


@pytest.mark.parametrize("kind", ["networks", "volumes", "configs", "secrets"])
def test_an_extension_is_no_name_of_a_part_of_the_file(kind: str) -> None:
    """Only the top of the file and a service are looked at so: elsewhere a key may be any name."""
    text = service("hostname: a") + f"{kind}:\n  x-part: {{name: '$TOKEN'}}\n"
    assert outcomes(text)["code.host-input"] is Status.FAILED


def test_a_service_whose_name_the_host_chooses_is_none_that_was_read() -> None:
    assert outcomes(service("hostname: a").replace("  node:", "  '$X':"))["code.host-input"] is Status.FAILED


TOP_PLACES = (
    ("configs:\n  c: {environment: TOKEN}", "configs.c.environment:TOKEN"),
    ("secrets:\n  c: {environment: TOKEN}", "secrets.c.environment:TOKEN"),
    ("configs:\n  c: {content: 'x $TOKEN'}", "configs.c.content:TOKEN"),
    ("volumes:\n  v: {name: '$TOKEN'}", "volumes.v.name:TOKEN"),
)


@pytest.mark.parametrize(("lines", "word"), TOP_PLACES)
def test_a_name_that_is_accepted_in_an_environment_is_not_accepted_in_a_file_that_the_host_writes(
    lines: str, word: str
) -> None:
    """A config of that name may be mounted over `/etc/ld.so.preload`."""
    text = service("environment: [TOKEN]\nconfigs: [{source: c, target: /etc/ld.so.preload}]") + f"{lines}\n"
    trust = Trust(host="h", app_id=bytes(20), chain_id=1, host_input=frozenset({"TOKEN"}))
    assert outcomes(text, trust, allowed_envs=["TOKEN"])["code.host-input"] is Status.FAILED
    trust = replace(trust, host_input=frozenset({"TOKEN", word}))
    assert outcomes(text, trust, allowed_envs=["TOKEN"])["code.host-input"] is Status.PASSED


def test_no_key_reads_as_the_path_of_another_place() -> None:
    keys = ("a.b", "a:b", "a'.'b", "a b", "x" * 300, "x" * 299 + "y")
    lines = "labels: {" + ", ".join(f'"{key}": $X' for key in keys) + ", a: {b: $X}}"
    words = [word for word in by_id(app_compose(service(lines)))["code.host-input"].evidence if word.endswith(":X")]
    assert len(set(words)) == len(keys) + 1
    assert max(map(len, words)) < 300


PASSED_IN = (
    "environment: ['MODE=${MODE}']",
    "environment: {MODE: $MODE}",
    "environment: {A: '${OTHER:-$MODE}', B: '${MODE-x}'}",
    "environment: [MODE]",
    "environment: {MODE: }",
)


@pytest.mark.parametrize("lines", PASSED_IN)
def test_what_the_host_may_set_in_an_environment_is_named_and_left_to_the_user(lines: str) -> None:
    check = by_id(app_compose(service(lines)))["code.host-input"]
    assert check.status is Status.UNKNOWN
    assert "MODE" in check.evidence
    accepting = Trust(host="h", app_id=bytes(20), chain_id=1, host_input=frozenset({"MODE", "OTHER", "A", "B"}))
    assert outcomes(service(lines), accepting)["code.host-input"] is Status.PASSED


COPIES = (
    "environment: {GUNICORN_CMD_ARGS: $LOG_LEVEL}",
    "environment: ['GUNICORN_CMD_ARGS=${LOG_LEVEL:-info}']",
    "environment: {GUNICORN_CMD_ARGS: 'a $$b ${LOG_LEVEL}'}",
    "environment: {LOG_LEVEL: $LOG_LEVEL, GUNICORN_CMD_ARGS: '${GUNICORN_CMD_ARGS} $LOG_LEVEL'}",
)


@pytest.mark.parametrize("lines", COPIES)
def test_a_name_that_is_accepted_is_not_accepted_as_the_value_of_another_variable(lines: str) -> None:
    """Many programs run what a variable of their own names; no list knows them all."""
    trust = Trust(host="h", app_id=bytes(20), chain_id=1, host_input=frozenset({"LOG_LEVEL"}))
    check = by_id(app_compose(service(lines), allowed_envs=["LOG_LEVEL"]), trust)["code.host-input"]
    assert check.status is Status.UNKNOWN
    assert "GUNICORN_CMD_ARGS" in check.why
    both = replace(trust, host_input=frozenset({"LOG_LEVEL", "GUNICORN_CMD_ARGS"}))
    assert outcomes(service(lines), both, allowed_envs=["LOG_LEVEL"])["code.host-input"] is Status.PASSED


GRAMMAR: tuple[tuple[str, set[str]], ...] = (
    ("$LOG$$_LEVEL", {"LOG"}),
    ("$$$LOG$$$$_LEVEL", {"LOG"}),
    ("${LOG:-$$}$$_LEVEL", {"LOG"}),
    ("${LOG-$$X}", {"LOG"}),
    ("a$$$LOG", {"LOG"}),
    ("$$LOG_LEVEL", set()),
    ("$$HOME", set()),
    ("$$(date)", set()),
    ("a$", set()),
    ("$$$", set()),
    ("5$ a month", set()),
    ("$(head -c 32 /config/keyfile)", set()),
    ('grep -E "^a$"', set()),
    ("awk {print $1}", set()),
    ("$@ $? $! $- $* $# $0", set()),
    ("^/v1/.*$|x", set()),
    ("$.jsonpath", set()),
    ("$ LOG", set()),
    ("$\u00e9", set()),
    ("$1LOG", set()),
    ('$"LOG"', set()),
    ("$\nLOG", set()),
    ("%{LOG}$", set()),
    ("map $http_upgrade", {"http_upgrade"}),
    ("${LOG:-$(id)}", {"LOG"}),
    ("${LOG:-${OTHER:-$THIRD}}", {"LOG", "OTHER", "THIRD"}),
    ("${LOG:+$OTHER}${LOG:?$THIRD}", {"LOG", "OTHER", "THIRD"}),
    ("$_", {"_"}),
    ("$_1", {"_1"}),
    ("$LOG\u017fX", {"LOG\u017fX"}),
    ("$\u017fECRET", {"\u017fECRET"}),
    ("${\u212aEY}", {"\u212aEY"}),
    ("$L\u2139G", {"L"}),
    ("$LOG\u0661", {"LOG"}),
    ("${LOG", {"LOG"}),
    ("${LOG!}", {"LOG"}),
    ("${LOG:-a\nb}", {"LOG"}),
    ("${ LOG}", {"?"}),
    ("${}", {"?"}),
    ("${1}", {"?"}),
    ("${!}", {"?"}),
    ("${", {"?"}),
)


@pytest.mark.parametrize(("value", "names"), GRAMMAR)
def test_a_variable_is_what_docker_compose_replaces(value: str, names: set[str]) -> None:
    """By the expression of compose-go; `${` without a name after it is a file that it refuses."""
    written = json.dumps(value, ensure_ascii=False)
    for lines in (f"command: [{written}]", f"environment: {{A: {written}}}"):
        audit = audit_app_compose(app_compose(service(lines)))
        assert {entry.name for entry in audit.host_input if not entry.is_copy} == names
    assert outcomes(service(f"command: [{written}]"))["code.host-input"] is (Status.FAILED if names else Status.PASSED)


@pytest.mark.parametrize(
    ("accepted", "text"),
    [("LOG_LEVEL", "$LOG$$_LEVEL"), ("LOG", "$LOG\u017fX"), ("TOKEN", "$TO\u212aEN"), ("?", "$\u017fECRET")],
)
@pytest.mark.parametrize("place", ["", "services.node.command:"])
def test_a_name_that_was_accepted_is_no_other_name_for_docker_compose_either(
    accepted: str, text: str, place: str
) -> None:
    trust = Trust(host="h", app_id=bytes(20), chain_id=1, host_input=frozenset({place + accepted}))
    lines = f'environment: {{LOG: "{text}"}}' if not place else f'command: ["{text}"]'
    assert outcomes(service(lines), trust)["code.host-input"] in {Status.FAILED, Status.UNKNOWN}


REDIRECTING = (
    "NODE_OPTIONS",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "PERL5OPT",
    "RUBYOPT",
    "BASH_ENV",
    "PATH",
    "HTTPS_PROXY",
    "http_proxy",
    "ALL_PROXY",
    "SSL_CERT_FILE",
    "NODE_EXTRA_CA_CERTS",
    "NODE_TLS_REJECT_UNAUTHORIZED",
    "REQUESTS_CA_BUNDLE",
    "SSLKEYLOGFILE",
    "OPENSSL_CONF",
    "GLIBC_TUNABLES",
    "DSTACK_SIMULATOR_ENDPOINT",
    "RPC",
    "RPC_URL",
    "BASE_CHAIN_RPC",
    "ETH_RPC_URLS",
    "WEB3_PROVIDER_URI",
)


@pytest.mark.parametrize("name", REDIRECTING)
@pytest.mark.parametrize(
    "form", ["environment: [{0}]", "environment: {{{0}: }}", "environment: ['{0}=${{X}}']", "environment: {{{0}: $X}}"]
)
def test_what_injects_code_or_redirects_trust_fails_until_the_user_accepts_that_name(name: str, form: str) -> None:
    lines = form.format(name)
    assert outcomes(service(lines))["code.host-input"] is Status.FAILED
    for accepted, status in (({"X"}, Status.FAILED), ({"X", name}, Status.PASSED)):
        trust = Trust(host="h", app_id=bytes(20), chain_id=1, host_input=frozenset(accepted))
        assert outcomes(service(lines), trust)["code.host-input"] is status


@pytest.mark.parametrize("nothing", ["null", "NULL", "~", ""])
def test_a_value_of_nothing_in_any_spelling_is_the_hosts(nothing: str) -> None:
    assert outcomes(service(f"environment: {{PYTHONPATH: {nothing}}}"))["code.host-input"] is Status.FAILED


def test_the_word_null_as_a_text_is_a_value() -> None:
    assert outcomes(service("environment: {PYTHONPATH: 'null'}"))["code.host-input"] is Status.PASSED


@pytest.mark.parametrize("lines", ["environment: ['$X']", "environment: ['${X}=1']", "environment: {A: $RPC_URL}"])
def test_a_variable_whose_name_the_host_chooses_may_be_any(lines: str) -> None:
    assert outcomes(service(lines))["code.host-input"] is Status.FAILED


@pytest.mark.parametrize("name", ["GRPC_PORT", "RPC_AUTHORIZATION", "MY_PATH", "LOG_LEVEL", "HOSTNAME", "DATABASE_URL"])
def test_a_name_that_only_looks_like_one_is_left_to_the_user(name: str) -> None:
    assert outcomes(service(f"environment: [{name}]"))["code.host-input"] is Status.UNKNOWN


def test_a_value_that_the_file_fixes_is_no_input_of_the_host() -> None:
    text = service("environment: ['NODE_OPTIONS=--max-old-space-size=512', 'RPC_URL=https://one.example/$$x']")
    assert outcomes(text)["code.host-input"] is Status.PASSED


def test_the_encrypted_environment_and_shared_folders_are_the_hosts_too() -> None:
    assert outcomes(PLAIN, allowed_envs=["STRIPE_KEY"])["code.host-input"] is Status.UNKNOWN
    assert outcomes(PLAIN, allowed_envs=["DOCKERED", "MY_PATH"])["code.host-input"] is Status.UNKNOWN
    assert outcomes(service("volumes: ['/tapp:/tapp:ro']"))["code.privileges"] is Status.FAILED
    secrets = PLAIN + "secrets:\n  key: {environment: KEY}\n"
    assert "secrets.key.environment:KEY" in by_id(app_compose(secrets))["code.host-input"].evidence


@pytest.mark.parametrize(
    "name",
    [
        "COMPOSE_FILE",
        "APP_COMPOSE_FILE",
        " APP_COMPOSE_FILE",
        "COMPOSE_PROFILES",
        "DOCKER_HOST",
        "LD_PRELOAD",
        "PATH",
        " BASH_ENV",
    ],
)
def test_an_allowed_variable_that_the_engine_or_its_shell_reads_decides_what_runs(name: str) -> None:
    """No image digest says anything of a compose file that `COMPOSE_FILE` names."""
    assert "code.host-input" in refused(PLAIN, allowed_envs=[name])
    accepting = Trust(host="h", app_id=bytes(20), chain_id=1, host_input=frozenset({name}))
    assert outcomes(PLAIN, accepting, allowed_envs=[name])["code.host-input"] is Status.PASSED
